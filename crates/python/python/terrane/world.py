"""Worlds: made, opened, saved, looked into, refined."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _terrane
from ._optional import need
from ._progress import Progress, told

if TYPE_CHECKING:
    import geopandas
    import matplotlib.axes
    import xarray

#: Metres between samples; a place around which they lie on square metres.
Lattice = tuple[float, tuple[float, float] | None]
#: Number of the first column, of the first (northernmost) row, columns, rows.
Window = tuple[int, int, int, int]

#: A region may take this much of the memory of the machine, unless another limit is given.
_SHARE_OF_MEMORY = 0.5


def generate(
    seed: int | None = None,
    recipe: str | os.PathLike[str] = "earthlike",
    cells: int | None = None,
    changes: Mapping[str, object] | None = None,
    *,
    progress: Progress = False,
) -> World:
    """Make a world.

    Parameters
    ----------
    seed
        The one number from which all chance is drawn; the recipe's own if there is none.
    recipe
        A preset ("earthlike", "small", "archipelago" ...), the path of a recipe in TOML, or its text.
    cells
        Cells along a side of a face of the cube: 512 make cells of 18 km on a planet like Earth, and take 5 seconds of
        one processor.
    changes
        Single fields of the recipe: ``{"plates.count": 20}``.
    progress
        True for a line on standard error, or a function that is given a stage and a share from 0 to 1, in the thread that
        calls. An exception that it raises ends the work, as Ctrl-C does: within half a second, and the stage that was
        begun is finished beside, and dropped.

    The same recipe gives the same bits on every machine, and as ``terrane generate`` does.

    Raises
    ------
    ValueError
        A recipe that is wrong: all that is wrong with it, each with its field and the range it must have.
    """
    single = dict(changes or {})
    if cells is not None:
        single["grid.cells"] = cells
    if seed is not None:
        single["seed"] = seed
    text = _recipe_text(recipe)
    with told(progress) as tell:
        return World(_terrane.World.make(text, [f"{path}={value}" for path, value in single.items()], tell))


def _recipe_text(recipe: str | os.PathLike[str]) -> str:
    if isinstance(recipe, os.PathLike) or (recipe.endswith(".toml") and "\n" not in recipe):
        return Path(recipe).read_text(encoding="utf-8")
    return recipe


def open(path: str | os.PathLike[str]) -> World:
    """Open the file of a world. Its header is read at once, layers and cells when they are asked for.

    Raises
    ------
    FileNotFoundError, OSError
        There is no such file, or it cannot be read.
    WorldFileError
        It is not a world file, or damaged.
    """
    return World(_terrane.World.open(os.fspath(path)))


class Layers(Mapping[str, "xarray.DataArray"]):
    """The layers of a world by name, as DataArrays of (face, row, col) with units and the places of cells.

    Row 0 of a face is its north. A value is read when it is asked for; :meth:`World.array` gives it as bare NumPy.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._units = dict(world._core.layer_units())

    def __getitem__(self, name: str) -> xarray.DataArray:
        xarray = need("xarray", "a layer with coordinates")
        if name not in self._units:
            raise KeyError(f"the world has no layer {name!r}; it has {', '.join(self)}")
        x, y = self._world.centers()
        dims = ("face", "row", "col")
        if self._world.info()["topology"] == "globe":
            coords = {
                "lon": (dims, x, {"units": "degrees_east", "standard_name": "longitude"}),
                "lat": (dims, y, {"units": "degrees_north", "standard_name": "latitude"}),
            }
        else:
            unit = self._world.info()["unit"]
            coords = {"x": (dims, x, {"units": unit}), "y": (dims, y, {"units": unit})}
        values = self._world.array(name)
        return xarray.DataArray(values, coords, dims, name, {"units": self._units[name]})

    def __iter__(self) -> Iterator[str]:
        return iter(self._units)

    def __len__(self) -> int:
        return len(self._units)

    def __repr__(self) -> str:
        return "<terrane.Layers: " + ", ".join(f"{name} [{unit}]" for name, unit in self._units.items()) + ">"


class World:
    """A world, in memory (from :func:`generate`) or in its file (from :func:`open`).

    It may be asked from several threads at once; work is done without the interpreter's lock. Ctrl-C ends what is asked, and
    leaves the world as it was.
    """

    def __init__(self, core: _terrane.World) -> None:
        self._core = core
        self._info: dict[str, Any] | None = None
        self._centers: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def path(self) -> Path | None:
        """The file that the world is read from, if it is."""
        return None if self._core.path is None else Path(self._core.path)

    @property
    def recipe(self) -> str:
        """The recipe in TOML: every field with its unit, range and meaning."""
        return self._core.recipe

    def info(self) -> dict[str, Any]:
        """Name, seed, engine, digest of all layers, topology, shape (faces, rows, cols), side of a cell in metres,
        radius (globes) or extent (flat maps) in metres; of flat maps also their bounds (west, south, east, north) in the
        coordinates that places are asked for, and the unit of these; and the reference system: as other packages take it
        (a code, or well-known text), and as well-known text if it has one."""
        if self._info is None:
            self._info = self._core.info()
        return dict(self._info)

    @property
    def layers(self) -> Layers:
        """What is known of every cell."""
        return Layers(self)

    def array(self, name: str) -> np.ndarray:
        """The values of a layer as an array of shape (faces, rows, cols).

        Raises
        ------
        KeyError
            There is no layer of this name.
        """
        return self._core.layer(name)

    def centers(self) -> tuple[np.ndarray, np.ndarray]:
        """Longitudes and latitudes of the centres of all cells in degrees (x and y on a flat map)."""
        if self._centers is None:
            self._centers = self._core.centers()
        return self._centers

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables: rivers, their cells, outlets, lakes, plates ..."""
        return tuple(self._core.table_names())

    def table(self, name: str) -> dict[str, np.ndarray | list[str]]:
        """The columns of a table.

        Raises
        ------
        KeyError
            There is no table of this name.
        """
        return {column: values for column, (values, _) in self._core.table(name).items()}

    def save(self, path: str | os.PathLike[str], *, progress: Progress = False) -> int:
        """Write the world into a file, which appears whole or not at all, also where Ctrl-C ends the work. Returns its
        length in bytes.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        with told(progress) as tell:
            return self._core.save(os.fspath(path), tell)

    def region(
        self,
        bbox: Sequence[float] | None = None,
        *,
        center: Sequence[float] | None = None,
        span: float | Sequence[float] | None = None,
        resolution: float,
        layers: Sequence[str] = ("elevation",),
        method: Literal["drainage", "classic"] = "drainage",
        texture: bool = True,
        max_memory_gb: float | None = None,
        progress: Progress = False,
    ) -> xarray.Dataset:
        """Refine a part of the world.

        Parameters
        ----------
        bbox
            West, south, east, north in degrees (on a flat map in the coordinates of the raster that it was imported
            from, or else in metres from its south-western corner). A west greater than the east crosses the
            antimeridian.
        center, span
            Instead: longitude and latitude of the middle, and the sides of a rectangle in metres. Samples then lie on
            square metres of a transverse Mercator projection of the planet's sphere.
        resolution
            Distance between samples in metres (with bbox: at the equator), from 0.01 to 10,000,000.
        layers
            elevation, base, mountains, water_surface, water_depth, discharge, order, temperature, rain,
            flow_direction, basin, land_cover, hand, ridges, peaks, buttresses.
        method
            "drainage": tributaries fill what the world's cells left out. "classic": one river for each cell.
        texture
            Whether fine texture is added.
        max_memory_gb
            A region that would take more is refused; half of the machine's memory if nothing is said.
        progress
            As in :func:`generate`.

        Returns
        -------
        A Dataset of (lat, lon) or (y, x), rows from the north, float32, with units and the reference system in
        ``spatial_ref``. Where two regions of one lattice overlap they are equal, bit for bit.

        Raises
        ------
        ValueError
            A place, a resolution or a layer that cannot be meant, or a region too large: with what would be right.
        """
        lattice, window = self._place(bbox, center, span, resolution)
        limit = _memory_limit() if max_memory_gb is None else int(max_memory_gb * 1e9)
        with told(progress) as tell:
            made = self._core.region(lattice, window, list(layers), method, texture, limit, tell)
        return _dataset(made, lattice[1] is None and self.info()["topology"] == "globe", self.info())

    def lazy(self, bbox: Sequence[float] | None = None, **asked: Any) -> xarray.Dataset:
        """A region whose blocks are refined when they are computed: see :func:`terrane.dask.lazy`."""
        from .dask import lazy

        return lazy(self, bbox, **asked)

    def _place(
        self,
        bbox: Sequence[float] | None,
        center: Sequence[float] | None,
        span: float | Sequence[float] | None,
        resolution: float,
    ) -> tuple[Lattice, Window]:
        """The lattice and the window of it."""
        is_globe = self.info()["topology"] == "globe"
        if (bbox is None) == (center is None) or (center is None) != (span is None):
            raise ValueError("say where: bbox=(west, south, east, north), or center=(lon, lat) and span=metres")
        if bbox is not None:
            west, south, east, north = _numbers("bbox", bbox, 4)
            if south >= north:
                raise ValueError(f"bbox: the south {south} is not below the north {north}")
            if is_globe:
                if not (-360 <= west <= 360 and -360 <= east <= 360 and -90 <= south and north <= 90):
                    raise ValueError(f"bbox {tuple(bbox)}: longitudes lie within -360 to 360, latitudes within -90 to 90")
                east += 360 if west > east else 0
            if west >= east:
                raise ValueError(f"bbox: the west {west} is not left of the east {east}")
            return (resolution, None), self._core.window((resolution, None), (west, south, east, north))
        lon, lat = _numbers("center", center, 2)
        sides = span if isinstance(span, Sequence) else (span or 0.0,) * 2
        width, height = _numbers("span", sides, 2)
        if width <= 0 or height <= 0:
            raise ValueError(f"span {span}: a side is a positive number of metres")
        half = (width / 2, height / 2)
        if not is_globe:
            return (resolution, None), self._core.centred((resolution, None), (lon, lat), half)
        if not (-360 <= lon <= 360 and -90 <= lat <= 90):
            raise ValueError(f"center {tuple(center)}: longitude within -360 to 360, latitude within -90 to 90")  # type: ignore[arg-type]
        lattice = (resolution, (lon, lat))
        return lattice, self._core.centred(lattice, self._core.project(lattice, (lon, lat)), half)

    def rivers(self) -> geopandas.GeoDataFrame:
        """The rivers of the world as lines, one for each reach between two junctions: order, discharge (m3/s), drained
        area (km2), length (km), width (m), sinuosity, the reach downstream (-1 at a mouth), the basin and its river's
        name. The same lines that regions by the classic method are cut by."""
        geopandas = need("geopandas", "a table of rivers")
        shapely = need("shapely", "a table of rivers")
        columns = dict(self._core.rivers())
        places, first = columns.pop("line_places"), columns.pop("line_first")
        index = np.repeat(np.arange(len(first) - 1), np.diff(first.astype(np.int64)))
        # a reach of one cell, at the border of a flat map, has no line
        lines = np.full(len(first) - 1, None, dtype=object)
        shapely.linestrings(places, indices=index, out=lines)
        return geopandas.GeoDataFrame(columns, geometry=lines, crs=self.info()["crs"])

    def score(self) -> list[dict[str, Any]]:
        """The world beside Earth: one row a figure, with Earth's value and the band that passes."""
        return self._core.score()

    def plot(
        self,
        bbox: Sequence[float] | None = None,
        *,
        width: int = 1000,
        ax: matplotlib.axes.Axes | None = None,
    ) -> matplotlib.axes.Axes:
        """Draw a relief map of the world, or of a box of it, some samples wide, on the axes of a figure."""
        plt = need("matplotlib.pyplot", "a picture")
        colors = need("matplotlib.colors", "a picture")
        info = self.info()
        is_globe = info["topology"] == "globe"
        if bbox is None:
            bbox = (-180.0, -90.0, 180.0, 90.0) if is_globe else info["bounds"]
        west, south, east, north = _numbers("bbox", bbox, 4)
        across = (east - west) % 360 or 360.0 if is_globe else east - west
        metres = across * (math.pi * info["radius_m"] / 180 if is_globe else 1.0)
        part = self.region(bbox, resolution=metres / width, layers=["elevation", "water_surface", "water_depth"])
        ground, level = part["elevation"].values, part["water_surface"].values
        wet = part["water_depth"].values > 0
        sea = wet & (level <= 0)
        land = colors.LinearSegmentedColormap.from_list(
            "land", ["#5c7f4e", "#8f9f5f", "#c0ad77", "#a5815f", "#8c7468", "#f4f2ee"]
        )
        water = colors.LinearSegmentedColormap.from_list("sea", ["#2f5377", "#6f9fc4", "#b3cfe0"])
        picture = land(np.clip(np.nan_to_num(ground) / 4500, 0, 1))
        picture[sea] = water(np.clip(1 + np.nan_to_num(ground[sea]) / 6000, 0, 1))
        picture[wet & ~sea] = colors.to_rgba("#7fb0cf")
        cell = metres / width
        light = colors.LightSource(azdeg=315, altdeg=45).hillshade(
            np.nan_to_num(np.where(sea, level, ground)), vert_exag=max(1.0, cell / 250), dx=cell, dy=cell
        )
        picture[..., :3] = np.clip(picture[..., :3] * (0.55 + 0.6 * light[..., None]), 0, 1)
        axes = plt.subplots(figsize=(10, 10 * ground.shape[0] / ground.shape[1]))[1] if ax is None else ax
        axes.imshow(picture, extent=(west, west + across, south, north), interpolation="bilinear")
        axes.set_xlabel("longitude" if is_globe else "x, m")
        axes.set_ylabel("latitude" if is_globe else "y, m")
        return axes

    def __repr__(self) -> str:
        info = self.info()
        shape = " x ".join(map(str, info["shape"]))
        where = "in memory" if self.path is None else str(self.path)
        return f"<terrane.World {info['name']!r}, seed {info['seed']}, {shape} cells, {where}>"


def _numbers(name: str, given: Sequence[float] | None, count: int) -> tuple[float, ...]:
    values = tuple(float(value) for value in given or ())
    if len(values) != count or not all(map(math.isfinite, values)):
        raise ValueError(f"{name} {given}: {count} finite numbers were expected")
    return values


def _memory_limit() -> int:
    """Bytes that a region may take."""
    try:
        return int(_SHARE_OF_MEMORY * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):  # not everywhere does the system say
        return 4 << 30


def _dataset(made: dict[str, Any], in_degrees: bool, info: dict[str, Any]) -> xarray.Dataset:
    """A region with its coordinates and its reference system (CF 1.11; ``spatial_ref`` as GDAL and rioxarray read it)."""
    xarray = need("xarray", "a region with coordinates")
    x, y, (step_x, step_y) = made["x"], made["y"], made["steps"]
    if in_degrees:
        names = ("lat", "lon")
        about = (
            {"units": "degrees_north", "standard_name": "latitude"},
            {"units": "degrees_east", "standard_name": "longitude"},
        )
    else:
        names = ("y", "x")
        about = (
            {"units": made["unit"], "standard_name": "projection_y_coordinate"},
            {"units": made["unit"], "standard_name": "projection_x_coordinate"},
        )
    coords: dict[str, Any] = {names[0]: (names[0], y, about[0]), names[1]: (names[1], x, about[1])}
    data: dict[str, Any] = {}
    mapped = {"grid_mapping": "spatial_ref"} if made["crs"] is not None else {}
    for name, (values, unit) in made["layers"].items():
        data[name] = (names, values, {"units": unit, **mapped})
    west, north = (x[0] - step_x / 2, y[0] + step_y / 2) if len(x) and len(y) else (0.0, 0.0)
    corner = (west, step_x, 0.0, north, 0.0, -step_y)
    place: dict[str, Any] = {**made["grid_mapping"], "GeoTransform": " ".join(repr(float(number)) for number in corner)}
    if made["crs"] is not None:
        place["spatial_ref"] = made["crs"]
    if made["crs_wkt"] is not None:
        place["crs_wkt"] = made["crs_wkt"]
    coords["spatial_ref"] = ((), np.int64(0), place)
    attrs = {"Conventions": "CF-1.11", "title": info["name"], "history": f"{info['engine']}, seed {info['seed']}"}
    return xarray.Dataset(data, coords, attrs)
