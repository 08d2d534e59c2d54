//! Squares of a number of samples, as game engines ask for them.

use crate::args::{self, Engine};
use crate::output::{misuse, numbers};
use anyhow::Result;

/// A square of samples.
pub struct Square {
    /// Samples along a side.
    pub samples: usize,
    /// Metres between them.
    pub step_m: f64,
}

/// Sizes that an engine takes, and the one of which nothing is said.
fn sizes(engine: Engine) -> (&'static [usize], usize) {
    match engine {
        // whole sections of 63 or 127 quads, as Unreal's documentation recommends them
        Engine::Unreal => (&[127, 253, 505, 1009, 2017, 4033, 8129], 2017),
        Engine::Unity => (&[33, 65, 129, 257, 513, 1025, 2049, 4097], 2049),
        Engine::Godot => (&[513, 1025, 2049, 4097], 2049),
    }
}

/// The square that the arguments ask for; `None` where they count no samples.
///
/// Of size, span and resolution two are given, and the third follows; an engine alone has a usual size.
pub fn asked(args: &args::Region) -> Result<Option<Square>> {
    let span_m = || -> Result<Option<f64>> {
        let Some(text) = &args.span else { return Ok(None) };
        let [km] =
            numbers::<1>("--span", text, "KM, one number: the samples of --size and --engine are a square")?;
        if km > 0.0 && km <= 20_000.0 {
            return Ok(Some(km * 1000.0));
        }
        Err(misuse(format!("--span {text}: expected km from above 0 to 20000")))
    };
    let size = match (args.size, args.engine) {
        (None, None) => return Ok(None),
        (Some(size), engine) => Some(checked(size as usize, engine)?),
        (None, Some(_)) => None,
    };
    let engine = args.engine.map(sizes);
    let usual = size.or(engine.map(|(_, usual)| usual)).unwrap_or_default();
    let from = |samples: usize, step_m: f64| Ok(Some(Square { samples, step_m }));
    match (span_m()?, args.resolution) {
        (Some(span_m), None) => from(usual, span_m / (usual - 1) as f64),
        (None, Some(step_m)) => from(usual, step_m),
        (None, None) => Err(misuse("say how large: --span KM, or --resolution METRES")),
        (Some(span_m), Some(step_m)) if size.is_none() => from(fitting(engine, span_m, step_m)?, step_m),
        (Some(_), Some(_)) => {
            Err(misuse("--size, --span and --resolution: any two of them give the third; leave one out"))
        }
    }
}

fn checked(size: usize, engine: Option<Engine>) -> Result<usize> {
    match engine.map(sizes) {
        Some((sizes, _)) if !sizes.contains(&size) => {
            let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
            Err(misuse(format!("--size {size}: the engine takes {}", sizes.join(", "))))
        }
        _ => Ok(size),
    }
}

/// The least size of an engine that spans so much.
fn fitting(engine: Option<(&[usize], usize)>, span_m: f64, step_m: f64) -> Result<usize> {
    let sizes = engine.map_or(&[][..], |(sizes, _)| sizes);
    const HAIR: f64 = 1e-9;
    let fits = |size: &&usize| (**size - 1) as f64 * step_m >= span_m * (1.0 - HAIR);
    sizes.iter().find(fits).copied().ok_or_else(|| {
        let most = sizes.last().copied().unwrap_or_default();
        misuse(format!(
            "--engine: {:.0} samples along a side are more than it takes ({most}); ask for a smaller span or a resolution of \
             {:.2} m or more",
            span_m / step_m + 1.0,
            span_m / (most - 1) as f64
        ))
    })
}
