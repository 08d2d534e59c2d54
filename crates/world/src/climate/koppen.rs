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

#[cfg(test)]
mod tests {
    use super::*;

    /// Monthly means of stations (1961-1990 or 1971-2000, rounded) and the class the literature gives them.
    #[rustfmt::skip]
    const STATIONS: &[(&str, &str, [f32; 12], [f32; 12])] = &[
        ("Singapore", "Af", [26.5, 27.1, 27.5, 28.0, 28.3, 28.3, 27.9, 27.9, 27.6, 27.6, 27.0, 26.4], [244.0, 160.0, 185.0, 179.0, 171.0, 161.0, 159.0, 175.0, 169.0, 194.0, 256.0, 287.0]),
        ("Belem", "Af", [26.0, 25.8, 25.9, 26.1, 26.4, 26.4, 26.3, 26.5, 26.6, 26.8, 27.0, 26.8], [367.0, 418.0, 436.0, 360.0, 304.0, 140.0, 152.0, 131.0, 141.0, 116.0, 112.0, 216.0]),
        ("Miami", "Am", [20.1, 20.8, 22.5, 24.2, 26.4, 27.9, 28.7, 28.7, 28.1, 26.1, 23.6, 21.2], [41.0, 57.0, 76.0, 80.0, 136.0, 245.0, 165.0, 226.0, 250.0, 160.0, 83.0, 52.0]),
        ("Mumbai", "Aw", [24.1, 24.6, 26.9, 28.7, 30.3, 29.2, 27.8, 27.4, 27.7, 28.5, 27.6, 25.7], [1.0, 1.0, 0.0, 1.0, 11.0, 537.0, 719.0, 483.0, 324.0, 73.0, 14.0, 2.0]),
        ("Darwin", "Aw", [28.3, 28.2, 28.3, 28.3, 26.9, 25.3, 25.0, 26.1, 27.9, 29.2, 29.3, 28.9], [424.0, 359.0, 318.0, 100.0, 21.0, 2.0, 1.0, 6.0, 15.0, 71.0, 140.0, 248.0]),
        ("Cairo", "BWh", [13.8, 15.2, 17.6, 21.6, 24.6, 27.3, 28.0, 27.8, 26.2, 23.6, 18.8, 15.0], [5.0, 4.0, 4.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 4.0, 6.0]),
        ("Alice Springs", "BWh", [28.9, 28.0, 25.2, 20.3, 15.5, 12.3, 11.8, 14.4, 18.7, 23.0, 26.0, 28.0], [41.0, 44.0, 33.0, 17.0, 19.0, 14.0, 15.0, 9.0, 9.0, 21.0, 29.0, 37.0]),
        ("Turpan", "BWk", [-7.6, -0.5, 9.3, 18.9, 25.7, 30.9, 32.2, 30.4, 23.3, 12.6, 1.8, -6.3], [0.9, 0.6, 0.7, 0.7, 1.0, 2.6, 2.1, 2.4, 1.4, 1.3, 0.6, 0.8]),
        ("Niamey", "BSh", [24.4, 27.3, 31.2, 34.0, 33.9, 31.3, 28.9, 27.8, 29.0, 30.6, 27.9, 24.9], [0.0, 0.0, 4.0, 6.0, 35.0, 69.0, 154.0, 171.0, 92.0, 10.0, 1.0, 0.0]),
        ("Zaragoza", "BSk", [6.4, 8.4, 10.9, 13.0, 17.2, 21.3, 24.5, 24.4, 20.7, 15.5, 10.0, 7.1], [21.0, 22.0, 19.0, 39.0, 44.0, 26.0, 17.0, 17.0, 30.0, 36.0, 30.0, 21.0]),
        ("Rome", "Csa", [7.5, 8.2, 10.2, 12.6, 17.2, 21.1, 24.1, 24.5, 20.8, 16.4, 11.4, 8.4], [67.0, 73.0, 58.0, 81.0, 53.0, 34.0, 19.0, 37.0, 73.0, 113.0, 115.0, 81.0]),
        ("Perth", "Csa", [24.2, 24.6, 22.8, 19.5, 16.3, 14.1, 13.1, 13.4, 14.7, 16.8, 19.8, 22.3], [10.0, 15.0, 18.0, 42.0, 100.0, 165.0, 160.0, 120.0, 72.0, 44.0, 25.0, 11.0]),
        ("San Francisco", "Csb", [10.2, 11.9, 12.6, 13.2, 14.1, 15.1, 15.4, 16.1, 17.0, 16.1, 13.2, 10.6], [114.0, 97.0, 78.0, 34.0, 10.0, 3.0, 1.0, 1.0, 7.0, 31.0, 80.0, 78.0]),
        ("Santiago", "Csb", [20.8, 20.0, 18.1, 14.5, 11.2, 8.6, 8.3, 9.5, 11.6, 14.5, 17.4, 19.8], [0.4, 0.8, 3.2, 10.4, 42.2, 70.4, 86.6, 51.8, 22.0, 13.4, 9.2, 2.1]),
        ("Hong Kong", "Cwa", [16.3, 16.8, 19.1, 22.6, 25.9, 27.9, 28.8, 28.6, 27.7, 25.5, 21.8, 17.9], [25.0, 54.0, 82.0, 175.0, 305.0, 456.0, 377.0, 432.0, 328.0, 101.0, 38.0, 27.0]),
        ("Mexico City", "Cwb", [14.6, 15.9, 18.1, 19.6, 20.0, 19.4, 18.2, 18.3, 18.0, 17.0, 15.9, 14.7], [11.0, 4.0, 10.0, 26.0, 56.0, 135.0, 175.0, 169.0, 145.0, 67.0, 12.0, 6.0]),
        ("Tokyo", "Cfa", [5.8, 6.1, 8.9, 14.4, 18.7, 21.8, 25.4, 27.1, 23.5, 18.2, 13.0, 8.4], [49.0, 60.0, 115.0, 130.0, 128.0, 165.0, 162.0, 155.0, 209.0, 163.0, 93.0, 40.0]),
        ("Buenos Aires", "Cfa", [25.1, 23.7, 21.4, 17.7, 14.3, 11.2, 11.0, 12.8, 14.6, 17.8, 20.7, 23.3], [119.0, 118.0, 134.0, 97.0, 74.0, 63.0, 66.0, 70.0, 73.0, 119.0, 109.0, 105.0]),
        ("London", "Cfb", [5.2, 5.3, 7.6, 9.9, 13.3, 16.4, 18.7, 18.5, 15.7, 12.0, 8.0, 5.5], [55.0, 41.0, 42.0, 44.0, 49.0, 45.0, 45.0, 50.0, 49.0, 69.0, 59.0, 55.0]),
        ("Wellington", "Cfb", [16.9, 17.2, 15.8, 13.7, 11.6, 9.7, 8.9, 9.4, 10.8, 12.0, 13.5, 15.4], [76.0, 69.0, 87.0, 84.0, 98.0, 114.0, 111.0, 106.0, 82.0, 81.0, 81.0, 85.0]),
        ("Reykjavik", "Cfc", [0.4, 0.7, 0.8, 2.9, 6.3, 9.0, 10.6, 10.3, 7.4, 4.4, 1.1, 0.2], [76.0, 72.0, 82.0, 58.0, 44.0, 50.0, 52.0, 62.0, 67.0, 86.0, 73.0, 79.0]),
        ("Beijing", "Dwa", [-3.1, 0.2, 6.7, 14.8, 20.8, 24.9, 26.7, 25.5, 20.8, 13.7, 5.0, -0.9], [2.7, 5.0, 10.2, 23.1, 39.0, 76.7, 168.8, 120.2, 57.4, 24.1, 13.1, 2.4]),
        ("Irkutsk", "Dwb", [-17.8, -14.4, -6.4, 2.4, 10.2, 15.4, 18.3, 15.9, 9.2, 1.8, -7.7, -15.4], [12.0, 8.0, 11.0, 18.0, 34.0, 72.0, 109.0, 95.0, 53.0, 21.0, 11.0, 10.9]),
        ("Chicago", "Dfa", [-4.3, -2.0, 4.1, 10.0, 16.0, 21.5, 24.0, 23.2, 19.0, 12.2, 5.0, -1.7], [44.0, 45.0, 64.0, 86.0, 94.0, 88.0, 94.0, 124.0, 82.0, 80.0, 80.0, 57.0]),
        ("Moscow", "Dfb", [-6.5, -6.7, -1.0, 6.7, 13.2, 17.0, 19.2, 17.0, 11.3, 5.6, -1.2, -5.2], [52.0, 41.0, 35.0, 37.0, 49.0, 80.0, 85.0, 82.0, 68.0, 71.0, 55.0, 52.0]),
        ("Fairbanks", "Dfc", [-22.2, -18.6, -11.4, 0.3, 9.6, 15.7, 16.9, 13.4, 7.3, -4.2, -16.3, -20.4], [15.0, 11.0, 6.0, 8.0, 15.0, 35.0, 55.0, 48.0, 28.0, 21.0, 17.0, 16.0]),
        ("Yakutsk", "Dfd", [-39.6, -34.1, -19.8, -5.0, 7.3, 16.1, 19.5, 15.2, 6.1, -7.8, -27.6, -38.6], [9.0, 8.0, 6.0, 9.0, 19.0, 38.0, 39.0, 38.0, 29.0, 18.0, 16.0, 10.0]),
        ("Nuuk", "ET", [-7.4, -7.8, -8.0, -3.9, 0.6, 3.9, 6.5, 6.1, 3.5, -0.6, -3.6, -6.2], [39.0, 47.0, 50.0, 46.0, 55.0, 62.0, 82.0, 89.0, 88.0, 70.0, 74.0, 54.0]),
        ("Vostok", "EF", [-32.0, -44.3, -57.9, -64.7, -65.6, -65.2, -66.9, -67.6, -66.0, -57.1, -43.3, -32.1], [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0, 2.0, 2.0, 1.0, 1.0]),
    ];

    #[test]
    fn stations_have_their_class() {
        for (name, class, temperature, rain) in STATIONS {
            assert_eq!(KOPPEN[usize::from(koppen_class(temperature, rain))], *class, "{name}");
        }
    }

    /// The same place half a year later is the same place on the other side of the equator.
    #[test]
    fn hemispheres_are_alike() {
        for (name, _, temperature, rain) in STATIONS {
            let later = |months: &[f32; 12]| std::array::from_fn(|m| months[(m + 6) % 12]);
            assert_eq!(
                koppen_class(temperature, rain),
                koppen_class(&later(temperature), &later(rain)),
                "{name}"
            );
        }
    }

    /// Temperate and cold part at 0 deg C; the arid edge is where the paper's formula puts it.
    #[test]
    fn thresholds_are_those_of_the_paper() {
        let class = |t: [f32; 12], p: [f32; 12]| KOPPEN[usize::from(koppen_class(&t, &p))];
        let swing = |coldest: f32| std::array::from_fn(|m| if m == 0 { coldest } else { 15.0 });
        assert_eq!(class(swing(0.1), [80.0; 12]), "Cfb");
        assert_eq!(class(swing(-0.1), [80.0; 12]), "Dfb");
        // 20 deg C and even rain: arid below 10 (2 x 20 + 14) = 540 mm, desert below 270 mm
        for (rain, expected) in [(541.0, "Cfa"), (539.0, "BSh"), (271.0, "BSh"), (269.0, "BWh")] {
            let t = std::array::from_fn(|m| if m % 2 == 0 { 16.0 } else { 24.0 });
            assert_eq!(class(t, [rain / 12.0; 12]), expected, "{rain}");
        }
    }
}
