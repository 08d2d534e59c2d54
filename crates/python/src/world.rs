//! Worlds: made, opened, saved, looked into, refined.

use crate::arrays::{of_values, shaped};
use crate::errors::{misuse, of_file};
use crate::rivers::{self, Lines};
use crate::shards::{Objects, Shards};
use crate::work;
use archive::WorldView;
use export::frame::{boxed, georeference};
use export::{Coordinates, Plan};
use formats::{Crs, Reference, cf};

use grid::table::ColumnValues;
use grid::{Cell, Grid, Layer, Table, Topology};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use region::river_lines::coordinates;
use region::{Cache, Lattice, Method, Request, Sampled, Window};
use std::path::PathBuf;
use world::{
    CellClimate, CellSource, CellState, GatherError, Network, Recipe, SimulateError, Waters, score, simulate,
};

/// Drainage that is kept between regions of a world, in bytes.
const KEPT: u64 = 512 << 20;

/// A world in memory, or in a file of which only what is asked for is read.
enum Source {
    Memory(Box<world::World>),
    File(Box<WorldView>),
}

/// Whatever holds the world answers.
macro_rules! ask {
    ($self:ident, $source:ident => $answer:expr) => {
        match $self {
            Source::Memory($source) => $answer,
            Source::File($source) => $answer,
        }
    };
}

impl CellSource for Source {
    fn grid(&self) -> &Topology {
        ask!(self, s => CellSource::grid(&**s))
    }
    fn recipe(&self) -> &Recipe {
        ask!(self, s => CellSource::recipe(&**s))
    }
    fn gather(&self, cells: &[Cell]) -> Result<Vec<CellState>, GatherError> {
        ask!(self, s => s.gather(cells))
    }
    fn climates(&self, cells: &[Cell]) -> Result<Vec<CellClimate>, GatherError> {
        ask!(self, s => s.climates(cells))
    }
    fn basins(&self, cells: &[Cell]) -> Result<Vec<Option<u32>>, GatherError> {
        ask!(self, s => s.basins(cells))
    }
    fn waters(&self) -> Result<Waters, GatherError> {
        ask!(self, s => s.waters())
    }
}

/// A world.
#[pyclass(frozen, module = "terrane._terrane")]
pub struct World {
    source: Source,
    cache: Cache,
}

impl World {
    fn of(source: Source) -> Self {
        Self { source, cache: Cache::new(KEPT) }
    }

    fn with_network<T>(&self, answer: impl FnOnce(&Network) -> T) -> PyResult<T> {
        match &self.source {
            Source::Memory(world) => Ok(answer(&world.network)),
            Source::File(view) => view.network().map(answer).map_err(|e| of_file(&e)),
        }
    }

    fn lattice(&self, spec: LatticeSpec) -> Lattice {
        let (resolution_m, around) = spec;
        match (self.source.grid(), around) {
            (Topology::Flat(_), _) => Lattice::Plane { step_m: resolution_m },
            (Topology::Globe(globe), None) => Lattice::lon_lat(globe.radius_m(), resolution_m),
            (Topology::Globe(globe), Some(place)) => Lattice::around(globe.radius_m(), place, resolution_m),
        }
    }
}

#[pymethods]
impl World {
    /// Makes a world from the text of a recipe and single changes to it.
    #[staticmethod]
    #[pyo3(signature = (recipe, changes, progress=None))]
    fn make(
        py: Python<'_>,
        recipe: &str,
        changes: Vec<String>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let mut recipe = match Recipe::preset(recipe) {
            Some(preset) => preset,
            None => Recipe::parse(recipe).map_err(|e| misuse(&e))?,
        };
        recipe.set(&changes).map_err(|e| misuse(&e))?;
        let made = work::run(py, progress, move |teller| {
            simulate(&recipe, &|stage, share| teller.tell(stage, share))
        });
        let world = made?.map_err(|e: SimulateError| misuse(&e))?;
        Ok(Self::of(Source::Memory(Box::new(world))))
    }

    /// Opens a file; reads its header only.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let view = py.detach(|| WorldView::open(&path)).map_err(|e| of_file(&e))?;
        Ok(Self::of(Source::File(Box::new(view))))
    }

    /// Writes the world into a file, which appears whole or not at all. Returns its length in bytes.
    #[pyo3(signature = (path, progress=None))]
    fn save(slf: Py<Self>, py: Python<'_>, path: PathBuf, progress: Option<Py<PyAny>>) -> PyResult<u64> {
        work::run(py, progress, move |teller| {
            let tell = |share| teller.tell("saving", share);
            match &slf.get().source {
                Source::Memory(world) => archive::save(world, &path, &tell).map_err(|e| of_file(&e)),
                Source::File(view) => {
                    let world = archive::load(view.path()).map_err(|e| of_file(&e))?;
                    archive::save_and_drop(world, &path, &tell).map_err(|e| of_file(&e))
                }
            }
        })?
    }

    /// The file that the world is read from.
    #[getter]
    fn path(&self) -> Option<PathBuf> {
        match &self.source {
            Source::Memory(_) => None,
            Source::File(view) => Some(view.path().into()),
        }
    }

    /// The text of the recipe, with every field's unit, range and meaning.
    #[getter]
    fn recipe(&self) -> String {
        self.source.recipe().to_toml()
    }

    /// Name, seed, engine, digest, and how the cells lie.
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let info = PyDict::new(py);
        let (recipe, grid) = (self.source.recipe(), self.source.grid());
        let (engine, digest) = match &self.source {
            Source::Memory(world) => {
                (archive::ENGINE.to_string(), py.detach(|| store::digest(&world.layers())))
            }
            Source::File(view) => (view.file.meta().engine.clone(), view.file.digest().to_string()),
        };
        info.set_item("name", &recipe.name)?;
        info.set_item("seed", recipe.seed)?;
        info.set_item("engine", engine)?;
        info.set_item("digest", digest)?;
        let (topology, radius_m, extent_m) = match grid {
            Topology::Globe(globe) => ("globe", Some(globe.radius_m()), None),
            Topology::Flat(flat) => ("flat", None, Some(flat.extent_m())),
        };
        let shape = grid.shape();
        let named = Coordinates::of(&self.source);
        let bounds = extent_m.map(|far| (named.told([0.0; 2]), named.told(far.into())));
        info.set_item("topology", topology)?;
        info.set_item("shape", (shape.faces, shape.rows, shape.cols))?;
        info.set_item("cell_m", grid.cell_m())?;
        info.set_item("radius_m", radius_m)?;
        info.set_item("extent_m", extent_m)?;
        info.set_item("bounds", bounds.map(|([west, south], [east, north])| (west, south, east, north)))?;
        let crs = match (radius_m, named.home()) {
            (Some(radius_m), _) => Some(Reference::of(&Crs::Geographic { radius_m })),
            (None, home) => home.map(|home| Reference::of(home.crs())),
        };
        let unit = || named.home().map_or("m".into(), |home| cf::length_unit(home.crs()));
        info.set_item("unit", extent_m.map(|_| unit()))?;
        info.set_item("crs", crs.as_ref().and_then(text_of))?;
        info.set_item("crs_wkt", crs.and_then(|crs| crs.wkt))?;
        Ok(info)
    }

    /// Names and units (as UDUNITS reads them) of all layers, in the order of the file.
    fn layer_units(&self) -> Vec<(String, String)> {
        match &self.source {
            Source::Memory(_) => {
                let all = world::World::layer_units().into_iter();
                all.map(|(name, unit)| (name, cf::unit(unit).into())).collect()
            }
            Source::File(view) => {
                view.file.layers().iter().map(|l| (l.name.clone(), cf::unit(&l.unit).into())).collect()
            }
        }
    }

    /// The values of a layer: faces x rows x columns.
    fn layer<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let missing = || PyKeyError::new_err(format!("the world has no layer {name:?}"));
        let layer: Layer = match &self.source {
            Source::Memory(world) => py.detach(|| world.layer(name)).ok_or_else(missing)?,
            Source::File(view) => {
                if !view.file.layers().iter().any(|l| l.name == name) {
                    return Err(missing());
                }
                py.detach(|| view.file.layer(name)).map_err(|e| of_file(&e))?
            }
        };
        of_values(py, layer.values)
    }

    /// Longitudes and latitudes of the centres of cells in degrees, or x and y on a flat map.
    fn centers<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let grid = self.source.grid();
        let shape = grid.shape();
        let dims = [shape.faces as usize, shape.rows as usize, shape.cols as usize];
        let named = Coordinates::of(&self.source);
        let place = |cell: Cell| <(f64, f64)>::from(named.told(coordinates(grid, grid.center(cell))));
        let (x, y): (Vec<f64>, Vec<f64>) = py.detach(|| grid.cells().map(place).unzip());
        Ok((shaped(py, x, dims)?, shaped(py, y, dims)?))
    }

    /// Tables of the world: for each the columns, each with its unit.
    fn table<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        let missing = || PyKeyError::new_err(format!("the world has no table {name:?}"));
        let table: Table = match &self.source {
            Source::Memory(world) => {
                world.all_tables().into_iter().find(|t| t.name == name).ok_or_else(missing)?
            }
            Source::File(view) => {
                if !view.file.tables().iter().any(|t| t.name == name) {
                    return Err(missing());
                }
                view.file.table(name).map_err(|e| of_file(&e))?
            }
        };
        let columns = PyDict::new(py);
        for column in table.columns() {
            let count = table.rows();
            let values = match &column.values {
                ColumnValues::U32(values) => shaped(py, values.clone(), [count])?,
                ColumnValues::F64(values) => shaped(py, values.clone(), [count])?,
                ColumnValues::Text(values) => PyList::new(py, values)?.into_any(),
            };
            columns.set_item(&column.name, (values, &column.unit))?;
        }
        Ok(columns)
    }

    /// Names of the tables.
    fn table_names(&self) -> Vec<String> {
        match &self.source {
            Source::Memory(world) => world.all_tables().into_iter().map(|t| t.name).collect(),
            Source::File(view) => view.file.tables().iter().map(|t| t.name.clone()).collect(),
        }
    }

    /// The samples of a lattice (a resolution in metres; around a place, or longitudes and latitudes from nought) that lie
    /// within west, south, east, north: number of the first column and of the first row, columns, rows.
    fn window(&self, lattice: LatticeSpec, bounds: (f64, f64, f64, f64)) -> PyResult<WindowSpec> {
        self.request(lattice, None, Vec::new())?;
        let named = Coordinates::of(&self.source);
        let ([west, south], [east, north]) =
            (named.own([bounds.0, bounds.1]), named.own([bounds.2, bounds.3]));
        let window = boxed(&self.lattice(lattice), [west, south, east, north]);
        Ok((window.west, window.north, window.width, window.height))
    }

    /// The samples within so much to each side of a place in a lattice's own coordinates, or as it is called on a flat map.
    fn centred(&self, lattice: LatticeSpec, place: [f64; 2], half: [f64; 2]) -> PyResult<WindowSpec> {
        self.request(lattice, None, Vec::new())?;
        let place = Coordinates::of(&self.source).own(place);
        let window = self.lattice(lattice).centred(place, half);
        Ok((window.west, window.north, window.width, window.height))
    }

    /// Where a place (longitude and latitude, or metres) lies in a lattice's own coordinates.
    fn project(&self, lattice: LatticeSpec, place: (f64, f64)) -> (f64, f64) {
        self.lattice(lattice).project(place.0, place.1)
    }

    /// A window refined: x and y of its columns and rows, the reference system, and its layers, rows x columns from the
    /// north-west.
    #[pyo3(signature = (lattice, window, layers, method, texture, max_memory, progress=None))]
    #[allow(clippy::too_many_arguments, reason = "the package gives them names")]
    fn region<'py>(
        slf: Py<Self>,
        py: Python<'py>,
        lattice: LatticeSpec,
        window: WindowSpec,
        layers: Vec<String>,
        method: &str,
        texture: bool,
        max_memory: u64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let method = self::method(method)?;
        let world = slf.get();
        let named = Coordinates::of(&world.source);
        let request = world.request(lattice, Some((window, method)), layers)?.with_texture(texture);
        request.check_memory(world.source.grid(), 0, max_memory).map_err(|e| misuse(&e))?;
        let refined = work::run(py, progress, move |teller| {
            region::refine(&slf.get().source, &request, &|share| teller.tell("refining", share))
        });
        let region = refined?.map_err(|e| of_file(&e))?;
        let Window { width, height, .. } = region.window;
        let all = axes(py, &named, (&region.lattice, &region.window))?;
        let samples = PyDict::new(py);
        for (layer, values) in region.into_layers() {
            samples.set_item(layer.name(), (shaped(py, values, [height, width])?, cf::unit(layer.unit())))?;
        }
        all.set_item("layers", samples)?;
        Ok(all)
    }

    /// The whole world at a resolution in metres, as a window.
    fn whole(&self, resolution: f64) -> PyResult<WindowSpec> {
        self.request((resolution, None), None, Vec::new())?;
        let (_, window) = export::frame::whole(self.source.grid(), resolution);
        Ok((window.west, window.north, window.width, window.height))
    }

    /// Where the columns and rows of a window lie, without values.
    fn axes<'py>(
        &self,
        py: Python<'py>,
        lattice: LatticeSpec,
        window: WindowSpec,
    ) -> PyResult<Bound<'py, PyDict>> {
        let request = self.planned(lattice, (window, Method::Drainage), vec!["elevation".into()])?;
        axes(py, &Coordinates::of(&self.source), (&request.lattice, &request.window))
    }

    /// Units of layers of regions.
    #[staticmethod]
    fn units(layers: Vec<String>) -> PyResult<Vec<String>> {
        Ok(named(&layers)?.iter().map(|layer| cf::unit(layer.unit()).into()).collect())
    }

    /// A window as a store whose shards are made one by one; one shard may take so much memory.
    #[allow(clippy::too_many_arguments, reason = "the package gives them names")]
    fn shards(
        &self,
        lattice: LatticeSpec,
        window: WindowSpec,
        layers: Vec<String>,
        method: &str,
        texture: bool,
        side: usize,
        digest: &str,
        max_memory: u64,
    ) -> PyResult<Shards> {
        let method = self::method(method)?;
        let request = self.planned(lattice, (window, method), layers)?.with_texture(texture);
        let packing = 4 * request.layers.len() as u64;
        let plan = Plan::new(&self.source, request, side, digest).map_err(|e| misuse(&e))?;
        plan.request_of(0).check_memory(self.source.grid(), packing, max_memory).map_err(|e| misuse(&e))?;
        Ok(Shards { plan })
    }

    /// Makes a shard: keys and bytes, one for each layer.
    fn shard(slf: Py<Self>, py: Python<'_>, shards: Py<Shards>, shard: usize) -> PyResult<Objects<'_>> {
        shards.get().check(0, shard)?;
        let objects = work::run(py, None, move |teller| {
            shards.get().plan.refine(&slf.get().source, shard, &|share| teller.tell("refining", share))
        });
        crate::shards::made(py, objects?)
    }

    /// Rivers as lines: columns of a table of reaches.
    fn rivers(slf: Py<Self>, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let asked = slf.clone_ref(py);
        let lines = work::run(py, None, move |_| {
            let world = asked.get();
            world.with_network(|network| Lines::of(&world.source, network))
        })??;
        let lines = lines.map_err(|e| of_file(&e))?;
        slf.get().with_network(|network| rivers::table(py, network, lines))?
    }

    /// The world beside Earth: section, name, value or reason why there is none, Earth's value, the band, whether it passes.
    fn score(slf: Py<Self>, py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
        let scored = work::run(py, None, move |_| match &slf.get().source {
            Source::Memory(world) => Ok(score::score(world)),
            Source::File(view) => {
                archive::load(view.path()).map(|world| score::score(&world)).map_err(|e| of_file(&e))
            }
        })??;
        let row = |measured: score::Measured| {
            let row = PyDict::new(py);
            row.set_item("section", measured.figure.section)?;
            row.set_item("figure", &measured.figure.name)?;
            row.set_item("value", measured.reading.value())?;
            row.set_item("reason", measured.reading.reason())?;
            row.set_item("earth", measured.figure.earth)?;
            row.set_item("low", measured.figure.low)?;
            row.set_item("high", measured.figure.high)?;
            row.set_item("passes", measured.passes())?;
            Ok(row)
        };
        scored.map_err(|e| misuse(&e))?.figures.into_iter().map(row).collect()
    }
}

impl World {
    /// A request of some layers; of a window of one sample where none is named.
    fn request(
        &self,
        lattice: LatticeSpec,
        window: Option<(WindowSpec, Method)>,
        layers: Vec<String>,
    ) -> PyResult<Request> {
        let ((west, north, width, height), method) = window.unwrap_or(((0, 0, 1, 1), Method::Drainage));
        let window = Window { west, north, width, height };
        let layers = named(&layers)?;
        let request = Request::new(self.lattice(lattice), window, layers, method).map_err(|e| misuse(&e))?;
        Ok(request.with_cache(&self.cache))
    }

    /// A request that is too large to be made at once.
    fn planned(
        &self,
        lattice: LatticeSpec,
        ((west, north, width, height), method): (WindowSpec, Method),
        layers: Vec<String>,
    ) -> PyResult<Request> {
        let window = Window { west, north, width, height };
        let request = Request::of_any_size(self.lattice(lattice), window, named(&layers)?, method);
        Ok(request.map_err(|e| misuse(&e))?.with_cache(&self.cache))
    }
}

/// The layers of some names, of which none may stand there twice.
fn named(names: &[String]) -> PyResult<Vec<Sampled>> {
    let mut layers = Vec::with_capacity(names.len());
    for name in names {
        let Some(layer) = Sampled::named(name) else {
            let all: Vec<&str> = Sampled::ALL.iter().map(|layer| layer.name()).collect();
            let all = all.join(", ");
            return Err(PyValueError::new_err(format!("there is no layer {name:?}; there are {all}")));
        };
        if layers.contains(&layer) {
            return Err(PyValueError::new_err(format!("layer {name:?} is asked for twice")));
        }
        layers.push(layer);
    }
    Ok(layers)
}

/// What a place is called in Python: a resolution in metres, and the middle of a metric lattice.
type LatticeSpec = (f64, Option<(f64, f64)>);

/// First column and row, columns, rows.
type WindowSpec = (i64, i64, usize, usize);

/// The method of a name.
fn method(name: &str) -> PyResult<Method> {
    match name {
        "drainage" => Ok(Method::Drainage),
        "classic" => Ok(Method::Classic),
        _ => Err(PyValueError::new_err(format!("method {name:?}: drainage or classic"))),
    }
}

/// What other programs know a reference system by: its code, or its definition.
fn text_of(crs: &Reference) -> Option<String> {
    crs.wkt.clone().or(crs.epsg.map(|code| format!("EPSG:{code}")))
}

/// Places of columns and rows as they are called, the steps between them, the reference system.
fn axes<'py>(
    py: Python<'py>,
    named: &Coordinates,
    (lattice, window): (&Lattice, &Window),
) -> PyResult<Bound<'py, PyDict>> {
    let Window { west, north, width, height } = *window;
    let (step, offset) = (lattice.step(), lattice.offset());
    let own = |k: i64| (k as f64 + offset) * step;
    let x = (0..width as i64).map(|k| named.told([own(west + k), 0.0])[0]).collect();
    let y = (0..height as i64).map(|k| named.told([0.0, own(north - k)])[1]).collect();
    let all = PyDict::new(py);
    all.set_item("x", shaped::<f64>(py, x, [width])?)?;
    all.set_item("y", shaped::<f64>(py, y, [height])?)?;
    let at = named.placed(georeference(lattice, window));
    all.set_item("steps", (at.step_x, at.step_y))?;
    all.set_item("unit", cf::length_unit(&at.crs))?;
    let crs = at.crs;
    let mapping = PyDict::new(py);
    for (name, value) in cf::grid_mapping(&crs) {
        match value.as_f64() {
            Some(number) => mapping.set_item(name, number)?,
            None => mapping.set_item(name, value.as_str())?,
        }
    }
    all.set_item("grid_mapping", mapping)?;
    let crs = Reference::of(&crs);
    all.set_item("crs", text_of(&crs))?;
    all.set_item("crs_wkt", crs.wkt)?;
    Ok(all)
}
