"""What the shape of the ground says of water: slopes and indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._terrane import _hydro
from ._raster import Array, Cell, Raster

#: A millimetre in a metre, about what elevations in decimetres a hundred metres apart can show.
LEAST_SLOPE: float = _hydro.LEAST_SLOPE


def slope_and_aspect(elevation: Array, *, cell: Cell | None = None) -> tuple[Array, Array]:
    """Slope (float32; 1 is 45 degrees) and aspect (float32; degrees clockwise from north, also where rows run from the
    south) after Horn (1981)."""
    raster = Raster(elevation, cell)
    slope, aspect = _hydro.slope_and_aspect(raster.of(np.float32), raster.cells)
    return raster.back(slope, "slope", units="1"), raster.back(aspect, "aspect", units="degree")


def downslope(surface: Array, directions: Array, *, cell: Cell | None = None) -> Array:
    """Drop to the receiver over the distance to it (float32; 1 is 45 degrees): 0 where water leaves, NaN without data,
    negative where the receiver is higher."""
    raster = Raster(surface, cell)
    found = _hydro.downslope(raster.of(np.float32), raster.codes(directions), raster.cells)
    return raster.back(found, "downslope", units="1")


def specific_area(area: Array, *, cell: Cell | None = None) -> Array:
    """Specific catchment area in metres (float64): drainage area in square metres over the side of the cell.

    :func:`dinf` and :func:`mfd` find it where water spreads.
    """
    raster = Raster(area, cell)
    return raster.back(_hydro.per_side(raster.of(np.float64), raster.cells), "specific_area", units="m")


def _index(name: str, water: Any, slope: Any, least_slope: float, units: str) -> Any:
    # of two arrays cell by cell: how cells lie does not matter
    raster = Raster(water, 1.0)
    found = _hydro.index(name, raster.of(np.float64), raster.of(np.float32, slope), least_slope)
    return raster.back(found, name, units=units)


def wetness(specific_area: Array, slope: Array, *, least_slope: float = LEAST_SLOPE) -> Array:
    """Topographic wetness index ln(a / tan b) (float32; Beven & Kirkby 1979): high where much water comes together on flat
    ground.

    ``specific_area`` a in metres, from :func:`dinf` or :func:`mfd`; ``slope`` tan b, from :func:`slope_and_aspect`. Slopes
    below ``least_slope`` count as that, since flats would be infinitely wet.
    """
    return _index("wetness", specific_area, slope, least_slope, "1")


def power(specific_area: Array, slope: Array) -> Array:
    """Stream power index a tan b in metres (float32; Moore, Grayson & Ladson 1991): high where much water goes down a steep
    slope. Arguments as in :func:`wetness`."""
    return _index("power", specific_area, slope, LEAST_SLOPE, "m")


def stream_power(discharge: Array, slope: Array) -> Array:
    """Stream power rho g Q S in watts per metre of channel (float32; Bagnold 1966), of discharge in m3/s and a slope."""
    return _index("stream_power", discharge, slope, LEAST_SLOPE, "W m-1")


def length_slope(specific_area: Array, slope: Array) -> Array:
    """Length-slope factor (a / 22.13 m)^0.4 (sin b / 0.0896)^1.3 (float32; Moore & Burch 1986): loss of soil beside that of
    the plot on which the universal equation rests. Arguments as in :func:`wetness`."""
    return _index("length_slope", specific_area, slope, LEAST_SLOPE, "1")
