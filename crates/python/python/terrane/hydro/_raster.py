"""Arrays as rows from the north, and the way back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    import xarray

Array = TypeVar("Array", np.ndarray, "xarray.DataArray")
#: Metres, or width and height in metres.
Cell = float | Sequence[float]
#: A sphere of Earth's mean radius in metres, where an array in degrees says nothing else.
EARTH_RADIUS_M = 6_371_000.0
#: The water of such a cell leaves the array, or the cell has no data.
LEAVES = 255
#: A place: x and y in the coordinates of a DataArray; row and column of a NumPy array.
Point = Sequence[float]

_LATITUDES, _LONGITUDES = ("lat", "latitude"), ("lon", "longitude")


#: Width and height of a cell in metres; or in degrees, with west, north and the radius of the sphere in metres.
Cells = tuple[float, float, Any]
#: The north-west corner of an array, and the sides of a cell, in the array's own coordinates.
Frame = tuple[float, float, float, float]


class Raster:
    """An array as rows from the north, with the way back."""

    def __init__(self, array: Any, cell: Cell | None) -> None:
        self.like = array if hasattr(array, "dims") and hasattr(array, "coords") else None
        self.flipped = (False, False)
        # the north-west corner and the sides of a cell, in the array's own coordinates
        self.frame: Frame | None = None
        if self.like is None:
            array = np.asarray(array)
            if array.ndim != 2:
                raise ValueError(f"an array of two dimensions was expected, not of {array.ndim}")
            width, height = _sides(1.0 if cell is None else cell)
            self.cells: Cells = (width, height, None)
        else:
            if array.ndim != 2:
                raise ValueError(f"an array of two dimensions was expected, not of {array.ndim}: {array.dims}")
            self.cells, self.flipped, self.frame = cells_of(array, cell)
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

    def back_layers(self, values: np.ndarray, name: str, **attrs: object) -> Any:
        """Values of the eight directions, clockwise from north, as (direction, rows, columns) of what was given."""
        turned = np.empty_like(values)
        turned[self.turned(np.arange(8, dtype=np.uint8))] = values
        turned = turned[(slice(None), *self._turn)]
        if self.like is None:
            return turned
        made = self.like.expand_dims(direction=np.arange(8, dtype=np.uint8)).copy(data=turned).rename(name)
        made.attrs = attrs
        return made

    def toward(self, values: Any = None) -> np.ndarray:
        """Directions in eighths of a turn as rows from the north have them."""
        return self.turned_toward(self.of(np.float32, values))

    def turned_toward(self, toward: np.ndarray) -> np.ndarray:
        """As :meth:`turned`, for directions in eighths of a turn: a flip mirrors what lies between them, too."""
        eighths = np.float32(8)
        for is_flipped, axis in zip(self.flipped, (np.float32(4), eighths), strict=True):
            if is_flipped:
                turned = (axis - toward) % eighths
                # what rounding takes to a whole turn is north; what is no direction stays what it is
                turned[turned >= eighths] = 0
                toward = np.where((toward >= 0) & (toward < eighths), turned, toward)
        return toward

    def places(self, points: Sequence[Point]) -> list[tuple[int, int]]:
        """Rows and columns from the north-west of the cells at points."""
        return [self._place(point) for point in points]

    def _place(self, point: Point) -> tuple[int, int]:
        rows, columns = self.values.shape
        if len(point) != 2 or not all(math.isfinite(number) for number in point):
            raise ValueError(f"point {tuple(point)}: two finite numbers were expected")
        if self.frame is None:
            row, column = (int(number) for number in point)
            if not (0 <= row < rows and 0 <= column < columns):
                raise ValueError(f"row {row}, column {column}: the array has {rows} x {columns} cells")
            return row, column
        west, north, width, height = self.frame
        (x, y), (east, south) = point, (west + columns * width, north - rows * height)
        column, row = math.floor((x - west) / width), math.floor((north - y) / height)
        if not (0 <= row < rows and 0 <= column < columns):
            raise ValueError(f"point {x}, {y}: the array spans {west} to {east}, {south} to {north}")
        return row, column

    def points(self, places: Sequence[tuple[int, int]]) -> list[Point]:
        """Cells as the points in their middles, the way back from :meth:`places`."""
        if self.frame is None:
            return [(row, column) for row, column in places]
        west, north, width, height = self.frame
        return [(west + (column + 0.5) * width, north - (row + 0.5) * height) for row, column in places]

    def indices(self, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns from the north-west as indices of the array that was given."""
        down, along = self.flipped
        height, width = self.values.shape
        rows, columns = rows.astype(np.int64), columns.astype(np.int64)
        return (height - 1 - rows if down else rows), (width - 1 - columns if along else columns)

    def located(self, corners: np.ndarray) -> np.ndarray:
        """Columns and rows, in cells from the north-west corner, in the array's coordinates; without any, in metres east
        and north of that corner."""
        width, height, _ = self.cells
        west, north, width, height = (0.0, 0.0, width, height) if self.frame is None else self.frame
        return np.column_stack((west + corners[:, 0] * width, north - corners[:, 1] * height))

    @property
    def crs(self) -> str | None:
        """The reference system, where the array says it."""
        if self.like is None or "spatial_ref" not in self.like.coords:
            return None
        text = self.like.coords["spatial_ref"].attrs.get("crs_wkt")
        return text if isinstance(text, str) else None

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


def cells_of(array: xarray.DataArray, cell: Cell | None) -> tuple[Cells, tuple[bool, bool], Frame | None]:
    """How large the cells of an array are, by its coordinates; whether rows run north, or columns west; where it lies.
    Reads no values."""
    rows, columns = array.dims
    if cell is not None or rows not in array.coords or columns not in array.coords:
        width, height = _sides(1.0 if cell is None else cell)
        return (width, height, None), (False, False), None
    y, x = (np.asarray(array.coords[name], dtype=float) for name in (rows, columns))
    (dy, dx) = (_step(rows, y), _step(columns, x))
    flipped = (dy > 0, dx < 0)
    width, height = abs(dx), abs(dy)
    west, north = float(x.min()) - width / 2, float(y.max()) + height / 2
    frame = (west, north, width, height)
    about = (array.coords[rows].attrs.get("units", ""), array.coords[columns].attrs.get("units", ""))
    in_degrees = about[0].startswith("degree") or (
        str(rows).lower() in _LATITUDES and str(columns).lower() in _LONGITUDES
    )
    if not in_degrees:
        return (width, height, None), flipped, frame
    radius = _radius(array.coords["spatial_ref"].attrs) if "spatial_ref" in array.coords else EARTH_RADIUS_M
    return (width, height, (west if west >= -360 else west + 360, min(north, 90.0), radius)), flipped, frame


def _radius(about: Mapping[str, Any]) -> float:
    """The radius of a reference system in metres: its own, or that of the sphere of the same area as its ellipsoid."""
    if "earth_radius" in about:
        return float(about["earth_radius"])
    axis, inverse = float(about.get("semi_major_axis", EARTH_RADIUS_M)), float(about.get("inverse_flattening", 0))
    if inverse <= 1:
        return axis
    # the area of an ellipsoid of revolution; e is its eccentricity
    square = (2 - 1 / inverse) / inverse
    e = math.sqrt(square)
    return axis * math.sqrt((1 + (1 - square) / e * math.atanh(e)) / 2)


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
