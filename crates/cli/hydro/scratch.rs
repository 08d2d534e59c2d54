//! Rasters between two passes, in a file without a name that vanishes with the program.

use bytemuck::Pod;
use hydro::bands::{Store, StoreError};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::Path;

/// Rows of a raster on disk, in the machine's own byte order.
pub struct Scratch<T> {
    file: File,
    cols: usize,
    of: PhantomData<T>,
}

impl<T: Pod> Scratch<T> {
    /// An empty one in a folder.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn beside(folder: &Path, cols: usize) -> std::io::Result<Self> {
        Ok(Self { file: tempfile::tempfile_in(folder)?, cols, of: PhantomData })
    }

    fn go_to(&mut self, row: u32) -> std::io::Result<()> {
        let place = row as u64 * (self.cols * size_of::<T>()) as u64;
        self.file.seek(SeekFrom::Start(place)).map(|_| ())
    }
}

impl<T: Pod + Send> Store<T> for Scratch<T> {
    fn read(&mut self, first_row: u32, rows: &mut [T]) -> Result<(), StoreError> {
        self.go_to(first_row)?;
        Ok(self.file.read_exact(bytemuck::cast_slice_mut(rows))?)
    }

    fn write(&mut self, first_row: u32, rows: &[T]) -> Result<(), StoreError> {
        self.go_to(first_row)?;
        Ok(self.file.write_all(bytemuck::cast_slice(rows))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut rows = Scratch::<u32>::beside(folder.path(), 3).expect("a file");
        rows.write(2, &[7, 8, 9]).expect("written");
        rows.write(0, &[1, 2, 3, 4, 5, 6]).expect("written");
        let mut back = [0; 6];
        rows.read(1, &mut back).expect("read");
        assert_eq!(back, [4, 5, 6, 7, 8, 9]);
        assert!(rows.read(3, &mut back).is_err(), "what was never written");
    }
}
