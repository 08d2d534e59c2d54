//! Other people's files: GeoTIFF, PNG, raw, GeoJSON
