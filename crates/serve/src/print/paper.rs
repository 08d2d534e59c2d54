//! Paper, and where on it the map, its title and its legend stand.

use formats::sheet::{PT_PER_MM, Point};

/// A size of paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paper {
    /// 210 x 297 mm.
    #[default]
    A4,
    /// 297 x 420 mm.
    A3,
    /// 420 x 594 mm.
    A2,
    /// 8.5 x 11 inches.
    Letter,
}

impl Paper {
    /// Its name and its sides.
    pub fn name(self) -> &'static str {
        match self {
            Self::A4 => "A4",
            Self::A3 => "A3",
            Self::A2 => "A2",
            Self::Letter => "letter",
        }
    }

    /// Shorter and longer side in points.
    pub fn sides(self) -> [f64; 2] {
        let mm = match self {
            Self::A4 => [210.0, 297.0],
            Self::A3 => [297.0, 420.0],
            Self::A2 => [420.0, 594.0],
            Self::Letter => [215.9, 279.4],
        };
        mm.map(|side| side * PT_PER_MM)
    }
}

/// Where things stand on a sheet, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    /// The paper, turned as suits the map.
    pub paper: Point,
    /// Upper left corner of the map.
    pub at: Point,
    /// Width and height of the map.
    pub size: Point,
    /// How large letters and lines are: 1 on A4.
    pub scale: f64,
}

/// Blank border of the paper, on A4.
const MARGIN: f64 = 11.0 * PT_PER_MM;
/// Height of the title above the frame, and of the legend below it.
const TITLE: f64 = 12.5 * PT_PER_MM;
const LEGEND: f64 = 23.0 * PT_PER_MM;
/// From the map to the outside of the frame and its numbers.
pub(super) const FRAME: f64 = 5.6 * PT_PER_MM;

impl Layout {
    /// The layout of a map of a shape (its width over its height) on paper turned so that the map is largest.
    pub fn of(paper: Paper, shape: f64) -> Self {
        let [short, long] = paper.sides();
        let [upright, across] = [[short, long], [long, short]].map(|sides| Self::on(sides, paper, shape));
        if across.size[0] > upright.size[0] { across } else { upright }
    }

    fn on(sides: Point, paper: Paper, shape: f64) -> Self {
        // letters grow less than the paper: it is seen from a little farther away
        let scale = (paper.sides()[0] / Paper::A4.sides()[0]).sqrt();
        let shape = shape.clamp(1e-3, 1e3);
        let beside = 2.0 * (MARGIN + FRAME) * scale;
        let room = [sides[0] - beside, sides[1] - beside - (TITLE + LEGEND) * scale];
        let width = room[0].min(room[1] * shape);
        let size = [width, width / shape];
        // what is left over goes to both sides, and more of it below than above
        let over = [room[0] - size[0], room[1] - size[1]];
        let at = [(MARGIN + FRAME) * scale + 0.5 * over[0], (MARGIN + TITLE + FRAME) * scale + 0.4 * over[1]];
        Self { paper: sides, at, size, scale }
    }

    /// Samples along the width and the height of the map at so many to the inch.
    pub fn samples(&self, per_inch: f64) -> Point {
        self.size.map(|side| side / 72.0 * per_inch)
    }

    /// Left and right end of what stands above and below the map.
    pub(super) fn column(&self) -> (f64, f64) {
        // a narrow map does not narrow its legend
        let least = (self.paper[0] - 2.0 * MARGIN * self.scale).min(165.0 * PT_PER_MM * self.scale);
        let width = (self.size[0] + 2.0 * 2.2 * PT_PER_MM * self.scale).max(least);
        let left = 0.5 * (self.paper[0] - width);
        (left, left + width)
    }

    /// Baseline of the title's last line.
    pub(super) fn title_y(&self) -> f64 {
        self.at[1] - (FRAME + 1.2 * PT_PER_MM) * self.scale
    }

    /// Top of the legend.
    pub(super) fn legend_y(&self) -> f64 {
        self.at[1] + self.size[1] + (FRAME + 1.0 * PT_PER_MM) * self.scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_fill_their_paper_and_stay_on_it() {
        for paper in [Paper::A4, Paper::A3, Paper::A2, Paper::Letter] {
            for shape in [0.01, 0.1, 0.5, 1.0, 1.4, 2.0, 9.0, 100.0] {
                let layout = Layout::of(paper, shape);
                let [w, h] = layout.paper;
                assert!((layout.size[0] / layout.size[1] - shape).abs() < 1e-9);
                assert_eq!(w > h, layout.size[0] > layout.size[1] * 1.2 || w > h, "{shape}");
                let margin = MARGIN * layout.scale - 1e-6;
                let right = layout.at[0] + layout.size[0] + FRAME * layout.scale;
                let bottom = layout.legend_y() + LEGEND * layout.scale - FRAME * layout.scale;
                assert!(layout.at[0] > margin && right < w - margin + 1e-3, "{paper:?} {shape}");
                assert!(
                    layout.title_y() > margin && bottom < h - 0.8 * margin,
                    "{paper:?} {shape} {bottom} {h}"
                );
            }
        }
        // a wide map lies across the paper, a tall one stands
        let [wide, tall] = [2.0, 0.5].map(|shape| Layout::of(Paper::A4, shape).paper);
        assert!(wide[0] > wide[1] && tall[0] < tall[1]);
    }

    #[test]
    fn three_hundred_samples_lie_on_an_inch() {
        let layout = Layout::of(Paper::A4, 1.0);
        assert!((layout.samples(300.0)[0] - layout.size[0] / 72.0 * 300.0).abs() < 1e-9);
    }
}
