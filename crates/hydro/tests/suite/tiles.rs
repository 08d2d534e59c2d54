//! The analysis in tiles against slow and obvious versions on the whole raster, and against the one in memory.

use crate::cutting::{Obvious, Widening, floats, fractal, heights};
use grid::{Cell, Field, Flat, Grid, LonLat, Nth, Purpose, Seed};
use hydro::tiles::{Error, Flats, Message, Plane, Raster, Sphere, Spills, Sums, Whole, analyse};
use hydro::{Flow, Links, NONE, Outlets};

const CASE: Purpose = Purpose::new("hydro/tests/tiles");

fn in_tiles<G: Grid + Clone + Send + Sync + 'static>(grid: &G, z: &[f32], tile: (u32, u32)) -> Whole {
    let raster = Raster::of_grid(grid.clone(), tile.0, tile.1).expect("nothing to refuse");
    analyse(&raster, z).expect("nothing to refuse")
}

fn are_same(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
}

/// What the tiles say, against a filled surface and directions.
fn check<G: Grid>(grid: &G, z: &[f32], found: &Whole, filled: &[f32], receiver: &[u8], name: &str) {
    assert!(are_same(&found.filled, filled), "{name}: filled {z:?}");
    assert!(found.direction == receiver, "{name}: directions {z:?}");
    let field = Field::from_vec(grid.shape(), receiver.to_vec()).expect("one for each cell");
    let flow = Flow::from_receivers(grid, field).expect("no circles");
    let cells = hydro::accumulate_cells(grid, &flow.receiver).expect("no circles");
    let areas_m2 = hydro::accumulate(grid, &flow, &Field::from_fn(grid.shape(), |c| grid.area_m2(c)));
    let has_data = |c: &Cell| !z[c.index()].is_nan();
    let count = |c: Cell| if has_data(&c) { u64::from(cells[c]) } else { 0 };
    assert_eq!(found.accumulation, grid.cells().map(count).collect::<Vec<_>>(), "{name}: accumulation");
    let of = hydro::basins(grid, &flow);
    let roots: Vec<Cell> = grid.cells().filter(has_data).filter(|&c| flow.receiver[c] == NONE).collect();
    let number = |c: Cell| match roots.binary_search(&Cell(of[c])) {
        Ok(rank) if has_data(&c) => rank as u64 + 1,
        _ => 0,
    };
    assert_eq!(found.basin, grid.cells().map(number).collect::<Vec<_>>(), "{name}: basins");
    assert_eq!(found.basins.len(), roots.len(), "{name}: roots");
    for ((basin, &root), number) in found.basins.iter().zip(&roots).zip(1..) {
        let (_, row, col) = grid.shape().split(root);
        assert_eq!((basin.number, basin.row, basin.col), (number, row, col), "{name}: root");
        assert_eq!(basin.cells, u64::from(cells[root]), "{name}: cells");
        let error = (basin.area_m2 - areas_m2[root]).abs();
        assert!(error <= 1e-9 * areas_m2[root], "{name}: area {} off by {error}", basin.area_m2);
    }
}

const TILES: [(u32, u32); 9] =
    [(1, 1), (1, 4), (3, 1), (2, 3), (2, 2), (5, 7), (4, 100), (100, 3), (100, 100)];

#[test]
fn tiles_are_the_whole() {
    for number in 0..3000 {
        let mut draw = Seed(7).key(CASE).at(Nth(number));
        let most = if number % 50 == 0 { 28 } else { 12 };
        let (cols, rows) = (1 + draw.below(most), 1 + draw.below(most));
        let z = heights(&mut draw, cols, rows);
        let flat = Flat::new(cols, rows, 2.0).expect("in range");
        let tile = TILES[draw.below(TILES.len() as u32) as usize];
        let name = format!("case {number}: {cols} x {rows}, tiles of {tile:?}");
        if draw.below(2) == 0 {
            let obvious = Obvious::of(&flat, &z);
            let found = in_tiles(&flat, &z, tile);
            check(&flat, &z, &found, &obvious.filled, &obvious.receiver, &name);
        } else {
            let grid = Widening { flat, wraps: false };
            let obvious = Obvious::of(&grid, &z);
            let found = in_tiles(&grid, &z, tile);
            check(&grid, &z, &found, &obvious.filled, &obvious.receiver, &name);
        }
    }
}

fn check_in_memory<G: Grid + Clone + Send + Sync + 'static>(
    grid: &G,
    z: &Field<f32>,
    tile: (u32, u32),
    name: &str,
) {
    let links = Links::all(grid);
    let outlets = Outlets::at_border(grid, &links, z);
    let filled = hydro::fill(grid, &links, z, &outlets);
    let receiver = hydro::directions(grid, &links, &filled, &outlets);
    let found = in_tiles(grid, z.as_slice(), tile);
    check(grid, z.as_slice(), &found, filled.as_slice(), receiver.as_slice(), name);
}

#[test]
fn larger_maps_are_as_in_memory() {
    for number in 0..40 {
        let mut draw = Seed(8).key(CASE).at(Nth(number));
        let (map, z) = fractal(&mut draw, Seed(u64::from(number)).key(CASE));
        let tile = (1 + draw.below(50), 1 + draw.below(50));
        check_in_memory(&map, &z, tile, &format!("{number}: tiles of {tile:?}"));
        let (rows, cols) = (map.shape().rows, map.shape().cols);
        let plane = Raster::new((rows, cols), tile, Plane::new(30.0, 30.0).expect("in range"));
        let found = analyse(&plane.expect("in range"), z.as_slice()).expect("nothing to refuse");
        assert!(found.basins == in_tiles(&map, z.as_slice(), (200, 200)).basins, "{number}: a plane");
    }
}

#[test]
fn degrees_are_as_in_memory() {
    for number in 0..8 {
        let mut draw = Seed(9).key(CASE).at(Nth(number));
        let (map, z) = fractal(&mut draw, Seed(u64::from(number)).key(CASE));
        let (rows, cols) = (map.shape().rows, map.shape().cols);
        let (west, north, step) = (draw.range(-180.0, 80.0), draw.range(60.0, 89.0), 0.2);
        let grid = LonLat::new(cols, rows, west, north, step, step / 2.0, 6_371_000.0).expect("in range");
        check_in_memory(&grid, &z, (37, 41), &format!("{number}: a grid"));
        // The same ground without the grid.
        let sphere = Sphere::new(cols, rows, west, north, step, step / 2.0, 6_371_000.0).expect("in range");
        let raster = Raster::new((rows, cols), (64, 30), sphere).expect("in range");
        let (found, whole) = (analyse(&raster, z.as_slice()), in_tiles(&grid, z.as_slice(), (200, 200)));
        let found = found.expect("nothing to refuse");
        assert!(are_same(&found.filled, &whole.filled) && found.direction == whole.direction, "{number}");
        assert!(found.basin == whole.basin && found.basins == whole.basins, "{number}");
    }
}

#[test]
fn real_ground_is_that_of_other_programs() {
    let map = Flat::new(512, 512, 30.0).expect("in range");
    for (dem, filled) in [("dem_512", "filled_512"), ("dem_quantised20m_512", "filled_quantised20m_512")] {
        let whole = in_tiles(&map, &floats(dem), (512, 512));
        assert!(whole.filled == floats(filled), "{dem}");
        for tile in [(64, 64), (100, 37), (7, 300)] {
            assert!(in_tiles(&map, &floats(dem), tile) == whole, "{dem}: tiles of {tile:?}");
        }
    }
}

#[test]
fn a_lake_over_all_tiles_drains_through_its_only_outlet() {
    // A plain with a wall around it, open at one cell in the middle of the south side.
    let (cols, rows) = (61, 60);
    let map = Flat::new(cols, rows, 10.0).expect("in range");
    let level = |c: Cell| {
        let (_, row, col) = map.shape().split(c);
        let inside = row > 0 && row + 1 < rows && col > 0 && col + 1 < cols;
        if inside || (row + 1 == rows && col == 15) { 5.0 } else { 9.0 }
    };
    for tile in [(1, 9), (4, 4), (13, 17)] {
        check_in_memory(&map, &Field::from_fn(map.shape(), level), tile, "lake");
    }
}

#[test]
fn odd_rasters_have_clear_answers() {
    let one = Flat::new(1, 1, 1.0).expect("in range");
    assert_eq!(in_tiles(&one, &[3.0], (1, 1)).accumulation, [1]);
    let nothing = in_tiles(&one, &[f32::NAN], (1, 1));
    assert_eq!((nothing.accumulation[0], nothing.basin[0], nothing.basins.len()), (0, 0, 0));
    let map = Flat::new(5, 4, 1.0).expect("in range");
    for z in [f32::NAN, 7.0, f32::INFINITY, f32::NEG_INFINITY] {
        let obvious = Obvious::of(&map, &[z; 20]);
        check(
            &map,
            &[z; 20],
            &in_tiles(&map, &[z; 20], (2, 2)),
            &obvious.filled,
            &obvious.receiver,
            "all the same",
        );
    }
    let mut z = [1.0; 20];
    (z[6], z[7], z[12]) = (f32::NEG_INFINITY, f32::INFINITY, f32::MAX);
    let found = in_tiles(&map, &z, (2, 2));
    assert_eq!((found.filled[6], found.filled[7]), (1.0, f32::INFINITY));
}

/// The messages of all stages of one raster, to be damaged.
fn told(raster: &Raster, z: &[f32]) -> Vec<(&'static str, Vec<Message>)> {
    let cell = |tile: usize, around: u32| -> Vec<f32> {
        let place = raster.place(tile).expect("a tile");
        let (rows, cols) = (place.rows + 2 * around, place.cols + 2 * around);
        let at = |k: u32| (place.row + k / cols, place.col + k % cols);
        let value = |(row, col): (u32, u32)| match (row.checked_sub(around), col.checked_sub(around)) {
            (Some(row), Some(col)) if row < 6 && col < 6 => z[(row * 6 + col) as usize],
            _ => f32::NAN,
        };
        (0..rows * cols).map(|k| value(at(k))).collect()
    };
    let all = || 0..raster.tiles();
    let spilled: Vec<Message> = all().map(|t| raster.spill(t, cell(t, 1)).expect("sound")).collect();
    let mut spills = Spills::new(raster);
    all().for_each(|t| spills.take(raster, t, &spilled[t]).expect("sound"));
    spills.solve(raster).expect("all have told");
    let levels: Vec<Message> = all().map(|t| spills.tell(raster, t).expect("solved")).collect();
    let mut flats = Flats::new(raster, spills);
    let mut filled = Vec::new();
    let mut descended = Vec::new();
    for t in all() {
        let (surface, message) = raster.descend(t, &cell(t, 0), &levels[t]).expect("sound");
        flats.take_descended(raster, t, &message).expect("sound");
        filled.push(surface);
        descended.push(message);
    }
    let mut visited = Vec::new();
    while let Some(&t) = flats.due().expect("all have told").first() {
        let beside = flats.tell_due(raster, t).expect("a tile");
        let message = raster.visit(t, &filled[t], &beside).expect("sound");
        flats.take(raster, t, &message).expect("sound");
        visited.extend((t == 0).then_some(message));
    }
    let beside: Vec<Message> = all().map(|t| flats.tell(raster, t).expect("none is due")).collect();
    let settled: Vec<Message> =
        all().map(|t| raster.settle(t, &filled[t], &beside[t]).expect("sound").1).collect();
    let mut sums = Sums::new(raster);
    all().for_each(|t| sums.take(raster, t, &settled[t]).expect("sound"));
    sums.solve(raster).expect("no circle");
    assert!(sums.basins() > 0);
    let incoming = all().map(|t| sums.tell(raster, t).expect("solved")).collect();
    vec![
        ("spilled", spilled),
        ("levels", levels),
        ("descended", descended),
        ("visited", visited),
        ("beside", beside),
        ("settled", settled),
        ("incoming", incoming),
    ]
}

/// Gives a message to whoever takes it; whatever it is, there must be an answer or an error.
fn give(raster: &Raster, message: &Message, z: &[f32; 9], directions: &[u8; 9]) -> bool {
    let mut flats = Flats::new(raster, Spills::new(raster));
    let mut sums = Sums::new(raster);
    let taken = [
        Spills::new(raster).take(raster, 0, message).is_ok(),
        flats.take_descended(raster, 0, message).is_ok(),
        flats.take(raster, 0, message).is_ok(),
        sums.take(raster, 0, message).is_ok(),
        raster.descend(0, z, message).is_ok(),
        raster.visit(0, z, message).is_ok(),
        raster.settle(0, z, message).is_ok(),
        raster.sum(0, directions, z, message).is_ok(),
    ];
    taken.contains(&true)
}

#[test]
fn damaged_messages_are_no_reason_to_stop() {
    let raster = Raster::of_grid(Flat::new(6, 6, 1.0).expect("in range"), 3, 3).expect("in range");
    let mut draw = Seed(10).key(CASE).at(Nth(0));
    let z: Vec<f32> = (0..36).map(|_| draw.below(3) as f32).collect();
    let filled = [1.0f32; 9];
    for (stage, messages) in told(&raster, &z) {
        let Some(message) = messages.first() else { continue };
        assert!(give(&raster, message, &filled, &[NONE; 9]) || stage == "visited", "{stage}");
        for cut in 0..message.0.len() {
            give(&raster, &Message(message.0[..cut].to_vec()), &filled, &[NONE; 9]);
        }
        for _ in 0..300 {
            let mut damaged = message.clone();
            let at = draw.below(damaged.0.len() as u32) as usize;
            damaged.0[at] = [0, 1, 2, 7, u32::MAX, u32::MAX / 2, u32::MAX - 1][draw.below(7) as usize];
            let ways: [u8; 9] = std::array::from_fn(|_| draw.below(10) as u8);
            give(&raster, &damaged, &filled, &ways);
        }
    }
    let sums = Sums::new(&raster);
    assert_eq!(sums.tell(&raster, 1), Err(Error::Missing { tile: 1 }));
    assert_eq!(Spills::new(&raster).solve(&raster), Err(Error::Missing { tile: 0 }));
    assert!(raster.spill(0, vec![0.0; 9]).expect_err("no ring").to_string().contains("25 were expected"));
    assert!(raster.spill(4, vec![0.0; 25]).expect_err("four tiles").to_string().contains("no tile 4"));
    assert!(matches!(analyse(&raster, &[0.0; 5]), Err(Error::Size { .. })));
}

#[test]
fn what_cannot_be_done_is_refused_by_name() {
    let flat = Flat::new(6, 6, 1.0).expect("in range");
    let text = |raster: Result<Raster, Error>| raster.err().expect("refused").to_string();
    let wraps = Widening { flat: flat.clone(), wraps: true };
    assert!(text(Raster::of_grid(wraps, 2, 2)).contains("wraps"));
    let globe = grid::Globe::new(4, 6.4e6).expect("in range");
    assert!(text(Raster::of_grid(globe, 2, 2)).contains("face"));
    assert!(text(Raster::of_grid(flat, 0, 2)).contains("tiles of 0 x 2"));
    let round = Sphere::new(360, 180, -180.0, 90.0, 1.0, 1.0, 6.4e6);
    assert!(round.expect_err("refused").to_string().contains("wraps"));
}

#[test]
fn spheres_of_many_rows_are_one() {
    // More rows than a grid has: what their parts say fits together.
    let (rows, step) = (140_000, 1e-3);
    let sphere = Sphere::new(10, rows, 0.0, 70.0, step, step, 6.4e6).expect("in range");
    let raster = Raster::new((rows, 10), (50_000, 10), sphere.clone()).expect("in range");
    assert_eq!(raster.tiles(), 3);
    use hydro::tiles::Ground;
    for row in [0, 65_532, 65_533, 65_534, 131_065, 131_066, 131_067, rows - 2] {
        let (own, next) = (sphere.spacing_m(row), sphere.spacing_m(row + 1));
        // Diagonals between two rows are of one length.
        assert!((own[3] - next[1]).abs() < 1e-6 * own[3], "{row}");
        let latitude = (70.0 - (f64::from(row) + 0.5) * step).to_radians();
        let width = 6.4e6 * step.to_radians() * grid::math::cos(latitude);
        assert!((own[2] - width).abs() < 1e-6 * width, "{row}: {} {width}", own[2]);
        assert!((sphere.area_m2(row) - width * own[0]).abs() < 1e-6 * width * own[0], "{row}");
    }
}
