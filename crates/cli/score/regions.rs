//! `terrane score --regions`: windows of refined terrain beside Earth.

use super::{about, figures_json, number, title, verdict};
use crate::args::{self, RegionMethod};
use crate::output::{Session, advance, emit, misuse};
use anyhow::{Context, Result};
use region::Method;
use region::survey::{
    Country, Directions, Grain, Judged, Surveyed, WINDOW_SIDE_M, beside_earth, median, places, refined,
};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use world::score::{Measured, tally};

/// Distances between samples for which a window has neither too few nor too many, in metres.
const RESOLUTION_M: std::ops::RangeInclusive<f64> = 10.0..=360.0;

/// What is told of windows beside the figures of Earth: a name, and what it is of a window.
type Named = (&'static str, fn(&Surveyed) -> Option<f64>);
const ALSO: [Named; 5] = [
    ("slopes_above_45_deg", |w| Some(w.survey.slopes.above_45_share)),
    ("in_depressions_1_cm", |w| Some(w.survey.in_depressions_1cm_share)),
    ("in_depressions_1_m", |w| Some(w.survey.in_depressions_1m_share)),
    ("drawn_rivers_where_water_runs", |w| w.rivers.drawn_found),
    ("water_where_rivers_are_drawn", |w| w.rivers.channels_drawn),
];

/// The sets of directions.
type NamedSet = (&'static str, fn(&Grain) -> &Directions);
const GRAIN: [NamedSet; 3] =
    [("gradients", |g| &g.gradients), ("valleys", |g| &g.valleys), ("channels", |g| &g.channels)];

/// A world with its windows.
struct Scored {
    title: String,
    about: Value,
    windows: Vec<Surveyed>,
}

/// Runs the command.
pub fn run(args: &args::Score, session: Session) -> Result<()> {
    if !RESOLUTION_M.contains(&args.resolution) {
        let (least, most) = (RESOLUTION_M.start(), RESOLUTION_M.end());
        let message = format!("--resolution {}: expected metres from {least} to {most}", args.resolution);
        return Err(misuse(message));
    }
    let mut all = Vec::with_capacity(args.worlds.len());
    for path in &args.worlds {
        all.push(measure(path, args, session)?);
    }
    if args.json { emit(&format!("{:#}\n", as_json(&all))) } else { emit(&as_text(&all)) }
}

fn measure(path: &Path, args: &args::Score, session: Session) -> Result<Scored> {
    let world = archive::load(path)?;
    let method = match args.method {
        RegionMethod::Drainage => Method::Drainage,
        RegionMethod::Classic => Method::Classic,
    };
    let chosen = places(&world, args.windows.into(), args.resolution);
    session.detail(&format!("{}: {} windows", path.display(), chosen.len()));
    let bar = session.bar("measuring");
    let windows = refined(&world, &chosen, method, &|share| advance(&bar, share))
        .with_context(|| format!("windows of {}", path.display()))?;
    bar.finish_and_clear();
    Ok(Scored { title: title(path, &world), about: about(path, &world), windows })
}

fn as_text(all: &[Scored]) -> String {
    let mut parts: Vec<String> = all.iter().map(|s| format!("{}\n{}", s.title, tables(&s.windows))).collect();
    if all.len() > 1 {
        parts.push(format!("all windows of {} worlds\n{}", all.len(), tables(&together(all))));
    }
    parts.join("\n\n")
}

fn together(all: &[Scored]) -> Vec<Surveyed> {
    all.iter().flat_map(|s| s.windows.iter().cloned()).collect()
}

fn tables(windows: &[Surveyed]) -> String {
    let judged = beside_earth(windows);
    let mut text = format!("{}\n\n", counts(windows));
    let mut section = "";
    for row in &judged {
        if section != row.measured.figure.section {
            section = row.measured.figure.section;
            let by = if section == "mountains" { "in ranges" } else { "all" };
            let [range, hills, plain] = Country::ALL.map(Country::name);
            let _ = writeln!(
                text,
                "{section:<29} {by:>9} {range:>9} {hills:>9} {plain:>9} {:>9}   band",
                "Earth"
            );
        }
        text.push_str(&line(row));
    }
    let measured: Vec<Measured> = judged.into_iter().map(|j| j.measured).collect();
    let (passed, counted) = tally(&measured);
    let left_out = match measured.len() - counted {
        0 => String::new(),
        n => format!("; {n} not measured"),
    };
    let _ = writeln!(text, "\n{passed} of {counted} figures within Earth's band{left_out}\n");
    text + &also(windows) + "\n" + &grain(windows)
}

fn counts(windows: &[Surveyed]) -> String {
    let count = |country| windows.iter().filter(|w| w.place.country == country).count();
    let all = Country::ALL.map(|c| format!("{} {}", count(c), c.name()));
    format!("windows of {} km, medians: {}", WINDOW_SIDE_M / 1000.0, all.join(", "))
}

fn line(row: &Judged) -> String {
    let figure = &row.measured.figure;
    let shown = |value: Option<f64>| value.map_or("-".into(), number);
    let [range, hills, plain] = row.by_country.map(shown);
    let band = format!("{} to {}", number(figure.low), number(figure.high));
    format!(
        "  {:<27} {:>9} {range:>9} {hills:>9} {plain:>9} {:>9}   {band:<16} {}\n",
        figure.name,
        shown(row.measured.reading.value()),
        number(figure.earth),
        verdict(&row.measured)
    )
}

/// Medians over the windows of a country.
fn by_country(windows: &[Surveyed], of: impl Fn(&Surveyed) -> Option<f64>) -> [Option<f64>; 3] {
    Country::ALL.map(|country| {
        let chosen = windows.iter().filter(|w| w.place.country == country);
        median(chosen.filter_map(&of))
    })
}

fn also(windows: &[Surveyed]) -> String {
    let [range, hills, plain] = Country::ALL.map(Country::name);
    let mut text = format!("{:<39} {range:>9} {hills:>9} {plain:>9}\n", "shares of samples, medians");
    for (name, of) in ALSO {
        let shown = by_country(windows, of).map(|v| v.map_or("-".into(), |v| format!("{v:.5}")));
        let [range, hills, plain] = shown;
        let _ = writeln!(text, "  {name:<37} {range:>9} {hills:>9} {plain:>9}");
    }
    text
}

/// All windows, or those of one country.
fn chosen(windows: &[Surveyed], country: Option<Country>) -> impl Iterator<Item = &Grain> + Clone {
    let chosen = windows.iter().filter(move |w| country.is_none_or(|c| c == w.place.country));
    chosen.map(|w| &w.survey.grain)
}

fn grain(windows: &[Surveyed]) -> String {
    let mut text = format!(
        "{:<29} {:>9} {:>9} {:>9} {:>9} {:>10}\n",
        "grain along the cells", "a2", "a4", "a8", "max/min", "unevenness"
    );
    let countries = [None].into_iter().chain(Country::ALL.map(Some));
    for (country, (name, of)) in countries.flat_map(|c| GRAIN.map(|set| (c, set))) {
        let pooled = Directions::pooled(chosen(windows, country).map(of));
        let (Some([a2, a4, a8]), Some(ratio), Some(unevenness)) =
            (pooled.amplitudes(), pooled.max_over_min(), pooled.unevenness())
        else {
            continue;
        };
        let label = format!("{name}, {}", country.map_or("all", Country::name));
        let _ = writeln!(text, "  {label:<27} {a2:>9.3} {a4:>9.3} {a8:>9.3} {ratio:>9.2} {unevenness:>10.4}");
    }
    text
}

fn as_json(all: &[Scored]) -> Value {
    let worlds: Vec<Value> = all
        .iter()
        .map(|s| merged(s.about.clone(), [windows_json(&s.windows), summary(&s.windows)]))
        .collect();
    if all.len() == 1 {
        return worlds.into_iter().next().unwrap_or_default();
    }
    json!({ "worlds": worlds, "median": summary(&together(all)) })
}

/// An object with the members of others.
fn merged<const N: usize>(mut value: Value, others: [Value; N]) -> Value {
    for other in others {
        if let (Some(all), Value::Object(more)) = (value.as_object_mut(), other) {
            all.extend(more);
        }
    }
    value
}

fn summary(windows: &[Surveyed]) -> Value {
    let judged = beside_earth(windows);
    let measured: Vec<Measured> = judged.iter().map(|j| j.measured.clone()).collect();
    let mut value = figures_json(&measured);
    if let Some(figures) = value["figures"].as_array_mut() {
        for (figure, row) in figures.iter_mut().zip(&judged) {
            *figure = merged(figure.take(), [countries_json(row.by_country)]);
        }
    }
    let also = ALSO.map(|(name, of)| (name.to_string(), countries_json(by_country(windows, of))));
    let sets = GRAIN.map(|(name, of)| {
        (name.to_string(), directions_json(&Directions::pooled(chosen(windows, None).map(of))))
    });
    merged(
        value,
        [
            json!({ "shares": also.into_iter().collect::<Value>(), "grain": sets.into_iter().collect::<Value>() }),
        ],
    )
}

fn countries_json(medians: [Option<f64>; 3]) -> Value {
    Country::ALL
        .iter()
        .zip(medians)
        .map(|(country, median)| (country.name().to_string(), json!(median)))
        .collect()
}

fn directions_json(directions: &Directions) -> Value {
    let amplitudes = directions.amplitudes();
    json!({
        "a2": amplitudes.map(|a| a[0]),
        "a4": amplitudes.map(|a| a[1]),
        "a8": amplitudes.map(|a| a[2]),
        "max_over_min": directions.max_over_min(),
        "unevenness": directions.unevenness(),
        "sectors": directions.sectors,
    })
}

fn windows_json(windows: &[Surveyed]) -> Value {
    let judged = beside_earth(windows);
    let window = |(k, w): (usize, &Surveyed)| {
        let figures =
            judged.iter().map(|j| (j.measured.figure.name.clone(), json!(j.values[k]))).collect::<Value>();
        let shares = ALSO.map(|(name, of)| (name.to_string(), json!(of(w))));
        let grain = GRAIN.map(|(name, of)| (name.to_string(), directions_json(of(&w.survey.grain))));
        json!({
            "country": w.place.country.name(),
            "middle": [w.place.middle.0, w.place.middle.1],
            "samples": [w.place.window.width, w.place.window.height],
            "resolution_m": w.place.lattice.spacing_m(),
            "figures": figures,
            "shares": shares.into_iter().collect::<Value>(),
            "grain": grain.into_iter().collect::<Value>(),
        })
    };
    json!({ "windows": windows.iter().enumerate().map(window).collect::<Vec<_>>() })
}
