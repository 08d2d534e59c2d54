//! One sample: ground, mountains, lakes, rivers and sea at a place, put together.

use crate::ground::{Ground, LakeNear, Neighborhood};
use crate::high::HighGround;
use crate::primitives::{Channel, Primitives, Stream};
use grid::noise::Fractal;
use grid::{Grid, Level, Purpose, Seed, Topology, Vec3, math};

const COAST: Purpose = Purpose::new("region/texture/coast");
const LAND: Purpose = Purpose::new("region/texture/land");
const FLOOR: Purpose = Purpose::new("region/texture/floor");
const CRAGS: Purpose = Purpose::new("region/texture/crags");
const SIDES: Purpose = Purpose::new("region/texture/sides");
const TWIST: Purpose = Purpose::new("region/texture/twist");

/// Octaves of every texture: from a cell or so down to metres on a planet of 20 km cells.
const OCTAVES: u32 = 13;

/// Values of one sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sample {
    pub elevation_m: f64,
    pub base_m: f64,
    pub mountains_m: f64,
    pub water_surface_m: f64,
    pub discharge_m3_s: f64,
    pub order: u8,
    /// Number of the basin, by the method `drainage` where it draws channels.
    pub basin: f32,
    pub air: Air,
    /// Height over the channel that it drains to, 0 on water; none where no channels are drawn.
    pub hand_m: Option<f64>,
    /// How much more rain it looks as if it had, low in the valley of a stream, in mm a year.
    pub moisture_mm: f64,
    /// Ridges, peaks and buttresses each alone, where a layer asks for them.
    pub high: HighGround,
}

/// The climate of the cells around a place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Air {
    /// Mean of the year in deg C, at this height of land with its mountains in metres.
    pub temperature_c: f64,
    pub surface_m: f64,
    /// In mm a year.
    pub rain_mm: f64,
}

impl Air {
    /// At the share `t` of the way to another place.
    pub fn lerp(&self, other: &Self, t: f64) -> Self {
        Self {
            temperature_c: math::mix(self.temperature_c, other.temperature_c, t),
            surface_m: math::mix(self.surface_m, other.surface_m, t),
            rain_mm: math::mix(self.rain_mm, other.rain_mm, t),
        }
    }

    /// The temperature at a height in metres, with the lapse rate in degrees a metre. At sea it is that of its surface.
    pub fn temperature_at_c(&self, height_m: f64, lapse_c_m: f64) -> f64 {
        self.temperature_c + lapse_c_m * (self.surface_m - height_m.max(0.0))
    }
}

/// Noise with a broadest wavelength, of which only what two samples can carry is used.
struct Texture {
    noise: Fractal,
    scale: f64,
    octaves: f64,
}

impl Texture {
    fn new(seed: Seed, purpose: Purpose, wavelength_m: f64, gain: f64, spacing_m: f64) -> Self {
        let octaves = (math::log2(wavelength_m / (2.0 * spacing_m)) + 1.0).clamp(0.0, f64::from(OCTAVES));
        Self { noise: Fractal::new(seed.key(purpose), OCTAVES, gain), scale: 1.0 / wavelength_m, octaves }
    }

    fn at(&self, q: Vec3) -> f64 {
        self.noise.fbm_partial(q * self.scale, self.octaves)
    }
}

/// Everything that turns a place into a sample, for one world and one resolution.
pub(crate) struct Sampler {
    coast: Texture,
    land: Texture,
    floor: Texture,
    crags: Texture,
    sides: Texture,
    twist: Texture,
    twist_m: f64,
    /// Greatest roughness of the sea floor, in metres.
    floor_m: f64,
    pub valley_m: f64,
    /// Whether samples are close enough for ridges, or see mountains as a whole.
    pub near: bool,
}

/// From this level on ridges and valleys are drawn; before it, ranges are seen as a whole.
const NEAR: Level = Level(2);
/// Strength of the noise that breaks up coasts and lake shores.
const COAST_NOISE: f64 = 1.15;
/// Strength of the noise on the sides of valleys, and on mountains: enough to roughen them, too little to hide their
/// ridges.
const SIDES_NOISE: f64 = 0.9;
const CRAGS_NOISE: f64 = 0.3;
/// How far rivers push the coast out, on the scale of the coast.
const LEVEE: f64 = 0.7;
/// Out at sea beyond this, on the same scale, rivers have ended.
const RIVERS_END: f64 = -0.45;
/// Land built up by rivers lies no farther inland than this, on the same scale.
const LEVEE_COAST: f64 = 0.05;
const SHORE_NOISE: f64 = 0.9;
/// How far shores follow the ground: hills this much higher or lower than the lake (m) move them by this share.
const SHORE_RELIEF_M: f64 = 60.0;
const SHORE_RELIEF: f64 = 0.12;
/// A lake floods only where its share exceeds that of any other by this.
const PARTED: f64 = 0.15;
/// A lake covers ground where its share, with noise, exceeds this.
const LAKE_SHARE: f64 = 0.4;
/// Mean height of a range as a share of its summits', as it comes out where ridges are drawn: what a view too
/// distant for ridges shows.
const MEAN_SHARE: f64 = 0.42;

impl Sampler {
    pub fn new(grid: &Topology, seed: Seed, spacing_m: f64) -> Self {
        let cell_m = grid.cell_m();
        let texture =
            |purpose, cells: f64, gain| Texture::new(seed, purpose, cells * cell_m, gain, spacing_m);
        Self {
            coast: texture(COAST, 1.6, 0.58),
            land: texture(LAND, 1.2, 0.5),
            floor: texture(FLOOR, 2.0, 0.45),
            crags: texture(CRAGS, 0.22, 0.5),
            sides: texture(SIDES, 0.22, 0.5),
            twist: texture(TWIST, 0.16, 0.5),
            twist_m: 0.05 * cell_m,
            floor_m: 0.014 * cell_m,
            valley_m: crate::primitives::VALLEY_CELLS * cell_m,
            near: Level::for_spacing(cell_m, spacing_m) >= NEAR,
        }
    }

    /// The same with or without the noise that only roughens: land, sea floor, crags. What bends coasts, valleys and
    /// ridges is shape, and stays.
    pub fn with_texture(mut self, texture: bool) -> Self {
        if !texture {
            for noise in [&mut self.land, &mut self.floor, &mut self.crags] {
                noise.octaves = 0.0;
            }
        }
        self
    }

    /// How far the twist of ridges can move a place, in metres.
    pub fn twist_reach_m(&self) -> f64 {
        3.0 * self.twist_m // noise stays within 1.2 along each of three axes
    }

    /// The sample at a place in bent space.
    pub fn at(&self, q: Vec3, around: &Neighborhood, features: &Primitives) -> Sample {
        let ground = around.at(q);
        let channel = features.channel(q, self.valley_m, || (1.0 + SIDES_NOISE * self.sides.at(q)).max(0.2));
        // no noise where all around is land, or sea: the coast stays where the world has it
        let open = 1.0 - ground.coast * ground.coast;
        let noise = if open > 0.0 { COAST_NOISE * open * self.coast.at(q) } else { 0.0 };
        let free = ground.coast + noise;
        // what a river builds up is low land, and only where the world has land or nearly so
        let levee = LEVEE * channel.levee * math::smoothstep(-0.4, 0.1, ground.coast);
        let coast = if self.near { free.max((free + levee).min(LEVEE_COAST)) } else { free };
        let sample = if coast > 0.0 {
            self.land(q, &ground, coast, (features, &channel))
        } else {
            self.sea(q, &ground, coast)
        };
        Sample { air: ground.air, ..sample }
    }

    fn sea(&self, q: Vec3, ground: &Ground, coast: f64) -> Sample {
        let depth = ground.sea_m * math::smoothstep(0.0, 0.9, -coast);
        let rough_m = (0.06 * -depth).min(self.floor_m) * self.floor.at(q);
        let elevation_m = (depth + rough_m).min(-0.25);
        Sample { elevation_m, base_m: elevation_m, ..Sample::default() }
    }

    fn land(
        &self,
        q: Vec3,
        ground: &Ground,
        coast: f64,
        (features, channel): (&Primitives, &Channel),
    ) -> Sample {
        let inland = math::smoothstep(0.0, 0.6, coast);
        let texture = self.land.at(q) * (16.0 + 1.8 * ground.rough_m + 0.03 * ground.mountain_m);
        let plain = (ground.land_m + texture).max(0.3 * ground.land_m);
        let base_m = 0.3 + plain * inland;
        let mountains_m = self.mountains_m(q, ground, features) * inland;
        let dry = Sample { elevation_m: base_m + mountains_m, base_m, mountains_m, ..Sample::default() };
        let mut sample = Sample { water_surface_m: dry.elevation_m, ..dry };
        if self.near {
            cut(&mut sample, channel);
        }
        let in_lake = ground.lake.is_some_and(|lake| self.flood(q, &lake, &mut sample));
        // beyond the coast a river has ended, also where there is an islet in its way
        let runs = |stream: &Stream| !in_lake && (stream.on_land || ground.coast > RIVERS_END);
        if let Some(stream) = channel.here.filter(runs) {
            sample.discharge_m3_s = stream.discharge_m3_s;
            sample.order = stream.order;
            if self.near {
                sample.elevation_m = sample.elevation_m.min(stream.bed_m);
                sample.water_surface_m = stream.surface_m.max(sample.elevation_m).max(0.0);
            }
        }
        sample
    }

    fn mountains_m(&self, q: Vec3, ground: &Ground, features: &Primitives) -> f64 {
        if ground.mountain_m <= 0.0 {
            return 0.0;
        }
        if !self.near {
            return MEAN_SHARE * ground.mountain_m;
        }
        let twist = self.twist.noise.vector_partial(q * self.twist.scale, self.twist.octaves);
        let high = features.high_ground_m(q + twist * self.twist_m);
        let crags = 1.0 + CRAGS_NOISE * self.crags.at(q);
        (ground.massif_m + high) * crags.max(0.2)
    }

    /// Lays a lake over the ground where enough of its cells are near, and tells whether it did; its shore meets
    /// the ground on both sides.
    fn flood(&self, q: Vec3, lake: &LakeNear, sample: &mut Sample) -> bool {
        // no noise far from the shore; where two lakes weigh alike, dry land parts them
        let window = 1.0 - (2.0 * lake.share - 1.0) * (2.0 * lake.share - 1.0);
        let parted = 1.0 - math::smoothstep(0.0, PARTED, lake.lead);
        let rise = ((lake.level_m - sample.elevation_m) / SHORE_RELIEF_M).clamp(-1.0, 1.0);
        let shore = SHORE_NOISE * self.coast.at(q) + SHORE_RELIEF * rise;
        let wet = lake.share - LAKE_SHARE + window * shore - parted;
        if wet > 0.0 {
            let depth = (lake.level_m - lake.floor_m).max(0.5) * math::smoothstep(-0.02, 0.45, wet);
            sample.elevation_m = lake.level_m - depth;
            sample.water_surface_m = lake.level_m;
        } else {
            let away = math::smoothstep(0.0, 0.2, -wet).max(parted);
            sample.elevation_m = math::mix(lake.level_m + 0.3, sample.elevation_m, away);
            sample.water_surface_m = sample.elevation_m;
        }
        wet > 0.0
    }
}

/// Cuts a valley into whatever stands there.
fn cut(sample: &mut Sample, channel: &Channel) {
    if let Some(envelope) = channel.envelope_m {
        sample.elevation_m = sample.elevation_m.min(envelope);
        sample.water_surface_m = sample.elevation_m;
    }
}
