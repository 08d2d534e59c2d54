//! Numbers of the tags that are read or written.

/// A tag, by the name that its specification gives it (TIFF 6.0; OGC 19-008r4; GDAL's own).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(crate) enum Tag {
    NewSubfileType = 254,
    ImageWidth = 256,
    ImageLength = 257,
    BitsPerSample = 258,
    Compression = 259,
    PhotometricInterpretation = 262,
    FillOrder = 266,
    StripOffsets = 273,
    Orientation = 274,
    SamplesPerPixel = 277,
    RowsPerStrip = 278,
    StripByteCounts = 279,
    PlanarConfiguration = 284,
    Software = 305,
    Predictor = 317,
    TileWidth = 322,
    TileLength = 323,
    TileOffsets = 324,
    TileByteCounts = 325,
    ExtraSamples = 338,
    SampleFormat = 339,
    ModelPixelScale = 33_550,
    ModelTiepoint = 33_922,
    ModelTransformation = 34_264,
    GeoKeyDirectory = 34_735,
    GeoDoubleParams = 34_736,
    GeoAsciiParams = 34_737,
    GdalMetadata = 42_112,
    GdalNodata = 42_113,
}
