"""Makes the GeoTIFFs in this folder with GDAL (rasterio 1.4, GDAL 3.9 or later): python make.py

The tests read the files as they are here; they never run this. Band b (from 0) of a file that is named after its
kind, as in `f32_zstd_p3_tile_band_be_big.tif`, holds at row r and column c

    f32, f64         (1000 b + 37 r + c) / 8 - 50
    signed           5 b + 3 r + 2 c - 60
    unsigned         5 b + 3 r + 2 c
"""

import itertools, os, random, sys
import numpy as np
import rasterio
from rasterio.control import GroundControlPoint
from rasterio.transform import Affine, from_origin

here = os.path.dirname(os.path.abspath(__file__))
W, H = 21, 19
UTM = dict(crs="EPSG:32633", transform=from_origin(500000, 5300000, 30, 30))
DTYPES = dict(u8="uint8", i8="int8", u16="uint16", i16="int16", u32="uint32", i32="int32", u64="uint64", i64="int64", f32="float32", f64="float64")


def ground(kind, band=0, w=W, h=H):
    r, c = np.mgrid[0:h, 0:w].astype(float)
    if kind[0] == "f":
        v = (1000 * band + 37 * r + c) / 8 - 50
    else:
        v = 5 * band + 3 * r + 2 * c - (60 if kind[0] == "i" else 0)
    return v.astype(DTYPES[kind])


def write(name, data, tags=None, scale=None, offset=None, unit=None, env=None, **profile):
    path = os.path.join(here, name + ".tif")
    data = np.asarray(data)
    data = data if data.ndim == 3 else data[None]
    profile = {**UTM, **profile}
    profile = {k: v for k, v in profile.items() if v is not None}
    with rasterio.Env(**(env or {})):
        with rasterio.open(path, "w", driver="GTiff", width=data.shape[2], height=data.shape[1], count=data.shape[0], dtype=data.dtype, **profile) as out:
            out.write(data)
            if scale is not None:
                out.scales, out.offsets = scale, offset
            if unit is not None:
                out.units = unit
            if tags:
                out.update_tags(**tags)
    if os.path.exists(path + ".aux.xml"):
        os.remove(path + ".aux.xml")
        print("had a sidecar:", name)


AXES = [list(DTYPES), ["none", "packbits", "lzw", "deflate", "zstd"], ["p1", "p2", "p3"], ["tile", "strip"], ["band", "pixel"], ["le", "be"], ["small", "big"]]


def possible(case):
    kind, packing, predictor, shape = case[:4]
    if kind[1:] == "64" and packing in ("none", "packbits") and shape == "tile":
        return False  # large files
    if packing in ("none", "packbits") and predictor != "p1":
        return False
    return predictor != "p3" or kind[0] == "f"


def covering():
    """Cases in which every possible pair of choices occurs, picked greedily."""
    rng = random.Random(7)
    cases = [c for c in itertools.product(*AXES) if possible(c)]
    pairs = lambda c: {(i, c[i], j, c[j]) for i in range(len(c)) for j in range(i)}
    left = set().union(*map(pairs, cases))
    while left:
        best = max(rng.sample(cases, 300), key=lambda c: len(pairs(c) & left))
        if pairs(best) & left:
            left -= pairs(best)
            yield best


def kinds():
    for kind, packing, predictor, shape, inter, endian, big in covering():
        options = dict(interleave=inter, ENDIANNESS="BIG" if endian == "be" else "LITTLE", BIGTIFF="YES" if big == "big" else "NO")
        if packing != "none":
            options["compress"] = packing
        if predictor != "p1":
            options["predictor"] = int(predictor[1])
        options.update(dict(tiled=True, blockxsize=16, blockysize=16) if shape == "tile" else dict(blockysize=5))
        data = np.stack([ground(kind, b) for b in range(2)])
        write("_".join([kind, packing, predictor, shape, inter, endian, big]), data, **options)


def missing():
    z = ground("f32")
    z[3, 4] = z[18, 20] = -9999
    write("nodata_9999", z, nodata=-9999.0, compress="deflate")
    z = ground("f32")
    z[3, 4] = z[18, 20] = np.nan
    write("nodata_nan", z, nodata=float("nan"), compress="deflate")
    z = ground("f32")
    z[3, 4] = z[18, 20] = np.finfo("f4").min
    write("nodata_lowest", z, nodata=-3.4028234663852886e38, compress="deflate")
    z = ground("f64")
    z[3, 4] = z[18, 20] = -1e300
    write("nodata_f64", z, nodata=-1e300, compress="deflate")
    z = ground("i64")
    z[3, 4] = z[18, 20] = -(2**53)
    z[0, 0] = -(2**53) - 1  # the same number as a double
    write("nodata_i64", z, nodata=-(2**53), compress="deflate")
    z = ground("u8")
    z[3, 4] = z[18, 20] = 255
    write("nodata_u8", z, nodata=255, compress="deflate")
    z = ground("f32")
    z[3, 4], z[18, 20], z[18, 0] = np.inf, -np.inf, np.nan
    write("infinite", z, compress="deflate")
    tile = dict(tiled=True, blockxsize=16, blockysize=16, SPARSE_OK="TRUE", compress="lzw")
    z = ground("i16")
    z[:16, 16:] = -999
    write("sparse_nodata", z, nodata=-999, **tile)
    z = ground("f32")
    z[16:, :16] = 0
    write("sparse_zero", z, **tile)
    write("scaled", np.stack([ground("i16"), ground("i16", 1)]), nodata=-58, scale=(0.25, 1.0), offset=(100.0, 0.0), unit=("dm", "ft"), compress="deflate")


def placed():
    z, small = ground("i16"), dict(compress="deflate")
    turn = Affine(30, 0, 500000, 0, -30, 5300000) * Affine.rotation(20)
    write("place_south_up", z, transform=Affine(30, 0, 500000, 0, 20, 5300000), tiled=True, blockxsize=16, blockysize=16, **small)
    write("place_rotated", z, transform=turn, **small)
    write("place_point", z, tags=dict(AREA_OR_POINT="Point"), **small)
    write("place_lonlat", z, crs="EPSG:4326", transform=from_origin(10, 47, 0.25, 0.5), **small)
    write("place_none", z, crs=None, **small)
    write("place_nowhere", z, crs=None, transform=None, **small)
    write("place_usfeet", z, crs="EPSG:2263", **small)
    write("place_mercator", z, crs="EPSG:3857", **small)
    write("place_latitude_too_far", z, crs="EPSG:4326", **small)
    write("place_pole", ground("i16", 0, 8, 5), crs="EPSG:4326", transform=from_origin(-202.5, 112.5, 45, 45), **small)
    mars = "+proj=longlat +a=3396190 +b=3376200 +no_defs"
    write("place_mars", z, crs=mars, transform=from_origin(137, -4, 0.25, 0.5), **small)
    lambert = "+proj=laea +lat_0=52 +lon_0=10 +x_0=4321000 +y_0=3210000 +ellps=GRS80 +to_meter=0.3048 +no_defs"
    write("place_own_feet", z, crs=lambert, transform=from_origin(4300000, 3300000, 100, 50), **small)
    gcps = [GroundControlPoint(r, c, 500000 + 30 * c, 5300000 - 30 * r) for r, c in [(0, 0), (0, 20), (18, 0)]]
    write("place_points_only", z, crs="EPSG:32633", transform=None, gcps=gcps, **small)


def refused():
    z = ground("u8")
    write("no_complex", ground("f32").astype("complex64"), compress="deflate")
    write("no_palette", z, photometric="palette")
    write("no_bits", z % 2, nbits=1)
    write("no_jpeg", z, compress="jpeg")


def odd():
    with_mask = os.path.join(here, "with_mask.tif")
    write("with_mask", ground("i16"), compress="deflate")
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True), rasterio.open(with_mask, "r+") as out:
        out.write_mask(ground("u8") % 2 == 0)
    write("one_strip", ground("f32"), blockysize=H)
    write("one_cell", ground("f32", 0, 1, 1))
    write("one_row", ground("i32", 0, 50, 1), tiled=True, blockxsize=16, blockysize=16, compress="lzw")
    write("one_column", ground("u16", 0, 1, 50), blockysize=7, compress="packbits")
    write("overviews", ground("f32", 0, 40, 40), tiled=True, blockxsize=16, blockysize=16, compress="deflate")
    with rasterio.open(os.path.join(here, "overviews.tif"), "r+") as out:
        out.build_overviews([2])


for make in (kinds, missing, placed, refused, odd):
    make()
names = [n for n in os.listdir(here) if n.endswith(".tif")]
print(len(names), "files,", sum(os.path.getsize(os.path.join(here, n)) for n in names), "bytes")
