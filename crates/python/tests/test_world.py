"""Worlds: the same bits as in Rust, units, coordinates, files, errors."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import terrane
import tomllib

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(("name", "recipe", "cells"), [("globe", "earthlike", 32), ("flat", "island", 64)])
def test_digests_are_those_of_rust(name: str, recipe: str, cells: int) -> None:
    golden = tomllib.loads((ROOT / "data/golden.toml").read_text())["worlds"][name]
    assert terrane.generate(recipe=recipe, cells=cells).info()["digest"] == golden


def test_a_saved_world_is_the_same(world: terrane.World, tmp_path: Path) -> None:
    path = tmp_path / "world.terrane"
    assert world.save(path) == path.stat().st_size
    again = terrane.open(path)
    assert again.path == path and world.path is None
    assert again.info() == world.info() and again.recipe == world.recipe and again.tables == world.tables
    assert list(again.layers) == list(world.layers)
    for name in ("base_elevation", "receiver", "rain_07"):
        assert (again.array(name) == world.array(name)).all()
    # copied from file to file, and made again from its recipe
    again.save(tmp_path / "copy.terrane")
    assert terrane.open(tmp_path / "copy.terrane").info()["digest"] == world.info()["digest"]
    assert terrane.generate(recipe=world.recipe).info()["digest"] == world.info()["digest"]
    asked = {"center": (20, 40), "span": 30_000, "resolution": 200, "layers": ["elevation", "discharge", "basin"]}
    assert again.region(**asked).identical(world.region(**asked))


def test_layers_have_units_and_places(world: terrane.World, flat: terrane.World) -> None:
    layer = world.layers["base_elevation"]
    assert layer.shape == (6, 64, 64) and layer.dtype == np.float32 and layer.attrs["units"] == "m"
    assert layer.dims == ("face", "row", "col")
    # the middle of the first face is at longitude 0 on the equator, and north is up
    assert abs(float(layer.lon[0, 32, 32])) < 1.0 and float(layer.lat[0, 0, 32]) > 40
    assert float(layer.lat.max()) > 88 and float(layer.lat.min()) < -88
    assert set(world.layers) >= {"koppen", "discharge", "temperature_12"} and len(world.layers) > 40
    x = flat.layers["rain"].x
    width, _ = flat.info()["extent_m"]
    assert 0 < float(x.min()) < float(x.max()) < width
    assert "base_elevation [m]" in repr(world.layers)


def test_regions_have_coordinates_and_a_reference_system(world: terrane.World) -> None:
    pyproj = pytest.importorskip("pyproj")
    part = world.region((10, 40, 12, 41), resolution=2000, layers=["elevation", "temperature", "flow_direction"])
    assert part.elevation.dims == ("lat", "lon") and part.elevation.dtype == np.float32
    assert part.temperature.attrs["units"] == "degC" and part.flow_direction.attrs["units"] == "1"
    assert 40 <= float(part.lat.min()) and float(part.lat.max()) <= 41 and part.lat[0] > part.lat[-1]
    step = float(part.lon[1] - part.lon[0])
    assert step == pytest.approx(np.degrees(2000 / 6_371_000))
    west, width, _, north, _, height = map(float, part.spatial_ref.attrs["GeoTransform"].split())
    assert (west, north) == pytest.approx((float(part.lon[0]) - step / 2, float(part.lat[0]) + step / 2))
    assert (width, height) == pytest.approx((step, -step))
    assert pyproj.CRS.from_wkt(part.spatial_ref.attrs["crs_wkt"]).is_geographic
    near = world.region(center=(11, 40.5), span=(20_000, 10_000), resolution=500)
    assert near.elevation.dims == ("y", "x") and near.elevation.shape in [(20, 40), (20, 41), (21, 40), (21, 41)]
    crs = pyproj.CRS.from_wkt(near.spatial_ref.attrs["crs_wkt"])
    lon, lat = pyproj.Transformer.from_crs(crs, crs.geodetic_crs, always_xy=True).transform(
        float(near.x.mean()), float(near.y.mean())
    )
    assert (lon, lat) == pytest.approx((11, 40.5), abs=0.005)
    for made, name in ((part, "latitude_longitude"), (near, "transverse_mercator")):
        about = made[made.elevation.attrs["grid_mapping"]].attrs
        assert about["grid_mapping_name"] == name and about["earth_radius"] == 6_371_000
        # the parameters alone say it, too
        plain = {key: value for key, value in about.items() if key not in ("crs_wkt", "spatial_ref")}
        assert pyproj.CRS.from_cf(plain).is_geographic == (made is part)
    parameters = pyproj.CRS.from_cf(plain).to_dict()
    assert (parameters["proj"], parameters["lon_0"], parameters["lat_0"]) == ("tmerc", 11, 41), parameters


def test_a_flat_map_has_no_reference_system(flat: terrane.World) -> None:
    part = flat.region((0, 0, 50_000, 50_000), resolution=5000)
    assert "grid_mapping" not in part.elevation.attrs and "GeoTransform" in part.spatial_ref.attrs


def test_an_imported_map_has_the_coordinates_of_its_raster(flat: terrane.World, tmp_path: Path) -> None:
    program = os.environ.get("TERRANE")
    if not program:
        pytest.skip("TERRANE does not name the program")
    geopandas = pytest.importorskip("geopandas")
    flat.save(tmp_path / "flat.terrane")
    box = (200_000, 300_000, 1_000_000, 900_000)
    asked = ["--bbox", ",".join(map(str, box)), "--resolution", "10000", "-o", tmp_path / "part.tif", "--quiet"]
    subprocess.run([program, "region", tmp_path / "flat.terrane", *asked], check=True)
    subprocess.run([program, "import", tmp_path / "part.tif", "-o", tmp_path / "part.terrane", "--quiet"], check=True)
    part = terrane.open(tmp_path / "part.terrane")
    west, south, east, north = part.info()["bounds"]
    # samples become cells: half of one lies beyond each border of the box
    assert np.allclose((west, south, east, north), (195_000, 295_000, 1_005_000, 905_000))
    x, y = part.centers()
    assert west < x.min() and x.max() < east and south < y.min() and y.max() < north
    inner = (500_000, 450_000, 700_000, 650_000)
    region = part.region(inner, resolution=5000)
    assert region.x.min() >= 500_000 and region.x.max() <= 700_000 and region.y.max() <= 650_000
    first = np.array(region.spatial_ref.attrs["GeoTransform"].split(), float)
    assert np.allclose(first[[0, 3]], (region.x.min() - 2500, region.y.max() + 2500))
    around = part.region(center=(600_000, 500_000), span=50_000, resolution=5000)
    assert abs(around.x.mean() - 600_000) < 5000 and abs(around.y.mean() - 500_000) < 5000
    # the land that the raster holds there, and not what lies as far from its corner
    same = flat.region(inner, resolution=5000)
    same = same.sel(x=region.x, y=region.y, method="nearest")
    assert np.corrcoef(same.elevation.values.ravel(), region.elevation.values.ravel())[0, 1] > 0.8
    rivers = part.rivers()
    assert isinstance(rivers, geopandas.GeoDataFrame) and len(rivers) > 0
    low_x, low_y, high_x, high_y = rivers.total_bounds
    assert west <= low_x and south <= low_y and high_x <= east and high_y <= north


def test_overlaps_are_equal(world: terrane.World) -> None:
    layers = ["elevation", "water_depth", "discharge"]
    one = world.region((14, 40, 15, 41), resolution=1000, layers=layers)
    two = world.region((14.3, 40.2, 15.7, 40.9), resolution=1000, layers=layers)
    common = one.isel(lat=one.lat.isin(two.lat), lon=one.lon.isin(two.lon))
    other = two.isel(lat=two.lat.isin(one.lat), lon=two.lon.isin(one.lon))
    assert common.elevation.size > 4000
    assert common.drop_vars("spatial_ref").equals(other.drop_vars("spatial_ref"))


def test_boxes_may_cross_the_antimeridian(world: terrane.World) -> None:
    part = world.region((179, 0, -179, 1), resolution=5000)
    assert float(part.lon.min()) >= 179 and float(part.lon.max()) <= 181 and part.lon.size > 40


def test_the_program_gives_the_same_samples(world: terrane.World, tmp_path: Path) -> None:
    program = os.environ.get("TERRANE")
    if not program:
        pytest.skip("TERRANE does not name the program")
    path = tmp_path / "world.terrane"
    world.save(path)
    place = ["--at=30,20", "--span", "25,15", "--resolution", "100"]
    command = [program, "region", path, *place, "--layers", "elevation", "-o", tmp_path / "a.r32", "--quiet"]
    subprocess.run(command, check=True)
    theirs = np.fromfile(tmp_path / "a.r32", dtype="<f4")
    ours = world.region(center=(30, 20), span=(25_000, 15_000), resolution=100).elevation.values
    assert theirs.size == ours.size and (theirs == ours.ravel()).all()


def test_rivers_are_lines_of_a_table(world: terrane.World) -> None:
    pytest.importorskip("geopandas")
    rivers = world.rivers()
    assert len(rivers) > 50 and rivers.crs.is_geographic
    assert (rivers.geom_type == "LineString").all() and rivers.is_valid.all()
    below = rivers.downstream.to_numpy()
    flows = below >= 0
    # discharge grows downstream, and lines meet where their reaches do
    assert (rivers.drainage_km2.to_numpy()[below[flows]] >= rivers.drainage_km2.to_numpy()[flows]).all()
    ends = rivers.geometry.apply(lambda line: line.coords[-1])
    starts = rivers.geometry.apply(lambda line: line.coords[0])
    assert all(ends[k] == starts[below[k]] for k in np.flatnonzero(flows))
    assert (rivers.order >= 1).all() and (rivers.river != "").any()


def test_tables(world: terrane.World) -> None:
    outlets = world.table("outlets")
    assert "outlets" in world.tables and len(outlets["name"]) == len(outlets["discharge"]) > 10
    with pytest.raises(KeyError, match="no table 'nothing'|no table \"nothing\""):
        world.table("nothing")


def test_score(world: terrane.World) -> None:
    rows = {row["figure"]: row for row in world.score()}
    land = rows["land_fraction"]
    assert land["low"] <= land["earth"] <= land["high"]
    assert land["passes"] == (land["low"] <= land["value"] <= land["high"])


def test_plots(world: terrane.World, flat: terrane.World) -> None:
    picture = world.plot(width=120).images[0].get_array()
    assert picture.shape[1] >= 119 and np.unique(picture.reshape(-1, 4), axis=0).shape[0] > 500
    assert flat.plot(width=60).images


def test_progress_is_told(world: terrane.World, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[tuple[str, float]] = []
    terrane.generate(cells=16, progress=lambda stage, share: told.append((stage, share)))
    assert len({stage for stage, _ in told}) > 5 and all(0 <= share <= 1 for _, share in told)
    world.region((0, 0, 1, 1), resolution=2000, progress=True)
    assert "refining" in capsys.readouterr().err


def test_threads_share_a_world_and_python_goes_on(world: terrane.World) -> None:
    asked = [((k, 30, k + 2, 32), 400) for k in range(0, 8, 2)]
    expected = [world.region(box, resolution=step) for box, step in asked]
    found: dict[int, object] = {}

    def work(k: int) -> None:
        box, step = asked[k]
        found[k] = world.region(box, resolution=step)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(asked))]
    for thread in threads:
        thread.start()
    ticks = 0
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.001)
        ticks += 1
    assert all(expected[k].identical(found[k]) for k in range(len(asked)))
    assert ticks > 5


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda w: w.region(resolution=10), "say where"),
        (lambda w: w.region((0, 0, 1, 1), center=(0, 0), span=1, resolution=10), "say where"),
        (lambda w: w.region((0, 1, 1, 0), resolution=10), "not below the north"),
        (lambda w: w.region((0, 0, 1), resolution=10), "4 finite numbers"),
        (lambda w: w.region((0, 0, 1, float("nan")), resolution=10), "4 finite numbers"),
        (lambda w: w.region((0, 0, 1, 91), resolution=10), "latitudes within -90 to 90"),
        (lambda w: w.region((0, 0, 1, 1), resolution=0), "the resolution is 0 m"),
        (lambda w: w.region((0, 0, 1, 1), resolution=1000, layers=["height"]), 'no layer "height"'),
        (lambda w: w.region((0, 0, 1, 1), resolution=1000, method="fast"), "drainage or classic"),
        (lambda w: w.region((0, 0, 1, 1), resolution=0.02), "at most 1073741824"),
        (lambda w: w.region((0, 0, 1, 1), resolution=20, max_memory_gb=0.1), "would fit|needs|memory"),
        (lambda w: w.region(center=(0, 0), span=-5, resolution=10), "positive number of metres"),
        (lambda _: terrane.generate(recipe="cells = ["), "line 1"),
        (lambda _: terrane.generate(changes={"plates.count": "many"}), "plates.count.*2 to 200"),
        (lambda _: terrane.generate(cells=1), "grid.cells"),
    ],
)
def test_what_cannot_be_meant_is_said(world: terrane.World, wrong: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wrong(world)  # type: ignore[operator]


def test_files_that_are_none(tmp_path: Path, world: terrane.World) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere.terrane"):
        terrane.open(tmp_path / "nowhere.terrane")
    other = tmp_path / "other.terrane"
    other.write_bytes(b"something else")
    with pytest.raises(terrane.WorldFileError, match="is not a world file"):
        terrane.open(other)
    path = tmp_path / "cut.terrane"
    world.save(path)
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(terrane.WorldFileError, match="cut"):
        terrane.open(path)
    with pytest.raises(OSError, match="no such folder|No such file"):
        world.save(tmp_path / "missing" / "world.terrane")
