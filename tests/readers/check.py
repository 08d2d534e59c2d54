"""Reads what the program writes with other people's programs, and compares every value.

    python tests/readers/check.py PATH/TO/terrane

What is expected comes from another output of the same call: raw numbers (.r32), which need no reader at all.
Each function named `check_...` gets an empty folder with a world in it. The exit status is 1 if one of them fails.
"""

import importlib.metadata
import base64
import io
import json
import math
import struct
import subprocess
import sys
import tempfile
import traceback
import warnings
import xml.etree.ElementTree
from pathlib import Path

import geopandas
import numpy as np
import pypdfium2
import pyproj
import rasterio
import shapely
import xarray
from pmtiles.reader import MmapSource, Reader, all_tiles
from pygltflib import GLTF2
from rasterio.enums import Resampling
from rio_cogeo.cogeo import cog_validate

try:
    import rioxarray
except ImportError:  # not among what is required
    rioxarray = None

RADIUS_M = 6_371_000.0
# Units of files for people, and what UDUNITS reads in their place.
CF_UNITS = {"deg C": "degC", "ESRI code": "1", "number": "1", "class": "1"}
PROGRAM = Path(sys.argv[1]).resolve()


def terrane(folder, line):
    """Runs the program in a folder; it must succeed."""
    said = subprocess.run([PROGRAM, *line.split()], cwd=folder, capture_output=True, text=True)
    assert said.returncode == 0, f"terrane {line}\n{said.stderr}"
    return said.stdout


def numbers(folder, name):
    """The bands of an .r32 file, with what its JSON file says."""
    about = json.loads((folder / f"{name}.json").read_text())
    shape = (len(about["bands"]), about["height"], about["width"])
    return np.fromfile(folder / name, dtype="<f4").reshape(shape), about


def same(a, b):
    """Equal bit for bit, but that no number equals no number."""
    return a.shape == b.shape and np.array_equal(a, b, equal_nan=True)


def halved(values):
    """Means of 2 x 2, of those that are numbers and inside."""
    rows, columns = values.shape
    padded = np.full((rows + rows % 2, columns + columns % 2), np.nan)
    padded[:rows, :columns] = values
    fours = np.stack([padded[i::2, j::2] for i in (0, 1) for j in (0, 1)])
    with np.errstate(invalid="ignore"):
        return (np.nansum(fours, axis=0) / np.sum(~np.isnan(fours), axis=0)).astype("f4")


def expect_georeference(data, about):
    at = about["georeference"]
    transform = data.transform
    assert (transform.a, transform.e, transform.b, transform.d) == (at["step_x"], -at["step_y"], 0, 0), transform
    assert math.isclose(transform.c, at["west"], rel_tol=1e-14, abs_tol=1e-12), (transform.c, at["west"])
    assert math.isclose(transform.f, at["north"], rel_tol=1e-14, abs_tol=1e-12), (transform.f, at["north"])


def check_cloud_optimized_geotiff(folder):
    layers = "elevation,rain,discharge,land_cover"
    terrane(folder, f"region w.terrane -o a.tif -o a.r32 --bbox 20,10,38,22 --resolution 2500 --layers {layers}")
    expected, about = numbers(folder, "a.r32")
    assert expected.shape[2] > 512 and expected.shape[1] > 512, expected.shape
    valid, errors, warnings = cog_validate(folder / "a.tif", strict=True)
    assert valid and not errors and not warnings, (errors, warnings)
    with rasterio.open(folder / "a.tif") as data:
        assert data.crs.to_epsg() == 4326, data.crs
        expect_georeference(data, about)
        assert data.descriptions == tuple(band["name"] for band in about["bands"]), data.descriptions
        assert data.units == ("m", "m3/s", "mm/yr", "class"), data.units
        assert data.dtypes == ("float32",) * 4 and data.nodata is None
        assert data.tags()["seed"] == "42" and data.tags()["world"], data.tags()
        assert same(data.read(), expected)
        assert data.overviews(1) == [2, 4], data.overviews(1)
        assert data.compression == rasterio.enums.Compression.deflate and data.block_shapes[0] == (256, 256)
    for level in (0, 1):
        with rasterio.open(folder / "a.tif", overview_level=level) as data:
            for band, values in enumerate(expected, 1):
                small = values
                for _ in range(level + 1):
                    small = small[::2, ::2] if band == 4 else halved(small)
                assert same(data.read(band), small), (level, band)


def check_geotiff_of_square_metres_and_of_an_area(folder):
    terrane(folder, "region w.terrane -o a.tif -o a.r32 --at 30.3,20.2 --span 300,200 --resolution 1000")
    expected, about = numbers(folder, "a.r32")
    with rasterio.open(folder / "a.tif") as data:
        expect_georeference(data, about)
        said = data.crs.to_dict()
        assert (said["proj"], said["lon_0"], said["lat_0"]) == ("tmerc", 30, 20), said
        assert said.get("R", said.get("a")) == RADIUS_M, said
        assert same(data.read(), expected)
    ring = [[22, 12], [30, 12], [22, 20], [22, 12]]
    (folder / "area.geojson").write_text(json.dumps({"type": "Polygon", "coordinates": [ring]}))
    terrane(folder, "region w.terrane -o b.tif -o b.r32 --polygon area.geojson --resolution 1500")
    expected, about = numbers(folder, "b.r32")
    assert 0.3 < np.isnan(expected).mean() < 0.7
    assert cog_validate(folder / "b.tif", strict=True)[0]
    with rasterio.open(folder / "b.tif") as data:
        assert math.isnan(data.nodata)
        assert same(data.read(), expected)
        assert (data.dataset_mask() == 0).sum() == np.isnan(expected).sum()
        assert data.read(1, out_shape=(50, 50), resampling=Resampling.nearest).shape == (50, 50)


def check_another_planet(folder):
    terrane(folder, "generate -o mars.terrane --cells 16 --set grid.radius_km=3389.5 --quiet")
    terrane(folder, "region mars.terrane -o a.tif -o a.r32 -o a.zarr --bbox 0,0,20,20 --resolution 5000")
    expected, about = numbers(folder, "a.r32")
    with rasterio.open(folder / "a.tif") as data:
        assert data.crs.to_epsg() is None and data.crs.is_geographic
        assert data.crs.to_dict().get("R", data.crs.to_dict().get("a")) == 3_389_500, data.crs.to_dict()
        expect_georeference(data, about)
        assert same(data.read(), expected)
    store = xarray.open_zarr(folder / "a.zarr")
    assert rasterio.CRS.from_wkt(store.spatial_ref.attrs["crs_wkt"]).is_geographic


def check_blocks_and_memory(folder):
    """A region that is made piece by piece is the one that is made at once; and the file is valid."""
    line = "--bbox 20,10,45,30 --resolution 1900 --method classic --layers elevation,order"
    terrane(folder, f"region w.terrane -o once.tif -o once.r32 -o once.geojson {line},rivers --memory 16")
    terrane(folder, f"region w.terrane -o long.tif -o long.zarr {line} --resume")
    assert (folder / "once.tif").read_bytes() == (folder / "long.tif").read_bytes()
    assert cog_validate(folder / "long.tif", strict=True)[0]
    expected, _ = numbers(folder, "once.r32")
    store = xarray.open_zarr(folder / "long.zarr")
    for band, name in enumerate(("elevation", "order")):
        assert same(store[name].values, expected[band]), name


def check_zarr(folder):
    layers = "elevation,water_depth,temperature"
    terrane(folder, f"region w.terrane -o a.zarr -o a.r32 --bbox 20,10,40,20 --resolution 3000 --layers {layers}")
    expected, about = numbers(folder, "a.r32")
    at = about["georeference"]
    for consolidated in (True, False):
        store = xarray.open_zarr(folder / "a.zarr", consolidated=consolidated)
        assert set(store.data_vars) == {"elevation", "water_depth", "temperature"} | (
            {"spatial_ref"} & set(store.data_vars)
        ), store
        for band, title in enumerate(about["bands"]):
            values = store[title["name"]]
            assert values.dims == ("lat", "lon"), values
            assert values.attrs["units"] == CF_UNITS.get(title["unit"], title["unit"]), values
            assert same(values.values, expected[band]), title
        columns, rows = np.arange(about["width"]) + 0.5, np.arange(about["height"]) + 0.5
        assert np.allclose(store.lon, at["west"] + columns * at["step_x"], rtol=0, atol=1e-12)
        assert np.allclose(store.lat, at["north"] - rows * at["step_y"], rtol=0, atol=1e-12)
        assert store.lat.attrs["units"] == "degrees_north" and store.attrs["seed"] == "42"
        west, step_x, _, north, _, step_y = map(float, store.spatial_ref.attrs["GeoTransform"].split())
        assert (west, step_x, north, step_y) == (at["west"], at["step_x"], at["north"], -at["step_y"])
        assert rasterio.CRS.from_wkt(store.spatial_ref.attrs["crs_wkt"]).to_epsg() == 4326
        place = store.elevation.sel(lon=30.1, lat=15.2, method="nearest")
        row = round((at["north"] - 15.2) / at["step_y"] - 0.5)
        column = round((30.1 - at["west"]) / at["step_x"] - 0.5)
        assert place.item() == expected[0, row, column]
    # written over itself, and not over anything else
    terrane(folder, "region w.terrane -o a.zarr --bbox 20,10,21,11 --resolution 3000")
    assert list(xarray.open_zarr(folder / "a.zarr").data_vars)[0] == "elevation"
    assert sorted(p.name for p in folder.iterdir() if p.name.startswith(".")) == []


def parameters(crs):
    """What a reference system is in the words of PROJ, with the radius by one name."""
    with warnings.catch_warnings(action="ignore"):  # names are lost
        said = crs.to_dict()
    return {"R": said.pop("a", None), **{name: value for name, value in said.items() if name not in ("type", "no_defs")}}


def check_zarr_by_the_climate_and_forecast_conventions(folder):
    """Units that UDUNITS reads; a reference system by name and parameters, equal to that of the well-known text."""
    layers = ("elevation,base,mountains,water_surface,water_depth,discharge,order,temperature,rain,flow_direction,basin,"
              "land_cover,ridges,peaks,buttresses")
    terrane(folder, "generate -o mars.terrane --cells 16 --set grid.radius_km=3389.5 --quiet")
    terrane(folder, "generate -o flat.terrane --recipe island --cells 32 --quiet")
    sphere = {"proj": "longlat", "R": 3_389_500}
    for name, world, place, said, dims, expected in [
        ("a", "w", "--bbox 20,10,24,12", "latitude_longitude", ("lat", "lon"), {"proj": "longlat", "R": RADIUS_M}),
        ("b", "mars", "--bbox 20,10,24,12", "latitude_longitude", ("lat", "lon"), sphere),
        ("c", "mars", "--at=-30.3,20.2 --span 90", "transverse_mercator", ("y", "x"),
         {"proj": "tmerc", "R": 3_389_500, "lon_0": -30, "lat_0": 20}),
        ("d", "w", "--tile 5/18/14", "mercator", ("y", "x"), {"proj": "merc", "R": 6_378_137}),
        ("e", "mars", "--tile 5/18/14", "mercator", ("y", "x"), {"proj": "merc", "R": 3_389_500}),
        ("f", "flat", "--bbox 0,0,90000,90000", None, ("y", "x"), None),
    ]:
        size = "" if "--tile" in place else "--resolution 3000"
        terrane(folder, f"region {world}.terrane -o {name}.zarr {place} {size} --layers {layers} --method classic")
        store = xarray.open_zarr(folder / f"{name}.zarr", decode_coords="all")
        for layer in layers.split(","):
            array = store[layer]
            assert array.dims == dims and array.attrs["units"] in ("m", "m3/s", "mm/yr", "degC", "1"), (layer, array.attrs)
        assert store.flow_direction.attrs["comment"] == "ESRI code", store.flow_direction.attrs
        about = store.spatial_ref.attrs
        if said is None:
            assert "grid_mapping" not in store.elevation.encoding and "grid_mapping_name" not in about, about
            continue
        assert store.elevation.encoding["grid_mapping"] == "spatial_ref" and about["grid_mapping_name"] == said, about
        # by its parameters alone, and as text
        plain = {key: value for key, value in about.items() if key not in ("crs_wkt", "spatial_ref")}
        by_name, by_text = parameters(pyproj.CRS.from_cf(plain)), pyproj.CRS.from_cf(about)
        assert expected.items() <= by_name.items(), (name, by_name)
        if name in ("a", "d"):
            assert by_text.to_epsg() == {"a": 4326, "d": 3857}[name], by_text
        else:
            found = parameters(by_text)
            assert all(found[key] == value for key, value in expected.items()), (name, found)
        if rioxarray is not None:
            assert store.rio.crs == rasterio.CRS.from_wkt(about["crs_wkt"]), store.rio.crs
            affine = tuple(map(float, about["GeoTransform"].split()))
            assert np.allclose(store.rio.transform().to_gdal(), affine, rtol=1e-12, atol=1e-9)


def check_zarr_of_several_shards(folder):
    """More samples than a shard has, in chunks that end anywhere: every value, and few files."""
    terrane(folder, "region w.terrane -o a.zarr -o a.r32 --bbox 0,0,43,6 --resolution 1000 --method classic --no-texture")
    expected, about = numbers(folder, "a.r32")
    assert about["width"] > 4096, about["width"]
    assert same(xarray.open_zarr(folder / "a.zarr").elevation.values, expected[0])
    shards = sorted(p.relative_to(folder / "a.zarr/elevation").as_posix() for p in (folder / "a.zarr/elevation/c").rglob("*") if p.is_file())
    assert shards == ["c/0/0", "c/0/1"], shards


def check_store_of_parts(folder):
    """Made by several programs at once, with overviews: every value, and the place of each level."""
    line = "refine w.terrane --out a.zarr --bbox 20,10,45,24 --resolution 2500 --layers elevation,land_cover --side 512"
    parts = [subprocess.Popen([PROGRAM, *line.split(), "--shard", f"{i}/3", "--quiet"], cwd=folder) for i in range(3)]
    assert [part.wait() for part in parts] == [0, 0, 0]
    terrane(folder, f"{line} --overviews")
    terrane(folder, "region w.terrane -o a.r32 --bbox 20,10,45,24 --resolution 2500 --layers elevation,land_cover")
    expected, about = numbers(folder, "a.r32")
    store = xarray.open_zarr(folder / "a.zarr")
    assert same(store.elevation.values, expected[0]) and same(store.land_cover.values, expected[1])
    at = about["georeference"]
    ground, cover, level = expected[0], expected[1], 0
    while max(ground.shape) > 512:
        ground, cover, level = halved(ground), cover[::2, ::2], level + 1
        found = xarray.open_zarr(folder / "a.zarr", group=str(level))
        assert same(found.elevation.values, ground) and same(found.land_cover.values, cover), level
        step = at["step_x"] * 2**level
        assert np.allclose(found.lon, at["west"] + (np.arange(ground.shape[1]) + 0.5) * step, rtol=0, atol=1e-9)
        assert np.allclose(found.lat, at["north"] - (np.arange(ground.shape[0]) + 0.5) * step, rtol=0, atol=1e-9)
    assert level == 2, level
    shapes = {a["asset"]: a["spatial:shape"] for a in store.attrs["multiscales"]["layout"]}
    assert shapes["2/elevation"] == list(ground.shape), shapes
    assert store.spatial_ref.attrs["earth_radius"] == RADIUS_M


def check_heightmaps(folder):
    place = "--at 30.3,20.2 --engine unreal --size 253 --resolution 800"
    terrane(folder, f"region w.terrane -o a.png {place}")
    terrane(folder, f"region w.terrane -o a.r16 -o a.r32 {place}")
    expected, _ = numbers(folder, "a.r32")
    about = json.loads((folder / "a.png.json").read_text())
    low, high = expected.min().astype("f8"), expected.max().astype("f8")
    assert (about["min"], about["max"]) == (low, high) and about["byte_order"] == "big"
    steps = np.round((expected[0].astype("f8") - low) / (high - low) * 65535).astype("u2")
    with rasterio.open(folder / "a.png") as data:
        assert data.dtypes == ("uint16",) and data.shape == (253, 253)
        assert np.array_equal(data.read(1), steps)
    assert np.array_equal(np.fromfile(folder / "a.r16", dtype="<u2").reshape(253, 253), steps)
    engines = about["engines"]
    assert engines["range_m"] == high - low and engines["spacing_m"] == [800, 800]
    unreal, unity = engines["unreal"], engines["unity"]
    assert math.isclose(unreal["scale_z"], (high - low) * 100 / 512) and unreal["scale_x"] == 80_000
    # as the engine does it: steps of 1/128 of the scale in centimetres around the location
    metres = ((steps.astype("f8") - 32768) / 128 * unreal["scale_z"] + unreal["location_z_cm"]) / 100
    assert np.abs(metres - expected[0]).max() < (high - low) / 65535 * 2
    assert unity == {
        "terrain_width_m": 252 * 800,
        "terrain_length_m": 252 * 800,
        "terrain_height_m": high - low,
        "position_y_m": low,
    }


def check_web_tiles(folder):
    for encoding in ("terrarium", "mapbox"):
        terrane(folder, f"region w.terrane -o {encoding}.pmtiles --bbox 20,10,50,40 --min-zoom 1 --max-zoom 5"
                        f" --encoding {encoding} --method classic")
        with open(folder / f"{encoding}.pmtiles", "rb") as file:
            source = MmapSource(file)
            reader = Reader(source)
            header, metadata = reader.header(), reader.metadata()
            assert (header["min_zoom"], header["max_zoom"]) == (1, 5), header
            assert header["tile_type"].name == "PNG" and header["clustered"], header
            box = [header[k] / 1e7 for k in ("min_lon_e7", "min_lat_e7", "max_lon_e7", "max_lat_e7")]
            assert box == [20, 10, 50, 40] and metadata["encoding"] == encoding
            tiles = dict(all_tiles(source))
            assert header["addressed_tiles_count"] == len(tiles)
            wanted = set()
            for zoom in range(1, 6):
                column = lambda lon: (lon + 180) / 360 * 2**zoom
                row = lambda lat: (0.5 - math.atanh(math.sin(math.radians(lat))) / math.tau) * 2**zoom
                columns = range(math.floor(column(20)), math.ceil(column(50)))
                rows = range(math.floor(row(40)), math.ceil(row(10)))
                wanted |= {(zoom, x, y) for x in columns for y in rows}
            assert set(tiles) == wanted, set(tiles) ^ wanted
            for z, x, y in [(1, 1, 0), (5, 18, 14), (5, 20, 13)]:
                assert reader.get(z, x, y) == tiles[z, x, y]
                heights_of(folder, encoding, (z, x, y), tiles[z, x, y])


def check_web_tiles_over_the_antimeridian(folder):
    terrane(folder, "region w.terrane -o a.pmtiles --bbox 165,-20,-155,10 --max-zoom 5 --method classic")
    with open(folder / "a.pmtiles", "rb") as file:
        source = MmapSource(file)
        reader = Reader(source)
        header, metadata = reader.header(), reader.metadata()
        names = ("min_lon_e7", "min_lat_e7", "max_lon_e7", "max_lat_e7", "center_lon_e7", "center_lat_e7")
        assert [header[k] / 1e7 for k in names] == [-180, -20, 180, 10, -175, -5], header
        assert metadata["antimeridian_adjusted_bounds"] == "165,-20,205,10", metadata
        tiles = dict(all_tiles(source))
        assert header["addressed_tiles_count"] == len(tiles)
        row = lambda lat: (0.5 - math.atanh(math.sin(math.radians(lat))) / math.tau)
        wanted = set()
        for zoom in range(6):
            side = 2**zoom
            columns = range(math.floor(345 / 360 * side), math.ceil(385 / 360 * side))
            rows = range(math.floor(row(10) * side), math.ceil(row(-20) * side))
            wanted |= {(zoom, x % side, y) for x in columns for y in rows}
        assert set(tiles) == wanted, set(tiles) ^ wanted
        for tile in [(0, 0, 0), (5, 31, 16), (5, 0, 16)]:
            assert reader.get(*tile) == tiles[tile]
            heights_of(folder, "terrarium", tile, tiles[tile])


def heights_of(folder, encoding, tile, png):
    """A tile holds what a region of the same tile holds."""
    with rasterio.io.MemoryFile(png) as file, file.open() as data:
        red, green, blue = data.read().astype("f8")
    if encoding == "terrarium":
        heights, step = red * 256 + green + blue / 256 - 32768, 1 / 256
    else:
        heights, step = (red * 65536 + green * 256 + blue) / 10 - 10000, 0.1
    z, x, y = tile
    terrane(folder, f"region w.terrane -o t.r32 --tile {z}/{x}/{y} --method classic")
    expected, _ = numbers(folder, "t.r32")
    assert heights.shape == (256, 256)
    assert np.abs(heights - expected[0]).max() <= step / 2 + 2e-3, (tile, np.abs(heights - expected[0]).max())


def check_mesh(folder):
    terrane(folder, "region w.terrane -o a.glb -o a.r32 --at 30.3,20.2 --span 90,60 --resolution 500"
                    " --layers elevation")
    terrane(folder, "region w.terrane -o s.r32 --at 30.3,20.2 --span 90,60 --resolution 500 --layers water_surface")
    surface, about = numbers(folder, "s.r32")
    rows, columns = surface.shape[1:]
    mesh = GLTF2().load(str(folder / "a.glb"))
    blob = mesh.binary_blob()
    size = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}
    arrays = []
    for accessor in mesh.accessors:
        view = mesh.bufferViews[accessor.bufferView]
        assert view.byteOffset % 4 == 0 and view.byteOffset + view.byteLength <= len(blob)
        kind = {5126: "<f4", 5125: "<u4"}[accessor.componentType]
        bytes_of = blob[view.byteOffset:view.byteOffset + view.byteLength]
        values = np.frombuffer(bytes_of, dtype=kind).reshape(accessor.count, size[accessor.type])
        arrays.append(values)
    positions, normals, places, triangles = arrays
    accessor = mesh.accessors[0]
    assert positions.min(axis=0).tolist() == accessor.min and positions.max(axis=0).tolist() == accessor.max
    assert positions.shape == (rows * columns, 3)
    assert np.array_equal(positions[:, 1].reshape(rows, columns), surface[0])
    assert np.allclose(np.diff(positions[:, 0].reshape(rows, columns), axis=1), 500)
    assert np.allclose(np.diff(positions[:, 2].reshape(rows, columns), axis=0), 500), "south is z"
    assert np.allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-6) and (normals[:, 1] > 0).all()
    corners = positions[triangles.reshape(-1, 3)].astype("f8")
    up = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 1]
    assert triangles.max() == rows * columns - 1 and len(corners) == 2 * (rows - 1) * (columns - 1)
    assert (up > 0).all() and math.isclose(up.sum() / 2, (rows - 1) * (columns - 1) * 500**2), "seen from above"
    assert places.min() > 0 and places.max() < 1 and places[0, 1] < places[-1, 1], "the picture's north is up"
    view = mesh.bufferViews[mesh.images[0].bufferView]
    png = blob[view.byteOffset:view.byteOffset + view.byteLength]
    with rasterio.io.MemoryFile(png) as file, file.open() as data:
        assert data.shape == (rows, columns) and data.count == 3


def check_printed_maps(folder):
    """A PDF and an SVG of one region: their size, words, layers, and the same picture to the pixel; both can be drawn."""
    terrane(folder, "region w.terrane -o a.pdf -o a.svg --bbox 20,10,40,20 --dpi 100 --style atlas --title Mornivale")
    paper = (297 / 25.4 * 72, 210 / 25.4 * 72)
    page = pypdfium2.PdfDocument(folder / "a.pdf")[0]
    assert np.allclose(page.get_size(), paper, atol=0.01), page.get_size()
    words = page.get_textpage().get_text_range()
    for word in ["Mornivale", "30°E", "15°N", "1 : ", "km", "Land, m", "Contours"]:
        assert word in words, (word, words)
    assert words.count("Mornivale") == 1, "no word stands on the page twice"
    images = [o for o in page.get_objects() if o.type == pypdfium2.raw.FPDF_PAGEOBJ_IMAGE]
    assert len(images) == 1, len(images)
    drawn = page.render(scale=2).to_numpy()
    assert drawn.std() > 20 and (drawn[:20] == 255).all(), "a map with a blank margin"

    svg = xml.etree.ElementTree.parse(folder / "a.svg").getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert [float(svg.get(k).removesuffix("pt")) for k in ("width", "height")] == [round(side, 2) for side in paper]
    texts = ["".join(t.itertext()) for t in svg.iter(f"{space}text")]
    assert "Mornivale" in texts and "16°N" in texts, texts
    layers = {g.get("{http://www.inkscape.org/namespaces/inkscape}label") for g in svg.iter(f"{space}g")}
    assert layers >= {"relief", "contours", "rivers", "coast", "frame", "legend"}, layers
    (image,) = svg.iter(f"{space}image")
    head, data = image.get("{http://www.w3.org/1999/xlink}href").split(",", 1)
    assert head == "data:image/png;base64"
    with rasterio.MemoryFile(base64.b64decode(data, validate=True)) as file, file.open() as png:
        pixels = np.moveaxis(png.read(), 0, 2)
    held = images[0].get_bitmap().to_numpy()[:, :, ::-1]
    assert pixels.shape == held.shape and np.array_equal(pixels, held), (pixels.shape, held.shape)
    # 100 samples to the inch, and as wide as the picture is on paper
    side = [float(image.get(k)) / 72 * 100 for k in ("width", "height")]
    assert abs(pixels.shape[1] * pixels.shape[0] / (side[0] * side[1]) - 1) < 0.02, (pixels.shape, side)


def corners(geometry):
    """All corners of a shape, in its own order."""
    return shapely.get_coordinates(geometry)


def check_vectors(folder):
    line = "region w.terrane --bbox=-20,-10,40,30 --resolution 20000 --layers rivers,ridges,peaks"
    for ending in ("geojson", "fgb"):
        terrane(folder, f"{line} -o a.{ending}")
    geopackage = True
    try:
        terrane(folder, f"{line} -o a.gpkg")
    except AssertionError as refused:
        if "without GeoPackages" not in str(refused):
            raise
        geopackage = False
    for layer in ("rivers", "ridges", "peaks"):
        plain = json.loads((folder / f"a.{layer}.geojson").read_text())["features"]
        assert len(plain) > 5, layer
        files = [(folder / f"a.{layer}.geojson", {}), (folder / f"a.{layer}.fgb", {})]
        files += [(folder / "a.gpkg", {"layer": layer})] if geopackage else []
        tables = [geopandas.read_file(path, **which) for path, which in files]
        for table in tables:
            assert len(table) == len(plain) and table.crs.to_epsg() == 4326, (layer, table.crs)
            assert set(plain[0]["properties"]) <= set(table.columns), table.columns
        # FlatGeobuf has an order of its own; GeoJSON has seven digits, and single lines where the others have bundles of one
        shapes = [sorted(tuple(map(tuple, np.round(corners(g), 6))) for g in table.geometry) for table in tables]
        assert all(len(s) == len(shapes[0]) for s in shapes)
        for other in shapes[1:]:
            for a, b in zip(shapes[0], other):
                assert np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=0, atol=2e-6), (layer, a, b)
        for name in plain[0]["properties"]:
            values = [sorted(map(str, table[name].dropna().tolist())) for table in tables]
            assert all(v == values[0] for v in values), (layer, name)


def main():
    names = ("geopandas", "numpy", "pmtiles", "pygltflib", "pyogrio", "rasterio", "rio-cogeo", "xarray", "zarr")
    print(", ".join(f"{name} {importlib.metadata.version(name)}" for name in names), f"GDAL {rasterio.__gdal_version__}")
    checks = {name: check for name, check in globals().items() if name.startswith("check_")}
    wanted = sys.argv[2:] or checks
    failed = 0
    with tempfile.TemporaryDirectory() as world:
        terrane(world, "generate -o w.terrane --cells 32 --quiet")
        for name in wanted:
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "w.terrane").symlink_to(Path(world) / "w.terrane")
                try:
                    checks[name](Path(folder))
                    print(f"{name}: as expected", flush=True)
                except Exception:
                    failed += 1
                    traceback.print_exc(file=sys.stdout)
                    print(f"{name}: FAILED", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
