//! Maps: rasters and lines drawn as pictures
