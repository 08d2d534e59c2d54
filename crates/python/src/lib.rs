//! Terrane for Python: the extension module `terrane._terrane`, on which the package in `python/terrane` stands.
//!
//! Here is only what must be Rust: worlds, regions of them, and water over arrays. Work is done without the interpreter's lock,
//! results are handed over without a copy. Names, units and coordinates are put to them in Python.

mod errors;

mod arrays;

mod work;

mod rivers;

mod world;

mod shards;

mod hydro;

mod tiles;

use pyo3::prelude::*;

/// Makes the module.
#[pymodule]
fn _terrane(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("ENGINE", archive::ENGINE)?;
    module.add("WorldFileError", module.py().get_type::<errors::WorldFileError>())?;
    module.add_class::<world::World>()?;
    shards::register(module)?;
    hydro::register(module)?;
    tiles::register(module)
}
