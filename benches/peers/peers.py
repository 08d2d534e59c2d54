#!/usr/bin/env python3
"""Times other programs on the elevations that `cargo bench --bench hydro` uses, one thread, in memory.

    python3 benches/peers/peers.py [SIDE]...        # 4096 if none is given
    cargo bench --bench hydro                       # finds what this wrote, and prints ratios

Installs the peers from PyPI into target/peers/venv, writes the elevation (target/peers/dem_SIDE.npy) and the best of
three CPU times of each operation (target/peers/peers_SIDE.json). RichDEM's C++ is compiled from its source package
with g++, if there is one; without GDAL. Sides above 4096 are for it alone, once: the others take minutes. Needs Python 3.10 or newer; nothing of this is needed to build or test Terrane.
"""
import json
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORK = HERE.parent.parent / "target" / "peers"
VENV = WORK / "venv"
PACKAGES = ["numpy==2.4.6", "pyflwdir==0.5.12", "topotoolbox==0.0.12", "fastscapelib==0.3.0", "pysheds==0.5"]
RICHDEM = "richdem==0.3.4"  # the last release whose C++ is on PyPI
PY_RICHDEM = "py-richdem==2.2.0rc3"
REPEATS = 3
MOST_SIDE = 4096
DOME = 14  # standard deviations of the surface
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS")}


def install():
    """The virtual environment with all peers, and RichDEM's headers."""
    python = VENV / "bin" / "python"
    if not python.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--pre", PY_RICHDEM], check=True)
    driver = WORK / "richdem_driver"
    if not driver.exists():
        command = [python, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "--no-build-isolation"]
        subprocess.run([*command, "-d", WORK, RICHDEM], check=False)
        source = next(iter(WORK.glob("richdem-*.tar.gz")), None)
        if source:
            subprocess.run(["tar", "xzf", source, "-C", WORK], check=True)
            include = next(WORK.glob("richdem-*/lib"))
            flags = ["-O3", "-march=native", "-DNOPROGRESS", "-DNDEBUG", "-std=c++17", "-w", f"-I{include}"]
            hash_ = ['-DRICHDEM_GIT_HASH="0"', '-DRICHDEM_COMPILE_TIME="0"']
            built = subprocess.run(["g++", *flags, *hash_, HERE / "richdem_driver.cpp", "-o", driver])
            if built.returncode:
                print("RichDEM's C++ could not be compiled: left out", file=sys.stderr)
    return python, driver


def elevation(side):
    """A fractional Brownian surface (profile exponent 2) on a dome: about 23 % of 4096 x 4096 lie in depressions."""
    import numpy as np

    rng = np.random.default_rng(42)
    k = np.hypot(np.fft.fftfreq(side)[:, None], np.fft.rfftfreq(side)[None, :])
    k[0, 0] = np.inf
    z = np.fft.irfft2(np.fft.rfft2(rng.standard_normal((side, side))) * k**-1.5, s=(side, side))
    u = np.linspace(-1, 1, side)
    z = (z - z.mean()) / z.std() + DOME * np.outer(1 - u * u, 1 - u * u)
    return (z * 400).astype(np.float32)


def best(work, prepare=lambda: None):
    """Least CPU seconds of a few runs, after one that compiles what is compiled on the way."""
    times = []
    for _ in range(REPEATS + 1):
        given = prepare()
        start = time.process_time()
        result = work(given)
        times.append(time.process_time() - start)
        del result
    return min(times[1:])


def measure(side):
    """All peers that speak Python."""
    import numpy as np

    z = np.load(WORK / f"dem_{side}.npy")
    found = {}

    def put(operation, peer, work, prepare=lambda: None):
        try:
            found.setdefault(operation, {})[peer] = round(best(work, prepare), 4)
            print(f"{peer:14} {operation:20} {found[operation][peer]}", file=sys.stderr)
        except Exception as error:  # a peer that fails is left out, by name
            print(f"{peer} {operation}: {type(error).__name__}: {error}", file=sys.stderr)

    import richdem as rd

    grid = lambda: rd.rdarray(z.copy(), no_data=-9999)
    put("fill", "py-richdem", lambda g: rd.FillDepressions(g, in_place=True), grid)
    put("fill_epsilon", "py-richdem", lambda g: rd.FillDepressions(g, epsilon=True, in_place=True), grid)
    put("breach", "py-richdem", lambda g: rd.BreachDepressions(g, in_place=True), grid)

    def richdem_pipeline(g):
        rd.FillDepressions(g, epsilon=True, in_place=True)
        return rd.FlowAccumulation(g, method="D8")

    put("pipeline", "py-richdem", richdem_pipeline, grid)
    put("dinf_accumulation", "py-richdem", lambda g: rd.FlowAccumulation(g, method="Dinf"), grid)
    put("mfd_accumulation", "py-richdem", lambda g: rd.FlowAccumulation(g, method="Freeman", exponent=1.1), grid)

    import pyflwdir

    put("fill_and_directions", "pyflwdir", lambda _: pyflwdir.dem.fill_depressions(z, outlets="edge"))
    _, d8 = pyflwdir.dem.fill_depressions(z, outlets="edge")
    flow = pyflwdir.from_array(d8, ftype="d8", check_ftype=False)
    put("order", "pyflwdir", lambda f: f.order_cells(),
        lambda: pyflwdir.from_array(d8, ftype="d8", check_ftype=False))
    flow.order_cells()
    put("accumulation_ordered", "pyflwdir", lambda _: flow.upstream_area())

    def fresh():
        flow._cached.clear() if hasattr(flow, "_cached") else None
        return flow

    from pyflwdir import basins, streams

    put("strahler", "pyflwdir", lambda f: streams.strahler_order(f.idxs_ds, f.idxs_seq), fresh)
    put("basins", "pyflwdir", lambda f: f.basins(), fresh)

    def pyflwdir_pipeline(_):
        _, directions = pyflwdir.dem.fill_depressions(z, outlets="edge")
        f = pyflwdir.from_array(directions, ftype="d8", check_ftype=False)
        f.order_cells()
        return f.upstream_area(), f.stream_order(), f.basins()

    put("pipeline", "pyflwdir", pyflwdir_pipeline)

    import topotoolbox as tt

    def tt_grid():
        g = tt.GridObject()
        g.z = z.copy()
        g.cellsize = 30.0
        return g

    put("fill", "topotoolbox", lambda g: g.fillsinks(), tt_grid)
    put("pipeline", "topotoolbox", lambda g: tt.FlowObject(g).flow_accumulation(), tt_grid)

    import fastscapelib as fs

    def fs_graph():
        g = fs.RasterGrid([side, side], [30.0, 30.0], fs.NodeStatus.FIXED_VALUE)
        # the graph does not keep its grid alive
        return g, fs.FlowGraph(g, [fs.SingleFlowRouter(), fs.MSTSinkResolver()]), z.astype(float)

    def fs_pipeline(given):
        _, graph, heights = given
        graph.update_routes(heights)
        return graph.accumulate(1.0), graph.basins()

    put("pipeline", "fastscapelib", fs_pipeline, fs_graph)

    np.in1d = np.isin  # pysheds 0.5 still asks for the old name
    from pysheds.grid import Grid
    from pysheds.view import Raster, ViewFinder
    from affine import Affine

    view = ViewFinder(affine=Affine(30, 0, 0, 0, -30, 0), shape=z.shape, nodata=np.float64(-9999))

    def ps_pipeline(_):
        raster = Raster(z.astype(np.float64), viewfinder=view)
        g = Grid.from_raster(raster)
        flooded = g.fill_depressions(g.fill_pits(raster))
        return g.accumulation(g.flowdir(g.resolve_flats(flooded)))

    put("pipeline", "pysheds", ps_pipeline)
    return found


def main():
    if sys.argv[1:2] == ["--measure"]:
        found = measure(int(sys.argv[2]))
        (WORK / f"peers_{sys.argv[2]}.json").write_text(json.dumps(found))
        return
    if sys.argv[1:2] == ["--elevation"]:
        import numpy as np

        np.save(WORK / f"dem_{sys.argv[2]}.npy", elevation(int(sys.argv[2])))
        return
    python, driver = install()
    environment = os.environ | ONE_THREAD
    for side in [int(text) for text in sys.argv[1:]] or [4096]:
        if not (WORK / f"dem_{side}.npy").exists():
            subprocess.run([python, __file__, "--elevation", str(side)], check=True)
        found, repeats = {}, 1
        if side <= MOST_SIDE:
            quiet = subprocess.DEVNULL  # some peers talk
            subprocess.run([python, __file__, "--measure", str(side)], check=True, env=environment, stdout=quiet)
            found, repeats = json.loads((WORK / f"peers_{side}.json").read_text()), REPEATS
        if driver.exists():
            command = [driver, WORK / f"dem_{side}.npy", str(side), str(repeats)]
            lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
            for line in lines.splitlines():
                operation, seconds = line.rsplit(" ", 1)
                found.setdefault(operation, {})["richdem C++"] = float(seconds)
        (WORK / f"peers_{side}.json").write_text(json.dumps(found, indent=1, sort_keys=True))
        print(json.dumps(found, indent=1, sort_keys=True))


main()
