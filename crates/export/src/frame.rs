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

/// A hair's breadth for rounding, in steps.
const HAIR: f64 = 1e-6;

/// The window of all samples within a box of west, south, east, north; of longitudes and latitudes those whose pixels lie on the map:
/// none goes round the globe a second time, and none reaches beyond a pole.
///
/// A box that has but a row at a pole keeps it.
pub fn boxed(lattice: &Lattice, [west, south, east, north]: [f64; 4]) -> Window {
    let window = lattice.window(west, south, east, north);
    let Lattice::LonLat { step_deg, .. } = *lattice else { return window };
    let around = (360.0 / step_deg + HAIR).floor() as usize;
    let last = (90.0 / step_deg - 0.5 + HAIR).floor() as i64;
    let first = (window.north - window.height as i64 + 1).max(-last);
    let north = window.north.min(last);
    let width = window.width.min(around.max(1));
    match usize::try_from(north - first + 1) {
        Ok(height) if height > 0 => Window { west: window.west, north, width, height },
        _ => Window { width, ..window },
    }
}

/// What a window leaves open of a whole circle of longitudes, in degrees, where that is less than two steps; and the spacing in metres, near
/// its own, at which it would leave nothing, with the poles on the borders of rows.
pub fn open_circle(lattice: &Lattice, window: &Window) -> Option<(f64, f64)> {
    let Lattice::LonLat { step_deg, .. } = *lattice else { return None };
    let open = 360.0 - window.width as f64 * step_deg;
    if !(0.001 * step_deg..2.0 * step_deg).contains(&open) || window.width < 4 {
        return None;
    }
    // twice an odd number of columns: half of them, odd, are the rows from pole to pole
    let columns = 4.0 * ((360.0 / step_deg - 2.0) / 4.0).round() + 2.0;
    Some((open, lattice.spacing_m() / step_deg * (360.0 / columns)))
}

/// All of a world in longitudes and latitudes, or in metres of a flat map; of a globe the meridian of 180 degrees once.
pub fn whole(grid: &Topology, spacing_m: f64) -> (Lattice, Window) {
    match grid {
        Topology::Globe(globe) => {
            let lattice = Lattice::lon_lat(globe.radius_m(), spacing_m);
            let window = boxed(&lattice, [-180.0, -90.0, 180.0, 90.0]);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_of_the_whole_globe_shows_each_place_once() {
        let radius_m = 6_371_000.0;
        let whole = [-180.0, -90.0, 180.0, 90.0];
        for spacing_m in
            [30_000.0, 50_000.0, 111_000.0, 111_194.926_644_558_73, 123_456.7, 500_000.0, 3_000_000.0]
        {
            let lattice = Lattice::lon_lat(radius_m, spacing_m);
            let window = boxed(&lattice, whole);
            let at = georeference(&lattice, &window);
            let (width, height) = (window.width as f64 * at.step_x, window.height as f64 * at.step_y);
            let (hair, south) = (1e-6 * at.step_x, at.north - height);
            assert!(width <= 360.0 + hair && width > 360.0 - 2.0 * at.step_x, "{spacing_m}: {width}");
            assert!(at.north <= 90.0 + hair && south >= -90.0 - hair, "{spacing_m}: {south} to {}", at.north);
            assert!(
                at.north > 90.0 - at.step_y && south < -90.0 + at.step_y,
                "{spacing_m}: {south} to {}",
                at.north
            );
            assert_eq!(at.north, -south, "as far in the north as in the south");
            // what is proposed closes the map
            let Some((open, closing_m)) = open_circle(&lattice, &window) else {
                assert!((width - 360.0).abs() < 0.001 * at.step_x, "{spacing_m}");
                continue;
            };
            assert!((open - (360.0 - width)).abs() < 1e-9);
            assert!(
                (closing_m / spacing_m - 1.0).abs() < 2.5 / window.width as f64,
                "{spacing_m}: {closing_m}"
            );
            let lattice = Lattice::lon_lat(radius_m, closing_m);
            let window = boxed(&lattice, whole);
            let at = georeference(&lattice, &window);
            assert!((window.width as f64 * at.step_x - 360.0).abs() < 1e-9, "{spacing_m}: {closing_m}");
            assert!((at.north - 90.0).abs() < 1e-9, "{spacing_m}: {closing_m}, {}", at.north);
            assert_eq!(open_circle(&lattice, &window), None);
        }
    }

    #[test]
    fn other_boxes_are_what_lies_within_them() {
        let lattice = Lattice::lon_lat(6_371_000.0, 100_000.0);
        for [w, s, e, n] in [[0.0, 0.0, 20.0, 10.0], [170.0, -60.0, 190.0, 60.0], [-180.0, 0.0, 170.0, 89.0]]
        {
            assert_eq!(boxed(&lattice, [w, s, e, n]), lattice.window(w, s, e, n));
        }
        // nothing but the row at the pole
        let cap = boxed(&lattice, [0.0, 89.7, 20.0, 90.0]);
        assert_eq!(cap, lattice.window(0.0, 89.7, 20.0, 90.0));
        assert_eq!(cap.height, 1);
        let plane = Lattice::Plane { step_m: 1.0 };
        assert_eq!(boxed(&plane, [0.0, 0.0, 500.0, 400.0]), plane.window(0.0, 0.0, 500.0, 400.0));
    }
}
