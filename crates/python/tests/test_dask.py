"""Regions on Dask: blocks, stores, a cluster that loses a worker, a store on S3."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pytest
import terrane
import terrane.dask
import xarray
from terrane.dask import _shipped

#: 890 x 668 samples in four shards of 512.
ASKED: dict[str, Any] = {
    "bbox": (0, 0, 16, 12),
    "resolution": 2000,
    "layers": ["elevation", "order"],
    "method": "classic",
}


@pytest.fixture(scope="module")
def saved(world: terrane.World, tmp_path_factory: pytest.TempPathFactory) -> terrane.World:
    path = tmp_path_factory.mktemp("world") / "world.terrane"
    world.save(path)
    return terrane.open(path)


@pytest.fixture(scope="module")
def whole(saved: terrane.World) -> xarray.Dataset:
    return saved.region(**ASKED)


@pytest.fixture(scope="module")
def expected(saved: terrane.World, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of the store, made in one thread."""
    path = tmp_path_factory.mktemp("store") / "a.zarr"
    with dask.config.set(scheduler="synchronous"):
        terrane.dask.refine(saved, path, **ASKED, shard=512, overviews=True)
    return files(path)


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as made,
        Client(made) as client,
    ):
        yield client


@pytest.mark.parametrize("by", ["path", "content"])
def test_blocks_are_the_region(saved: terrane.World, whole: xarray.Dataset, by: str) -> None:
    blocks = saved.lazy(**ASKED, chunks=(256, 300), by=by)
    assert blocks["elevation"].chunks == ((256, 256, 156), (300, 300, 290))
    xarray.testing.assert_identical(blocks.compute(), whole)
    # a part of a layer needs the blocks under it only
    part = blocks["order"][300:310, 290:320]
    np.testing.assert_array_equal(part.compute(), whole["order"][300:310, 290:320])


def test_a_world_in_memory_travels_by_its_content(world: terrane.World, whole: xarray.Dataset) -> None:
    xarray.testing.assert_identical(terrane.dask.lazy(world, **ASKED).compute(), whole)
    with pytest.raises(ValueError, match="save it first"):
        terrane.dask.lazy(world, **ASKED, by="path")
    with pytest.raises(ValueError, match="path or content"):
        terrane.dask.lazy(world, **ASKED, by="post")  # type: ignore[arg-type]


def test_the_whole_world_if_no_place_is_named(saved: terrane.World, flat: terrane.World) -> None:
    planet = saved.lazy(resolution=200_000)["elevation"]
    assert planet["lon"][0] >= -180 and planet["lon"][-1] < 180 and planet.shape == (99, 200)
    island = terrane.dask.lazy(flat, resolution=50_000)["elevation"]
    width, height = flat.info()["extent_m"]
    assert island["x"][0] == 0 and island["x"][-1] <= width and island["y"][0] <= height
    assert np.isfinite(island.compute()).all()


def test_a_store_is_the_region(expected: dict[str, bytes], whole: xarray.Dataset, tmp_path: Path) -> None:
    for name, content in expected.items():
        path = tmp_path / "a.zarr" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    store = xarray.open_zarr(tmp_path / "a.zarr")
    for name in ("elevation", "order"):
        np.testing.assert_array_equal(store[name].values, whole[name].values)
    assert store["elevation"].attrs["units"] == "m"
    np.testing.assert_array_equal(store["lat"], whole["lat"])
    np.testing.assert_array_equal(store["lon"], whole["lon"])
    # an overview of heights is the mean of four, of orders the north-western one
    half = xarray.open_zarr(tmp_path / "a.zarr", group="1")
    mean = whole["elevation"].astype(float).coarsen(lat=2, lon=2, boundary="trim").mean().astype("float32")
    rows = mean.shape[0]
    np.testing.assert_array_equal(half["elevation"].values[:rows], mean.values)
    np.testing.assert_allclose(half["lat"][:rows], mean["lat"], atol=1e-12)
    np.testing.assert_array_equal(half["order"].values, whole["order"].values[::2, ::2])
    layout = store.attrs["multiscales"]["layout"]
    assert [level["asset"] for level in layout] == ["elevation", "1/elevation", "order", "1/order"]


def test_the_command_line_makes_the_same_store(saved: terrane.World, expected: dict[str, bytes], tmp_path: Path) -> None:
    program = os.environ.get("TERRANE")
    if not program:
        pytest.skip("TERRANE does not name the program")
    store = tmp_path / "a.zarr"
    line = [program, "refine", str(saved.path), "--out", str(store), "--bbox", "0,0,16,12", "--resolution", "2000"]
    line += ["--layers", "elevation,order", "--method", "classic", "--side", "512", "--quiet"]
    subprocess.run([*line, "--shard", "1/3"], check=True)
    # the rest from here, the overviews from there: one store
    made = terrane.dask.refine(saved, store, **ASKED, shard=512)
    assert (made.made, made.there) == (3, 1)
    subprocess.run([*line, "--overviews"], check=True)
    assert files(store) == expected


def test_what_is_there_is_kept(saved: terrane.World, expected: dict[str, bytes], tmp_path: Path) -> None:
    store = tmp_path / "a.zarr"

    class Enough(Exception):
        pass

    def stop(_stage: str, share: float) -> None:
        if share >= 0.5:
            raise Enough

    with dask.config.set(scheduler="synchronous"), pytest.raises(Enough):
        terrane.dask.refine(saved, store, **ASKED, shard=512, progress=stop)
    (store / "order/c/0/0").unlink(missing_ok=True)
    (store / "elevation/c/0/1").write_bytes(b"mine")
    made = terrane.dask.refine(saved, store, **ASKED, shard=512)
    assert made.made + made.there == 4 and made.made >= 1
    assert (store / "elevation/c/0/1").read_bytes() == b"mine"
    anew = terrane.dask.refine(saved, store, **ASKED, shard=512, resume=False, overviews=True)
    assert (anew.made, anew.there, anew.samples) == (4, 0, 890 * 668)
    assert files(store) == expected
    assert terrane.dask.refine(saved, store, **ASKED, shard=512, overviews=True).made == 0
    assert anew.open()["elevation"].shape == (668, 890) and anew.open(1)["order"].shape == (334, 445)


def test_a_store_of_something_else_is_refused(saved: terrane.World, tmp_path: Path) -> None:
    store = tmp_path / "a.zarr"
    few: dict[str, Any] = {**ASKED, "resolution": 20_000, "shard": 512}
    terrane.dask.refine(saved, store, **few)
    before = files(store)
    for change, why in (
        ({"resolution": 20_001}, "lattice"),
        ({"layers": ["elevation"]}, "layers"),
        ({"texture": False}, "texture"),
        ({"shard": 1024}, "shard"),
        ({"shard": 500}, "multiple of 512"),
        ({"layers": ["height"]}, "no layer"),
        ({"layers": ["rain", "rain"]}, "twice"),
        ({"bbox": (0, 0, 1)}, "bbox"),
        ({"method": "best"}, "drainage or classic"),
        ({"max_memory_gb": 0.001}, "memory|GB"),
    ):
        with pytest.raises(ValueError, match=why):
            terrane.dask.refine(saved, store, **{**few, **change})
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "zarr.json").write_text("{}")
    with pytest.raises(ValueError, match="not written for a region"):
        terrane.dask.refine(saved, tmp_path / "mine", **few)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OSError):
        terrane.dask.refine(saved, tmp_path / "file", **few)
    assert files(store) == before


def test_chunks_and_layers_in_the_words_of_dask(saved: terrane.World, whole: xarray.Dataset) -> None:
    asked = {**ASKED, "layers": "elevation"}
    for chunks in (np.int64(300), (300, -1), {"lat": 300}, "auto", ((300, 368), (890,))):
        blocks = saved.lazy(**asked, chunks=chunks)["elevation"]
        assert blocks.shape == (668, 890) and blocks.chunks[0][0] in (300, 668), chunks
    np.testing.assert_array_equal(saved.lazy(**asked, chunks={"lat": 300})["elevation"], whole["elevation"])
    for change, why in (({"layers": []}, "one at least"), ({"method": "best"}, "drainage or classic")):
        with pytest.raises(ValueError, match=why):
            saved.lazy(**{**ASKED, **change})


def test_a_store_keeps_what_others_add(saved: terrane.World, tmp_path: Path) -> None:
    store = tmp_path / "a.zarr"
    asked: dict[str, Any] = {**ASKED, "resolution": 8000, "shard": 512}
    terrane.dask.refine(saved, store, **{**asked, "resolution": 2000})
    water = terrane.dask.hydrology(store, sea=0, tile=400)
    terrane.dask.refine(saved, store, **{**asked, "resolution": 2000}, overviews=True)
    again = xarray.open_zarr(store, group="hydrology")
    np.testing.assert_array_equal(again["accumulation"], water["accumulation"])
    assert xarray.open_zarr(store, group="1")["elevation"].shape == (334, 445)
    # nothing is begun in what belongs to somebody else
    theirs = tmp_path / "theirs.zarr"
    xarray.Dataset({"elevation": (("lat", "lon"), np.ones((4, 4)))}).to_zarr(theirs, zarr_format=2)
    before = files(theirs)
    with pytest.raises(ValueError, match="no store; name another"):
        terrane.dask.refine(saved, theirs, **asked)
    assert files(theirs) == before


def test_worlds_that_are_gone_leave_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import gc

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for seed in range(6):
        made = terrane.generate(seed=seed, cells=16)
        made.lazy(bbox=(0, 0, 10, 10), resolution=20_000, method="classic").compute()
    del made
    gc.collect()
    assert len(list(tmp_path.iterdir())) <= 1


def test_a_world_is_opened_once_and_known_again(saved: terrane.World, tmp_path: Path) -> None:
    travelling = pickle.loads(pickle.dumps(_shipped.shipped(saved, "content")))
    assert travelling.open() is travelling.open()
    lost = _shipped.Shipped("another", str(tmp_path / "gone.terrane"))
    with pytest.raises(FileNotFoundError, match="by='content'"):
        lost.open()
    with pytest.raises(ValueError, match="another world"):
        _shipped.Shipped("another", str(saved.path)).open()


@pytest.mark.parametrize("by", ["path", "content"])
def test_a_cluster_makes_the_same_store(
    saved: terrane.World, expected: dict[str, bytes], whole: xarray.Dataset, cluster: Any, tmp_path: Path, by: Any
) -> None:
    made = terrane.dask.refine(saved, tmp_path / "a.zarr", **ASKED, shard=512, overviews=True, by=by)
    assert made.made == 4 and files(tmp_path / "a.zarr") == expected
    xarray.testing.assert_identical(saved.lazy(**ASKED, chunks=256, by=by).compute(), whole)
    # a worker has as many threads as the cluster gave it
    assert set(cluster.run(terrane._terrane.use_threads, 7).values()) == {1}


def test_workers_may_stand_in_another_folder(
    saved: terrane.World, expected: dict[str, bytes], cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert set(cluster.run(os.getcwd).values()) != {str(tmp_path)}
    terrane.dask.refine(saved, "a.zarr", **ASKED, shard=512, overviews=True)
    assert files(tmp_path / "a.zarr") == expected


def test_a_cluster_that_grows_is_used(saved: terrane.World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import Client, LocalCluster
    from terrane.dask import _tasks

    monkeypatch.setattr(_tasks, "_COUNTED", 0.0)
    seen: set[str] = set()
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None) as made,
        Client(made) as client,
    ):
        crew = _tasks.Crew()
        for done, (_, worker) in enumerate(crew.run(_where, (), [()] * 200)):
            if done == 0:
                made.scale(2)
                client.wait_for_workers(2)
            seen.add(worker)
    assert len(seen) == 2


def _where() -> str:
    import time

    from distributed import get_worker

    time.sleep(0.02)
    return str(get_worker().address)


def test_a_killed_worker_costs_nothing(saved: terrane.World, tmp_path: Path) -> None:
    from distributed import Client, LocalCluster

    asked = {**ASKED, "resolution": 700, "shard": 512}
    store = tmp_path / "a.zarr"
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as made,
        Client(made) as client,
    ):
        victim = next(iter(client.run(os.getpid).values()))
        begun = threading.Event()

        def kill() -> None:
            assert begun.wait(60)
            os.kill(victim, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        found = terrane.dask.refine(saved, store, **asked, progress=lambda _, __: begun.set())
        killer.join()
    assert found.made == 20
    one = tmp_path / "one.zarr"
    terrane.dask.refine(saved, one, **asked)
    assert files(store) == files(one)


def test_a_store_on_s3_has_the_same_bytes(
    saved: terrane.World, expected: dict[str, bytes], cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    s3fs = pytest.importorskip("s3fs")
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        options = {
            "key": "any",
            "secret": "any",
            "client_kwargs": {"endpoint_url": f"http://{host}:{port}", "region_name": "us-east-1"},
        }
        fs = s3fs.S3FileSystem(**options)
        fs.call_s3("create_bucket", Bucket="planets")
        asked: dict[str, Any] = {**ASKED, "shard": 512, "storage_options": options}
        made = terrane.dask.refine(saved, "s3://planets/a.zarr", **asked)
        assert made.made == 4
        fs.rm("planets/a.zarr/elevation/c/1/0")
        again = terrane.dask.refine(saved, "s3://planets/a.zarr", **asked, overviews=True)
        assert (again.made, again.there) == (1, 3)
        fs.invalidate_cache()
        there = {path.removeprefix("planets/a.zarr/"): fs.cat_file(path) for path in fs.find("planets/a.zarr")}
        assert there == expected
        assert again.open()["elevation"].shape == (668, 890)
    finally:
        server.stop()
