"""What a process loads: modules, never times.

A warm process is one that finds its kernels on disk. It needs neither a compiler nor what judges
derivatives; those libraries take longer to load than all the rest together.
"""

from __future__ import annotations

import gc
import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import nbgraph
from nbgraph import scopes
from tests.support import run_python

ROOT = Path(__file__).parent.parent
HEAVY = {"numba", "llvmlite.binding", "mpmath", "scipy"}
# what Python's own standard modules, an editable install and coverage tools may bring
FOREIGN = {"_distutils_hack", "numpy", "nbgraph", "__main__", "sitecustomize", "coverage"}

# reports, files, pickles, and what other operators than those of a cell need
LATER = {
    "nbgraph.kernels.cuda.kernel",
    "nbgraph.executor.explain",
    "nbgraph.executor.split",
    "nbgraph.executor.steps",
    "nbgraph.executor.watch",
    "nbgraph.graph.passes.devices",
    "nbgraph.graph.passes.places",
    "nbgraph.graph.passes.recompute",
    "nbgraph.graph.recipe_reader",
    "nbgraph.graph.serial",
    "nbgraph.engine.cold",
    "nbgraph.engine.naive",
    "nbgraph.engine.profiling.effort",
    "nbgraph.engine.report",
    "nbgraph.storage.report",
    "nbgraph.picture",
    "nbgraph.viz",
    "nbgraph.kernels.products.axes",
    "nbgraph.kernels.scalar.readable",
    "nbgraph.kernels.compiler.simd",
    "nbgraph.operator.report.explain",
    "nbgraph.operator.mapper.pickling",
    "nbgraph.operator.products.op",
    "nbgraph.operator.simple",
    "nbgraph.operator.arrays.tiled_op",
    "nbgraph.operator.arrays.units",
    "nbgraph.ops.elementwise.activation",
    "nbgraph.ops.elementwise.comparison",
    "nbgraph.ops.elementwise.logic",
    "nbgraph.ops.elementwise.rounding",
    "nbgraph.ops.reductions.extremes",
    "nbgraph.ops.reductions.statistics",
    # the engine's core, of which a warm process has the object code
    "nbgraph.engine.core.compiled",
    "nbgraph.engine.core.entries",
    "nbgraph.engine.core.machine",
    "nbgraph.engine.core.operations",
    "nbgraph.engine.core.plans",
}
SLOW = {"difflib", "html", "random", "secrets", "subprocess", "tempfile"}
GRAPHS = {
    "nbgraph.graph.symbol",
    "nbgraph.graph.passes",
    "nbgraph.executor",
    "nbgraph.engine.plans.plan",
}

CELL = """
import numpy as np
import nbgraph as ng

@ng.op
def smooth_l1(x, *, sigma=1.0):
    s2 = sigma * sigma
    if x > 1 / s2:
        return x - 0.5 / s2
    if x < -1 / s2:
        return -x - 0.5 / s2
    return 0.5 * s2 * x * x

x = np.linspace(-3, 3, 601, dtype=np.float32)
shown = [smooth_l1(x, sigma=2.0).tolist(), smooth_l1.derivative("x")(x, sigma=2.0).tolist()]
"""
GRADIENT = """
value, slope = ng.value_and_grad(lambda x: ng.sum(smooth_l1(x)))(x)
shown.append([float(value), np.asarray(slope).tolist()])
"""
EVERYDAY = """
import numpy as np
import nbgraph as ng

x = np.linspace(-2, 2, 16, dtype=np.float32)
value, slope = ng.value_and_grad(lambda x: ng.sum(x * x))(ng.array(x) + 1.0)
shown = [float(value), np.asarray(slope).tolist()]
"""
GRAPH = """
names = ("data", "label", "w_in", "w_out")
data, label, w_in, w_out = map(ng.var, names)
loss = ng.sum(w_out * smooth_l1(w_in * (data - label)))
exe = loss.simple_bind(**dict.fromkeys(names, (601,)))
exe.forward_backward(data=x, label=0 * x, w_in=1 + 0 * x, w_out=1 + 0 * x)
shown.append([exe.outputs[0].asnumpy().tolist(), exe.grad_dict["data"].asnumpy().tolist()])
"""
REPORT = """
import json, sys
print(json.dumps([shown, sorted(sys.modules)]))
"""


def child(program, **environment):
    """What a Python process prints last, as data."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("COV_", "NBGRAPH_COMPILER"))}
    ended = subprocess.run(
        [sys.executable, str(program)],
        env={**env, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])


def written(folder, *parts):
    """A program as a file: functions of a text without a file have no source."""
    path = folder / "cell.py"
    path.write_text("".join((*parts, REPORT)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A cache folder in which a process has left all it needed; what it printed."""
    folder = tmp_path_factory.mktemp("warm")
    cache = {"NBGRAPH_CACHE_DIR": str(folder / "cache")}
    run_python("-m", "nbgraph.warm", **cache)
    _, modules = child(written(folder, EVERYDAY), **cache)
    assert not HEAVY & set(modules), "arithmetic, sums and their gradients are built ahead"
    shown, modules = child(written(folder, CELL, GRADIENT, GRAPH), **cache)
    assert {"mpmath", "llvmlite.binding"} <= set(modules), "this was to be cold"
    return cache, shown


def test_the_package_brings_numpy_and_nothing_else(tmp_path):
    _, modules = child(written(tmp_path, "import nbgraph\nshown = None\n"))
    tops = {name.partition(".")[0] for name in modules}
    assert tops - set(sys.stdlib_module_names) <= FOREIGN, tops - set(sys.stdlib_module_names)
    assert "numpy" in tops
    rooms = {name.split(".")[1] for name in modules if name.startswith("nbgraph.")}
    assert not rooms & {"engine", "array", "executor", "autograd", "graph", "nodes", "viz", "xp"}


@pytest.mark.parametrize(
    ("parts", "printed"),
    [((CELL,), 2), ((CELL, GRADIENT), 3), ((CELL, GRADIENT, GRAPH), 4)],
    ids=["cell", "gradient", "graph"],
)
def test_a_warm_process_compiles_and_judges_nothing(warm, tmp_path, parts, printed):
    """The first cell of the demo, a gradient and a bound graph, in a second process. Its values
    are those of the process that compiled."""
    cache, first = warm
    again, modules = child(written(tmp_path, *parts), **cache)
    assert len(again) == printed and again == first[:printed]
    assert not HEAVY & set(modules), HEAVY & set(modules)


def test_the_library_runs_out_of_a_zip_file(warm, tmp_path):
    """What it reads of its own files, texts of kernels and hashes of modules, lies in the archive,
    too; so it finds what the library in a folder has left in the cache."""
    cache, first = warm
    package = Path(nbgraph.__file__).parent
    with zipfile.ZipFile(tmp_path / "library.zip", "w") as archive:
        for path in package.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.write(path, path.relative_to(package.parent))
    place = "import nbgraph\nassert '.zip' in nbgraph.__file__, nbgraph.__file__\n"
    program = written(tmp_path, place, CELL, GRADIENT, GRAPH)
    again, modules = child(program, PYTHONPATH=str(tmp_path / "library.zip"), **cache)
    assert again == first
    assert not HEAVY & set(modules), HEAVY & set(modules)


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize(
    ("parts", "without"),
    [((CELL,), {"nbgraph.engine", "nbgraph.array"} | GRAPHS), ((CELL, GRADIENT), GRAPHS)]
    + [((CELL, GRAPH), {"nbgraph.autograd.tape"}), ((CELL, GRADIENT, GRAPH), set())],
    ids=["cell", "gradient", "graph", "both"],
)
def test_what_is_not_asked_for_is_not_loaded(warm, tmp_path, parts, without):
    """A first gradient needs no graphs, a first bind no tape, and neither what tells of them."""
    cache, _ = warm
    _, bare = child(written(tmp_path, "import json, numpy as np\nshown = None\n"), **cache)
    _, modules = child(written(tmp_path, *parts), **cache)
    early = (LATER | SLOW | without) & (set(modules) - set(bare))
    assert not early, sorted(early)


def test_every_module_that_is_to_load_later_exists():
    for name in LATER | GRAPHS:
        assert importlib.util.find_spec(name) is not None, name


def test_asking_for_a_room_is_no_search_among_operators(tmp_path):
    """`from nbgraph import ops` first asks the package for a name; that may not cost a look at all
    names that resemble it."""
    program = "from nbgraph import ops, picture\nfrom nbgraph.ops import reductions\nshown = None\n"
    _, modules = child(written(tmp_path, program))
    assert "difflib" not in modules


def test_imports_leave_the_collection_of_garbage_as_it_was(monkeypatch):
    """It is off while a module loads, and on again behind it, whatever comes of that."""
    within = []
    monkeypatch.setattr(importlib, "import_module", lambda name: within.append(gc.isenabled()))
    scopes.load("nbgraph")
    gc.disable()
    try:
        scopes.load("nbgraph")
        assert not gc.isenabled()
    finally:
        gc.enable()
    monkeypatch.setattr(importlib, "import_module", lambda name: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        scopes.load("nbgraph")
    assert gc.isenabled() and within == [False, False]


IMPORT_INTERRUPTED = """
import signal, sys

class Finder:
    def find_spec(name, path=None, target=None):
        if name == "numpy._core.numeric":  # behind its module of C
            sys.meta_path.remove(Finder)
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Finder)
try:
    import nbgraph as ng
except KeyboardInterrupt:
    import nbgraph as ng

    print(ng.tanh(0.0))
"""


def test_an_import_is_made_again_where_ctrl_c_ended_it(tmp_path):
    """NumPy's modules of C are loaded once in a process: its own import is not interrupted."""
    assert run_python("-c", IMPORT_INTERRUPTED, cwd=tmp_path) == "0.0\n"
