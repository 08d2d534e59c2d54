//! Signs that lie over the ground: drawings of strokes, as lines and areas of the sheet.

use super::ground::Ground;
use super::lines::lighter;
use super::space::Spot;
use super::{Point, plain};
use crate::draw::relief::sea_ice;
use crate::draw::{Rgb, Stroke};
use formats::sheet::{Group, Mark, Path, Pen};

/// Drawings over the ground of a map, under its frame and its letters.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlay {
    /// What they show: a drawing program has a layer of this name.
    pub name: String,
    /// The drawings, in samples from the map's north-western corner.
    pub strokes: Vec<Stroke>,
}

/// A sign of an overlay and what it means.
#[derive(Clone, Debug, PartialEq)]
pub struct Sign {
    /// What it means.
    pub words: String,
    /// How it looks.
    pub sample: Sample,
}

/// How a sign looks in a legend.
#[derive(Clone, Debug, PartialEq)]
pub enum Sample {
    /// A colour of the ground.
    Patch(Rgb),
    /// A drawing of at most [`SIGN_WIDTH`] from x = 0 on, y = 0 in the middle of its line, in points of A4.
    Drawing(Vec<Stroke>),
}

impl Sign {
    /// Ice at sea, where some of a map's samples of the sea lie under it for more than half their part.
    pub fn of_sea_ice(ice: &[f32], sea: &[bool]) -> Option<Self> {
        let is_iced = ice.iter().zip(sea).any(|(ice, sea)| *sea && *ice > 0.5);
        let (words, colour) = sea_ice();
        is_iced.then(|| Self { words: words.into(), sample: Sample::Patch(colour) })
    }
}

/// Width of a sign in a legend, in points of A4.
pub const SIGN_WIDTH: f32 = 22.0;

/// An overlay on the paper; nothing of it shows beyond the map.
pub(super) fn marks(overlay: &Overlay, ground: &Ground) -> Mark {
    let marks = overlay.strokes.iter().filter_map(|s| mark(s, ground.at, ground.step()[0])).collect();
    Mark::Group(Group { name: overlay.name.clone(), clip: Some([ground.at, ground.size]), marks })
}

/// The room that the areas of an overlay take, symbols above all: letters had better stand elsewhere.
pub(super) fn spots(overlay: &Overlay, ground: &Ground) -> Vec<Spot> {
    let unit = ground.step()[0];
    let spot = |stroke: &Stroke| {
        let Stroke::Area { ring, .. } = stroke else { return None };
        let (x, y) = (span(ring.iter().map(|p| p.0))?, span(ring.iter().map(|p| p.1))?);
        let middle = [x, y].map(|(low, high)| 0.5 * unit * f64::from(low + high));
        let reach = [x, y].map(|(low, high)| 0.5 * unit * f64::from(high - low));
        Some(([ground.at[0] + middle[0], ground.at[1] + middle[1]], reach))
    };
    overlay.strokes.iter().filter_map(spot).collect()
}

/// The least and the greatest of some values; none of no values, or where one is not finite.
fn span(values: impl Iterator<Item = f32>) -> Option<(f32, f32)> {
    let widened = |(low, high): (f32, f32), v: f32| (low.min(v), high.max(v));
    let (low, high) = values.fold((f32::INFINITY, f32::NEG_INFINITY), widened);
    (low.is_finite() && high.is_finite()).then_some((low, high))
}

/// A stroke whose unit has so many points, from a place on; none where nothing can be drawn.
pub(super) fn mark(stroke: &Stroke, at: Point, unit: f64) -> Option<Mark> {
    /// What a line may leave its places by, in points: less than any printer shows.
    const TOLERANCE: f64 = 0.03;
    let placed = |points: &[(f32, f32)]| -> Vec<Point> {
        points.iter().map(|&(x, y)| [at[0] + unit * f64::from(x), at[1] + unit * f64::from(y)]).collect()
    };
    let is_sound = |points: &[(f32, f32)]| points.iter().all(|p| p.0.is_finite() && p.1.is_finite());
    match stroke {
        Stroke::Line { points, width, ink } if points.len() > 1 && is_sound(points) => {
            let pen = Pen { ink: *ink, width: f64::from(*width) * unit };
            Some(plain(Path::line(&lighter(&placed(points), TOLERANCE)), None, Some(pen)))
        }
        Stroke::Area { ring, ink } if ring.len() > 2 && is_sound(ring) => {
            Some(plain(Path::ring(&placed(ring)), Some(*ink), None))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::sheet::{Shape, Step};
    use region::{Lattice, Window};

    const INK: [u8; 4] = [1, 2, 3, 200];

    #[test]
    fn ice_has_a_sign_where_the_sea_is_under_it() {
        let has_sign = |ice: &[f32], sea: &[bool]| Sign::of_sea_ice(ice, sea).is_some();
        assert!(has_sign(&[0.0, 0.6], &[true, true]));
        assert!(!has_sign(&[0.0, 0.4], &[true, true]), "half open");
        assert!(!has_sign(&[1.0, 0.0], &[false, true]), "a glacier");
    }

    #[test]
    fn strokes_lie_where_their_samples_do_and_are_cut_at_the_map() {
        let lattice = Lattice::Plane { step_m: 10.0 };
        let window = Window { west: 0, north: 60, width: 120, height: 60 };
        let ground = Ground { lattice: &lattice, window, at: [40.0, 50.0], size: [240.0, 120.0] };
        // the middle of the sample in the seventh column and the fourth row
        let at = ground.of_sample([7.0, 4.0]);
        let strokes = vec![
            Stroke::line(&[(7.5, 4.5), (17.5, 4.5)], 1.5, INK),
            Stroke::area(&[(7.5, 4.5), (8.5, 4.5), (8.5, 5.5)], INK),
        ];
        let overlay = Overlay { name: "faults".into(), strokes };
        let Mark::Group(group) = marks(&overlay, &ground) else { panic!("a layer") };
        assert_eq!((group.name.as_str(), group.clip), ("faults", Some([[40.0, 50.0], [240.0, 120.0]])));
        let [Mark::Shape(line), Mark::Shape(area)] = &group.marks[..] else { panic!("{:?}", group.marks) };
        assert_eq!(line.path, Path::line(&[at, [at[0] + 20.0, at[1]]]));
        assert_eq!((line.fill, line.pen), (None, Some(Pen { ink: INK, width: 3.0 })));
        assert_eq!((area.fill, area.pen), (Some(INK), None));
        assert_eq!(area.path, Path::ring(&[at, [at[0] + 2.0, at[1]], [at[0] + 2.0, at[1] + 2.0]]));
        assert_eq!(spots(&overlay, &ground), [([at[0] + 1.0, at[1] + 1.0], [1.0, 1.0])], "of areas alone");
    }

    #[test]
    fn lines_keep_the_points_that_they_need() {
        let wave: Vec<(f32, f32)> = (0..500).map(|i| (i as f32 * 0.1, (i / 250) as f32 * 8.0)).collect();
        let Some(Mark::Shape(Shape { path, .. })) = mark(&Stroke::line(&wave, 1.0, INK), [0.0; 2], 1.0)
        else {
            panic!("a line")
        };
        let ends = path.0.iter().filter(|s| matches!(s, Step::Move(_) | Step::Line(_))).count();
        assert_eq!(ends, 4, "two steps and a riser");
    }

    #[test]
    fn what_cannot_be_drawn_is_left_out() {
        for stroke in [
            Stroke::line(&[(1.0, 1.0)], 1.0, INK),
            Stroke::line(&[(1.0, 1.0), (f32::NAN, 2.0)], 1.0, INK),
            Stroke::area(&[(1.0, 1.0), (2.0, 2.0)], INK),
        ] {
            assert_eq!(mark(&stroke, [0.0; 2], 1.0), None, "{stroke:?}");
        }
    }
}
