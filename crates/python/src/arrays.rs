//! Between fields and NumPy's arrays.

use grid::{Field, Shape, Values};
use numpy::ndarray::IntoDimension;
use numpy::{Element, IntoPyArray, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Values as an array of some dimensions: the same memory.
pub fn shaped<T: Element>(
    py: Python<'_>,
    values: Vec<T>,
    dims: impl IntoDimension,
) -> PyResult<Bound<'_, PyAny>> {
    Ok(values.into_pyarray(py).reshape(dims)?.into_any())
}

/// A field of a grid as faces x rows x columns.
pub fn of_values(py: Python<'_>, values: Values) -> PyResult<Bound<'_, PyAny>> {
    let Shape { faces, rows, cols } = values.shape();
    let dims = [faces as usize, rows as usize, cols as usize];
    match values {
        Values::U8(field) => shaped(py, field.into_vec(), dims),
        Values::U16(field) => shaped(py, field.into_vec(), dims),
        Values::U32(field) => shaped(py, field.into_vec(), dims),
        Values::F32(field) => shaped(py, field.into_vec(), dims),
        Values::F64(field) => shaped(py, field.into_vec(), dims),
    }
}

/// A field of a raster as rows x columns.
pub fn of_raster<T: Element>(py: Python<'_>, field: Field<T>) -> PyResult<Bound<'_, PyAny>> {
    let Shape { rows, cols, .. } = field.shape();
    shaped(py, field.into_vec(), [rows as usize, cols as usize])
}

/// An array as a field of a raster, copied once.
pub fn field<T: Element + Copy>(
    name: &str,
    array: &PyReadonlyArray2<'_, T>,
    shape: Shape,
) -> PyResult<Field<T>> {
    let [rows, cols] = [array.shape()[0], array.shape()[1]];
    if (rows, cols) != (shape.rows as usize, shape.cols as usize) {
        return Err(PyValueError::new_err(format!(
            "{name} has {rows} x {cols} cells; {} x {} were expected, as the first array has",
            shape.rows, shape.cols
        )));
    }
    let values = array.as_array().iter().copied().collect();
    Field::from_vec(shape, values)
        .ok_or_else(|| PyValueError::new_err(format!("{name} is not of its own shape")))
}

/// Values of a raster of any kind as rows x columns.
pub fn of_raster_values(py: Python<'_>, values: Values) -> PyResult<Bound<'_, PyAny>> {
    match values {
        Values::U8(field) => of_raster(py, field),
        Values::U16(field) => of_raster(py, field),
        Values::U32(field) => of_raster(py, field),
        Values::F32(field) => of_raster(py, field),
        Values::F64(field) => of_raster(py, field),
    }
}
