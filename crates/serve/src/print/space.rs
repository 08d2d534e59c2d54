//! What room is left on a map for letters: a grid of squares that are taken or free.

use super::Point;
use formats::sheet::{Face, Text, advance};

/// Side of a square in points.
const SIDE: f64 = 1.0;

/// The room on a map.
#[derive(Clone, Debug)]
pub struct Space {
    at: Point,
    size: Point,
    columns: usize,
    rows: usize,
    taken: Vec<bool>,
}

/// A place that something takes: its middle, and how far it reaches to the sides and up and down.
pub type Spot = (Point, Point);

impl Space {
    /// A free map.
    pub fn new(at: Point, size: Point) -> Self {
        let [columns, rows] = size.map(|side| (side / SIDE).ceil().max(1.0) as usize);
        Self { at, size, columns, rows, taken: vec![false; columns * rows] }
    }

    /// The same map with nothing on it.
    pub fn empty(&self) -> Self {
        Self { taken: vec![false; self.taken.len()], ..*self }
    }

    /// Share of the spots in which something is.
    pub fn share_taken(&self, spots: &[Spot]) -> f64 {
        let taken = spots.iter().filter(|spot| self.squares(spot).any(|n| self.taken[n])).count();
        taken as f64 / spots.len().max(1) as f64
    }

    /// Whether all spots lie on the map, away from its border, and nothing is there yet.
    pub fn is_free(&self, spots: &[Spot]) -> bool {
        const BORDER: f64 = 3.0;
        let inside = |(middle, reach): &Spot| {
            (0..2).all(|k| {
                let off = middle[k] - self.at[k];
                off - reach[k] >= BORDER && off + reach[k] <= self.size[k] - BORDER
            })
        };
        spots.iter().all(|spot| inside(spot) && self.squares(spot).all(|n| !self.taken[n]))
    }

    /// Takes the spots.
    pub fn take(&mut self, spots: &[Spot]) {
        for spot in spots {
            for n in self.squares(spot).collect::<Vec<_>>() {
                self.taken[n] = true;
            }
        }
    }

    /// Takes the squares whose middles are such.
    pub fn take_where(&mut self, is_such: impl Fn(Point) -> bool) {
        for n in 0..self.taken.len() {
            let middle = [n % self.columns, n / self.columns].map(|side| (side as f64 + 0.5) * SIDE);
            self.taken[n] |= is_such([self.at[0] + middle[0], self.at[1] + middle[1]]);
        }
    }

    /// Takes the spots if they are free.
    pub fn try_take(&mut self, spots: &[Spot]) -> bool {
        let free = self.is_free(spots);
        if free {
            self.take(spots);
        }
        free
    }

    fn squares(&self, (middle, reach): &Spot) -> impl Iterator<Item = usize> + use<> {
        let range = |k: usize, most: usize| {
            let low = ((middle[k] - reach[k] - self.at[k]) / SIDE).floor().clamp(0.0, most as f64) as usize;
            let high = ((middle[k] + reach[k] - self.at[k]) / SIDE).ceil().clamp(0.0, most as f64) as usize;
            low..high
        };
        let (columns, rows, stride) = (range(0, self.columns), range(1, self.rows), self.columns);
        rows.flat_map(move |row| columns.clone().map(move |column| row * stride + column))
    }
}

/// The spots that the letters of a text take, with a little air.
pub fn spots(text: &Text) -> Vec<Spot> {
    let half = 0.5 * text.size;
    let middle_of = |letter: char, (at, along): (Point, Point)| {
        let wide = 0.5 * advance(text.face, letter.encode_utf8(&mut [0; 4]), text.size);
        // letters reach from a quarter below the baseline to seven tenths above it
        let up = 0.24 * text.size;
        [at[0] + wide * along[0] + up * along[1], at[1] + wide * along[1] - up * along[0]]
    };
    let reach = if text.face == Face::Sans { 0.48 } else { 0.52 } * text.size;
    text.text
        .chars()
        .zip(text.places())
        .map(|(c, place)| (middle_of(c, place), [half.min(reach), reach]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::sheet::Run;

    #[test]
    fn what_is_taken_is_taken() {
        let mut space = Space::new([10.0, 10.0], [100.0, 50.0]);
        let spot = |x, y| [([x, y], [5.0, 3.0])];
        assert!(space.try_take(&spot(30.0, 30.0)));
        assert!(!space.is_free(&spot(36.0, 33.0)) && space.is_free(&spot(41.5, 30.0)));
        assert!(!space.is_free(&spot(14.0, 30.0)), "too near to the border");
        assert!(!space.is_free(&spot(500.0, 30.0)) && !space.is_free(&spot(f64::NAN, 30.0)));
        space.take(&spot(-900.0, 1e9)); // off the map: nothing happens
    }

    #[test]
    fn what_is_off_the_globe_is_taken() {
        let mut space = Space::new([10.0, 10.0], [100.0, 50.0]);
        space.take_where(|[x, y]| x + y > 100.0);
        let spot = |x, y| [([x, y], [2.0, 2.0])];
        assert!(space.is_free(&spot(60.0, 30.0)) && !space.is_free(&spot(80.0, 30.0)));
        assert_eq!(space.share_taken(&[spot(60.0, 30.0)[0], spot(80.0, 30.0)[0]]), 0.5);
        assert_eq!(space.empty().share_taken(&spot(80.0, 30.0)), 0.0);
    }

    #[test]
    fn a_text_takes_the_room_of_its_letters() {
        let run = Run::Level { at: [50.0, 30.0], anchor: 0.5 };
        let text = Text { text: "Misa".into(), face: Face::Sans, size: 10.0, ink: [0; 4], halo: None, run };
        let mut space = Space::new([0.0; 2], [100.0, 60.0]);
        space.take(&spots(&text));
        let is_free = |x, y| space.is_free(&[([x, y], [0.4, 0.4])]);
        assert!(!is_free(50.0, 27.0) && is_free(50.0, 15.0) && is_free(50.0, 40.0) && is_free(80.0, 27.0));
    }
}
