//! The statistics of any elevation: `cargo run --release -p terrane-region --example survey -- FILE.r32 COLUMNS SPACING_M`.
//!
//! The file holds rows of 32-bit floats from north to south, little-endian, in metres, without a header, as `terrane
//! region -o FILE.r32` writes it and `gdal_translate -of ENVI -ot Float32` of any square, projected raster.
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use region::survey::{Axis, Grain, Heights, Survey};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, columns, spacing_m] = &words[..] else {
        return Err("expected FILE.r32 COLUMNS SPACING_M".into());
    };
    let bytes = std::fs::read(file)?;
    let values = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let heights = Heights::new(values, columns.parse()?, spacing_m.parse()?)?;
    let survey = Survey::of(&heights, Axis::EAST);
    for (name, value) in survey.figures() {
        println!("{name:<30} {}", value.map_or("-".into(), |v| format!("{v:.4}")));
    }
    println!("{:<30} {:.5}", "slopes_above_45_deg", survey.slopes.above_45_share);
    println!("{:<30} {:.5}", "in_depressions_1_cm", survey.in_depressions_1cm_share);
    println!("{:<30} {:.5}", "in_depressions_1_m", survey.in_depressions_1m_share);
    let Grain { gradients, valleys, channels } = &survey.grain;
    for (name, set) in [("gradients", gradients), ("valleys", valleys), ("channels", channels)] {
        if let (Some([a2, a4, a8]), Some(ratio)) = (set.amplitudes(), set.max_over_min()) {
            println!("{name:<30} a2 {a2:.3}  a4 {a4:.3}  a8 {a8:.3}  max/min {ratio:.2}");
        }
    }
    Ok(())
}
