//! Water lines: fine lines that follow the coast out at sea, as engravers drew them.
//!
//! The distance of each sea sample from the coast in pixels is a chamfer distance (Borgefors 1986: 1 to a side, 1.351
//! to a corner, at most 4 % off) in two passes; lines are where it is a multiple of the spacing, each fainter than
//! the one before.

use super::relief::ReliefInput;

/// Number of lines.
const LINES: usize = 3;
/// Half a line's width in pixels.
const HALF_WIDTH_PX: f32 = 0.55;
/// Cost of a step to a corner.
const DIAGONAL: f32 = 1.351;

/// Rows from which a water line can be seen.
pub(super) fn reach_rows(spacing_px: f32) -> usize {
    ((LINES as f32 + 0.5) * spacing_px) as usize + 2
}

/// How strongly a line shows at each sample, 0 to 1.
pub(super) fn strengths(input: &ReliefInput<'_>, spacing_px: f32) -> Vec<f32> {
    let greatest = (LINES as f32 + 0.5) * spacing_px;
    let mut strengths = coast_distance_px(input, greatest);
    for value in &mut strengths {
        let nth = (*value / spacing_px).round();
        let off = (*value - nth * spacing_px).abs();
        let drawn = nth >= 1.0 && nth <= LINES as f32;
        let faint = 0.55 - 0.13 * nth;
        *value = if drawn { faint * (1.0 - off / (2.0 * HALF_WIDTH_PX)).clamp(0.0, 1.0) } else { 0.0 };
    }
    strengths
}

/// Distance from the nearest land, `greatest` at most; 0 on land.
fn coast_distance_px(input: &ReliefInput<'_>, greatest: f32) -> Vec<f32> {
    let (width, height) = (input.width, input.height);
    // land is at 0.5, so that the coast between two samples is too
    let start = |i: usize| match input.elevation[i] {
        z if z.is_nan() || input.is_sea(i) => greatest,
        _ => -0.5,
    };
    let mut distance: Vec<f32> = (0..width * height).map(start).collect();
    let relax = |distance: &mut Vec<f32>, x: usize, y: usize, down: bool| {
        let i = y * width + x;
        let mut best = distance[i];
        let side = if down { x.checked_sub(1) } else { Some(x + 1).filter(|&x| x < width) };
        if let Some(side) = side {
            best = best.min(distance[y * width + side] + 1.0);
        }
        let before = if down { y.checked_sub(1) } else { Some(y + 1).filter(|&y| y < height) };
        if let Some(row) = before {
            for (dx, cost) in [(0, DIAGONAL), (1, 1.0), (2, DIAGONAL)] {
                if let Some(x) = (x + dx).checked_sub(1).filter(|&x| x < width) {
                    best = best.min(distance[row * width + x] + cost);
                }
            }
        }
        distance[i] = best;
    };
    for y in 0..height {
        (0..width).for_each(|x| relax(&mut distance, x, y, true));
    }
    for y in (0..height).rev() {
        (0..width).rev().for_each(|x| relax(&mut distance, x, y, false));
    }
    distance
}

#[cfg(test)]
mod tests {
    use super::super::shade::Spacing;
    use super::*;

    #[test]
    fn distances_from_an_islet_are_nearly_true() {
        let mut elevation = vec![-100.0; 41 * 41];
        elevation[20 * 41 + 20] = 10.0;
        let input = ReliefInput::new(41, 41, &elevation, Spacing::Uniform { x_m: 1.0, y_m: 1.0 });
        let distance = coast_distance_px(&input, 15.0);
        for (i, found) in distance.iter().enumerate().filter(|(i, _)| *i != 20 * 41 + 20) {
            let (dx, dy) = ((i % 41) as f32 - 20.0, (i / 41) as f32 - 20.0);
            let exact = ((dx * dx + dy * dy).sqrt() - 0.5).min(15.0);
            assert!((found - exact).abs() < 0.08 * exact + 0.05, "{dx} {dy}: {found} {exact}");
        }
        let strengths = strengths(&input, 4.0);
        let along: Vec<bool> = (21..41).map(|x| strengths[20 * 41 + x] > 0.0).collect();
        assert!(along[3] || along[4], "a line four pixels out: {strengths:?}");
        assert!(!along[1] && along[14..].iter().all(|shown| !shown));
    }
}
