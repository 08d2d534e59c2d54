"""Packages that not everybody has, asked for where they are needed."""

from __future__ import annotations

import importlib
from typing import Any

_EXTRA = {
    "xarray": "xarray",
    "geopandas": "geo",
    "shapely": "geo",
    "matplotlib.pyplot": "plot",
    "matplotlib.colors": "plot",
    "dask": "dask",
    "distributed": "dask",
    "zarr": "dask",
    "fsspec": "dask",
}


def need(module: str, what: str) -> Any:
    """The module, or an error that says what it is for and how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.split(".")[0]
        raise ImportError(f"{what} needs {package}: pip install 'terrane[{_EXTRA[module]}]'") from error
