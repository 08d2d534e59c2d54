"""Water over arrays, beside slow and obvious versions."""

from __future__ import annotations

import heapq

import numpy as np
import pytest
import xarray
from terrane import hydro

#: Rows and columns of the directions, clockwise from north.
STEPS = [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)]


def ground(seed: int, rows: int = 23, columns: int = 31) -> np.ndarray:
    draw = np.random.default_rng(seed)
    return draw.integers(0, 12, (rows, columns)).astype(np.float32)


def slow_fill(heights: np.ndarray) -> np.ndarray:
    """Floods from the border in, lowest first (Barnes, Lehman & Mulla 2014)."""
    rows, columns = heights.shape
    filled = np.full(heights.shape, np.inf)
    queue = []
    for r in range(rows):
        for c in range(columns):
            if r in (0, rows - 1) or c in (0, columns - 1):
                filled[r, c] = heights[r, c]
                heapq.heappush(queue, (filled[r, c], r, c))
    while queue:
        level, r, c = heapq.heappop(queue)
        for dr, dc in STEPS:
            y, x = r + dr, c + dc
            if 0 <= y < rows and 0 <= x < columns and filled[y, x] == np.inf:
                filled[y, x] = max(level, heights[y, x])
                heapq.heappush(queue, (filled[y, x], y, x))
    return filled


def slow_sums(codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Walks down from every cell."""
    sums = np.zeros(codes.shape)
    for start in np.ndindex(codes.shape):
        r, c = start
        while True:
            sums[r, c] += weights[start]
            if codes[r, c] == 255:
                break
            dr, dc = STEPS[codes[r, c]]
            r, c = r + dr, c + dc
    return sums


@pytest.mark.parametrize("seed", range(20))
def test_beside_slow_versions(seed: int) -> None:
    heights = ground(seed)
    filled = hydro.fill(heights)
    assert filled.dtype == np.float32 and (filled == slow_fill(heights)).all()
    codes = hydro.directions(filled)
    assert codes.dtype == np.uint8
    counts = hydro.accumulate(codes)
    assert counts.dtype == np.uint32 and (counts == slow_sums(codes, np.ones(codes.shape))).all()
    weights = np.random.default_rng(seed).random(codes.shape)
    assert hydro.accumulate(codes, weights) == pytest.approx(slow_sums(codes, weights))
    # all that leaves is all that there is, basin by basin
    numbers = hydro.basins(codes)
    for number, outlet in enumerate(np.argwhere(codes == 255), start=1):
        assert numbers[tuple(outlet)] == number
        assert counts[tuple(outlet)] == (numbers == number).sum()


def test_breaching_and_steps_drain_everything() -> None:
    heights = ground(3)
    for method in ("epsilon", "breach", "hybrid", "least"):
        surface = hydro.fill(heights, method=method)
        again = slow_fill(surface.astype(float))
        assert (again == surface).all(), method
    with pytest.raises(ValueError, match="fill, epsilon, breach, hybrid or least"):
        hydro.fill(heights, method="dig")  # type: ignore[arg-type]


def test_cuts_and_their_limits() -> None:
    # a pit of depth 5 behind a wall two cells wide
    heights = np.full((5, 9), 9, np.float32)
    heights[2, 2:8] = [1, 6, 6, 3, 2, 1]
    heights[2, 8] = 0
    cut = hydro.breach(heights, cell=10.0, method="cut")
    assert cut.surface[2, 1:9].tolist() == [9, 1, 1, 1, 1, 1, 1, 0] and cut.left == []
    assert (cut.cuts, cut.cells_dug, cut.cells_filled) == (1, 4, 0)
    assert cut.dug_m3 == pytest.approx(100 * (5 + 5 + 2 + 1)) and cut.filled_m3 == 0
    # too far, too deep, too much: it stays, or is filled
    for limits in ({"breach_length": 15.0}, {"breach_depth": 4.0}, {"breach_volume": 900.0}):
        stays = hydro.breach(heights, cell=10.0, method="cut", **limits)  # type: ignore[arg-type]
        assert (stays.surface == heights).all() and stays.left == [(2, 2)]
        filled = hydro.breach(heights, cell=10.0, **limits)  # type: ignore[arg-type]
        assert (filled.surface == hydro.fill(heights)).all() and filled.cells_filled == 1
    assert (hydro.fill(heights, cell=10.0, method="hybrid", breach_depth=4) == hydro.fill(heights)).all()
    assert (hydro.fill(heights, cell=10.0, method="hybrid") == cut.surface).all()
    # filling takes less
    assert hydro.breach(heights, cell=10.0, method="least").filled_m3 == pytest.approx(500)
    assert hydro.breach(heights, method="breach").surface[2, 4] == 1
    turned = xarray.DataArray(heights, dims=("y", "x"), coords={"y": 10.0 * np.arange(5), "x": 10.0 * np.arange(9)})
    assert hydro.breach(turned, method="cut", breach_depth=4).left == [(20.0, 20.0)]


def test_strahler_and_heights_above_streams() -> None:
    # two brooks of order 1 join
    codes = np.array([[3, 255, 5], [255, 4, 255], [255, 255, 255]], dtype=np.uint8)
    streams = np.array([[1, 0, 1], [0, 1, 0], [0, 1, 0]], dtype=bool)
    assert hydro.strahler(codes, streams).tolist() == [[1, 0, 1], [0, 2, 0], [0, 2, 0]]
    heights = np.array([[9, 9, 9], [9, 4, 9], [9, 1, 9]], dtype=np.float32)
    above = hydro.height_above_drainage(heights, codes, streams)
    assert above[0, 0] == 0 and above[2, 1] == 0 and np.isnan(above[0, 1])
    to_end = hydro.height_above_drainage(heights, codes, streams, undrained="end")
    assert to_end[0, 1] == 0


def test_slope_of_a_plane() -> None:
    y, x = np.mgrid[0:8, 0:9].astype(np.float32)
    slope, aspect = hydro.slope_and_aspect(3 * x * 10 - 4 * y * 10, cell=10.0)
    assert slope[1:-1, 1:-1] == pytest.approx(5.0)
    # it falls to the west and, with rows from the north, to the south
    assert aspect[1:-1, 1:-1] == pytest.approx(180 + np.degrees(np.arctan2(3, 4)))


def test_arrays_that_run_northwards_give_the_same() -> None:
    values = hydro.fill(ground(5), method="epsilon")
    down = xarray.DataArray(values, dims=("y", "x"), coords={"y": -30.0 * np.arange(23), "x": 30.0 * np.arange(31)})
    for turned in (down[::-1], down[:, ::-1], down[::-1, ::-1]):
        found = hydro.flow(turned, threshold=4)
        expected = hydro.flow(down, threshold=4)
        for name in ("filled", "accumulation", "strahler"):
            assert found[name].sortby("y").equals(expected[name].sortby("y").reindex_like(found[name].sortby("y"))), name
        # directions point to the same cells, as indices of the array that was given
        codes, counts = found["flow_direction"].values, found["accumulation"].values
        assert (slow_sums(codes, np.ones(codes.shape)) == counts).all()


def test_degrees_are_cells_of_a_sphere() -> None:
    lat, lon = np.arange(89.5, -90, -1.0), np.arange(-179.5, 180, 1.0)
    whole = xarray.DataArray(np.zeros((180, 360), np.float32), dims=("lat", "lon"), coords={"lat": lat, "lon": lon})
    areas = hydro.areas(whole)
    assert float(areas.sum()) == pytest.approx(4 * np.pi * hydro.EARTH_RADIUS_M**2, rel=1e-9)
    assert areas.attrs["units"] == "m2" and areas.dims == ("lat", "lon")
    # what the reference system says: a sphere, or an ellipsoid, here WGS 84 with its 510,065,621.7 km2
    for about, total in (
        ({"earth_radius": 1000.0}, 4e6 * np.pi),
        ({"semi_major_axis": 1000.0}, 4e6 * np.pi),
        ({"semi_major_axis": 6_378_137.0, "inverse_flattening": 298.257_223_563}, 510_065_621.7e6),
    ):
        placed = whole.assign_coords(spatial_ref=((), 0, about))
        assert float(hydro.areas(placed).sum()) == pytest.approx(total, rel=1e-9)


def test_no_data_is_left_out() -> None:
    heights = ground(8)
    heights[5:9, 5:9] = np.nan
    found = hydro.flow(heights, threshold=3)
    assert ((found["basin"] == 0) == np.isnan(heights)).all() and found["basin"].max() == len(np.unique(found["basin"])) - 1
    assert np.isnan(found["filled"][5:9, 5:9]).all() and (found["strahler"][5:9, 5:9] == 0).all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: hydro.fill(np.zeros(3)), "two dimensions"),
        (lambda: hydro.fill(np.zeros((3, 3)), cell=-1), "metres, or width and height"),
        (lambda: hydro.fill(np.zeros((3, 3)), method="breach", breach_depth=3), "belong to method hybrid or least"),
        (lambda: hydro.fill(np.zeros((3, 3)), method="least", breach_depth=0), "breach_depth 0: expected a positive number"),
        (lambda: hydro.breach(np.zeros((3, 3)), breach_length=float("nan")), "breach_length NaN: expected a positive"),
        (lambda: hydro.breach(np.zeros((3, 3)), method="fill"), "cut, hybrid, least or breach"),  # type: ignore[arg-type]
        (lambda: hydro.accumulate(np.full((3, 3), 9, np.uint8)), "receiver 9 is no direction"),
        (lambda: hydro.accumulate(np.array([[2, 6]], np.uint8)), "runs in a circle"),
        (lambda: hydro.strahler(np.full((3, 3), 255, np.uint8), np.zeros((2, 3), bool)), "streams has 2 x 3"),
        (
            lambda: hydro.fill(xarray.DataArray(np.zeros((3, 3)), dims=("y", "x"), coords={"y": [0, 1, 5], "x": [0, 1, 2]})),
            "not equally far apart",
        ),
    ],
)
def test_what_cannot_be_meant_is_said(wrong: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wrong()  # type: ignore[operator]
