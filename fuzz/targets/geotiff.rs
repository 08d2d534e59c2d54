//! GeoTIFFs: the first and the last rows of each band that a careful caller would read.

#![no_main]

#[path = "scratch.rs"]
mod scratch;

use formats::geotiff::Reader;
use libfuzzer_sys::fuzz_target;

const MOST_VALUES: usize = 1 << 16;
const MOST_BANDS: usize = 4;

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut reader) = Reader::open(scratch::file(bytes)) else { return };
    let info = reader.info().clone();
    let _ = (reader.warnings(), info.georeference.ground(), info.georeference.crs.describe());
    let rows = info.height.min(MOST_VALUES / info.width.max(1));
    let mut values = vec![0.0; rows * info.width];
    for band in 1..=info.bands.min(MOST_BANDS) {
        reader.select_band(band).expect("it is there");
        for first in [0, info.height - rows] {
            let _ = reader.read_rows(first, rows, &mut values);
        }
    }
});
