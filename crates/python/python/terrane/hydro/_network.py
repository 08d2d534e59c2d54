"""Streams: how they rank, what drains to them, how far and how high all lies above them; laws of networks."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from .._terrane import _hydro
from ._raster import Array, Cell, Raster


def _order(name: str, directions: Any, streams: Any, area: Any, cell: Cell | None, title: str, digits: int = 4) -> Any:
    raster = Raster(directions, cell)
    given = None if area is None else raster.of(np.float64, area)
    found = _hydro.order((name, digits), raster.codes(), raster.of(np.bool_, streams), raster.cells, given)
    return raster.back(found, title)


def strahler(directions: Array, streams: Array, *, cell: Cell | None = None) -> Array:
    """Strahler's order (1957) of the cells where streams are (uint8), 0 elsewhere."""
    return _order("strahler", directions, streams, None, cell, "strahler")


def shreve(directions: Array, streams: Array, *, cell: Cell | None = None) -> Array:
    """Shreve's magnitude (1966) of the cells where streams are (uint32): the heads whose water passes; 0 elsewhere."""
    return _order("shreve", directions, streams, None, cell, "shreve")


def hack(directions: Array, streams: Array, area: Array | None = None, *, cell: Cell | None = None) -> Array:
    """Hack's order (1957) of the cells where streams are (uint16), 0 elsewhere: 1 along the main stem from a mouth up, one
    more along each tributary. The main stem follows the inflow of the greatest ``area`` (drainage area if nothing is
    said)."""
    return _order("hack", directions, streams, area, cell, "hack")


def horton(directions: Array, streams: Array, area: Array | None = None, *, cell: Cell | None = None) -> Array:
    """Horton's order (1945) of the cells where streams are (uint8), 0 elsewhere: a stream has Strahler's order of its lowest
    cell all the way up to its head. ``area`` as in :func:`hack`."""
    return _order("horton", directions, streams, area, cell, "horton")


def pfafstetter(
    directions: Array, streams: Array, area: Array | None = None, *, cell: Cell | None = None, digits: int = 4
) -> Array:
    """Pfafstetter's code of each cell within the basin of its river's mouth (uint32; Verdin & Verdin 1999), 0 where the
    water meets no stream.

    ``area`` as in :func:`hack`; ``digits`` from 1 to 9. Where a part has no tributaries further digits are 0.
    """
    return _order("pfafstetter", directions, streams, area, cell, "pfafstetter", digits)


def subbasins(directions: Array, streams: Array, *, cell: Cell | None = None) -> Array:
    """The number of the reach that the water of each cell meets first (uint32), as in :func:`reaches`; 0 where it meets
    none."""
    raster = Raster(directions, cell)
    return raster.back(_hydro.subbasins(raster.codes(), raster.of(np.bool_, streams), raster.cells), "subbasin")


Undrained = Literal["nothing", "end"]


def _to_end(undrained: str) -> bool:
    if undrained not in ("nothing", "end"):
        raise ValueError(f"undrained {undrained!r}: nothing or end")
    return undrained == "end"


def height_above_drainage(
    elevation: Array,
    directions: Array,
    streams: Array,
    *,
    cell: Cell | None = None,
    undrained: Undrained = "nothing",
) -> Array:
    """Height in metres above the first stream downstream (float32; Rennó et al. 2008).

    Where the water meets none: NaN ("nothing"), or the height above where it ends ("end"), as the layer ``hand`` of
    ``terrane hydro`` has it.
    """
    raster = Raster(elevation, cell)
    found = _hydro.height_above_drainage(
        raster.of(np.float32),
        raster.codes(directions),
        raster.of(np.bool_, streams),
        raster.cells,
        _to_end(undrained),
    )
    return raster.back(found, "height_above_drainage", units="m")


def way_to_stream(directions: Array, streams: Array, *, cell: Cell | None = None, undrained: Undrained = "nothing") -> Array:
    """Length in metres of the way to the first stream downstream (float64); ``undrained`` as in
    :func:`height_above_drainage`."""
    raster = Raster(directions, cell)
    found = _hydro.way_to_stream(raster.codes(), raster.of(np.bool_, streams), raster.cells, _to_end(undrained))
    return raster.back(found, "way_to_stream", units="m")


def chi(
    directions: Array,
    streams: Array,
    area: Array | None = None,
    *,
    cell: Cell | None = None,
    concavity: float = 0.45,
    reference_m2: float = 1.0,
) -> Array:
    """Chi of the cells where streams are, in metres (float64; Perron & Royden 2013): the integral of (A0 / A)^theta from the
    mouth up, 0 there; NaN elsewhere.

    ``area`` A in square metres, drainage area if nothing is said; ``concavity`` theta = m/n; ``reference_m2`` A0, where 1
    makes the slope of height over chi the steepness itself.
    """
    raster = Raster(directions, cell)
    given = None if area is None else raster.of(np.float64, area)
    law = (concavity, reference_m2)
    found = _hydro.chi(raster.codes(), raster.of(np.bool_, streams), raster.cells, given, law)
    return raster.back(found, "chi", units="m")


def laws(elevation: Array, surface: Array, directions: Array, streams: Array, *, cell: Cell | None = None) -> dict[str, Any]:
    """How numbers, lengths, areas and heights of streams scale, as ``terrane hydro`` writes it into ``summary.json``.

    ``elevation`` is the ground, ``surface`` that without depressions, both in metres.

    Returns
    -------
    Streams of each order; Horton's ratios (1945); Tokunaga's law of side branches (1978); exponents of Hack's law (1957), of
    the probability of drainage areas (Rodriguez-Iturbe et al. 1992) and of slopes (Flint 1974); drainage density in km/km2;
    the longest way in km; the hypsometric integral and curve (Strahler 1952). None where there are too few streams.
    """
    raster = Raster(elevation, cell)
    return _hydro.laws(
        raster.of(np.float32),
        raster.of(np.float32, surface),
        raster.codes(directions),
        raster.of(np.bool_, streams),
        raster.cells,
    )


def hypsometry(elevation: Array, *, cell: Cell | None = None) -> tuple[np.ndarray, np.ndarray, float]:
    """The hypsometric curve (Strahler 1952): heights in metres, each once from the lowest up, and the area in square metres
    that lies at least as high; and its integral, 0 to 1.

    Raises
    ------
    ValueError
        There are no two different heights.
    """
    raster = Raster(elevation, cell)
    return _hydro.hypsometry(raster.of(np.float32), raster.cells)


def relief_ratios(elevation: Array, labels: Array, *, cell: Cell | None = None) -> np.ndarray:
    """(mean - min) / (max - min) of the heights of each label (Pike & Wilson 1971), which is its hypsometric integral: for
    label 1, 2 ... one number; NaN without two different heights. Labels from :func:`basins`, :func:`watersheds` ..."""
    raster = Raster(elevation, cell)
    return _hydro.relief_ratios(raster.of(np.float32), raster.of(np.uint32, labels), raster.cells)
