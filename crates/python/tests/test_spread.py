"""Water that spreads, slopes and indices: planes and cones whose answers are known, flips, what cannot be meant."""

from __future__ import annotations

import numpy as np
import pytest
import xarray
from terrane import hydro
from test_hydro import STEPS, ground


def plane(azimuth: float, cell: tuple[float, float] = (10.0, 10.0), rows: int = 21, columns: int = 25) -> np.ndarray:
    """Heights that fall by a tenth towards an azimuth in degrees."""
    y, x = np.mgrid[0:rows, 0:columns]
    east, north = x * cell[0], -y * cell[1]
    fall = np.radians(azimuth)
    return (500 - 0.1 * (np.sin(fall) * east + np.cos(fall) * north)).astype(np.float32)


def both_ways(values: np.ndarray) -> list[xarray.DataArray]:
    """The same ground with rows and columns in all orders."""
    rows, columns = values.shape
    places = {"y": -30.0 * np.arange(rows), "x": 20.0 * np.arange(columns)}
    down = xarray.DataArray(values, dims=("y", "x"), coords=places)
    return [down, down[::-1], down[:, ::-1], down[::-1, ::-1]]


@pytest.mark.parametrize("azimuth", [0, 17, 45, 60, 90, 133, 180, 200.5, 270, 311])
@pytest.mark.parametrize("cell", [(10.0, 10.0), (10.0, 30.0)])
def test_d_infinity_of_a_plane(azimuth: float, cell: tuple[float, float]) -> None:
    found = hydro.dinf_directions(plane(azimuth, cell), cell=cell)
    inner = (slice(1, -1), slice(1, -1))
    turn = (found.azimuth[inner] - azimuth + 180) % 360 - 180
    assert np.abs(turn).max() < 0.05
    assert found.slope[inner] == pytest.approx(0.1, rel=1e-3)
    if cell == (10.0, 10.0):
        assert (found.toward[inner] * 45 - azimuth + 180) % 360 - 180 == pytest.approx(0, abs=0.05)


def test_sums_over_d_infinity_by_hand() -> None:
    # to the east-north-east: a third to the north-east; then all to the east
    nan = np.nan
    toward = np.array([[nan, nan, nan], [1 + 2 / 3, 2, nan]], dtype=np.float32)
    counts = hydro.accumulate_dinf(toward)
    assert counts.dtype == np.float64
    assert counts == pytest.approx(np.array([[1, 1 + 1 / 3, 1], [1, 1 + 2 / 3, 1 + 1 + 2 / 3]]))
    weights = np.array([[0, 0, 0], [6.0, 0, 0]])
    assert hydro.accumulate_dinf(toward, weights) == pytest.approx(np.array([[0, 2, 0], [6, 4, 4]]))


def test_an_outward_cone() -> None:
    # the truth is half the radius
    y, x = np.mgrid[-100:101, -100:101]
    radius = np.hypot(x, y)
    cone = (1000 - radius).astype(np.float32)
    ring = (radius > 20) & (radius < 90)
    for found, error in [
        (hydro.dinf(cone), 0.03),
        (hydro.mfd(cone), 0.07),
        (hydro.mfd(cone, multiple="quinn"), 0.12),
    ]:
        assert abs((found[ring] / (radius[ring] / 2)).mean() - 1) < error
    along_one = hydro.specific_area(hydro.accumulate(hydro.directions(cone)).astype(float))
    spread = lambda found: np.std(found[ring] / radius[ring])  # noqa: E731
    assert spread(along_one) > 3 * spread(hydro.dinf(cone)) > 3 * spread(hydro.mfd(cone))


@pytest.mark.parametrize("multiple", ["freeman", "quinn"])
def test_shares_are_what_is_given(multiple: str) -> None:
    surface = hydro.fill(ground(4), method="epsilon")
    shares = hydro.mfd_shares(surface, multiple=multiple)
    assert shares.shape == (8, *surface.shape) and shares.dtype == np.float32
    ends = hydro.directions(surface) == hydro.LEAVES
    assert shares.sum(axis=0) == pytest.approx(np.where(ends, 0, 1), abs=1e-6)
    # what comes in is what the neighbours' shares say
    counts = hydro.accumulate_mfd(surface, multiple=multiple)
    into = np.ones_like(counts)
    for r, c in np.ndindex(counts.shape):
        for k, (dr, dc) in enumerate(STEPS):
            if shares[k, r, c] > 0:
                assert surface[r + dr, c + dc] < surface[r, c]
                into[r + dr, c + dc] += counts[r, c] * shares[k, r, c]
    assert into == pytest.approx(counts, rel=1e-5)
    assert counts[ends].sum() == pytest.approx(counts.size)


def test_a_steep_exponent_is_one_receiver() -> None:
    surface = np.random.default_rng(2).permutation(400).reshape(20, 20).astype(np.float32)
    surface = hydro.fill(surface, method="epsilon")
    codes = hydro.directions(surface)
    many = hydro.accumulate_mfd(surface, exponent=1000, directions=codes)
    slopes = hydro.downslope(surface, codes)
    assert (slopes[codes == hydro.LEAVES] == 0).all() and (slopes >= 0).all()
    assert np.median(np.abs(many - hydro.accumulate(codes))) < 1e-6


def test_flips_give_the_same() -> None:
    surface = hydro.fill(ground(6), method="epsilon")
    expected, *turned = both_ways(surface)

    def found(surface: xarray.DataArray) -> dict[str, xarray.DataArray]:
        facets = hydro.dinf_directions(surface)
        slope, aspect = hydro.slope_and_aspect(surface)
        area = hydro.dinf(surface)
        return {
            "azimuth": facets.azimuth,
            "slope": facets.slope,
            "sum": hydro.accumulate_dinf(facets.toward),
            "freeman": hydro.accumulate_mfd(surface, hydro.areas(surface)),
            "mfd": hydro.mfd(surface, multiple="quinn", directions=hydro.directions(surface)),
            "wetness": hydro.wetness(area, slope),
            "power": hydro.power(area, slope),
            "aspect": aspect,
        }

    first = found(expected)
    for surface in turned:
        for name, values in found(surface).items():
            assert values.dims == ("y", "x") and (values.y.values == surface.y.values).all()
            aligned = values.reindex_like(first[name])
            np.testing.assert_allclose(aligned.values, first[name].values, rtol=1e-5, err_msg=name)
    # shares and eighths of a turn point along the rows and columns that were given
    for surface in [expected, *turned]:
        shares, heights = hydro.mfd_shares(surface), surface.values
        assert shares.dims == ("direction", "y", "x")
        for k, (dr, dc) in enumerate(STEPS):
            for r, c in np.argwhere(shares.values[k] > 0):
                assert heights[r + dr, c + dc] < heights[r, c]
        toward = hydro.dinf_directions(surface).toward.values
        for r, c in np.argwhere(np.isfinite(toward)):
            dr, dc = STEPS[int(toward[r, c] + 0.5) % 8]
            assert heights[r + dr, c + dc] < heights[r, c]


def test_indices_are_their_formulas() -> None:
    area, slope = np.array([[100.0, 50.0, 20.0]]), np.array([[0.1, 0.0, np.nan]], dtype=np.float32)
    assert hydro.wetness(area, slope)[0, :2] == pytest.approx([np.log(1000), np.log(50 / hydro.LEAST_SLOPE)])
    assert np.isnan(hydro.wetness(area, slope)[0, 2])
    assert hydro.wetness(area, slope, least_slope=0.5)[0, 0] == pytest.approx(np.log(200))
    assert hydro.power(area, slope)[0, :2] == pytest.approx([10, 0])
    assert hydro.stream_power(area, slope)[0, 0] == pytest.approx(1000 * 9.80665 * 100 * 0.1)
    sine = np.sin(np.arctan(0.1))
    assert hydro.length_slope(area, slope)[0, 0] == pytest.approx((100 / 22.13) ** 0.4 * (sine / 0.0896) ** 1.3)
    assert hydro.specific_area(np.array([[600.0]]), cell=(10, 40)) == pytest.approx(30)


def test_no_data_gives_none() -> None:
    surface = hydro.fill(ground(9), method="epsilon")
    surface[4:7, 4:9] = np.nan
    gap = np.isnan(surface)
    facets = hydro.dinf_directions(surface)
    for values in (*facets, hydro.dinf(surface), hydro.mfd(surface)):
        assert np.isnan(values[gap]).all()
    assert np.isfinite(hydro.dinf(surface)[~gap]).all()
    assert (hydro.mfd_shares(surface)[:, gap] == 0).all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: hydro.accumulate_dinf(np.full((3, 3), 8.0)), "8 is no direction"),
        (lambda: hydro.accumulate_dinf(np.full((3, 3), -1.0)), "-1 is no direction"),
        (lambda: hydro.accumulate_dinf(np.full((3, 3), np.inf)), "inf is no direction"),
        (lambda: hydro.accumulate_dinf(np.full((3, 3), 1.5)), "row 0, column 0: 1.5 leads out of the array"),
        (lambda: hydro.accumulate_dinf(np.array([[2.0, 6.0]])), "runs in a circle"),
        (lambda: hydro.mfd(np.zeros((3, 3)), multiple="holmgren"), "freeman or quinn"),  # type: ignore[arg-type]
        (lambda: hydro.mfd(np.zeros((3, 3)), exponent=-1), "exponent of the slope is -1"),
        (lambda: hydro.dinf(np.zeros((3, 3)), np.full((3, 3), 9, np.uint8)), "receiver 9 is no direction"),
        (lambda: hydro.dinf(np.zeros((3, 3)), np.zeros((3, 3), np.uint8)), "no cell to its N"),
        (lambda: hydro.wetness(np.ones((2, 2)), np.ones((2, 3))), "slope has 2 x 3"),
        (lambda: hydro.wetness(np.ones((2, 2)), np.ones((2, 2)), least_slope=0), "least_slope 0: expected a positive"),
        (lambda: hydro.downslope(np.zeros((3, 3)), np.zeros((3, 3), np.uint8)), "no cell to its N"),
    ],
)
def test_what_cannot_be_meant_is_said(wrong: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wrong()  # type: ignore[operator]
