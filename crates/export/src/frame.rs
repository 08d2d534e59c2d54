//! Where a window of a lattice lies, and what its layers are, in the words of rasters.

use formats::stream::{Frame, Kind, Title};
use formats::{Crs, Georeference};
use grid::Topology;
use region::{Lattice, Sampled, Window};

/// Where a window of a lattice lies: samples are the middles of pixels.
pub fn georeference(lattice: &Lattice, window: &Window) -> Georeference {
    let (crs, step) = match *lattice {
        Lattice::LonLat { radius_m, .. } => (Crs::Geographic { radius_m }, lattice.step()),
        Lattice::TransverseMercator { radius_m, lon0_deg, lat0_deg, .. } => {
            (Crs::TransverseMercator { lon0_deg, lat0_deg, radius_m }, lattice.step())
        }
        Lattice::WebMercator { radius_m, .. } => {
            let stretch = Crs::web_mercator_radius_m(radius_m) / radius_m;
            (Crs::WebMercator { radius_m }, lattice.step() * stretch)
        }
        // maps of whole globes are pictures; as numbers they are metres of the plane, as faces of a cube are
        Lattice::Projected { .. } | Lattice::Plane { .. } | Lattice::Native { .. } => {
            (Crs::Metres, lattice.step())
        }
    };
    Georeference {
        crs,
        west: (window.west as f64 + lattice.offset() - 0.5) * step,
        north: (window.north as f64 + lattice.offset() + 0.5) * step,
        step_x: step,
        step_y: step,
    }
}

/// All of a world in longitudes and latitudes, or in metres of a flat map; of a globe the meridian of 180 degrees once.
pub fn whole(grid: &Topology, spacing_m: f64) -> (Lattice, Window) {
    match grid {
        Topology::Globe(globe) => {
            let lattice = Lattice::lon_lat(globe.radius_m(), spacing_m);
            let window = lattice.window(-180.0, -90.0, 180.0 - lattice.step() / 2.0, 90.0);
            (lattice, window)
        }
        Topology::Flat(flat) => {
            let lattice = Lattice::Plane { step_m: spacing_m };
            let (width, height) = flat.extent_m();
            let window = lattice.window(0.0, 0.0, width, height);
            (lattice, window)
        }
    }
}

/// Makes sure that a raster shows every place of a world once at most, and none beyond it.
///
/// # Errors
/// What is wrong with it.
pub fn check_once(grid: &Topology, frame: &Frame) -> Result<(), String> {
    let at = &frame.georeference;
    let (width, height) = (frame.width as f64 * at.step_x, frame.height as f64 * at.step_y);
    // a hair for rounding
    let [hair_x, hair_y] = [at.step_x, at.step_y].map(|step| 0.001 * step);
    match (grid, &at.crs) {
        (Topology::Globe(_), Crs::Geographic { .. }) if width > 360.0 + hair_x => {
            Err(format!("{width} degrees are more than once round the globe"))
        }
        (Topology::Flat(flat), _) => {
            let (east, north) = flat.extent_m();
            // samples are the middles of pixels, so half a pixel may stand over
            let (half_x, half_y) = (at.step_x / 2.0 + hair_x, at.step_y / 2.0 + hair_y);
            let inside = at.west >= -half_x
                && at.west + width <= east + half_x
                && at.north <= north + half_y
                && at.north - height >= -half_y;
            if inside { Ok(()) } else { Err(format!("the map ends at 0,0,{east},{north} metres")) }
        }
        _ => Ok(()),
    }
}

/// What the numbers of a layer are.
pub fn kind(layer: &str) -> Kind {
    let classes = [Sampled::Order, Sampled::FlowDirection, Sampled::Basin, Sampled::LandCover];
    if classes.iter().any(|class| class.name() == layer) { Kind::Class } else { Kind::Quantity }
}

/// A window of some layers without values.
pub fn frame(lattice: &Lattice, window: &Window, layers: &[Sampled]) -> Frame {
    let title = |layer: &Sampled| Title {
        name: layer.name().into(),
        unit: layer.unit().into(),
        kind: kind(layer.name()),
    };
    Frame {
        width: window.width,
        height: window.height,
        georeference: georeference(lattice, window),
        bands: layers.iter().map(title).collect(),
    }
}
