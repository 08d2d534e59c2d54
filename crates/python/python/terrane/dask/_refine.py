"""Regions as Zarr stores, one task a shard."""

from __future__ import annotations

import operator
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from .. import _terrane
from .._progress import Progress, told
from ..world import Lattice, Window, World
from ._place import memory, named, place
from ._shipped import By, Shipped, shipped
from ._target import Target, target
from ._tasks import Crew

if TYPE_CHECKING:
    import xarray

#: Samples of a task at least, so that what a scheduler needs for it is little beside it.
_SAMPLES = 1 << 20
#: Shards of an overview of a task.
_HALVED = 4
#: What says what a store is; it is written last.
_WHOLE = "zarr.json"


@dataclass(frozen=True)
class Refined:
    """What :func:`refine` has done."""

    #: The store.
    target: Target
    #: Shards that were made, and that were there.
    made: int
    there: int
    #: Samples that were made, of each layer.
    samples: int
    #: From the first task to the end of the last, and the sum over tasks.
    seconds: float
    task_seconds: float
    #: Samples along a side of a shard.
    shard: int
    #: Coarser levels that there are.
    overviews: int = 0

    @property
    def samples_per_second(self) -> float:
        """Samples made in a second, by all processes together."""
        return self.samples / self.seconds if self.seconds > 0 else 0.0

    def open(self, level: int = 0) -> xarray.Dataset:
        """The store as a Dataset of dask arrays, a block a shard; level k is the overview at 1/2^k of the size.

        Raises
        ------
        ValueError
            There is no such level.
        """
        if not 0 <= level <= self.overviews:
            raise ValueError(f"level {level}: the store has levels 0 to {self.overviews}")
        found: xarray.Dataset = self.target.open(None if level == 0 else str(level), self.shard)
        return found


@dataclass(frozen=True)
class _Spec:
    """What the shards of a store are; small, so that it can go with every task."""

    lattice: Lattice
    window: Window
    layers: list[str]
    method: str
    texture: bool
    side: int
    digest: str
    #: Bytes that a shard may take; half of the memory of whatever machine makes it if nothing is said.
    max_memory: int | None = field(compare=False)

    def shards(self, world: World) -> _terrane.Shards:
        return world._core.shards(
            self.lattice,
            self.window,
            self.layers,
            self.method,
            self.texture,
            self.side,
            self.digest,
            memory(self.max_memory),
        )


def refine(
    world: World,
    store: str | os.PathLike[str],
    *,
    bbox: Sequence[float] | None = None,
    center: Sequence[float] | None = None,
    span: float | Sequence[float] | None = None,
    resolution: float,
    layers: Sequence[str] = ("elevation",),
    method: Literal["drainage", "classic"] = "drainage",
    texture: bool = True,
    shard: int = 2048,
    resume: bool = True,
    overviews: bool = False,
    by: By | None = None,
    storage_options: Mapping[str, Any] | None = None,
    max_memory_gb: float | None = None,
    progress: Progress = False,
) -> Refined:
    """Refine a region into a Zarr 3 store: on the cluster of this process's ``distributed.Client`` if there is one, else by
    the scheduler that Dask is set to.

    First the store is begun: coordinates, reference system, what each layer is. Then every task makes one shard of all
    layers and writes it. A shard is a function of world and place, so a task that is done twice, or by another machine,
    gives the same bytes, and ``terrane refine --shard`` gives them too: both may work on one store.

    Parameters
    ----------
    store
        A path, or an URL of anything that fsspec knows: ``s3://bucket/planet.zarr``.
    bbox, center, span, resolution, layers, method, texture
        As in :meth:`terrane.World.region`; the whole world if no place is named.
    shard
        Samples along a side of a shard, a multiple of 512. A task holds a shard of all layers in memory.
    resume
        Whether shards that are there already are kept. A store that was begun for another region is refused either way.
    overviews
        Whether coarser levels are added, each half as large as the one before, as groups "1", "2" ... of the store.
    by
        How the world travels, as in :func:`terrane.dask.lazy`.
    storage_options
        What fsspec needs to reach the store: keys, an endpoint.
    max_memory_gb
        What one shard may take; half of the memory of the machine that makes it if nothing is said.
    progress
        As in :func:`terrane.generate`.

    Raises
    ------
    ValueError
        A region that cannot be meant, or a store that holds another one.
    OSError
        The store cannot be written.
    """
    lattice, window = place(world, bbox, center, span, resolution)
    names, side = named(layers), operator.index(shard)
    if side < 1:
        raise ValueError(f"shard={shard}: a multiple of 512 samples was expected")
    limit = None if max_memory_gb is None else memory(max_memory_gb * 1e9)
    spec = _Spec(lattice, window, names, method, texture, side, world.info()["digest"], limit)
    place_of_store = target(store, storage_options)
    work = _Work(spec, place_of_store, spec.shards(world), world, by, resume)
    with told(progress) as tell:
        return work.done(overviews, tell or (lambda _stage, _share: None))


@dataclass
class _Work:
    """A store on its way, in the process that asked for it."""

    spec: _Spec
    target: Target
    shards: _terrane.Shards
    world: World
    by: By | None
    resume: bool

    def done(self, overviews: bool, tell: Callable[[str, float], object]) -> Refined:
        """Does all; the store is checked at the end, too, for another program may have begun another one in its place."""
        shards = self.shards
        _begin(self.target, shards)
        crew, due = Crew(), self.due(0)
        bundle = max(1, _SAMPLES // shards.side**2)
        tasks = [(due[k : k + bundle],) for k in range(0, len(due), bundle)]
        # where nothing is to be done nothing travels
        brought = crew.brought(shipped(self.world, self.by)) if tasks or overviews else None
        shared = (brought, self.spec, self.target)
        start = time.perf_counter()
        samples, task_seconds = 0, 0.0
        for done, (_, (of_task, seconds)) in enumerate(crew.run(_make, shared, tasks), 1):
            samples += of_task
            task_seconds += seconds
            tell("refining", done / len(tasks))
        seconds = time.perf_counter() - start
        if overviews:
            self.halve(crew, shared, tell)
        _check(self.target, shards)
        return Refined(
            self.target,
            made=len(due),
            there=shards.count(0) - len(due),
            samples=samples,
            seconds=seconds,
            task_seconds=task_seconds,
            shard=shards.side,
            overviews=shards.levels - 1 if overviews else 0,
        )

    def due(self, level: int) -> list[int]:
        """The shards of a level that are to be made."""
        return _missing(self.target, self.shards, level) if self.resume else list(range(self.shards.count(level)))

    def halve(self, crew: Crew, shared: Sequence[object], tell: Callable[[str, float], object]) -> None:
        """Makes the coarser levels, and says of them in the store when they are there."""
        levels = self.shards.levels
        for level in range(1, levels):
            due = self.due(level)
            tasks = [(level, due[k : k + _HALVED]) for k in range(0, len(due), _HALVED)]
            for _ in crew.run(_halve, shared, tasks):
                pass
            tell("overviews", level / (levels - 1))
        found = self.target.read(_WHOLE)
        template = self.shards.template(levels, found)
        if template[-1][1] != found:
            self.target.put(template)


def _begin(target: Target, shards: _terrane.Shards) -> None:
    """Writes all of a store but its shards, or makes sure that it was begun for the same region."""
    if target.find(_WHOLE) is None:
        template = shards.template(1)
        _check_free(target, dict(template))
        target.put(template)
    # when it was just begun, too: another program may have begun another region at the same moment
    _check(target, shards)


def _check(target: Target, shards: _terrane.Shards) -> None:
    """Makes sure that a store was begun for the same region."""
    try:
        shards.matches(target.read(_WHOLE))
    except ValueError as error:
        raise ValueError(f"{target.store}: {error}") from None


def _check_free(target: Target, template: Mapping[str, bytes]) -> None:
    """Makes sure that there is nothing yet, or what a program wrote that was ended while it began."""
    for key in sorted(target.keys()):
        if key.endswith(".part"):
            continue
        if key not in template:
            raise ValueError(f"{target.store} holds {key}, and no {_WHOLE}: it is no store; name another")
        if target.find(key) not in (template[key], None):
            raise ValueError(f"{target.store} holds another {key}, and no {_WHOLE}: name another store")


def _missing(target: Target, shards: _terrane.Shards, level: int) -> list[int]:
    """The shards of a level that are not there for all layers."""
    first = shards.keys(level, 0)
    there = set().union(*(target.keys(key.rsplit("/", 2)[0]) for key in first))
    return [number for number in range(shards.count(level)) if not there.issuperset(shards.keys(level, number))]


def _make(world: Shipped, spec: _Spec, target: Target, numbers: list[int]) -> tuple[int, float]:
    """Makes some shards; returns samples and seconds."""
    start = time.perf_counter()
    opened = world.open()
    shards = spec.shards(opened)
    for number in numbers:
        target.put(opened._core.shard(shards, number))
    return sum(map(shards.samples, numbers)), time.perf_counter() - start


def _halve(world: Shipped, spec: _Spec, target: Target, level: int, numbers: list[int]) -> None:
    """Makes some shards of an overview."""
    shards = spec.shards(world.open())
    for number in numbers:
        target.put(shards.overview(level, number, target.read))
