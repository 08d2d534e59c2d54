"""Where water runs, on any array of heights.

Every function takes a NumPy array of rows from the north and columns from the west, or an xarray DataArray, and returns
the same kind. NaN is where there is no data; water leaves at the border and into what has no data.

``cell`` says how large cells are, for NumPy: metres, or (width, height) in metres. A DataArray says it by its
coordinates: degrees where they are latitudes and longitudes, else metres.

>>> import numpy as np
>>> from terrane import hydro
>>> heights = np.array([[9, 9, 9, 9], [9, 3, 6, 9], [9, 4, 5, 2], [9, 9, 9, 9]], dtype=np.float32)
>>> hydro.fill(heights)[1, 1]
np.float32(5.0)
>>> hydro.accumulate(hydro.directions(hydro.fill(heights)))[2, 3]
np.uint32(16)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from ._terrane import _hydro

if TYPE_CHECKING:
    import xarray

__all__ = [
    "accumulate",
    "areas",
    "basins",
    "directions",
    "fill",
    "flow",
    "height_above_drainage",
    "slope_and_aspect",
    "strahler",
]

Array = TypeVar("Array", np.ndarray, "xarray.DataArray")
#: Metres, or width and height in metres.
Cell = float | Sequence[float]
#: A sphere of Earth's mean radius in metres, where an array in degrees says nothing else.
EARTH_RADIUS_M = 6_371_000.0
#: The water of such a cell leaves the array, or the cell has no data.
LEAVES = 255

_LATITUDES, _LONGITUDES = ("lat", "latitude"), ("lon", "longitude")


class _Raster:
    """An array as rows from the north, with the way back."""

    def __init__(self, array: Any, cell: Cell | None) -> None:
        self.like = array if hasattr(array, "dims") and hasattr(array, "coords") else None
        self.flipped = (False, False)
        if self.like is None:
            array = np.asarray(array)
            if array.ndim != 2:
                raise ValueError(f"an array of two dimensions was expected, not of {array.ndim}")
            width, height = _sides(1.0 if cell is None else cell)
            self.cells: tuple[float, float, Any] = (width, height, None)
        else:
            if array.ndim != 2:
                raise ValueError(f"an array of two dimensions was expected, not of {array.ndim}: {array.dims}")
            self.cells, self.flipped = cells_of(array, cell)
        self.values = np.asarray(array)[self._turn]

    @property
    def _turn(self) -> tuple[slice, slice]:
        down, along = self.flipped
        return slice(None, None, -1 if down else 1), slice(None, None, -1 if along else 1)

    def of(self, kind: type, values: Any = None) -> np.ndarray:
        """Values as an array of a kind, in the order of this raster."""
        values = self.values if values is None else np.asarray(values)[self._turn]
        return np.ascontiguousarray(values, dtype=kind)

    def back(self, values: np.ndarray, name: str, **attrs: object) -> Any:
        """A result as what was given."""
        values = values[self._turn]
        if self.like is None:
            return values
        made = self.like.copy(data=values).rename(name)
        keep = {"grid_mapping": self.like.attrs["grid_mapping"]} if "grid_mapping" in self.like.attrs else {}
        made.attrs = {**keep, **attrs}
        return made

    def codes(self, directions: Any = None) -> np.ndarray:
        """Directions as rows from the north have them."""
        return self.turned(self.of(np.uint8, directions))

    def turned(self, code: np.ndarray) -> np.ndarray:
        """Directions between the given array and rows from the north: a flip mirrors them, either way."""
        down, along = self.flipped
        if not (down or along):
            return code
        table = np.arange(256, dtype=np.uint8)
        for k in range(8):
            turned = (4 - k) % 8 if down else k
            table[k] = (8 - turned) % 8 if along else turned
        return table[code]


def cells_of(array: xarray.DataArray, cell: Cell | None) -> tuple[tuple[float, float, Any], tuple[bool, bool]]:
    """How large the cells of an array are, by its coordinates; whether rows run north, or columns west. Reads no values."""
    rows, columns = array.dims
    if cell is not None or rows not in array.coords or columns not in array.coords:
        width, height = _sides(1.0 if cell is None else cell)
        return (width, height, None), (False, False)
    y, x = (np.asarray(array.coords[name], dtype=float) for name in (rows, columns))
    (dy, dx) = (_step(rows, y), _step(columns, x))
    flipped = (dy > 0, dx < 0)
    width, height = abs(dx), abs(dy)
    about = (array.coords[rows].attrs.get("units", ""), array.coords[columns].attrs.get("units", ""))
    in_degrees = about[0].startswith("degree") or (
        str(rows).lower() in _LATITUDES and str(columns).lower() in _LONGITUDES
    )
    if not in_degrees:
        return (width, height, None), flipped
    radius = EARTH_RADIUS_M
    if "spatial_ref" in array.coords:
        radius = float(array.coords["spatial_ref"].attrs.get("earth_radius", radius))
    west, north = x.min() - width / 2, y.max() + height / 2
    return (width, height, (west if west >= -360 else west + 360, min(north, 90.0), radius)), flipped


def _sides(cell: Cell) -> tuple[float, float]:
    sides = tuple(cell) if isinstance(cell, Sequence) else (cell, cell)
    if len(sides) != 2 or not all(math.isfinite(side) and side > 0 for side in sides):
        raise ValueError(f"cell {cell}: metres, or width and height in metres, were expected")
    return float(sides[0]), float(sides[1])


def _step(name: object, places: np.ndarray) -> float:
    if len(places) < 2:
        raise ValueError(f"one place along {name} does not tell how large cells are: give cell=metres")
    steps = np.diff(places)
    if not np.allclose(steps, steps[0], rtol=1e-3, atol=0):
        raise ValueError(f"the places along {name} are not equally far apart")
    return float((places[-1] - places[0]) / (len(places) - 1))


def fill(elevation: Array, *, cell: Cell | None = None, method: Literal["fill", "epsilon", "breach"] = "fill") -> Array:
    """Heights in metres (float32) without depressions: filled level, filled so that they drain ("epsilon"), or cut open.

    Source: Barnes, Lehman & Mulla (2014); Lindsay (2016) for breaching. Cost: some 20 ns a cell, 120 for breaching.
    """
    raster = _Raster(elevation, cell)
    return raster.back(_hydro.fill(raster.of(np.float32), raster.cells, method), "filled", units="m")


def directions(surface: Array, *, cell: Cell | None = None) -> Array:
    """Where the water of each cell goes (uint8): 0 = north, 1 = north-east and so on clockwise to 7; 255 where it leaves
    the array or there is no data. The surface must have no depressions; over flats water goes by Garbrecht & Martz (1997).
    """
    raster = _Raster(surface, cell)
    code = raster.turned(_hydro.directions(raster.of(np.float32), raster.cells))
    return raster.back(code, "flow_direction", flag_meanings="N NE E SE S SW W NW")


def accumulate(directions: Array, weights: Array | None = None, *, cell: Cell | None = None) -> Array:
    """What flows through each cell, its own included: numbers of cells (uint32), or sums of weights (float64)."""
    raster = _Raster(directions, cell)
    given = None if weights is None else raster.of(np.float64, weights)
    return raster.back(_hydro.accumulate(raster.codes(), raster.cells, given), "accumulation")


def areas(like: Array, *, cell: Cell | None = None) -> Array:
    """Areas of the cells of an array in square metres (float64)."""
    raster = _Raster(like, cell)
    rows, columns = raster.values.shape
    return raster.back(_hydro.areas(rows, columns, raster.cells), "area", units="m2")


def basins(directions: Array, *, cell: Cell | None = None) -> Array:
    """Numbers of basins (uint32) from 1, in the order, row by row from the north-west, of the cells where their water
    leaves."""
    raster = _Raster(directions, cell)
    return raster.back(_hydro.basins(raster.codes(), raster.cells)[0], "basin")


def strahler(directions: Array, streams: Array, *, cell: Cell | None = None) -> Array:
    """Strahler's order (1957) of the cells where streams are (uint8), 0 elsewhere."""
    raster = _Raster(directions, cell)
    return raster.back(_hydro.strahler(raster.codes(), raster.of(np.bool_, streams), raster.cells), "strahler")


def height_above_drainage(elevation: Array, directions: Array, streams: Array, *, cell: Cell | None = None) -> Array:
    """Height in metres above the first stream downstream (float32; Rennó et al. 2008), NaN where there is none."""
    raster = _Raster(elevation, cell)
    found = _hydro.height_above_drainage(
        raster.of(np.float32), raster.codes(directions), raster.of(np.bool_, streams), raster.cells
    )
    return raster.back(found, "height_above_drainage", units="m")


def slope_and_aspect(elevation: Array, *, cell: Cell | None = None) -> tuple[Array, Array]:
    """Slope (float32; 1 is 45 degrees) and aspect (float32; degrees clockwise from north) after Horn (1981)."""
    raster = _Raster(elevation, cell)
    found = _hydro.slope_and_aspect(raster.of(np.float32), raster.cells)
    return (
        raster.back(found["slope"], "slope", units="1"),
        raster.back(found["aspect"], "aspect", units="degree"),
    )


def flow(
    elevation: Array,
    *,
    cell: Cell | None = None,
    method: Literal["fill", "epsilon", "breach"] = "fill",
    threshold: int | None = None,
) -> Any:
    """All at once: what :func:`fill`, :func:`directions`, :func:`accumulate`, :func:`basins` and :func:`strahler` find,
    with streams where so many cells meet (a thousandth of all if nothing is said). A Dataset for a DataArray, else a dict.
    """
    surface = fill(elevation, cell=cell, method=method)
    ways = directions(surface, cell=cell)
    cells = accumulate(ways, cell=cell)
    least = max(2, cells.size // 1000) if threshold is None else threshold
    streams = (cells >= least) & np.isfinite(elevation)
    found = {
        "filled": surface,
        "flow_direction": ways,
        "accumulation": cells,
        "basin": basins(ways, cell=cell),
        "strahler": strahler(ways, streams, cell=cell),
    }
    if isinstance(elevation, np.ndarray):
        return found
    import xarray

    return xarray.Dataset(found)
