//! A world in memory as a planet.

use region::summits::{Top, Wanted};
use region::{Lattice, Region, Request, VectorLayer, Vectors, Window};
use serde_json::{Value, json};
use serve::http::{
    About, DRAINAGE, Failure, Feature, NoPlace, Planet, Property, Quantity, Shape, Surface, Theme, Votes,
};
use std::sync::{Arc, OnceLock};
use world::{Recipe, World, simulate};

/// A planet with cells of 600 km.
fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let mut recipe = Recipe::preset("earthlike").expect("a built-in recipe");
        recipe.grid.cells = 16;
        simulate(&recipe, &|_, _| {}).expect("the recipe is sound")
    })
}

struct Toy {
    about: About,
    drainage: region::Cache,
}

/// The toy world.
pub fn planet() -> Arc<dyn Planet> {
    let recipe = &world().recipe;
    Arc::new(Toy {
        about: About {
            name: recipe.name.clone(),
            digest: "0123456789abcdef".repeat(4),
            engine: "toy 1".into(),
            surface: Surface::Globe { radius_m: recipe.grid.radius_km * 1000.0 },
            eastings: serve::Eastings::default(),
            reference: None,
            cell_m: grid::Grid::cell_m(&world().grid),
            notes: json!({}),
        },
        drainage: region::Cache::new(DRAINAGE),
    })
}

impl Planet for Toy {
    fn about(&self) -> &About {
        &self.about
    }

    fn drainage(&self) -> &region::Cache {
        &self.drainage
    }

    fn refine(&self, request: &Request) -> Result<Region, Failure> {
        region::refine(world(), request, &|_| {}).map_err(|e| Failure(e.to_string()))
    }

    fn vectors(
        &self,
        request: &Request,
        region: &Region,
        wanted: &[VectorLayer],
    ) -> Result<Vectors, Failure> {
        region::vectors(world(), (request, None), region, wanted).map_err(|e| Failure(e.to_string()))
    }

    fn summits(&self, at: (&Lattice, &Window), wanted: &Wanted) -> Result<Vec<Top>, Failure> {
        region::summits::within(world(), &self.drainage, at, wanted).map_err(|e| Failure(e.to_string()))
    }

    fn quantity(&self, _: Quantity, (_, window): (&Lattice, &Window)) -> Result<Vec<f32>, Failure> {
        Ok(vec![12.0; window.width * window.height])
    }

    fn votes(&self, _: Votes, (_, window): (&Lattice, &Window)) -> Result<Vec<u16>, Failure> {
        Ok(vec![3; window.width * window.height])
    }

    fn ice(&self, _: (&Lattice, &Window), sea: &[bool]) -> Result<Vec<f32>, Failure> {
        Ok(vec![0.0; sea.len()])
    }

    fn features(&self, theme: Theme) -> Result<Arc<Vec<Feature>>, Failure> {
        let shape = match theme {
            Theme::Rivers | Theme::Faults => Shape::Line(vec![[170.0, 10.0], [-170.0, 20.0]]),
            Theme::Ranges => Shape::Area(vec![vec![[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 0.0]]]),
            Theme::Outlets | Theme::Volcanoes => Shape::Point([10.0, 20.0]),
        };
        let properties = vec![("name", Property::Text("Toy".into()))];
        Ok(Arc::new(vec![Feature { shape, from_zoom: 0, properties }]))
    }

    fn cells_at(&self, places: &[[f64; 2]]) -> Vec<Vec<[f64; 2]>> {
        vec![places.iter().copied().take(4).collect()]
    }

    fn place(&self, place @ [x, y]: [f64; 2]) -> Result<Value, NoPlace> {
        if x.abs() > 540.0 || y.abs() > 90.0 {
            return Err(NoPlace::Outside(place));
        }
        assert!(place != [13.0, 13.0], "a fault of the program, made for a test");
        Ok(json!({ "place": place }))
    }

    fn sights(&self) -> Result<Value, Failure> {
        Err(Failure("the file is gone".into()))
    }

    fn geotiff(&self, region: Region) -> Result<Vec<u8>, Failure> {
        Ok(vec![7; region.window.width])
    }
}
