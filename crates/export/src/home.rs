//! Where a flat map lies that was imported: in the reference system of its raster, at the place that the raster had.
//!
//! A world counts metres from its own south-west corner. What is written of it is moved by the corner that its recipe keeps, and
//! by the little that the cells of the grid are wider than the raster where its sides are no whole numbers of them.

use formats::geotiff::ForeignCrs;
use formats::{Axis, Crs, Georeference};
use grid::Topology;
use world::CellSource;

/// The place of a flat map in a reference system.
#[derive(Clone, Debug, PartialEq)]
pub struct Home {
    crs: Crs,
    /// Its south-west corner, in the units of the reference system.
    corner: [f64; 2],
    /// Units that a metre of the world is long, from west to east and from south to north.
    per_metre: [f64; 2],
}

impl Home {
    /// Where the map of a world lies; `None` for globes, and for maps that lie nowhere but at their own corner.
    pub fn of(source: &impl CellSource) -> Option<Self> {
        let Topology::Flat(flat) = source.grid() else { return None };
        let recipe = source.recipe();
        let import = recipe.import.as_ref()?;
        let crs = ForeignCrs::of_text(&import.reference).map_or(Crs::Metres, Crs::Foreign);
        let Axis::Linear { metres_per_unit } = crs.axis() else { return None };
        if crs == Crs::Metres && (import.west_m, import.south_m) == (0.0, 0.0) {
            return None;
        }
        let (width_m, height_m) = flat.extent_m();
        let per_metre = |raster_km: f64, grid_m: f64| {
            let stretch = raster_km * 1000.0 / grid_m;
            // but for rounding, most are as wide as their grids
            let exact = if (stretch - 1.0).abs() < 1e-9 { 1.0 } else { stretch };
            exact / metres_per_unit
        };
        Some(Self {
            crs,
            corner: [import.west_m, import.south_m].map(|metres| metres / metres_per_unit),
            per_metre: [per_metre(recipe.grid.width_km, width_m), per_metre(recipe.grid.height_km, height_m)],
        })
    }

    /// What everybody calls the reference system, `EPSG:32633`, if it is registered.
    pub fn name(&self) -> Option<&str> {
        match &self.crs {
            Crs::Foreign(crs) if crs.epsg().is_some() => Some(crs.name()),
            _ => None,
        }
    }

    /// What its coordinates mean.
    pub fn crs(&self) -> &Crs {
        &self.crs
    }

    /// A place of the world's own metres.
    pub fn position(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [self.corner[0] + x * self.per_metre[0], self.corner[1] + y * self.per_metre[1]]
    }

    /// Its south-west corner in metres of the reference system, whatever the units of that, and how many of these a metre of
    /// the world is long.
    pub fn in_metres(&self) -> ([f64; 2], [f64; 2]) {
        let metres_per_unit = match self.crs.axis() {
            Axis::Linear { metres_per_unit } => metres_per_unit,
            Axis::Angular { .. } => 1.0,
        };
        (self.corner.map(|v| v * metres_per_unit), self.per_metre.map(|v| v * metres_per_unit))
    }

    /// A place of the reference system in the world's own metres.
    pub fn own(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [(x - self.corner[0]) / self.per_metre[0], (y - self.corner[1]) / self.per_metre[1]]
    }

    /// A raster in the world's own metres.
    pub fn georeference(&self, at: &Georeference) -> Georeference {
        let [west, north] = self.position([at.west, at.north]);
        Georeference {
            crs: self.crs.clone(),
            west,
            north,
            step_x: at.step_x * self.per_metre[0],
            step_y: at.step_y * self.per_metre[1],
        }
    }
}

/// Where a raster of a world lies for those who open it: at home, if the world has one.
pub fn placed(source: &impl CellSource, at: Georeference) -> Georeference {
    Coordinates::of(source).placed(at)
}

/// How people name places of a world: by longitude and latitude on a globe, by the coordinates of its raster on a map that was imported, and on
/// others by metres from the south-west corner.
#[derive(Clone, Debug)]
pub struct Coordinates(Option<Home>);

impl Coordinates {
    /// Those of a world.
    pub fn of(source: &impl CellSource) -> Self {
        Self(Home::of(source))
    }

    /// The home of the world, if it has one.
    pub fn home(&self) -> Option<&Home> {
        self.0.as_ref()
    }

    /// A raster in the world's own coordinates for those who open it: at home, if the world has one.
    pub fn placed(&self, at: Georeference) -> Georeference {
        match &self.0 {
            Some(home) => home.georeference(&at),
            None => at,
        }
    }

    /// What a place of the world is called.
    pub fn told(&self, own: [f64; 2]) -> [f64; 2] {
        self.0.as_ref().map_or(own, |home| home.position(own))
    }

    /// The place of the world that is called so.
    pub fn own(&self, told: [f64; 2]) -> [f64; 2] {
        self.0.as_ref().map_or(told, |home| home.own(told))
    }
}
