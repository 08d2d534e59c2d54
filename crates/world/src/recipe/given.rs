//! What a recipe says of files that were given to a made world.

use super::{Place, Slot};

/// Heading of the section in a recipe's text.
pub(super) const ABOUT: &str = " Files that were given to this world: `terrane generate` needs them again, with the options of these names.";

/// The files that were given to a made world: name and BLAKE3 of each, nothing where there was none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// The mask of land.
    pub land: String,
    /// The heights of mountains.
    pub mountain_height: String,
    /// The crest lines.
    pub ridge_lines: String,
    /// The rivers to keep.
    pub rivers_to_keep: String,
}

impl Given {
    /// All four, with the options that give them.
    pub fn files(&self) -> [(&'static str, &str); 4] {
        [
            ("--land", &self.land),
            ("--mountain-height", &self.mountain_height),
            ("--ridge-lines", &self.ridge_lines),
            ("--rivers-to-keep", &self.rivers_to_keep),
        ]
    }

    /// The text of an option.
    pub fn file_mut(&mut self, option: &str) -> Option<&mut String> {
        match option {
            "--land" => Some(&mut self.land),
            "--mountain-height" => Some(&mut self.mountain_height),
            "--ridge-lines" => Some(&mut self.ridge_lines),
            "--rivers-to-keep" => Some(&mut self.rivers_to_keep),
            _ => None,
        }
    }

    pub(super) fn slots(&mut self) -> Vec<Slot<'_>> {
        let slot = |path: &str, meaning, text| Slot {
            path: path.into(),
            unit: "text",
            meaning,
            place: Place::Text(text),
        };
        vec![
            slot("given.land", "Mask of land: the file's name and BLAKE3 of its bytes.", &mut self.land),
            slot("given.mountain_height", "Heights of mountains, likewise.", &mut self.mountain_height),
            slot("given.ridge_lines", "Crest lines, likewise.", &mut self.ridge_lines),
            slot("given.rivers_to_keep", "Rivers to keep, likewise.", &mut self.rivers_to_keep),
        ]
    }
}
