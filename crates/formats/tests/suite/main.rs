//! Files read back by other readers, damaged files, and files that other programs wrote.

mod antimeridian;
mod atomic;
mod cog;
mod features;
mod forged;
mod forged_png;
mod geopackage;
mod geotiff;
mod lines;
mod part;
mod pictures;
mod pmtiles;
mod reader;
mod rows;
mod samples;
