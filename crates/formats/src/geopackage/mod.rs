//! Layers as tables of a GeoPackage (OGC 12-128r19, version 1.4): an SQLite database that every geographic program
//! reads and writes.
//!
//! Each layer is a feature table with columns `fid`, `geom` and its fields, and an R-tree of its boxes with the
//! triggers that keep it true when others edit the table. Geometry is well-known binary behind a header with its
//! box. The date of last change is always the same, so that the same layers make the same file.
//!
//! Only with the crate's feature `gpkg`, for SQLite is C and slow to compile.

#[cfg(feature = "gpkg")]
mod blob;

#[cfg(feature = "gpkg")]
mod schema;

#[cfg(feature = "gpkg")]
mod tables;

#[cfg(feature = "gpkg")]
pub use tables::write;

/// Refuses: this build has no SQLite.
///
/// # Errors
/// Always.
#[cfg(not(feature = "gpkg"))]
pub fn write(path: &std::path::Path, _: &[&crate::features::Layer]) -> Result<(), crate::Error> {
    let cause =
        "this program was built without GeoPackages (feature gpkg); .geojson and .fgb hold the same".into();
    Err(crate::Error::Write { path: path.into(), cause })
}
