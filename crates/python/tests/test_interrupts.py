"""Ctrl-C, and exceptions of whoever is told of progress, end long work; what is left goes on as if nothing had been."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import terrane
from terrane import hydro

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be sent Ctrl-C alone")

BEGIN = """
import os, signal, sys, threading, time
import numpy as np
import terrane

# what a shell runs in the background is told to ignore it
signal.signal(signal.SIGINT, signal.default_int_handler)

def interrupt(after):
    threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT)).start()
    return time.monotonic() + after

def ended(work, after=1.0):
    sent = interrupt(after)
    try:
        work()
    except KeyboardInterrupt:
        late = time.monotonic() - sent
        assert 0 <= late < 2, f"ended {late:.2f} s after the signal"
        return late
    raise SystemExit("it was not interrupted")
"""


def in_a_process(code: str, folder: Path) -> str:
    command = [sys.executable, "-c", BEGIN + code]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    # nothing is said of a panic
    assert done.stderr == ""
    return done.stdout


def test_generating_can_be_interrupted(tmp_path: Path) -> None:
    code = """
print(ended(lambda: terrane.generate(cells=1024)))
small = terrane.generate(seed=42, cells=32)
print(small.info()["digest"])
"""
    found = in_a_process(code, tmp_path).split()
    assert found[1] == terrane.generate(seed=42, cells=32).info()["digest"]


def test_a_region_can_be_interrupted_and_the_world_goes_on(tmp_path: Path) -> None:
    code = """
world = terrane.generate(seed=42, cells=64)
for method in ("drainage", "classic"):
    large = dict(center=(20, 40), span=300_000, resolution=40, method=method)
    print(ended(lambda: world.region(**large)))
    small = dict(center=(20, 40), span=40_000, resolution=100, layers=["elevation", "discharge", "order"], method=method)
    fresh = terrane.generate(seed=42, cells=64)
    assert world.region(**small).identical(fresh.region(**small)), method
# work that was left alone ends long before it is done (which would take 40 s): the processor is free again
for _ in range(15):
    before = time.process_time()
    time.sleep(1)
    if time.process_time() - before < 0.2:
        break
else:
    raise SystemExit("something goes on")
"""
    in_a_process(code, tmp_path)


def test_saving_can_be_interrupted(tmp_path: Path) -> None:
    code = """
world = terrane.generate(seed=42, cells=256)
world.save("old.terrane")
size = os.path.getsize("old.terrane")
print(ended(lambda: [world.save("old.terrane") for _ in range(1000)], 0.7))
assert terrane.open("old.terrane").info()["digest"] == world.info()["digest"]
assert world.save("new.terrane") == size
time.sleep(0.5)
assert sorted(os.listdir()) == ["new.terrane", "old.terrane"], os.listdir()
"""
    in_a_process(code, tmp_path)


def test_water_can_be_interrupted(tmp_path: Path) -> None:
    code = """
heights = np.random.default_rng(1).random((3000, 3000), dtype=np.float32)
print(ended(lambda: terrane.hydro.breach(heights, breach_length=np.inf, most_cells=None), 1.0))
assert terrane.hydro.fill(np.float32([[2, 2, 2], [2, 1, 2], [2, 2, 2]]))[1, 1] == 2
print("here", time.monotonic())
"""
    # what goes on beside does not keep the program from its end
    end = float(in_a_process(code, tmp_path).split()[-1])
    assert time.monotonic() - end < 5


def test_exceptions_of_progress_end_the_work(world: terrane.World, tmp_path: Path) -> None:
    told = []

    def enough(stage: str, share: float) -> None:
        told.append((stage, share, threading.current_thread()))
        if share > 0.3:
            raise RuntimeError(f"enough at {share:.1f}")

    with pytest.raises(RuntimeError, match="enough"):
        terrane.generate(cells=32, progress=enough)
    assert told[-1][0] == "mountains", "nothing is told after it was raised"
    asked = {"center": (20, 40), "span": 100_000, "resolution": 100}
    with pytest.raises(RuntimeError, match="enough"):
        world.region(**asked, progress=enough)
    (tmp_path / "a").mkdir()
    with pytest.raises(RuntimeError, match="enough"):
        world.save(tmp_path / "a" / "w.terrane", progress=enough)
    # it is told in the thread that asks
    assert {thread for _, _, thread in told} == {threading.current_thread()}
    again = terrane.generate(seed=42, cells=64)
    assert again.region(**asked).identical(world.region(**asked))


def test_signals_with_handlers_of_their_own(world: terrane.World) -> None:
    class Late(Exception): ...

    def raise_late(*_: object) -> None:
        raise Late

    before = signal.signal(signal.SIGALRM, raise_late)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        begun = time.monotonic()
        with pytest.raises(Late):
            world.region(center=(20, 40), span=600_000, resolution=50)
        assert time.monotonic() - begun < 2.3
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_small_work_is_not_slow() -> None:
    heights = np.zeros((8, 8), np.float32)
    begun = time.monotonic()
    for _ in range(200):
        hydro.fill(heights)
    assert time.monotonic() - begun < 1.0
