//! Koeppen-Geiger classes with the thresholds of Peel, Finlayson & McMahon (2007).
//!
//! Temperate and cold climates part at 0 deg C in the coldest month, as in that paper, not at -3. Arid classes
//! go first. Where both a dry summer and a dry winter would fit, the drier half of the year decides
//! (Beck et al. 2018, whose numbering of the thirty classes is used too).

/// Names of the classes by code; 0 is the sea.
pub const KOPPEN: [&str; 31] = [
    "sea", "Af", "Am", "Aw", "BWh", "BWk", "BSh", "BSk", "Csa", "Csb", "Csc", "Cwa", "Cwb", "Cwc", "Cfa",
    "Cfb", "Cfc", "Dsa", "Dsb", "Dsc", "Dsd", "Dwa", "Dwb", "Dwc", "Dwd", "Dfa", "Dfb", "Dfc", "Dfd", "ET",
    "EF",
];

const CSA: u8 = 8;
const CWA: u8 = 11;
const CFA: u8 = 14;
const DSA: u8 = 17;
const DWA: u8 = 21;
const DFA: u8 = 25;

/// The year of a place as the classes see it.
struct Year {
    mean_c: f32,
    coldest_c: f32,
    warmest_c: f32,
    months_above_10: usize,
    rain_mm: f32,
    driest_mm: f32,
    /// Rain of April to September and of October to March, with their driest and wettest months; summer first.
    halves: [Half; 2],
}

#[derive(Clone, Copy)]
struct Half {
    rain_mm: f32,
    driest_mm: f32,
    wettest_mm: f32,
}

impl Year {
    fn new(temperature_c: &[f32; 12], rain_mm: &[f32; 12]) -> Self {
        let april_to_september = 3..9;
        let mut halves = [Half { rain_mm: 0.0, driest_mm: f32::MAX, wettest_mm: 0.0 }; 2];
        let mut warmth = [0.0; 2];
        for m in 0..12 {
            let k = usize::from(!april_to_september.contains(&m));
            warmth[k] += temperature_c[m];
            halves[k].rain_mm += rain_mm[m];
            halves[k].driest_mm = halves[k].driest_mm.min(rain_mm[m]);
            halves[k].wettest_mm = halves[k].wettest_mm.max(rain_mm[m]);
        }
        if warmth[1] > warmth[0] {
            halves.swap(0, 1);
        }
        Self {
            mean_c: temperature_c.iter().sum::<f32>() / 12.0,
            coldest_c: temperature_c.iter().copied().fold(f32::MAX, f32::min),
            warmest_c: temperature_c.iter().copied().fold(f32::MIN, f32::max),
            months_above_10: temperature_c.iter().filter(|t| **t >= 10.0).count(),
            rain_mm: rain_mm.iter().sum(),
            driest_mm: rain_mm.iter().copied().fold(f32::MAX, f32::min),
            halves,
        }
    }

    /// A tenth of the rain below which a climate is arid, in mm.
    fn thirst(&self) -> f32 {
        let [summer, winter] = self.halves;
        if winter.rain_mm >= 0.7 * self.rain_mm {
            2.0 * self.mean_c
        } else if summer.rain_mm >= 0.7 * self.rain_mm {
            2.0 * self.mean_c + 28.0
        } else {
            2.0 * self.mean_c + 14.0
        }
    }

    /// Steps of three or four classes from dry summers over dry winters to neither: s, w, f.
    fn season(&self) -> usize {
        let [summer, winter] = self.halves;
        let dry_summer = summer.driest_mm < 40.0 && summer.driest_mm < winter.wettest_mm / 3.0;
        let dry_winter = winter.driest_mm < summer.wettest_mm / 10.0;
        match (dry_summer, dry_winter) {
            (true, true) => usize::from(winter.rain_mm <= summer.rain_mm),
            (true, false) => 0,
            (false, true) => 1,
            (false, false) => 2,
        }
    }

    /// a, b, c, d as 0 to 3.
    fn summer(&self) -> u8 {
        if self.warmest_c >= 22.0 {
            0
        } else if self.months_above_10 >= 4 {
            1
        } else if self.coldest_c < -38.0 {
            3
        } else {
            2
        }
    }
}

/// Code (1 to 30, an index into [`KOPPEN`]) of the class of a place on land, by the mean temperature and rain of each month.
pub fn koppen_class(temperature_c: &[f32; 12], rain_mm: &[f32; 12]) -> u8 {
    let year = Year::new(temperature_c, rain_mm);
    let thirst = year.thirst();
    if year.rain_mm < 10.0 * thirst {
        let steppe = if year.rain_mm < 5.0 * thirst { 0 } else { 2 };
        return 4 + steppe + u8::from(year.mean_c < 18.0);
    }
    if year.coldest_c >= 18.0 {
        return match year.driest_mm {
            dry if dry >= 60.0 => 1,
            dry if dry >= 100.0 - year.rain_mm / 25.0 => 2,
            _ => 3,
        };
    }
    if year.warmest_c <= 10.0 {
        return if year.warmest_c > 0.0 { 29 } else { 30 };
    }
    let first = if year.coldest_c > 0.0 { [CSA, CWA, CFA] } else { [DSA, DWA, DFA] }[year.season()];
    let summer = year.summer();
    first + if year.coldest_c > 0.0 { summer.min(2) } else { summer }
}
