"""Regions as blocks that are refined when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._optional import need
from ..world import Lattice, Window, World, _dataset, _memory_limit
from ._place import named, place
from ._shipped import By, Shipped, shipped
from ._tasks import Crew

if TYPE_CHECKING:
    import xarray

#: Samples along a side of a block, if nobody says another number.
_SIDE = 1024


def lazy(
    world: World,
    bbox: Sequence[float] | None = None,
    *,
    center: Sequence[float] | None = None,
    span: float | Sequence[float] | None = None,
    resolution: float,
    layers: Sequence[str] = ("elevation",),
    method: Literal["drainage", "classic"] = "drainage",
    texture: bool = True,
    chunks: Any = _SIDE,
    by: By | None = None,
) -> xarray.Dataset:
    """A region whose blocks are refined when they are computed, by whatever Dask is set to.

    Parameters
    ----------
    bbox, center, span, resolution, layers, method, texture
        As in :meth:`terrane.World.region`; the whole world if no place is named.
    chunks
        Samples along the sides of a block (rows, columns), or one number for both, or whatever else Dask takes. Blocks of
        1024 by 1024 take about a second each; much smaller ones spend their time on what surrounds them.
    by
        How the world travels to the processes that refine: "path", for which its file must lie where all of them read it, or
        "content", the bytes of it, once to each. By its path if it has a file, if nothing is said.

    Returns
    -------
    A Dataset of (lat, lon) or (y, x) like that of ``region``, of float32 dask arrays. Its values are those of ``region``,
    bit for bit. All layers of a block are made at once; ask for those you need only.

    Raises
    ------
    ValueError
        As ``region`` does.
    """
    da = need("dask.array", "a lazy region")
    dask = need("dask", "a lazy region")
    lattice, window = place(world, bbox, center, span, resolution)
    names = named(layers)
    units = world._core.units(names)
    if method not in ("drainage", "classic"):
        raise ValueError(f"method {method!r}: drainage or classic")
    axes = world._core.axes(lattice, window)
    in_degrees = lattice[1] is None and world.info()["topology"] == "globe"
    if isinstance(chunks, Mapping):
        y, x = ("lat", "lon") if in_degrees else ("y", "x")
        chunks = (chunks.get(y, -1), chunks.get(x, -1))
    rows, columns = da.core.normalize_chunks(chunks, (window[3], window[2]), dtype=np.float32)
    crew = Crew()
    travelling = shipped(world, by)
    if crew.client is None:
        travelling = crew.brought(travelling)
    made = da.map_blocks(
        _block,
        # a value of its own in the graph, so that it goes once to each process
        dask.delayed(travelling, name=f"terrane-world-{travelling.digest}", traverse=False),
        (lattice, window, names, method, texture),
        chunks=((len(names),), rows, columns),
        dtype=np.float32,
        meta=np.empty((0, 0, 0), np.float32),
        name="terrane-" + dask.base.tokenize(travelling.digest, lattice, window, names, method, texture, rows, columns),
    )
    axes["layers"] = {name: (made[k], unit) for k, (name, unit) in enumerate(zip(names, units, strict=True))}
    return _dataset(axes, in_degrees, world.info())


def _block(
    world: Shipped,
    asked: tuple[Lattice, Window, list[str], str, bool],
    block_info: Mapping[Any, Any] | None = None,
) -> np.ndarray:
    """All layers of a block: layers x rows x columns."""
    assert block_info is not None
    (_, _), (top, bottom), (left, right) = block_info[None]["array-location"]
    lattice, (west, north, _, _), names, method, texture = asked
    window = (west + left, north - top, right - left, bottom - top)
    found = world.open()._core.region(lattice, window, names, method, texture, _memory_limit())
    return np.stack([values for values, _ in found["layers"].values()])
