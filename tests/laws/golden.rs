//! Goldens: digests that only a deliberate change may move, and files of versions past that must stay readable.
//!
//! A failure here says that the same recipe no longer gives the same bits. If that is meant, the new digest goes
//! into `data/golden.toml` in a commit of its own, with pictures from before and after.

use region::{Lattice, Method, Request, Sampled, Window, refine};
use store::WorldFile;
use world::{Recipe, World, simulate};

const GOLDEN: &str = include_str!("../../data/golden.toml");

/// The golden digest of this name.
fn golden(section: &str, name: &str) -> String {
    let table: toml::Table = GOLDEN.parse().expect("data/golden.toml is TOML");
    table[section][name].as_str().expect("digests are texts").to_string()
}

fn world(recipe: &str, cells: u32) -> World {
    let mut recipe = Recipe::preset(recipe).expect("a built-in recipe");
    recipe.grid.cells = cells;
    simulate(&recipe, &|_, _| {}).expect("the recipe is sound")
}

#[test]
fn worlds_have_the_bits_they_had() {
    for (name, recipe, cells) in [("globe", "earthlike", 32), ("flat", "island", 64)] {
        let found = store::digest(&world(recipe, cells).layers());
        assert_eq!(found, golden("worlds", name), "{recipe} with {cells} cells");
    }
}

#[test]
fn regions_have_the_bits_they_had() {
    let globe = world("earthlike", 32);
    let lattice = Lattice::lon_lat(6_371_000.0, 10_000.0);
    let layers = vec![Sampled::Elevation, Sampled::WaterSurface, Sampled::Discharge, Sampled::Order];
    let window = Window { west: -300, north: 100, width: 120, height: 90 };
    let request = Request::new(lattice, window, layers, Method::Classic).expect("not too large");
    let region = refine(&globe, &request, &|_| {}).expect("the world is in memory");
    let as_fields = region.layers().map(|(layer, values)| {
        let shape = grid::Shape { faces: 1, rows: 90, cols: 120 };
        let field = grid::Field::from_vec(shape, values.to_vec()).expect("one value a sample");
        grid::Layer::new(layer.name(), layer.unit(), field)
    });
    assert_eq!(store::digest(&as_fields.collect::<Vec<_>>()), golden("regions", "globe"));
}

#[test]
fn files_of_every_version_stay_readable() {
    for version in ["v1"] {
        let path = format!("{}/data/worlds/{version}.terrane", env!("CARGO_MANIFEST_DIR"));
        let file = WorldFile::open(&path).expect("a file of a version past opens");
        file.verify().expect("all of it is intact");
        let names: Vec<String> = file.layers().iter().map(|l| l.name.clone()).collect();
        let layers: Vec<_> = names.iter().map(|n| file.layer(n).expect("each layer reads")).collect();
        assert_eq!(store::digest(&layers), golden("files", version));
        assert_eq!(file.digest(), golden("files", version));
        for table in file.tables() {
            assert_eq!(file.table(&table.name).expect("each table reads").rows() as u64, table.rows);
        }
    }
}
