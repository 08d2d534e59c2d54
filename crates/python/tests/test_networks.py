"""Networks of streams: worked out by hand, beside slow versions, and beside what the program writes."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import terrane
import xarray
from terrane import hydro
from test_hydro import STEPS, ground
from test_spread import both_ways

#: Two brooks join, the longer one from the west; below a third comes in from the east. Water leaves to the south.
CODES = np.array(
    [
        [255, 255, 3, 255, 5],
        [2, 2, 2, 4, 255],
        [255, 255, 255, 4, 6],
        [255, 255, 255, 4, 255],
    ],
    dtype=np.uint8,
)
CODES[3, 3] = 255
STREAMS = np.zeros(CODES.shape, bool)
STREAMS[[0, 0, 1, 1, 1, 1, 2, 2, 3], [2, 4, 0, 1, 2, 3, 3, 4, 3]] = True


def test_orders_by_hand() -> None:
    def along(order: np.ndarray) -> list[int]:
        assert (order[~STREAMS] == 0).all()
        # the western brook, then the river down to the mouth; the heads to the north-west, north-east and east
        return order[[1, 1, 1, 1, 2, 3, 0, 0, 2], [0, 1, 2, 3, 3, 3, 2, 4, 4]].tolist()

    strahler, shreve = hydro.strahler(CODES, STREAMS), hydro.shreve(CODES, STREAMS)
    assert along(strahler) == [1, 1, 1, 2, 2, 2, 1, 1, 1] and strahler.dtype == np.uint8
    assert along(shreve) == [1, 1, 1, 3, 4, 4, 1, 1, 1] and shreve.dtype == np.uint32
    hack, horton = hydro.hack(CODES, STREAMS), hydro.horton(CODES, STREAMS)
    assert along(hack) == [1, 1, 1, 1, 1, 1, 2, 2, 2] and hack.dtype == np.uint16
    assert along(horton) == [2, 2, 2, 2, 2, 2, 1, 1, 1] and horton.dtype == np.uint8
    # another river is the main one where its area says so
    area = np.ones(CODES.shape)
    area[0, 4] = 100
    assert along(hydro.hack(CODES, STREAMS, area)) == [2, 2, 2, 1, 1, 1, 2, 1, 2]
    codes = hydro.pfafstetter(CODES, STREAMS, digits=1)
    # the mouth 1, the brook from the east 2, then 3, the two that join at one cell 4 and 6, and 7 the headwater
    assert codes[3, 3] == 1 and codes[2, 4] == 2 and codes[1, 1] == codes.max() == 7
    assert hydro.pfafstetter(CODES, STREAMS, digits=3)[2, 4] == 200


def test_lengths_and_chi_by_hand() -> None:
    diagonal = np.hypot(10, 20)
    up, down = hydro.upstream(CODES, cell=(10, 20)), hydro.downstream(CODES, cell=(10, 20))
    assert up[3, 3] == pytest.approx(3 * 10 + 2 * 20) and up[0, 0] == 0
    assert down[0, 2] == pytest.approx(diagonal + 2 * 20) and down[3, 3] == 0
    way = hydro.way_to_stream(CODES, STREAMS)
    assert (way[STREAMS] == 0).all() and np.isnan(way[0, 0])
    assert hydro.way_to_stream(CODES, STREAMS, undrained="end")[0, 0] == 0
    flat = hydro.chi(CODES, STREAMS, np.ones(CODES.shape), cell=(10, 20))
    assert flat[STREAMS] == pytest.approx(down[STREAMS])
    assert np.isnan(flat[~STREAMS]).all()
    quarter = hydro.chi(CODES, STREAMS, np.full(CODES.shape, 4.0), cell=(10, 20), concavity=0.5)
    assert quarter[STREAMS] == pytest.approx(flat[STREAMS] / 2)


def test_reaches_by_hand() -> None:
    heights = 100 - hydro.upstream(CODES).astype(np.float32)
    table = hydro.reaches(heights, CODES, STREAMS, cell=10.0)
    assert table["stream"].tolist() == [1, 2, 3, 4, 5, 6]
    # heads to the north-west and north-east, the western brook, the river, its lower part and the head to the east
    assert table["order"].tolist() == [1, 1, 1, 2, 2, 1]
    assert table["downstream"].tolist() == [4, 4, 4, 5, 0, 5]
    assert table["magnitude"].tolist() == [1, 1, 1, 3, 4, 1] and table["hack"].tolist() == [2, 2, 1, 1, 1, 2]
    assert table["length_km"] == pytest.approx([0.014142, 0.014142, 0.03, 0.01, 0.01, 0.01], rel=1e-4)
    assert table["drop_m"][2] == pytest.approx(3) and table["slope"][2] == pytest.approx(0.1)
    assert table["cells"].tolist() == [1, 1, 3, 6, 9, 1] and table["area_km2"][4] == pytest.approx(9e-4)
    assert len(np.unique(table["basin"])) == 1
    numbers = hydro.subbasins(CODES, STREAMS)
    assert numbers[1, 0] == 3 and numbers[3, 3] == 5 and numbers[0, 0] == 0


def test_lines_and_areas() -> None:
    geopandas = pytest.importorskip("geopandas")
    heights = 100 - hydro.upstream(CODES).astype(np.float32)
    table = hydro.reaches(heights, CODES, STREAMS, cell=10.0)
    lines = hydro.stream_lines(heights, CODES, STREAMS, cell=10.0)
    assert isinstance(lines, geopandas.GeoDataFrame) and len(lines) == 6 and lines.crs is None
    assert list(lines.geometry[2].coords) == [(5, -15), (15, -15), (25, -15), (35, -15)]
    assert (lines.length / 1000).to_numpy() == pytest.approx(table["length_km"]) and lines.is_valid.all()
    areas = hydro.polygons(hydro.subbasins(CODES, STREAMS), cell=10.0)
    assert areas.label.tolist() == [1, 2, 3, 4, 5, 6] and areas.is_valid.all()
    assert areas.area.to_numpy() == pytest.approx(areas.area_km2.to_numpy() * 1e6)
    assert areas.cells.sum() == STREAMS.sum()
    assert areas.geometry[2].bounds == (0, -20, 30, -10)
    # holes and parts
    labels = np.ones((3, 4), np.uint32)
    labels[1, 1], labels[2, 3] = 7, 0
    found = hydro.polygons(labels)
    assert found.label.tolist() == [1, 7] and found.cells.tolist() == [10, 1]
    assert found.area.tolist() == [10, 1] and len(found.geometry[0].geoms[0].interiors) == 1
    assert len(hydro.polygons(np.zeros((2, 2), np.uint32))) == 0
    empty = hydro.stream_lines(heights, CODES, np.zeros(CODES.shape, bool))
    assert len(empty) == 0 and "order" in empty
    # a mouth of one cell goes on out of the array, beside a gap it has no line
    alone = np.full((3, 3), 255, np.uint8)
    streams = np.zeros((3, 3), bool)
    streams[[0, 1], [1, 1]] = True
    short = hydro.stream_lines(np.zeros((3, 3)), alone, streams)
    assert short.stream.tolist() == [1] and list(short.geometry[0].coords) == [(1.5, -0.5), (1.5, 0.0)]


def slow_upstream(codes: np.ndarray, place: tuple[int, int]) -> np.ndarray:
    """All cells whose water passes a place."""
    found = np.zeros(codes.shape, bool)
    for start in np.ndindex(codes.shape):
        at = start
        while at != place and codes[at] != 255:
            at = (at[0] + STEPS[codes[at]][0], at[1] + STEPS[codes[at]][1])
        found[start] = at == place
    return found


def test_watersheds_points_and_profiles() -> None:
    surface = hydro.fill(ground(12), method="epsilon")
    codes = hydro.directions(surface)
    cells = hydro.accumulate(codes)
    place = tuple(int(k) for k in np.argwhere(cells == np.sort(cells.ravel())[-3])[0])
    labels = hydro.watersheds(codes, [place], snap=0)
    assert ((labels == 1) == slow_upstream(codes, place)).all() and labels.dtype == np.uint32
    # the greatest near by, and the nearest stream
    row, column = place
    (moved,) = hydro.snap(cells, [place], within=3)
    y, x = np.ogrid[: cells.shape[0], : cells.shape[1]]
    near = np.hypot(y - row, x - column) <= 3
    assert cells[moved] == cells[near].max()
    assert (hydro.watersheds(codes, [place], snap=3) == hydro.watersheds(codes, [moved], snap=0)).all()
    streams = cells >= 20
    (on_stream,) = hydro.snap_to_stream(streams, [(row, column)], within=20)
    assert streams[on_stream]
    down = hydro.profile(surface, codes, place)
    assert (down["row"][0], down["column"][0]) == place and codes[down["row"][-1], down["column"][-1]] == 255
    assert (np.diff(down["elevation_m"]) < 0).all() and (np.diff(down["area_m2"]) > 0).all()
    mouth = (int(down["row"][-1]), int(down["column"][-1]))
    for course in ("stem", "longest"):
        up = hydro.profile(surface, codes, mouth, course=course)  # type: ignore[arg-type]
        assert (up["row"][-1], up["column"][-1]) == mouth and cells[up["row"][0], up["column"][0]] == 1
    assert up["distance_m"][-1] == pytest.approx(hydro.upstream(codes)[mouth])
    # a place in coordinates, whichever way rows and columns run
    middle = surface.shape[0] // 2, surface.shape[1] // 2
    for turned in both_ways(surface):
        ways = hydro.directions(turned)
        x, y = 20.0 * middle[1], -30.0 * middle[0]
        found = hydro.profile(turned, ways, (x, y))
        assert (found["x"][0], found["y"][0]) == (x, y)
        assert turned.values[found["row"], found["column"]].tolist() == found["elevation_m"].tolist()
        assert (turned.y.values[found["row"]] == found["y"]).all() and (turned.x.values[found["column"]] == found["x"]).all()
        there = hydro.watersheds(ways, [(x, y)], snap=0)
        assert ((there.sortby("y", ascending=False).sortby("x") == 1).values == slow_upstream(codes, middle)).all()


def test_flips_give_the_same_network() -> None:
    pytest.importorskip("geopandas")
    first: dict[str, xarray.DataArray] = {}
    for surface in both_ways(hydro.fill(ground(15), method="epsilon")):
        codes = hydro.directions(surface)
        streams = hydro.accumulate(codes) >= 5
        found = {
            "shreve": hydro.shreve(codes, streams),
            "hack": hydro.hack(codes, streams),
            "pfafstetter": hydro.pfafstetter(codes, streams),
            "chi": hydro.chi(codes, streams),
            "upstream": hydro.upstream(codes),
            "downstream": hydro.downstream(codes),
            "subbasins": hydro.subbasins(codes, streams),
            "downslope": hydro.downslope(surface, codes),
            "discharge": hydro.discharge(codes, 300.0),
        }
        lines, areas = hydro.stream_lines(surface, codes, streams), hydro.polygons(found["subbasins"])
        laws = hydro.laws(surface, surface, codes, streams)
        if not first:
            first, first_lines, first_areas, first_laws = found, lines, areas, laws
        for name, values in found.items():
            assert values.reindex_like(first[name]).equals(first[name]), name
        assert lines.equals(first_lines) and areas.equals(first_areas) and laws == first_laws
        long = lines[lines.length_km > 0]
        assert (long.length / 1000).to_numpy() == pytest.approx(long.length_km.to_numpy())


def test_discharge_heights_and_laws() -> None:
    codes = np.array([[2, 2, 255]], np.uint8)
    year = 365.25 * 86400
    rain = np.array([[1000.0, np.nan, 500.0]])
    assert hydro.discharge(codes, rain, cell=1000.0) == pytest.approx(np.array([[1e6, 1e6, 1.5e6]]) / year)
    assert hydro.discharge(codes, 1000, cell=1000.0)[0, 2] == pytest.approx(3e6 / year)
    heights, areas, integral = hydro.hypsometry(np.array([[0, 1, 2, 3, np.nan]]), cell=10.0)
    assert heights.tolist() == [0, 1, 2, 3] and areas.tolist() == [400, 300, 200, 100] and integral == 0.5
    labels = np.array([[1, 1, 2, 0, 2]], np.uint32)
    ratios = hydro.relief_ratios(np.array([[4.0, 8.0, 7.0, 99.0, np.nan]]), labels)
    assert ratios[0] == 0.5 and np.isnan(ratios[1])
    laws = hydro.laws(heights[None], heights[None], np.full((1, 4), 255, np.uint8), np.zeros((1, 4), bool))
    assert laws["horton_ratios"] is None and laws["orders"] == [] and laws["hypsometry"]["integral"] == 0.5


ESRI = np.zeros(256, np.uint8)
ESRI[:8], ESRI[255] = [64, 128, 1, 2, 4, 8, 16, 32], 0


@pytest.mark.parametrize("place", ["metres", "degrees"])
@pytest.mark.parametrize("method", ["fill", "hybrid"])
def test_the_program_writes_the_same(world: terrane.World, tmp_path: Path, place: str, method: str) -> None:
    program = os.environ.get("TERRANE")
    if not program:
        pytest.skip("TERRANE does not name the program")
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("geopandas")
    path = tmp_path / "world.terrane"
    world.save(path)
    coast = _coast(world)
    if place == "metres":
        where, asked = [f"--at={coast[0]},{coast[1]}", "--span", "30,20"], {"center": coast, "span": (30_000, 20_000)}
    else:
        box = (coast[0] - 0.15, coast[1] - 0.1, coast[0] + 0.15, coast[1] + 0.1)
        where, asked = ["--bbox=" + ",".join(map(str, box))], {"bbox": box}
    common = ["--resolution", "128", "--layers", "elevation", "-o", tmp_path / "dem.tif", "--quiet"]
    subprocess.run([program, "region", path, *where, *common], check=True)
    options = ["--sea", "0", "--depressions", method, "--layers", "all", "--runoff", "350", "--multiple", "quinn"]
    ground = world.region(**asked, resolution=128).elevation  # type: ignore[arg-type]
    ground = ground.where(ground > 0)
    if place == "degrees":
        # files of a planet of Earth's size say WGS 84
        about = ground.coords["spatial_ref"].attrs
        del about["earth_radius"]
        about.update(semi_major_axis=6_378_137.0, inverse_flattening=298.257_223_563)
    known = np.isfinite(ground)
    assert 0.2 < float(known.mean()) < 0.98
    rows, columns = np.nonzero(known.values)
    middle = len(rows) // 2
    y, x = float(ground[ground.dims[0]][rows[middle]]), float(ground[ground.dims[1]][columns[middle]])
    command = [program, "hydro", tmp_path / "dem.tif", "-o", tmp_path / "water", *options, f"--outlet={x},{y}", "--quiet"]
    subprocess.run(command, check=True, capture_output=True)

    surface = hydro.fill(ground, method=method)  # type: ignore[arg-type]
    ways = hydro.directions(surface)
    cells = hydro.accumulate(ways).where(known, 0).astype(np.uint32)
    streams = cells >= min(1000, -(-ground.size // 200))
    own = hydro.areas(ground).where(known, 0)
    area = hydro.accumulate(ways, own)
    slope, aspect = hydro.slope_and_aspect(ground)
    specific = hydro.dinf(surface)
    ours = {
        "filled": surface,
        "direction": np.where(known, ESRI[ways], 255),
        "accumulation": cells,
        "order": hydro.strahler(ways, streams),
        "basins": hydro.basins(ways, known),
        "change": surface - ground,
        "slope": slope,
        "aspect": aspect,
        "area": area.where(known),
        "dinf": specific,
        "mfd": hydro.mfd(surface, multiple="quinn", directions=ways),
        "wetness": hydro.wetness(specific, slope),
        "power": hydro.power(specific, slope),
        "hand": hydro.height_above_drainage(surface, ways, streams, undrained="end"),
        "upstream": hydro.upstream(ways).where(known),
        "downstream": hydro.downstream(ways).where(known),
        "shreve": hydro.shreve(ways, streams),
        "hack": hydro.hack(ways, streams, area),
        "pfafstetter": hydro.pfafstetter(ways, streams, area),
        "subbasins": hydro.subbasins(ways, streams),
        "chi": hydro.chi(ways, streams, area),
        "discharge": hydro.discharge(ways, hydro.areas(ground).where(known).notnull() * 350.0).where(known),
        "watersheds": hydro.watersheds(ways, [(x, y)]),
    }
    written = {file.stem for file in (tmp_path / "water").glob("*.tif")}
    assert written == set(ours)
    for name, values in ours.items():
        theirs = np.asarray(image.open(tmp_path / "water" / f"{name}.tif"))
        if theirs.dtype == np.float32:
            np.testing.assert_allclose(np.float32(values), theirs, rtol=2e-6, atol=1e-6, err_msg=name)
        else:
            assert (np.asarray(values) == theirs).all(), name

    summary = json.loads((tmp_path / "water" / "summary.json").read_text())
    laws = hydro.laws(ground, surface, ways, streams)
    assert _same(laws, {name: _find(summary, name) for name in laws})
    table = hydro.stream_lines(surface, ways, streams)
    features = json.loads((tmp_path / "water" / "streams.geojson").read_text())["features"]
    assert len(features) == len(table) > 10
    for (_, row), feature in zip(table.iterrows(), features, strict=True):
        for name, value in feature["properties"].items():
            if name in row:
                assert not row[name] > 0 if value is None else row[name] == pytest.approx(value, rel=1e-6), name
        if place == "degrees":
            course = np.array(feature["geometry"]["coordinates"]).reshape(-1, 2)
            assert np.array(row.geometry.coords) == pytest.approx(course, abs=1e-6)
    assert table.crs is not None and table.crs.is_geographic == (place == "degrees")
    basins = json.loads((tmp_path / "water" / "basins.geojson").read_text())["features"]
    areas = hydro.polygons(hydro.basins(ways, known))
    assert areas.label.tolist() == [feature["properties"]["basin"] for feature in basins]
    assert areas.cells.tolist() == [feature["properties"]["cells"] for feature in basins]
    assert areas.area_km2.to_numpy() == pytest.approx([feature["properties"]["area_km2"] for feature in basins])
    assert areas.is_valid.all()


def _coast(world: terrane.World) -> tuple[float, float]:
    """A place with land, and the sea near by."""
    part = world.region((-180, -50, 180, 50), resolution=50_000)
    land = part.elevation.values > 0
    share = sum(np.roll(land, (r, c), (0, 1)) for r in (-1, 0, 1) for c in (-1, 0, 1))
    for row, column in np.argwhere(land & (share == 5)):
        place = round(float(part.lon[column]), 3), round(float(part.lat[row]), 3)
        near = world.region(center=place, span=20_000, resolution=500).elevation.values > 0
        if 0.4 < near.mean() < 0.8:
            return place
    raise AssertionError("there is no coast")


def _find(tree: object, name: str) -> object:
    """The value of a key, however deep it lies."""
    if not isinstance(tree, dict) or name in tree:
        return tree[name] if isinstance(tree, dict) else None
    return next((found for found in (_find(below, name) for below in tree.values()) if found is not None), None)


def _same(ours: object, theirs: object) -> bool:
    if isinstance(ours, dict):
        return isinstance(theirs, dict) and all(_same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list):
        return isinstance(theirs, list) and all(map(_same, ours, theirs)) and len(ours) == len(theirs)
    return ours == theirs or ours == pytest.approx(theirs, rel=1e-6)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: hydro.pfafstetter(CODES, STREAMS, digits=10), "10 digits; 1 to 9 fit"),
        (lambda: hydro.pfafstetter(CODES, STREAMS, digits=0), "0 digits"),
        (lambda: hydro.pfafstetter(CODES, STREAMS, digits=-1), "-1 digits"),
        (lambda: hydro.chi(CODES, STREAMS, concavity=-1), "concavity -1: expected a positive number"),
        (lambda: hydro.chi(CODES, STREAMS, reference_m2=float("inf")), "reference_m2 inf"),
        (lambda: hydro.reaches(np.zeros(CODES.shape), CODES, STREAMS, concavity=float("nan")), "concavity NaN"),
        (lambda: hydro.hack(CODES, STREAMS[:2]), "streams has 2 x 5 cells; 4 x 5 were expected"),
        (lambda: hydro.hack(CODES, STREAMS, np.ones((1, 1))), "area has 1 x 1"),
        (lambda: hydro.shreve(np.full((3, 3), 0, np.uint8), np.ones((3, 3), bool)), "no cell to its N"),
        (lambda: hydro.watersheds(CODES, [(4, 0)]), "row 4, column 0: the array has 4 x 5 cells"),
        (lambda: hydro.watersheds(CODES, [(-1, 0)]), "row -1"),
        (lambda: hydro.snap(CODES, [(0, float("nan"))]), "two finite numbers"),
        (lambda: hydro.snap_to_stream(np.zeros((3, 3), bool), [(1, 1)]), "there is no stream near it"),
        (lambda: hydro.snap(np.full((3, 3), np.nan), [(1, 1)]), "there is no number near it"),
        (lambda: hydro.profile(np.zeros(CODES.shape), CODES, (0, 0), course="up"), "down, stem or longest"),  # type: ignore[arg-type]
        (lambda: hydro.way_to_stream(CODES, STREAMS, undrained="sea"), "nothing or end"),  # type: ignore[arg-type]
        (lambda: hydro.discharge(CODES, -3), "it holds -3; expected millimetres a year"),
        (lambda: hydro.hypsometry(np.full((3, 3), np.nan)), "no two different heights"),
        (lambda: hydro.relief_ratios(np.zeros((2, 2)), np.full((2, 2), 9)), "the greatest is 9, and there are 4 cells"),
        (
            lambda: hydro.watersheds(both_ways(CODES)[0], [(5000.0, 0.0)]),
            "point 5000.0, 0.0: the array spans -10.0 to 90.0, -105.0 to 15.0",
        ),
    ],
)
def test_what_cannot_be_meant_is_said(wrong: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wrong()  # type: ignore[operator]
