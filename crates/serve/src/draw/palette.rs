//! Which colour stands for which value.
//!
//! Ramps are text files in `data/palettes/`: a value and three bytes of sRGB a line, in rising order, `#` before a
//! remark. `gdaldem color-relief` reads the same files.

use std::sync::LazyLock;

use super::colour::{Lab, Linear, Rgb, from_lab, mix, smoothstep, to_lab, to_linear, to_rgb};

/// A line of colours along a quantity, even to the eye between its stops (OKLab).
#[derive(Clone, Debug, PartialEq)]
pub struct Ramp {
    values: Vec<f32>,
    colours: Vec<Lab>,
}

/// Why a text is no ramp.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RampError {
    /// A line that does not hold a number and three bytes.
    #[error("line {line}: {text:?} is not `value red green blue`, bytes 0 to 255")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What stands there.
        text: String,
    },
    /// A stop that does not lie above the one before it.
    #[error("stop {value} is not greater than {before}, the one before it")]
    Order {
        /// The stop.
        value: f32,
        /// The one before it.
        before: f32,
    },
    /// No stop at all.
    #[error("a ramp needs at least one stop")]
    Empty,
}

impl Ramp {
    /// A ramp through stops in rising order of value.
    ///
    /// # Errors
    /// [`RampError::Order`] and [`RampError::Empty`].
    pub fn from_stops(stops: &[(f32, Rgb)]) -> Result<Self, RampError> {
        if stops.is_empty() {
            return Err(RampError::Empty);
        }
        for pair in stops.windows(2) {
            let (before, value) = (pair[0].0, pair[1].0);
            if before.is_nan() || value.is_nan() || before >= value {
                return Err(RampError::Order { value, before });
            }
        }
        let (values, colours) = stops.iter().map(|&(v, c)| (v, to_lab(to_linear(c)))).unzip();
        Ok(Self { values, colours })
    }

    /// Reads a ramp's text.
    ///
    /// # Errors
    /// [`RampError`] with the first line that is wrong.
    pub fn parse(text: &str) -> Result<Self, RampError> {
        let mut stops = Vec::new();
        for (i, line) in text.lines().enumerate() {
            let content = line.split('#').next().unwrap_or_default().trim();
            if !content.is_empty() {
                let wrong = || RampError::Line { line: i + 1, text: line.into() };
                stops.push(parse_stop(content).ok_or_else(wrong)?);
            }
        }
        Self::from_stops(&stops)
    }

    /// The colour of a value. Beyond the ends it is theirs; of `NaN` it is the first.
    pub fn at(&self, value: f32) -> Rgb {
        to_rgb(self.linear_at(value))
    }

    pub(crate) fn linear_at(&self, value: f32) -> Linear {
        from_lab(self.lab_at(value))
    }

    pub(crate) fn lab_at(&self, value: f32) -> Lab {
        let above = self.values.partition_point(|&v| v <= value);
        let last = self.values.len() - 1;
        if above == 0 {
            return self.colours[0];
        }
        if above > last {
            return self.colours[last];
        }
        let (low, high) = (self.values[above - 1], self.values[above]);
        mix(self.colours[above - 1], self.colours[above], (value - low) / (high - low))
    }

    /// First and last value.
    pub fn range(&self) -> (f32, f32) {
        (self.values[0], self.values[self.values.len() - 1])
    }

    /// The values of the stops.
    pub fn stops(&self) -> &[f32] {
        &self.values
    }

    /// The part of it from `low` to `high`, as far as it reaches; none if nothing is left.
    pub fn part(&self, low: f32, high: f32) -> Option<Self> {
        let (first, last) = self.range();
        let (low, high) = (low.max(first), high.min(last));
        if low.is_nan() || high.is_nan() || low >= high {
            return None;
        }
        let inner = self.values.iter().copied().filter(|&v| v > low && v < high);
        let values: Vec<f32> = [low].into_iter().chain(inner).chain([high]).collect();
        let colours = values.iter().map(|&v| self.lab_at(v)).collect();
        Some(Self { values, colours })
    }

    /// The same colours over another range, stretched evenly.
    ///
    /// # Errors
    /// [`RampError::Order`] if `low` is not less than `high`.
    pub fn stretched(&self, low: f32, high: f32) -> Result<Self, RampError> {
        if low.is_nan() || high.is_nan() || low >= high {
            return Err(RampError::Order { value: high, before: low });
        }
        let (first, last) = self.range();
        let span = if last > first { last - first } else { 1.0 };
        let values = self.values.iter().map(|v| low + (v - first) / span * (high - low)).collect();
        Ok(Self { values, colours: self.colours.clone() })
    }
}

fn parse_stop(text: &str) -> Option<(f32, Rgb)> {
    let mut words = text.split_whitespace();
    let value = words.next()?.parse().ok()?;
    let mut byte = || words.next()?.parse::<u8>().ok();
    let rgb = [byte()?, byte()?, byte()?];
    words.next().is_none().then_some((value, rgb))
}

macro_rules! built_in {
    ($(#[$doc:meta] $name:ident = $file:literal;)*) => {$(
        #[$doc]
        pub fn $name() -> &'static Ramp {
            static RAMP: LazyLock<Ramp> = LazyLock::new(|| {
                Ramp::parse(include_str!(concat!("../../../../data/palettes/", $file)))
                    .expect("a test parses every built-in ramp")
            });
            &RAMP
        }
    )*
        /// Every built-in ramp with the name of its file.
        pub fn built_in() -> Vec<(&'static str, &'static Ramp)> {
            vec![$(($file, $name())),*]
        }
    };
}

built_in! {
    /// Sea floor by elevation in metres, below 0.
    ocean = "ocean.txt";
    /// The paler sea of a printed atlas, by elevation in metres.
    atlas_sea = "atlas-sea.txt";
    /// Land by elevation in metres, as in a printed atlas: lowland green to the white of summits.
    hypsometric = "hypsometric.txt";
    /// Temperature in degrees Celsius, blue through white to red.
    temperature = "temperature.txt";
    /// Rain in millimetres a year, sand to deep blue.
    rain = "rain.txt";
    /// Height of mountains over the land under them in metres, paper to dark umber.
    mountains = "mountains.txt";
    /// Any quantity from 0 to 1, light to dark blue.
    blues = "blues.txt";
}

/// Water of lakes and rivers.
pub const FRESH_WATER: Rgb = [108, 150, 180];

/// Stops of annual temperature (degrees Celsius) of the table below.
const WARMTH: [f32; 7] = [-16.0, -9.0, -3.0, 3.0, 10.0, 18.0, 26.0];

/// Stops of moisture: rain over what could evaporate.
const MOISTURE: [f32; 5] = [0.0, 0.25, 0.6, 1.1, 2.2];

/// Ground colours by warmth (rows) and moisture (columns): desert, steppe, dry woods, woods, rain forest.
const GROUND: [[Rgb; 5]; 7] = [
    [[214, 211, 205], [222, 222, 219], [230, 232, 232], [236, 239, 240], [240, 243, 245]],
    [[186, 178, 166], [182, 176, 163], [178, 175, 164], [182, 181, 173], [190, 190, 184]],
    [[180, 168, 149], [169, 160, 138], [151, 149, 125], [138, 141, 117], [134, 139, 120]],
    [[192, 176, 151], [176, 166, 134], [142, 145, 111], [114, 127, 96], [103, 117, 91]],
    [[206, 190, 160], [190, 179, 137], [158, 160, 114], [127, 143, 95], [106, 128, 85]],
    [[220, 203, 170], [204, 188, 144], [171, 168, 114], [134, 146, 91], [100, 124, 76]],
    [[228, 211, 176], [211, 192, 141], [174, 168, 109], [125, 141, 84], [86, 114, 67]],
];

/// Bare rock, and snow.
const ROCK: Rgb = [158, 150, 140];
const SNOW: Rgb = [242, 245, 247];

static ROCK_LAB: LazyLock<Lab> = LazyLock::new(|| to_lab(to_linear(ROCK)));
pub(super) static SNOW_LAB: LazyLock<Lab> = LazyLock::new(|| to_lab(to_linear(SNOW)));
static GROUND_LAB: LazyLock<[[Lab; 5]; 7]> =
    LazyLock::new(|| GROUND.map(|row| row.map(|c| to_lab(to_linear(c)))));

/// The colour of land as seen from above, from its height in metres, its mean temperature of the year in degrees
/// Celsius (at that height) and its rain in millimetres a year.
///
/// Smooth in all three: deserts are tan, steppe straw, woods green, tundra grey-brown, ice and high summits white.
pub fn natural_colour(elevation_m: f32, temperature_c: f32, rain_mm: f32) -> Rgb {
    let white = snow(temperature_c, rain_mm, 0.0);
    to_rgb(from_lab(mix(natural_lab(elevation_m, temperature_c, rain_mm), *SNOW_LAB, white)))
}

/// How white land is with snow that lasts, 0 to 1, by its own mean temperature of the year and its rain, where so great a share of the
/// country is said to lie under ice. Little snow lasts only where it is cold: on the height of the snow line the year's mean is
/// some -4 degrees Celsius in wet ranges and -12 in dry ones (after Ohmura, Kasser & Funk 1992, whose temperatures are those of
/// summer); glaciers reach some 400 m farther down.
pub(crate) fn snow(temperature_c: f32, rain_mm: f32, ice: f32) -> f32 {
    let line_c = SNOW_LINE_C.0
        + (SNOW_LINE_C.1 - SNOW_LINE_C.0) * smoothstep(200.0, 1500.0, rain_mm)
        + GLACIER_C * ice;
    smoothstep(line_c + SNOW_SPREAD_C, line_c - SNOW_SPREAD_C, temperature_c)
}

/// Mean of the year at the snow line without rain and with much; how much warmer land under ice is; and half the width of the
/// change, in degrees Celsius.
const SNOW_LINE_C: (f32, f32) = (-13.0, -4.0);
const GLACIER_C: f32 = 2.5;
const SNOW_SPREAD_C: f32 = 2.5;

/// What [`natural_colour`] shows, without snow.
pub(crate) fn natural_lab(elevation_m: f32, temperature_c: f32, rain_mm: f32) -> Lab {
    let (row, u) = place(&WARMTH, temperature_c);
    let (column, v) = place(&MOISTURE, moisture(temperature_c, rain_mm));
    let table = &*GROUND_LAB;
    let across = |r: usize| mix(table[r][column], table[r][column + 1], v);
    let ground = mix(across(row), across(row + 1), u);
    let bare = 0.55 * smoothstep(1800.0, 4500.0, elevation_m) * smoothstep(9.0, -3.0, temperature_c);
    mix(ground, *ROCK_LAB, bare)
}

/// Rain over what could evaporate.
fn moisture(temperature_c: f32, rain_mm: f32) -> f32 {
    // Holdridge (1947): what could evaporate in a year is about 58.93 mm per degree of warmth over freezing;
    // the offset keeps cold places, where little evaporates, from all counting as wet.
    let demand_mm = 58.93 * temperature_c.clamp(0.0, 30.0) + 260.0;
    rain_mm.max(0.0) / demand_mm
}

/// Kinds of land in natural colours, each with a typical mean temperature in degrees Celsius and rain in mm a year.
const LAND: [(&str, f32, f32); 8] = [
    ("Rain forest", 26.0, 2500.0),
    ("Temperate forest", 12.0, 1000.0),
    ("Boreal forest", 0.0, 600.0),
    ("Tundra", -9.0, 300.0),
    ("Steppe", 14.0, 380.0),
    ("Desert", 24.0, 60.0),
    ("Cold desert", 3.0, 30.0),
    ("Ice", -22.0, 300.0),
];

/// The kinds of land that places are of, with the colours that [`natural_colour`] gives them, from mean temperatures in degrees
/// Celsius and rain in mm a year; but what fewer than one place in 300 is.
pub fn kinds_of_land(places: impl Iterator<Item = (f32, f32)>) -> Vec<(&'static str, Rgb)> {
    // by rows and columns of the table of colours
    let stands = |(temperature_c, rain_mm): (f32, f32)| {
        let ((row, u), (column, v)) =
            (place(&WARMTH, temperature_c), place(&MOISTURE, moisture(temperature_c, rain_mm)));
        [row as f32 + u, column as f32 + v]
    };
    let kinds = LAND.map(|(_, temperature_c, rain_mm)| stands((temperature_c, rain_mm)));
    let (ice, mut counts) = (LAND.len() - 1, [0_usize; LAND.len()]);
    for (temperature_c, rain_mm) in places {
        let own = stands((temperature_c, rain_mm));
        let off = |k: &usize| {
            let [down, across] = [kinds[*k][0] - own[0], kinds[*k][1] - own[1]];
            down * down + across * across
        };
        let nearest = (0..ice).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(ice);
        counts[if snow(temperature_c, rain_mm, 0.0) > 0.5 { ice } else { nearest }] += 1;
    }
    let all: usize = counts.iter().sum();
    let shown = LAND.iter().zip(counts).filter(|(_, count)| *count > 0 && 300 * count >= all);
    shown.map(|((name, warm, wet), _)| (*name, natural_colour(200.0, *warm, *wet))).collect()
}

/// The interval of `stops` that holds `value`, and the share of the way through it.
fn place(stops: &[f32], value: f32) -> (usize, f32) {
    let above = stops.partition_point(|&s| s <= value).clamp(1, stops.len() - 1);
    let (low, high) = (stops[above - 1], stops[above]);
    let t = (value - low) / (high - low);
    (above - 1, if t.is_nan() { 0.0 } else { t.clamp(0.0, 1.0) })
}

/// A quiet colour for a number that is only a name: basin, plate, class. Neighbouring numbers differ most.
pub fn categorical(id: u32) -> Rgb {
    use grid::math::{cos, sin};
    // The golden angle never comes back to a hue it has had.
    const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
    let hue = f64::from(id) * GOLDEN_ANGLE;
    let light = [0.74, 0.83, 0.66][(id % 3) as usize];
    const CHROMA: f64 = 0.075;
    to_rgb(from_lab([light, (CHROMA * cos(hue)) as f32, (CHROMA * sin(hue)) as f32]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn land_is_of_the_kinds_that_it_is_like() {
        let kinds = |places: &[(f32, f32)]| -> Vec<&str> {
            kinds_of_land(places.iter().copied()).into_iter().map(|(name, _)| name).collect()
        };
        // annual means: Turpan at 2000 m, the Sahara, Denver, Vostok, Manaus, Fairbanks
        for (place, expected) in [
            ((3.0, 40.0), "Cold desert"),
            ((25.0, 20.0), "Desert"),
            ((10.0, 370.0), "Steppe"),
            ((-55.0, 22.0), "Ice"),
            ((27.0, 2300.0), "Rain forest"),
            ((-2.5, 480.0), "Boreal forest"),
        ] {
            assert_eq!(kinds(&[place]), [expected], "{place:?}");
        }
        let mut many = vec![(25.0, 20.0); 300];
        many.push((10.0, 370.0));
        assert_eq!(kinds(&many), ["Desert"], "one place in 301");
        many.push((10.0, 370.0));
        assert_eq!(kinds(&many), ["Steppe", "Desert"]);
        assert!(kinds(&[]).is_empty());
    }

    /// Mean of the year and rain at about the height of the snow line.
    #[test]
    fn snow_lasts_where_it_does_on_earth() {
        for (place, temperature_c, rain_mm, is_white) in [
            ("the Alps at 2000 m", 2.0, 1800.0, false),
            ("the Alps at 3800 m", -8.5, 2000.0, true),
            ("Patagonia's ice", -5.0, 4000.0, true),
            ("the dry Andes at 5000 m", -4.0, 150.0, false),
            ("Yakutia", -10.0, 240.0, false),
            ("inner Antarctica", -50.0, 50.0, true),
        ] {
            assert_eq!(snow(temperature_c, rain_mm, 0.0) > 0.5, is_white, "{place}");
        }
        assert!(
            snow(-3.0, 1800.0, 1.0) > 0.5 && snow(-3.0, 1800.0, 0.0) < 0.5,
            "glaciers reach farther down"
        );
        assert_eq!(snow(10.0, 1800.0, 1.0), 0.0);
    }
}
