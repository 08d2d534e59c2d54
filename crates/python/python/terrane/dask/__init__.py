"""Worlds that are larger than a machine: regions refined and analysed on Dask.

A region is a pure function of world, place and resolution, so its pieces can be made anywhere, in any order, and twice if
need be; the bytes are the same.

>>> import terrane, terrane.dask
>>> world = terrane.open("world.terrane")  # doctest: +SKIP
>>> sheet = terrane.dask.lazy(world, bbox=(6, 44, 14, 48), resolution=90)  # an xarray.Dataset of blocks  # doctest: +SKIP
>>> terrane.dask.refine(world, "s3://bucket/planet.zarr", resolution=90, overviews=True)  # doctest: +SKIP
>>> terrane.dask.hydrology("s3://bucket/planet.zarr")  # doctest: +SKIP

Everything runs on whatever Dask is set to: threads or processes of this machine, or the ``distributed.Client`` of a cluster.
"""

from __future__ import annotations

from ._hydrology import hydrology
from ._lazy import lazy
from ._refine import Refined, refine

__all__ = ["Refined", "hydrology", "lazy", "refine"]
