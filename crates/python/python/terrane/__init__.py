"""Worlds with rivers that agree at every zoom.

>>> import terrane
>>> world = terrane.generate(seed=42, cells=32)
>>> world.info()["shape"]
(6, 32, 32)
>>> hills = world.region(center=(10, 20), span=40_000, resolution=500)
>>> hills["elevation"].shape
(81, 81)

`terrane.generate` makes a world, `terrane.open` opens the file of one; `World.region` refines any place of it to any
resolution, and `terrane.hydro` finds where water runs on any array of heights.
"""

from __future__ import annotations

from . import hydro
from ._terrane import ENGINE, WorldFileError, __version__
from .world import Layers, World, generate, open

__all__ = [
    "ENGINE",
    "Layers",
    "World",
    "WorldFileError",
    "__version__",
    "generate",
    "hydro",
    "open",
]
