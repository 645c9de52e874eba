"""The wheel, installed in an empty environment outside the checkout, runs the README."""

import os
import site
import venv
import zipfile
from pathlib import Path

import pytest

from tests.support import ROOT, Readme, run_python

pytestmark = pytest.mark.xdist_group("wheel")  # one process builds it, once


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run_python("-m", "hatchling", "build", "--target", "wheel", "--directory", folder, cwd=ROOT)
    (built,) = folder.glob("nbgraph-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The Python of an environment that holds the wheel, and borrows only its dependencies.

    They come from this environment by a path line, behind the wheel's own files. Path files of
    a borrowed directory are not read, so that the editable checkout stays invisible.
    """
    place = tmp_path_factory.mktemp("empty") / "venv"
    venv.create(place, symlinks=os.name != "nt")
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = ["-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel]
    run_python(*pip)
    ask = "import site; print(site.getsitepackages()[0])"
    packages = Path(run_python("-c", ask, python=python).strip())
    (packages / "borrowed.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    return python


def test_wheel_holds_the_package_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    roots = {name.split("/")[0] for name in names}
    assert {root.split("-")[0] for root in roots} == {"nbgraph"}, roots
    assert "nbgraph/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    inside = {n.removeprefix("nbgraph/") for n in names if n.startswith("nbgraph/")}
    source = ROOT / "src" / "nbgraph"
    assert {p.relative_to(source).as_posix() for p in source.rglob("*.py")} <= inside
    assert {"kernels/vector_math/texts.ll", "kernels/vector_math/special.ll"} <= inside


def test_nbgraph_comes_from_the_wheel(installed, tmp_path):
    where = run_python(
        "-I", "-c", "import nbgraph; print(nbgraph.__file__)", python=installed, cwd=tmp_path
    )
    assert Path(where.strip()).is_relative_to(installed.parent.parent)
    assert not Path(where.strip()).is_relative_to(ROOT)


def test_readme_runs_from_the_wheel(installed, tmp_path):
    readme = Readme.of((ROOT / "README.md").read_text(encoding="utf-8"))
    program = tmp_path / "readme.py"
    program.write_text(readme.program, encoding="utf-8")
    printed = run_python("-I", program, python=installed, cwd=tmp_path)
    readme.check(printed)
