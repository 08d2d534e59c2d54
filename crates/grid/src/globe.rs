//! A cubed sphere: six faces of N x N cells, equiangular (Ronchi, Iacono & Paolucci 1996).
//!
//! A place on the cube's surface has three integer coordinates on a lattice of half cells, counted from the
//! cube's centre: `n N + u a + v b`, where `n`, `u`, `v` are the face's outward, east and north axes. Stepping
//! off a face folds those coordinates around the cube's edge, and the face whose axis reaches the surface
//! takes over. This replaces a table of which side continues which, and the same coordinates name edges and
//! vertices equally from every side. Grid lines are great circles at equal angles, so cells are quadrilaterals
//! of great circles; the largest has 1.41 times the area of the smallest.

use crate::math::{self, angle, atan, atan2, tan};
use crate::topology::{by_moves, square};
use crate::{Cell, Direction, Edge, Grid, GridError, Shape, Step, Vec3, Vertex};
use std::f64::consts::{FRAC_PI_4, PI};
use std::sync::{Arc, OnceLock};

type Lattice = [i64; 3];

/// Outward, east and north axis of each face: four around the equator from longitude 0, north, south.
const FACES: [[Lattice; 3]; 6] = [
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    [[0, 1, 0], [-1, 0, 0], [0, 0, 1]],
    [[-1, 0, 0], [0, -1, 0], [0, 0, 1]],
    [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
    [[0, 0, 1], [0, 1, 0], [-1, 0, 0]],
    [[0, 0, -1], [0, 1, 0], [1, 0, 0]],
];

/// The face whose outward axis is +x, -x, +y, -y, +z, -z.
const FACE_OF_AXIS: [[u32; 2]; 3] = [[0, 2], [1, 3], [4, 5]];

fn dot(a: Lattice, b: Lattice) -> i64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn combine(n: i64, u: i64, v: i64, axes: &[Lattice; 3]) -> Lattice {
    std::array::from_fn(|k| n * axes[0][k] + u * axes[1][k] + v * axes[2][k])
}

fn as_vec3(l: Lattice) -> Vec3 {
    Vec3::new(l[0] as f64, l[1] as f64, l[2] as f64)
}

/// A sphere of 6 x N x N cells.
#[derive(Clone, Debug)]
pub struct Globe {
    n: u32,
    radius_m: f64,
    tables: Arc<Tables>,
}

/// What every cell of a row or column shares, made when it is first asked for. Shared by all clones of a globe.
#[derive(Debug, Default)]
struct Tables {
    /// [`bend`] of all lattice coordinates, from -N to N.
    bends: OnceLock<Vec<f64>>,
    /// Solid angles from a face's centre lines to the vertices of a quarter of it, row by row.
    corners: OnceLock<Vec<f64>>,
}

impl PartialEq for Globe {
    fn eq(&self, other: &Self) -> bool {
        (self.n, self.radius_m) == (other.n, other.radius_m)
    }
}

impl Globe {
    /// Least cells along a side of a face.
    pub const MIN_SIDE: u32 = 2;
    /// Most cells along a side of a face: 1.2 km on an Earth-sized planet.
    pub const MAX_SIDE: u32 = 8_192;

    /// A globe with `n` cells along each side of a face, on a sphere of `radius_m` metres.
    ///
    /// # Errors
    /// `n` outside [`Globe::MIN_SIDE`] to [`Globe::MAX_SIDE`], or a radius outside 1 km to 10^9 m.
    pub fn new(n: u32, radius_m: f64) -> Result<Self, GridError> {
        if !(Self::MIN_SIDE..=Self::MAX_SIDE).contains(&n) {
            return Err(GridError::Side { cols: n, rows: n, min: Self::MIN_SIDE, max: Self::MAX_SIDE });
        }
        if !(1e3..=1e9).contains(&radius_m) {
            return Err(GridError::Length { what: "the radius", value: radius_m, min: 1e3, max: 1e9 });
        }
        Ok(Self { n, radius_m, tables: Arc::default() })
    }

    /// Cells along a side of a face.
    pub fn side(&self) -> u32 {
        self.n
    }

    /// Radius in metres.
    pub fn radius_m(&self) -> f64 {
        self.radius_m
    }

    /// The position at a longitude and latitude in degrees.
    pub fn at_lon_lat(&self, lon_deg: f64, lat_deg: f64) -> Vec3 {
        math::from_lon_lat(lon_deg, lat_deg)
    }

    /// How many cells east and south of the north-west corner of a face a position lies, on the face's plane, which
    /// goes on beyond its borders; `None` a right angle or more from the middle of the face.
    pub fn on_plane_of(&self, face: u32, p: Vec3) -> Option<(f64, f64)> {
        let [n, u, v] = FACES.get(face as usize)?.map(as_vec3);
        let towards = p.dot(n);
        let cells = |t: f64| (atan(t / towards) / FRAC_PI_4 + 1.0) * 0.5 * f64::from(self.n);
        (towards > 0.0).then(|| (cells(p.dot(u)), cells(-p.dot(v))))
    }

    /// The centres of cells that follow one another in a row, from `first` on.
    pub(crate) fn row_of_centers(&self, first: Cell, count: usize) -> Vec<Vec3> {
        let (face, a, b) = self.lattice(first);
        let [n, u, v] = FACES[face].map(as_vec3);
        let (b, side) = (self.bent(b), i64::from(self.n));
        let bends = self.bends()[(a + side) as usize..].iter().step_by(2).take(count);
        bends.map(|&a| (n + u * a + v * b).normalized()).collect()
    }

    /// The positions where lines cross, row by row: `alongs` cells east and `downs` cells south of the north-west corner
    /// of a face.
    pub(crate) fn crossings(&self, face: u32, alongs: &[f64], downs: &[f64]) -> Vec<Vec3> {
        let (face, a, b) = self.lattice(self.shape().join(face, 0, 0));
        let n = f64::from(self.n);
        let columns: Vec<f64> = alongs.iter().map(|at| bend((a as f64 + 2.0 * at - 1.0) / n)).collect();
        let rows = downs.iter().map(|at| bend((b as f64 + 1.0 - 2.0 * at) / n));
        rows.flat_map(|b| columns.iter().map(move |&a| self.on_face(face, a, b))).collect()
    }

    /// Coordinates of a cell's centre on the half-cell lattice.
    fn lattice(&self, cell: Cell) -> (usize, i64, i64) {
        lattice(i64::from(self.n), self.shape().split(cell))
    }

    /// A step that leaves a face, by folding the lattice around the cube's edge.
    fn step_over(&self, cell: Cell, direction: Direction) -> Option<Cell> {
        let (face, row, col) = step_over(i64::from(self.n), self.shape().split(cell), direction)?;
        Some(self.shape().join(face, row, col))
    }

    /// The neighbour of a part of a cell and the way back, on a globe whose sides have `n` parts.
    pub(crate) fn step_part(n: u32, place: Place, direction: Direction) -> Option<(Place, Direction)> {
        let there = step_over(i64::from(n), place, direction)?;
        if there.0 == place.0 {
            return Some((there, direction.opposite()));
        }
        let back = Direction::ALL
            .into_iter()
            .find(|&d| d.is_side() == direction.is_side() && step_over(i64::from(n), there, d) == Some(place))
            .expect("neighbours are symmetric");
        Some((there, back))
    }

    /// The cells at most so many king's moves away, in the order of addresses, where that is less than half a side: the
    /// square around the cell as it goes on beyond borders, and what is nearer by way of the third face at a corner.
    fn halo_over(&self, cell: Cell, rings: i64) -> Vec<Cell> {
        let n = i64::from(self.n);
        let (face, row, col) = self.shape().split(cell);
        let (row, col) = (i64::from(row), i64::from(col));
        // rows and columns of the face, which may lie beyond one of its borders
        let at = |row: i64, col: i64| {
            let (face, row, col) = fold(n, (face as usize, 2 * col + 1 - n, n - 1 - 2 * row))?;
            Some(self.shape().join(face, row, col))
        };
        let (rows, cols) = (row - rings..=row + rings, col - rings..=col + rings);
        let on_face = |v: i64| v.clamp(0, n);
        let (top, bottom) = (on_face(row - rings), on_face(row + rings + 1));
        let (left, right) = (on_face(col - rings), on_face(col + rings + 1));
        let mut others: Vec<Cell> = Vec::with_capacity((2 * rings as usize + 1).pow(2));
        for r in rows {
            let outside = |c: &i64| r < top || r >= bottom || *c < left || *c >= right;
            others.extend(cols.clone().filter(outside).filter_map(|c| at(r, c)));
        }
        for (south, east) in [(false, false), (false, true), (true, false), (true, true)] {
            // counted from a corner of the face: cells of the face from 0 on, those beyond a border from -1 down
            let from_corner =
                |r: i64, c: i64| at(if south { n - 1 - r } else { r }, if east { n - 1 - c } else { c });
            let (down, along) = (if south { n - 1 - row } else { row }, if east { n - 1 - col } else { col });
            for beyond in rings - down.max(along) + 1..=rings - down.min(along) {
                for aside in 0..rings - down.max(along) {
                    let farther =
                        if along < down { from_corner(-beyond, aside) } else { from_corner(aside, -beyond) };
                    others.extend(farther);
                }
            }
        }
        others.sort_unstable();
        // all of the face's own have addresses between those of faces before it and after it
        let before = others.partition_point(|&c| self.shape().split(c).0 < face);
        let own = (top..bottom).flat_map(|r| (left..right).map(move |c| (r as u32, c as u32)));
        let own: Vec<Cell> = own.map(|(r, c)| self.shape().join(face, r, c)).collect();
        others.splice(before..before, own);
        others
    }

    /// Where within a cell a position on its face lies: eastwards and southwards, 0 to 1.
    pub(crate) fn place_within(&self, cell: Cell, p: Vec3) -> (f64, f64) {
        let (face, row, col) = self.shape().split(cell);
        let [n, u, v] = FACES[face as usize].map(as_vec3);
        let steps = |t: f64| (atan(t / p.dot(n)) / FRAC_PI_4 + 1.0) * 0.5 * f64::from(self.n);
        (steps(p.dot(u)) - f64::from(col), steps(-p.dot(v)) - f64::from(row))
    }

    /// The position at a place within a part of a cell, on a globe whose sides have `n` parts.
    pub(crate) fn within_part(&self, n: u32, (face, row, col): Place, along: f64, down: f64) -> Vec3 {
        self.on_face(face as usize, east(n, col, along), north(n, row, down))
    }

    /// The positions of the middles of so many rows and columns of parts of a face divided into `n` x `n`, from the first on, row
    /// by row.
    pub(crate) fn middles(&self, n: u32, (face, row, col): Place, (rows, cols): (u32, u32)) -> Vec<Vec3> {
        let along: Vec<f64> = (col..col + cols).map(|col| east(n, col, 0.5)).collect();
        let of_row = |row| {
            let b = north(n, row, 0.5);
            along.iter().map(move |&a| self.on_face(face as usize, a, b))
        };
        (row..row + rows).flat_map(of_row).collect()
    }

    /// The position of bent face coordinates (-1 to 1).
    fn on_face(&self, face: usize, a: f64, b: f64) -> Vec3 {
        let [n, u, v] = FACES[face].map(as_vec3);
        (n + u * a + v * b).normalized()
    }

    /// The bent coordinate of a lattice coordinate from -N to N.
    fn bent(&self, l: i64) -> f64 {
        self.bends()[(l + i64::from(self.n)) as usize]
    }

    /// The bent coordinates of all lattice coordinates, from -N on.
    fn bends(&self) -> &[f64] {
        let n = i64::from(self.n);
        self.tables.bends.get_or_init(|| (-n..=n).map(|l| bend(l as f64 / n as f64)).collect())
    }

    /// Solid angle from the face's centre lines to the vertex at lattice coordinates `a`, `b`, signed.
    ///
    /// A face is symmetric, so that a table of a quarter of it will do.
    fn corner_solid_angle(&self, a: i64, b: i64) -> f64 {
        let side = self.n as usize / 2 + 1;
        let first = i64::from(self.n % 2);
        let table = || {
            let at = |k: usize| self.bent(first + 2 * k as i64);
            let angle = |x: f64, y: f64| atan2(x * y, (1.0 + x * x + y * y).sqrt());
            (0..side * side).map(|k| angle(at(k / side), at(k % side))).collect::<Vec<f64>>()
        };
        let (row, col) = (a.unsigned_abs() as usize / 2, b.unsigned_abs() as usize / 2);
        let size = self.tables.corners.get_or_init(table)[row * side + col];
        if (a < 0) == (b < 0) { size } else { -size }
    }
}

/// Face, row and column.
type Place = (u32, u32, u32);

/// Coordinates of a cell's centre on the half-cell lattice of a cube with sides of `n` cells: face, east, north.
fn lattice(n: i64, (face, row, col): Place) -> (usize, i64, i64) {
    (face as usize, 2 * i64::from(col) + 1 - n, n - 1 - 2 * i64::from(row))
}

/// The cell whose centre has these lattice coordinates, one of which is N or -N.
fn at_lattice(n: i64, l: Lattice) -> Place {
    let axis = (0..3).find(|&k| l[k].abs() == n).expect("a point of the surface touches a face");
    let face = FACE_OF_AXIS[axis][usize::from(l[axis] < 0)];
    let [_, u, v] = FACES[face as usize];
    let (a, b) = (dot(l, u), dot(l, v));
    (face, ((n - 1 - b) / 2) as u32, ((a + n - 1) / 2) as u32)
}

/// A step that may leave a face, by folding the lattice around the cube's edge.
fn step_over(n: i64, place: Place, direction: Direction) -> Option<Place> {
    let (face, a, b) = lattice(n, place);
    let (dr, dc) = direction.offset();
    fold(n, (face, a + 2 * dc, b - 2 * dr))
}

/// The cell at lattice coordinates of a face that may lie beyond one of its borders, by less than a side.
fn fold(n: i64, (face, a, b): (usize, i64, i64)) -> Option<Place> {
    match (a.abs() > n, b.abs() > n) {
        (true, true) => None, // the corner of the cube
        (true, false) => Some(at_lattice(n, combine(2 * n - a.abs(), a.signum() * n, b, &FACES[face]))),
        (false, true) => Some(at_lattice(n, combine(2 * n - b.abs(), a, b.signum() * n, &FACES[face]))),
        (false, false) => Some(at_lattice(n, combine(n, a, b, &FACES[face]))),
    }
}

/// The bent coordinates, -1 to 1, of a place in a column, and in a row, of a face divided into `n` x `n` parts: `along` and `down`
/// from 0 to 1.
fn east(n: u32, col: u32, along: f64) -> f64 {
    bend((2.0 * (f64::from(col) + along)) / f64::from(n) - 1.0)
}

fn north(n: u32, row: u32, down: f64) -> f64 {
    bend(1.0 - (2.0 * (f64::from(row) + down)) / f64::from(n))
}

/// From equal angles to the cube's plane; exact at the edges, so that faces share their border bit for bit.
fn bend(a: f64) -> f64 {
    if a.abs() == 1.0 { a } else { tan(a * FRAC_PI_4) }
}

impl Grid for Globe {
    fn shape(&self) -> Shape {
        Shape { faces: 6, rows: self.n, cols: self.n }
    }

    fn step(&self, cell: Cell, direction: Direction) -> Option<Step> {
        let (face, row, col) = self.shape().split(cell);
        let last = self.n - 1;
        if row > 0 && row < last && col > 0 && col < last {
            let (dr, dc) = direction.offset();
            let (r, c) = ((i64::from(row) + dr) as u32, (i64::from(col) + dc) as u32);
            return Some(Step { cell: self.shape().join(face, r, c), back: direction.opposite() });
        }
        let there = self.step_over(cell, direction)?;
        let back = Direction::ALL
            .into_iter()
            .find(|&d| d.is_side() == direction.is_side() && self.step_over(there, d) == Some(cell))
            .expect("neighbours are symmetric");
        Some(Step { cell: there, back })
    }

    fn vertex(&self, cell: Cell, corner: Direction) -> Option<Vertex> {
        if corner.is_side() {
            return None;
        }
        let n = i64::from(self.n);
        let (face, a, b) = self.lattice(cell);
        let (dr, dc) = corner.offset();
        let l = combine(n, a + dc, b - dr, &FACES[face]);
        Some(Vertex::pack(l[0] + n, l[1] + n, l[2] + n))
    }

    fn vertex_position(&self, vertex: Vertex) -> Vec3 {
        let n = i64::from(self.n);
        let (x, y, z) = vertex.unpack();
        let bent = |l: i64| self.bent(l - n);
        Vec3::new(bent(x), bent(y), bent(z)).normalized()
    }

    fn center(&self, cell: Cell) -> Vec3 {
        let (face, a, b) = self.lattice(cell);
        self.on_face(face, self.bent(a), self.bent(b))
    }

    fn within(&self, cell: Cell, along: f64, down: f64) -> Vec3 {
        let (face, a, b) = self.lattice(cell);
        let n = f64::from(self.n);
        let (a, b) = ((a as f64 + 2.0 * along - 1.0) / n, (b as f64 + 1.0 - 2.0 * down) / n);
        self.on_face(face, bend(a), bend(b))
    }

    fn locate(&self, p: Vec3) -> Option<Cell> {
        let (x, y, z) = (p.x.abs(), p.y.abs(), p.z.abs());
        let largest = x.max(y).max(z);
        if !(x + y + z).is_finite() || largest <= 0.0 {
            return None;
        }
        let (axis, value) = if x == largest {
            (0, p.x)
        } else if y == largest {
            (1, p.y)
        } else {
            (2, p.z)
        };
        let face = FACE_OF_AXIS[axis][usize::from(value < 0.0)];
        let [_, u, v] = FACES[face as usize].map(as_vec3);
        let n = f64::from(self.n);
        let index = |t: f64| {
            let steps = (atan(t / largest) / FRAC_PI_4 + 1.0) * 0.5 * n;
            (steps as u32).min(self.n - 1)
        };
        Some(self.shape().join(face, index(-p.dot(v)), index(p.dot(u))))
    }

    fn along_edge(&self, edge: Edge, t: f64) -> Vec3 {
        let (low, high) = edge.ends();
        self.vertex_position(low).lerp(self.vertex_position(high), t).normalized()
    }

    fn area_m2(&self, cell: Cell) -> f64 {
        let (_, a, b) = self.lattice(cell);
        let f = |a, b| self.corner_solid_angle(a, b);
        let solid_angle = (f(a + 1, b + 1) - f(a - 1, b + 1)) - (f(a + 1, b - 1) - f(a - 1, b - 1));
        solid_angle * self.radius_m * self.radius_m
    }

    fn distance_m(&self, a: Vec3, b: Vec3) -> f64 {
        angle(a, b) * self.radius_m
    }

    fn metres_per_unit(&self) -> f64 {
        self.radius_m
    }

    fn cell_m(&self) -> f64 {
        self.radius_m * (4.0 * PI / self.len() as f64).sqrt()
    }

    fn halo(&self, cell: Cell, rings: usize) -> Vec<Cell> {
        if let Some(all) = square(self.shape(), cell, rings) {
            return all;
        }
        match i64::try_from(rings) {
            Ok(rings) if 2 * rings < i64::from(self.n) => self.halo_over(cell, rings),
            _ => by_moves(self, cell, rings),
        }
    }
}
