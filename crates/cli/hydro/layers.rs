//! Further rasters, each computed when it is asked for and dropped when it is written.

use super::arguments::{Hydro, HydroLayer, Multiple};
use super::core::Core;
use anyhow::{Context, Result};
use clap::ValueEnum;
use formats::BandValues;
use grid::{Field, Grid};
use hydro::network::{self, Chi, Stems, Undrained};
use hydro::spread::{self, Rule};
use hydro::{Links, terrain};

/// A raster to be written: its file's name, its unit, its values.
pub struct Layer {
    /// Without the ending.
    pub name: &'static str,
    /// Empty for numbers and codes.
    pub unit: &'static str,
    /// Row-major.
    pub values: BandValues,
    /// What means "none".
    pub nodata: f64,
}

/// The layers that were asked for; `all` are those that need no further input.
pub fn wanted(args: &Hydro) -> Vec<HydroLayer> {
    let mut layers = args.layers.clone();
    if layers.contains(&HydroLayer::All) {
        let free = |l: &HydroLayer| !matches!(l, HydroLayer::All | HydroLayer::Discharge);
        layers.extend(HydroLayer::value_variants().iter().copied().filter(free));
        layers.retain(|l| *l != HydroLayer::All);
    }
    if args.runoff.is_some() {
        layers.push(HydroLayer::Discharge);
    }
    layers.sort_unstable();
    layers.dedup();
    layers
}

/// What the file of a layer is called.
pub fn name(layer: HydroLayer) -> &'static str {
    match layer {
        HydroLayer::All => "all",
        HydroLayer::Change => "change",
        HydroLayer::Slope => "slope",
        HydroLayer::Aspect => "aspect",
        HydroLayer::Area => "area",
        HydroLayer::Dinf => "dinf",
        HydroLayer::Mfd => "mfd",
        HydroLayer::Wetness => "wetness",
        HydroLayer::Power => "power",
        HydroLayer::Hand => "hand",
        HydroLayer::Upstream => "upstream",
        HydroLayer::Downstream => "downstream",
        HydroLayer::Shreve => "shreve",
        HydroLayer::Hack => "hack",
        HydroLayer::Pfafstetter => "pfafstetter",
        HydroLayer::Subbasins => "subbasins",
        HydroLayer::Chi => "chi",
        HydroLayer::Discharge => "discharge",
    }
}

fn reals(values: &Field<f64>, is_known: impl Fn(usize) -> bool) -> BandValues {
    let known = |(i, &v): (usize, &f64)| if is_known(i) { v as f32 } else { f32::NAN };
    BandValues::F32(values.as_slice().iter().enumerate().map(known).collect())
}

/// Computes one layer.
pub fn compute<G: Grid>(grid: &G, core: &Core, layer: HydroLayer, args: &Hydro) -> Result<Layer> {
    let has_data = |i: usize| !core.ground.as_slice()[i].is_nan();
    let is_stream = |i: usize| core.is_stream.as_slice()[i];
    let (flow, streams) = (&core.flow, &core.is_stream);
    let stems = || Stems::of(grid, flow, &core.area_m2, streams);
    let (unit, values) = match layer {
        HydroLayer::Change => {
            let change = core.surface.as_slice().iter().zip(core.ground.as_slice()).map(|(w, z)| w - z);
            ("m", BandValues::F32(change.collect()))
        }
        HydroLayer::Slope => ("m/m", BandValues::F32(terrain::slope(grid, &core.ground).into_vec())),
        HydroLayer::Aspect => (
            "deg",
            BandValues::F32(terrain::aspect_rad(grid, &core.ground).map(|a| a.to_degrees()).into_vec()),
        ),
        HydroLayer::Area => ("m2", reals(&core.area_m2, has_data)),
        HydroLayer::Dinf => ("m2/m", reals(&specific(grid, core, None)?, has_data)),
        HydroLayer::Mfd => ("m2/m", reals(&specific(grid, core, Some(rule(args)))?, has_data)),
        HydroLayer::Wetness => {
            let (area, slope) = (specific(grid, core, None)?, terrain::slope(grid, &core.ground));
            ("", BandValues::F32(terrain::wetness_index(&area, &slope, terrain::LEAST_SLOPE).into_vec()))
        }
        HydroLayer::Power => {
            let (area, slope) = (specific(grid, core, None)?, terrain::slope(grid, &core.ground));
            ("m", BandValues::F32(terrain::stream_power_index_m(&area, &slope).into_vec()))
        }
        HydroLayer::Hand => {
            let drainage = network::first_stream(grid, flow, streams, Undrained::End);
            ("m", BandValues::F32(network::height_above_m(&core.surface, &drainage).into_vec()))
        }
        HydroLayer::Upstream => ("m", reals(&network::longest_path_m(grid, flow, &core.area_m2), has_data)),
        HydroLayer::Downstream => ("m", reals(&network::downstream_m(grid, flow), has_data)),
        HydroLayer::Shreve => ("", BandValues::U32(network::shreve(grid, flow, streams).into_vec())),
        HydroLayer::Hack => {
            ("", BandValues::U16(network::hack_order(grid, flow, streams, &stems()).into_vec()))
        }
        HydroLayer::Pfafstetter => {
            let digits = u32::from(args.pfafstetter);
            let codes = network::pfafstetter(grid, flow, &stems(), (&core.area_m2, streams), digits);
            ("", BandValues::U32(codes.into_vec()))
        }
        HydroLayer::Subbasins => ("", BandValues::U32(core.subbasins(grid).into_vec())),
        HydroLayer::Chi => {
            let chi = Chi { concavity: args.concavity, ..Chi::default() };
            ("m", reals(&chi.of(grid, flow, &core.area_m2, streams), is_stream))
        }
        HydroLayer::Discharge => {
            let discharge = core.discharge_m3_s.as_ref().context("--layers discharge needs --runoff")?;
            ("m3/s", reals(discharge, has_data))
        }
        HydroLayer::All => unreachable!("`all` stands for others"),
    };
    let nodata = if matches!(values, BandValues::F32(_)) { f64::NAN } else { 0.0 };
    Ok(Layer { name: name(layer), unit, values, nodata })
}

fn rule(args: &Hydro) -> Rule {
    match args.multiple {
        Multiple::Freeman => Rule::Freeman { exponent: args.exponent.unwrap_or(1.1) },
        Multiple::Quinn => Rule::Quinn { exponent: args.exponent.unwrap_or(1.0) },
    }
}

/// Area per length of contour: along D-infinity that across the flow, along multiple directions the cell's side.
fn specific<G: Grid>(grid: &G, core: &Core, rule: Option<Rule>) -> Result<Field<f64>> {
    let links = Links::all(grid);
    let own_m2 =
        Field::from_fn(grid.shape(), |c| if core.ground[c].is_nan() { 0.0 } else { grid.area_m2(c) });
    let Some(rule) = rule else {
        let spread = spread::d_infinity(grid, &links, &core.surface, &core.flow.receiver)?;
        let area_m2 = spread::accumulate(grid, &spread, &own_m2)?;
        let by_side = terrain::specific_area_m(grid, &area_m2);
        let contour_m = spread.contour_m(grid);
        // where the water ends there is no direction to look along
        let known = |c| if contour_m[c] > 0.0 { area_m2[c] / f64::from(contour_m[c]) } else { by_side[c] };
        return Ok(Field::from_fn(grid.shape(), known));
    };
    let spread = spread::Multiple::new(grid, &links, &core.surface, &core.flow.receiver, rule)?;
    Ok(terrain::specific_area_m(grid, &spread::accumulate(grid, &spread, &own_m2)?))
}
