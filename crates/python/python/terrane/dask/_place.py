"""Which samples of a world are wanted."""

from __future__ import annotations

import math
from collections.abc import Sequence

from terrane import World
from terrane.world import Lattice, Window, _memory_limit


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
    return world._place(bbox, center, span, resolution)


def named(layers: Sequence[str] | str) -> list[str]:
    """Names of layers, of which there must be one at least; one may be given by itself."""
    names = [layers] if isinstance(layers, str) else list(layers)
    if not names:
        raise ValueError("layers: one at least was expected")
    return names


def memory(limit: float | None) -> int:
    """Bytes that something may take; half of this machine's memory if nothing is said."""
    if limit is None:
        return _memory_limit()
    if not (limit > 0 and math.isfinite(limit)):
        raise ValueError(f"max_memory_gb={limit / 1e9:g}: a positive number of GB was expected")
    return int(limit)
