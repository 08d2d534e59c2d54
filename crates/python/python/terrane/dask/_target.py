"""Where stores are kept: a folder, or whatever fsspec knows."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import _terrane
from .._optional import need

#: Here an object appears whole or not at all.
_WHOLE = {"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "oci", "r2", "memory"}


@dataclass(frozen=True)
class Target:
    """The place of a store: a path, or an URL with what is needed to reach it."""

    store: str
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def _reached(self) -> tuple[Any, str]:
        fsspec = need("fsspec", "a store")
        return fsspec.core.url_to_fs(self.store, **self.options)

    def _is_local(self, fs: Any) -> bool:
        return "file" in ((fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol)

    def read(self, key: str) -> bytes:
        """What is in an object.

        Raises
        ------
        FileNotFoundError
            There is none.
        """
        fs, root = self._reached()
        return bytes(fs.cat_file(f"{root}/{key}"))

    def find(self, key: str) -> bytes | None:
        """What is in an object, if it is there."""
        try:
            return self.read(key)
        except FileNotFoundError:
            return None

    def put(self, objects: list[tuple[str, bytes]]) -> None:
        """Writes objects one after another; each appears whole or not at all."""
        fs, root = self._reached()
        protocols = {fs.protocol} if isinstance(fs.protocol, str) else set(fs.protocol)
        for key, content in objects:
            path = f"{root}/{key}"
            if self._is_local(fs):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                _terrane.put(path, content)
            elif protocols & _WHOLE:
                fs.pipe_file(path, content)
            else:
                fs.makedirs(path.rsplit("/", 1)[0], exist_ok=True)
                # another program may write the same object
                temporary = f"{path}.{uuid.uuid4().hex}.part"
                fs.pipe_file(temporary, content)
                if fs.exists(path):
                    fs.rm_file(path)
                fs.mv(temporary, path)

    def keys(self, prefix: str = "") -> set[str]:
        """The keys of all objects below a prefix."""
        fs, root = self._reached()
        fs.invalidate_cache()
        root = root.rstrip("/")
        try:
            return {path[len(root) + 1 :] for path in fs.find(f"{root}/{prefix}".rstrip("/"))}
        except FileNotFoundError:
            return set()

    def open(self, group: str | None, side: int) -> Any:
        """The store, or a group of it, as a Dataset with blocks of a side."""
        xarray = need("xarray", "a store as a Dataset")
        options = dict(self.options) or None
        found = xarray.open_zarr(self.store, group=group, storage_options=options, chunks=None)
        return found.set_coords("spatial_ref").chunk({dim: side for dim in found.dims})


def target(store: str | os.PathLike[str], options: Mapping[str, Any] | None) -> Target:
    """The place that somebody names. A path is made whole, for workers may stand in another folder; a folder that is named
    as an address (``file://``) is its path."""
    name, given = os.fspath(store), dict(options or {})
    for local in ("file://", "local://"):
        # fsspec would not make the folder
        if name.startswith(local):
            name, given = name.removeprefix(local), {}
    if "://" not in name:
        name = os.path.abspath(os.path.expanduser(name))
    return Target(name, given)
