//! What a recipe says of a world that was imported: which raster it stands on, and how it was made of it.

use super::{Place, Slot};

/// Heading of the section in a recipe's text.
pub(super) const ABOUT: &str =
    " The raster that the land was taken from: `terrane import` makes such a world, a recipe alone does not.";

macro_rules! import {
    (
        texts { $($text:ident: $text_meaning:literal;)* }
        numbers { $($field:ident = $default:expr, $low:expr, $high:expr, $unit:literal, $meaning:literal;)* }
    ) => {
        /// The raster that a world's land was taken from, and how.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Import {
            $(#[doc = $text_meaning] pub $text: String,)*
            $(#[doc = concat!($meaning, " Unit: ", $unit, ".")] pub $field: f64,)*
        }

        impl Default for Import {
            fn default() -> Self {
                Self { $($text: String::new(),)* $($field: $default,)* }
            }
        }

        impl Import {
            pub(super) fn slots(&mut self) -> Vec<Slot<'_>> {
                vec![
                    $(Slot {
                        path: concat!("import.", stringify!($text)).into(),
                        unit: "text",
                        meaning: $text_meaning,
                        place: Place::Text(&mut self.$text),
                    },)*
                    $(Slot {
                        path: concat!("import.", stringify!($field)).into(),
                        unit: $unit,
                        meaning: $meaning,
                        place: Place::Real(&mut self.$field, $low, $high),
                    },)*
                ]
            }
        }
    };
}

import! {
    texts {
        source: "Name of the raster's file.";
        digest: "BLAKE3 of that file's bytes, as b3sum prints it.";
        with: "What else was given: options and digests of their files.";
        reference: "Reference system of a flat raster, as the keys of its GeoTIFF; exports lie in it.";
    }
    numbers {
        sea_level_m = 0.0, -12_000.0, 12_000.0, "m", "Height in the raster at which the sea stands.";
        range_km = 100.0, 0.001, 1000.0, "km", "Half the width of the widest range: what is narrower and stands out is mountain.";
        kept = 0.2, 0.0, 1.0, "share", "How much of the mountains' height the ground under them keeps, so that divides stay.";
        strait_km = 60.0, 0.0, 1000.0, "km", "Waters below the sea's level belong to the sea across land as narrow as this.";
        inland_sea_km2 = 30_000.0, 0.0, 1e8, "km2", "Smaller waters that do not touch the sea count as land, where lakes may form.";
        estuary_km = 80.0, 0.0, 1000.0, "km", "Shallow arms of the sea narrower than this that end in the land are rivers.";
        breach_m = 600.0, 0.0, 5000.0, "m", "Hollows no deeper than this are drained by a cut; deeper ones are basins of their own.";
        west_m = 0.0, -1e9, 1e9, "m", "Where the western border of a flat raster lies in its reference system.";
        south_m = 0.0, -1e9, 1e9, "m", "Where the southern border of a flat raster lies in its reference system.";
    }
}
