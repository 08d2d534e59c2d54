//! Made-up trees of channels for tests and pictures: a jittered lattice, a tree by shortest paths from its south side,
//! beds that climb with the slope-area law.

use crate::envelope::{Channel, Course, Wedge, course};
use grid::{Nth, Purpose, Seed, Vec3, math};

const SITES: Purpose = Purpose::new("test/envelope/sites");

/// How a tree is made.
#[derive(Clone, Copy)]
pub(super) struct Made {
    pub seed: u64,
    /// Sites to a side and the metres between them.
    pub sites: usize,
    pub site_m: f64,
    /// Channel steepness: gradient of a channel that drains 1 m2; 100 makes mountains, 8 plains.
    pub steep: f64,
    pub ice: f64,
    /// 0 for straight links.
    pub spacing_m: f64,
    /// Centre of the tree: on a globe if `globe`.
    pub center_m: Vec3,
    pub globe: bool,
}

pub(super) struct Tree {
    pub channels: Vec<Channel>,
    /// Straight links, before courses were drawn.
    pub links: Vec<Channel>,
}

impl Made {
    pub fn plain(seed: u64, sites: usize, site_m: f64) -> Self {
        let center_m = Vec3::default();
        Self { seed, sites, site_m, steep: 100.0, ice: 0.0, spacing_m: 0.0, center_m, globe: false }
    }

    pub fn place(&self, x: f64, y: f64) -> Vec3 {
        if !self.globe {
            return self.center_m + Vec3::new(x, y, 0.0);
        }
        let (e, n) = math::tangent_frame(self.center_m.normalized());
        (self.center_m + e * x + n * y).normalized() * self.center_m.length()
    }

    /// The tree; `[x, y]` of sites run from -half to half a side.
    pub fn grow(&self) -> Tree {
        let n = self.sites;
        let mut draw = Seed(self.seed).key(SITES).at(Nth(0));
        let half = 0.5 * (n as f64 - 1.0);
        let xy: Vec<[f64; 2]> = (0..n * n)
            .map(|k| {
                let mut at = |i: usize| (i as f64 - half + draw.range(-0.33, 0.33)) * self.site_m;
                [at(k % n), at(k / n)]
            })
            .collect();
        let distance = |a: usize, b: usize| {
            let (dx, dy) = (xy[a][0] - xy[b][0], xy[a][1] - xy[b][1]);
            (dx * dx + dy * dy).sqrt()
        };
        let neighbours = |k: usize| {
            let (c, r) = ((k % n) as i64, (k / n) as i64);
            let mut all = Vec::new();
            for (dc, dr) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)] {
                let (oc, or) = (c + dc, r + dr);
                if oc < 0 || or < 0 || oc >= n as i64 || or >= n as i64 {
                    continue;
                }
                let o = or as usize * n + oc as usize;
                if dc != 0 && dr != 0 {
                    // only the shorter diagonal of a quad
                    let (p, q) = (r as usize * n + oc as usize, or as usize * n + c as usize);
                    if distance(k, o) >= distance(p, q) {
                        continue;
                    }
                }
                all.push(o);
            }
            all
        };
        // shortest paths from a few outlets on the south side
        let mut far = vec![f64::INFINITY; n * n];
        let mut receiver = vec![usize::MAX; n * n];
        let mut done = vec![false; n * n];
        let mut order = Vec::new();
        (0..n).step_by(7).for_each(|c| far[c] = 0.0);
        let rough: Vec<f64> = (0..n * n).map(|_| draw.range(0.3, 1.7)).collect();
        while let Some(k) = (0..n * n).filter(|&k| !done[k]).min_by(|&a, &b| far[a].total_cmp(&far[b])) {
            done[k] = true;
            order.push(k);
            for o in neighbours(k) {
                let to = far[k] + distance(k, o) / self.site_m * 0.5 * (rough[k] + rough[o]);
                if !done[o] && to < far[o] {
                    (far[o], receiver[o]) = (to, k);
                }
            }
        }
        let mut area = vec![self.site_m * self.site_m; n * n];
        let mut main = vec![usize::MAX; n * n];
        for &k in order.iter().rev().filter(|&&k| receiver[k] != usize::MAX) {
            area[receiver[k]] += area[k];
            let best = &mut main[receiver[k]];
            if *best == usize::MAX || area[k] > area[*best] {
                *best = k;
            }
        }
        let mut z = vec![0.0; n * n];
        for &k in order.iter().filter(|&&k| receiver[k] != usize::MAX) {
            let fall = (self.steep * math::pow(area[k], -0.45)).min(0.75);
            z[k] = z[receiver[k]] + distance(k, receiver[k]) * fall;
        }
        let base = (self.steep * math::pow(0.6 * self.site_m * self.site_m, -0.45)).min(0.62);
        let rise = |k: usize| {
            let (c, r) = ((k % n) as i64, (k / n) as i64);
            let mut rise = base;
            for (dc, dr) in (-3..4).flat_map(|dr| (-3..4).map(move |dc| (dc, dr))) {
                let (oc, or) = (c + dc, r + dr);
                if oc < 0 || or < 0 || oc >= n as i64 || or >= n as i64 || (dc, dr) == (0, 0) {
                    continue;
                }
                let o = or as usize * n + oc as usize;
                let need = (z[o] + 0.05 * self.site_m * base - z[k]) / (0.85 * distance(k, o) + 1.0);
                rise = f64::max(rise, need.min(if area[o] > 0.8e6 { 1.0 } else { 0.62 }));
            }
            rise
        };
        let rises: Vec<f64> = (0..n * n).map(rise).collect();
        let channel = |k: usize, o: usize| {
            let water = |k: usize| 0.5 * 7.2 * (area[k] * 1e-8).sqrt() * (8.0 * area[k] * 1e-8).min(1.0);
            let floor =
                |k: usize| (0.03 * area[k].sqrt() * (60.0 / self.steep).min(1.0)).min(1.2 * self.site_m);
            // a tributary keeps its own width to its end
            let end = if main[o] == k { o } else { k };
            Channel {
                a: self.place(xy[k][0], xy[k][1]),
                b: self.place(xy[o][0], xy[o][1]),
                bed_m: (z[k], z[o]),
                rise: (rises[k], rises[o]),
                base_rise: base,
                floor_m: (floor(k), floor(end)),
                ice: self.ice,
                half_width_m: (water(k), water(end)),
                level_m: 0.0,
                uneven: 0.0,
                depth_m: (0.2 * water(k).sqrt(), 0.2 * water(end).sqrt()),
                discharge_m3_s: area[k] * 1e-8,
                order: 1,
                head: main[k] == usize::MAX,
                id: k as u32,
            }
        };
        let links: Vec<Channel> =
            (0..n * n).filter(|&k| receiver[k] != usize::MAX).map(|k| channel(k, receiver[k])).collect();
        if self.spacing_m <= 0.0 {
            return Tree { channels: links.clone(), links };
        }
        let mut channels = Vec::new();
        for link in &links {
            let (k, o) = (link.id as usize, receiver[link.id as usize]);
            let at = |k: usize| (k != usize::MAX).then(|| self.place(xy[k][0], xy[k][1]));
            let up = if self.globe { link.a.normalized() } else { Vec3::new(0.0, 0.0, 1.0) };
            let key = Seed(self.seed).key(SITES).within(Nth(link.id));
            let (ends, after) = ((link.a, link.b), at(receiver[o]));
            let (receiver, at) = (&receiver, &at);
            let others = |to: usize| (0..n * n).filter(move |&m| m != k && receiver[m] == to).filter_map(at);
            let wedges = [Wedge::at_a(ends, up, others(k)), Wedge::at_b(ends, up, others(o).chain(after))];
            let whole = Course {
                channel: link,
                width_m: link.half_width_m.0 + link.half_width_m.1,
                before: at(main[k]),
                after,
                beds_m: None,
                wedges,
                by: None,
                up,
                key,
            };
            course(&whole, (self.site_m, self.spacing_m), &mut channels);
        }
        Tree { channels, links }
    }
}
