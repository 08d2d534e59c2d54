//! Small layers of every kind.

use formats::Crs;
use formats::features::{FieldKind, Geometry, GeometryKind, Layer, Polygon, Value};

pub const EARTH: Crs = Crs::Geographic { radius_m: 6_371_008.8 };

fn layer(name: &str, kind: GeometryKind, crs: Crs, geometries: Vec<Geometry>) -> Layer {
    let fields = [
        ("number", FieldKind::Int),
        ("length_km", FieldKind::Real),
        ("name", FieldKind::Text),
        ("great", FieldKind::Bool),
    ];
    let mut layer = Layer::new(name, kind, crs, &fields);
    for (i, geometry) in geometries.into_iter().enumerate() {
        let full =
            vec![Some(Value::Int(-3)), Some(12.5.into()), Some("Ån \"river\"".into()), Some(true.into())];
        let empty = vec![None, Some(f64::NAN.into()), None, None];
        layer.push(geometry, if i == 0 { full } else { empty });
    }
    layer
}

/// Two lines, of one piece and of two.
pub fn lines(crs: Crs) -> Layer {
    let two = Geometry::Lines(vec![vec![[0.0, 0.0], [-1.0, 1.0]], vec![[5.0, 5.0], [6.0, 6.0], [7.0, 5.0]]]);
    layer("rivers", GeometryKind::Lines, crs, vec![Geometry::line(vec![[11.6, 48.1], [12.5, 48.25]]), two])
}

/// Two places.
pub fn points(crs: Crs) -> Layer {
    layer(
        "outlets",
        GeometryKind::Points,
        crs,
        vec![Geometry::Point([11.5, 47.0]), Geometry::Point([-3.0, 1.0])],
    )
}

/// An area in two pieces, one with a hole, all the wrong way round and open; and a triangle.
pub fn areas(crs: Crs) -> Layer {
    let outer = vec![[0.0, 0.0], [0.0, 4.0], [4.0, 4.0], [4.0, 0.0], [0.0, 0.0]];
    let hole = vec![[1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0], [1.0, 1.0]];
    let open = vec![[10.0, 10.0], [10.0, 11.0], [12.0, 10.0]];
    let two = Geometry::Polygons(vec![Polygon { outer, holes: vec![hole] }, Polygon::new(open)]);
    let triangle = Polygon::new(vec![[50.0, 50.0], [51.0, 50.0], [50.0, 51.0], [50.0, 50.0]]);
    layer("basins", GeometryKind::Polygons, crs, vec![two, Geometry::Polygons(vec![triangle])])
}
