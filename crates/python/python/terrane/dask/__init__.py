"""Terrane on Dask: work on rasters larger than memory, on many workers."""

from __future__ import annotations

from ._hydrology import hydrology

__all__ = ["hydrology"]
