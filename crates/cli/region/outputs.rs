//! Which files `terrane region` writes, and which layers go into each.
//!
//! Each file gets the layers that it can hold. A layer that no file can hold goes, if it is one of lines, points or
//! areas, to a GeoJSON file beside the first; else it is refused. GeoJSON and FlatGeobuf hold one layer: of several each
//! gets a file whose name has the layer's before the ending.

use crate::args::RegionStyle;
use crate::output::{check_apart, check_place, ending, misuse, whereabouts};
use crate::picture;
use anyhow::Result;
use formats::features::VectorFormat;
use region::{Sampled, VectorLayer};
use serve::draw::Style;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A file of samples.
#[derive(Clone, Copy, PartialEq)]
pub enum Product {
    /// All layers as bands.
    GeoTiff,
    /// Relief.
    Picture(Style),
    /// One layer in 16 bits.
    Heightmap,
    /// All layers, 32 bits.
    Raw32,
    /// All layers, 16 bits.
    Raw16,
    /// All layers as a folder of arrays.
    Zarr,
    /// One layer of heights as tiles of a web map.
    WebTiles,
    /// The surface as a mesh with its picture.
    Mesh(Style),
    /// A map on paper.
    Print(Style),
}

/// What is to be written.
pub struct Outputs {
    /// Files of samples, each with its layers.
    pub rasters: Vec<(PathBuf, Product, Vec<Sampled>)>,
    /// Files of lines, points and areas, each with its layers.
    pub vectors: Vec<(PathBuf, Vec<VectorLayer>)>,
}

impl Product {
    fn of(path: &Path, style: RegionStyle) -> Option<Self> {
        match (ending(path).as_str(), style) {
            ("tif" | "tiff", _) => Some(Self::GeoTiff),
            ("png", RegionStyle::Terrain) => Some(Self::Picture(Style::Terrain)),
            ("png", RegionStyle::Atlas) => Some(Self::Picture(Style::Atlas)),
            ("png", RegionStyle::Height) => Some(Self::Heightmap),
            ("r32", _) => Some(Self::Raw32),
            ("r16" | "raw", _) => Some(Self::Raw16),
            ("zarr", _) => Some(Self::Zarr),
            ("pmtiles", _) => Some(Self::WebTiles),
            ("svg" | "pdf", RegionStyle::Atlas) => Some(Self::Print(Style::Atlas)),
            ("svg" | "pdf", _) => Some(Self::Print(Style::Terrain)),
            ("glb", RegionStyle::Atlas) => Some(Self::Mesh(Style::Atlas)),
            ("glb", _) => Some(Self::Mesh(Style::Terrain)),
            _ => None,
        }
    }

    /// Whether it is made from a picture of the whole region.
    pub fn is_drawn(self) -> bool {
        matches!(self, Self::Picture(_) | Self::Mesh(_) | Self::Print(_))
    }

    /// Whether it can say that there is no data.
    pub fn holds_gaps(self) -> bool {
        !matches!(self, Self::Heightmap | Self::Raw16 | Self::Mesh(_))
    }

    /// Whether it can be written without all samples in memory.
    pub fn streams(self) -> bool {
        matches!(self, Self::GeoTiff | Self::Zarr | Self::Raw32 | Self::Raw16)
    }

    /// Bytes a sample that it takes to write it, beside the layers.
    pub fn bytes_per_sample(self) -> u64 {
        match self {
            // colours, light, slopes, masks; measured
            Self::Picture(_) => 24,
            Self::Heightmap => 4,
            // the picture, and its bytes
            Self::Mesh(_) => 40,
            // the picture, its bytes, heights of land, coast and lakes and a softer copy of each
            Self::Print(_) => 56,
            Self::GeoTiff | Self::Zarr | Self::WebTiles | Self::Raw32 | Self::Raw16 => 0,
        }
    }

    /// The layers, of those asked for, that it holds.
    fn holds(self, asked: &[Sampled]) -> Vec<Sampled> {
        match self {
            Self::Picture(_) | Self::Mesh(_) | Self::Print(_) => {
                asked.iter().copied().filter(|&l| l == Sampled::Elevation).collect()
            }
            _ => asked.to_vec(),
        }
    }

    /// The layers that it is made from.
    fn needs(self, layers: &[Sampled]) -> Vec<Sampled> {
        match self {
            _ if self.is_drawn() => picture::LAYERS.to_vec(),
            _ => layers.to_vec(),
        }
    }
}

/// Layers that were asked for by name; some names are both.
struct Asked {
    sampled: Vec<Sampled>,
    vectors: Vec<VectorLayer>,
}

impl Asked {
    fn new(names: &[String]) -> Result<Self> {
        let (mut sampled, mut vectors) = (Vec::new(), Vec::new());
        for name in names.iter().map(|name| name.trim()) {
            let (raster, vector) = (Sampled::named(name), VectorLayer::named(name));
            if raster.is_none() && vector.is_none() {
                return Err(misuse(format!(
                    "--layers: there is no layer {name:?}; there are: {}",
                    all_names()
                )));
            }
            sampled.extend(raster);
            vectors.extend(vector);
        }
        sampled.sort_unstable(); // elevation is band 1
        sampled.dedup();
        vectors.sort_unstable();
        vectors.dedup();
        Ok(Self { sampled, vectors })
    }
}

fn all_names() -> String {
    let mut names: Vec<&str> = Sampled::ALL.iter().map(|layer| layer.name()).collect();
    names.extend(VectorLayer::ALL.iter().map(|l| l.name()).filter(|name| Sampled::named(name).is_none()));
    names.join(", ")
}

impl Outputs {
    /// Reads the names of files and of layers.
    pub fn plan(paths: &[PathBuf], names: &[String], style: RegionStyle) -> Result<Self> {
        let asked = Asked::new(names)?;
        let mut outputs = Self { rasters: Vec::new(), vectors: Vec::new() };
        for path in paths {
            if let Some(product) = Product::of(path, style) {
                let wanted =
                    if names.is_empty() { vec![Sampled::Elevation] } else { product.holds(&asked.sampled) };
                outputs.rasters.push((path.clone(), product, wanted));
            } else if let Some(format) = VectorFormat::of(path) {
                check_available(path, format)?;
                let rivers = vec![VectorLayer::Rivers];
                let wanted = if names.is_empty() { rivers } else { asked.vectors.clone() };
                outputs.add_vectors(path, format, &wanted);
            } else {
                return Err(misuse(format!(
                    "{}: the name must end in .tif, .zarr, .png, .r32, .r16, .pmtiles, .glb, .svg, .pdf, .gpkg, \
                     .geojson or .fgb",
                    path.display()
                )));
            }
        }
        outputs.add_homeless(&asked, &paths[0]);
        outputs.check(&asked, paths, style)?;
        Ok(outputs)
    }

    fn add_vectors(&mut self, path: &Path, format: VectorFormat, wanted: &[VectorLayer]) {
        if format.holds_several() || wanted.len() <= 1 {
            self.vectors.push((path.into(), wanted.to_vec()));
        } else {
            self.vectors
                .extend(wanted.iter().map(|&layer| (beside(path, layer, &ending(path)), vec![layer])));
        }
    }

    /// Gives vector layers that are in no file files of their own.
    fn add_homeless(&mut self, asked: &Asked, first: &Path) {
        if !self.vectors.is_empty() {
            return;
        }
        let only_vectors = asked.vectors.iter().filter(|layer| Sampled::named(layer.name()).is_none());
        self.vectors.extend(only_vectors.map(|&layer| (beside(first, layer, "geojson"), vec![layer])));
    }

    /// Refuses layers that would be left out without a word, and files that would be empty or written twice.
    fn check(&self, asked: &Asked, paths: &[PathBuf], style: RegionStyle) -> Result<()> {
        let wrong = |path: &Path, why: &str| Err(misuse(format!("{}: {why}", path.display())));
        let has_style =
            |(path, ..): &(PathBuf, _, _)| matches!(ending(path).as_str(), "png" | "glb" | "svg" | "pdf");
        let pngs = self.rasters.iter().any(has_style);
        if style != RegionStyle::Terrain && !pngs {
            return Err(misuse(format!(
                "--style: {} holds numbers; only a .png, .glb, .svg or .pdf has a style",
                paths[0].display()
            )));
        }
        let homes: Vec<Sampled> = self.rasters.iter().flat_map(|(.., layers)| layers).copied().collect();
        let in_vectors =
            |layer: &Sampled| !self.vectors.is_empty() && VectorLayer::named(layer.name()).is_some();
        if let Some(layer) = asked.sampled.iter().find(|layer| !homes.contains(layer) && !in_vectors(layer)) {
            let name = layer.name();
            return Err(misuse(match self.rasters.first() {
                Some(_) => {
                    "--layers: a picture shows terrain; write layers to a .tif or .r32 file".to_string()
                }
                None => format!("--layers: {name} is sampled; write it to a .tif or .r32 file"),
            }));
        }
        for (path, product, layers) in &self.rasters {
            match (product, layers.len()) {
                (Product::Picture(_) | Product::Mesh(_) | Product::Print(_), _) => {}
                (_, 0) => return wrong(path, "it holds samples, and --layers names none; add elevation"),
                (Product::Heightmap, 2..) => {
                    return wrong(path, "a heightmap holds one layer; write several to a .tif or .r32 file");
                }
                _ => {}
            }
        }
        if let Some((path, _)) = self.vectors.iter().find(|(_, layers)| layers.is_empty()) {
            return wrong(path, "it holds lines, points and areas, and --layers names none; add rivers");
        }
        let files = self.files();
        let mut seen = BTreeSet::new();
        match files.iter().find(|file| !seen.insert(whereabouts(file))) {
            Some(file) => wrong(file, "it would be written twice"),
            None => Ok(()),
        }
    }

    /// All files that are written: numbers without a header have a JSON file beside them.
    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self.vectors.iter().map(|(path, _)| path.clone()).collect();
        for (path, product, _) in &self.rasters {
            files.push(path.clone());
            if matches!(product, Product::Heightmap | Product::Raw32 | Product::Raw16) {
                let mut sidecar = path.as_os_str().to_owned();
                sidecar.push(".json");
                files.push(sidecar.into());
            }
        }
        files
    }

    /// Makes sure that all files can be written, and replace none that is read.
    pub fn check_places(&self, inputs: &[&Path]) -> Result<()> {
        let stores: Vec<&PathBuf> =
            self.rasters.iter().filter(|(_, p, _)| *p == Product::Zarr).map(|(path, ..)| path).collect();
        for file in self.files() {
            if !stores.contains(&&file) {
                check_place(&file)?;
            } else if !formats::zarr::may_replace(&file) {
                let what = "is there, and is no Zarr store that may be replaced: it is something else, holds other files too, or is filled shard by shard";
                return Err(misuse(format!("{} {what}", file.display())));
            }
            inputs.iter().try_for_each(|input| check_apart(&file, input))?;
        }
        Ok(())
    }

    /// The first mesh.
    pub fn mesh(&self) -> Option<&Path> {
        let mut meshes = self.rasters.iter().filter(|(_, product, _)| matches!(product, Product::Mesh(_)));
        meshes.next().map(|(path, ..)| path.as_path())
    }

    /// Maps to print, all of one style.
    pub fn prints(&self) -> Option<(Style, Vec<&Path>)> {
        let prints = self.rasters.iter().filter_map(|(path, product, _)| match *product {
            Product::Print(style) => Some((style, path.as_path())),
            _ => None,
        });
        let (styles, paths): (Vec<Style>, Vec<&Path>) = prints.unzip();
        Some((*styles.first()?, paths))
    }

    /// Whether all files can be written without all samples in memory.
    pub fn stream(&self) -> bool {
        self.vectors.is_empty() && self.rasters.iter().all(|(_, product, _)| product.streams())
    }

    /// The sampled layers that everything is made from.
    pub fn layers(&self) -> Vec<Sampled> {
        let rasters = self.rasters.iter().flat_map(|(_, product, layers)| product.needs(layers));
        let vectors = self.vectors.iter().flat_map(|(_, layers)| layers).flat_map(|l| l.samples()).copied();
        let mut all: Vec<Sampled> = rasters.chain(vectors).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The vector layers that are wanted.
    pub fn vector_layers(&self) -> Vec<VectorLayer> {
        let mut all: Vec<VectorLayer> = self.vectors.iter().flat_map(|(_, layers)| layers).copied().collect();
        all.extend(self.prints().map(|_| VectorLayer::Rivers));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Bytes a sample that it takes to make all files, beside the layers.
    pub fn bytes_per_sample(&self) -> u64 {
        const OUTLINES: u64 = 12; // labels, and what is kept of borders between them
        let outlined =
            self.vector_layers().iter().any(|l| matches!(l, VectorLayer::Lakes | VectorLayer::Basins));
        let products = self.rasters.iter().map(|(_, product, _)| product.bytes_per_sample()).max();
        let copies = self.rasters.iter().skip(1).map(|(.., layers)| 4 * layers.len() as u64).max();
        products.unwrap_or(0) + copies.unwrap_or(0) + if outlined { OUTLINES } else { 0 }
    }
}

fn check_available(path: &Path, format: VectorFormat) -> Result<()> {
    if format.is_available() {
        return Ok(());
    }
    Err(misuse(format!("{}: this program was built without GeoPackages", path.display())))
}

/// `out.tif` as `out.rivers.geojson`.
fn beside(path: &Path, layer: VectorLayer, ending: &str) -> PathBuf {
    path.with_extension(format!("{}.{ending}", layer.name()))
}
