//! What refinement knows of waters as a whole, beside what each cell knows: which lakes are salt lakes, and how rivers end
//! at the sea.

use crate::rivers::{Outlet, OutletKind, read_outlets};
use grid::{Cell, Table};

/// The lakes without outflow and the mouths that are no plain ones, of a whole world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waters {
    /// Numbers of the closed lakes, rising.
    pub closed_lakes: Vec<u32>,
    /// Deltas and estuaries, by cell.
    pub mouths: Vec<Mouth>,
}

/// Where a river builds a delta or opens into an estuary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mouth {
    /// The river's last cell.
    pub cell: Cell,
    /// Whether it is a delta; else an estuary.
    pub is_delta: bool,
    /// Discharge in m3/s.
    pub discharge_m3_s: f64,
    /// Range of the tide in m.
    pub tide_m: f64,
}

impl Waters {
    /// From the tables of lakes and outlets of a world of `len` cells; `None` if they are others.
    pub fn from_tables(lakes: &Table, outlets: &Table, len: usize) -> Option<Self> {
        Self::of(lakes, &read_outlets(outlets, len)?)
    }

    /// From the table of lakes and the outlets of the rivers; `None` if the table is not one of lakes.
    pub fn of(lakes: &Table, outlets: &[Outlet]) -> Option<Self> {
        let closed = lakes.u32s("closed")?;
        let closed_lakes = (0u32..).zip(closed).filter(|(_, c)| **c != 0).map(|(k, _)| k).collect();
        let shaped = |o: &&Outlet| matches!(o.kind, OutletKind::Delta | OutletKind::Estuary);
        let mouth = |o: &Outlet| Mouth {
            cell: o.cell,
            is_delta: o.kind == OutletKind::Delta,
            discharge_m3_s: o.discharge_m3_s,
            tide_m: o.tide_m,
        };
        let mut mouths: Vec<Mouth> = outlets.iter().filter(shaped).map(mouth).collect();
        mouths.sort_by_key(|m| m.cell);
        Some(Self { closed_lakes, mouths })
    }
}
