"""Which samples of a world are wanted."""

from __future__ import annotations

from collections.abc import Sequence

from terrane import World
from terrane.world import Lattice, Window


def place(
    world: World,
    bbox: Sequence[float] | None,
    center: Sequence[float] | None,
    span: float | Sequence[float] | None,
    resolution: float,
) -> tuple[Lattice, Window]:
    """As ``World.region`` is asked; the whole world if no place is named."""
    if bbox is None and center is None and span is None:
        return (resolution, None), world._core.whole(resolution)
    lattice, bounds = world._place(bbox, center, span, resolution)
    return lattice, world._core.window(lattice, bounds)
