//! Errors as Python's, with the same messages.

use archive::FileError;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyValueError};
use pyo3::{PyErr, create_exception};
use std::error::Error;
use std::io;

create_exception!(
    terrane,
    WorldFileError,
    PyValueError,
    "A file that is no world file, or a damaged one: the message says which, what is wrong with it, and where."
);

/// An error and what it comes from, in one line.
fn in_one_line(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.ends_with(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

/// Something asked for that cannot be meant.
pub fn misuse(error: &dyn Error) -> PyErr {
    PyValueError::new_err(in_one_line(error))
}

/// The kind of the first error of the operating system that an error is or comes from.
fn system_error(error: &(dyn Error + 'static)) -> Option<io::ErrorKind> {
    match error.downcast_ref::<io::Error>() {
        Some(error) => Some(error.kind()),
        None => system_error(error.source()?),
    }
}

/// A file that cannot be read or written, or holds no world.
pub fn of_file(error: &(dyn Error + 'static)) -> PyErr {
    let text = in_one_line(error);
    match system_error(error) {
        Some(io::ErrorKind::NotFound) => PyFileNotFoundError::new_err(text),
        Some(_) => PyOSError::new_err(text),
        None if error.is::<FileError>() => WorldFileError::new_err(text),
        None => PyOSError::new_err(text),
    }
}
