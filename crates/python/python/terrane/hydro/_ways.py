"""Where water goes, along one receiver for each cell, and what comes together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from .._terrane import _hydro
from ._raster import Array, Cell, Point, Raster


def directions(surface: Array, *, cell: Cell | None = None) -> Array:
    """Where the water of each cell goes (uint8): 0 = north, 1 = north-east and so on clockwise to 7; 255 where it leaves
    the array or there is no data. The surface must have no depressions; over flats water goes by Garbrecht & Martz (1997).

    North is the row above: where rows of a DataArray run from the south, codes are those of its rows and columns.
    """
    raster = Raster(surface, cell)
    code = raster.turned(_hydro.directions(raster.of(np.float32), raster.cells))
    return raster.back(code, "flow_direction", flag_meanings="N NE E SE S SW W NW")


def accumulate(directions: Array, weights: Array | None = None, *, cell: Cell | None = None) -> Array:
    """What flows through each cell, its own included: numbers of cells (uint32), or sums of weights (float64).

    Areas of cells give drainage area; see :func:`accumulate_dinf` and :func:`accumulate_mfd` for water that spreads.
    """
    raster = Raster(directions, cell)
    given = None if weights is None else raster.of(np.float64, weights)
    return raster.back(_hydro.accumulate(raster.codes(), raster.cells, given), "accumulation")


def discharge(directions: Array, runoff: Array | float, *, cell: Cell | None = None) -> Array:
    """Discharge of each cell in m3/s (float64), from runoff in millimetres a year: a number, or one for each cell, where
    NaN gives nothing."""
    raster = Raster(directions, cell)
    given = np.full(raster.values.shape, runoff) if isinstance(runoff, (int, float)) else runoff
    found = _hydro.discharge(raster.codes(), raster.of(np.float32, given), raster.cells)
    return raster.back(found, "discharge", units="m3 s-1")


def areas(like: Array, *, cell: Cell | None = None) -> Array:
    """Areas of the cells of an array in square metres (float64)."""
    raster = Raster(like, cell)
    rows, columns = raster.values.shape
    return raster.back(_hydro.areas(rows, columns, raster.cells), "area", units="m2")


def basins(directions: Array, data: Array | None = None, *, cell: Cell | None = None) -> Array:
    """Numbers of basins (uint32) from 1, in the order, row by row from the north-west, of the cells where their water
    leaves. Where ``data`` (bool) is false there is none, and the number is 0."""
    raster = Raster(directions, cell)
    known = None if data is None else raster.of(np.bool_, data)
    return raster.back(_hydro.basins(raster.codes(), raster.cells, known)[0], "basin")


def upstream(directions: Array, *, cell: Cell | None = None) -> Array:
    """Length in metres (float64) of the longest way that ends in each cell, 0 at heads."""
    raster = Raster(directions, cell)
    return raster.back(_hydro.upstream(raster.codes(), raster.cells), "upstream", units="m")


def downstream(directions: Array, *, cell: Cell | None = None) -> Array:
    """Length in metres (float64) of the way of each cell's water to where it leaves, 0 there."""
    raster = Raster(directions, cell)
    return raster.back(_hydro.downstream(raster.codes(), raster.cells), "downstream", units="m")


def snap(
    quantity: Array,
    points: Sequence[Point],
    *,
    cell: Cell | None = None,
    within: float | None = None,
) -> list[Point]:
    """Move points to the cell of the greatest quantity (drainage area, number of cells) near them, or the nearest
    of equal ones.

    Parameters
    ----------
    quantity
        What has come together at each cell (rows, columns).
    points
        x and y in the coordinates of a DataArray; row and column of a NumPy array.
    within
        How far a point may be moved, in metres; 10 cells if nothing is said.

    Source: Lindsay, Rothwell & Davies (2008).

    Raises
    ------
    ValueError
        A point outside of the array, or with no number near it.
    """
    raster = Raster(quantity, cell)
    found = _hydro.snap(raster.of(np.float64), raster.places(points), raster.cells, within)
    return _found(raster, points, found, "no number")


def snap_to_stream(
    streams: Array,
    points: Sequence[Point],
    *,
    cell: Cell | None = None,
    within: float | None = None,
) -> list[Point]:
    """Move points to the nearest cell where streams (bool) are. Points and ``within`` as in :func:`snap`.

    Raises
    ------
    ValueError
        A point outside of the array, or with no stream near it.
    """
    raster = Raster(streams, cell)
    found = _hydro.snap_to_stream(raster.of(np.bool_), raster.places(points), raster.cells, within)
    return _found(raster, points, found, "no stream")


def _found(raster: Raster, points: Sequence[Point], found: Sequence[tuple[int, int] | None], nothing: str) -> list[Point]:
    for point, place in zip(points, found, strict=True):
        if place is None:
            raise ValueError(f"point {tuple(point)}: there is {nothing} near it")
    return raster.points([place for place in found if place is not None])


def watersheds(
    directions: Array,
    points: Sequence[Point],
    *,
    cell: Cell | None = None,
    snap: float | None = None,
) -> Array:
    """What drains to points (uint32): the number of the point, from 1, that the water of each cell meets first, 0 where it
    meets none. Watersheds of points above one another are nested.

    Parameters
    ----------
    directions
        As from :func:`directions`.
    points
        x and y in the coordinates of a DataArray; row and column of a NumPy array.
    snap
        How far a point is moved to the greatest drainage area near it, in metres: 10 cells if nothing is said, as
        ``terrane hydro --outlet``; 0 leaves points where they are.

    Raises
    ------
    ValueError
        A point outside of the array, or directions that are none.
    """
    raster = Raster(directions, cell)
    places = raster.places(points)
    if snap != 0:
        codes = raster.codes()
        own = _hydro.areas(codes.shape[0], codes.shape[1], raster.cells)
        moved = _hydro.snap(_hydro.accumulate(codes, raster.cells, own), places, raster.cells, snap)
        places = [place if there is None else there for place, there in zip(places, moved, strict=True)]
    return raster.back(_hydro.watersheds(raster.codes(), places, raster.cells), "watershed")


def profile(
    elevation: Array,
    directions: Array,
    point: Point,
    *,
    cell: Cell | None = None,
    course: Literal["down", "stem", "longest"] = "down",
    area: Array | None = None,
) -> dict[str, np.ndarray]:
    """The long profile of a river, from its upper end down.

    Parameters
    ----------
    elevation
        Heights, or levels of water, in metres (rows, columns).
    directions
        As from :func:`directions`.
    point
        x and y in the coordinates of a DataArray; row and column of a NumPy array.
    course
        "down": the way of the point's water to its end. "stem": the main stem above the point, which follows the
        inflow of the greatest area. "longest": the longest way that ends in the point.
    area
        What has come together at each cell; drainage area in square metres if nothing is said.

    Returns
    -------
    Arrays of equal length: row and column in the array, x and y (of a DataArray with coordinates), distance_m from the upper
    end, elevation_m, area_m2.
    """
    raster = Raster(elevation, cell)
    given = None if area is None else raster.of(np.float64, area)
    found: dict[str, Any] = _hydro.profile(
        raster.of(np.float32), raster.codes(directions), (raster.places([point])[0], course), raster.cells, given
    )
    rows, columns = found.pop("row"), found.pop("column")
    row, column = raster.indices(rows, columns)
    along: dict[str, np.ndarray] = {"row": row, "column": column}
    if raster.frame is not None:
        along["x"], along["y"] = raster.located(np.column_stack((columns + 0.5, rows + 0.5))).T
    return {**along, **found}
