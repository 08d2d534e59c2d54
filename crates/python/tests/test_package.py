"""What the package says of itself, and the notebook in docs/."""

from __future__ import annotations

import ast
import doctest
import inspect
import json
from pathlib import Path

import pytest
import terrane
from terrane import _terrane, hydro

PACKAGE = Path(terrane.__file__).parent
NOTEBOOKS = sorted((Path(__file__).parents[3] / "docs" / "notebooks").glob("*.ipynb"))


def _is_name(node: ast.stmt) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.AnnAssign))


def test_it_is_typed_and_its_stub_is_complete() -> None:
    assert (PACKAGE / "py.typed").is_file()
    stub = ast.parse((PACKAGE / "_terrane.pyi").read_text())
    classes = {
        node.name: {n.name if isinstance(n, ast.FunctionDef) else ast.unparse(n.target) for n in node.body if _is_name(n)}
        for node in stub.body
        if isinstance(node, ast.ClassDef)
    }
    public = lambda thing: {name for name in dir(thing) if not name.startswith("_")}  # noqa: E731
    assert classes["World"] == public(_terrane.World)
    assert classes["_hydro"] == public(_terrane._hydro)


def test_everything_public_is_explained() -> None:
    for thing in (terrane.generate, terrane.open, terrane.World, terrane.Layers, terrane.WorldFileError):
        assert inspect.getdoc(thing)
    for owner in (terrane.World, hydro):
        for name in vars(owner) if owner is terrane.World else hydro.__all__:
            if not name.startswith("_"):
                assert inspect.getdoc(getattr(owner, name)), name


@pytest.mark.parametrize("module", [terrane, hydro])
def test_examples(module: object) -> None:
    found = doctest.testmod(module)  # type: ignore[arg-type]
    assert found.attempted > 2 and found.failed == 0


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    book = json.loads(path.read_text())
    names: dict[str, object] = {}
    for number, cell in enumerate(book["cells"]):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), names)
    assert len(names["statistics"]["streams by order"]) >= 3
    assert names["agreement"] > 0.95


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS
