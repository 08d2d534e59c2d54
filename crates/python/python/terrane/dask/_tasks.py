"""Tasks on whatever Dask is set to."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .._optional import need
from ._shipped import Shipped, kept, removed_with

#: Tasks that are under way at once, for each thread.
_AHEAD = 4
#: How often the threads of a cluster are counted anew, in seconds: workers come and go.
_COUNTED = 5.0
#: How often a task is tried again that has failed.
_RETRIES = 2


class Crew:
    """Whoever does the tasks: the cluster of this process's ``distributed.Client``, if it has one; else the scheduler that
    Dask is set to."""

    def __init__(self) -> None:
        self.client = _client()
        self._there: dict[str, Any] = {}

    def brought(self, world: Shipped) -> Any:
        """A world brought to where the tasks are done, once to each process: what to give to tasks in its place."""
        if world.content is None:
            return world
        if self.client is None:
            # all on this machine: by a file
            return self._there.setdefault(world.digest, _in_a_file(world))
        if world.digest not in self._there:
            self._there[world.digest] = self.client.scatter(world, broadcast=True, hash=False)
        return self._there[world.digest]

    def run(
        self, work: Callable[..., Any], shared: Sequence[object], tasks: Sequence[Sequence[object]]
    ) -> Iterator[tuple[int, Any]]:
        """Calls ``work(*shared, *task)`` for each task; gives numbers of tasks and their results as they come."""
        if self.client is None:
            yield from _here(work, shared, tasks)
        elif tasks:
            yield from self._on_cluster(work, shared, tasks)

    def _on_cluster(
        self, work: Callable[..., Any], shared: Sequence[object], tasks: Sequence[Sequence[object]]
    ) -> Iterator[tuple[int, Any]]:
        number_of: dict[Any, int] = {}
        running = need("distributed", "work on a cluster").as_completed(with_results=True)
        given, counted, most = 0, -_COUNTED, 1
        while given < len(tasks) or number_of:
            if time.monotonic() - counted > _COUNTED:
                most, counted = _AHEAD * max(1, sum(self.client.nthreads().values())), time.monotonic()
            while given < len(tasks) and len(number_of) < most:
                future = self.client.submit(work, *shared, *tasks[given], pure=False, retries=_RETRIES)
                number_of[future.key] = given
                running.add(future)
                given += 1
            future, result = next(running)
            yield number_of.pop(future.key), result


def _here(
    work: Callable[..., Any], shared: Sequence[object], tasks: Sequence[Sequence[object]]
) -> Iterator[tuple[int, Any]]:
    dask = need("dask", "work in tasks")
    delayed = dask.delayed(work, pure=False, traverse=False)
    size = _AHEAD * int(need("dask.system", "work in tasks").CPU_COUNT)
    for first in range(0, len(tasks), size):
        some = tasks[first : first + size]
        yield from enumerate(dask.compute(*(delayed(*shared, *task) for task in some)), first)


def _in_a_file(world: Shipped) -> Shipped:
    """A world in a file that lives as long as this value."""
    assert world.content is not None
    path = kept(world.content)
    made = Shipped(world.digest, path)
    removed_with(made, path)
    return made


def _client() -> Any:
    """The client of a cluster, if this process has one."""
    try:
        return need("distributed", "work on a cluster").default_client()
    except (ImportError, ValueError):
        return None
