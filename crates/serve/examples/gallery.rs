//! Draws an invented planet in both styles, to judge colours and letters by eye:
//! `cargo run --release -p terrane-serve --example gallery -- FOLDER`.

use std::path::PathBuf;

use grid::math::{Vec3, from_lon_lat, smoothstep};
use grid::noise::Fractal;
use grid::{Purpose, Seed};
use serve::draw::furniture::{scale_bar, title};
use serve::draw::{
    Canvas, Corner, DrawError, Frame, Graticule, Legend, Look, ReliefInput, Spacing, Style, palette, relief,
};

const RADIUS_M: f64 = 6_371_008.8;
const LAND: Purpose = Purpose::new("gallery/land");
const RIDGES: Purpose = Purpose::new("gallery/ridges");
const BELTS: Purpose = Purpose::new("gallery/belts");
const RAIN: Purpose = Purpose::new("gallery/rain");

/// Noise fields of a planet.
struct Planet {
    land: Fractal,
    ridges: Fractal,
    belts: Fractal,
    rain: Fractal,
}

/// Layers of a picture.
struct Layers {
    elevation: Vec<f32>,
    temperature: Vec<f32>,
    rain: Vec<f32>,
    water: Vec<f32>,
}

impl Planet {
    fn new(seed: u64) -> Self {
        let fractal = |purpose, octaves, gain| Fractal::new(Seed(seed).key(purpose), octaves, gain);
        Self {
            land: fractal(LAND, 13, 0.55),
            ridges: fractal(RIDGES, 12, 0.5),
            belts: fractal(BELTS, 3, 0.5),
            rain: fractal(RAIN, 5, 0.5),
        }
    }

    /// Elevation (m), temperature (deg C), rain (mm/year) and lake depth (m) at a place.
    fn at(&self, lon: f64, lat: f64) -> [f32; 4] {
        let p = from_lon_lat(lon, lat);
        let land = self.land.fbm(p * 1.3) - 0.02;
        let belt = 1.0 - smoothstep(0.0, 0.12, self.belts.fbm(p * 1.7).abs());
        let mountains = belt * self.ridges.ridged(p * 6.0) * smoothstep(-0.02, 0.08, land) * 5600.0;
        let shelf = smoothstep(-0.10, -0.015, land);
        let base = if land > 0.0 { 3200.0 * land } else { -4600.0 + 4500.0 * shelf + 500.0 * land };
        let coast = base + 100.0 * smoothstep(-0.02, 0.0, land);
        let elevation = coast + mountains;
        let temperature = 28.0 - 52.0 * lat.abs() * lat.abs() / 8100.0 * 1.05 - 0.006 * elevation.max(0.0);
        let belts = 0.35 + 0.65 * wet_belt(lat);
        let rain = (2100.0 * belts * (1.0 + 2.4 * self.rain.fbm(Vec3::new(p.x * 2.0, p.y * 2.0, p.z * 3.0))))
            .max(20.0);
        let hollow = self.ridges.fbm(p * 9.0) + 0.30 * smoothstep(300.0, 1500.0, elevation);
        let lake = if elevation > 5.0 && elevation < 900.0 && rain > 700.0 {
            (-0.30 - hollow).max(0.0) * 600.0
        } else {
            0.0
        };
        [elevation, temperature, rain, lake].map(|v| v as f32)
    }

    fn sample(&self, width: usize, height: usize, frame: Frame) -> Layers {
        let mut layers = Layers { elevation: vec![], temperature: vec![], rain: vec![], water: vec![] };
        for y in 0..height {
            let lat = frame.north - (y as f64 + 0.5) / height as f64 * (frame.north - frame.south);
            for x in 0..width {
                let lon = frame.west + (x as f64 + 0.5) / width as f64 * (frame.east - frame.west);
                let [e, t, r, w] = self.at(lon, lat);
                layers.elevation.push(e);
                layers.temperature.push(t);
                layers.rain.push(r);
                layers.water.push(w);
            }
        }
        layers
    }
}

/// Wet at the equator and at 50 degrees, dry at 25 and at the poles.
fn wet_belt(lat: f64) -> f64 {
    let bump = |centre: f64, width: f64| {
        let d = (lat.abs() - centre) / width;
        1.0 / (1.0 + d * d * d * d)
    };
    (bump(0.0, 14.0) + 0.6 * bump(50.0, 16.0)).min(1.0)
}

fn draw(
    layers: &Layers,
    (width, height): (usize, usize),
    frame: Frame,
    style: Style,
) -> Result<Canvas, DrawError> {
    let step_deg = (frame.east - frame.west) / width as f64;
    let spacing =
        Spacing::Equirectangular { north_deg: frame.north - step_deg / 2.0, step_deg, radius_m: RADIUS_M };
    let input = ReliefInput {
        temperature_c: Some(&layers.temperature),
        rain_mm: Some(&layers.rain),
        water_depth: Some(&layers.water),
        style,
        ..ReliefInput::new(width, height, &layers.elevation, spacing)
    };
    relief::terrain(&input)
}

fn world(planet: &Planet, style: Style, name: &str) -> Result<Canvas, DrawError> {
    let (width, height) = (2048, 1024);
    let layers = planet.sample(width, height, Frame::WORLD);
    let mut map = draw(&layers, (width, height), Frame::WORLD, style)?;
    let look = Look::for_width(width);
    Graticule::for_frame(&Frame::WORLD).draw(&mut map, &Frame::WORLD, &look);
    title(&mut map, name, "Seed 42 · equirectangular · 20 km cells", &look);
    legend(style).draw(&mut map, Corner::BottomLeft, &look);
    scale_bar(&mut map, 40_030_000.0 / width as f64, Corner::BottomRight, &look);
    Ok(map)
}

fn legend(style: Style) -> Legend {
    let sea = if style == Style::Atlas { palette::atlas_sea() } else { palette::ocean() };
    let river = [72, 116, 156, 255];
    Legend::new("Elevation")
        .ramp("Land, m", palette::hypsometric(), &[0.0, 1000.0, 2000.0, 4000.0, 6000.0])
        .ramp("Sea, m", sea, &[-8000.0, -6000.0, -4000.0, -2000.0, 0.0])
        .swatch("Lake", relief::lake_colour(style))
        .line("River, 1000 m³/s", 1.5, river)
        .line("River, 20\u{a0}000 m³/s", 4.0, river)
}

fn near(planet: &Planet, style: Style) -> Result<Canvas, DrawError> {
    let frame = Frame { west: -20.0, east: 20.0, south: 15.0, north: 45.0 };
    let (width, height) = (1200, 900);
    let layers = planet.sample(width, height, frame);
    let mut map = draw(&layers, (width, height), frame, style)?;
    let look = Look::for_width(width);
    Graticule::for_frame(&frame).draw(&mut map, &frame, &look);
    scale_bar(&mut map, 3000.0, Corner::BottomRight, &look);
    Ok(map)
}

/// Every ramp, the categories, and the natural colours over temperature and rain.
fn chart() -> Result<Canvas, DrawError> {
    let mut sheet = Canvas::new(1100, 900, [252, 250, 246, 255])?;
    let look = Look { text_px: 15.0, ..Look::for_width(1100) };
    let ramps =
        palette::built_in().into_iter().fold(Legend::new("Ramps"), |l, (name, ramp)| l.ramp(name, ramp, &[]));
    ramps.draw(&mut sheet, Corner::TopLeft, &look);
    for id in 0..60_u32 {
        let [r, g, b] = palette::categorical(id);
        sheet.rect(
            ((id % 12) as f32 * 28.0 + 20.0, (id / 12) as f32 * 28.0 + 640.0),
            (28.0, 28.0),
            [r, g, b, 255],
        );
    }
    for y in 0..480 {
        for x in 0..600 {
            let (t, rain) = (30.0 - y as f32 * 0.1, x as f32 * 5.0);
            let [r, g, b] = palette::natural_colour(200.0, t, rain);
            sheet.rect((450.0 + x as f32, 40.0 + y as f32), (1.0, 1.0), [r, g, b, 255]);
        }
    }
    Ok(sheet)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name a folder for the pictures")?);
    let planet = Planet::new(42);
    let pictures = [
        ("terrain.png", world(&planet, Style::Terrain, "Terrain")?),
        ("atlas.png", world(&planet, Style::Atlas, "Atlas")?),
        ("near-terrain.png", near(&planet, Style::Terrain)?),
        ("near-atlas.png", near(&planet, Style::Atlas)?),
        ("chart.png", chart()?),
    ];
    for (name, picture) in pictures {
        formats::png::write_rgba(&folder.join(name), picture.width(), picture.height(), &picture.to_rgba())?;
    }
    Ok(())
}
