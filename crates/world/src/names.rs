//! Names: words that nobody has used, for rivers and what else people call by name.
//!
//! A name is a few syllables (onset, vowel, coda) and perhaps an ending. Each plate speaks one of several families
//! of sounds, so that neighbours sound alike; the rest is drawn at the place that bears the name. No two names of
//! one list are equal. Neglects: meaning, change of language over time, borders of languages other than plates.

use grid::{Cell, Draw, Nth, Purpose, Seed};
use std::collections::BTreeSet;

const FAMILY: Purpose = Purpose::new("world/names/family");
const NAME: Purpose = Purpose::new("world/names/name");

/// The sounds of a family. An empty coda leaves a syllable open; endings follow a consonant.
struct Sounds {
    onsets: &'static [&'static str],
    vowels: &'static [&'static str],
    codas: &'static [&'static str],
    endings: &'static [&'static str],
}

const FAMILIES: [Sounds; 8] = [
    Sounds {
        onsets: &["b", "d", "g", "k", "l", "m", "n", "r", "s", "t", "v", "br", "dr", "sk"],
        vowels: &["a", "e", "i", "o", "u", "ei"],
        codas: &["", "", "n", "r", "l", "s", "rn"],
        endings: &["a", "en", "ava", "ed", "ur"],
    },
    Sounds {
        onsets: &["t", "k", "m", "n", "h", "w", "r", "p", "ng"],
        vowels: &["a", "e", "i", "o", "u", "a", "o"],
        codas: &["", "", "", "", "n"],
        endings: &["a", "o", "ua", "ai", "ike"],
    },
    Sounds {
        onsets: &["z", "sh", "kh", "q", "b", "d", "m", "r", "j", "s", "t"],
        vowels: &["a", "i", "u", "a", "ai"],
        codas: &["", "r", "n", "m", "l", "d", "sh"],
        endings: &["ab", "an", "ir", "ud", "a"],
    },
    Sounds {
        onsets: &["l", "n", "s", "v", "c", "f", "r", "m", "t", "p", "tr", "fl"],
        vowels: &["a", "e", "i", "o", "ia", "au"],
        codas: &["", "", "n", "r", "l", "s"],
        endings: &["ona", "iva", "ane", "ero", "is", "ura"],
    },
    Sounds {
        onsets: &["ch", "tl", "x", "n", "p", "c", "t", "y", "m", "qu", "h"],
        vowels: &["a", "e", "i", "o", "a"],
        codas: &["", "", "l", "c", "tl", "n", "z"],
        endings: &["an", "ec", "il", "oa"],
    },
    Sounds {
        onsets: &["th", "g", "w", "h", "l", "br", "gr", "f", "n", "st", "m", "e"],
        vowels: &["a", "e", "o", "y", "ea", "i"],
        codas: &["", "r", "l", "th", "n", "ld", "m"],
        endings: &["er", "en", "ow", "ey", "and"],
    },
    Sounds {
        onsets: &["b", "v", "d", "z", "l", "m", "n", "p", "s", "vl", "kr", "t", "r"],
        vowels: &["o", "e", "a", "i", "u", "o"],
        codas: &["", "", "l", "r", "v", "n", "zh"],
        endings: &["ava", "itsa", "ka", "ov", "na", "el"],
    },
    Sounds {
        onsets: &["d", "g", "b", "l", "s", "h", "m", "n", "ts", "ph", "y", "j"],
        vowels: &["a", "o", "i", "e", "uo", "a"],
        codas: &["", "n", "ng", "", "m", "p"],
        endings: &["o", "u", "ang", "ien", "a"],
    },
];

/// A list of names, none of which occurs twice.
#[derive(Clone, Debug)]
pub struct Names {
    seed: Seed,
    given: BTreeSet<String>,
}

impl Names {
    /// No names yet.
    pub fn new(seed: Seed) -> Self {
        Self { seed, given: BTreeSet::new() }
    }

    /// A name for something at a cell of a plate. Depends on the place, and on the names given before only if it
    /// would be one of them.
    pub fn give(&mut self, cell: Cell, plate: u16) -> String {
        let family = self.seed.key(FAMILY).at(Nth(plate.into())).below(FAMILIES.len() as u32);
        let key = self.seed.key(NAME).within(cell);
        let mut attempt = 0;
        loop {
            // after many tries in vain names grow longer, so that there is always another one
            let name = coin(&FAMILIES[family as usize], &mut key.at(Nth(attempt)), attempt / 8);
            if is_easy(&name) && self.given.insert(name.clone()) {
                return name;
            }
            attempt += 1;
        }
    }
}

/// A name of two syllables or three, with `more` besides, capitalised.
fn coin(sounds: &Sounds, draw: &mut Draw, more: u32) -> String {
    let mut name = String::new();
    let syllables = 1 + draw.below(2) + more;
    let pick = |draw: &mut Draw, list: &[&'static str]| list[draw.below(list.len() as u32) as usize];
    for _ in 0..syllables {
        for list in [sounds.onsets, sounds.vowels, sounds.codas] {
            name.push_str(pick(draw, list));
        }
    }
    if name.ends_with(is_vowel) {
        name.push_str(pick(draw, sounds.onsets));
    }
    name.push_str(pick(draw, sounds.endings));
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn is_vowel(letter: char) -> bool {
    "aeiouy".contains(letter.to_ascii_lowercase())
}

/// Whether a name can be said: 4 to 14 letters, no more than two vowels or three consonants in a row (of which two
/// may be one sound), no letter three times.
fn is_easy(name: &str) -> bool {
    let letters: Vec<char> = name.to_lowercase().chars().collect();
    let run = |of: fn(char) -> bool| letters.split(|&c| !of(c)).map(<[char]>::len).max().unwrap_or(0);
    let thrice = letters.windows(3).any(|w| w[0] == w[1] && w[1] == w[2]);
    let doubled_pair = letters.windows(4).any(|w| w[..2] == w[2..]);
    (4..=14).contains(&letters.len())
        && run(is_vowel) <= 2
        && run(|c| !is_vowel(c)) <= 3
        && !thrice
        && !doubled_pair
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many(seed: u64, count: u32) -> Vec<String> {
        let mut names = Names::new(Seed(seed));
        (0..count).map(|k| names.give(Cell(k * 37), (k % 20) as u16)).collect()
    }

    #[test]
    fn names_differ_and_can_be_said() {
        let names = many(3, 6000);
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        for name in &names {
            assert!(name.chars().all(|c| c.is_ascii_alphabetic()) && is_easy(name), "{name}");
            assert!(name.starts_with(|c: char| c.is_ascii_uppercase()), "{name}");
            assert!(name[1..].chars().all(|c| c.is_ascii_lowercase()), "{name}");
        }
        let long = names.iter().filter(|n| n.len() > 11).count();
        assert!(long * 5 < names.len(), "{long} long names");
    }

    #[test]
    fn a_name_belongs_to_its_place() {
        let alone = Names::new(Seed(3)).give(Cell(37 * 500), 0);
        assert_eq!(many(3, 501)[500], alone);
        assert_ne!(many(4, 501)[500], alone);
    }

    #[test]
    fn only_what_can_be_said_is_easy() {
        for (name, easy) in
            [("Belara", true), ("Strth", false), ("Aiiea", false), ("Tora", true), ("Tor", false)]
        {
            assert_eq!(is_easy(name), easy, "{name}");
        }
        assert!(!is_easy("Tatatan"));
    }

    #[test]
    fn neighbours_sound_alike() {
        // letters that only one family has tell plates apart
        let mut names = Names::new(Seed(9));
        let mut families = BTreeSet::new();
        for plate in 0..30u16 {
            let of_plate: Vec<String> =
                (0..40).map(|k| names.give(Cell(k + 1000 * u32::from(plate)), plate)).collect();
            let fits = |s: &Sounds| of_plate.iter().all(|n| s.endings.iter().any(|e| n.ends_with(e)));
            families.extend(FAMILIES.iter().position(fits));
            assert!(FAMILIES.iter().any(fits), "plate {plate}: {of_plate:?}");
        }
        assert!(families.len() > 4, "{families:?}");
    }
}
