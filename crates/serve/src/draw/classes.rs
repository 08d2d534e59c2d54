//! Classes of climate and of vegetation, with the colours that maps give them.

use super::colour::Rgb;

/// A class of a map: its short name, what it means, its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Code or name, as a legend prints it.
    pub name: &'static str,
    /// Colour on maps.
    pub colour: Rgb,
}

const fn class(name: &'static str, colour: Rgb) -> Class {
    Class { name, colour }
}

/// The classes of Koeppen and Geiger, in the order of their codes 1 to 30, in the colours of Peel, Finlayson and
/// McMahon (2007) and of Beck and others (2018).
pub const KOPPEN: [Class; 30] = [
    class("Af", [0, 0, 255]),
    class("Am", [0, 120, 255]),
    class("Aw", [70, 170, 250]),
    class("BWh", [255, 0, 0]),
    class("BWk", [255, 150, 150]),
    class("BSh", [245, 165, 0]),
    class("BSk", [255, 220, 100]),
    class("Csa", [255, 255, 0]),
    class("Csb", [200, 200, 0]),
    class("Csc", [150, 150, 0]),
    class("Cwa", [150, 255, 150]),
    class("Cwb", [100, 200, 100]),
    class("Cwc", [50, 150, 50]),
    class("Cfa", [200, 255, 80]),
    class("Cfb", [100, 255, 80]),
    class("Cfc", [50, 200, 0]),
    class("Dsa", [255, 0, 255]),
    class("Dsb", [200, 0, 200]),
    class("Dsc", [150, 50, 150]),
    class("Dsd", [150, 100, 150]),
    class("Dwa", [170, 175, 255]),
    class("Dwb", [90, 120, 220]),
    class("Dwc", [75, 80, 180]),
    class("Dwd", [50, 0, 135]),
    class("Dfa", [0, 255, 255]),
    class("Dfb", [55, 200, 255]),
    class("Dfc", [0, 125, 125]),
    class("Dfd", [0, 70, 95]),
    class("ET", [178, 178, 178]),
    class("EF", [102, 102, 102]),
];

/// Biomes after Whittaker (1975), from cold to warm and from dry to wet.
pub const BIOMES: [Class; 12] = [
    class("Ice", [240, 244, 247]),
    class("Tundra", [178, 186, 176]),
    class("Boreal forest", [96, 130, 112]),
    class("Cold desert", [208, 196, 172]),
    class("Temperate grassland", [206, 200, 130]),
    class("Woodland, shrubland", [170, 170, 92]),
    class("Temperate forest", [112, 158, 84]),
    class("Temperate rain forest", [62, 128, 106]),
    class("Hot desert", [236, 208, 150]),
    class("Savanna", [214, 180, 84]),
    class("Tropical seasonal forest", [126, 170, 54]),
    class("Tropical rain forest", [34, 112, 52]),
];

/// Index in [`BIOMES`] of the biome at a mean temperature in degrees Celsius and a rain in mm a year.
///
/// Straight lines read off Whittaker's diagram (1975): vegetation needs the more rain the warmer it is. Ground
/// under ice is not his matter: ice stands for means under -15 degrees.
pub fn biome(temperature_c: f32, rain_mm: f32) -> usize {
    let warmth = temperature_c.max(0.0);
    // rain over which there is more than desert, than grass or savanna, than open woods, than dry-season forest
    let [grass, woods, forest, rain_forest] =
        [110.0 + 13.0 * warmth, 220.0 + 26.0 * warmth, 340.0 + 40.0 * warmth, 1250.0 + 48.0 * warmth];
    let rank = [grass, woods, forest, rain_forest].iter().filter(|&&least| rain_mm >= least).count();
    match temperature_c {
        t if t < -15.0 => 0,
        t if t < -4.0 => 1,
        t if t < 4.0 => [3, 4, 2, 2, 2][rank],
        t if t < 19.0 => [3, 4, 5, 6, 7][rank],
        _ => [8, 9, 9, 10, 11][rank],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_earth_have_their_biomes() {
        // annual means of stations, WMO normals rounded
        let places = [
            ("Manaus", 27.0, 2300.0, "Tropical seasonal forest"),
            ("Singapore", 27.5, 2600.0, "Tropical rain forest"),
            ("Bamako", 28.0, 950.0, "Savanna"),
            ("Cairo", 22.0, 25.0, "Hot desert"),
            ("Paris", 11.5, 640.0, "Woodland, shrubland"),
            ("New York", 12.5, 1200.0, "Temperate forest"),
            ("Hokitika", 11.8, 2870.0, "Temperate rain forest"),
            ("Denver", 10.0, 370.0, "Temperate grassland"),
            ("Turpan", 14.0, 16.0, "Cold desert"),
            ("Fairbanks", -2.5, 280.0, "Boreal forest"),
            ("Utqiagvik", -11.0, 115.0, "Tundra"),
            ("Vostok", -55.0, 22.0, "Ice"),
        ];
        for (place, temperature, rain, expected) in places {
            assert_eq!(BIOMES[biome(temperature, rain)].name, expected, "{place}");
        }
    }

    #[test]
    fn colours_tell_classes_apart() {
        for classes in [&KOPPEN[..], &BIOMES[..]] {
            for (i, a) in classes.iter().enumerate() {
                let apart = |b: &Class| a.colour.iter().zip(b.colour).map(|(p, q)| p.abs_diff(q)).max();
                assert!(classes[..i].iter().all(|b| b.name != a.name && apart(b) >= Some(20)), "{}", a.name);
            }
        }
    }
}
