"""Streams as lines and labelled cells as areas, with tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._optional import need
from .._terrane import _hydro
from ._raster import Array, Cell, Raster

if TYPE_CHECKING:
    import geopandas


def _reaches(raster: Raster, directions: Any, streams: Any, concavity: float) -> dict[str, Any]:
    """Columns by the names that ``terrane hydro`` uses."""
    found = _hydro.reaches(
        raster.of(np.float32), raster.codes(directions), raster.of(np.bool_, streams), raster.cells, concavity
    )
    length = found["length_m"]
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(length > 0, found["drop_m"] / length, np.nan)
    return {
        "stream": np.arange(1, len(length) + 1, dtype=np.uint32),
        "downstream": found["downstream"],
        "order": found["order"],
        "magnitude": found["magnitude"],
        "hack": found["hack"],
        "length_km": length / 1000,
        "drop_m": found["drop_m"],
        "slope": slope,
        "steepness": found["steepness"],
        "cells": found["cells"],
        "area_km2": found["area_m2"] / 1e6,
        "basin": found["basin"],
        "line_places": found["line_places"],
        "line_first": found["line_first"],
    }


def reaches(
    surface: Array, directions: Array, streams: Array, *, cell: Cell | None = None, concavity: float = 0.45
) -> dict[str, np.ndarray]:
    """The streams between junctions as columns of a table, by their first cells, row by row from the north-west.

    Parameters
    ----------
    surface
        Heights in metres (rows, columns) without depressions.
    directions, streams
        As from :func:`directions`, and where streams are (bool).
    concavity
        m/n of ``steepness``.

    Returns
    -------
    stream (from 1), downstream (the stream below, 0 at a mouth), order (Strahler 1957), magnitude (Shreve 1966), hack (Hack
    1957), length_km to the junction below, drop_m, slope (drop over length; NaN without length), steepness (Wobus et al.
    2006; m^(2 concavity), NaN for single cells), cells and area_km2 that drain through its last cell, basin as in
    :func:`basins` with what has data.
    """
    table = _reaches(Raster(surface, cell), directions, streams, concavity)
    return {name: values for name, values in table.items() if not name.startswith("line_")}


def stream_lines(
    surface: Array, directions: Array, streams: Array, *, cell: Cell | None = None, concavity: float = 0.45
) -> geopandas.GeoDataFrame:
    """The table of :func:`reaches` with a line for each, through the middles of its cells to the junction below.

    Coordinates and reference system are those of a DataArray; of a NumPy array they are metres east and north of its
    north-west corner. A reach of one cell at the border goes half a cell on, out of the array; beside a gap in the data it
    has no line and is left out.
    """
    geopandas = need("geopandas", "a table of streams")
    shapely = need("shapely", "a table of streams")
    raster = Raster(surface, cell)
    table = _reaches(raster, directions, streams, concavity)
    places, first = raster.located(table.pop("line_places")), table.pop("line_first").astype(np.int64)
    has_line = np.diff(first) > 0
    below = table["downstream"]
    known = np.concatenate(([True], has_line))
    table["downstream"] = np.where(known[below], below, 0).astype(np.uint32)
    chosen = {name: values[has_line] for name, values in table.items()}
    index = np.repeat(np.arange(has_line.sum()), np.diff(first)[has_line])
    lines = shapely.linestrings(places, indices=index) if len(index) else []
    return geopandas.GeoDataFrame(chosen, geometry=lines, crs=raster.crs)


def polygons(labels: Array, *, cell: Cell | None = None) -> geopandas.GeoDataFrame:
    """Labelled cells (:func:`basins`, :func:`watersheds`, :func:`subbasins`, any whole numbers from 1) as areas along the
    sides of cells: label, cells, area_km2. Neighbours fit without gaps; 0 is left out.

    Coordinates as in :func:`stream_lines`. Cells that touch at a corner only are parts of a multipolygon. Source: Rosenfeld
    & Pfaltz (1966) for connected pieces.
    """
    geopandas = need("geopandas", "a table of areas")
    shapely = need("shapely", "a table of areas")
    raster = Raster(labels, cell)
    found = _hydro.polygons(raster.of(np.uint32), raster.cells)
    offsets = (found["rings"], found["parts"], found["labels"])
    shapes = shapely.from_ragged_array(shapely.GeometryType.MULTIPOLYGON, raster.located(found["places"]), offsets)
    table = {"label": found["label"], "cells": found["cells"], "area_km2": found["area_m2"] / 1e6}
    return geopandas.GeoDataFrame(table, geometry=shapes, crs=raster.crs)
