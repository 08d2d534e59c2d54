//! The network as tables of a file, and back: `rivers`, a row a reach; `river_cells`, the cells of all in turn;
//! `outlets`, a row an outlet.

use super::{Network, Outlet, OutletKind, RiverReach};
use grid::table::ColumnValues;
use grid::{Cell, Table};

/// Stands for "no reach" in files.
const NOWHERE: u32 = u32::MAX;

/// The columns of one row type.
struct Columns<'a, T>(&'a [T]);

impl<T> Columns<'_, T> {
    fn reals(&self, value: impl Fn(&T) -> f64) -> ColumnValues {
        ColumnValues::F64(self.0.iter().map(value).collect())
    }

    fn counts(&self, value: impl Fn(&T) -> u32) -> ColumnValues {
        ColumnValues::U32(self.0.iter().map(value).collect())
    }

    fn words(&self, value: impl Fn(&T) -> String) -> ColumnValues {
        ColumnValues::Text(self.0.iter().map(value).collect())
    }
}

impl Network {
    /// The names of its tables in files.
    pub const TABLES: [&'static str; 3] = ["rivers", "river_cells", "outlets"];

    /// The network as tables of a file: reaches, their cells, outlets.
    pub fn to_tables(&self) -> [Table; 3] {
        let [reaches, cells, outlets] = Self::TABLES;
        let of = Columns(&self.reaches);
        let columns = [
            ("cells", "1", of.counts(|r| r.cells.len() as u32)),
            ("downstream", "row", of.counts(|r| r.downstream.unwrap_or(NOWHERE))),
            ("order", "1", of.counts(|r| r.order.into())),
            ("length", "m", of.reals(|r| r.length_m)),
            ("discharge", "m3/s", of.reals(|r| r.discharge_m3_s)),
            ("drainage", "km2", of.reals(|r| r.drainage_km2)),
            ("width", "m", of.reals(|r| r.width_m)),
            ("sinuosity", "1", of.reals(|r| r.sinuosity)),
            ("basin", "row of outlets", of.counts(|r| r.basin)),
        ];
        let reaches = table(reaches, columns);
        let all = self.reaches.iter().flat_map(|r| r.cells.iter().map(|c| c.0)).collect();
        [reaches, table(cells, [("cell", "1", ColumnValues::U32(all))]), outlet_table(outlets, &self.outlets)]
    }

    /// Reads the tables back. `None` if they do not describe a network over `len` cells.
    pub fn from_tables(rivers: &Table, river_cells: &Table, outlets: &Table, len: usize) -> Option<Self> {
        let outlets = read_outlets(outlets, len)?;
        let rows = rivers.rows();
        let (count, downstream) = (rivers.u32s("cells")?, rivers.u32s("downstream")?);
        let (order, basin) = (rivers.u32s("order")?, rivers.u32s("basin")?);
        let (length, discharge) = (rivers.f64s("length")?, rivers.f64s("discharge")?);
        let (drainage, width) = (rivers.f64s("drainage")?, rivers.f64s("width")?);
        let sinuosity = rivers.f64s("sinuosity")?;
        let mut rest = river_cells.u32s("cell")?;
        let mut reaches = Vec::with_capacity(rows);
        for k in 0..rows {
            let (cells, after) = rest.split_at_checked(count[k] as usize)?;
            rest = after;
            let to = downstream[k];
            let ok = !cells.is_empty() && cells.iter().all(|&c| (c as usize) < len);
            if !ok || (to != NOWHERE && to as usize >= rows) || basin[k] as usize >= outlets.len() {
                return None;
            }
            reaches.push(RiverReach {
                cells: cells.iter().copied().map(Cell).collect(),
                downstream: (to != NOWHERE).then_some(to),
                order: u8::try_from(order[k]).ok()?,
                length_m: length[k],
                discharge_m3_s: discharge[k],
                drainage_km2: drainage[k],
                width_m: width[k],
                sinuosity: sinuosity[k],
                basin: basin[k],
            });
        }
        let network = Self { reaches, outlets };
        (rest.is_empty() && network.ends()).then_some(network)
    }
}

fn outlet_table(name: &str, outlets: &[Outlet]) -> Table {
    let of = Columns(outlets);
    let columns = [
        ("cell", "cell", of.counts(|o| o.cell.0)),
        ("drainage", "km2", of.reals(|o| o.drainage_km2)),
        ("discharge", "m3/s", of.reals(|o| o.discharge_m3_s)),
        ("length", "m", of.reals(|o| o.length_m)),
        ("name", "word", of.words(|o| o.name.clone())),
        ("kind", "word", of.words(|o| o.kind.name().into())),
        ("sediment", "kg/s", of.reals(|o| o.sediment_kg_s)),
        ("tide", "m", of.reals(|o| o.tide_m)),
        ("great", "1", of.counts(|o| o.is_great.into())),
    ];
    table(name, columns)
}

/// The outlets in a table of a world of `len` cells.
pub(crate) fn read_outlets(table: &Table, len: usize) -> Option<Vec<Outlet>> {
    let (cell, great) = (table.u32s("cell")?, table.u32s("great")?);
    let (drainage, discharge) = (table.f64s("drainage")?, table.f64s("discharge")?);
    let (length, sediment, tide) = (table.f64s("length")?, table.f64s("sediment")?, table.f64s("tide")?);
    let (name, kind) = (table.texts("name")?, table.texts("kind")?);
    let outlet = |k: usize| {
        Some(Outlet {
            cell: Some(Cell(cell[k])).filter(|c| c.index() < len)?,
            drainage_km2: drainage[k],
            discharge_m3_s: discharge[k],
            length_m: length[k],
            name: name[k].clone(),
            kind: OutletKind::of_name(&kind[k])?,
            sediment_kg_s: sediment[k],
            tide_m: tide[k],
            is_great: great[k] != 0,
        })
    };
    (0..table.rows()).map(outlet).collect()
}

fn table<const N: usize>(name: &str, columns: [(&str, &str, ColumnValues); N]) -> Table {
    let add = |table: Table, (column, unit, values)| {
        table.with(column, unit, values).expect("all columns of a table list the same things")
    };
    columns.into_iter().fold(Table::new(name), add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rivers::tests::network;

    fn back(network: &Network, len: usize) -> Option<Network> {
        let [rivers, cells, outlets] = network.to_tables();
        Network::from_tables(&rivers, &cells, &outlets, len)
    }

    #[test]
    fn tables_come_back() {
        let network = network();
        assert_eq!(back(&network, 6), Some(network.clone()));
        assert_eq!(back(&network, 5), None);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut ring = network();
        ring.reaches[4].downstream = Some(1);
        assert_eq!(back(&ring, 6), None);
        let mut lost = network();
        lost.reaches[0].basin = 2;
        assert_eq!(back(&lost, 6), None);
        let [rivers, cells, outlets] = network().to_tables();
        assert_eq!(Network::from_tables(&rivers, &cells, &cells, 6), None);
        assert_eq!(Network::from_tables(&outlets, &cells, &outlets, 6), None);
    }
}
