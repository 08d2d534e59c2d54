"""Depressions: filled, or cut open."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from .._terrane import _hydro
from ._raster import Array, Cell, Point, Raster

Method = Literal["fill", "epsilon", "breach", "hybrid", "least"]


def fill(
    elevation: Array,
    *,
    cell: Cell | None = None,
    method: Method = "fill",
    breach_length: float | None = None,
    breach_depth: float | None = None,
) -> Array:
    """Heights in metres (float32) without depressions.

    Parameters
    ----------
    elevation
        Heights in metres (rows, columns); NaN without data.
    method
        What is done with depressions, as ``terrane hydro --depressions`` does it. "fill": filled level (Barnes, Lehman &
        Mulla 2014). "epsilon": filled, each cell a least step above the one it drains to. "breach": cut open along the way
        out over the lowest passes, nothing is raised (Soille 2004; Lindsay 2016). "hybrid": cut open at least cost within
        limits, what is left is filled (Lindsay & Dhun 2015). "least": each one cut open within those limits or filled,
        whichever moves less ground.
    breach_length
        How far from its pit a cut of "hybrid" or "least" may go, in metres: 50 cells if nothing is said, ``inf`` for no
        limit.
    breach_depth
        The deepest cut of "hybrid" or "least" in metres; no limit if nothing is said.

    Cost: some 20 ns a cell, 120 for breaching.

    Raises
    ------
    ValueError
        An unknown method, or limits that are no positive numbers or belong to another method.
    """
    if method not in ("hybrid", "least") and not (breach_length is None and breach_depth is None):
        raise ValueError("breach_length and breach_depth belong to method hybrid or least")
    raster = Raster(elevation, cell)
    limits = (breach_length, breach_depth, None, _MOST_CELLS)
    return raster.back(_hydro.fill(raster.of(np.float32), raster.cells, method, limits), "filled", units="m")


class Breached(NamedTuple):
    """A surface with cuts, and what they took."""

    #: Heights in metres (float32), an array or a DataArray.
    surface: Any
    #: Number of pits for which something was dug.
    cuts: int
    #: Number of cells lower than before.
    cells_dug: int
    #: The ground that these lost, in cubic metres.
    dug_m3: float
    #: Number of cells higher than before.
    cells_filled: int
    #: What these gained, in cubic metres.
    filled_m3: float
    #: The pits that no cut drains, from the lowest up, as places: still there after "cut", under fill after the others.
    left: list[Point]


#: Cells after which the search from a pit gives up.
_MOST_CELLS = 100_000


def breach(
    elevation: Array,
    *,
    cell: Cell | None = None,
    method: Literal["cut", "hybrid", "least", "breach"] = "hybrid",
    breach_length: float | None = None,
    breach_depth: float | None = None,
    breach_volume: float | None = None,
    most_cells: int | None = _MOST_CELLS,
) -> Breached:
    """Cut depressions open, and say what that takes.

    Parameters
    ----------
    elevation
        Heights in metres (rows, columns); NaN without data.
    method
        "cut": the cheapest way of each pit within the limits, by ground moved (Lindsay & Dhun 2015); what cannot be cut
        stays. "hybrid", "least", "breach": as in :func:`fill`, so that no depression is left.
    breach_length, breach_depth
        As in :func:`fill`; "breach" knows no limits.
    breach_volume
        The most ground that a cut may move, in cubic metres; no limit if nothing is said.
    most_cells
        Cells after which the search from a pit gives up; None for no limit, which may take long beside wide lakes.

    Returns
    -------
    The surface with numbers and volumes of what was dug and filled.

    Raises
    ------
    ValueError
        An unknown method, or limits that are no positive numbers.
    """
    raster = Raster(elevation, cell)
    limits = (breach_length, breach_depth, breach_volume, most_cells)
    surface, ((cuts, dug, filled), (dug_m3, filled_m3)), left = _hydro.breach(
        raster.of(np.float32), raster.cells, method, limits
    )
    surface = raster.back(surface, "breached", units="m")
    return Breached(surface, cuts, dug, dug_m3, filled, filled_m3, raster.points(left))
