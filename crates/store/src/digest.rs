//! The fingerprint of a world: equal digests, equal worlds.

use crate::element::layer_bytes;
use grid::Layer;

/// What is hashed first, so that no other use of the hash can collide with this one.
const DOMAIN: &[u8] = b"terrane layers v1\n";

/// BLAKE3 over layers, taken in one after the other.
pub(crate) struct Digester(blake3::Hasher);

impl Digester {
    pub(crate) fn new() -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(DOMAIN);
        Self(hasher)
    }

    /// Takes in name, unit, type, shape and values, each with its length, so that no two lists run together.
    pub(crate) fn update(&mut self, layer: &Layer) {
        for text in [layer.name.as_str(), &layer.unit, layer.values.dtype()] {
            self.0.update(&(text.len() as u64).to_le_bytes());
            self.0.update(text.as_bytes());
        }
        let shape = layer.values.shape();
        for length in [shape.faces, shape.rows, shape.cols] {
            self.0.update(&length.to_le_bytes());
        }
        self.0.update(&layer_bytes(&layer.values));
    }

    pub(crate) fn finish(self) -> [u8; 32] {
        *self.0.finalize().as_bytes()
    }
}

/// The digest of layers as bytes.
pub(crate) fn digest_bytes(layers: &[Layer]) -> [u8; 32] {
    let mut digester = Digester::new();
    layers.iter().for_each(|layer| digester.update(layer));
    digester.finish()
}

/// 64 hexadecimal digits over names, units, types, shapes and values of all layers, in their order.
///
/// BLAKE3 of the little-endian values, not of any file's bytes: it stays the same however a file is
/// compressed. Values count bit by bit: `0.0` and `-0.0` differ.
pub fn digest(layers: &[Layer]) -> String {
    hex(&digest_bytes(layers))
}

/// 64 hexadecimal digits over the bytes of a file, whatever it holds: what `b3sum` prints.
///
/// # Errors
/// Whatever keeps it from being read.
pub fn digest_of_file(path: &std::path::Path) -> std::io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(std::fs::File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

pub(crate) fn hex(bytes: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*bytes).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::{Field, Shape};

    const SHAPE: Shape = Shape { faces: 1, rows: 1, cols: 2 };

    fn layer(name: &str, unit: &str, values: [f32; 2]) -> Layer {
        Layer::new(name, unit, Field::from_vec(SHAPE, values.to_vec()).expect("two cells"))
    }

    #[test]
    fn every_part_counts() {
        let column = Shape { faces: 1, rows: 2, cols: 1 };
        let bits = Field::from_vec(SHAPE, vec![0u32, 0]).expect("two cells");
        let worlds = [
            vec![],
            vec![layer("a", "m", [0.0, 0.0])],
            vec![layer("a", "m", [0.0, -0.0])],
            vec![layer("am", "", [0.0, 0.0])],
            vec![layer("b", "m", [0.0, 0.0])],
            vec![Layer::new("a", "m", bits)],
            vec![Layer::new("a", "m", Field::filled(column, 0f32))],
            vec![layer("a", "m", [0.0, 0.0]), layer("b", "m", [1.0, 0.0])],
            vec![layer("b", "m", [1.0, 0.0]), layer("a", "m", [0.0, 0.0])],
        ];
        let mut digests: Vec<String> = worlds.iter().map(|w| digest(w)).collect();
        digests.sort();
        digests.dedup();
        assert_eq!(digests.len(), worlds.len());
    }

    /// Written out by hand, so that the definition in `docs/FORMAT.md` is what is computed.
    #[test]
    fn the_bytes_are_those_of_the_definition() {
        let mut bytes = b"terrane layers v1\n".to_vec();
        bytes.extend(b"\x01\0\0\0\0\0\0\0a\x02\0\0\0\0\0\0\0m2\x03\0\0\0\0\0\0\0f32");
        bytes.extend(b"\x01\0\0\0\x01\0\0\0\x02\0\0\0\0\0\xc0\x3f\0\0\0\xc0");
        assert_eq!(digest(&[layer("a", "m2", [1.5, -2.0])]), blake3::hash(&bytes).to_hex().to_string());
    }
}
