"""Water that spreads over several receivers: D-infinity and multiple flow directions."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from .._terrane import _hydro
from ._raster import Array, Cell, Raster

Multiple = Literal["freeman", "quinn"]


class DInfinity(NamedTuple):
    """The steepest way down one of eight facets: three arrays or DataArrays."""

    #: Eighths of a turn clockwise from the row above, 0 to 8 (float32): the whole part is a direction as in
    #: :func:`directions`, the fraction the share that goes to the next one clockwise. NaN where water ends.
    toward: Any
    #: Degrees clockwise from north (float32), also where rows run from the south; NaN where water ends.
    azimuth: Any
    #: Tangent of the slope of that facet (float32), 0 where no neighbour is lower.
    slope: Any


def _codes(raster: Raster, directions: Any) -> np.ndarray | None:
    return None if directions is None else raster.codes(directions)


def dinf_directions(surface: Array, directions: Array | None = None, *, cell: Cell | None = None) -> DInfinity:
    """Where water goes on the steepest of eight triangular facets (D-infinity; Tarboton 1997).

    Parameters
    ----------
    surface
        Heights in metres (rows, columns) without depressions.
    directions
        Where water goes over flats; as :func:`directions` finds it if nothing is said.
    """
    raster = Raster(surface, cell)
    toward, azimuth, slope = _hydro.dinf_directions(raster.of(np.float32), raster.cells, _codes(raster, directions))
    return DInfinity(
        raster.back(raster.turned_toward(toward), "toward", units="45 degree"),
        raster.back(azimuth, "azimuth", units="degree"),
        raster.back(slope, "slope", units="1"),
    )


def accumulate_dinf(toward: Array, weights: Array | None = None, *, cell: Cell | None = None) -> Array:
    """What flows through each cell over D-infinity, its own included (float64): cells, or sums of weights.

    ``toward`` as :func:`dinf_directions` gives it.

    Raises
    ------
    ValueError
        Directions that are none, that lead out of the array, or in a circle.
    """
    raster = Raster(toward, cell)
    given = None if weights is None else raster.of(np.float64, weights)
    return raster.back(_hydro.accumulate_dinf(raster.toward(), raster.cells, given), "accumulation")


def accumulate_mfd(
    surface: Array,
    weights: Array | None = None,
    *,
    cell: Cell | None = None,
    multiple: Multiple = "freeman",
    exponent: float | None = None,
    directions: Array | None = None,
) -> Array:
    """What flows through each cell over multiple directions, its own included (float64): cells, or sums of weights.

    Parameters
    ----------
    surface
        Heights in metres (rows, columns) without depressions.
    multiple
        "freeman": lower neighbours share by slope to the power ``exponent``, 1.1 if nothing is said (Freeman 1991).
        "quinn": by slope to the power ``exponent``, 1 if nothing is said, times length of contour (Quinn et al. 1991).
    directions
        Where water goes over flats; as :func:`directions` finds it if nothing is said.

    Raises
    ------
    ValueError
        An exponent that is not above 0 and at most 1000.
    """
    raster = Raster(surface, cell)
    given = None if weights is None else raster.of(np.float64, weights)
    found = _hydro.accumulate_mfd(
        raster.of(np.float32), raster.cells, (multiple, exponent), _codes(raster, directions), given
    )
    return raster.back(found, "accumulation")


def mfd_shares(
    surface: Array,
    *,
    cell: Cell | None = None,
    multiple: Multiple = "freeman",
    exponent: float | None = None,
    directions: Array | None = None,
) -> Array:
    """The share of each cell's water that goes to each of its neighbours: (8, rows, columns) (float32), clockwise from the
    row above as in :func:`directions`. Shares of a cell add up to 1, to 0 where water ends. Arguments as in
    :func:`accumulate_mfd`."""
    raster = Raster(surface, cell)
    found = _hydro.mfd_shares(raster.of(np.float32), raster.cells, (multiple, exponent), _codes(raster, directions))
    return raster.back_layers(found, "share", units="1")


def dinf(surface: Array, directions: Array | None = None, *, cell: Cell | None = None) -> Array:
    """Specific catchment area in metres (float64) along D-infinity (Tarboton 1997): drainage area over the length of
    contour that the water of a cell crosses, side * cos(angle from the side); the layer ``dinf`` of ``terrane hydro``.

    Arguments as in :func:`dinf_directions`; cells without data have no area.
    """
    raster = Raster(surface, cell)
    found = _hydro.specific_area(raster.of(np.float32), raster.cells, None, _codes(raster, directions))
    return raster.back(found, "dinf", units="m")


def mfd(
    surface: Array,
    *,
    cell: Cell | None = None,
    multiple: Multiple = "freeman",
    exponent: float | None = None,
    directions: Array | None = None,
) -> Array:
    """Specific catchment area in metres (float64) along multiple directions: drainage area over the side of the cell; the
    layer ``mfd`` of ``terrane hydro``. Arguments as in :func:`accumulate_mfd`."""
    raster = Raster(surface, cell)
    found = _hydro.specific_area(raster.of(np.float32), raster.cells, (multiple, exponent), _codes(raster, directions))
    return raster.back(found, "mfd", units="m")
