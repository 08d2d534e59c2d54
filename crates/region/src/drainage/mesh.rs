//! Meshes: some parts of a level with their neighbours by index, across faces and round the corners of the cube.

use super::block::Rect;
use grid::{Direction, Level, Part, Topology, Vec3};

/// No neighbour.
pub(crate) const NONE: u32 = u32::MAX;

/// Parts around a rectangle and who lies beside whom.
pub(crate) struct Mesh {
    pub level: Level,
    /// One rectangle for each face that is touched, and the index of its first part.
    rects: Vec<(Rect, u32)>,
    pub parts: Vec<Part>,
    /// For each part its neighbours clockwise from north; [`NONE`] where there is none in the mesh.
    pub near: Vec<[u32; 8]>,
    /// By how many eighths a neighbour's frame is turned against the part's own.
    turn: Vec<[u8; 8]>,
}

/// A mesh of the children of all parts of another: child k of part p is number 4 p + k, k = 2 row + column.
pub(crate) struct Children {
    pub parts: Vec<Part>,
    pub near: Vec<[u32; 8]>,
}

impl Mesh {
    /// The parts at most `rings` king's moves from a rectangle of a level, and perhaps some more at other faces.
    pub fn around(grid: &Topology, level: Level, rect: Rect, rings: u32) -> Self {
        let mut first = 0;
        let mut with_first = |rect: Rect| {
            first += rect.len() as u32;
            (rect, first - rect.len() as u32)
        };
        let rects: Vec<(Rect, u32)> =
            widened(grid, level, rect, rings).into_iter().map(&mut with_first).collect();
        let parts: Vec<Part> = rects.iter().flat_map(|(r, _)| r.parts(level)).collect();
        let mut mesh = Self { level, rects, near: Vec::new(), turn: Vec::new(), parts };
        mesh.connect(grid);
        mesh
    }

    /// Index of a part.
    pub fn find(&self, part: Part) -> Option<usize> {
        self.rects.iter().find_map(|(rect, first)| Some(*first as usize + rect.index(part)?))
    }

    fn connect(&mut self, grid: &Topology) {
        let mut near = Vec::with_capacity(self.parts.len());
        let mut turn = Vec::with_capacity(self.parts.len());
        for &(rect, first) in &self.rects {
            for (k, part) in rect.parts(self.level).enumerate() {
                let (r, c) = (k as u32 / rect.cols, k as u32 % rect.cols);
                let inner = r > 0 && c > 0 && r + 1 < rect.rows && c + 1 < rect.cols;
                if inner {
                    let here = i64::from(first) + k as i64;
                    near.push(Direction::ALL.map(|d| {
                        let (dr, dc) = d.offset();
                        (here + dr * i64::from(rect.cols) + dc) as u32
                    }));
                    turn.push([0; 8]);
                } else {
                    let steps = Direction::ALL.map(|d| self.step(grid, part, d));
                    near.push(steps.map(|s| s.0));
                    turn.push(steps.map(|s| s.1));
                }
            }
        }
        (self.near, self.turn) = (near, turn);
    }

    fn step(&self, grid: &Topology, part: Part, direction: Direction) -> (u32, u8) {
        let there = grid.step_part(part, direction);
        let found = there.and_then(|(p, back)| Some((self.find(p)? as u32, back)));
        found.map_or((NONE, 0), |(at, back)| {
            (at, ((back.index() + 8 - direction.opposite().index()) % 8) as u8)
        })
    }

    /// Whether a part has a neighbour that the mesh does not hold.
    pub fn is_at_rim(&self, grid: &Topology, i: usize) -> bool {
        let beyond = |(d, &n): (&Direction, &u32)| n == NONE && grid.step_part(self.parts[i], *d).is_some();
        Direction::ALL.iter().zip(&self.near[i]).any(beyond)
    }

    /// Calls for each part at most `rings` king's moves from one, as far as the mesh reaches; not for itself.
    pub fn each_near(&self, i: usize, rings: i64, mut call: impl FnMut(usize)) {
        let (rect, first) = self.rects.iter().rfind(|r| r.1 as usize <= i).expect("a part of the mesh");
        let k = i - *first as usize;
        let (row, col) = ((k / rect.cols as usize) as i64, (k % rect.cols as usize) as i64);
        let inner = row >= rings
            && col >= rings
            && row + rings < i64::from(rect.rows)
            && col + rings < i64::from(rect.cols);
        if inner {
            for r in row - rings..=row + rings {
                for c in col - rings..=col + rings {
                    let n = *first as usize + (r * i64::from(rect.cols) + c) as usize;
                    if n != i {
                        call(n);
                    }
                }
            }
            return;
        }
        let mut seen = vec![i as u32];
        let mut start = 0;
        for _ in 0..rings {
            let end = seen.len();
            for k in start..end {
                for n in self.near[seen[k] as usize] {
                    if n != NONE && !seen.contains(&n) {
                        seen.push(n);
                    }
                }
            }
            start = end;
        }
        seen[1..].iter().for_each(|&n| call(n as usize));
    }

    /// The children of all parts.
    pub fn children(&self) -> Children {
        let level = Level(self.level.0 + 1);
        let child =
            |p: &Part, k: u32| Part { level, face: p.face, row: 2 * p.row + k / 2, col: 2 * p.col + k % 2 };
        let mut parts = Vec::with_capacity(4 * self.parts.len());
        let mut near = Vec::with_capacity(4 * self.parts.len());
        for (p, part) in self.parts.iter().enumerate() {
            parts.extend((0..4).map(|k| child(part, k)));
            near.extend(CHILD_STEPS.iter().map(|steps| steps.map(|step| self.child_step(p, step))));
        }
        Children { parts, near }
    }

    /// The middles of all children's parts, in the order of [`Mesh::children`], in the grid's units.
    pub fn child_middles(&self, grid: &Topology) -> Vec<Vec3> {
        let mut all = Vec::with_capacity(4 * self.parts.len());
        for (rect, _) in &self.rects {
            let first = Part {
                level: Level(self.level.0 + 1),
                face: rect.face,
                row: 2 * rect.row,
                col: 2 * rect.col,
            };
            let row_by_row = grid.middles(first, (2 * rect.rows, 2 * rect.cols));
            for rows in row_by_row.chunks(4 * rect.cols as usize) {
                let (north, south) = rows.split_at(2 * rect.cols as usize);
                all.extend(north.chunks(2).zip(south.chunks(2)).flat_map(|(n, s)| [n[0], n[1], s[0], s[1]]));
            }
        }
        all
    }

    /// The child that a step from a child of part `p` leads to.
    fn child_step(&self, p: usize, (over, child): (Option<usize>, u32)) -> u32 {
        let Some(over) = over else { return 4 * p as u32 + child };
        let (there, turn) = (self.near[p][over], self.turn[p][over]);
        if there == NONE {
            return NONE;
        }
        // a quarter turn takes row and column to column and the other row
        let turned = |child: u32| 2 * (child % 2) + 1 - child / 2;
        4 * there + (0..turn / 2).fold(child, |child, _| turned(child))
    }

    /// The child in the corner of part `p` towards a diagonal direction, or the two at a side, clockwise.
    pub fn at_side(d: Direction) -> (u32, u32) {
        match d.index() {
            0 => (0, 1),
            1 => (1, 1),
            2 => (1, 3),
            3 => (3, 3),
            4 => (3, 2),
            5 => (2, 2),
            6 => (2, 0),
            _ => (0, 0),
        }
    }
}

/// For each child and direction the neighbour of its part that the step leads into, by the direction's number, if into
/// any; and the child there, as if frames were not turned.
const CHILD_STEPS: [[(Option<usize>, u32); 8]; 4] = {
    let mut steps = [[(None, 0); 8]; 4];
    let mut i = 0;
    while i < 32 {
        let (k, d) = (i / 8, i % 8);
        let (dr, dc) = Direction::from_index(d as u8).offset();
        let (r, c) = (k as i64 / 2 + dr, k as i64 % 2 + dc);
        // -1, 0 or 1 parts over
        let (rows, cols) = (r.div_euclid(2), c.div_euclid(2));
        let mut over = 0;
        while over < 8 {
            let (dr, dc) = Direction::from_index(over as u8).offset();
            if dr == rows && dc == cols {
                steps[k][d].0 = Some(over);
            }
            over += 1;
        }
        steps[k][d].1 = (2 * r.rem_euclid(2) + c.rem_euclid(2)) as u32;
        i += 1;
    }
    steps
};

/// The direction from a child of a part to another of the same part, by its number.
pub(crate) const DIRECTION_WITHIN: [[Option<usize>; 4]; 4] = {
    let mut directions = [[None; 4]; 4];
    let mut i = 0;
    while i < 32 {
        let (over, child) = CHILD_STEPS[i / 8][i % 8];
        if over.is_none() {
            directions[i / 8][child as usize] = Some(i % 8);
        }
        i += 1;
    }
    directions
};

/// The rectangles, one for a face, that hold all parts at most `rings` moves from a rectangle, and perhaps some more.
pub(crate) fn widened(grid: &Topology, level: Level, rect: Rect, rings: u32) -> Vec<Rect> {
    let mut boxes = Vec::new();
    widen(grid, level, (rect, rings), &mut Vec::new(), &mut boxes);
    boxes
}

/// Adds what lies at most `rings` moves from a rectangle to the boxes of faces; not of those that it came from.
fn widen(
    grid: &Topology,
    level: Level,
    (rect, rings): (Rect, u32),
    from: &mut Vec<u32>,
    boxes: &mut Vec<Rect>,
) {
    let (rows, cols) = grid.part_rows_cols(level);
    let own = rect.widened(rings, (rows, cols));
    add(boxes, own);
    if matches!(grid, Topology::Flat(_)) {
        return;
    }
    from.push(rect.face);
    let (south, east) = (rows - rect.row - rect.rows, cols - rect.col - rect.cols);
    for (direction, gap) in Direction::SIDES.into_iter().zip([rect.row, east, south, rect.col]) {
        if gap >= rings {
            continue;
        }
        // the parts at this border that are as near as any, and what lies beyond
        let reached = rect.widened(gap, (rows, cols));
        let border = reached.side(direction);
        let over = border.parts(level).filter_map(|p| Some(grid.step_part(p, direction)?.0));
        let beyond = over.map(Rect::of).reduce(Rect::with);
        if let Some(beyond) = beyond.filter(|b| !from.contains(&b.face)) {
            widen(grid, level, (beyond.widened(1, (rows, cols)), rings - gap - 1), from, boxes);
        }
    }
    from.pop();
}

/// Rectangles that hold all parts at most `rings` moves from some parts of a level.
pub(crate) fn around_parts(
    grid: &Topology,
    level: Level,
    parts: impl Iterator<Item = Part>,
    rings: u32,
) -> Vec<Rect> {
    let mut own: Vec<Rect> = Vec::new();
    for part in parts {
        add(&mut own, Rect::of(part));
    }
    own.into_iter().flat_map(|rect| widened(grid, level, rect, rings)).collect()
}

/// Adds a rectangle to the box of its face.
fn add(boxes: &mut Vec<Rect>, more: Rect) {
    match boxes.iter_mut().find(|b| b.face == more.face) {
        Some(b) => *b = b.with(more),
        None => boxes.push(more),
    }
}

/// Which neighbours are linked, as bits clockwise from north: all sides, and of the two diagonals around a vertex the
/// one that `forced` asks for, else the shorter one, else that of the lower part.
pub(crate) fn links(
    mesh: &Children,
    position: impl Fn(usize) -> Vec3,
    forced: impl Fn(usize, usize) -> bool,
) -> Vec<u8> {
    // whether the diagonal from i to j is linked, which crosses the one from a to b
    let diagonal = |[i, j, a, b]: [usize; 4]| -> bool {
        if forced(i, j) {
            return true;
        }
        if forced(a, b) {
            return false;
        }
        let own = (position(i) - position(j)).length_squared();
        let other = (position(a) - position(b)).length_squared();
        let lowest = |x: usize, y: usize| mesh.parts[x].min(mesh.parts[y]);
        own.total_cmp(&other).then_with(|| lowest(i, j).cmp(&lowest(a, b))).is_lt()
    };
    let linked = |i: usize, d: usize| -> bool {
        let corners = [mesh.near[i][d], mesh.near[i][(d + 7) % 8], mesh.near[i][(d + 1) % 8]];
        if corners[0] == NONE || d.is_multiple_of(2) {
            return corners[0] != NONE;
        }
        let [across, a, b] = corners.map(|k| k as usize);
        corners.contains(&NONE) || diagonal([i, across, a, b])
    };
    let mut links = vec![0u8; mesh.parts.len()];
    let mut known = vec![0u8; mesh.parts.len()];
    for i in 0..mesh.parts.len() {
        if let Some([east, south_east, south]) = mesh.quadrilateral(i) {
            let (own, other) = (diagonal([i, south_east, east, south]), [east, south, i, south_east]);
            let other = diagonal(other);
            for (k, d, is_linked) in [(i, 3, own), (south_east, 7, own), (east, 5, other), (south, 1, other)]
            {
                known[k] |= 1 << d;
                links[k] |= u8::from(is_linked) << d;
            }
        }
    }
    for (i, (links, known)) in links.iter_mut().zip(known).enumerate() {
        let unknown = (0..8).filter(|d| known >> d & 1 == 0);
        *links |= unknown.fold(0, |bits, d| bits | u8::from(linked(i, d)) << d);
    }
    links
}

impl Children {
    /// The neighbours of a child to the east, south-east and south where all four lie in one frame, as all but those at
    /// the borders of faces and of the mesh do.
    fn quadrilateral(&self, i: usize) -> Option<[usize; 3]> {
        let [_, _, east, south_east, south, ..] = self.near[i];
        if east == NONE || south_east == NONE || south == NONE {
            return None;
        }
        let [e, across, s] = [east, south_east, south].map(|k| k as usize);
        let (of_east, of_across, of_south) = (&self.near[e], &self.near[across], &self.near[s]);
        let at = i as u32;
        let in_frame = of_east[4..7] == [south_east, south, at]
            && of_south[0..3] == [at, east, south_east]
            && of_across[7] == at
            && of_across[0] == east
            && of_across[6] == south;
        in_frame.then_some([e, across, s])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::{Globe, Nth, Purpose, Seed};

    /// All parts at most `rings` moves from a rectangle, one move after the other.
    fn slow(grid: &Topology, level: Level, rect: Rect, rings: u32) -> Vec<Part> {
        let mut all: Vec<Part> = rect.parts(level).collect();
        for _ in 0..rings {
            let step =
                |&p: &Part| Direction::ALL.into_iter().filter_map(move |d| Some(grid.step_part(p, d)?.0));
            all.extend(all.iter().flat_map(step).collect::<Vec<_>>());
            all.sort_unstable();
            all.dedup();
        }
        all
    }

    #[test]
    fn nothing_near_a_rectangle_is_left_out() {
        let grid = Topology::Globe(Globe::new(16, 6.371e6).expect("in range"));
        let level = Level(1);
        let mut draw = Seed(3).key(Purpose::new("test")).at(Nth(0));
        let mut faces = 0;
        for _ in 0..300 {
            let mut at = |side: u32| (draw.unit() * f64::from(side)) as u32;
            let (rows, cols) = (1 + at(8), 1 + at(8));
            let rect = Rect { face: at(6), row: at(33 - rows), col: at(33 - cols), rows, cols };
            let rings = at(10);
            let boxes = widened(&grid, level, rect, rings);
            faces = faces.max(boxes.len());
            for part in slow(&grid, level, rect, rings) {
                assert!(boxes.iter().any(|b| b.index(part).is_some()), "{part:?} of {rect:?}, {rings} rings");
            }
        }
        assert_eq!(faces, 3);
    }

    /// Whether a child is linked to its neighbour in a direction, asked for each alone.
    fn slow_link(
        mesh: &Children,
        at: &[Vec3],
        forced: &impl Fn(usize, usize) -> bool,
        i: usize,
        d: usize,
    ) -> bool {
        let [across, a, b] = [0, 7, 1].map(|turn| mesh.near[i][(d + turn) % 8]);
        if across == NONE || d.is_multiple_of(2) || a == NONE || b == NONE {
            return across != NONE;
        }
        let [across, a, b] = [across, a, b].map(|k| k as usize);
        let (own, other) = (at[i].distance(at[across]), at[a].distance(at[b]));
        forced(i, across) || !forced(a, b) && own < other
    }

    #[test]
    fn links_are_those_of_each_direction_alone() {
        let grid = Topology::Globe(Globe::new(16, 6.371e6).expect("in range"));
        let mut draw = Seed(5).key(Purpose::new("test/links")).at(Nth(0));
        let (mut diagonals, mut missing) = (0, 0);
        for round in 0..40 {
            let mut number = |below: u32| (draw.unit() * f64::from(below)) as u32;
            // every other one at a corner of a face
            let (row, col) = if round % 2 == 0 { (0, 28) } else { (number(28), number(28)) };
            let rect = Rect { face: number(6), row, col, rows: 4, cols: 4 };
            let mesh = Mesh::around(&grid, Level(1), rect, 2).children();
            let at: Vec<Vec3> =
                mesh.parts.iter().map(|_| Vec3::new(draw.unit(), draw.unit(), draw.unit())).collect();
            let forced = |i: usize, j: usize| (i + j).is_multiple_of(11);
            let links = links(&mesh, |i| at[i], forced);
            for (i, d) in (0..links.len()).flat_map(|i| (0..8).map(move |d| (i, d))) {
                let slow = slow_link(&mesh, &at, &forced, i, d);
                assert_eq!(links[i] >> d & 1 == 1, slow, "{:?}, direction {d}", mesh.parts[i]);
                diagonals += usize::from(slow && d % 2 == 1);
                missing += usize::from(mesh.near[i][d] == NONE);
            }
        }
        assert!(diagonals > 4_000 && missing > 1_000, "{diagonals} {missing}");
    }
}
