//! Figures for people.

use super::figures::{Bench, Row};
use super::scaling;
use std::fmt::Write;

/// Three tables: speed, agreement, threads.
pub fn text(bench: &Bench) -> String {
    let Bench { engine, machine, clock, world, seed, cells, digest, .. } = bench;
    let quick = if bench.quick { ", a quick look" } else { "" };
    let mut text = format!(
        "{engine}, {machine}{quick}\nworld {world}, seed {seed}, 6 x {cells} x {cells} cells\n\
         digest {digest}\ntimes of the {clock} clock, one thread\n\n"
    );
    text.push_str(&speed(&bench.rows));
    text.push('\n');
    text.push_str(&agreement(&bench.rows));
    if !bench.threads.is_empty() {
        text.push('\n');
        text.push_str(&threads(bench));
    }
    text
}

fn speed(rows: &[Row]) -> String {
    let mut text = format!(
        "{:<8}{:>5}{:>10} |{:>10}{:>9} |{:>9}{:>8} |{:>10} |{:>8}{:>9}\n{:<8}{:>5}{:>10} |{:>10}{:>9} |{:>9}{:>8} |{:>10} |{:>8}{:>9}\n",
        "place",
        "level",
        "spacing",
        "tile cold",
        "warm",
        "cold",
        "warm",
        "features",
        "read",
        "peak",
        "",
        "",
        "m",
        "ms",
        "ms",
        "ns/smpl",
        "ns/smpl",
        "per cell",
        "KB",
        "MB",
    );
    for row in rows {
        let [cold, warm] = row.window.ns_per_sample();
        let _ = writeln!(
            text,
            "{:<8}{:>5}{:>10.2} |{:>10.1}{:>9.1} |{cold:>9.0}{warm:>8.0} |{:>10.1} |{:>8.0}{:>9}",
            row.place,
            row.level,
            row.spacing_m,
            row.tile.cold_s * 1e3,
            row.tile.warm_s * 1e3,
            row.features_per_cell,
            row.bytes_read as f64 / 1e3,
            row.peak_bytes.map_or("-".into(), |b| format!("{:.0}", b as f64 / 1e6)),
        );
    }
    text
}

fn agreement(rows: &[Row]) -> String {
    let mut text = format!(
        "{:<8}{:>5} |{:>10} |{:>9}{:>9} |{:>10}{:>9}{:>7} |{:>9}{:>8}\n{:<8}{:>5} |{:>10} |{:>9}{:>9} |{:>10}{:>9}{:>7} |{:>9}{:>8}\n",
        "place",
        "level",
        "seam",
        "mean",
        "rms",
        "rivers",
        "95 %",
        "lost",
        "beds",
        "rising",
        "",
        "",
        "unequal",
        "m",
        "m",
        "astray, m",
        "m",
        "%",
        "steps",
        "",
    );
    let metres = |value: Option<f64>| value.map_or("-".into(), |m| format!("{m:.1}"));
    for row in rows {
        let lost = match row.astray.places {
            0 => "-".into(),
            all => format!("{:.1}", 100.0 * row.astray.lost as f64 / all as f64),
        };
        let _ = writeln!(
            text,
            "{:<8}{:>5} |{:>10} |{:>9.2}{:>9.2} |{:>10}{:>9}{lost:>7} |{:>9}{:>8}",
            row.place,
            row.level,
            row.seam.unequal,
            row.across.mean_m,
            row.across.rms_m,
            metres(row.astray.median_m),
            metres(row.astray.p95_m),
            row.beds.steps,
            row.beds.rising,
        );
    }
    text
}

fn threads(bench: &Bench) -> String {
    let mut text = format!(
        "{0} x {0} samples of the range at level {1}, cold, by the clock\n{2:>8}{3:>10}{4:>10}\n",
        scaling::SIDE,
        scaling::LEVEL,
        "threads",
        "seconds",
        "speedup"
    );
    let first = bench.threads.first().map_or(f64::NAN, |t| t.seconds);
    for t in &bench.threads {
        let _ = writeln!(text, "{:>8}{:>10.2}{:>10.2}", t.threads, t.seconds, first / t.seconds);
    }
    text
}
