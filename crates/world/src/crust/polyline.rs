//! Lines through space in metres, with lengths along them, and an index that finds the nearest ones.

use grid::{Cell, Field, Flat, Globe, Grid, Topology, Vec3};

/// A line of straight pieces.
#[derive(Clone, Debug)]
pub(crate) struct Polyline {
    pub points: Vec<Vec3>,
    /// Distance of each point from the first, along the line, in metres.
    pub along_m: Vec<f64>,
}

/// Where a position lies beside a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beside {
    /// Distance along the line, in metres.
    pub s_m: f64,
    /// Distance from the line, in metres: positive to the left of it, seen from outside the globe.
    pub d_m: f64,
}

impl Polyline {
    pub fn new(points: Vec<Vec3>) -> Self {
        let mut along_m = Vec::with_capacity(points.len());
        let mut s = 0.0;
        for (i, p) in points.iter().enumerate() {
            s += if i > 0 { p.distance(points[i - 1]) } else { 0.0 };
            along_m.push(s);
        }
        Self { points, along_m }
    }

    pub fn length_m(&self) -> f64 {
        self.along_m.last().copied().unwrap_or(0.0)
    }

    /// Distance along the line from a place beside it to the nearer end, in metres.
    pub fn to_nearer_end_m(&self, place: Beside) -> f64 {
        place.s_m.min(self.length_m() - place.s_m)
    }

    /// The same line with points about `spacing_m` apart; both ends stay.
    pub fn resampled(&self, spacing_m: f64) -> Self {
        let pieces = (self.length_m() / spacing_m).round().max(1.0) as usize;
        let at = |k: usize| self.at(self.length_m() * k as f64 / pieces as f64);
        Self::new((0..=pieces).map(at).collect())
    }

    /// The point at a distance along the line.
    pub fn at(&self, s_m: f64) -> Vec3 {
        let after = self.along_m.partition_point(|&s| s <= s_m).clamp(1, self.points.len() - 1);
        let (s0, s1) = (self.along_m[after - 1], self.along_m[after]);
        let t = if s1 > s0 { ((s_m - s0) / (s1 - s0)).clamp(0.0, 1.0) } else { 0.0 };
        self.points[after - 1].lerp(self.points[after], t)
    }

    /// The share of the piece that starts at point `i` at which it is nearest to `p`, and the way from there to `p`.
    #[inline]
    fn foot(&self, i: usize, p: Vec3) -> (f64, Vec3) {
        let (a, b) = (self.points[i], self.points[i + 1]);
        let (ab, ap) = (b - a, p - a);
        let t = (ap.dot(ab) / ab.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        (t, ap - ab * t)
    }

    /// Where `p` lies beside the piece that starts at point `i`.
    pub fn beside(&self, i: usize, p: Vec3, flat: bool) -> Beside {
        let (t, off) = self.foot(i, p);
        let ab = self.points[i + 1] - self.points[i];
        let up = if flat { Vec3::new(0.0, 0.0, 1.0) } else { p };
        let left = up.cross(ab).dot(off);
        let s_m = self.along_m[i] + (self.along_m[i + 1] - self.along_m[i]) * t;
        Beside { s_m, d_m: if left < 0.0 { -off.length() } else { off.length() } }
    }
}

/// For each of some thousand coarse cells the pieces of lines that reach it.
pub(crate) struct NearIndex {
    coarse: Topology,
    /// Pairs of line and piece, in order.
    near: Field<Vec<(u32, u32)>>,
}

/// Coarse cells along a side of a face, and of a flat map.
const COARSE: u32 = 48;
/// The same for a first, quick choice.
const COARSER: u32 = 8;

impl NearIndex {
    /// Indexes lines whose influence ends at `reach_m` metres: add to it how far positions may be bent.
    pub fn new(grid: &Topology, lines: &[Polyline], reach_m: f64) -> Self {
        let unit_m = grid.metres_per_unit();
        let all: Vec<(u32, u32)> = lines
            .iter()
            .zip(0u32..)
            .flat_map(|(line, l)| (0..line.points.len().max(1) as u32 - 1).map(move |i| (l, i)))
            .collect();
        let among = |coarse: &Topology, cell: Cell, pieces: &[(u32, u32)]| -> Vec<(u32, u32)> {
            let center = coarse.center(cell) * unit_m;
            let radius_m = coarse.cell_m(); // more than half the diagonal of the largest cell
            let reaches = |&&(l, i): &&(u32, u32)| {
                let ends = &lines[l as usize].points[i as usize..i as usize + 2];
                let (middle, half) = (ends[0].lerp(ends[1], 0.5), ends[0].distance(ends[1]) / 2.0);
                middle.distance(center) <= half + reach_m + radius_m
            };
            pieces.iter().filter(reaches).copied().collect()
        };
        let coarser = coarse_grid(grid, COARSER);
        let first = Field::from_fn(coarser.shape(), |cell| among(&coarser, cell, &all));
        let coarse = coarse_grid(grid, COARSE);
        let near = Field::from_fn(coarse.shape(), |cell| {
            let parent = coarser.locate(coarser.nearest_inside(coarse.center(cell)));
            parent.map_or(Vec::new(), |parent| among(&coarse, cell, &first[parent]))
        });
        Self { coarse, near }
    }

    /// The pieces of lines near a cell of the grid that was indexed.
    pub fn near(&self, grid: &Topology, cell: Cell) -> &[(u32, u32)] {
        let there = match &self.coarse {
            Topology::Globe(globe) => {
                let (n, (face, row, col)) = (grid.shape().rows, grid.shape().split(cell));
                let coarse = |k: u32| ((2 * k + 1) * globe.side()) / (2 * n);
                Some(self.coarse.shape().join(face, coarse(row), coarse(col)))
            }
            Topology::Flat(_) => self.coarse.locate(grid.center(cell)),
        };
        there.map_or(&[], |cell| self.near[cell].as_slice())
    }

    /// Where [`NearIndex::near`] lists pieces for a search.
    pub fn search<'a>(&'a self, lines: &'a [Polyline]) -> Search<'a> {
        Search {
            flat: matches!(self.coarse, Topology::Flat(_)),
            lines,
            near: &[],
            pieces: Pieces::default(),
            squares: Vec::new(),
        }
    }
}

/// Pieces of lines, laid out so that distances to many are found side by side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pieces {
    starts: [Vec<f64>; 3],
    ways: [Vec<f64>; 3],
    /// Squared lengths, no less than the least number.
    lengths2: Vec<f64>,
}

impl Pieces {
    /// The pieces of a list of lines and numbers of pieces, in its order.
    pub fn gather(&mut self, lines: &[Polyline], near: &[(u32, u32)]) {
        self.starts.iter_mut().chain(&mut self.ways).for_each(Vec::clear);
        self.lengths2.clear();
        for &(line, piece) in near {
            let ends = &lines[line as usize].points[piece as usize..piece as usize + 2];
            let (start, way) = (ends[0], ends[1] - ends[0]);
            let numbers = [start.x, start.y, start.z, way.x, way.y, way.z];
            self.starts.iter_mut().chain(&mut self.ways).zip(numbers).for_each(|(of, v)| of.push(v));
            self.lengths2.push(way.length_squared().max(f64::MIN_POSITIVE));
        }
    }

    /// The squared distance of a position from each piece, in square metres: that of [`Polyline::beside`], bit for bit.
    pub fn squares(&self, p: Vec3, out: &mut Vec<f64>) {
        out.resize(self.lengths2.len(), 0.0);
        squares(self, p, out);
    }
}

/// As wide as the processor's vectors are; no operation is left out, fused or put in another order.
///
/// The attribute writes the one unsafe call there is: of the copy for AVX2, and only where the processor was asked and has
/// it; the copy itself is safe code.
#[multiversion::multiversion(targets("x86_64+avx2"))]
#[allow(unsafe_code)]
fn squares(pieces: &Pieces, p: Vec3, out: &mut [f64]) {
    let count = out.len();
    let [ax, ay, az] = pieces.starts.each_ref().map(|of| &of[..count]);
    let [bx, by, bz] = pieces.ways.each_ref().map(|of| &of[..count]);
    let lengths2 = &pieces.lengths2[..count];
    for k in 0..count {
        let (x, y, z) = (p.x - ax[k], p.y - ay[k], p.z - az[k]);
        let t = ((x * bx[k] + y * by[k] + z * bz[k]) / lengths2[k]).clamp(0.0, 1.0);
        let (x, y, z) = (x - bx[k] * t, y - by[k] * t, z - bz[k] * t);
        out[k] = x * x + y * y + z * z;
    }
}

/// A search for the places beside lines, of one position after the other.
pub(crate) struct Search<'a> {
    flat: bool,
    lines: &'a [Polyline],
    near: &'a [(u32, u32)],
    pieces: Pieces,
    squares: Vec<f64>,
}

impl<'a> Search<'a> {
    /// Looks among pieces that [`NearIndex::near`] lists; quick where the list is that of the last time.
    pub fn among(&mut self, near: &'a [(u32, u32)]) {
        if !std::ptr::eq(self.near, near) {
            self.near = near;
            self.pieces.gather(self.lines, near);
        }
    }

    /// Each line that was listed with the place beside it of a position in metres, in the order of lines; left out is what
    /// lies farther than `reach_m` (metres) of the line, by more than what rounding may do.
    pub fn beside(
        &mut self,
        p: Vec3,
        reach_m: impl Fn(usize) -> f64,
    ) -> impl Iterator<Item = (usize, Beside)> {
        /// More than any error of rounding.
        const MORE: f64 = 1.0 + 1e-9;
        self.pieces.squares(p, &mut self.squares);
        let (lines, flat, mut squares) = (self.lines, self.flat, self.squares.as_slice());
        self.near.chunk_by(|a, b| a.0 == b.0).filter_map(move |group| {
            let line = group[0].0 as usize;
            let own;
            (own, squares) = squares.split_at(group.len());
            let mut nearest = (own[0], group[0].1);
            for (&square, &(_, piece)) in own.iter().zip(group) {
                nearest = if square < nearest.0 { (square, piece) } else { nearest };
            }
            let reach_m = reach_m(line) * MORE;
            let reached = nearest.0 <= reach_m * reach_m;
            reached.then(|| (line, lines[line].beside(nearest.1 as usize, p, flat)))
        })
    }
}

fn coarse_grid(grid: &Topology, side: u32) -> Topology {
    match grid {
        Topology::Globe(globe) => Topology::Globe(
            Globe::new(side, globe.radius_m()).expect("the radius was accepted before, the side is in range"),
        ),
        Topology::Flat(flat) => {
            let (width, height) = flat.extent_m();
            let cell = width.max(height) / f64::from(side);
            let count = |length: f64| (length / cell).ceil().clamp(1.0, f64::from(side)) as u32;
            Topology::Flat(Flat::new(count(width), count(height), cell).expect("cells of a map that exists"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beside_a_straight_line() {
        let line = Polyline::new(vec![
            Vec3::new(0.0, 0.0, 0.0),
            Vec3::new(10.0, 0.0, 0.0),
            Vec3::new(30.0, 0.0, 0.0),
        ]);
        let b = line.beside(1, Vec3::new(15.0, 4.0, 0.0), true);
        assert_eq!((b.s_m, b.d_m), (15.0, 4.0));
        let b = line.beside(1, Vec3::new(15.0, -4.0, 0.0), true);
        assert_eq!((b.s_m, b.d_m), (15.0, -4.0));
        assert_eq!(line.resampled(10.0).points.len(), 4);
        assert_eq!(line.at(20.0), Vec3::new(20.0, 0.0, 0.0));
    }

    #[test]
    fn the_index_finds_what_a_full_search_finds() {
        let grid = Topology::Globe(Globe::new(64, 6.371e6).expect("a small globe"));
        let mut draw = grid::Seed(9).key(grid::Purpose::new("test")).at(grid::Nth(0));
        let lines: Vec<Polyline> = (0..12)
            .map(|_| {
                let start = draw.direction();
                let points = (0..8).map(|_| (start + draw.direction() * 0.1).normalized() * 6.371e6);
                Polyline::new(points.collect())
            })
            .collect();
        let reach = 400_000.0;
        let index = NearIndex::new(&grid, &lines, reach);
        for _ in 0..2000 {
            let p = draw.direction() * 6.371e6;
            let cell = grid.locate(p).expect("on the globe");
            for (l, line) in lines.iter().enumerate() {
                let all = (0..line.points.len() - 1).map(|i| line.beside(i, p, false).d_m.abs());
                let slow = all.fold(f64::INFINITY, f64::min);
                let mut search = index.search(&lines);
                search.among(index.near(&grid, cell));
                let fast = search.beside(p, |_| reach).find(|(k, _)| *k == l).map(|(_, b)| b.d_m.abs());
                if slow <= reach {
                    assert_eq!(fast, Some(slow));
                }
            }
        }
    }
}
