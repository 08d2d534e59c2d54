//! The grid: neighbours, measures, keys, noise, rasters.

mod common;
mod geometry;
mod keys;
mod noise;
mod raster;
mod topology;
