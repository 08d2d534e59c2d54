//! Vector tiles: lines, points and areas as the protocol buffers of Mapbox Vector Tile 2.1.
//!
//! Of that format six kinds of messages are needed, so they are written here; the crates that do it bring a compiler of
//! protocol buffers along. Coordinates are whole numbers from a tile's north-west corner.

use super::planet::Property;

/// Units along a side of a tile.
pub const EXTENT: f64 = 4096.0;

/// What a feature of a tile is.
pub enum Geometry {
    /// Places.
    Points(Vec<[i32; 2]>),
    /// Lines.
    Lines(Vec<Vec<[i32; 2]>>),
    /// Rings: outlines, each followed by what is missing inside.
    Rings(Vec<Vec<[i32; 2]>>),
}

/// A layer on its way into a tile.
pub struct Layer {
    name: &'static str,
    keys: Vec<&'static str>,
    values: Vec<Property>,
    features: Vec<u8>,
}

impl Layer {
    /// An empty layer.
    pub fn new(name: &'static str) -> Self {
        Self { name, keys: Vec::new(), values: Vec::new(), features: Vec::new() }
    }

    /// Adds a feature; one without places is left out.
    pub fn push(&mut self, geometry: &Geometry, properties: &[(&'static str, Property)]) {
        let commands = commands(geometry);
        if commands.is_empty() {
            return;
        }
        let tags: Vec<u32> = properties.iter().flat_map(|(key, value)| self.tag(key, value)).collect();
        let kind = match geometry {
            Geometry::Points(_) => 1,
            Geometry::Lines(_) => 2,
            Geometry::Rings(_) => 3,
        };
        let mut feature = Vec::new();
        packed(&mut feature, 2, &tags);
        varint_field(&mut feature, 3, kind);
        packed(&mut feature, 4, &commands);
        bytes_field(&mut self.features, 2, &feature);
    }

    /// Numbers of a name and a value in the layer's lists.
    fn tag(&mut self, key: &'static str, value: &Property) -> [u32; 2] {
        [place(&mut self.keys, &key), place(&mut self.values, value)]
    }

    fn encode(&self, tile: &mut Vec<u8>) {
        if self.features.is_empty() {
            return;
        }
        let mut layer = Vec::new();
        bytes_field(&mut layer, 1, self.name.as_bytes());
        layer.extend_from_slice(&self.features);
        for key in &self.keys {
            bytes_field(&mut layer, 3, key.as_bytes());
        }
        for value in &self.values {
            let mut message = Vec::new();
            match value {
                Property::Text(text) => bytes_field(&mut message, 1, text.as_bytes()),
                Property::Number(number) => {
                    // the third field is a double: eight bytes
                    varint(&mut message, (3 << 3) | 1);
                    message.extend_from_slice(&number.to_le_bytes());
                }
            }
            bytes_field(&mut layer, 4, &message);
        }
        varint_field(&mut layer, 5, EXTENT as u64);
        varint_field(&mut layer, 15, 2);
        bytes_field(tile, 3, &layer);
    }
}

/// A tile of some layers; empty ones are left out.
pub fn tile(layers: &[Layer]) -> Vec<u8> {
    let mut tile = Vec::new();
    layers.iter().for_each(|layer| layer.encode(&mut tile));
    tile
}

/// Place of an item in a list, which takes it if it is not there yet.
fn place<T: PartialEq + Clone>(list: &mut Vec<T>, item: &T) -> u32 {
    // the same values come in a row
    if let Some(at) = list.iter().rposition(|known| known == item) {
        return at as u32;
    }
    list.push(item.clone());
    list.len() as u32 - 1
}

const MOVE_TO: u32 = 1;
const LINE_TO: u32 = 2;
const CLOSE: u32 = 7;

/// The drawing commands of a geometry; none if nothing is left of it on whole numbers.
fn commands(geometry: &Geometry) -> Vec<u32> {
    let mut pen = Pen::default();
    match geometry {
        Geometry::Points(points) if !points.is_empty() => pen.points(points),
        Geometry::Points(_) => {}
        Geometry::Lines(lines) => lines.iter().for_each(|line| pen.line(line)),
        Geometry::Rings(rings) => rings.iter().for_each(|ring| pen.ring(ring)),
    }
    pen.commands
}

#[derive(Default)]
struct Pen {
    at: [i32; 2],
    commands: Vec<u32>,
}

impl Pen {
    fn step(&mut self, to: [i32; 2]) {
        for (to, from) in to.into_iter().zip(self.at) {
            let way = to.wrapping_sub(from);
            self.commands.push(((way << 1) ^ (way >> 31)) as u32);
        }
        self.at = to;
    }

    fn points(&mut self, points: &[[i32; 2]]) {
        self.commands.push(((points.len() as u32) << 3) | MOVE_TO);
        points.iter().for_each(|&p| self.step(p));
    }

    fn line(&mut self, points: &[[i32; 2]]) {
        let mut points = points.to_vec();
        points.dedup();
        if points.len() < 2 {
            return;
        }
        self.points(&points[..1]);
        self.commands.push(((points.len() as u32 - 1) << 3) | LINE_TO);
        points[1..].iter().for_each(|&p| self.step(p));
    }

    fn ring(&mut self, points: &[[i32; 2]]) {
        let mut points = points.to_vec();
        points.dedup();
        if points.first() == points.last() {
            points.pop();
        }
        if points.len() < 3 {
            return;
        }
        self.line(&points);
        self.commands.push((1 << 3) | CLOSE);
    }
}

fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn varint_field(out: &mut Vec<u8>, field: u64, number: u64) {
    varint(out, field << 3);
    varint(out, number);
}

fn bytes_field(out: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    varint(out, (field << 3) | 2);
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn packed(out: &mut Vec<u8>, field: u64, numbers: &[u32]) {
    let mut bytes = Vec::with_capacity(2 * numbers.len());
    numbers.iter().for_each(|&n| varint(&mut bytes, n.into()));
    bytes_field(out, field, &bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the specification (version 2.1, section 4.3.5).
    #[test]
    fn commands_are_those_of_the_specification() {
        assert_eq!(commands(&Geometry::Points(vec![[25, 17]])), [9, 50, 34]);
        assert_eq!(commands(&Geometry::Points(vec![[5, 7], [3, 2]])), [17, 10, 14, 3, 9]);
        let line = vec![[2, 2], [2, 10], [10, 10]];
        assert_eq!(commands(&Geometry::Lines(vec![line.clone()])), [9, 4, 4, 18, 0, 16, 16, 0]);
        let two = Geometry::Lines(vec![line, vec![[1, 1], [3, 5]]]);
        assert_eq!(commands(&two), [9, 4, 4, 18, 0, 16, 16, 0, 9, 17, 17, 10, 4, 8]);
        let ring = Geometry::Rings(vec![vec![[3, 6], [8, 12], [20, 34], [3, 6]]]);
        assert_eq!(commands(&ring), [9, 6, 12, 18, 10, 12, 24, 44, 15]);
    }

    #[test]
    fn what_shrinks_to_nothing_is_left_out() {
        let mut layer = Layer::new("rivers");
        layer.push(&Geometry::Lines(vec![vec![[4, 4], [4, 4]]]), &[]);
        layer.push(&Geometry::Rings(vec![vec![[0, 0], [1, 1], [0, 0]]]), &[]);
        assert!(tile(&[layer]).is_empty());
    }

    /// Bytes written by hand after the specification's schema.
    #[test]
    fn a_layer_has_names_values_and_features() {
        let mut layer = Layer::new("a");
        let properties = [("q", Property::Number(1.0)), ("n", Property::Text("x".into()))];
        layer.push(&Geometry::Points(vec![[1, 1]]), &properties);
        layer.push(&Geometry::Points(vec![[1, 1]]), &properties[..1]);
        let first = [0x12, 13, 0x12, 4, 0, 0, 1, 1, 0x18, 1, 0x22, 3, 9, 2, 2];
        let second = [0x12, 11, 0x12, 2, 0, 0, 0x18, 1, 0x22, 3, 9, 2, 2];
        let mut expected = vec![0x0a, 1, b'a'];
        expected.extend(first);
        expected.extend(second);
        expected.extend([0x1a, 1, b'q', 0x1a, 1, b'n']);
        expected.extend([0x22, 9, 0x19, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
        expected.extend([0x22, 3, 0x0a, 1, b'x']);
        expected.extend([0x28, 0x80, 0x20, 0x78, 2]);
        let mut whole = vec![0x1a, expected.len() as u8];
        whole.extend(expected);
        assert_eq!(tile(&[layer]), whole);
    }
}
