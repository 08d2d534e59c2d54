//! What the tests of `terrane hydro` share: rasters made and read, and what follows from directions, the slow way.

#![allow(clippy::disallowed_methods, reason = "a second computation, by the means of another library")]
use crate::cli_support::Desk;
use formats::geotiff::{Info, Reader};
use std::fs::File;
use tiff::encoder::{TiffEncoder, colortype};
use tiff::tags::Tag;

/// Where a raster lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// UTM zone 33 north, cells of 30 m.
    Utm,
    /// The same, cells of 30 m from west to east and 20 m from north to south.
    Oblong,
    /// Longitude and latitude, cells of one and a half and one seconds of arc.
    Degrees,
    /// No reference system, cells of 1.
    Nowhere,
}

impl Place {
    pub fn step(self) -> [f64; 2] {
        match self {
            Self::Utm => [30.0, 30.0],
            Self::Oblong => [30.0, 20.0],
            Self::Degrees => [1.5 / 3600.0, 1.0 / 3600.0],
            Self::Nowhere => [1.0, 1.0],
        }
    }

    pub fn corner(self) -> [f64; 2] {
        match self {
            Self::Utm | Self::Oblong => [400_000.0, 5_200_000.0],
            Self::Degrees => [11.25, 47.5],
            Self::Nowhere => [0.0, 0.0],
        }
    }

    pub fn epsg(self) -> Option<u16> {
        match self {
            Self::Utm | Self::Oblong => Some(32633),
            Self::Degrees => Some(4326),
            Self::Nowhere => None,
        }
    }

    /// GeoKeys: model, pixels are areas, the code.
    fn keys(self) -> Option<[u16; 16]> {
        let (model, key) = if self == Self::Degrees { (2, 2048) } else { (1, 3072) };
        self.epsg().map(|code| [1, 1, 0, 3, 1024, 0, 1, model, 1025, 0, 1, 1, key, 0, 1, code])
    }

    /// The column and row whose middle a place is.
    pub fn cell(self, [x, y]: [f64; 2]) -> (usize, usize) {
        let ([west, north], [dx, dy]) = (self.corner(), self.step());
        let (col, row) = ((x - west) / dx - 0.5, (north - y) / dy - 0.5);
        assert!(
            (col - col.round()).abs() < 1e-3 && (row - row.round()).abs() < 1e-3,
            "{col} {row}: no middle"
        );
        (col.round() as usize, row.round() as usize)
    }

    pub fn middle(self, col: usize, row: usize) -> [f64; 2] {
        let ([west, north], [dx, dy]) = (self.corner(), self.step());
        [west + (col as f64 + 0.5) * dx, north - (row as f64 + 0.5) * dy]
    }

    /// The corner of cells that a place is, but for the rounding of coordinates.
    pub fn exact_corner(self, [x, y]: [f64; 2]) -> [f64; 2] {
        let ([west, north], [dx, dy]) = (self.corner(), self.step());
        let (col, row) = ((x - west) / dx, (north - y) / dy);
        assert!(
            (col - col.round()).abs() < 1e-3 && (row - row.round()).abs() < 1e-3,
            "{col} {row}: no corner"
        );
        [west + col.round() * dx, north - row.round() * dy]
    }

    /// Metres between two places: on the plane, or along the great circle of a sphere as large as WGS 84.
    pub fn distance_m(self, a: [f64; 2], b: [f64; 2]) -> f64 {
        if self != Self::Degrees {
            return (a[0] - b[0]).hypot(a[1] - b[1]);
        }
        let half = |d: f64| (d.to_radians() / 2.0).sin().powi(2);
        let h = half(a[1] - b[1]) + a[1].to_radians().cos() * b[1].to_radians().cos() * half(a[0] - b[0]);
        2.0 * RADIUS_M * h.sqrt().asin()
    }

    /// Area within closed rings whose sides run north or east; holes run the other way round.
    pub fn area_m2<'a>(self, rings: impl Iterator<Item = &'a Vec<[f64; 2]>>) -> f64 {
        let side = |s: &[[f64; 2]]| {
            let ([ax, ay], [bx, by]) = (s[0], s[1]);
            assert!(ax == bx || ay == by, "a side runs north or east");
            if self == Self::Degrees {
                -(bx - ax).to_radians() * ay.to_radians().sin() * RADIUS_M * RADIUS_M
            } else {
                -(bx - ax) * (ay - self.corner()[1])
            }
        };
        rings.flat_map(|ring| ring.windows(2)).map(side).sum()
    }
}

/// Radius of the sphere with the area of the ellipsoid WGS 84.
pub const RADIUS_M: f64 = 6_371_007.180_918;

/// Writes an elevation, by another library than the program reads with.
pub fn put(desk: &Desk, name: &str, place: Place, cols: usize, values: &[f32], nodata: Option<&str>) {
    assert_eq!(values.len() % cols, 0);
    let (width, height) = (cols as u32, (values.len() / cols) as u32);
    let mut encoder = TiffEncoder::new(File::create(desk.path(name)).unwrap()).unwrap();
    let mut image = encoder.new_image::<colortype::Gray32Float>(width, height).unwrap();
    let tags = image.encoder();
    let ([west, north], [dx, dy]) = (place.corner(), place.step());
    tags.write_tag(Tag::ModelPixelScaleTag, &[dx, dy, 0.0][..]).unwrap();
    tags.write_tag(Tag::ModelTiepointTag, &[0.0, 0.0, 0.0, west, north, 0.0][..]).unwrap();
    if let Some(keys) = place.keys() {
        tags.write_tag(Tag::GeoKeyDirectoryTag, &keys[..]).unwrap();
    }
    if let Some(nodata) = nodata {
        tags.write_tag(Tag::GdalNodata, nodata).unwrap();
    }
    image.write_data(values).unwrap();
}

/// An array of `data/hydro`, of four bytes a number.
pub fn npy(name: &str) -> Vec<f32> {
    npy_bytes(name).as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

/// The bytes of an array of `data/hydro` without its header.
pub fn npy_bytes(name: &str) -> Vec<u8> {
    let path = format!("{}/data/hydro/{name}.npy", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes[start..].to_vec()
}

/// The north-west corner of the elevation of 512 x 512.
pub fn corner_of_dem(cols: usize, rows: usize) -> Vec<f32> {
    npy("dem_512").chunks(512).take(rows).flat_map(|row| row[..cols].to_vec()).collect()
}

/// The first band of a GeoTIFF, and what the file says of it.
pub fn get(desk: &Desk, name: &str) -> (Vec<f32>, Info) {
    let mut reader = Reader::open(&desk.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let info = reader.info().clone();
    let mut values = vec![0.0; info.width * info.height];
    reader.read_rows(0, info.height, &mut values).unwrap();
    (values, info)
}

/// Codes as they are stored: 255 and 0 are numbers here, not "no data".
pub fn codes(desk: &Desk, name: &str) -> Vec<u32> {
    use tiff::decoder::{Decoder, DecodingResult};
    let mut decoder = Decoder::new(File::open(desk.path(name)).unwrap()).unwrap();
    match decoder.read_image().unwrap() {
        DecodingResult::U8(v) => v.into_iter().map(u32::from).collect(),
        DecodingResult::U16(v) => v.into_iter().map(u32::from).collect(),
        DecodingResult::U32(v) => v,
        _ => panic!("{name} holds no whole numbers"),
    }
}

pub fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| if v.is_nan() { u32::MAX } else { v.to_bits() }).collect()
}

/// The way of water as `direction.tif` tells it.
pub struct Ways {
    pub cols: usize,
    pub codes: Vec<u32>,
}

impl Ways {
    pub fn of(desk: &Desk, folder: &str, cols: usize) -> Self {
        Self { cols, codes: codes(desk, &format!("{folder}/direction.tif")) }
    }

    pub fn has_data(&self, at: usize) -> bool {
        self.codes[at] != 255
    }

    /// The cell that a cell drains to.
    pub fn below(&self, at: usize) -> Option<usize> {
        let (dx, dy) = match self.codes[at] {
            1 => (1, 0),
            2 => (1, 1),
            4 => (0, 1),
            8 => (-1, 1),
            16 => (-1, 0),
            32 => (-1, -1),
            64 => (0, -1),
            128 => (1, -1),
            0 | 255 => return None,
            other => panic!("{other} is no direction"),
        };
        let (x, y) = ((at % self.cols) as i64 + dx, (at / self.cols) as i64 + dy);
        assert!((0..self.cols as i64).contains(&x) && y >= 0, "water leaves the raster");
        let to = y as usize * self.cols + x as usize;
        assert!(to < self.codes.len() && self.has_data(to), "water leaves the data");
        Some(to)
    }

    /// A cell and all that its water passes.
    pub fn path(&self, at: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(at), |&c| self.below(c)).enumerate().map(|(steps, c)| {
            assert!(steps < self.codes.len(), "water runs in a circle");
            c
        })
    }

    /// Sums what every cell gives along its way.
    pub fn gather(&self, give: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.codes.len()];
        for cell in (0..sums.len()).filter(|&c| self.has_data(c)) {
            self.path(cell).for_each(|c| sums[c] += give(cell));
        }
        sums
    }

    pub fn accumulation(&self) -> Vec<u32> {
        self.gather(|_| 1.0).into_iter().map(|n| n as u32).collect()
    }

    /// Strahler's orders of stream cells, 0 elsewhere.
    pub fn strahler(&self, is_stream: &[bool], accumulation: &[u32]) -> Vec<u32> {
        let mut from_above: Vec<usize> = (0..is_stream.len()).filter(|&c| is_stream[c]).collect();
        from_above.sort_by_key(|&c| accumulation[c]);
        let mut inflows = vec![Vec::new(); is_stream.len()];
        let mut orders = vec![0u32; is_stream.len()];
        for cell in from_above {
            let greatest = inflows[cell].iter().copied().max().unwrap_or(1);
            let is_raised = inflows[cell].iter().filter(|&&o| o == greatest).count() > 1;
            orders[cell] = greatest + u32::from(is_raised);
            if let Some(below) = self.below(cell) {
                inflows[below].push(orders[cell]);
            }
        }
        orders
    }

    /// Where the water of every cell ends.
    pub fn ends(&self) -> Vec<Option<usize>> {
        let end = |c: usize| self.has_data(c).then(|| self.path(c).last().unwrap());
        (0..self.codes.len()).map(end).collect()
    }

    /// Whether a cell lies at the border or beside no data.
    pub fn is_outlet(&self, at: usize) -> bool {
        let (cols, rows) = (self.cols as i64, (self.codes.len() / self.cols) as i64);
        let (col, row) = (at as i64 % cols, at as i64 / cols);
        let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (col + dx, row + dy)));
        around
            .into_iter()
            .any(|(x, y)| x < 0 || y < 0 || x >= cols || y >= rows || !self.has_data((y * cols + x) as usize))
    }
}
