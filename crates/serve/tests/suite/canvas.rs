//! Lines, areas and letters lie where they should, and nothing off the canvas does harm.

#![allow(clippy::unwrap_used, reason = "a test stops at what goes wrong")]

use serve::draw::canvas::MAX_SIDE;
use serve::draw::text::size_of;
use serve::draw::{
    Anchor, Canvas, Corner, DrawError, Frame, Graticule, Legend, Look, TextStyle, furniture, palette,
};

const WHITE: [u8; 4] = [255; 4];
const BLACK: [u8; 4] = [0, 0, 0, 255];

fn paper(width: usize, height: usize) -> Canvas {
    Canvas::new(width, height, WHITE).unwrap()
}

/// How much of a pixel black covers.
fn cover(canvas: &Canvas, x: usize, y: usize) -> f32 {
    1.0 - f32::from(canvas.pixel(x, y).unwrap()[1]) / 255.0
}

/// The box of pixels that are not white: left, top, right, bottom, the last two exclusive.
fn inked(canvas: &Canvas) -> Option<[usize; 4]> {
    let mut found: Option<[usize; 4]> = None;
    for y in 0..canvas.height() {
        for x in 0..canvas.width() {
            if canvas.pixel(x, y) != Some(WHITE) {
                let [l, t, r, b] = found.unwrap_or([x, y, x + 1, y + 1]);
                found = Some([l.min(x), t.min(y), r.max(x + 1), b.max(y + 1)]);
            }
        }
    }
    found
}

#[test]
fn a_line_is_as_wide_as_asked() {
    for width in [0.5_f32, 1.0, 1.5, 2.0, 3.7, 8.0] {
        for slope in [0.0, 0.35] {
            let mut canvas = paper(100, 100);
            canvas.line(&[(-20.0, 50.3 - 70.0 * slope), (120.0, 50.3 + 70.0 * slope)], width, BLACK);
            // Along a column a line of slope s takes its width times sqrt(1 + s^2).
            let want = width * (1.0 + slope * slope).sqrt();
            let mean =
                (20..80).map(|x| (0..100).map(|y| cover(&canvas, x, y)).sum::<f32>()).sum::<f32>() / 60.0;
            assert!((mean - want).abs() < 0.08, "width {width}, slope {slope}: {mean}, not {want}");
        }
    }
}

#[test]
fn a_filled_area_covers_its_pixels_and_no_other() {
    let mut canvas = paper(20, 20);
    canvas.rect((4.0, 5.0), (6.0, 3.0), BLACK);
    assert_eq!(inked(&canvas), Some([4, 5, 10, 8]));
    assert!((4..10).all(|x| (5..8).all(|y| cover(&canvas, x, y) == 1.0)));
    canvas.polygon(&[(12.5, 10.0), (13.5, 10.0), (13.5, 12.0), (12.5, 12.0)], BLACK);
    assert!((cover(&canvas, 12, 11) - 0.5).abs() < 0.02, "half a pixel is half covered");
}

#[test]
fn opacity_mixes_with_the_ground() {
    let mut canvas = paper(4, 4);
    canvas.rect((0.0, 0.0), (4.0, 4.0), [255, 0, 0, 128]);
    let [r, g, b, a] = canvas.pixel(1, 1).unwrap();
    assert!(r == 255 && a == 255 && g == b && g.abs_diff(127) <= 1);
}

#[test]
fn pixels_come_back_as_given() {
    let rgb: Vec<[u8; 3]> = (0..60).map(|i| [i as u8 * 4, 255 - i as u8, i as u8]).collect();
    let canvas = Canvas::from_rgb(10, 6, &rgb).unwrap();
    let want: Vec<u8> = rgb.iter().flat_map(|&[r, g, b]| [r, g, b, 255]).collect();
    assert_eq!(canvas.to_rgba(), want);
    assert_eq!(canvas.pixel(3, 2), Some([92, 232, 23, 255]));
    assert_eq!([canvas.pixel(10, 0), canvas.pixel(0, 6), canvas.pixel(usize::MAX, 0)], [None; 3]);
}

#[test]
fn impossible_pictures_are_refused() {
    for (width, height) in [(0, 5), (5, 0), (MAX_SIDE + 1, 1), (usize::MAX, usize::MAX)] {
        assert_eq!(Canvas::new(width, height, WHITE).err(), Some(DrawError::Size { width, height }));
    }
    let short = Canvas::from_rgb(2, 2, &[[0; 3]; 3]).err();
    assert_eq!(short, Some(DrawError::Length { layer: "colours", found: 3, expected: 4 }));
}

#[test]
fn text_stays_within_its_box_at_every_anchor() {
    let anchors = [
        (Anchor::TopLeft, (0.0, 0.0)),
        (Anchor::Top, (0.5, 0.0)),
        (Anchor::TopRight, (1.0, 0.0)),
        (Anchor::Left, (0.0, 0.5)),
        (Anchor::Centre, (0.5, 0.5)),
        (Anchor::Right, (1.0, 0.5)),
        (Anchor::BottomLeft, (0.0, 1.0)),
        (Anchor::Bottom, (0.5, 1.0)),
        (Anchor::BottomRight, (1.0, 1.0)),
    ];
    for text in ["Ångström gjpqy", "1234 m³/s", "60°N −12"] {
        for (anchor, (sx, sy)) in anchors {
            for size_px in [9.0, 24.0] {
                let (w, h) = size_of(text, size_px);
                let mut canvas = paper(600, 120);
                canvas.text((300.0, 60.0), text, &TextStyle::new(size_px).colour(BLACK).anchor(anchor));
                let [l, t, r, b] = inked(&canvas).unwrap().map(|v| v as f32);
                let (x, y) = (300.0 - sx * w, 60.0 - sy * h);
                let inside = l >= x - 1.0 && r <= x + w + 1.0 && t >= y - 1.0 && b <= y + h + 1.0;
                assert!(inside, "{text} {anchor:?}: ink {l} {t} {r} {b}, box {x} {y} {w} {h}");
                assert!(r - l > 0.9 * w && b - t > 0.5 * h, "the box is not much larger than the ink");
            }
        }
    }
}

#[test]
fn every_letter_that_maps_need_is_in_the_font() {
    let ink = |c: char| {
        let mut canvas = paper(60, 60);
        canvas.text((10.0, 10.0), &c.to_string(), &TextStyle::new(32.0).colour(BLACK));
        canvas.to_rgba()
    };
    let missing = ink('\u{4e00}'); // no Chinese: what an absent letter looks like
    for c in "AZaz09ÄÖÜßéèñçÅåØøÆæŁłŠšŽžĞğİıŐőŤťŻ°²³⁻¹₂×·–—…−≥≤≈±µ←↑→↓".chars()
    {
        assert!(ink(c) != missing, "{c} is not in the font");
    }
}

#[test]
fn a_halo_surrounds_the_letters() {
    let mut canvas = Canvas::new(60, 40, [0, 0, 128, 255]).unwrap();
    canvas.text((10.0, 5.0), "Il", &TextStyle::new(24.0).colour(BLACK).halo(WHITE, 2.0));
    let pixels = canvas.to_rgba();
    let of = |c: [u8; 4]| pixels.as_chunks::<4>().0.iter().filter(|p| **p == c).count();
    // Two stems of 17 pixels or more, a pixel of full black and two of full white wide at least.
    assert!(of(BLACK) >= 34 && of(WHITE) >= 68, "{} {}", of(BLACK), of(WHITE));
}

#[test]
fn pictures_are_laid_where_asked_even_half_off() {
    let mut canvas = paper(10, 10);
    let stamp = Canvas::new(4, 4, BLACK).unwrap();
    canvas.blit(&stamp, 8, -2);
    assert_eq!(inked(&canvas), Some([8, 0, 10, 2]));
    canvas.blit(&stamp, i32::MAX, i32::MIN);
    canvas.blit(&stamp, -4, 0);
    assert_eq!(inked(&canvas), Some([8, 0, 10, 2]));
}

#[test]
fn drawing_off_the_canvas_does_no_harm() {
    let far = [0.0, -1.0, 1e3, -1e6, 1e9, -3e37, f32::MAX, f32::INFINITY, f32::NAN];
    for &x in &far {
        for &y in &far {
            let mut canvas = paper(16, 16);
            for width in [1.0, 1e9, 0.0, -1.0, f32::NAN] {
                canvas.line(&[(x, y), (5.0, 5.0), (y, x)], width, BLACK);
            }
            canvas.polygon(&[(x, y), (5.0, 5.0), (y, x), (-3.0, 20.0)], BLACK);
            canvas.rect((x, y), (y, x), BLACK);
            canvas.text((x, y), "far", &TextStyle::new(12.0).halo(WHITE, 2.0));
            canvas.text((3.0, 3.0), "size", &TextStyle::new(x));
        }
    }
    let mut canvas = paper(16, 16);
    canvas.line(&[], 1.0, BLACK);
    canvas.line(&[(3.0, 3.0)], 1.0, BLACK);
    canvas.polygon(&[(3.0, 3.0), (4.0, 4.0)], BLACK);
    canvas.text((3.0, 3.0), "", &TextStyle::new(9.0));
    assert_eq!(inked(&canvas), None);
}

#[test]
fn a_line_from_far_outside_crosses_where_it_should() {
    let mut canvas = paper(100, 100);
    canvas.line(&[(-1e6, 50.5), (1e6, 50.5)], 1.0, BLACK);
    assert_eq!(inked(&canvas), Some([0, 50, 100, 51]));
    let mut ring = paper(100, 100);
    ring.polygon(&[(-1e7, -1e7), (1e7, -1e7), (1e7, 40.0), (-1e7, 40.0)], BLACK);
    assert_eq!(inked(&ring), Some([0, 0, 100, 40]));
}

#[test]
fn a_legend_is_as_large_as_it_says_and_in_its_corner() {
    let look = Look { text_px: 12.0, ..Look::for_width(800) };
    let legend = Legend::new("Elevation").ramp("Land, m", palette::hypsometric(), &[]).line(
        "River",
        3.0,
        [0, 0, 200, 255],
    );
    let (w, h) = legend.size(&look);
    for (corner, right, low) in [(Corner::TopLeft, false, false), (Corner::BottomRight, true, true)] {
        let mut canvas = paper(800, 400);
        legend.draw(&mut canvas, corner, &look);
        let [l, t, r, b] = inked(&canvas).unwrap().map(|v| v as f32);
        assert!((r - l - w).abs() < 3.0 && (b - t - h).abs() < 3.0);
        assert_eq!((l > 400.0, t > 200.0), (right, low));
    }
}

#[test]
fn ticks_are_round_within_the_range_and_about_as_many_as_asked() {
    for (low, high) in [(0.0_f32, 1.0), (-9000.0, 0.0), (-431.0, 7512.0), (3.2, 3.9), (0.0, 60_000.0)] {
        let ticks = furniture::round_ticks((low, high), 5);
        assert!((3..=8).contains(&ticks.len()), "{low}..{high}: {ticks:?}");
        assert!(ticks.iter().all(|t| (low - 1e-3..=high + 1e-3).contains(t)), "{ticks:?}");
    }
    assert_eq!(furniture::round_ticks((0.0, 10.0), 5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
    assert_eq!(furniture::round_ticks((4.0, 4.0), 5), [4.0]);
}

#[test]
fn numbers_read_as_on_maps() {
    let cases = [
        (0.0, "0"),
        (-12.5, "\u{2212}12.5"),
        (9999.0, "9999"),
        (12_345.0, "12\u{a0}345"),
        (1e6, "1\u{a0}000\u{a0}000"),
        (0.000_42, "0.0004"),
        (-0.1234, "\u{2212}0.123"),
    ];
    for (value, text) in cases {
        assert_eq!(furniture::number(value), text);
    }
}

#[test]
fn graticule_lines_lie_at_their_degrees() {
    let frame = Frame { west: 170.0, east: 190.0, south: -5.0, north: 5.0 };
    let mut canvas = paper(400, 200);
    let look = Look::for_width(400);
    Graticule { step_deg: 10.0, colour: BLACK, labels: false }.draw(&mut canvas, &frame, &look);
    let columns: Vec<usize> = (0..400).filter(|&x| cover(&canvas, x, 30) > 0.3).collect();
    let rows: Vec<usize> = (0..200).filter(|&y| cover(&canvas, 30, y) > 0.3).collect();
    assert_eq!((columns, rows), (vec![199, 200], vec![99, 100]), "180 E and the equator, and no border");
    for step_deg in [0.0, -1.0, f64::NAN, 1e-9] {
        let mut clean = paper(40, 20);
        Graticule { step_deg, colour: BLACK, labels: true }.draw(&mut clean, &frame, &look);
        assert_eq!(inked(&clean), None);
    }
}

#[test]
fn a_scale_bar_is_as_long_as_it_says() {
    let look = Look { text_px: 20.0, ..Look::for_width(2000) };
    let mut canvas = paper(1000, 300);
    // 14 em are 280 px: 28 km at 100 m a pixel, so the bar is 20 km or 200 px.
    furniture::scale_bar(&mut canvas, 100.0, Corner::TopLeft, &look);
    let dark = |x: usize, y: usize| cover(&canvas, x, y) > 0.6;
    let row = (0..300).max_by_key(|&y| (0..1000).filter(|&x| dark(x, y)).count()).unwrap();
    let first = (0..1000).find(|&x| dark(x, row)).unwrap();
    let last = (0..1000).rfind(|&x| dark(x, row)).unwrap();
    assert!((199..=203).contains(&(last - first + 1)), "{}", last - first + 1);
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut clean = paper(100, 50);
        furniture::scale_bar(&mut clean, wrong, Corner::TopLeft, &look);
        assert_eq!(inked(&clean), None);
    }
}

#[test]
fn thousands_of_wild_shapes_do_no_harm() {
    use grid::{Nth, Purpose, Seed};
    const WILD: Purpose = Purpose::new("tests/canvas/wild");
    for case in 0..3000 {
        let mut draw = Seed(7).key(WILD).at(Nth(case));
        let mut coordinate = || {
            let sign = if draw.unit() < 0.5 { -1.0 } else { 1.0 };
            (sign * grid::math::pow(10.0, draw.unit() * 12.0 - 2.0)) as f32
        };
        let points: Vec<(f32, f32)> = (0..9).map(|_| (coordinate(), coordinate())).collect();
        let width = coordinate().abs();
        let mut canvas = paper(1 + case as usize % 97, 1 + case as usize % 61);
        canvas.line(&points, width, BLACK);
        canvas.polygon(&points, BLACK);
        canvas.text(points[0], "Łódź 60°N", &TextStyle::new(width).halo(WHITE, points[1].0));
    }
}

/// On small pictures a scale bar is shorter, and on the smallest there is none.
#[test]
fn a_scale_bar_leaves_room_on_small_pictures() {
    for (side, is_drawn) in [(40, false), (160, true), (400, true)] {
        let mut canvas = paper(side, side);
        let look = Look { paper: BLACK, ..Look::for_width(side) };
        furniture::scale_bar(&mut canvas, 90.0, Corner::BottomRight, &look);
        let is_inked = |x: &usize| (0..side).any(|y| cover(&canvas, *x, y) > 0.1);
        let west = (0..side).find(is_inked);
        assert_eq!(west.is_some(), is_drawn, "{side}");
        assert!(west.is_none_or(|west| west > side / 4), "{side}: from {west:?} on");
    }
}
