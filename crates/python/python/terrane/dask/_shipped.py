"""A world on its way to the processes that work with it."""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import terrane
from terrane import World, _terrane

from .._optional import need

#: By which way a world travels: as the path of its file, or as the bytes of it.
By = Literal["path", "content"]

#: Worlds that this process has opened, by their digests; the latest last.
_OPENED: dict[str, World] = {}
_LOCK = threading.Lock()
#: A process keeps so many worlds open.
_MOST = 4


@dataclass(frozen=True)
class Shipped:
    """What a process needs to open a world: the path of its file, or what is in it."""

    digest: str
    path: str | None
    content: bytes | None = field(default=None, repr=False)

    def open(self) -> World:
        """The world, opened once in each process.

        Raises
        ------
        OSError
            The file cannot be read here.
        ValueError
            Another world is at its place here.
        """
        with _LOCK:
            world = _OPENED.pop(self.digest, None) or self._opened()
            _OPENED[self.digest] = world
            while len(_OPENED) > _MOST:
                del _OPENED[next(iter(_OPENED))]
            return world

    def _opened(self) -> World:
        _use_threads_of_worker()
        if self.content is not None:
            path = kept(self.content)
            world = terrane.open(path)
            removed_with(world, path)
            return world
        assert self.path is not None
        try:
            world = terrane.open(self.path)
        except OSError as error:
            hint = "the file must lie where every worker reads it, or travel with the work: by='content'"
            raise type(error)(f"{error} ({hint})") from error
        if world.info()["digest"] != self.digest:
            raise ValueError(f"{self.path} holds another world here than where the work was given out")
        return world


def shipped(world: World, by: By | None) -> Shipped:
    """A world made ready to travel: by its path if it has a file, else by what would be in it."""
    digest = world.info()["digest"]
    with _LOCK:
        # this process need not open it again
        _OPENED.setdefault(digest, world)
    by = by or ("content" if world.path is None else "path")
    if by == "path":
        if world.path is None:
            raise ValueError("the world is in memory: save it first, or let it travel by='content'")
        return Shipped(digest, os.path.abspath(world.path))
    if by != "content":
        raise ValueError(f"by={by!r}: path or content")
    if world.path is not None:
        return Shipped(digest, None, Path(world.path).read_bytes())
    with tempfile.TemporaryDirectory(prefix="terrane-") as folder:
        path = Path(folder) / "world.terrane"
        world.save(path)
        return Shipped(digest, None, path.read_bytes())


def kept(content: bytes) -> str:
    """A file with this content; with a worker of a cluster in the worker's own folder."""
    worker = _worker()
    folder = tempfile.mkdtemp(prefix="terrane-", dir=None if worker is None else worker.local_directory)
    path = os.path.join(folder, "world.terrane")
    _terrane.put(path, content)
    return path


def removed_with(value: object, path: str) -> None:
    """Removes a file and the folder that it is alone in when a value is gone, or the process ends."""
    weakref.finalize(value, _remove, path)


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.remove(path)
        os.rmdir(os.path.dirname(path))


def _worker() -> Any:
    """The worker of a cluster that this process is, if it is one."""
    try:
        return need("distributed", "work on a cluster").get_worker()
    except (ImportError, ValueError):
        return None


def _use_threads_of_worker() -> None:
    """A worker works with as many threads as the cluster has given it, not with all that the machine has."""
    worker = _worker()
    if worker is not None:
        _terrane.use_threads(worker.state.nthreads)
