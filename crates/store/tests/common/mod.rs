//! Worlds for tests, and comparing them bit by bit.

#![allow(dead_code, reason = "each test file uses a part of it")]

use grid::table::ColumnValues;
use grid::{Draw, Field, Layer, Nth, Purpose, Seed, Shape, Table, Values};
use std::path::Path;
use store::{Contents, Layout, Meta, ReadError, WorldFile, write_with};

/// What a file is made of.
#[derive(Clone, Debug)]
pub struct World {
    pub meta: Meta,
    pub shape: Shape,
    pub layers: Vec<Layer>,
    pub tables: Vec<Table>,
}

impl World {
    pub fn contents(&self) -> Contents<'_> {
        Contents { meta: &self.meta, shape: self.shape, layers: &self.layers, tables: &self.tables }
    }

    pub fn write(&self, path: &Path) -> u64 {
        store::write(path, &self.contents(), &|_| {}).unwrap()
    }

    pub fn write_in(&self, path: &Path, chunk_side: u32) -> u64 {
        write_with(path, &self.contents(), Layout { chunk_side, ..Layout::default() }, &|_| {}).unwrap()
    }

    /// A world of random bits, the same for the same number. All types of layers and columns are there.
    pub fn random(number: u32, shape: Shape) -> Self {
        const WORLD: Purpose = Purpose::new("test/world");
        let mut draw = Seed(1).key(WORLD).at(Nth(number));
        let mut bits = || draw.bits();
        let cells = shape.len();
        let field = |bits: &mut dyn FnMut() -> u64| (0..cells).map(|_| bits()).collect::<Vec<u64>>();
        let (a, b, c, d, e) =
            (field(&mut bits), field(&mut bits), field(&mut bits), field(&mut bits), field(&mut bits));
        let layers = vec![
            Layer::new("bytes", "1", of(shape, &a, |x| (x as u8) & 3)),
            Layer::new("shorts", "m", of(shape, &b, |x| x as u16)),
            Layer::new("words", "1", of(shape, &c, |x| x as u32)),
            Layer::new("floats", "m/s", of(shape, &d, |x| f32::from_bits(x as u32))),
            Layer::new("doubles", "m³/s", of(shape, &e, f64::from_bits)),
        ];
        let rows = (bits() % 40) as usize;
        let tables =
            vec![table("things", rows, &mut draw), table("nothing", 0, &mut draw), Table::new("bare")];
        let meta = Meta {
            engine: "0.1.0".into(),
            recipe: format!("seed = {number}\nname = \"Größe 山\"\n"),
            name: format!("Welt {number} 🌍"),
        };
        Self { meta, shape, layers, tables }
    }
}

fn of<T>(shape: Shape, bits: &[u64], value: impl Fn(u64) -> T) -> Field<T> {
    Field::from_vec(shape, bits.iter().map(|&b| value(b)).collect()).unwrap()
}

fn table(name: &str, rows: usize, draw: &mut Draw) -> Table {
    let ids = (0..rows).map(|_| draw.bits() as u32).collect();
    let lengths = (0..rows).map(|_| f64::from_bits(draw.bits())).collect();
    let names = (0..rows).map(|_| "né山🏔".chars().take(draw.below(5) as usize).collect()).collect();
    Table::new(name)
        .with("id", "1", ColumnValues::U32(ids))
        .and_then(|table| table.with("length", "m", ColumnValues::F64(lengths)))
        .and_then(|table| table.with("name", "1", ColumnValues::Text(names)))
        .unwrap()
}

/// Everything that a file gives, through every way of reading it.
pub fn read_everything(path: &Path) -> Result<World, ReadError> {
    let file = WorldFile::open(path)?;
    let layers: Result<Vec<Layer>, _> = file.layers().iter().map(|info| file.layer(&info.name)).collect();
    let layers = layers?;
    let some: Vec<grid::Cell> = (0..file.shape().len() as u32).step_by(7).map(grid::Cell).collect();
    for layer in &layers {
        let gathered = file.gather(&layer.name, &some)?.to_f64();
        let whole = numbers(&layer.values);
        assert!(some.iter().zip(gathered).all(|(c, v)| v.to_bits() == whole[c.index()].to_bits()));
    }
    let tables: Result<Vec<Table>, _> = file.tables().iter().map(|info| file.table(&info.name)).collect();
    let tables = tables?;
    file.verify()?;
    Ok(World { meta: file.meta().clone(), shape: file.shape(), layers, tables })
}

/// All values, as `f64`.
pub fn numbers(values: &Values) -> Vec<f64> {
    match values {
        Values::U8(f) => f.as_slice().iter().map(|&x| f64::from(x)).collect(),
        Values::U16(f) => f.as_slice().iter().map(|&x| f64::from(x)).collect(),
        Values::U32(f) => f.as_slice().iter().map(|&x| f64::from(x)).collect(),
        Values::F32(f) => f.as_slice().iter().map(|&x| f64::from(x)).collect(),
        Values::F64(f) => f.as_slice().to_vec(),
    }
}

/// The bits of all values: unlike `==`, these tell zeros and NaNs apart.
fn layer_bits(values: &Values) -> Vec<u64> {
    match values {
        Values::U8(f) => f.as_slice().iter().map(|&x| u64::from(x)).collect(),
        Values::U16(f) => f.as_slice().iter().map(|&x| u64::from(x)).collect(),
        Values::U32(f) => f.as_slice().iter().map(|&x| u64::from(x)).collect(),
        Values::F32(f) => f.as_slice().iter().map(|&x| u64::from(x.to_bits())).collect(),
        Values::F64(f) => f.as_slice().iter().map(|&x| x.to_bits()).collect(),
    }
}

fn column_bits(values: &ColumnValues) -> (Vec<u64>, Vec<String>) {
    match values {
        ColumnValues::U32(v) => (v.iter().map(|&x| u64::from(x)).collect(), vec!["u32".into()]),
        ColumnValues::F64(v) => (v.iter().map(|x| x.to_bits()).collect(), vec!["f64".into()]),
        ColumnValues::Text(v) => (vec![], v.clone()),
    }
}

/// Panics unless both worlds are the same, bit by bit.
pub fn assert_same(a: &World, b: &World) {
    assert_eq!((&a.meta, a.shape), (&b.meta, b.shape));
    assert_eq!(a.layers.len(), b.layers.len());
    for (a, b) in a.layers.iter().zip(&b.layers) {
        assert_eq!((&a.name, &a.unit, a.values.dtype()), (&b.name, &b.unit, b.values.dtype()));
        assert!(layer_bits(&a.values) == layer_bits(&b.values), "layer {} differs", a.name);
    }
    assert_eq!(a.tables.len(), b.tables.len());
    for (a, b) in a.tables.iter().zip(&b.tables) {
        assert_eq!((&a.name, a.rows(), a.columns().len()), (&b.name, b.rows(), b.columns().len()));
        for (a, b) in a.columns().iter().zip(b.columns()) {
            assert_eq!((&a.name, &a.unit), (&b.name, &b.unit));
            assert_eq!(column_bits(&a.values), column_bits(&b.values));
        }
    }
}
