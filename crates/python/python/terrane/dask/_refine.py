"""Regions as Zarr stores, one task a shard."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from .. import _terrane
from .._optional import need
from .._progress import Progress, told
from ..world import Lattice, Window, World, _memory_limit
from ._place import place
from ._shipped import By, Shipped, shipped
from ._target import Target

if TYPE_CHECKING:
    import xarray

#: Samples of a task at least, so that what a scheduler needs for it is little beside it.
_SAMPLES = 1 << 20
#: Tasks that a cluster is given at once, for each of its threads.
_AHEAD = 4
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
    #: Coarser levels.
    overviews: int = 0

    @property
    def samples_per_second(self) -> float:
        """Samples made in a second, by all processes together."""
        return self.samples / self.seconds if self.seconds > 0 else 0.0

    def open(self, level: int = 0) -> xarray.Dataset:
        """The store as a Dataset of dask arrays; level k is the overview at 1/2^k of the size."""
        found: xarray.Dataset = self.target.open(None if level == 0 else str(level))
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
    max_memory: int = field(compare=False)

    def shards(self, world: World) -> _terrane.Shards:
        return world._core.shards(
            self.lattice,
            self.window,
            self.layers,
            self.method,
            self.texture,
            self.side,
            self.digest,
            self.max_memory,
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
    """Refine a region into a Zarr 3 store, on whatever Dask is set to: a cluster, or this machine.

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
        What one shard may take; half of the machine's memory if nothing is said.
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
    limit = _memory_limit() if max_memory_gb is None else int(max_memory_gb * 1e9)
    spec = _Spec(lattice, window, list(layers), method, texture, shard, world.info()["digest"], limit)
    target = Target(os.fspath(store), dict(storage_options or {}))
    shards = spec.shards(world)
    _begin(target, shards)
    due = _missing(target, shards, 0) if resume else list(range(shards.count(0)))
    bundle = max(1, _SAMPLES // (shard * shard))
    tasks = [due[k : k + bundle] for k in range(0, len(due), bundle)]
    travelling = shipped(world, by)
    start = time.perf_counter()
    samples, task_seconds = 0, 0.0
    with told(progress) as tell:
        for done, (of_task, seconds) in enumerate(_run(_make, travelling, (spec, target), tasks), 1):
            samples += of_task
            task_seconds += seconds
            if tell is not None:
                tell("refining", done / len(tasks))
        seconds = time.perf_counter() - start
        if overviews:
            for level in range(1, shards.levels):
                missing = _missing(target, shards, level) if resume else list(range(shards.count(level)))
                of_level = [(level, [number]) for number in missing]
                for _ in _run(_halve, travelling, (spec, target), of_level):
                    pass
                if tell is not None:
                    tell("overviews", level / (shards.levels - 1))
            target.put(shards.template(shards.levels))
    return Refined(
        target,
        made=len(due),
        there=shards.count(0) - len(due),
        samples=samples,
        seconds=seconds,
        task_seconds=task_seconds,
        overviews=shards.levels - 1 if overviews else 0,
    )


def _begin(target: Target, shards: _terrane.Shards) -> None:
    """Writes all of a store but its shards, or makes sure that it was begun for the same region."""
    found = target.find(_WHOLE)
    if found is None:
        target.put(shards.template(1))
        return
    try:
        shards.matches(found)
    except ValueError as error:
        raise ValueError(f"{target.store}: {error}") from None


def _missing(target: Target, shards: _terrane.Shards, level: int) -> list[int]:
    """The shards of a level that are not there for all layers."""
    first = shards.keys(level, 0)
    there = set().union(*(target.keys(key.rsplit("/", 2)[0]) for key in first))
    return [number for number in range(shards.count(level)) if not there.issuperset(shards.keys(level, number))]


def _make(world: Shipped, shared: tuple[_Spec, Target], numbers: list[int]) -> tuple[int, float]:
    """Makes some shards; returns samples and seconds."""
    spec, target = shared
    start = time.perf_counter()
    opened = world.open()
    shards = spec.shards(opened)
    for number in numbers:
        target.put(opened._core.shard(shards, number))
    return sum(map(shards.samples, numbers)), time.perf_counter() - start


def _halve(world: Shipped, shared: tuple[_Spec, Target], task: tuple[int, list[int]]) -> None:
    """Makes some shards of an overview."""
    spec, target = shared
    level, numbers = task
    shards = spec.shards(world.open())
    for number in numbers:
        target.put(shards.overview(level, number, target.read))


def _run(
    work: Callable[[Shipped, Any, Any], Any],
    world: Shipped,
    shared: object,
    tasks: Iterable[object],
) -> Iterator[Any]:
    """The results of tasks, as they come."""
    client = _client()
    if client is None:
        dask = need("dask", "refinement in tasks")
        tasks = list(tasks)
        size = max(1, (os.cpu_count() or 1) * _AHEAD)
        delayed = dask.delayed(work, pure=False, traverse=False)
        for k in range(0, len(tasks), size):
            yield from dask.compute(*(delayed(world, shared, task) for task in tasks[k : k + size]))
        return
    as_completed = need("distributed", "work on a cluster").as_completed
    # once to each worker, not with each task
    there = client.scatter(world, broadcast=True, hash=False) if world.content is not None else world
    left = iter(tasks)
    threads = sum(client.nthreads().values()) or 1

    def given(task: object) -> Any:
        return client.submit(work, there, shared, task, pure=False, retries=2)

    running = as_completed([given(task) for task in itertools.islice(left, threads * _AHEAD)], with_results=True)
    for _, result in running:
        yield result
        for task in itertools.islice(left, 1):
            running.add(given(task))


def _client() -> Any:
    """The client of a cluster, if this process has one."""
    try:
        return need("distributed", "work on a cluster").default_client()
    except (ImportError, ValueError):
        return None
