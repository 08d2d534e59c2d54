"""Water in tiles on Dask, beside the same array in one piece."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import terrane
import terrane.dask
import xarray
import zarr
from terrane import hydro
from terrane.dask import _hydrology, hydrology

dask = pytest.importorskip("dask")


def fractal(seed: int, rows: int, cols: int) -> np.ndarray:
    """Ground with detail of all sizes, level in parts, with gaps for its sea or level ground there."""
    draw = np.random.default_rng(seed)
    y, x = np.fft.fftfreq(rows)[:, None], np.fft.fftfreq(cols)[None, :]
    size = np.hypot(y, x)
    size[0, 0] = 1
    waves = np.fft.fft2(draw.normal(size=(rows, cols))) * size**-1.6
    waves[0, 0] = 0
    heights = np.fft.ifft2(waves).real
    heights = np.round(heights / heights.std() * 30).astype(np.float32)
    heights[heights < -25] = np.nan if seed % 2 else -25
    return heights


def stored(path: Path, heights: np.ndarray, mode: Any = "w-", chunk: int = 64, **coords: Any) -> Path:
    rows, cols = heights.shape
    places = coords or {"y": 30.0 * -np.arange(rows), "x": 30.0 * np.arange(cols)}
    attrs = {"units": "m", "grid_mapping": "spatial_ref"}
    array = xarray.DataArray(heights, dims=tuple(places), coords=places, name="elevation", attrs=attrs)
    data = array.to_dataset().assign(spatial_ref=xarray.DataArray(0, attrs={"earth_radius": 5_000_000.0}))
    data.to_zarr(path, mode=mode, zarr_format=3, encoding={"elevation": {"chunks": (chunk, chunk)}})
    return path


def check(found: xarray.Dataset, path: Path, sea: float | None = None) -> None:
    given = xarray.open_zarr(path).load()
    heights = given["elevation"].assign_coords(spatial_ref=given["spatial_ref"])
    if sea is not None:
        heights = heights.where(heights > sea)
    filled = hydro.fill(heights)
    codes = hydro.directions(filled)
    assert found["filled"].dtype == np.float32
    assert np.array_equal(found["filled"].values, filled.values, equal_nan=True)
    assert found["flow_direction"].dtype == np.uint8
    assert np.array_equal(found["flow_direction"].values, codes.values)
    has_data = np.isfinite(heights.values)
    counts = np.where(has_data, hydro.accumulate(codes).values, 0)
    assert found["accumulation"].dtype == np.uint32
    assert np.array_equal(found["accumulation"].values, counts)
    numbers = hydro.basins(codes, data=has_data)
    numbers = getattr(numbers, "values", numbers)
    assert found["basin"].dtype == np.uint32
    assert np.array_equal(found["basin"].values, numbers)
    places = np.argwhere((codes.values == 255) & has_data)
    assert np.array_equal(np.stack([found["outlet_row"], found["outlet_col"]], axis=1), places)
    rows, cols = places.T
    assert np.array_equal(found["basin_cells"].values, counts[rows, cols])
    areas = hydro.accumulate(codes, hydro.areas(heights)).values[rows, cols]
    assert found["basin_area"].values == pytest.approx(areas)
    assert found["filled"].attrs["units"] == "m" and found["basin_area"].attrs["units"] == "m2"
    for dim in heights.dims:
        assert np.array_equal(found[dim], heights[dim])
    assert found["spatial_ref"].attrs["earth_radius"] == given["spatial_ref"].attrs.get("earth_radius")


@pytest.mark.parametrize(
    ("seed", "shape", "tile"),
    [
        (0, (97, 131), 40),
        (1, (97, 131), (33, 50)),
        (2, (64, 64), 16),
        (3, (120, 75), (1, 75)),
        (4, (50, 90), 512),
        (5, (31, 29), 3),
    ],
)
def test_tiles_are_the_whole(tmp_path: Path, seed: int, shape: tuple[int, int], tile: Any) -> None:
    path = stored(tmp_path / "ground.zarr", fractal(seed, *shape))
    with dask.config.set(scheduler="threads"):
        check(hydrology(path, tile=tile), path)


def test_degrees_are_cells_of_a_sphere(tmp_path: Path) -> None:
    heights = fractal(7, 90, 140)
    path = stored(tmp_path / "ground.zarr", heights, lat=70.0 - 0.1 * np.arange(90), lon=10 + 0.1 * np.arange(140))
    found = hydrology(path, tile=(37, 41))
    check(found, path)
    assert found["filled"].dims == ("lat", "lon") and found["lat"].attrs == {}


def test_shards_hold_whole_tiles(tmp_path: Path) -> None:
    path = stored(tmp_path / "ground.zarr", fractal(9, 1100, 1300))
    check(hydrology(path, tile=1024), path)
    array = zarr.open_array(path / "hydrology" / "filled", mode="r")
    assert array.shards == (1024, 1024) and array.chunks == (512, 512)
    # the store as a whole knows of the results, too
    assert "hydrology/filled" in zarr.open_group(path, mode="r")


def test_rivers_of_a_refined_store_end_at_the_sea(world: terrane.World, tmp_path: Path) -> None:
    path = tmp_path / "a.zarr"
    refined = terrane.dask.refine(world, path, bbox=(0, 0, 16, 12), resolution=2000, method="classic", shard=512)
    ground = refined.open()["elevation"].values
    assert 0.05 < (ground <= 0).mean() < 0.95
    found = hydrology(path, tile=300, sea=0, group="land")
    given = xarray.open_zarr(path)["elevation"].load()
    # of the radius that the store's reference system tells
    given = given.assign_coords(spatial_ref=((), 0, {"earth_radius": world.info()["radius_m"]}))
    land = given.where(given > 0)
    filled = hydro.fill(land)
    codes = hydro.directions(filled)
    assert np.array_equal(found["flow_direction"], codes)
    assert np.array_equal(found["accumulation"], np.where(land.notnull(), hydro.accumulate(codes), 0))
    assert found["basin_area"].values.sum() == pytest.approx(float(hydro.areas(land).where(land.notnull()).sum()))
    # another sea is another analysis, and the store can still be gone on with
    assert (hydrology(path, tile=300, sea=100, group="land")["accumulation"].values == 0).sum() > (ground <= 0).sum()
    assert terrane.dask.refine(world, path, bbox=(0, 0, 16, 12), resolution=2000, method="classic", shard=512).made == 0


def test_addresses_of_fsspec(tmp_path: Path) -> None:
    heights = fractal(17, 60, 70)
    path = stored(tmp_path / "ground.zarr", heights)
    check(hydrology(f"file://{path}", tile=25), path)
    there = "memory://terrane/ground.zarr"
    xarray.open_zarr(path).load().to_zarr(there, zarr_format=3)
    found = hydrology(there, tile=30)
    again = hydrology(path, tile=60, group="again")
    for name in again.variables:
        assert np.array_equal(found[name].values, again[name].values, equal_nan=name == "filled"), name


def test_workers_of_a_cluster(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    path = stored(tmp_path / "ground.zarr", fractal(11, 150, 170))
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster),
    ):
        check(hydrology(path, tile=64), path)


def test_workers_see_a_source_that_was_written_anew(tmp_path: Path) -> None:
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=1, processes=True, dashboard_address=None) as made, Client(made):
        for seed, chunk in ((21, 64), (23, 50)):
            heights = fractal(seed, 60, 70)
            path = stored(tmp_path / "ground.zarr", heights, mode="w", chunk=chunk)
            check(hydrology(path, tile=30, resume=False), path)


@pytest.mark.parametrize("stage", ["_spill", "_descend", "_visit", "_settle", "_sum"])
def test_a_run_that_was_cut_short_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
    path = stored(tmp_path / "ground.zarr", fractal(13, 100, 110))
    done: list[str] = []

    def dies(name: str, at: int) -> Any:
        before = getattr(_hydrology, name)

        def work(job: Any, tile: int, *more: Any) -> Any:
            if name == stage and tile == at:
                raise MemoryError("no more of it")
            done.append(name)
            return before(job, tile, *more)

        return work

    stages = ("_spill", "_descend", "_visit", "_settle", "_sum")
    with monkeypatch.context() as patch, dask.config.set(scheduler="synchronous"):
        for name in stages:
            patch.setattr(_hydrology, name, dies(name, 7))
        with pytest.raises(MemoryError):
            hydrology(path, tile=30)
    first = len(done)
    with monkeypatch.context() as patch, dask.config.set(scheduler="synchronous"):
        for name in stages:
            patch.setattr(_hydrology, name, dies(name, -1))
        told: list[tuple[str, float]] = []
        check(hydrology(path, tile=30, progress=lambda stage, share: told.append((stage, share))), path)
        assert told[0] == ("filling depressions", 0.0)
        tiles = 16
        # what was done is not done again, but for what is only looked at
        again = [name for name in done[first:] if name != "_visit"]
        before = [name for name in done[:first] if name != "_visit"]
        assert len(again) + len(before) == 4 * tiles
        done.clear()
        check(hydrology(path, tile=30), path)
        assert not done
        # other tiles, or what was said: all anew
        check(hydrology(path, tile=30, resume=False), path)
        assert len([name for name in done if name != "_visit"]) == 4 * tiles
        check(hydrology(path, tile=50), path)


def test_what_an_ended_task_left_half_written_is_done_again(tmp_path: Path) -> None:
    path = stored(tmp_path / "ground.zarr", fractal(15, 60, 60))
    hydrology(path, tile=30)
    group = zarr.open_group(path, mode="r+")["hydrology"]
    group.attrs["complete"] = False
    group["filled"][:30, :30] = 0.0
    # nothing was kept of what tiles have told; then a part of one message
    check(hydrology(path, tile=30), path)
    group.attrs["complete"] = False
    kept = group.create_group("_told", overwrite=True)
    kept.create_array("spilled-0", shape=(4,), dtype="uint32", fill_value=0)
    group["filled"][:30, :30] = 0.0
    check(hydrology(path, tile=30), path)


def test_what_cannot_be_meant_is_said(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no Zarr store"):
        hydrology(tmp_path / "nothing.zarr")
    heights = fractal(0, 20, 30)
    path = stored(tmp_path / "ground.zarr", heights)
    with pytest.raises(ValueError, match="no array 'height'; there are: elevation"):
        hydrology(path, elevation="height")
    for tile in (0, -3, 2.5, (3, 4, 5)):
        with pytest.raises(ValueError, match="a number of cells from 1 on"):
            hydrology(path, tile=tile)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a name of letters"):
        hydrology(path, group="../elsewhere")
    with pytest.raises(ValueError, match="was not made by this function"):
        hydrology(path, group="elevation")
    north = stored(tmp_path / "north.zarr", heights, y=np.arange(20.0), x=np.arange(30.0))
    with pytest.raises(ValueError, match="y runs the other way"):
        hydrology(north)
    around = stored(tmp_path / "round.zarr", heights, lat=80 - 8.0 * np.arange(20), lon=12.0 * np.arange(30))
    with pytest.raises(ValueError, match="wraps round"):
        hydrology(around)
    xarray.Dataset({"elevation": (("y", "x"), heights)}).to_zarr(tmp_path / "bare.zarr", zarr_format=3)
    with pytest.raises(ValueError, match="no coordinates 'y'"):
        hydrology(tmp_path / "bare.zarr")
    if os.geteuid() != 0:
        path.chmod(0o500)
        with pytest.raises(OSError, match="cannot be written"):
            hydrology(path)
