//! A region as lines, points and areas: rivers, ridges, buttresses, peaks, lakes, basins.
//!
//! Lines and points are the features that the samples are drawn from, cut at the region's border; areas are the outlines
//! of the sampled layers, along the borders of samples. Places are longitudes and latitudes in degrees, or metres on a
//! flat map. A line is in every region that it crosses, at the same places.
//!
//! What the samples are too far apart to show is left out by the rules of the samples: rivers much narrower than the
//! spacing, late generations of buttresses.

mod areas;
mod clip;
mod rivers;

use crate::drained;
use crate::features::{CellFeatures, Crest, Peak, River, features_of};
use crate::lattice::{Lattice, Window};
use crate::mask::Area;
use crate::primitives::LEAST_WIDTH;
use crate::refine::{self, RefineError, Region};
use crate::request::{Request, Sampled};
use grid::{Cell, Grid, Topology, Vec3, math};
use world::{CellSource, GatherError, channel_width_m};

pub use areas::Piece;
pub(crate) use clip::Border;

/// A place: longitude and latitude in degrees, or metres east and north on a flat map.
pub type Place = [f64; 2];

/// What can be had as lines, points or areas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VectorLayer {
    /// Rivers as lines.
    Rivers,
    /// Ridges as lines.
    Ridges,
    /// Peaks as points.
    Peaks,
    /// Buttresses as lines.
    Buttresses,
    /// Lakes as areas.
    Lakes,
    /// River basins as areas.
    Basins,
}

impl VectorLayer {
    /// All layers, in the order of their names here.
    pub const ALL: [Self; 6] =
        [Self::Rivers, Self::Ridges, Self::Peaks, Self::Buttresses, Self::Lakes, Self::Basins];

    /// Name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rivers => "rivers",
            Self::Ridges => "ridges",
            Self::Peaks => "peaks",
            Self::Buttresses => "buttresses",
            Self::Lakes => "lakes",
            Self::Basins => "basins",
        }
    }

    /// The layer of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layer| layer.name() == name)
    }

    /// The sampled layers that it is made from.
    pub fn samples(self) -> &'static [Sampled] {
        match self {
            Self::Rivers | Self::Ridges | Self::Buttresses => &[],
            Self::Peaks => &[Sampled::Elevation],
            Self::Lakes => &[Sampled::WaterSurface, Sampled::WaterDepth, Sampled::Discharge],
            Self::Basins => &[Sampled::Basin],
        }
    }
}

/// A piece of river, as far as it lies in the region and neither a lake nor the sea covers it. By the method `drainage` it
/// runs from a head or a junction to the next junction, or is an arm of a delta from the apex or a division to the next or to the
/// sea; else from a cell's junction to its border or from its border to
/// the junction.
#[derive(Clone, Debug, PartialEq)]
pub struct RiverLine {
    /// Its places, downstream.
    pub places: Vec<Place>,
    /// Surface of the water at each place, in metres.
    pub surface_m: Vec<f64>,
    /// Bed at each place, in metres.
    pub bed_m: Vec<f64>,
    /// Discharge in m3/s where it begins.
    pub discharge_from_m3_s: f64,
    /// Discharge in m3/s where it ends.
    pub discharge_m3_s: f64,
    /// Drained area in km2 where it ends, where that is known; of an arm its share of the river's.
    pub drainage_km2: Option<f64>,
    /// Width of the channel in metres where it ends.
    pub width_m: f64,
    /// Strahler order of the world's river; of a brook below the world's threshold of rivers 1 by the method `drainage`,
    /// else 0.
    pub order: u8,
    /// Number of the world's basin that it belongs to.
    pub basin: Option<u32>,
    /// Position among the region's lines of the one that its water comes to next: past a junction or a lake, or where the river
    /// comes back into the region; where it divides, of the arm with most of it. None where its water ends, or leaves for good.
    pub downstream: Option<u32>,
}

/// A ridge or a buttress, as far as it lies in the region.
#[derive(Clone, Debug, PartialEq)]
pub struct CrestLine {
    /// Its places.
    pub places: Vec<Place>,
    /// Height above the land under it at each place, in metres.
    pub height_m: Vec<f64>,
    /// 0 for a ridge, 1 for a buttress, 2 for a buttress of a buttress, and so on.
    pub generation: u8,
}

/// A peak as it is set on a ridge before water shapes the land: a feature, not a summit of the ground that is drawn;
/// those are found by [`crate::summits`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summit {
    /// Where it is.
    pub place: Place,
    /// Height above the land under it, in metres.
    pub height_m: f64,
    /// Elevation of the nearest sample in metres, if it is in the region.
    pub elevation_m: Option<f64>,
}

/// A lake, as far as it lies in the region.
#[derive(Clone, Debug, PartialEq)]
pub struct LakeArea {
    /// Its pieces.
    pub pieces: Vec<Piece>,
    /// Level of the water in metres.
    pub level_m: f64,
    /// Greatest depth of its samples in metres.
    pub depth_m: f64,
    /// Number of the world's lake, where that knows one of this level here.
    pub lake: Option<u32>,
}

/// A river basin, as far as it lies in the region.
#[derive(Clone, Debug, PartialEq)]
pub struct BasinArea {
    /// Its pieces.
    pub pieces: Vec<Piece>,
    /// Number of the world's basin.
    pub basin: u32,
}

/// A region as lines, points and areas; what was not asked for is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vectors {
    /// Rivers, in the order of the addresses that they begin at; then arms of deltas.
    pub rivers: Vec<RiverLine>,
    /// Ridges, in the order of the world's cells.
    pub ridges: Vec<CrestLine>,
    /// Buttresses, in the order of the world's cells.
    pub buttresses: Vec<CrestLine>,
    /// Peaks, in the order of the world's cells.
    pub peaks: Vec<Summit>,
    /// Lakes, from low to high.
    pub lakes: Vec<LakeArea>,
    /// Basins, by number.
    pub basins: Vec<BasinArea>,
}

/// Cells whose features are in memory together.
const BATCH: usize = 4_000;

/// Makes layers of a region out of the world and out of its samples, which must hold [`VectorLayer::samples`] of each:
/// a layer whose samples are missing stays empty. `area`, in the lattice's own coordinates, is the request's.
///
/// # Errors
/// A world that cannot be read.
pub fn vectors(
    source: &impl CellSource,
    (request, area): (&Request, Option<&Area>),
    region: &Region,
    wanted: &[VectorLayer],
) -> Result<Vectors, RefineError> {
    let mut found = Vectors::default();
    let from_features =
        [VectorLayer::Rivers, VectorLayer::Ridges, VectorLayer::Peaks, VectorLayer::Buttresses];
    if wanted.iter().any(|layer| from_features.contains(layer)) {
        let border = Border::new(request, area);
        let reaches =
            wanted.contains(&VectorLayer::Rivers) && drained::draws_channels(source.grid(), request);
        let drawing = Drawing { source, request, region, wanted, reaches, border };
        drawing.draw(&mut found)?;
        if reaches {
            found.rivers = drawing.reaches()?;
        }
    }
    if wanted.contains(&VectorLayer::Lakes) {
        found.lakes = areas::lakes(source, request, region)?;
    }
    if wanted.contains(&VectorLayer::Basins) {
        found.basins = areas::basins(region);
    }
    Ok(found)
}

/// The rivers of the drainage in a window, without samples: also through lakes whose water stands higher than this, in metres.
///
/// # Errors
/// A world that cannot be read.
pub(crate) fn river_lines(
    source: &impl CellSource,
    (request, above_m): (&Request, f64),
) -> Result<Vec<RiverLine>, GatherError> {
    let grid = source.grid();
    let at = |p: Vec3| place(grid, p / grid.metres_per_unit());
    let mut found = refine::rivers(source, request)?;
    found.show_above(above_m);
    Ok(rivers::lines(&found, &Border::new(request, None), at))
}

/// Features on their way to lines and points.
struct Drawing<'a, S> {
    source: &'a S,
    request: &'a Request,
    region: &'a Region,
    wanted: &'a [VectorLayer],
    /// Whether rivers are those of the drainage.
    reaches: bool,
    border: Border,
}

impl<S: CellSource> Drawing<'_, S> {
    fn draw(&self, found: &mut Vectors) -> Result<(), RefineError> {
        let grid = self.source.grid();
        if self.reaches && self.wanted.iter().all(|layer| *layer == VectorLayer::Rivers) {
            return Ok(());
        }
        let cells = refine::cells_near(grid, self.request);
        let high = [VectorLayer::Ridges, VectorLayer::Peaks, VectorLayer::Buttresses];
        let generations = if high.iter().any(|layer| self.wants(*layer)) {
            refine::generations(grid, self.request.lattice.spacing_m())
        } else {
            0
        };
        let mut left = Vec::new();
        for batch in cells.chunks(BATCH) {
            let features = features_of(self.source, batch, generations)?;
            self.add_high(&features, found);
            if self.wants(VectorLayer::Rivers) && !self.reaches {
                self.add_rivers(&features, found, &mut left);
            }
        }
        if !left.is_empty() {
            let basins = self.source.basins(&left)?;
            found.rivers.iter_mut().zip(basins).for_each(|(river, basin)| river.basin = basin);
        }
        Ok(())
    }

    /// The rivers of the drainage: those that were found along with the samples, if they were kept.
    fn reaches(&self) -> Result<Vec<RiverLine>, RefineError> {
        let place = |p| self.place(p);
        Ok(match &self.region.rivers {
            Some(found) => rivers::lines(found, &self.border, place),
            None => rivers::lines(&refine::rivers(self.source, self.request)?, &self.border, place),
        })
    }

    fn wants(&self, layer: VectorLayer) -> bool {
        self.wanted.contains(&layer)
    }

    fn add_high(&self, features: &[CellFeatures], found: &mut Vectors) {
        for of_cell in features {
            if self.wants(VectorLayer::Ridges) {
                found.ridges.extend(of_cell.ridges.iter().flat_map(|crest| self.crest(crest)));
            }
            if self.wants(VectorLayer::Buttresses) {
                found.buttresses.extend(of_cell.buttresses.iter().flat_map(|crest| self.crest(crest)));
            }
            if self.wants(VectorLayer::Peaks) {
                found.peaks.extend(of_cell.peaks.iter().filter_map(|peak| self.summit(peak)));
            }
        }
    }

    fn crest(&self, crest: &Crest) -> Vec<CrestLine> {
        let places = self.places(&crest.points_m);
        let line = |part: clip::Part| CrestLine {
            height_m: part.values(&crest.heights_m),
            places: part.places,
            generation: crest.generation,
        };
        self.border.cut(&places).into_iter().map(line).collect()
    }

    fn summit(&self, peak: &Peak) -> Option<Summit> {
        let place = self.place(peak.center_m);
        let on_plane = self.border.on_plane(place);
        let elevation_m = self.nearest_sample(on_plane, Sampled::Elevation);
        self.border.holds(on_plane).then_some(Summit { place, height_m: peak.height_m, elevation_m })
    }

    /// The value of the sample that is nearest to a place on the lattice's plane.
    fn nearest_sample(&self, [x, y]: Place, layer: Sampled) -> Option<f64> {
        let Window { west, north, width, height } = self.region.window;
        let lattice = &self.region.lattice;
        let (column, row) = lattice.nearest((x, y));
        let (column, row) = (usize::try_from(column - west).ok()?, usize::try_from(north - row).ok()?);
        let inside = column < width && row < height;
        let value = f64::from(*self.region.layer(layer)?.get(row * width + column)?);
        (inside && !value.is_nan()).then_some(value)
    }

    /// The rivers of cells, their basins not known yet; `left` takes the cell that each leaves.
    fn add_rivers(&self, features: &[CellFeatures], found: &mut Vectors, left: &mut Vec<Cell>) {
        let least_m = LEAST_WIDTH * self.request.lattice.spacing_m();
        let wide = |river: &&River| channel_width_m(river.discharge_m3_s) >= least_m;
        for river in features.iter().flat_map(|f| &f.rivers).filter(wide) {
            let line = |part: clip::Part| RiverLine {
                surface_m: part.values(&river.surface_m),
                bed_m: part.values(&river.bed_m),
                places: part.places,
                discharge_from_m3_s: river.discharge_m3_s,
                discharge_m3_s: river.discharge_m3_s,
                drainage_km2: None,
                width_m: channel_width_m(river.discharge_m3_s),
                order: river.order,
                basin: None,
                downstream: None,
            };
            found.rivers.extend(self.border.cut(&self.places(&river.points_m)).into_iter().map(line));
            left.resize(found.rivers.len(), river.from);
        }
    }

    fn places(&self, points_m: &[Vec3]) -> Vec<Place> {
        points_m.iter().map(|&p| self.place(p)).collect()
    }

    fn place(&self, p_m: Vec3) -> Place {
        place(self.source.grid(), p_m / self.source.grid().metres_per_unit())
    }
}

/// Longitude and latitude in degrees of a position of the grid; metres on a flat map.
pub(crate) fn place(grid: &Topology, p: Vec3) -> Place {
    match grid {
        Topology::Globe(_) => math::to_lon_lat(p).into(),
        Topology::Flat(_) => [p.x, p.y],
    }
}

/// Whether the coordinates of a lattice's plane are degrees that go around.
fn goes_around(lattice: &Lattice) -> Option<f64> {
    match *lattice {
        Lattice::LonLat { .. } => Some(360.0),
        Lattice::WebMercator { radius_m, .. } => Some(std::f64::consts::TAU * radius_m),
        _ => None,
    }
}
