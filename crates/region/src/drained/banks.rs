//! Where smaller rivers end at the banks of great ones.
//!
//! Where parts are narrower than a river its sites follow the river's curve, not the parts
//! ([`crate::drainage::great`]), and sites of the brooks that join it may lie under its water, on either side of its
//! middle. Lines to them would cross the great river's and one another. So the line of a smaller river ends where it comes
//! under the water of a great one, and goes straight on from the bank to the nearest of its sites: ways to the nearest of
//! some places never cross. Where that lies higher, as it may inside a bend, it goes to the next one down the river. Where its banks are
//! uneven ([`crate::banks`]) its water takes all of its room here: beyond that lines could cross.

use super::rivers::{Point, RiverLink};
use super::{Square, Work};
use crate::curve::nearest;
use crate::drainage::great;
use crate::envelope::Channel;
use crate::primitives::Ball;
use grid::{Part, Vec3};

/// A river is smaller than one of more than so many times its discharge.
const GREATER: f64 = 2.0;
/// So many sites down a great river are looked at for one that is no higher.
const MOST_DOWN: usize = 3;

/// Great rivers around some links.
pub(super) struct GreatRivers<'a> {
    links: Vec<Great<'a>>,
}

/// A link of a great river: its pieces, and the sites at its ends.
#[derive(Clone, Copy)]
struct Great<'a> {
    pieces: &'a [Channel],
    ends: [(Part, Point); 2],
}

impl Great<'_> {
    fn discharge_m3_s(&self) -> f64 {
        self.pieces[0].discharge_m3_s
    }

    fn covers(&self, p: Vec3) -> bool {
        let under = |c: &Channel| {
            let (t, distance2) = nearest(p, c.a, c.b);
            let half_m = c.half_width_m.0 + t * (c.half_width_m.1 - c.half_width_m.0);
            distance2 < half_m * half_m
        };
        self.pieces.iter().any(under)
    }
}

impl<'a> GreatRivers<'a> {
    /// All that the work knows.
    pub fn new(work: &'a Work) -> Self {
        let size_m = work.site_m();
        let is_great = |run: &[Channel]| great::leaves_parts(run[0].width_m(), size_m);
        let runs = work.squares.iter().flat_map(Square::runs);
        let link = |(id, pieces): (u32, &'a [Channel])| {
            let link = work.link(id, pieces);
            let ends = [(link.from, link.points[0]), (link.to, link.points[link.points.len() - 1])];
            Great { pieces, ends }
        };
        Self { links: runs.filter(|(_, run)| is_great(run)).map(link).collect() }
    }

    /// Those whose water or sites can lie in a ball, or near it.
    pub fn near(&self, ball: &Ball) -> Self {
        let meets = |of: &&Great| {
            of.pieces.iter().any(|c| ball.meets(c.a, c.b, 4.0 * c.half_width_m.0.max(c.half_width_m.1)))
        };
        Self { links: self.links.iter().filter(meets).copied().collect() }
    }

    /// Whether a place of a link lies under the water of a greater river.
    pub fn cover(&self, link: &RiverLink, p: Vec3) -> bool {
        self.greater(link).any(|great| great.covers(p))
    }

    /// The nearest site of the greater rivers around a place of a link, of equally near ones the first by its address; or the next one down
    /// that river whose bed is no higher than the link's.
    pub fn nearest_site(&self, link: &RiverLink, place: &Point) -> Option<(Part, Point)> {
        let off = |end: &(Part, Point)| place.at.distance(end.1.at);
        let ends = self.greater(link).flat_map(|great| great.ends);
        let nearest = ends.min_by(|a, b| off(a).total_cmp(&off(b)).then(a.0.cmp(&b.0)))?;
        let down =
            |site: &(Part, Point)| self.greater(link).find(|g| g.ends[0].0 == site.0).map(|g| g.ends[1]);
        let mut all = std::iter::successors(Some(nearest), down).take(MOST_DOWN);
        Some(all.find(|site| site.1.bed_m <= place.bed_m).unwrap_or(nearest))
    }

    fn greater(&self, link: &RiverLink) -> impl Iterator<Item = &Great<'a>> {
        let own_m3_s = link.discharge_m3_s;
        self.links.iter().filter(move |great| great.discharge_m3_s() > GREATER * own_m3_s)
    }
}
