"""Worlds that are larger than a machine: regions refined and analysed on Dask.

A region is a pure function of world, place and resolution, so its pieces can be made anywhere, in any order, and twice if
need be; the bytes are the same.

>>> import terrane, terrane.dask
>>> world = terrane.open("world.terrane")  # doctest: +SKIP
>>> sheet = terrane.dask.lazy(world, bbox=(6, 44, 14, 48), resolution=90)  # an xarray.Dataset of blocks  # doctest: +SKIP
>>> land = "s3://bucket/land.zarr"
>>> terrane.dask.refine(world, land, bbox=(0, 0, 45, 45), resolution=90, overviews=True)  # doctest: +SKIP
>>> terrane.dask.hydrology(land, sea=0)  # doctest: +SKIP

Tasks go to the cluster of this process's ``distributed.Client``, if there is one; else to the scheduler that Dask is set to,
threads or processes of this machine.
"""

from __future__ import annotations

from ._hydrology import hydrology
from ._lazy import lazy
from ._refine import Refined, refine

__all__ = ["Refined", "hydrology", "lazy", "refine"]
