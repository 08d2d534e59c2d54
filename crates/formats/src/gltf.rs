//! Terrain as a mesh with a picture on it: binary glTF 2.0, which browsers, Blender and game engines open.
//!
//! East is x, up is y, south is z, in metres from the middle of the ground at height 0. One file: a header, a chunk of JSON, a
//! chunk of numbers: positions, normals and texture coordinates as `f32`, triangles as `u32`, the picture as PNG.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};

use crate::{Cause, Error, atomic};

/// A mesh of at most 2049 x 2049 corners: 240 MB, which programs still open.
pub const MOST_CORNERS: usize = 2049 * 2049;

/// A field of heights with a picture.
#[derive(Clone, Debug)]
pub struct Terrain<'a> {
    /// Corners from west to east.
    pub width: usize,
    /// Corners from north to south.
    pub height: usize,
    /// Metres from column to column of each row, from the north.
    pub step_east_m: Vec<f64>,
    /// Metres from row to row.
    pub step_south_m: f64,
    /// Heights in metres, row by row from the north.
    pub heights_m: &'a [f32],
    /// A PNG that is laid over the whole ground.
    pub picture: &'a [u8],
    /// What the mesh is called.
    pub name: &'a str,
    /// Names and values of the file as a whole.
    pub notes: &'a [(String, String)],
}

/// Writes a `.glb` file.
///
/// # Errors
/// [`Error::Write`]: fewer than two corners along a side, more than [`MOST_CORNERS`], heights that are not finite, the disk.
pub fn write_glb(path: &Path, terrain: &Terrain) -> Result<(), Error> {
    check(terrain).map_err(|cause| Error::Write { path: path.into(), cause })?;
    atomic(path, |out| encode(out, terrain))
}

fn check(terrain: &Terrain) -> Result<(), Cause> {
    let Terrain { width, height, .. } = *terrain;
    let corners = width.saturating_mul(height);
    if width < 2 || height < 2 {
        return Err(format!("a mesh of {width} x {height} corners has no triangle").into());
    }
    if corners > MOST_CORNERS {
        return Err(format!(
            "a mesh of {width} x {height} corners is more than programs open: at most {MOST_CORNERS}, as 2049 x 2049"
        )
        .into());
    }
    if terrain.heights_m.len() != corners || terrain.step_east_m.len() != height {
        return Err(format!("{} heights for {width} x {height} corners", terrain.heights_m.len()).into());
    }
    match terrain.heights_m.iter().find(|h| !h.is_finite()) {
        Some(height) => Err(format!("a height of {height} has no place in a mesh").into()),
        None => Ok(()),
    }
}

/// Parts of the numbers: how many bytes each has.
struct Lengths {
    corners: usize,
    triangles: usize,
    picture: usize,
}

impl Lengths {
    /// Positions, normals, texture coordinates, triangles, picture.
    fn parts(&self) -> [usize; 5] {
        [12 * self.corners, 12 * self.corners, 8 * self.corners, 12 * self.triangles, self.picture]
    }
}

/// `FLOAT` and `UNSIGNED_INT`.
const REAL: u32 = 5126;
const WHOLE: u32 = 5125;

fn encode(out: &mut BufWriter<File>, terrain: &Terrain) -> Result<(), Cause> {
    let Terrain { width, height, .. } = *terrain;
    let lengths = Lengths {
        corners: width * height,
        triangles: 2 * (width - 1) * (height - 1),
        picture: terrain.picture.len(),
    };
    let mut text = serde_json::to_vec(&json(terrain, &lengths))?;
    text.resize(text.len().next_multiple_of(4), b' ');
    let numbers: usize = lengths.parts().iter().sum();
    let padded = numbers.next_multiple_of(4);
    out.write_all(b"glTF")?;
    for word in [2, 12 + 8 + text.len() + 8 + padded, text.len()] {
        out.write_all(&u32::try_from(word)?.to_le_bytes())?;
    }
    out.write_all(b"JSON")?;
    out.write_all(&text)?;
    out.write_all(&u32::try_from(padded)?.to_le_bytes())?;
    out.write_all(b"BIN\0")?;
    write_corners(out, terrain)?;
    write_triangles(out, (width, height))?;
    out.write_all(terrain.picture)?;
    out.write_all(&vec![0; padded - numbers])?;
    Ok(())
}

fn write_corners(out: &mut BufWriter<File>, terrain: &Terrain) -> Result<(), Cause> {
    let Terrain { width, height, .. } = *terrain;
    for at in places(terrain) {
        reals(out, &position(terrain, at))?;
    }
    for at in places(terrain) {
        reals(out, &normal(terrain, at))?;
    }
    for (column, row) in places(terrain) {
        // samples are the middles of pixels
        let share = |at: usize, of: usize| ((at as f64 + 0.5) / of as f64) as f32;
        reals(out, &[share(column, width), share(row, height)])?;
    }
    Ok(())
}

fn places(terrain: &Terrain) -> impl Iterator<Item = (usize, usize)> {
    let (width, height) = (terrain.width, terrain.height);
    (0..height).flat_map(move |row| (0..width).map(move |column| (column, row)))
}

fn reals(out: &mut BufWriter<File>, values: &[f32]) -> std::io::Result<()> {
    values.iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))
}

/// Two triangles a square, seen from above against the clock.
fn write_triangles(out: &mut BufWriter<File>, (width, height): (usize, usize)) -> Result<(), Cause> {
    for row in 0..height - 1 {
        for column in 0..width - 1 {
            let north = row * width + column;
            let south = north + width;
            for corner in [north, south, north + 1, north + 1, south, south + 1] {
                out.write_all(&u32::try_from(corner)?.to_le_bytes())?;
            }
        }
    }
    Ok(())
}

/// East, up and south of the middle.
fn position(terrain: &Terrain, (column, row): (usize, usize)) -> [f32; 3] {
    let from_middle = |at: usize, of: usize| at as f64 - (of - 1) as f64 / 2.0;
    [
        (from_middle(column, terrain.width) * terrain.step_east_m[row]) as f32,
        terrain.heights_m[row * terrain.width + column],
        (from_middle(row, terrain.height) * terrain.step_south_m) as f32,
    ]
}

/// The upward normal of length 1, from the neighbours.
fn normal(terrain: &Terrain, (column, row): (usize, usize)) -> [f32; 3] {
    let height = |column: usize, row: usize| f64::from(terrain.heights_m[row * terrain.width + column]);
    let (west, east) = (column.saturating_sub(1), (column + 1).min(terrain.width - 1));
    let (north, south) = (row.saturating_sub(1), (row + 1).min(terrain.height - 1));
    let step_east = (east - west) as f64 * terrain.step_east_m[row];
    let step_south = (south - north) as f64 * terrain.step_south_m;
    let x = (height(west, row) - height(east, row)) / step_east;
    let z = (height(column, north) - height(column, south)) / step_south;
    let length = (x * x + 1.0 + z * z).sqrt();
    [(x / length) as f32, (1.0 / length) as f32, (z / length) as f32]
}

/// Least and greatest position, exactly as they are written.
fn bounds(terrain: &Terrain) -> [[f32; 3]; 2] {
    let first = position(terrain, (0, 0));
    places(terrain).map(|at| position(terrain, at)).fold([first, first], |[low, high], p| {
        [std::array::from_fn(|k| low[k].min(p[k])), std::array::from_fn(|k| high[k].max(p[k]))]
    })
}

fn json(terrain: &Terrain, lengths: &Lengths) -> Value {
    let [low, high] = bounds(terrain);
    let mut offset = 0;
    let views: Vec<Value> = lengths
        .parts()
        .iter()
        .enumerate()
        .map(|(part, &length)| {
            let mut view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": length });
            const VERTICES: u32 = 34_962;
            const INDICES: u32 = 34_963;
            match part {
                0..=2 => view["target"] = VERTICES.into(),
                3 => view["target"] = INDICES.into(),
                _ => {}
            }
            offset += length;
            view
        })
        .collect();
    let notes: serde_json::Map<String, Value> =
        terrain.notes.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
    let corners = lengths.corners;
    json!({
        "asset": { "version": "2.0", "generator": concat!("terrane ", env!("CARGO_PKG_VERSION")), "extras": notes },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0, "name": terrain.name }],
        "meshes": [{ "name": terrain.name, "primitives": [{
            "attributes": { "POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2 },
            "indices": 3,
            "material": 0,
        }] }],
        "materials": [{
            "name": "relief",
            "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 }, "metallicFactor": 0.0, "roughnessFactor": 1.0 },
        }],
        "textures": [{ "source": 0, "sampler": 0 }],
        "samplers": [{ "magFilter": 9729, "minFilter": 9987, "wrapS": 33071, "wrapT": 33071 }],
        "images": [{ "bufferView": 4, "mimeType": "image/png" }],
        "accessors": [
            { "bufferView": 0, "componentType": REAL, "count": corners, "type": "VEC3", "min": low, "max": high },
            { "bufferView": 1, "componentType": REAL, "count": corners, "type": "VEC3" },
            { "bufferView": 2, "componentType": REAL, "count": corners, "type": "VEC2" },
            { "bufferView": 3, "componentType": WHOLE, "count": 3 * lengths.triangles, "type": "SCALAR" },
        ],
        "bufferViews": views,
        "buffers": [{ "byteLength": offset }],
    })
}
