//! Water over any grid: depressions, flow, rivers, basins
