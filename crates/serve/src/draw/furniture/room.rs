//! How much may stand on a map before too little of it is left to see.

use super::super::canvas::{Canvas, Point};
use super::{Corner, Look, corner_of};

/// The free room of a map: boxes take it one after the other, the most important first.
///
/// Boxes together cover at most [`Room::LARGEST_SHARE`] of the picture, lie wholly on it, and keep apart.
#[derive(Clone, Debug)]
pub struct Room {
    canvas: Point,
    em: f32,
    taken: Vec<(Point, Point)>,
}

impl Room {
    /// What boxes may cover of a picture: a legend of nine entries on a world map from about 850 pixels on.
    pub const LARGEST_SHARE: f32 = 0.15;

    /// A map with nothing on it yet.
    pub fn new(canvas: &Canvas, look: &Look) -> Self {
        Self { canvas: canvas.size(), em: look.text_px, taken: Vec::new() }
    }

    /// Takes the room of a box of this size in a corner; `false`, and nothing taken, where it does not fit.
    pub fn take(&mut self, corner: Corner, size: Point) -> bool {
        self.take_at(corner_of(self.canvas, corner, size, self.em), size)
    }

    /// Takes the room of a box of this size whose upper left corner is `at`, if it fits.
    pub fn take_at(&mut self, at: Point, size: Point) -> bool {
        let fits = self.holds(at, size) && self.is_free(at, size) && self.leaves_enough(size);
        if fits {
            self.taken.push((at, size));
        }
        fits
    }

    /// Where the upper left corner of a box may lie: least and greatest x, and the same of y.
    pub fn span(&self, size: Point) -> (Point, Point) {
        let (low, high) = (Corner::TopLeft, Corner::BottomRight);
        let [(left, top), (right, bottom)] =
            [low, high].map(|corner| corner_of(self.canvas, corner, size, self.em));
        ((left, right.max(left)), (top, bottom.max(top)))
    }

    fn holds(&self, at: Point, size: Point) -> bool {
        let inside = |start: f32, length: f32, limit: f32| start >= 0.0 && start + length <= limit;
        inside(at.0, size.0, self.canvas.0) && inside(at.1, size.1, self.canvas.1)
    }

    /// Whether a box keeps half a letter's height from all others.
    pub fn is_free(&self, at: Point, size: Point) -> bool {
        let gap = self.em / 2.0;
        let apart =
            |a: f32, a_length: f32, b: f32, b_length: f32| a + a_length + gap <= b || b + b_length + gap <= a;
        self.taken.iter().all(|(p, s)| apart(at.0, size.0, p.0, s.0) || apart(at.1, size.1, p.1, s.1))
    }

    fn leaves_enough(&self, size: Point) -> bool {
        let covered: f32 = self.taken.iter().map(|(_, s)| s.0 * s.1).sum();
        covered + size.0 * size.1 <= Self::LARGEST_SHARE * self.canvas.0 * self.canvas.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(width: usize, height: usize) -> Room {
        let look = Look { text_px: 10.0, ..Look::for_width(width) };
        Room::new(&Canvas::new(width, height, [0; 4]).unwrap(), &look)
    }

    #[test]
    fn boxes_cover_no_more_than_their_share() {
        let mut room = room(1000, 1000);
        assert!(!room.take(Corner::TopLeft, (300.0, 501.0)), "15.03 %");
        assert!(room.take(Corner::TopLeft, (300.0, 400.0)), "12 %");
        assert!(!room.take(Corner::BottomRight, (301.0, 100.0)), "3.01 % more");
        assert!(room.take(Corner::BottomRight, (300.0, 100.0)), "3 % more");
        assert!(!room.take(Corner::TopRight, (10.0, 10.0)), "nothing is left");
    }

    #[test]
    fn boxes_keep_apart() {
        // the margins are 30 from the sides and 18 from above and below
        let mut room = room(2000, 200);
        assert!(room.take(Corner::TopLeft, (300.0, 60.0)));
        assert!(!room.take(Corner::BottomLeft, (200.0, 100.0)), "from 82 down, and the other ends at 78");
        assert!(room.take(Corner::BottomLeft, (200.0, 99.0)), "half a letter apart");
        assert!(room.take(Corner::BottomRight, (200.0, 100.0)));
    }

    #[test]
    fn boxes_lie_wholly_on_the_map() {
        assert!(!room(2000, 100).take(Corner::TopLeft, (10.0, 100.0)));
        assert!(!room(2000, 100).take(Corner::BottomLeft, (10.0, 90.0)), "its top is over the border");
        assert!(room(2000, 100).take(Corner::BottomLeft, (10.0, 82.0)));
        assert!(!room(100, 2000).take(Corner::BottomRight, (71.0, 10.0)));
        assert!(!room(1, 1).take(Corner::TopLeft, (0.5, 0.5)));
    }
}
