//! Files read back by other readers, damaged files, and files that other programs wrote.

mod antimeridian;
mod atomic;
mod features;
mod forged;
mod geopackage;
mod geotiff;
mod lines;
mod pictures;
mod reader;
mod rows;
mod samples;
