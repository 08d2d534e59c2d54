"""Worlds that several tests look at."""

from __future__ import annotations

import matplotlib
import pytest
import terrane

matplotlib.use("Agg")


@pytest.fixture(scope="session")
def world() -> terrane.World:
    return terrane.generate(seed=42, cells=64)


@pytest.fixture(scope="session")
def flat() -> terrane.World:
    return terrane.generate(recipe="island", cells=64)
