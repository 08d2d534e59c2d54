//! A world file as a planet that the server shows.

use super::fields::Fields;
use super::{place, sights, themes};
use crate::basins::Basins;
use crate::named::Map;
use crate::picture;
use anyhow::Result;
use archive::{ENGINE, WorldView};
use export::frame::georeference;
use formats::{Band, BandValues, Raster};
use grid::{Cell, Direction, Grid, Topology, Vec3, math};
use region::river_lines::coordinates;
use region::summits::{Top, Wanted};
use region::{Lattice, Region, Request, VectorLayer, Vectors, Window};
use serde_json::{Value, json};
use serve::http::{
    About, DRAINAGE, Failure, Feature, NoPlace, Planet, Quantity, Stem, Surface, Theme, Votes,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use world::CellSource;

/// A world file and what was found out of it so far.
pub struct Shown {
    /// The file.
    pub view: WorldView,
    /// Its layers.
    pub fields: Fields,
    about: About,
    basins: OnceLock<Basins>,
    stems: OnceLock<BTreeMap<Cell, Stem>>,
    themes: Mutex<Vec<(Theme, Arc<Vec<Feature>>)>>,
    sights: OnceLock<Value>,
    /// What tiles and places are refined with.
    pub drainage: region::Cache,
}

impl Shown {
    /// Nothing is read yet.
    pub fn new(view: WorldView) -> Self {
        let about = about(&view);
        Self {
            view,
            fields: Fields::default(),
            about,
            basins: OnceLock::new(),
            stems: OnceLock::new(),
            themes: Mutex::default(),
            sights: OnceLock::new(),
            drainage: region::Cache::new(DRAINAGE),
        }
    }

    /// The basins of all rivers.
    pub fn basins(&self) -> Result<&Basins> {
        if let Some(known) = self.basins.get() {
            return Ok(known);
        }
        let basins = Basins::of(&self.view, self.view.network()?)?;
        Ok(self.basins.get_or_init(|| basins))
    }

    /// The main stems of all rivers with names, by their cells.
    fn stems(&self) -> Result<&BTreeMap<Cell, Stem>> {
        if let Some(known) = self.stems.get() {
            return Ok(known);
        }
        let network = self.view.network()?;
        let of = |river: &world::River| -> Vec<(Cell, Stem)> {
            let Some(name) = crate::print::river_name(network, river.outlet) else { return Vec::new() };
            let reaches = river.reaches.iter().filter_map(|&k| network.reaches.get(k as usize));
            let cells =
                reaches.flat_map(|reach| reach.cells.iter().map(|&cell| (cell, reach.discharge_m3_s)));
            cells.map(|(cell, discharge_m3_s)| (cell, Stem { name: name.clone(), discharge_m3_s })).collect()
        };
        let stems = network.rivers().iter().flat_map(of).collect();
        Ok(self.stems.get_or_init(|| stems))
    }

    /// The cell at a place, and its position.
    pub fn locate(&self, [x, y]: [f64; 2]) -> Option<(Vec3, Cell)> {
        let position = match self.view.grid() {
            Topology::Globe(_) if !(-540.0..=540.0).contains(&x) || !(-90.0..=90.0).contains(&y) => {
                return None;
            }
            Topology::Globe(_) => math::from_lon_lat(x, y),
            Topology::Flat(_) => Vec3::new(x, y, 0.0),
        };
        Some((position, self.view.grid().locate(position)?))
    }
}

fn about(view: &WorldView) -> About {
    let surface = match view.grid() {
        Topology::Globe(globe) => Surface::Globe { radius_m: globe.radius_m() },
        Topology::Flat(flat) => {
            let (width_m, height_m) = flat.extent_m();
            Surface::Flat { width_m, height_m }
        }
    };
    let shape = view.grid().shape();
    About {
        name: view.recipe().name.clone(),
        digest: view.file.digest().to_string(),
        engine: ENGINE.to_string(),
        surface,
        eastings: crate::print::eastings(view),
        reference: Map::of(view).reference().map(str::to_string),
        cell_m: view.grid().cell_m(),
        notes: json!({
            "seed": view.recipe().seed,
            "made_by": view.file.meta().engine,
            "cells": shape.len(),
            "bytes": view.file.file_bytes(),
        }),
    }
}

/// The failure that an error is for whoever asked, with its causes.
fn told(error: &anyhow::Error) -> Failure {
    Failure(error.chain().map(ToString::to_string).collect::<Vec<_>>().join(": "))
}

fn failure(error: &dyn std::error::Error) -> Failure {
    Failure(error.to_string())
}

impl Planet for Shown {
    fn about(&self) -> &About {
        &self.about
    }

    fn drainage(&self) -> &region::Cache {
        &self.drainage
    }

    fn refine(&self, request: &Request) -> Result<Region, Failure> {
        region::refine(&self.view, request, &|_| {}).map_err(|e| failure(&e))
    }

    fn vectors(
        &self,
        request: &Request,
        region: &Region,
        wanted: &[VectorLayer],
    ) -> Result<Vectors, Failure> {
        region::vectors(&self.view, (request, None), region, wanted).map_err(|e| failure(&e))
    }

    fn summits(&self, at: (&Lattice, &Window), wanted: &Wanted) -> Result<Vec<Top>, Failure> {
        region::summits::within(&self.view, &self.drainage, at, wanted).map_err(|e| failure(&e))
    }

    fn quantity(&self, what: Quantity, at: (&Lattice, &Window)) -> Result<Vec<f32>, Failure> {
        self.fields.mean(&self.view, what, at).map_err(|e| told(&e))
    }

    fn votes(&self, what: Votes, at: (&Lattice, &Window)) -> Result<Vec<u16>, Failure> {
        self.fields.votes(&self.view, what, at).map_err(|e| told(&e))
    }

    fn ice(&self, at: (&Lattice, &Window), sea: &[bool]) -> Result<Vec<f32>, Failure> {
        self.fields.ice(&self.view, at, sea).map_err(|e| told(&e))
    }

    fn salt(&self, at: (&Lattice, &Window)) -> Result<Option<Vec<bool>>, Failure> {
        self.fields.salt(&self.view, at).map_err(|e| told(&e))
    }

    fn features(&self, theme: Theme) -> Result<Arc<Vec<Feature>>, Failure> {
        // whoever comes second waits: the work is done once
        let mut themes = self.themes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = themes.iter().find(|(known, _)| *known == theme) {
            return Ok(known.clone());
        }
        let features = Arc::new(themes::features(self, theme).map_err(|e| told(&e))?);
        themes.push((theme, features.clone()));
        Ok(features)
    }

    fn river_name(&self, basin: u32) -> Result<Option<String>, Failure> {
        Ok(crate::print::river_name(self.view.network().map_err(|e| told(&e.into()))?, basin))
    }

    fn stem_at(&self, place: [f64; 2]) -> Result<Option<Stem>, Failure> {
        let Some((_, cell)) = self.locate(place) else { return Ok(None) };
        Ok(self.stems().map_err(|e| told(&e))?.get(&cell).cloned())
    }

    fn cells_at(&self, places: &[[f64; 2]]) -> Vec<Vec<[f64; 2]>> {
        let grid = self.view.grid();
        let cells: BTreeSet<Cell> =
            places.iter().filter_map(|&p| self.locate(p)).map(|(_, cell)| cell).collect();
        let ring = |cell: Cell| {
            let corners = Direction::CORNERS.iter().filter_map(|&c| grid.vertex(cell, c));
            let mut ring: Vec<_> = corners.map(|v| coordinates(grid, grid.vertex_position(v))).collect();
            ring.extend(ring.first().copied());
            ring
        };
        cells.into_iter().map(ring).collect()
    }

    fn place(&self, place: [f64; 2]) -> Result<Value, NoPlace> {
        let (_, cell) = self.locate(place).ok_or(NoPlace::Outside(place))?;
        Ok(place::describe(self, place, cell).map_err(|e| told(&e))?)
    }

    fn sights(&self) -> Result<Value, Failure> {
        if let Some(known) = self.sights.get() {
            return Ok(known.clone());
        }
        let found = sights::find(self).map_err(|e| told(&e))?;
        Ok(self.sights.get_or_init(|| found).clone())
    }

    fn geotiff(&self, region: Region) -> Result<Vec<u8>, Failure> {
        let georeference = export::placed(&self.view, georeference(&region.lattice, &region.window));
        let Window { width, height, .. } = region.window;
        let layers = region.into_layers();
        let band = |(layer, values): (region::Sampled, Vec<f32>)| {
            Band::new(layer.name(), layer.unit(), BandValues::F32(values))
        };
        let raster = Raster { width, height, georeference, bands: layers.into_iter().map(band).collect() };
        written(raster, &self.about).map_err(|e| told(&e))
    }
}

/// A raster as the bytes of a file.
fn written(raster: Raster, about: &About) -> Result<Vec<u8>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("view.tif");
    let notes = [("world", &about.name), ("digest", &about.digest), ("software", &about.engine)];
    let notes: Vec<_> = notes.into_iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
    formats::geotiff::write_cog(&path, &picture::source(raster)?, &notes, &|_| {})?;
    Ok(std::fs::read(&path)?)
}
