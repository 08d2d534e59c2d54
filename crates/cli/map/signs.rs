//! Signs on a map: ridges, faults, the motion of plates, volcanoes, symbols of ranges. Which there are, where they stand and
//! how large they are is decided here, once, for pictures and for sheets to print; each lays the strokes down in its own way.

use super::furniture::{FAULTS, motion_in_words, waters};
use super::sheet::Sheet;
use super::{RIDGE, Wish, lines, relief_symbols};
use crate::args::MapLayer;
use anyhow::Result;
use serve::draw::{Look, Stroke, Style};
use serve::print::{Key, SIGN_WIDTH, Sample, Sign};
use world::World;

/// How large signs are, in pixels of the sheet, which are samples of a map to print.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sizes {
    /// Letters: symbols of ranges are measured by them.
    pub letters: f32,
    /// Widths of lines: ridges, faults, arrows of motion.
    pub ridge: f32,
    pub fault: f32,
    pub motion: f32,
    /// Width of the triangle of a volcano.
    pub volcano: f32,
    /// Pixels of a symbol's own drawing to a pixel of the sheet: lines of symbols have the widths that suit the former.
    pub fineness: f32,
}

impl Sizes {
    /// What suits a picture that is seen whole.
    pub fn of_picture(width_px: usize) -> Self {
        let width = width_px as f32;
        Self {
            letters: Look::for_width(width_px).text_px,
            ridge: (width / 3500.0).max(0.7),
            fault: (width / 1400.0).max(1.0),
            motion: (width / 1600.0).max(1.0),
            volcano: (width / 320.0).max(4.0),
            fineness: 1.0,
        }
    }

    /// What suits paper of which a point has so many samples; letters are `scale` times as large as on A4.
    pub fn of_paper(samples_per_pt: f64, scale: f64) -> Self {
        // the fineness of a printed inch, about
        const DRAWN_PER_PT: f64 = 4.0;
        let pt = |length: f64| (length * scale * samples_per_pt) as f32;
        Self {
            letters: pt(6.0),
            ridge: pt(0.22),
            fault: pt(0.62),
            motion: pt(0.48),
            volcano: pt(2.3),
            fineness: (DRAWN_PER_PT / samples_per_pt) as f32,
        }
    }
}

/// Signs of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// What they are.
    pub name: &'static str,
    /// How they are drawn, the ones in front last.
    pub strokes: Vec<Stroke>,
}

/// The signs of a map beside its rivers and names, from the ground up.
pub fn layers(world: &World, wish: &Wish, sheet: &Sheet, sizes: &Sizes) -> Result<Vec<Layer>> {
    let layer = |name, strokes| Layer { name, strokes };
    Ok(match wish.layer {
        MapLayer::Ridges => vec![layer("ridges", lines::ridges(world, sheet, sizes.ridge)?)],
        MapLayer::Plates => vec![
            layer("faults", lines::faults(world, sheet, sizes.fault)?),
            layer("motion", lines::motions(world, sheet, sizes.motion)?),
            layer("volcanoes", lines::volcano_signs(world, sheet, sizes.volcano)),
        ],
        MapLayer::Relief if wish.style == Style::Atlas => {
            vec![layer("ranges", relief_symbols::strokes(world, sheet, sizes))]
        }
        _ => Vec::new(),
    })
}

/// What the signs of a printed map mean, and those colours of water that its key does not have.
pub fn meanings(world: &World, wish: &Wish, key: &Key) -> Vec<Sign> {
    let sizes = Sizes::of_paper(1.0, 1.0);
    let drawing = |words: &str, strokes| Sign { words: words.into(), sample: Sample::Drawing(strokes) };
    let across = |from: f32, to: f32| [(from, 0.0), (to, 0.0)];
    match wish.layer {
        MapLayer::Ridges => {
            vec![drawing("Ridge", vec![Stroke::line(&across(0.0, SIGN_WIDTH), 2.0 * sizes.ridge, RIDGE)])]
        }
        MapLayer::Plates => {
            let fault = |kind: &str| {
                let ink = lines::fault_colour(&kind.to_lowercase());
                drawing(kind, vec![Stroke::line(&across(0.0, SIGN_WIDTH), 1.6 * sizes.fault, ink)])
            };
            let shaft = across(0.15 * SIGN_WIDTH, 0.85 * SIGN_WIDTH);
            let mut arrow = vec![Stroke::line(&shaft, sizes.motion, lines::MOTION)];
            arrow.extend(lines::arrow_head(&shaft, sizes.motion));
            let mut signs: Vec<Sign> = FAULTS.into_iter().map(fault).collect();
            signs.extend(motion_in_words(world).map(|words| drawing(&words, arrow)));
            if lines::table(world, "volcanoes").is_some() {
                let triangle = lines::volcano_sign((0.5 * SIGN_WIDTH, 0.0), 1.6 * sizes.volcano);
                signs.push(drawing("Volcano", vec![triangle]));
            }
            signs
        }
        MapLayer::Relief => {
            let in_key = |name: &str| matches!(key, Key::Swatches(all) if all.iter().any(|(n, _)| n == name));
            let missing = waters(world, wish.style).into_iter().filter(|(name, _)| !in_key(name));
            missing.map(|(name, colour)| Sign { words: name.into(), sample: Sample::Patch(colour) }).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::Projection;
    use world::{Recipe, simulate};

    fn toy() -> World {
        let mut recipe = Recipe::preset("earthlike").expect("built in");
        recipe.grid.cells = 32;
        simulate(&recipe, &|_, _| {}).expect("sound")
    }

    fn atlas(width: usize) -> Wish {
        Wish { style: Style::Atlas, ..Wish::relief(width) }
    }

    fn plates(width: usize) -> Wish {
        let projection = Projection::Orthographic { lon0_deg: 40.0, lat0_deg: 30.0 };
        Wish { layer: MapLayer::Plates, projection, ..Wish::relief(width) }
    }

    /// The strokes of a wish, in shares of the sheet's width.
    fn shares(world: &World, wish: &Wish, sizes: &Sizes) -> Vec<Stroke> {
        let sheet = Sheet::of(world, wish);
        let layers = layers(world, wish, &sheet, sizes).expect("drawn");
        layers.into_iter().flat_map(|l| l.strokes).map(|s| s.scaled(1.0 / wish.width as f32)).collect()
    }

    fn points(stroke: &Stroke) -> &[(f32, f32)] {
        match stroke {
            Stroke::Line { points, .. } => points,
            Stroke::Area { ring, .. } => ring,
        }
    }

    /// How far the points of strokes lie apart; none if they are not the same strokes.
    fn apart(a: &[Stroke], b: &[Stroke]) -> Option<f32> {
        let ways = a.iter().zip(b).flat_map(|(a, b)| points(a).iter().zip(points(b)));
        let way = |(p, q): (&(f32, f32), &(f32, f32))| (p.0 - q.0).abs().max((p.1 - q.1).abs());
        (a.len() == b.len()).then(|| ways.map(way).fold(0.0, f32::max))
    }

    /// A sheet whose letters are those of a picture has the picture's signs, with the finer lines that paper shows.
    #[test]
    fn pictures_and_sheets_have_the_same_symbols_in_the_same_places() {
        let world = toy();
        let picture = Sizes::of_picture(1600);
        let drawn = shares(&world, &atlas(1600), &picture);
        assert!(drawn.len() > 200, "{}", drawn.len());
        let paper = Sizes { fineness: 4.0, ..picture };
        let printed = shares(&world, &atlas(1600), &paper);
        assert!(apart(&drawn, &printed).expect("the same symbols") < 1e-5);
        let widths = |all: &[Stroke]| -> f32 {
            all.iter().map(|s| if let Stroke::Line { width, .. } = s { *width } else { 0.0 }).sum()
        };
        assert!(widths(&printed) < 0.9 * widths(&drawn), "{} {}", widths(&printed), widths(&drawn));
    }

    /// Twice as many samples to the inch are the same signs.
    #[test]
    fn signs_on_paper_do_not_depend_on_its_samples() {
        let world = toy();
        let on_paper = |wish: Wish| shares(&world, &wish, &Sizes::of_paper(wish.width as f64 / 400.0, 1.0));
        let (coarse, fine) = (on_paper(plates(800)), on_paper(plates(1600)));
        assert!(coarse.len() > 100, "{}", coarse.len());
        // the rows of a sheet are whole
        assert!(apart(&coarse, &fine).expect("the same signs") < 1.0 / 800.0);
        let widths = |all: &[Stroke]| -> Vec<f32> {
            all.iter().map(|s| if let Stroke::Line { width, .. } = s { *width } else { 0.0 }).collect()
        };
        let pairs = widths(&coarse).into_iter().zip(widths(&fine)).collect::<Vec<_>>();
        assert!(pairs.iter().all(|(a, b)| (a - b).abs() < 1e-6));
    }

    /// Arrows of motion reach about to the next, on a globe and on a map of an island: longer ones would be a hatching.
    #[test]
    fn arrows_keep_apart() {
        for (preset, cells) in [("earthlike", 32), ("island", 48)] {
            let mut recipe = Recipe::preset(preset).expect("built in");
            recipe.grid.cells = cells;
            let world = simulate(&recipe, &|_, _| {}).expect("sound");
            let sheet = Sheet::of(&world, &plates(800));
            let strokes = lines::motions(&world, &sheet, 1.0).expect("it has plates");
            let length = |stroke: &Stroke| match stroke {
                Stroke::Line { points, .. } => {
                    let way = |w: &[(f32, f32)]| (w[1].0 - w[0].0, w[1].1 - w[0].1);
                    points.windows(2).map(way).map(|(x, y)| (x * x + y * y).sqrt()).sum::<f32>()
                }
                Stroke::Area { .. } => 0.0,
            };
            let apart = (sheet.window.width as f32 * sheet.window.height as f32 / 160.0).sqrt();
            // near poles this map draws all longer
            let mut lengths: Vec<f32> = strokes.iter().map(length).filter(|px| *px > 0.0).collect();
            lengths.sort_by(f32::total_cmp);
            let (middle, most) = (lengths[lengths.len() / 2], lengths[lengths.len() * 9 / 10]);
            assert!(middle > 0.05 * apart && most < 1.5 * apart, "{preset}: {middle} {most} of {apart}");
        }
    }

    /// What signs mean is said for each layer that has some, and a colour is not named twice.
    #[test]
    fn signs_have_meanings() {
        let world = toy();
        let words = |wish: &Wish, key: &Key| -> Vec<String> {
            meanings(&world, wish, key).into_iter().map(|sign| sign.words).collect()
        };
        let none = Key::Words(String::new());
        let all = words(&plates(800), &none);
        for expected in ["Convergent", "Divergent", "Transform", "Motion in ", "Volcano"] {
            assert!(all.iter().any(|w| w.starts_with(expected)), "{expected}: {all:?}");
        }
        assert_eq!(words(&Wish { layer: MapLayer::Ridges, ..Wish::relief(800) }, &none), ["Ridge"]);
        assert!(words(&atlas(800), &none).contains(&"Lake".to_string()));
        let with_lake = Key::Swatches(vec![("Lake".into(), [1, 2, 3])]);
        assert!(!words(&atlas(800), &with_lake).contains(&"Lake".to_string()));
    }
}
