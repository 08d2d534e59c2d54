//! Stores of shards: what is refined by many machines.

use crate::errors::{misuse, of_file};
use export::Plan;
use formats::Cause;
use formats::zarr::Object;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;

/// Keys of a store, and what is in them.
pub type Objects<'py> = Vec<(String, Bound<'py, PyBytes>)>;

/// A region as a store whose shards are made one by one.
#[pyclass(frozen, module = "terrane._terrane")]
pub struct Shards {
    pub plan: Plan,
}

fn handed<'py>(py: Python<'py>, objects: Vec<Object>) -> Objects<'py> {
    objects.into_iter().map(|object| (object.key, PyBytes::new(py, &object.bytes))).collect()
}

/// What was made, as Python has it.
pub fn made(py: Python<'_>, objects: Result<Vec<Object>, export::ShardError>) -> PyResult<Objects<'_>> {
    objects.map(|objects| handed(py, objects)).map_err(|e| of_file(&e))
}

impl Shards {
    /// Makes sure that there is such a shard.
    pub fn check(&self, level: usize, shard: usize) -> PyResult<()> {
        if level < self.plan.levels() && shard < self.plan.shards(level) {
            return Ok(());
        }
        Err(PyValueError::new_err(format!("there is no shard {shard} at level {level}")))
    }
}

#[pymethods]
impl Shards {
    /// Levels: the region itself and its overviews.
    #[getter]
    fn levels(&self) -> usize {
        self.plan.levels()
    }

    /// Samples along a side of a shard.
    #[getter]
    fn side(&self) -> usize {
        self.plan.side()
    }

    /// Shards of a level.
    fn count(&self, level: usize) -> PyResult<usize> {
        self.check(level, 0)?;
        Ok(self.plan.shards(level))
    }

    /// Samples of a shard of the region itself.
    fn samples(&self, shard: usize) -> PyResult<u64> {
        self.check(0, shard)?;
        Ok(self.plan.request_of(shard).samples())
    }

    /// The keys of a shard, one for each layer.
    fn keys(&self, level: usize, shard: usize) -> PyResult<Vec<String>> {
        self.check(level, shard)?;
        Ok(self.plan.keys(level, shard))
    }

    /// All of the store but its shards; its own zarr.json last, with what others have added to the one that was found.
    #[pyo3(signature = (levels, found=None))]
    fn template<'py>(&self, py: Python<'py>, levels: usize, found: Option<&[u8]>) -> PyResult<Objects<'py>> {
        made(py, self.plan.template(levels, found))
    }

    /// Makes sure that a store with this zarr.json was begun for the same region.
    fn matches(&self, zarr_json: &[u8]) -> PyResult<()> {
        self.plan.check(zarr_json).map_err(|e| misuse(&e))
    }

    /// A shard of an overview; `read` gives the bytes of a key.
    fn overview<'py>(
        &self,
        py: Python<'py>,
        level: usize,
        shard: usize,
        read: Py<PyAny>,
    ) -> PyResult<Objects<'py>> {
        self.check(level, shard)?;
        if level == 0 {
            return Err(PyValueError::new_err("level 0 is the region itself"));
        }
        let read = |key: &str| -> Result<Vec<u8>, Cause> {
            Python::attach(|py| Ok(read.call1(py, (key,))?.extract::<Vec<u8>>(py)?))
        };
        let objects = py.detach(|| self.plan.overview(level, shard, &read));
        made(py, objects)
    }
}

/// Writes a file, which appears whole or not at all.
#[pyfunction]
fn put(py: Python<'_>, path: PathBuf, bytes: &[u8]) -> PyResult<()> {
    use std::io::Write;
    py.detach(|| formats::atomic(&path, |out| Ok(out.write_all(bytes)?))).map_err(|e| of_file(&e))
}

/// Lets this process work with so many threads, if it has not begun to work; says how many it has.
#[pyfunction]
fn use_threads(count: usize) -> usize {
    // an error says that there are threads already
    let _ = rayon::ThreadPoolBuilder::new().num_threads(count).build_global();
    rayon::current_num_threads()
}

/// Adds what is here to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Shards>()?;
    module.add_function(wrap_pyfunction!(put, module)?)?;
    module.add_function(wrap_pyfunction!(use_threads, module)?)
}
