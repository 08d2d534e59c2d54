mod rendered;
mod synthetic;

use super::*;
use crate::banks::Room;
use grid::{Draw, Key, Nth, Purpose, Seed, math};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use synthetic::{Made, Tree};

const CASES: Key = Seed(11).key(Purpose::new("test/envelope/cases"));

/// Share of samples in depressions deeper than each of `depths`, by flooding from the border over 8 neighbours.
pub(super) fn share_in_pits(shaped: &[Shaped], side: usize, depths: &[f64]) -> Vec<f64> {
    let key = |z: f64| (z * 1e6) as i64;
    let mut level = vec![f64::INFINITY; side * side];
    let mut heap = BinaryHeap::new();
    for k in 0..side * side {
        if k < side || k >= side * (side - 1) || k % side == 0 || k % side == side - 1 {
            level[k] = shaped[k].elevation_m;
            heap.push(Reverse((key(level[k]), k)));
        }
    }
    while let Some(Reverse((_, k))) = heap.pop() {
        let (r, c) = ((k / side) as i64, (k % side) as i64);
        for (dr, dc) in (-1..2).flat_map(|dr| (-1..2).map(move |dc| (dr, dc))) {
            let (r, c) = (r + dr, c + dc);
            if r < 0 || c < 0 || r >= side as i64 || c >= side as i64 {
                continue;
            }
            let o = r as usize * side + c as usize;
            if level[o] == f64::INFINITY {
                level[o] = level[k].max(shaped[o].elevation_m);
                heap.push(Reverse((key(level[o]), o)));
            }
        }
    }
    let share = |depth: &f64| {
        let deep = (0..side * side).filter(|&k| level[k] - shaped[k].elevation_m > *depth).count();
        deep as f64 / (side * side) as f64
    };
    depths.iter().map(share).collect()
}

/// Every channel at one sample, nothing left out.
fn slow(style: &Style, frame: &Frame, channels: &[Channel], p: Vec3) -> Shaped {
    if !p.length_squared().is_finite() {
        return Shaped::NOTHING;
    }
    let mut shaped = Shaped::NOTHING;
    let [x, y] = frame.project(p);
    let segments: Vec<_> = channels.iter().map(|c| Segment::new(c, frame, style)).collect();
    let mut clear = f32::INFINITY;
    let (mut wide, mut deepest): (Option<RiverHere>, Option<(Room, f64, f64)>) = (None, None);
    for (k, (segment, channel)) in segments.iter().zip(channels).enumerate() {
        let (t, own) = segment.clear(x, y);
        clear = clear.min(segment.narrow().clear(x as f32, y as f32).1);
        if channel.half_width_m.0.max(channel.half_width_m.1) < style.least_drawn_m() {
            continue;
        }
        if own < 0.0 {
            let bed_m = channel.bed_m.0 + t * (channel.bed_m.1 - channel.bed_m.0);
            let depth_m = channel.depth_m.0 + t * (channel.depth_m.1 - channel.depth_m.0);
            let (discharge_m3_s, order) = (channel.discharge_m3_s, channel.order);
            let (surface_m, channel_at) = (bed_m + depth_m, k as u32);
            let here = RiverHere { channel: channel_at, bed_m, surface_m, discharge_m3_s, order };
            let is_greater =
                |old: &Option<RiverHere>| old.is_none_or(|old| discharge_m3_s > old.discharge_m3_s);
            if channel.uneven == 0.0 {
                shaped.river = if is_greater(&shaped.river) { Some(here) } else { shaped.river };
                continue;
            }
            wide = if is_greater(&wide) { Some(here) } else { wide };
            let half_m = channel.half_width_m.0 + t * (channel.half_width_m.1 - channel.half_width_m.0);
            let room = Room { half_m, uneven: channel.uneven, within_m: -own };
            let is_deeper = deepest.is_none_or(|(old, ..)| old.deeper(room) != old);
            deepest = if is_deeper { Some((room, surface_m, surface_m - bed_m)) } else { deepest };
        }
    }
    // in the room of wide rivers it is land or water
    let other_m3_s = shaped.river.map_or(0.0, |river| river.discharge_m3_s);
    let shore =
        deepest.map(|(room, surface_m, depth_m)| ((surface_m, depth_m), room, style.banks.off_m(p, room)));
    if let Some((wide, ((surface_m, _), _, off))) = wide.zip(shore) {
        let is_lesser = wide.discharge_m3_s > 2.0 * other_m3_s;
        if off.land_m() > 0.0 {
            if wide.discharge_m3_s > other_m3_s {
                shaped.river = Some(wide);
            }
        } else if is_lesser && off.bank_m > 0.0 {
            shaped.river = None;
        } else if is_lesser && let Some(brook) = &mut shaped.river {
            let up_m = (surface_m - brook.surface_m).max(0.0);
            (brook.bed_m, brook.surface_m) = (brook.bed_m + up_m, brook.surface_m + up_m);
        }
    }
    if let Some(own) = shaped.river {
        let mut sum = [0.0; 3];
        for (segment, channel) in segments.iter().zip(channels) {
            let (t, off) = segment.clear(x, y);
            if channel.half_width_m.0.max(channel.half_width_m.1) < style.least_drawn_m() || off >= 0.0 {
                continue;
            }
            let (a, b) = (channel.discharge_m3_s, own.discharge_m3_s);
            let share = if a == b { 1.0 } else { a.min(b) / a.max(b) };
            let alike = ((share - 0.5) * 2.5).clamp(0.0, 1.0);
            let bed_m = segment.bed[0] + t * segment.bed[1];
            let depth_m = segment.depth[0] + t * segment.depth[1];
            let inside = off / (segment.half_width[0] + t * segment.half_width[1]);
            let weight = inside * inside * alike;
            sum[0] += weight;
            sum[1] += weight * (bed_m - own.bed_m);
            sum[2] += weight * (bed_m + depth_m - own.surface_m);
        }
        if sum[0] > 0.0 {
            let (bed_m, surface_m) = (own.bed_m + sum[1] / sum[0], own.surface_m + sum[2] / sum[0]);
            shaped.river = Some(RiverHere { bed_m, surface_m, ..own });
        }
    }
    if let (Some(river), Some((_, room, off))) = (&mut shaped.river, shore) {
        let share = off.land_m() / (0.15 * room.own_m());
        if off.land_m() > 0.0 && share < 1.0 {
            let depth_m = river.surface_m - river.bed_m;
            river.bed_m = river.bed_m.max(river.surface_m - depth_m * share);
        }
    }
    let mut warp = [0.0; 4];
    for (noise, scale, share) in &style.warp {
        let four = noise.four(p * *scale);
        (0..4).for_each(|k| warp[k] += f64::from(four[k]) * share);
    }
    let bent = style.bend(warp, f64::from(clear));
    let by = frame.along(bent.by, [x, y]);
    let (x, y) = (x + by[0], y + by[1]);
    let slope = |(k, s): (usize, &Segment<f64>)| Slope {
        channel: k as u32,
        steep: s.base,
        part: s.part(x, y, bent.slope, &Scale::new(style, CUT)),
    };
    let mut slopes: Vec<_> = segments.iter().enumerate().map(slope).collect();
    if let Some(ground) = crest::ground([x, y], &mut slopes, (frame, style.texture.as_ref())) {
        let crest::Ground { height_m, channel, foot_m } = ground;
        if let (Some(brook), Some(wide), Some(((surface_m, _), ..))) = (&mut shaped.river, wide, shore)
            && wide.discharge_m3_s > 2.0 * brook.discharge_m3_s
        {
            let down_m = (brook.surface_m - height_m.max(surface_m)).max(0.0);
            (brook.bed_m, brook.surface_m) = (brook.bed_m - down_m, brook.surface_m - down_m);
        }
        shaped.elevation_m = match (shaped.river, shore) {
            (None, None) => height_m,
            (None, Some(((surface_m, depth_m), room, off))) => {
                let highest_m = (0.2 * surface_m).clamp(0.0, 1.5);
                let up_m = (0.02 * (-off.land_m()).min(room.within_m)).clamp(0.0, highest_m);
                height_m.max((surface_m + up_m).min(height_m + depth_m + up_m))
            }
            (Some(river), Some(((_, depth_m), room, off))) if off.land_m() < 0.15 * room.own_m() => {
                height_m.max(river.bed_m.min(height_m + depth_m)).min(river.surface_m)
            }
            (Some(river), _) => height_m.min(river.surface_m),
        };
        (shaped.foot_m, shaped.nearest) = (foot_m, Some(channel));
    }
    shaped
}

/// The same bits; `==` would take 0 and -0 for one.
fn same(a: &Shaped, b: &Shaped) -> bool {
    let bits = |s: &Shaped| (s.elevation_m.to_bits(), s.foot_m.to_bits(), s.nearest);
    bits(a) == bits(b) && a.river == b.river
}

/// Channels of no tree at all: any length, any height, many alike, some where another is.
fn heap(draw: &mut Draw, (site_m, spread): (f64, f64), place: &dyn Fn(f64, f64) -> Vec3) -> Vec<Channel> {
    let relief = [0.0, 1.0, 100.0, 3_000.0][draw.below(4) as usize];
    let low_m = [-1.0, 3.0, 500.0][draw.below(3) as usize];
    let mut all: Vec<Channel> = Vec::new();
    for id in 0..1 + draw.below(70) {
        if draw.below(8) == 0 && !all.is_empty() {
            let twin = all[draw.below(all.len() as u32) as usize];
            all.push(Channel { id, ..twin });
            continue;
        }
        let (x, y) = (draw.range(-spread, spread) * site_m, draw.range(-spread, spread) * site_m);
        let long = [0.0, 0.2, 1.0, 1.6][draw.below(4) as usize] * site_m;
        let turn = draw.range(0.0, std::f64::consts::TAU);
        let mut two = |values: &[f64]| {
            let mut one = || values[draw.below(values.len() as u32) as usize];
            (one(), one())
        };
        let bed = two(&[0.0, 0.1, 0.5, 1.0]);
        let (rise, floor) = (two(&[0.01, 0.2, 0.6, 1.0]), two(&[0.0, 0.0, 0.1, 1.2]));
        let (water, depth) = (two(&[0.0, 0.001, 0.1, 1.0]), two(&[0.0, 0.5, 20.0]));
        all.push(Channel {
            a: place(x, y),
            b: place(x + long * math::cos(turn), y + long * math::sin(turn)),
            bed_m: (low_m + relief * bed.0.max(bed.1), low_m + relief * bed.0.min(bed.1)),
            rise,
            base_rise: two(&[0.01, 0.3]).0.min(rise.0.min(rise.1)),
            floor_m: (floor.0 * site_m, floor.1 * site_m),
            ice: two(&[0.0, 0.5, 1.0]).0,
            half_width_m: (water.0 * site_m, water.1 * site_m),
            level_m: 0.0,
            uneven: two(&[0.0, 0.0, 0.2, 0.3]).0,
            depth_m: depth,
            discharge_m3_s: f64::from(draw.below(4)),
            order: draw.below(4) as u8,
            head: draw.below(2) == 0,
            id,
        });
    }
    all
}

/// A case of a tile: style, frame, channels and samples in rows of sixteen or fewer.
fn case(n: u32) -> (Style, Frame, Vec<Channel>, Vec<Vec3>, usize) {
    let mut draw = CASES.at(Nth(n));
    let site_m = [78.125, 312.5, 20_000.0][draw.below(3) as usize];
    let spacing_m = site_m / [1.0, 4.0, 7.0, 60.0][draw.below(4) as usize];
    let style = Style::new(Seed(u64::from(n)), spacing_m, site_m, draw.below(2) == 0);
    let globe = draw.below(2) == 0;
    let center = if globe { draw.direction() * 6.371e6 } else { Vec3::new(1e6, -3e5, 0.0) };
    let (east, north) = math::tangent_frame(center.normalized());
    let place = |x: f64, y: f64| match globe {
        true => (center + east * x + north * y).normalized() * 6.371e6,
        false => center + Vec3::new(x, y, 0.0),
    };
    let spread = [1.0, 4.0, 9.0][draw.below(3) as usize];
    let channels = heap(&mut draw, (site_m, spread), &place);
    let (columns, rows) = (1 + draw.below(16) as usize, 1 + draw.below(16) as usize);
    let at = (0..columns * rows).map(|k| {
        let (x, y) = ((k % columns) as f64 - 8.0, 8.0 - (k / columns) as f64);
        let p = place(x * spacing_m, y * spacing_m);
        if draw.below(60) == 0 { Vec3::new(f64::NAN, p.y, p.z) } else { p }
    });
    let at = at.collect();
    let frame = if globe { Frame::globe(center) } else { Frame::flat(center) };
    (style, frame, channels, at, columns)
}

#[test]
fn culling_changes_no_bit() {
    let (mut shared, mut rivers, mut kinds) = (0, 0, 0);
    for n in 0..3_000 {
        let (style, frame, channels, at, columns) = case(n);
        let mut out = vec![Shaped::NOTHING; at.len()];
        Envelope::new(&style, frame, channels.iter()).shape(&at, columns, &mut Lists::default(), &mut out);
        for (k, (p, fast)) in at.iter().zip(&out).enumerate() {
            let slow = slow(&style, &frame, &channels, *p);
            assert!(same(fast, &slow), "case {n}, sample {k}: {fast:?} is not {slow:?}");
            shared += usize::from(slow.nearest.is_some());
            rivers += usize::from(slow.river.is_some());
            kinds += usize::from(slow.elevation_m == f64::INFINITY);
        }
    }
    // the cases are of all kinds
    assert!(shared > 100_000 && rivers > 10_000 && kinds > 1_000, "{shared} {rivers} {kinds}");
}

#[test]
fn trees_are_culled_without_changing_a_bit() {
    for seed in 0..12 {
        let globe = seed % 2 == 0;
        let center_m =
            if globe { math::from_lon_lat(-45.0 * seed as f64, 35.3) * 6.371e6 } else { Vec3::default() };
        let steep = [100.0, 8.0, 30.0][seed as usize % 3];
        let site_m = [312.5, 78.125][seed as usize % 2];
        let spacing_m = site_m / [3.6, 6.9, 20.0][seed as usize % 3];
        let made = Made { spacing_m, globe, center_m, steep, ice: 0.5, ..Made::plain(seed, 18, site_m) };
        let Tree { channels, .. } = made.grow();
        let style = Style::new(Seed(seed), spacing_m, site_m, true);
        let frame = if globe { Frame::globe(center_m) } else { Frame::flat(center_m) };
        let at: Vec<Vec3> = (0..256)
            .map(|k| made.place((f64::from(k % 16) - 8.0) * spacing_m, (8.0 - f64::from(k / 16)) * spacing_m))
            .collect();
        let mut out = vec![Shaped::NOTHING; 256];
        Envelope::new(&style, frame, channels.iter()).shape(&at, 16, &mut Lists::default(), &mut out);
        for (k, p) in at.iter().enumerate() {
            assert!(same(&out[k], &slow(&style, &frame, &channels, *p)), "seed {seed}, sample {k}");
        }
        // nor does it matter which samples are asked together
        let mut few = vec![Shaped::NOTHING; 7];
        Envelope::new(&style, frame, channels.iter()).shape(
            &at[100..107],
            7,
            &mut Lists::default(),
            &mut few,
        );
        assert!(few.iter().zip(&out[100..107]).all(|(a, b)| same(a, b)));
    }
}

fn hypot(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

/// The formula of the module's description, word by word.
#[test]
fn a_hillslope_is_as_described() {
    for n in 0..20_000 {
        let mut draw = CASES.within(Nth(1)).at(Nth(n));
        let (style, s) = (Style::new(Seed(1), 20.0, 100.0, false), 100.0);
        let mut pair = |low: f64, high: f64| (draw.range(low, high), draw.range(low, high));
        let (floor, water, depth, rise) = (pair(0.0, 60.0), pair(0.0, 20.0), pair(0.0, 3.0), pair(0.1, 0.6));
        let (high, fall) = pair(0.0, 20.0);
        let (length, head) = (pair(10.0, 150.0).0, n % 2 == 0);
        let (base, ice, noise) = (pair(0.1, 0.5).0, pair(0.0, 1.0).0, pair(0.7, 1.3).0);
        let channel = Channel {
            a: Vec3::default(),
            b: Vec3::new(length, 0.0, 0.0),
            bed_m: (high + fall, high),
            rise,
            base_rise: base,
            floor_m: floor,
            ice,
            half_width_m: water,
            level_m: 0.0,
            uneven: 0.0,
            depth_m: depth,
            discharge_m3_s: 1.0,
            order: 1,
            head,
            id: 0,
        };
        let frame = Frame::flat(Vec3::default());
        let (x, y) = (pair(-400.0, 400.0).0, pair(-400.0, 400.0).1);
        let part = Segment::new(&channel, &frame, &style).part(x, y, noise, &Scale::new(&style, CUT));
        // the gradient of fall lines; sharp where steep
        let g = fall / length;
        let across = base.max(0.66 * g);
        let (base, rise) =
            (hypot(across, g), (hypot(rise.0.max(0.66 * g), g), hypot(rise.1.max(0.66 * g), g)));
        let toe = 29.0 * (1.0 - 0.6 * ((base - 0.2) / 0.4).clamp(0.0, 1.0));
        let floor = (floor.0.max(water.0), floor.1.max(water.1));
        // the foot
        let lean = g / across;
        let across_m = (y.abs() - floor.0.max(floor.1)).max(0.0);
        let round_m = 3.0 * toe;
        let leaning_m =
            if across_m < round_m { across_m * across_m / (2.0 * round_m) } else { across_m - round_m / 2.0 };
        let along = x + lean * leaning_m;
        let t = (along / length).clamp(0.0, 1.0);
        let d = hypot(x - t * length, y);
        let ease = math::smoothstep(0.0, 1.0, t);
        let w = math::mix(floor.0, floor.1, ease).max(math::mix(water.0, water.1, t));
        let rise = math::mix(rise.0, rise.1, ease);
        let gradient = (base * noise).min(0.839).max(rise.min(2.0 * rise - 1.25 * base));
        let off = (d - w).max(0.0);
        let (q, blow) = (off / s, math::pow(off / (3.65 * s), 8.0));
        let trough = if q < 1.0 { q * q * (5.0 - 3.0 * q) / 2.0 } else { 1.0 + (q - 1.0) / 2.0 };
        let flat = 0.012 * (d.min(w) - math::mix(water.0, water.1, t)).max(0.0);
        let valley = (1.0 - ice) * gradient * off * off / (off + toe);
        let climb = (valley + flat + s * (ice * gradient * trough + base * blow)) / (1.0 - blow);
        let ramp = (d * d / math::pow(water.0.min(water.1), 2.0).max(1e-6)).min(1.0);
        let back = if head { 0.0 } else { g * (-along).max(0.0) };
        let bed = high + fall * (1.0 - t) + back + math::mix(depth.0, depth.1, t) * ramp;
        if blow < 0.99 {
            assert!((part.climb - climb).abs() < 1e-9 * climb.max(1.0), "{n}: {} {climb}", part.climb);
        }
        assert!((part.bed - bed).abs() < 1e-9 && (part.d - d).abs() < 1e-9, "{n}: {} {bed}", part.bed);
    }
}

#[test]
fn hillslopes_beside_steep_channels_climb_all_the_way() {
    let style = unbent(1.0, 70.0);
    for gradient in [0.05, 0.2, 0.4, 0.6, 0.8] {
        let channel = Channel {
            a: Vec3::new(0.0, 400.0, 0.0),
            b: Vec3::new(0.0, -400.0, 0.0),
            bed_m: (800.0 * gradient, 0.0),
            rise: (0.4, 0.4),
            base_rise: 0.4,
            floor_m: (1.0, 1.0),
            half_width_m: (0.2, 0.2),
            ..flat_link(0.0)
        };
        let segment = Segment::new(&channel, &Frame::flat(Vec3::default()), &style);
        let scale = Scale::new(&style, CUT);
        let height = |x: f64| {
            let part = segment.part(x, 0.0, 1.0, &scale);
            part.bed + part.climb
        };
        let profile: Vec<f64> = (16..=140).map(|k| height(0.5 * f64::from(k))).collect();
        // hillslopes climb by 0.4 across at least, less where their feet are round
        let least = profile.windows(2).map(|w| 2.0 * (w[1] - w[0])).fold(f64::INFINITY, f64::min);
        assert!(least > 0.1, "{gradient}: {least}");
    }
}

/// The style without its bend: lines stay where they are.
fn unbent(spacing_m: f64, site_m: f64) -> Style {
    Style { warp: Vec::new(), ..Style::new(Seed(1), spacing_m, site_m, false) }
}

#[test]
fn hillslopes_keep_below_the_threshold() {
    let style = unbent(10.0, 300.0);
    let channel = Channel {
        a: Vec3::new(0.0, 150.0, 0.0),
        b: Vec3::new(0.0, -150.0, 0.0),
        bed_m: (90.0, 0.0),
        rise: (0.9, 0.9),
        base_rise: 0.9,
        floor_m: (20.0, 30.0),
        ice: 0.0,
        half_width_m: (5.0, 6.0),
        level_m: 0.0,
        uneven: 0.0,
        depth_m: (1.0, 1.0),
        discharge_m3_s: 1.0,
        order: 1,
        head: true,
        id: 0,
    };
    let segment = Segment::new(&channel, &Frame::flat(Vec3::default()), &style);
    let scale = Scale::new(&style, CUT);
    let height = |x: f64, y: f64, noise| {
        let part = segment.part(x, y, noise, &scale);
        part.bed + part.climb
    };
    let mut steepest = 0.0f64;
    for (x, y) in (7..400).flat_map(|x| (-30..30).map(move |y| (f64::from(x), f64::from(5 * y)))) {
        let noise = 0.8;
        let dx = (height(x + 0.01, y, noise) - height(x - 0.01, y, noise)) / 0.02;
        let dy = (height(x, y + 0.01, noise) - height(x, y - 0.01, noise)) / 0.02;
        steepest = steepest.max(hypot(dx, dy));
    }
    // a quarter less than asked where nothing was raised
    assert!((0.6..0.839).contains(&steepest), "{steepest}");
}

/// Beds along channels: what a router of samples will find there.
#[test]
fn a_place_on_a_channel_is_not_bent_away() {
    let made = Made { spacing_m: 60.0, steep: 30.0, ..Made::plain(4, 24, 312.5) };
    let Tree { channels, .. } = made.grow();
    let style = Style::new(Seed(1), 60.0, 312.5, true);
    let frame = Frame::flat(Vec3::default());
    let at: Vec<Vec3> =
        channels.iter().flat_map(|c| (0..4).map(|k| c.a.lerp(c.b, f64::from(k) / 4.0))).collect();
    let mut out = vec![Shaped::NOTHING; at.len()];
    Envelope::new(&style, frame, channels.iter()).shape(&at, 4, &mut Lists::default(), &mut out);
    let (mut own, mut all) = (0, 0);
    for (k, shaped) in out.iter().enumerate() {
        let channel = &channels[k / 4];
        let bed = math::mix(channel.bed_m.0, channel.bed_m.1, (k % 4) as f64 / 4.0);
        assert!(shaped.elevation_m < bed + 1e-6, "{k}: {} above {bed}", shaped.elevation_m);
        if channel.discharge_m3_s > 1e-2 {
            all += 1;
            own += usize::from(shaped.elevation_m > bed - 1.0);
        }
        if channel.half_width_m.0.min(channel.half_width_m.1) >= style.least_drawn_m() {
            let river = shaped.river.unwrap();
            assert!(river.discharge_m3_s >= channel.discharge_m3_s);
        }
    }
    // what drains a square kilometre keeps its bed; perched gullies may be undercut
    assert!(own * 100 > 95 * all && all > 200, "{own} of {all}");
}

/// Neighbouring tiles work in frames of their own; where they meet they agree.
#[test]
fn tiles_meet_without_a_step() {
    for (seed, site_m, bound) in [(1, 312.5, 1e-3), (2, 20_000.0, 8.0)] {
        let spacing_m = site_m / 4.0;
        let center_m = math::from_lon_lat(45.0, 35.26) * 6.371e6;
        let made = Made { spacing_m, globe: true, center_m, ..Made::plain(seed, 24, site_m) };
        let Tree { channels, .. } = made.grow();
        let style = Style::new(Seed(seed), spacing_m, site_m, true);
        let at: Vec<Vec3> = (0..16).map(|k| made.place(f64::from(k - 8) * spacing_m, 0.0)).collect();
        let shaped = [-8.0, 8.0].map(|y| {
            let frame = Frame::globe(made.place(0.0, y * spacing_m));
            let mut out = vec![Shaped::NOTHING; 16];
            Envelope::new(&style, frame, channels.iter()).shape(&at, 16, &mut Lists::default(), &mut out);
            out
        });
        for (a, b) in shaped[0].iter().zip(&shaped[1]) {
            let step = (a.elevation_m - b.elevation_m).abs();
            assert!(step < bound, "{site_m}: {step}");
        }
    }
}

/// The surface has no step anywhere: over a millimetre it changes by less than a few.
#[test]
fn the_surface_is_continuous() {
    let made = Made { spacing_m: 60.0, ..Made::plain(5, 20, 312.5) };
    let Tree { channels, .. } = made.grow();
    let style = Style::new(Seed(1), 20.0, 312.5, true);
    let envelope = Envelope::new(&style, Frame::flat(Vec3::default()), channels.iter());
    let mut draw = CASES.within(Nth(2)).at(Nth(0));
    for line in 0..300 {
        let p = Vec3::new(draw.range(-900.0, 900.0), draw.range(-900.0, 900.0), 0.0);
        let turn = draw.range(0.0, std::f64::consts::TAU);
        // halve the way with the greater change until it is a millimetre long
        let (mut a, mut b) = (p, p + Vec3::new(math::cos(turn), math::sin(turn), 0.0) * 300.0);
        let height = |p: Vec3| {
            let mut out = [Shaped::NOTHING];
            envelope.shape(&[p], 1, &mut Lists::default(), &mut out);
            out[0].elevation_m
        };
        while a.distance(b) > 1e-3 {
            let middle = a.lerp(b, 0.5);
            let change = |p, q| (height(p) - height(q)).abs();
            (a, b) = if change(a, middle) > change(middle, b) { (a, middle) } else { (middle, b) };
        }
        let gradient = (height(a) - height(b)).abs() / a.distance(b);
        assert!(gradient < 4.0, "line {line}: {gradient} between {a:?} and {b:?}");
    }
}

#[test]
fn few_samples_lie_in_pits() {
    for (seed, site_m, spacing_m, side) in
        [(6, 312.5, 78.0, 128), (7, 312.5, 45.0, 128), (2, 78.0, 10.0, 320), (8, 78.125, 1.0, 256)]
    {
        let made = Made { spacing_m, ..Made::plain(seed, 50, site_m) };
        let style = Style::new(Seed(seed), spacing_m, site_m, true);
        let shaped = rendered::render(&made.grow(), &style, (side, spacing_m), Vec3::default());
        let pits = share_in_pits(&shaped, side, &[1.0]);
        assert!(pits[0] < 0.0005, "{site_m} {spacing_m}: {}", pits[0]);
    }
}

/// A river on a plain, on a link of 2 km.
fn flat_link(gradient: f64) -> Channel {
    Channel {
        a: Vec3::default(),
        b: Vec3::new(2_000.0, 0.0, 0.0),
        bed_m: (10.0 + 2_000.0 * gradient, 10.0),
        rise: (0.05, 0.05),
        base_rise: 0.05,
        floor_m: (300.0, 300.0),
        ice: 0.0,
        half_width_m: (9.0, 9.0),
        level_m: 0.0,
        uneven: 0.0,
        depth_m: (2.0, 2.0),
        discharge_m3_s: 6.0,
        order: 3,
        head: false,
        id: 7,
    }
}

fn drawn(channel: &Channel, n: u32) -> Vec<Channel> {
    drawn_at(channel, (n, 10.0))
}

fn drawn_at(channel: &Channel, (n, spacing_m): (u32, f64)) -> Vec<Channel> {
    let up = Vec3::new(0.0, 0.0, 1.0);
    let key = CASES.within(Nth(n));
    let mut out = Vec::new();
    let wedges = [Wedge::FREE; 2];
    course(
        &Course {
            channel,
            width_m: 18.0,
            before: None,
            after: None,
            beds_m: None,
            wedges,
            by: None,
            up,
            key,
        },
        (2_000.0, spacing_m),
        &mut out,
    );
    out
}

/// A brook that comes from a hill to the middle of a wide river, over its banks, is nowhere higher than those once it is in the river's valley.
#[test]
fn a_brook_cuts_down_to_the_valley_of_a_wide_river() {
    let wide = Channel {
        a: Vec3::new(-6_000.0, 0.0, 0.0),
        b: Vec3::new(6_000.0, 0.0, 0.0),
        bed_m: (-9.6, -9.8),
        floor_m: (1_500.0, 1_500.0),
        half_width_m: (1_300.0, 1_300.0),
        uneven: 0.3,
        depth_m: (10.0, 10.0),
        discharge_m3_s: 20_000.0,
        ..flat_link(0.0)
    };
    let brook = Channel {
        a: Vec3::new(0.0, 1_900.0, 0.0),
        b: Vec3::new(300.0, 0.0, 0.0),
        bed_m: (12.0, 0.1),
        floor_m: (0.0, 0.0),
        half_width_m: (6.0, 6.0),
        depth_m: (0.1, 0.1),
        discharge_m3_s: 0.02,
        ..flat_link(0.0)
    };
    let style = unbent(5.0, 312.5);
    let envelope = Envelope::new(&style, Frame::flat(Vec3::default()), [wide, brook].iter());
    let at: Vec<Vec3> = (0..128 * 400)
        .map(|k| Vec3::new(f64::from(k % 128) * 5.0 - 100.0, 1_900.0 - f64::from(k / 128) * 3.0, 0.0))
        .collect();
    let mut out = vec![Shaped::NOTHING; at.len()];
    envelope.shape(&at, 128, &mut Lists::default(), &mut out);
    let is_brook = |shaped: &&Shaped| shaped.river.is_some_and(|river| river.discharge_m3_s < 1.0);
    let rows: Vec<f64> =
        out.chunks(128).filter_map(|row| row.iter().find(is_brook)?.river.map(|r| r.surface_m)).collect();
    println!("{rows:?}");
    assert!(rows[0] > 11.0, "{}", rows[0]);
    assert!(rows.windows(2).all(|r| r[1] <= r[0]), "it never rises");
    let within = (1_900.0 - 1_250.0) / 3.0;
    assert!(rows.len() > within as usize + 20, "{} rows with a brook", rows.len());
    assert!(rows[within as usize..].iter().all(|&m| m < 2.0), "{:?}", &rows[within as usize..]);
}

#[test]
fn meanders_are_eleven_widths_long() {
    let (mut turns, mut widest) = (0, 0.0f64);
    for n in 0..200 {
        let pieces = drawn(&flat_link(0.0005), n);
        let y: Vec<f64> = pieces.iter().map(|p| p.b.y).filter(|y| *y != 0.0).collect();
        turns += y.windows(2).filter(|w| (w[0] < 0.0) != (w[1] < 0.0)).count();
        widest = y.iter().fold(widest, |w, y| w.max(y.abs()));
    }
    let wavelength = 2.0 * 2_000.0 * 200.0 / turns as f64;
    assert!((0.9..1.15).contains(&(wavelength / (11.0 * 18.0))), "{wavelength}");
    assert!((2.2..3.2).contains(&(widest / 18.0)), "{widest}");
    assert!(drawn(&flat_link(0.0006), 1)[3].a != drawn(&flat_link(0.0006), 2)[3].a);
}

#[test]
fn steep_brooks_wander_a_little_where_samples_show_it() {
    let aside = |n: u32, spacing_m: f64| {
        let pieces = drawn_at(&flat_link(0.006), (n, spacing_m));
        pieces.iter().map(|p| p.b.y.abs()).fold(0.0, f64::max)
    };
    for n in 0..200 {
        assert!((10.0..0.06 * 2_000.0).contains(&aside(n, 10.0)), "{}", aside(n, 10.0));
        assert_eq!(aside(n, 200.0), 0.0);
    }
}

#[test]
fn courses_keep_ends_beds_and_corridor() {
    for seed in 0..6 {
        let made =
            Made { spacing_m: 20.0, steep: [60.0, 0.6][seed as usize % 2], ..Made::plain(seed, 30, 312.5) };
        let Tree { channels, links } = made.grow();
        let (mut k, mut bends) = (0, 0);
        for link in &links {
            let from = k;
            while k < channels.len() && channels[k].id == link.id {
                k += 1;
            }
            let pieces = &channels[from..k];
            let (first, last) = (pieces.first().unwrap(), pieces.last().unwrap());
            assert!(first.a == link.a && last.b == link.b && first.bed_m.0 == link.bed_m.0);
            assert!(last.bed_m.1 == link.bed_m.1 && last.floor_m.1 == link.floor_m.1);
            for pair in pieces.windows(2) {
                assert!(pair[0].b == pair[1].a && pair[0].bed_m.1 == pair[1].bed_m.0);
            }
            for piece in pieces {
                assert!(piece.bed_m.1 <= piece.bed_m.0);
                let (_, d2) = crate::curve::nearest(piece.b, link.a, link.b);
                assert!(d2.sqrt() <= 0.3 * 312.5 + 1e-9, "{}", d2.sqrt());
            }
            bends += usize::from(pieces.len() > 1);
        }
        assert!(k == channels.len() && bends * 2 > links.len(), "{bends} of {}", links.len());
    }
}

#[test]
fn courses_keep_their_corridor_whatever_the_neighbours() {
    let mut widest = 0.0f64;
    for n in 0..3_000 {
        let mut draw = CASES.within(Nth(3)).at(Nth(n));
        let mut place = || Vec3::new(draw.range(-700.0, 700.0), draw.range(-700.0, 700.0), 0.0);
        let (a, b, before, after) = (place() * 0.3, place() * 0.3, place(), place());
        let channel = Channel { a, b, ..flat_link(0.0) };
        let (key, up) = (CASES.within(Nth(n)), Vec3::new(0.0, 0.0, 1.0));
        let mut out = Vec::new();
        let wedges = [Wedge::FREE; 2];
        let link = Course {
            channel: &channel,
            width_m: 18.0,
            before: Some(before),
            after: Some(after),
            beds_m: None,
            wedges,
            by: None,
            up,
            key,
        };
        course(&link, (312.5, 1.0), &mut out);
        for piece in &out {
            widest = widest.max(crate::curve::nearest(piece.b, a, b).1.sqrt());
        }
    }
    assert!((0.2 * 312.5..0.3 * 312.5 + 1e-6).contains(&widest), "{widest}");
}

#[test]
fn courses_do_not_cross() {
    for seed in 0..120 {
        let made =
            Made { spacing_m: 20.0, steep: [60.0, 0.6][seed as usize % 2], ..Made::plain(seed, 30, 312.5) };
        let channels = made.grow().channels;
        let side = |a: Vec3, b: Vec3, p: Vec3| (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
        let mut crossings = 0;
        for (k, c) in channels.iter().enumerate() {
            for o in channels[..k].iter().filter(|o| o.id != c.id) {
                let apart = |a, b, p, q| side(a, b, p) * side(a, b, q) < 0.0;
                crossings += usize::from(apart(c.a, c.b, o.a, o.b) && apart(o.a, o.b, c.a, c.b));
            }
        }
        assert_eq!(crossings, 0, "seed {seed} of {}", channels.len());
    }
}

#[test]
fn frames_lift_what_they_project() {
    let center = math::from_lon_lat(10.0, 60.0) * 6.371e6;
    let frame = Frame::globe(center);
    let (east, north) = math::tangent_frame(center.normalized());
    for k in 1..8 {
        let r = 300.0 * f64::from(1 << k);
        let p = (center + east * r + north * (0.3 * r)).normalized() * 6.371e6;
        let q = (center + east * (0.2 * r) - north * (0.9 * r)).normalized() * 6.371e6;
        let [px, py] = frame.project(p);
        let [qx, qy] = frame.project(q);
        let far = p.distance(q);
        let error = (hypot(px - qx, py - qy) / far - 1.0).abs();
        assert!(error < r * r / (6.0 * 6.371e6 * 6.371e6) + 1e-12, "{r}: {error}");
        assert!(frame.lift([px, py]).distance(p) < 1e-6 + 2.0 * r * math::pow(r / 6.371e6, 2.0), "{r}");
    }
}
