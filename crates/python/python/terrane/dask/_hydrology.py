"""Where water runs on rasters larger than memory: in tiles, on Dask.

Each tile is worked on by itself (``terrane._terrane._tiles``, Rust); what crosses the borders of tiles is joined here,
in the process that asked. So results are those of the raster in one piece, bit for bit, whatever the tiles, the
scheduler or the order in which tasks end.
"""

from __future__ import annotations

import functools
import math
import operator
import os
import re
import uuid
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._optional import need
from .._progress import Progress, told
from .._terrane import __version__, _tiles
from ..hydro._raster import cells_of
from ._target import target
from ._tasks import Crew

if TYPE_CHECKING:
    import xarray

#: Cells along the side of a chunk, where tiles are a multiple of it.
_CHUNK = 512
#: Cells along the side of a tile, unless something else is said.
_TILE = 2048
#: Tiles that are told at once what the others know.
_TOLD = 1024
#: The group in which is kept what tiles have told, until all is done.
_KEPT = "_told"

#: Dimension of the table of basins.
_BASINS = "basins"


@dataclass(frozen=True)
class _Job:
    """Everything that a task must know, wherever it runs."""

    url: str
    #: for fsspec; not hashed, for they may hold anything
    options: dict[str, Any] = field(compare=False)
    elevation: str
    group: str
    shape: tuple[int, int]
    tile: tuple[int, int]
    cells: tuple[float, float, Any]
    #: What lies at or below it is no data.
    sea: float | None
    resume: bool = field(compare=False, default=True)
    #: Of this call: what a worker has opened for another one may have changed since.
    call: str = field(default_factory=lambda: uuid.uuid4().hex)

    def told(self) -> dict[str, Any]:
        """What must be the same for an earlier run to go on."""
        return {
            "elevation": self.elevation,
            "shape": list(self.shape),
            "tile": list(self.tile),
            "cells": [self.cells[0], self.cells[1], *(self.cells[2] or ())],
            "sea": self.sea,
            "version": __version__,
        }


@functools.lru_cache(maxsize=4)
def _tiles_of(job: _Job) -> Any:
    return _tiles.Tiles(job.shape, job.tile, job.cells)


def _open(job: _Job, mode: str = "r+", path: str | None = None) -> Any:
    zarr = need("zarr", "terrane.dask")
    options = job.options or None
    return zarr.open_group(job.url, mode=mode, path=path, storage_options=options, use_consolidated=False)


@functools.lru_cache(maxsize=4)
def _results(job: _Job) -> Any:
    return _open(job, path=job.group)


@functools.lru_cache(maxsize=4)
def _source(job: _Job) -> Any:
    return _dataset(job.url, job.options)[job.elevation]


def _dataset(url: str, options: dict[str, Any]) -> xarray.Dataset:
    """The store as xarray has it, nothing of it read."""
    xarray = need("xarray", "terrane.dask")
    for module in ("zarr", "dask"):
        need(module, "terrane.dask")
    try:
        with warnings.catch_warnings():
            # a group without consolidated metadata is no fault
            warnings.simplefilter("ignore")
            return xarray.open_zarr(url, chunks=None, storage_options=options or None)
    except Exception as error:
        raise OSError(f"{url}: no Zarr store could be opened there ({type(error).__name__}: {error})") from error


def _read(job: _Job, tile: int, ring: int) -> np.ndarray:
    """Heights of a tile with that many more rows and columns on each side, NaN beyond the raster."""
    row, col, rows, cols = _tiles_of(job).place(tile)
    heights = np.full((rows + 2 * ring, cols + 2 * ring), np.nan, dtype=np.float32)
    north, west = max(row - ring, 0), max(col - ring, 0)
    south, east = min(row + rows + ring, job.shape[0]), min(col + cols + ring, job.shape[1])
    part = np.asarray(_source(job)[north:south, west:east].values, dtype=np.float32)
    if job.sea is not None:
        part = np.where(part <= np.float32(job.sea), np.float32(np.nan), part)
    top, left = north - row + ring, west - col + ring
    heights[top : top + south - north, left : left + east - west] = part
    return heights


def _window(job: _Job, tile: int) -> tuple[slice, slice]:
    row, col, rows, cols = _tiles_of(job).place(tile)
    return slice(row, row + rows), slice(col, col + cols)


def _get(job: _Job, name: str, tile: int) -> np.ndarray:
    return np.asarray(_results(job)[name][_window(job, tile)])


def _put(job: _Job, name: str, tile: int, values: np.ndarray) -> None:
    array = _results(job)[name]
    array[_window(job, tile)] = values.astype(array.dtype, copy=False)


def _keep(job: _Job, stage: str, tile: int, words: np.ndarray) -> np.ndarray:
    """Keeps what a tile has told, after its part of the results was written."""
    from zarr.codecs import Crc32cCodec, ZstdCodec

    _results(job)[_KEPT].create_array(
        f"{stage}-{tile}", data=words, chunks=words.shape, compressors=[ZstdCodec(), Crc32cCodec()], overwrite=True
    )
    return words


def _kept(job: _Job, stage: str, tile: int) -> np.ndarray | None:
    """What a tile has told in an earlier run; nothing where it was not finished."""
    try:
        words = np.asarray(_results(job)[_KEPT][f"{stage}-{tile}"][:])
    except Exception:  # a task was ended while it wrote; it is done again
        return None
    return words if words[0] else None


# The stages of a tile. Each reads, works and writes its own part alone, so that it may be done again at any time.


def _spill(job: _Job, tile: int) -> np.ndarray:
    return _keep(job, "spilled", tile, _tiles_of(job).spill(tile, _read(job, tile, 1)))


def _descend(job: _Job, tile: int, message: np.ndarray) -> np.ndarray:
    filled, words = _tiles_of(job).descend(tile, _read(job, tile, 0), message)
    _put(job, "filled", tile, filled)
    return _keep(job, "descended", tile, words)


def _visit(job: _Job, tile: int, message: np.ndarray) -> np.ndarray:
    words: np.ndarray = _tiles_of(job).visit(tile, _get(job, "filled", tile), message)
    return words


def _settle(job: _Job, tile: int, message: np.ndarray) -> np.ndarray:
    directions, words = _tiles_of(job).settle(tile, _get(job, "filled", tile), message)
    _put(job, "flow_direction", tile, directions)
    return _keep(job, "settled", tile, words)


def _sum(job: _Job, tile: int, message: np.ndarray) -> np.ndarray:
    directions, filled = _get(job, "flow_direction", tile), _get(job, "filled", tile)
    accumulation, basin, table = _tiles_of(job).sum(tile, directions, filled, message)
    _put(job, "accumulation", tile, accumulation)
    _put(job, "basin", tile, basin)
    columns = [table[name].astype(np.uint64) for name in ("basin", "outlet_row", "outlet_col", "cells")]
    # begins with a number that is not 0, as all that is kept
    return _keep(job, "summed", tile, np.concatenate([[np.uint64(1)], *columns, table["area_m2"].view(np.uint64)]))


Stage = Callable[..., np.ndarray]


class _Run:
    """An analysis on its way, in the process that asked for it."""

    def __init__(self, job: _Job, report: Callable[[str, float], object] | None) -> None:
        self.job, self.report = job, report
        self.tiles = len(_tiles_of(job))
        self.joins = _tiles.Joins(_tiles_of(job))
        self.crew = Crew()

    def tell(self, stage: str, share: float) -> None:
        if self.report is not None:
            self.report(stage, share)

    def each(
        self,
        stage: Stage,
        tiles: Sequence[int],
        message: Callable[[int], np.ndarray] | None,
        take: Callable[[int, np.ndarray], None],
        kept: str | None = None,
    ) -> int:
        """Does a stage of tiles; what they tell is taken as it comes. Returns how many were done before."""
        done = 0
        left = []
        for tile in tiles:
            words = _kept(self.job, kept, tile) if kept and self.job.resume else None
            if words is None:
                left.append(tile)
            else:
                take(tile, words)
                done += 1
        # some at a time, so that messages of a continent do not wait all together
        for first in range(0, len(left), _TOLD):
            some = left[first : first + _TOLD]
            given = [(tile,) if message is None else (tile, message(tile)) for tile in some]
            for number, words in self.crew.run(stage, (self.job,), given):
                take(some[number], words)
        return done

    def all(self) -> list[np.ndarray]:
        """All stages. Returns the tables of basins of all tiles."""
        every, joins = range(self.tiles), self.joins
        self.tell("filling depressions", 0.0)
        self.each(_spill, every, None, joins.take, "spilled")
        joins.solve()
        levels = joins.tell
        self.tell("filling depressions", 0.5)
        messages: dict[int, np.ndarray] = {}
        # all must be told before what spills gives way to flats
        self.each(_descend, every, levels, messages.__setitem__, "descended")
        joins.go_on()
        while messages:
            joins.take(*messages.popitem(), True)
        # when an earlier run has found all directions, nobody asks for what lies behind them
        if not (self.job.resume and all(_kept(self.job, "settled", tile) is not None for tile in every)):
            self.cross()
        self.tell("finding directions", 0.0)
        self.each(_settle, every, joins.tell, messages.__setitem__, "settled")
        joins.go_on()
        while messages:
            joins.take(*messages.popitem())
        joins.solve()
        self.tell("gathering water", 0.0)
        tables: dict[int, np.ndarray] = {}
        self.each(_sum, every, joins.tell, tables.__setitem__, "summed")
        return [tables[tile] for tile in every]

    def cross(self) -> None:
        """Measures flats, in rounds until no tile is due."""
        rounds = 0
        while due := self.joins.due():
            self.tell("crossing flats", rounds / (rounds + 1))
            self.each(_visit, due, self.joins.tell_due, self.joins.take)
            rounds += 1


def hydrology(
    store: str | os.PathLike[str],
    *,
    elevation: str = "elevation",
    sea: float | None = None,
    group: str = "hydrology",
    tile: int | tuple[int, int] | None = None,
    storage_options: dict[str, Any] | None = None,
    resume: bool = True,
    progress: Progress = False,
) -> xarray.Dataset:
    """Depressions filled, directions, accumulation and basins of a raster in a Zarr store, also one larger than memory.

    Parameters
    ----------
    store
        A folder or an address that fsspec knows, with an array of heights in metres: rows from the north and columns from
        the west, NaN where there is no data, and its coordinates, degrees (``lat``, ``lon``) or metres.
    elevation
        The name of that array.
    sea
        What lies at or below so many metres is no data either: of a world, ``sea=0`` lets rivers end at the coast.
    group
        The group of the store that results go into.
    tile
        The side of a tile in cells, or rows and columns; 2048 unless the raster is smaller. A task holds some 50 bytes for
        each cell of its tile; this process some 80 for each cell along the borders of tiles.
    storage_options
        What fsspec needs to reach the store.
    resume
        A run that was cut short goes on where it was, and a complete one is only opened. Say False if the elevation has
        changed.
    progress
        As in :func:`terrane.generate`.

    Returns
    -------
    A Dataset of which nothing is read yet:

    - ``filled``: heights without depressions, in metres (float32);
    - ``flow_direction``: 0 = north, 1 = north-east and so on clockwise to 7; 255 where water leaves the raster, and where
      there is no data (uint8);
    - ``accumulation``: cells whose water passes, itself included; 0 where there is no data (uint32, or uint64 where a
      raster has 2^32 cells or more);
    - ``basin``: numbers from 1, in the order, row by row from the north-west, of the cells where water leaves; 0 where
      there is no data (of the same kind);
    - one line for each basin, along ``basins``: ``outlet_row``, ``outlet_col``, ``basin_cells``, ``basin_area`` (m2).

    They are what :mod:`terrane.hydro` finds for the array in one piece, bit for bit. (Its ``accumulate`` counts cells
    without data as well, for it sees directions alone.)

    Raises
    ------
    ValueError
        Something that cannot be meant; a raster without coordinates, or of one row or column; one that goes round the globe.
    OSError
        The store cannot be read, or written.

    Sources: Barnes (2016, 2017); Barnes, Lehman & Mulla (2014); Garbrecht & Martz (1997).
    """
    job, source = _job(store, (elevation, sea), group, tile, storage_options, resume)
    if not (resume and _is_complete(job)):
        with told(progress) as report:
            _prepare(job, source)
            _finish(job, _Run(job, report).all())
    return _lazily(job)


def _job(
    store: str | os.PathLike[str],
    data: tuple[str, float | None],
    group: str,
    tile: int | tuple[int, int] | None,
    storage_options: dict[str, Any] | None,
    resume: bool,
) -> tuple[_Job, xarray.DataArray]:
    place = target(store, storage_options)
    url, options = place.store, dict(place.options)
    elevation, sea = data
    if sea is not None and not math.isfinite(sea):
        raise ValueError(f"sea={sea}: a height in metres was expected")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.\-]*", group):
        raise ValueError(f"group {group!r}: a name of letters, digits, '_', '-' and '.' was expected")
    dataset = _dataset(url, options)
    if elevation not in dataset:
        names = ", ".join(str(name) for name in dataset.data_vars) or "none"
        raise ValueError(f"{url}: there is no array {elevation!r}; there are: {names}")
    if group in dataset.variables:
        raise ValueError(_not_ours(url, group))
    source = dataset[elevation]
    if source.ndim != 2:
        raise ValueError(f"{elevation!r} has {source.ndim} dimensions; rows and columns were expected")
    if source.dtype.kind not in "fiu":
        raise ValueError(f"{elevation!r} is of {source.dtype}; numbers were expected")
    if 0 in source.shape or max(source.shape) >= 2**32:
        rows, cols = source.shape
        raise ValueError(f"{elevation!r} has {rows} x {cols} cells; 1 to 2^32 - 1 along a side were expected")
    if "spatial_ref" in dataset:
        source = source.assign_coords(spatial_ref=dataset["spatial_ref"])
    for dim in source.dims:
        if dim not in source.coords:
            raise ValueError(
                f"{url}: there are no coordinates {str(dim)!r} for {elevation!r}; an array of the places of the centres of "
                "cells was expected, in degrees or metres"
            )
    cells, (upwards, leftwards), _ = cells_of(source, None)
    if upwards or leftwards:
        axis = source.dims[0] if upwards else source.dims[1]
        right = "from the north" if upwards else "from the west"
        raise ValueError(
            f"{elevation!r}: {axis} runs the other way; rows from the north and columns from the west were expected: "
            f"store it sorted, {right}"
        )
    sides = _sides(tile, source.shape)
    shape = (source.shape[0], source.shape[1])
    job = _Job(url, options, elevation, group, shape, sides, _on_sphere(source, cells), sea, resume)
    _tiles_of(job)
    return job, source


def _on_sphere(source: xarray.DataArray, cells: tuple[float, float, Any]) -> tuple[float, float, Any]:
    """The radius of the planet, where only its reference system tells it; a flattened one is taken for the mean Earth."""
    attrs = source.coords["spatial_ref"].attrs if "spatial_ref" in source.coords else {}
    if cells[2] is None or "earth_radius" in attrs:
        return cells
    sphere = r'(?:ELLIPSOID|SPHEROID)\["[^"]*",\s*([0-9.eE+]+),\s*0(?:\.0*)?\s*[,\]]'
    found = re.search(sphere, str(attrs.get("crs_wkt", "")))
    return cells if found is None else (cells[0], cells[1], (*cells[2][:2], float(found.group(1))))


def _sides(tile: int | tuple[int, int] | None, shape: Sequence[int]) -> tuple[int, int]:
    tile = _TILE if tile is None else tile
    try:
        sides = [operator.index(side) for side in (tile if isinstance(tile, Sequence) else (tile, tile))]
    except TypeError:
        sides = []
    if len(sides) != 2 or not all(0 < side < 2**32 for side in sides):
        raise ValueError(f"tile {tile!r}: a number of cells from 1 on, or rows and columns, were expected")
    return min(sides[0], shape[0]), min(sides[1], shape[1])


def _is_complete(job: _Job) -> bool:
    try:
        attrs = dict(_open(job, "r", job.group).attrs)
    except (KeyError, FileNotFoundError):
        return False
    return attrs.get("made_of") == job.told() and attrs.get("complete") is True


def _prepare(job: _Job, source: xarray.DataArray) -> None:
    """Makes the arrays of the results, unless an earlier run has."""
    _results.cache_clear()
    _source.cache_clear()
    try:
        root = _open(job)
        if job.resume and job.group in root and dict(root[job.group].attrs).get("made_of") == job.told():
            _open(job, path=job.group).require_group(_KEPT)
            return
        if job.group in root and "made_of" not in root[job.group].attrs:
            raise ValueError(_not_ours(job.url, job.group))
        group = root.create_group(job.group, overwrite=True, attributes={"Conventions": "CF-1.10", "complete": False})
        _arrays(job, group, root, source)
        group.create_group(_KEPT)
        # last: a run that ends before this begins anew
        group.attrs["made_of"] = job.told()
    except PermissionError as error:
        raise OSError(f"{job.url}: results cannot be written there ({error})") from error


def _not_ours(url: str, group: str) -> str:
    return f"{url}: {group!r} is there and was not made by this function; say group=another name"


def _arrays(job: _Job, group: Any, root: Any, source: xarray.DataArray) -> None:
    dims = [str(dim) for dim in source.dims]
    mapping = {"grid_mapping": "spatial_ref"} if "spatial_ref" in source.coords else {}
    for name in [*dims, "spatial_ref"]:
        if name in source.coords:
            values = np.asarray(source.coords[name].values)
            attrs = dict(root[name].attrs) if name in root else dict(source.coords[name].attrs)
            group.create_array(
                name, data=values, dimension_names=[name] if values.ndim else None, attributes=attrs, overwrite=True
            )
    count = "uint32" if math.prod(job.shape) < 2**32 else "uint64"
    about: dict[str, tuple[str, Any, dict[str, Any]]] = {
        "filled": ("float32", math.nan, {"long_name": "elevation without depressions", "units": "m"}),
        "flow_direction": (
            "uint8",
            255,
            {
                "long_name": "direction of flow; 255 where it leaves, and where there is no data",
                "flag_values": list(range(8)),
                "flag_meanings": "N NE E SE S SW W NW",
            },
        ),
        "accumulation": (count, 0, {"long_name": "cells whose water passes; 0 where there is no data", "units": "1"}),
        "basin": (count, 0, {"long_name": "number of the basin; 0 where there is no data"}),
    }
    chunks = [side if side % _CHUNK or side == _CHUNK else _CHUNK for side in job.tile]
    for name, (kind, nothing, attrs) in about.items():
        group.create_array(
            name,
            shape=job.shape,
            dtype=kind,
            chunks=chunks,
            shards=None if tuple(chunks) == job.tile else job.tile,
            fill_value=nothing,
            dimension_names=dims,
            attributes={**attrs, **mapping},
        )


def _finish(job: _Job, tables: list[np.ndarray]) -> None:
    """Writes the table of basins, and that all is done."""
    parts = [table[1:].reshape(5, -1) for table in tables]
    table = np.concatenate(parts, axis=1)
    table = table[:, np.argsort(table[0], kind="stable")]
    group = _results(job)
    count = group["basin"].dtype
    columns: dict[str, tuple[np.ndarray, dict[str, str]]] = {
        _BASINS: (table[0].astype(count), {"long_name": "number of the basin"}),
        "outlet_row": (table[1].astype(np.uint32), {"long_name": "row of the cell where its water leaves"}),
        "outlet_col": (table[2].astype(np.uint32), {"long_name": "column of the cell where its water leaves"}),
        "basin_cells": (table[3].astype(count), {"long_name": "cells of the basin", "units": "1"}),
        "basin_area": (table[4].view(np.float64), {"long_name": "area of the basin", "units": "m2"}),
    }
    for name, (values, attrs) in columns.items():
        chunk = (min(max(len(values), 1), 1 << 20),)
        array = group.create_array(
            name,
            shape=values.shape,
            dtype=values.dtype,
            chunks=chunk,
            dimension_names=[_BASINS],
            attributes=attrs,
            overwrite=True,
        )
        if len(values):
            array[:] = values
    group.attrs["complete"] = True
    del group[_KEPT]
    zarr = need("zarr", "terrane.dask")
    if _is_consolidated(job):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            zarr.consolidate_metadata(_open(job).store)


def _is_consolidated(job: _Job) -> bool:
    zarr = need("zarr", "terrane.dask")
    root = zarr.open_group(job.url, mode="r", storage_options=job.options or None)
    return root.metadata.consolidated_metadata is not None


def _lazily(job: _Job) -> xarray.Dataset:
    xarray = need("xarray", "terrane.dask")
    rows, cols = job.tile
    dims = [str(dim) for dim in _dataset(job.url, job.options)[job.elevation].dims]
    made = xarray.open_zarr(
        job.url,
        group=job.group,
        chunks={dims[0]: rows, dims[1]: cols},
        consolidated=False,
        storage_options=job.options or None,
    )
    return made.set_coords("spatial_ref") if "spatial_ref" in made else made
