//! The same answers as other programs on the same elevation: see `data/hydro/README.md`.

use crate::common::from_esri;
use grid::{Direction, Field, Flat, Grid};
use hydro::{Flood, Flow, Links, NONE, Outlets};

/// The bytes of an array of the `.npy` format, version 1, in C order, after its header.
fn array(name: &str, descr: &str, (rows, cols): (u32, u32)) -> Vec<u8> {
    let path = format!("{}/../../data/hydro/{name}.npy", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\0");
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = String::from_utf8_lossy(&bytes[10..start]);
    let expected = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({rows}, {cols}), }}");
    assert_eq!(header.trim_end(), expected);
    bytes[start..].to_vec()
}

const MAP: (u32, u32) = (512, 512);

fn words(name: &str, descr: &str, shape: (u32, u32)) -> Vec<[u8; 4]> {
    array(name, descr, shape).as_chunks::<4>().0.to_vec()
}

fn floats(name: &str, shape: (u32, u32)) -> Vec<f32> {
    words(name, "<f4", shape).into_iter().map(f32::from_le_bytes).collect()
}

fn integers(name: &str) -> Vec<i32> {
    words(name, "<i4", MAP).into_iter().map(i32::from_le_bytes).collect()
}

fn map() -> Flat {
    Flat::new(MAP.1, MAP.0, 30.0).expect("in range")
}

fn field<T>(map: &Flat, values: Vec<T>) -> Field<T> {
    Field::from_vec(map.shape(), values).expect("one for each cell")
}

fn fill(map: &Flat, elevation: Vec<f32>) -> Flood {
    hydro::flood(map, &Links::all(map), &field(map, elevation), hydro::border_outlets(map))
}

fn fill_fast(map: &Flat, elevation: Vec<f32>) -> Field<f32> {
    let (links, elevation) = (Links::all(map), field(map, elevation));
    let outlets = Outlets::at_border(map, &links, &elevation);
    hydro::fill(map, &links, &elevation, &outlets)
}

/// Bits, so that a difference of sign or of a payload counts.
fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn filled_surfaces_are_those_of_fifteen_programs() {
    let map = map();
    let ours = fill(&map, floats("dem_512", MAP)).filled;
    assert!(bits(ours.as_slice()) == bits(&floats("filled_512", MAP)));
    assert!(fill_fast(&map, floats("dem_512", MAP)) == ours);
    // Where 0 and -0 are on one level, the sign is anybody's choice.
    let ours = fill(&map, floats("dem_quantised20m_512", MAP)).filled;
    assert!(ours.as_slice() == floats("filled_quantised20m_512", MAP));
    assert!(fill_fast(&map, floats("dem_quantised20m_512", MAP)) == ours);
}

#[test]
fn gaps_are_outlets() {
    let shape = (300, 417);
    let map = Flat::new(shape.1, shape.0, 30.0).expect("in range");
    let gap = |z: &f32| if *z == -9999.0 { f32::NAN } else { *z };
    let dem: Vec<f32> = floats("dem_nodata_300x417", shape).iter().map(gap).collect();
    assert!(dem.iter().any(|z| z.is_nan()));
    let expected: Vec<f32> = floats("filled_nodata_300x417", shape).iter().map(gap).collect();
    assert!(bits(fill(&map, dem.clone()).filled.as_slice()) == bits(&expected));
    assert!(bits(fill_fast(&map, dem).as_slice()) == bits(&expected));
}

#[test]
fn directions_agree_wherever_the_steepest_is_unique() {
    let map = map();
    let flood = fill(&map, floats("dem_512", MAP));
    let flow = hydro::route(&map, &Links::all(&map), &flood);
    let expected = array("d8_steepest_unambiguous_512", "|u1", MAP);
    let mut compared = 0;
    for c in map.cells().filter(|&c| !map.at_border(c)) {
        if let Some(direction) = from_esri(expected[c.index()]) {
            assert_eq!(Direction::from_index(flow.receiver[c]), direction, "{c:?}");
            compared += 1;
        }
    }
    assert!(compared > map.len() * 2 / 3, "{compared} cells");
}

#[test]
fn the_steepest_descent_agrees_wherever_it_is_unique() {
    let (map, filled) = (map(), floats("filled_512", MAP));
    let ours = hydro::d8(&map, &Links::all(&map), &field(&map, filled));
    let expected = array("d8_steepest_unambiguous_512", "|u1", MAP);
    let mut compared = 0;
    for c in map.cells() {
        if let Some(direction) = from_esri(expected[c.index()]) {
            assert_eq!(ours[c], direction as u8, "{c:?}");
            compared += 1;
        }
    }
    assert!(compared > map.len() * 2 / 3, "{compared} cells");
}

/// Receivers of directions by another program; water that leaves the map ends at its border.
fn reference_receivers(map: &Flat, name: &str) -> Field<u8> {
    let codes = array(name, "|u1", MAP);
    Field::from_fn(map.shape(), |c| match from_esri(codes[c.index()]) {
        Some(d) if map.neighbor(c, d).is_some() => d as u8,
        _ => NONE,
    })
}

fn reference_flow(map: &Flat) -> Flow {
    Flow::from_receivers(map, reference_receivers(map, "d8_richdem_esri_512")).expect("no circles")
}

#[test]
fn accumulation_is_that_of_eight_programs() {
    let map = map();
    let ours = hydro::accumulate(&map, &reference_flow(&map), &Field::filled(map.shape(), 1.0));
    let expected: Vec<f64> = integers("acc_richdem_512").into_iter().map(f64::from).collect();
    assert!(ours.as_slice() == expected);
}

#[test]
fn cells_are_counted_along_the_directions_of_four_programs() {
    let map = map();
    let whole = |name: &str| -> Vec<i64> { floats(name, MAP).into_iter().map(|n| n as i64).collect() };
    let integers = |name: &str| -> Vec<i64> { integers(name).into_iter().map(i64::from).collect() };
    for (program, expected) in [
        ("richdem", integers("acc_richdem_512")),
        ("pyflwdir_pf", integers("acc_pyflwdir_pf_512")),
        ("topotoolbox", whole("acc_topotoolbox_512")),
        ("taudem", whole("acc_taudem_512")),
    ] {
        let receiver = reference_receivers(&map, &format!("d8_{program}_esri_512"));
        let ours = hydro::accumulate_cells(&map, &receiver).expect("no circles");
        // TauDEM leaves out the border.
        let compared = map.cells().filter(|&c| program != "taudem" || !map.at_border(c));
        compared.for_each(|c| assert_eq!(i64::from(ours[c]), expected[c.index()], "{program}, {c:?}"));
    }
}

#[test]
fn strahler_orders_are_those_of_pyflwdir_and_whitebox() {
    let (map, cells) = (map(), integers("acc_richdem_512"));
    let flow = reference_flow(&map);
    for (least, name) in [(1, "strahler_all_512"), (100, "strahler_acc100_512")] {
        let is_stream = field(&map, cells.iter().map(|&n| n >= least).collect());
        let order = hydro::strahler(&map, &flow, &is_stream);
        assert!(order.as_slice() == array(name, "|u1", MAP), "{name}");
    }
}

#[test]
fn basins_are_those_of_pyflwdir_and_whitebox() {
    let map = map();
    let ours = hydro::basins(&map, &reference_flow(&map));
    let expected: Vec<u32> =
        integers("basin_outlet_index_512").into_iter().map(|i| u32::try_from(i).expect("an index")).collect();
    assert!(ours.as_slice() == expected);
}
