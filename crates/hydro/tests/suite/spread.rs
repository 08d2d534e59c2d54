//! Water that spreads agrees with the definitions, loses nothing, and is right where the answer is known.

use grid::math::{acos, atan, atan2, cos, pow, sin};
use grid::{Cell, Direction, Draw, Field, Flat, Globe, Grid, LonLat, Nth, Purpose, Seed};
use hydro::spread::{DInfinity, Multiple, Rule, Spread, SpreadError, accumulate, d_infinity};
use hydro::{FlowError, Links, NONE};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, SQRT_2, TAU};

const CASES: u32 = 3000;

/// Heights that are all different, or of a few steps; now and then with gaps.
fn any_heights(grid: &impl Grid, draw: &mut Draw) -> Field<f32> {
    let steps = draw.below(10);
    let gaps = if draw.below(4) == 0 { draw.range(0.0, 0.4) } else { 0.0 };
    let mut height = |_| match (draw.unit() < gaps, steps) {
        (true, _) => f32::NAN,
        (_, 0 | 6..) => draw.range(-100.0, 100.0) as f32,
        _ => draw.below(steps) as f32 - 1.0,
    };
    Field::from_vec(grid.shape(), grid.cells().map(&mut height).collect()).expect("one for each cell")
}

/// A drained surface: its links, its levels, a receiver for each cell.
struct Ground {
    links: Links,
    surface: Field<f32>,
    receivers: Field<u8>,
}

impl Ground {
    fn of(grid: &impl Grid, elevation: &Field<f32>, links: Links) -> Self {
        let flood = hydro::flood(grid, &links, elevation, hydro::border_outlets(grid));
        let receivers = hydro::receivers(grid, &links, &flood);
        Self { links, surface: flood.filled, receivers }
    }

    fn any(grid: &impl Grid, draw: &mut Draw) -> Self {
        let elevation = any_heights(grid, draw);
        let links = if draw.below(2) == 0 { Links::all(grid) } else { Links::planar(grid, &elevation) };
        Self::of(grid, &elevation, links)
    }

    fn infinity(&self, grid: &impl Grid) -> DInfinity {
        d_infinity(grid, &self.links, &self.surface, &self.receivers).expect("receivers lead to cells")
    }

    fn multiple<'a, G: Grid>(&'a self, grid: &'a G, rule: Rule) -> Multiple<'a, G> {
        Multiple::new(grid, &self.links, &self.surface, &self.receivers, rule).expect("the rule is in range")
    }
}

/// Calls a function with thousands of small grids of every kind, and a source of chance.
macro_rules! on_any_grid {
    ($check:ident) => {
        for number in 0..CASES {
            const CASE: Purpose = Purpose::new("hydro/tests/spread");
            let draw = &mut Seed(7).key(CASE).at(Nth(number));
            let (cols, rows) = (1 + draw.below(9), 1 + draw.below(9));
            match draw.below(5) {
                0 | 1 => $check(&Globe::new(2 + draw.below(5), 6.4e6).expect("in range"), draw),
                2 => $check(&Flat::new(cols, rows, draw.range(0.1, 100.0)).expect("in range"), draw),
                3 => {
                    let (x, y) = (draw.range(1.0, 9.0), draw.range(1.0, 9.0));
                    $check(&Flat::oblong(cols, rows, x, y).expect("in range"), draw)
                }
                _ => {
                    let around = draw.below(2) == 0;
                    let x = if around { 360.0 / f64::from(cols) } else { 0.01 };
                    let y = if around { 170.0 / f64::from(rows) } else { 0.02 };
                    $check(&LonLat::new(cols, rows, 5.0, 80.0, x, y, 6.4e6).expect("in range"), draw)
                }
            }
        }
    };
}

/// Distance by the grid's row, where it has one, else straight through the sphere.
fn distance(grid: &impl Grid, a: Cell, b: Cell) -> f64 {
    match grid.row_spacing_m(0) {
        Some(_) => grid.cell_distance_m(a, b),
        None => grid.center(a).distance(grid.center(b)) * grid.metres_per_unit(),
    }
}

/// The ways down a facet, slope and direction in eighths: as Tarboton's paper has it on a map; elsewhere, where the
/// corner need not be square, down each side, and inside if the plane falls there.
fn ways_down(grid: &impl Grid, ground: &Ground, cell: Cell, facet: usize) -> Vec<(f64, f64)> {
    let there = |d: usize| {
        let direction = Direction::from_index(d as u8);
        let linked = ground.links.allows(cell, direction).then(|| grid.neighbor(cell, direction))?;
        linked.filter(|&n| !ground.surface[n].is_nan())
    };
    let drop = |n: Cell| f64::from(ground.surface[cell]) - f64::from(ground.surface[n]);
    let single = |n: Cell, d: usize| (drop(n) / distance(grid, cell, n), d as f64);
    let (side, diagonal) =
        if facet.is_multiple_of(2) { (facet, facet + 1) } else { ((facet + 1) % 8, facet) };
    let (Some(a), Some(b)) = (there(side), there(diagonal)) else {
        let singles = [side, diagonal].into_iter().filter_map(|d| Some(single(there(d)?, d)));
        return singles.collect();
    };
    let (d1, d2, d3) = (distance(grid, cell, a), distance(grid, a, b), distance(grid, cell, b));
    let is_square = grid.row_spacing_m(0).is_some();
    let (x, y) = if is_square {
        (d1, d2)
    } else {
        let angle = acos((d1 * d1 + d3 * d3 - d2 * d2) / (2.0 * d1 * d3));
        (d3 * cos(angle), d3 * sin(angle))
    };
    let s1 = drop(a) / d1;
    let s2 = (drop(b) - s1 * x) / y;
    let (r, opening) = (atan2(s2, s1), atan2(y, x));
    let within =
        if facet.is_multiple_of(2) { side as f64 + r / opening } else { facet as f64 + 1.0 - r / opening };
    let is_map = grid.metres_per_unit() == 1.0;
    if r > 0.0 && r < opening {
        let inside = ((s1 * s1 + s2 * s2).sqrt(), within);
        if is_map { vec![inside] } else { vec![inside, single(a, side), single(b, diagonal)] }
    } else if is_map {
        vec![if r <= 0.0 { single(a, side) } else { single(b, diagonal) }]
    } else {
        vec![single(a, side), single(b, diagonal)]
    }
}

fn check_infinity(grid: &impl Grid, draw: &mut Draw) {
    let ground = Ground::any(grid, draw);
    let found = ground.infinity(grid);
    for cell in grid.cells() {
        let (toward, slope) = (found.toward[cell], f64::from(found.slope[cell]));
        let facets: Vec<_> = (0..8).flat_map(|facet| ways_down(grid, &ground, cell, facet)).collect();
        let most = facets.iter().fold(0.0f64, |most, f| most.max(f.0));
        if ground.surface[cell].is_nan() {
            assert!(toward.is_nan() && slope.is_nan());
        } else if ground.receivers[cell] == NONE {
            assert!(toward.is_nan() && slope == 0.0);
        } else if most == 0.0 {
            assert_eq!((toward, slope), (f32::from(ground.receivers[cell]), 0.0), "{cell:?}");
        } else {
            // Chords are rounded to 24 bits, and so are the results. Where a facet is narrow that counts more.
            assert!((slope / most - 1.0).abs() < 1e-6, "{cell:?}: {slope} {most}");
            let near = |f: &&(f64, f64)| f.0 > most * (1.0 - 1e-6);
            let turn = |f: &(f64, f64)| (f.1 - f64::from(toward) + 12.0).rem_euclid(8.0) - 4.0;
            let error = facets.iter().filter(near).map(|f| turn(f).abs()).fold(f64::MAX, f64::min);
            assert!(error < 4e-6, "{cell:?}: {toward} is {error} from the nearest of {facets:?}");
        }
    }
}

#[test]
fn the_steepest_facet_is_found() {
    on_any_grid!(check_infinity);
}

/// Exact ties: of facets that are as steep the first clockwise from north is taken.
#[test]
fn of_equal_facets_the_first_clockwise_is_taken() {
    let map = Flat::new(3, 3, 1.0).expect("in range");
    let cases: [([f32; 9], f32); 5] = [
        ([0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], 0.0),
        ([9.0, 9.0, 9.0, 0.0, 1.0, 0.0, 9.0, 9.0, 9.0], 2.0),
        ([9.0, 9.0, 9.0, 9.0, 1.0, 9.0, 9.0, 0.0, 9.0], 4.0),
        ([9.0, 9.0, -1.0, 9.0, 1.0, 9.0, -1.0, 9.0, -1.0], 1.0),
        // Two facets fall inside themselves, at the same angle from their sides: E-SE and SE-S.
        ([9.0, 9.0, 9.0, 9.0, 4.0, 2.0, 9.0, 2.0, 1.0], f32::NAN),
    ];
    for (heights, expected) in cases {
        let surface = Field::from_vec(map.shape(), heights.to_vec()).expect("nine cells");
        let receivers = Field::filled(map.shape(), 0);
        let mut receivers_inside: Field<u8> = receivers.map(|_| NONE);
        receivers_inside[Cell(4)] = 0;
        let links = Links::all(&map);
        let found = d_infinity(&map, &links, &surface, &receivers_inside).expect("in range").toward[Cell(4)];
        if expected.is_nan() {
            assert!((2.0..3.0).contains(&found) && found > 2.0, "{found}");
        } else {
            assert_eq!(found, expected);
        }
    }
}

/// Shares by the papers' formulas.
fn shares_of(grid: &impl Grid, ground: &Ground, rule: Rule, cell: Cell) -> [f64; 8] {
    let mut weights = [0.0; 8];
    let level = ground.surface[cell];
    if ground.receivers[cell] == NONE || level.is_nan() {
        return weights;
    }
    for (d, n) in ground.links.neighbors(grid, cell).filter(|&(_, n)| ground.surface[n] < level) {
        let slope = (f64::from(level) - f64::from(ground.surface[n])) / distance(grid, cell, n);
        let side = |turn: u8| grid.neighbor(cell, d.turned(turn)).map(|s| distance(grid, cell, s));
        weights[d.index()] = match rule {
            Rule::Freeman { exponent } => pow(slope, exponent),
            Rule::Quinn { exponent } if d.is_side() => {
                // At a border a raster goes on as wide as it is.
                let spacing = grid.row_spacing_m(grid.shape().split(cell).1);
                let known = |turn: u8| side(turn).or(spacing.map(|s| s[d.turned(turn).index()]));
                0.5 * (known(2).expect("a side") + known(6).expect("a side")) / 2.0 * pow(slope, exponent)
            }
            Rule::Quinn { exponent } => {
                SQRT_2 / 4.0 * distance(grid, cell, n) / SQRT_2 * pow(slope, exponent)
            }
        };
    }
    let sum: f64 = weights.iter().sum();
    if sum == 0.0 {
        weights[usize::from(ground.receivers[cell])] = 1.0;
        return weights;
    }
    weights.map(|w| w / sum)
}

fn check_multiple(grid: &impl Grid, draw: &mut Draw) {
    let ground = Ground::any(grid, draw);
    let exponent = [1.0, 1.1, draw.range(0.1, 8.0)][draw.below(3) as usize];
    for rule in [Rule::Freeman { exponent }, Rule::Quinn { exponent }] {
        let spread = ground.multiple(grid, rule);
        for cell in grid.cells() {
            let (mut found, mut bits) = ([0.0; 8], 0);
            spread.shares(cell, |d, share| {
                found[usize::from(d)] += share;
                bits |= 1 << d;
            });
            assert_eq!(bits, spread.directions(cell));
            let expected = shares_of(grid, &ground, rule, cell);
            for d in 0..8 {
                assert!((found[d] - expected[d]).abs() < 2e-6, "{cell:?} {d}: {found:?} {expected:?}");
            }
        }
    }
}

#[test]
fn shares_are_those_of_the_papers() {
    on_any_grid!(check_multiple);
}

/// All water moved one step down at a time, until none is left on its way.
fn moved_step_by_step(grid: &impl Grid, spread: &impl Spread, weight: &Field<f64>) -> Vec<f64> {
    let mut passed = vec![0.0; grid.len()];
    let mut moving = weight.as_slice().to_vec();
    for _ in 0..=grid.len() {
        let mut next = vec![0.0; grid.len()];
        for cell in grid.cells().filter(|c| moving[c.index()] != 0.0) {
            passed[cell.index()] += moving[cell.index()];
            spread.shares(cell, |d, share| {
                let target = grid.neighbor(cell, Direction::from_index(d)).expect("given to a cell");
                next[target.index()] += share * moving[cell.index()];
            });
        }
        moving = next;
    }
    assert!(moving.iter().all(|&m| m == 0.0), "water runs in a circle");
    passed
}

fn check_sums_of(
    grid: &impl Grid,
    spread: &impl Spread,
    weight: &Field<f64>,
    is_lower: impl Fn(Cell, Cell) -> bool,
) {
    let sum = accumulate(grid, spread, weight).expect("no circle");
    let expected = moved_step_by_step(grid, spread, weight);
    let total: f64 = weight.as_slice().iter().sum();
    for cell in grid.cells() {
        assert!((sum[cell] - expected[cell.index()]).abs() <= 1e-12 * total, "{cell:?}");
        let mut of_one = 0.0;
        spread.shares(cell, |d, share| {
            of_one += share;
            let target = grid.neighbor(cell, Direction::from_index(d)).expect("given to a cell");
            assert!(share >= 0.0 && is_lower(target, cell), "{cell:?} gives {share} to {target:?}");
        });
        assert!(of_one == 0.0 || (of_one - 1.0).abs() < 1e-14);
    }
    let ends: f64 = grid.cells().filter(|&c| spread.directions(c) == 0).map(|c| sum[c]).sum();
    assert!((ends - total).abs() <= 1e-12 * total, "{ends} of {total} arrive");
}

fn check_sums(grid: &impl Grid, draw: &mut Draw) {
    let ground = Ground::any(grid, draw);
    let weights = grid.cells().map(|_| draw.range(0.0, 1e6)).collect();
    let weight = Field::from_vec(grid.shape(), weights).expect("one for each cell");
    // Never up; level only along a given receiver.
    let z = &ground.surface;
    let given = |cell: Cell| grid.neighbor(cell, Direction::from_index(ground.receivers[cell]));
    let is_lower = |to: Cell, from: Cell| z[to] < z[from] || (z[to] == z[from] && given(from) == Some(to));
    check_sums_of(grid, &ground.infinity(grid), &weight, is_lower);
    check_sums_of(grid, &ground.multiple(grid, Rule::default()), &weight, is_lower);
    check_sums_of(grid, &ground.multiple(grid, Rule::Quinn { exponent: 1.0 }), &weight, is_lower);
}

#[test]
fn sums_are_what_moves_down_and_nothing_is_lost() {
    on_any_grid!(check_sums);
}

/// With a great exponent, or across rasters of one row, only one neighbour gets anything.
fn check_single(grid: &impl Grid, draw: &mut Draw) {
    let ground = Ground::any(grid, draw);
    let ones = Field::filled(grid.shape(), 1.0);
    let clear = |cell: Cell| {
        let slope = |n| f64::from(ground.surface[cell] - ground.surface[n]) / distance(grid, cell, n);
        let mut slopes: Vec<f64> = ground.links.neighbors(grid, cell).map(|(_, n)| slope(n)).collect();
        slopes.retain(|s| *s > 0.0);
        slopes.sort_by(f64::total_cmp);
        slopes.len() < 2 || slopes[slopes.len() - 2] < 0.9 * slopes[slopes.len() - 1]
    };
    if grid.cells().all(clear) {
        let spread = ground.multiple(grid, Rule::Freeman { exponent: 1000.0 });
        let flow = hydro::Flow::from_receivers(grid, ground.receivers.clone()).expect("no circle");
        let (one, many) = (hydro::accumulate(grid, &flow, &ones), accumulate(grid, &spread, &ones));
        assert_eq!(one.as_slice(), many.expect("no circle").as_slice());
    }
}

#[test]
fn with_a_great_exponent_all_goes_the_steepest_way() {
    on_any_grid!(check_single);
}

/// Ground on which the cells inside the map drain, and the border is where water ends.
fn sheet(map: &Flat, height: impl Fn(f64, f64) -> f64 + Sync) -> Ground {
    let surface = Field::from_fn(map.shape(), |c| {
        let p = map.center(c);
        height(p.x, p.y) as f32
    });
    Ground::of(map, &surface, Links::all(map))
}

#[test]
fn on_a_plane_along_an_axis_sums_are_those_of_one_receiver() {
    let map = Flat::oblong(31, 17, 20.0, 50.0).expect("in range");
    let ones = Field::filled(map.shape(), 1.0);
    for (x, y) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let ground = sheet(&map, |e, n| e * x + n * y);
        let flow = hydro::Flow::from_receivers(&map, ground.receivers.clone()).expect("no circle");
        let sum = accumulate(&map, &ground.infinity(&map), &ones).expect("no circle");
        assert_eq!(sum, hydro::accumulate(&map, &flow, &ones), "{x} {y}");
        assert!(sum.as_slice().iter().any(|&s| s >= 15.0));
    }
}

#[test]
fn on_a_plane_of_any_aspect_the_angle_is_right() {
    for (width, height) in [(1.0, 1.0), (30.0, 30.0), (30.0, 47.0), (90.0, 20.0)] {
        let map = Flat::oblong(3, 3, width, height).expect("in range");
        let middle = map.center(Cell(4));
        for k in 0..3600 {
            let azimuth = f64::from(k) * TAU / 3600.0;
            let (east, north) = (sin(azimuth), cos(azimuth));
            let ground = sheet(&map, |x, y| -0.37 * ((x - middle.x) * east + (y - middle.y) * north));
            let found = ground.infinity(&map);
            let angle = f64::from(found.azimuth_rad(&map)[Cell(4)]);
            let error = (angle - azimuth + PI).rem_euclid(TAU) - PI;
            assert!(error.abs() < 1e-6, "{width} x {height}: {azimuth}, found {angle}");
            assert!((f64::from(found.slope[Cell(4)]) / 0.37 - 1.0).abs() < 1e-6);
            // Shared by angle: all of a quarter turn between the two neighbours that bound it.
            let mut toward = 0.0;
            found.shares(Cell(4), |d, share| {
                let (dr, dc) = Direction::from_index(d).offset();
                let way = atan2(dc as f64 * width, -dr as f64 * height);
                toward += share * ((way - azimuth + PI).rem_euclid(TAU) - PI);
            });
            assert!(toward.abs() < 1e-6, "{azimuth}: {toward}");
        }
    }
}

/// On a cone the water of a circle of radius r leaves over its rim: pi r^2 / (2 pi r).
#[test]
fn on_a_cone_the_specific_area_is_half_the_radius() {
    let map = Flat::new(401, 401, 1.0).expect("in range");
    let top = map.center(map.shape().join(0, 200, 200));
    let radius = |c: Cell| map.center(c).distance(top);
    let ground = sheet(&map, |x, y| -((x - top.x) * (x - top.x) + (y - top.y) * (y - top.y)).sqrt());
    let ones = Field::filled(map.shape(), 1.0);
    // Mean, and root of the mean square, of the error over half the radius.
    let error = |sum: &Field<f64>| {
        let ring: Vec<Cell> = map.cells().filter(|&c| (20.0..190.0).contains(&radius(c))).collect();
        let errors = ring.iter().map(|&c| sum[c] / (radius(c) / 2.0) - 1.0);
        let n = ring.len() as f64;
        (errors.clone().sum::<f64>() / n, (errors.map(|e| e * e).sum::<f64>() / n).sqrt())
    };
    let flow = hydro::Flow::from_receivers(&map, ground.receivers.clone()).expect("no circle");
    let one = error(&hydro::accumulate(&map, &flow, &ones));
    let found = ground.infinity(&map);
    let sum = accumulate(&map, &found, &ones).expect("no circle");
    let infinity = error(&sum);
    let contour = found.contour_m(&map);
    let specific = error(&Field::from_fn(map.shape(), |c| sum[c] / f64::from(contour[c])));
    let many = |rule| error(&accumulate(&map, &ground.multiple(&map, rule), &ones).expect("no circle"));
    let (freeman, quinn) = (many(Rule::default()), many(Rule::Quinn { exponent: 1.0 }));
    // One receiver draws star-shaped rays. Over the side of a cell D-infinity is low by 1 - sin(45) / (pi / 4) in the
    // mean of all directions, over the contour it is not. Multiple directions spread too far.
    assert!(one.1 > 0.5, "{one:?}");
    assert!((infinity.0 + 0.1).abs() < 0.02 && infinity.1 < 0.13, "{infinity:?}");
    assert!(specific.0.abs() < 0.015 && specific.1 < 0.11, "{specific:?}");
    assert!((0.04..0.06).contains(&freeman.0) && freeman.1 < 0.06, "{freeman:?}");
    assert!((0.08..0.11).contains(&quinn.0) && quinn.1 < 0.11, "{quinn:?}");
}

#[test]
fn diagonals_get_their_shares_of_a_plane() {
    let map = Flat::new(5, 5, 10.0).expect("in range");
    let ground = sheet(&map, |_, y| y);
    let south = |rule| {
        let mut shares = [0.0; 8];
        ground.multiple(&map, rule).shares(Cell(12), |d, share| shares[usize::from(d)] = share);
        shares
    };
    let diagonal = pow(1.0 / SQRT_2, 1.1);
    let expected = [diagonal, 1.0, diagonal].map(|w| w / (1.0 + 2.0 * diagonal));
    let found = south(Rule::default());
    // Powers are good to 12 digits.
    (0..3).for_each(|k| assert!((found[3 + k] - expected[k]).abs() < 1e-12));
    // 0.5 L against 0.354 L / sqrt(2): half to the side, a quarter to each diagonal.
    let found = south(Rule::Quinn { exponent: 1.0 });
    (0..3).for_each(|k| assert!((found[3 + k] - [0.25, 0.5, 0.25][k]).abs() < 1e-12, "{found:?}"));
}

#[test]
fn directions_and_sums_do_not_depend_on_threads() {
    let (globe, elevation) = crate::common::fractal_globe(48, 5);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let ground = Ground::of(&globe, &elevation, Links::planar(&globe, &elevation));
            let area = Field::from_fn(globe.shape(), |c| globe.area_m2(c));
            let found = ground.infinity(&globe);
            let angles = found.azimuth_rad(&globe);
            let one = accumulate(&globe, &found, &area).expect("no circle");
            let many =
                accumulate(&globe, &ground.multiple(&globe, Rule::default()), &area).expect("no circle");
            let bits = |f: &Field<f64>| f.as_slice().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            let short = |f: &Field<f32>| f.as_slice().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            (bits(&one), bits(&many), short(&found.toward), short(&found.slope), short(&angles))
        })
    };
    let alone = with(1);
    assert!(alone == with(2) && alone == with(5));
}

#[test]
fn what_cannot_be_spread_is_refused() {
    let map = Flat::new(3, 3, 1.0).expect("in range");
    let (links, surface) = (Links::all(&map), Field::filled(map.shape(), 1.0f32));
    let mut receivers = Field::filled(map.shape(), NONE);
    receivers[Cell(4)] = 9;
    let not_a_direction = FlowError::NotADirection { cell: Cell(4), value: 9 };
    let refused = d_infinity(&map, &links, &surface, &receivers).expect_err("9 is no direction");
    assert_eq!(refused, not_a_direction);
    let rule = Rule::default();
    let refused = Multiple::new(&map, &links, &surface, &receivers, rule).err().expect("9 is no direction");
    assert_eq!(refused, SpreadError::Flow(not_a_direction));
    receivers[Cell(4)] = Direction::E as u8;
    receivers[Cell(5)] = Direction::E as u8;
    let refused = d_infinity(&map, &links, &surface, &receivers).expect_err("nothing is east of there");
    assert_eq!(refused, FlowError::NoNeighbor { cell: Cell(5), direction: Direction::E });
    receivers[Cell(5)] = Direction::W as u8;
    let circle = d_infinity(&map, &links, &surface, &receivers).expect("all are directions");
    let refused = accumulate(&map, &circle, &Field::filled(map.shape(), 1.0)).expect_err("a circle");
    assert_eq!(refused, FlowError::Cycle { cell: Cell(4) });
    receivers[Cell(5)] = NONE;
    for exponent in [0.0, -1.0, f64::NAN, f64::INFINITY, 1000.1] {
        for rule in [Rule::Freeman { exponent }, Rule::Quinn { exponent }] {
            let refused =
                Multiple::new(&map, &links, &surface, &receivers, rule).err().expect("out of range");
            assert!(matches!(refused, SpreadError::Exponent { max: 1000.0, .. }));
        }
    }
}

/// Of the cell in the middle of nine.
fn assert_shares_are_numbers(spread: &impl Spread) {
    let mut sum = 0.0;
    spread.shares(Cell(4), |_, share| {
        assert!((0.0..=1.0).contains(&share));
        sum += share;
    });
    assert!((sum - 1.0f64).abs() < 1e-15);
}

#[test]
fn infinite_levels_give_shares_that_are_numbers() {
    let map = Flat::new(3, 3, 1.0).expect("in range");
    let inf = f32::INFINITY;
    for heights in
        [[inf, 1.0, -inf, 2.0, inf, -inf, 0.0, 1.0, inf], [1.0, 2.0, 3.0, -inf, 0.5, -inf, 9.0, 9.0, 9.0]]
    {
        let surface = Field::from_vec(map.shape(), heights.to_vec()).expect("nine cells");
        let ground = Ground { links: Links::all(&map), surface, receivers: Field::filled(map.shape(), NONE) };
        let mut inside = ground;
        inside.receivers[Cell(4)] = 0;
        assert_shares_are_numbers(&inside.infinity(&map));
        for rule in [Rule::default(), Rule::Quinn { exponent: 1.0 }] {
            assert_shares_are_numbers(&inside.multiple(&map, rule));
        }
    }
}

#[test]
fn angles_of_single_directions_are_those_of_the_cells() {
    let map = Flat::oblong(3, 3, 30.0, 40.0).expect("in range");
    let mut toward = Field::filled(map.shape(), f32::NAN);
    let angle = |toward: &Field<f32>| {
        let found = DInfinity { toward: toward.clone(), slope: Field::filled(map.shape(), 0.0) };
        f64::from(found.azimuth_rad(&map)[Cell(4)])
    };
    assert!(angle(&toward).is_nan());
    let diagonal = atan(0.75);
    let expected =
        [0.0, diagonal, FRAC_PI_2, PI - diagonal, PI, PI + diagonal, 6.0 * FRAC_PI_4, TAU - diagonal];
    for (d, expected) in expected.into_iter().enumerate() {
        toward[Cell(4)] = d as f32;
        assert!((angle(&toward) - expected).abs() < 5e-7, "{d}");
    }
}
