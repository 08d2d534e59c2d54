//! Pfafstetter's codes: drawn networks worked out by hand, the definition on sets of cells, and what codes promise.

use super::ranks::main_inflow;
use super::{River, drawn, river};
use grid::{Cell, Field, Grid};
use hydro::network::{Stems, pfafstetter};

fn codes(river: &River, digits: u32) -> Field<u32> {
    let stems = Stems::of(&river.grid, &river.flow, &river.area, &river.is_stream);
    pfafstetter(&river.grid, &river.flow, &stems, (&river.area, &river.is_stream), digits)
}

fn code_at(river: &River, codes: &Field<u32>, row: u32, col: u32) -> u32 {
    codes[river.grid.shape().join(0, row, col)]
}

/// The stem is the last row, its head in the west, its mouth in the east (column 13). Tributaries from the north, by column
/// and number of cells: 5: 2, 7: 5 (with a side branch of one), 8: 1, 10: 3, 12: 3. At each junction the stem brings more:
/// 5 cells at column 5, 9 at column 7.
///
/// The four largest are those of columns 5, 7, 10, 12; from the mouth up 12 is 2, 10 is 4, 7 is 6, 5 is 8. Junctions belong to
/// the part below: 1 is columns 12 and 13, 3 is 10 and 11, 5 is 7 to 9 and the cell north of 8, 7 is 5 and 6, 9 is 0 to 4.
///
/// Second digit: in 5 the cell north of column 8 is tributary 52; 51 is columns 8 and 9, 53 column 7. In 6 two single cells
/// meet at row 1; the one in the north has the lower address and is the stem, so the one in the west is 62, the piece
/// below 61, the head 63. Nothing else has tributaries: 10, 20, 30, 40, 70, 80, 90.
#[test]
fn a_drawn_network_is_coded_as_by_hand() {
    let river = drawn(&[
        ".......v......", //
        "......>v..v.v.",
        ".....v.v..v.v.",
        ".....v.vv.v.v.",
        ">>>>>>>>>>>>>o",
    ]);
    let one = codes(&river, 1);
    let two = codes(&river, 2);
    let stem_row = [90, 90, 90, 90, 90, 70, 70, 53, 51, 51, 30, 30, 10, 10];
    for (col, &code) in (0..).zip(&stem_row) {
        assert_eq!(code_at(&river, &two, 4, col), code, "column {col}");
    }
    for ((row, col), code) in [
        ((3, 5), 80),
        ((2, 5), 80),
        ((3, 7), 61),
        ((2, 7), 61),
        ((1, 7), 61),
        ((0, 7), 63),
        ((1, 6), 62),
        ((3, 8), 52),
        ((1, 10), 40),
        ((3, 12), 20),
        ((0, 0), 0),
    ] {
        assert_eq!(code_at(&river, &two, row, col), code, "row {row}, column {col}");
    }
    assert!(one.as_slice().iter().zip(two.as_slice()).all(|(a, b)| *a == b / 10));
    let nine = codes(&river, 9);
    assert!(nine.as_slice().iter().zip(two.as_slice()).all(|(a, b)| *a == b * 10_000_000));
}

/// Two tributaries join at one cell, column 3: the smaller one, from the north (2 cells), is 2, the larger one, from the south
/// (3 cells), is 4; the interbasin 3 between them is empty. Above comes a third: 6 at column 2, with headwater 7 and
/// interbasin 5 between columns 2 and 3, which is column 2 alone.
#[test]
fn tributaries_that_join_at_one_cell_leave_no_interbasin() {
    let river = drawn(&[
        ".......v...", //
        ".......v...",
        ">>>>>>>>>>o",
        "......^^...",
        ".......^...",
        ".......^...",
    ]);
    let codes = codes(&river, 1);
    let row: Vec<u32> = (0..11).map(|col| code_at(&river, &codes, 2, col)).collect();
    assert_eq!(row, [7, 7, 7, 7, 7, 7, 5, 1, 1, 1, 1]);
    assert_eq!((code_at(&river, &codes, 1, 7), code_at(&river, &codes, 3, 7)), (2, 4));
    assert_eq!(code_at(&river, &codes, 3, 6), 6);
}

/// Five tributaries of one cell each: the one farthest up gets no number. Two at one cell: the lower address is the larger.
#[test]
fn of_equal_tributaries_those_farther_down_are_numbered() {
    let river = drawn(&[
        "...v.v.v.v.v.", //
        ">>>>>>>>>>>>o",
    ]);
    let found = codes(&river, 2);
    let north: Vec<u32> = [3, 5, 7, 9, 11].map(|col| code_at(&river, &found, 0, col)).to_vec();
    // the fifth, in the headwater 9, is 92
    assert_eq!(north, [92, 80, 60, 40, 20]);
    let both = drawn(&[
        "....v......", //
        ">>>>>>>>>>o",
        "....^......",
    ]);
    let found = codes(&both, 1);
    assert_eq!((code_at(&both, &found, 0, 4), code_at(&both, &found, 2, 4)), (4, 2));
}

/// A part of a basin: its cells, and the piece of main stem in it, from its lowest cell up.
struct Part {
    cells: Vec<Cell>,
    stem: Vec<Cell>,
    digits: Vec<u32>,
}

fn main_stem(river: &River, mouth: Cell) -> Vec<Cell> {
    std::iter::successors(Some(mouth), |&c| main_inflow(river, c)).collect()
}

/// Divides a part by the definition, until it has its digits.
fn divide(river: &River, part: Part, digits: usize, codes: &mut [u32]) {
    let place = |c: Cell| part.stem.iter().position(|&s| s == c);
    let joins = |t: Cell| river.flow.receiver_of(&river.grid, t).and_then(place);
    let is_tributary = |c: &Cell| river.is_stream[*c] && place(*c).is_none() && joins(*c).is_some();
    let mut tributaries: Vec<Cell> = part.cells.iter().copied().filter(is_tributary).collect();
    if part.digits.len() == digits || tributaries.is_empty() {
        let code = (0..digits).fold(0, |code, i| code * 10 + part.digits.get(i).unwrap_or(&0));
        part.cells.iter().for_each(|c| codes[c.index()] = code);
        return;
    }
    let areas = |a: Cell, b: Cell| river.area[a].partial_cmp(&river.area[b]).expect("numbers");
    tributaries.sort_by(|&a, &b| areas(b, a).then(joins(a).cmp(&joins(b))).then(a.cmp(&b)));
    tributaries.truncate(4);
    tributaries.sort_by(|&a, &b| joins(a).cmp(&joins(b)).then(areas(a, b)).then(b.cmp(&a)));
    let digit = |c: Cell| {
        let way = river.down(c);
        if let Some(k) = tributaries.iter().position(|t| way.contains(t)) {
            return 2 * (k + 1);
        }
        let met = way.iter().find_map(|&d| place(d)).expect("all cells of a part drain to its stem");
        1 + 2 * tributaries.iter().filter(|&&t| joins(t) < Some(met)).count()
    };
    for d in 1..=9 {
        let cells: Vec<Cell> = part.cells.iter().copied().filter(|&c| digit(c) == d).collect();
        if cells.is_empty() {
            continue;
        }
        let stem = if d % 2 == 0 {
            main_stem(river, tributaries[d / 2 - 1])
        } else {
            part.stem.iter().copied().filter(|s| cells.contains(s)).collect()
        };
        let digits_so_far = part.digits.iter().copied().chain([d as u32]).collect();
        divide(river, Part { cells, stem, digits: digits_so_far }, digits, codes);
    }
}

#[test]
fn codes_follow_their_definition() {
    let mut greatest = 0;
    let mut missing = 0;
    for number in 0..3000 {
        let mut river = river(number);
        let digits = 1 + river.draw.below(4);
        let mut expected = vec![0; river.grid.len()];
        for mouth in river.streams().into_iter().filter(|&c| river.stream_below(c).is_none()) {
            let is_mouth = |c: Cell| river.is_stream[c] && river.stream_below(c).is_none();
            let first_mouth = |c: Cell| river.down(c).into_iter().find(|&d| is_mouth(d));
            let cells = river.grid.cells().filter(|&c| first_mouth(c) == Some(mouth)).collect();
            let whole = Part { cells, stem: main_stem(&river, mouth), digits: Vec::new() };
            divide(&river, whole, digits as usize, &mut expected);
        }
        let found = codes(&river, digits);
        assert_eq!(found.as_slice(), expected, "river {number}, {digits} digits");
        greatest = greatest.max(found.as_slice().iter().copied().max().unwrap_or(0));
        let first = |c: u32| expected.iter().any(|&e| e / 10u32.pow(digits - 1) == c);
        missing += usize::from(first(4) && !first(3));
    }
    assert!(greatest > 9000, "all four tributaries, in four digits: {greatest}");
    assert!(missing > 20, "empty interbasins were met {missing} times only");
}

/// Downstream of a code: the same, or smaller at the first digit that differs and odd (or not divided) from there on.
#[test]
fn water_runs_through_odd_digits() {
    for number in 0..1500 {
        let river = river(number);
        let found = codes(&river, 6);
        for c in river.streams() {
            let Some(below) = river.stream_below(c) else { continue };
            let (above, below) = (format!("{:06}", found[c]), format!("{:06}", found[below]));
            if let Some(first) = above.bytes().zip(below.bytes()).position(|(a, b)| a != b) {
                let rest = &below.as_bytes()[first..];
                assert!(rest[0] < above.as_bytes()[first], "river {number}: {above} to {below}");
                assert!(rest.iter().all(|&b| b == b'0' || b % 2 == 1), "river {number}: {above} to {below}");
            }
        }
    }
}

#[test]
#[should_panic(expected = "10 digits; 1 to 9 fit")]
fn ten_digits_do_not_fit() {
    codes(&drawn(&["o"]), 10);
}
