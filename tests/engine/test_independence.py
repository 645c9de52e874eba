"""The engine stands alone: it knows no arrays, no operators, no devices, and runs any job."""

import ast
import inspect
import json

from nbgraph.engine.chaos.engine import ChaosEngine
from nbgraph.engine.core import tracker
from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.engine.tracked import TrackedEngine
from tests.support import run_python

WAIT = 30

ALONE = """
import sys
import nbgraph
package = set(sys.modules)  # what the package itself brings: NumPy, the text of operators
from nbgraph import engine
import nbgraph.engine.plans.plan, nbgraph.engine.chaos.engine
import nbgraph.engine.lanes, nbgraph.engine.kernels
v = engine.new_variable()
assert engine.push(lambda run_ctx: 5, mutate_vars=[v]).result(60) == 5
rooms = {m.split(".")[1] for m in sys.modules if m.startswith("nbgraph.") and m not in package}
used = {name for m in list(sys.modules.values()) if m.__name__.startswith("nbgraph.engine")
        for name, value in vars(m).items() if getattr(value, "__name__", "") == "numpy"}
print([sorted(rooms), sorted(used)])
"""


def test_it_imports_nothing_of_arrays_or_operators():
    """SYS-01, SYS-12, X-ENG-01: with all its parts loaded and at work."""
    rooms, numpy = ast.literal_eval(run_python("-c", ALONE))
    assert "engine" in rooms
    base = {"codegen", "device", "errors", "settings", "picture", "native", "notebook"}
    assert set(rooms) <= {"engine"} | base
    assert not numpy, "an engine without arrays needs no NumPy"


def test_one_tracker_serves_two_policies():
    """X-ENG-03: what may run is told apart from where it runs."""
    assert issubclass(ThreadedEngine, TrackedEngine) and issubclass(ChaosEngine, TrackedEngine)
    imported = {
        node.module
        for node in ast.walk(ast.parse(inspect.getsource(tracker)))
        if isinstance(node, ast.ImportFrom)
    }
    core = "nbgraph.engine.core"
    assert imported == {f"{core}.layout", f"{core}.machine", f"{core}.memory"}


def test_files_and_plain_jobs(engine, tmp_path):
    """SYS-11, ENG-17: a small build: sources, compiled parts, one archive; no array anywhere."""
    parts = [engine.new_variable(f"part {i}") for i in range(5)]
    archive = engine.new_variable("archive")
    target = tmp_path / "archive.json"

    def write(i):
        return lambda run_ctx: (tmp_path / f"{i}.txt").write_text(str(i * i))

    def join(run_ctx):
        texts = [(tmp_path / f"{i}.txt").read_text() for i in range(5)]
        target.write_text(json.dumps(texts))

    for round_ in range(3):
        for i, part in enumerate(parts):
            engine.push(write(i + round_), mutate_vars=[part])
            engine.push(write(i), mutate_vars=[part])
        engine.push(join, const_vars=parts, mutate_vars=[archive])
    read = engine.push(lambda run_ctx: json.loads(target.read_text()), const_vars=[archive])
    assert read.result(WAIT) == ["0", "1", "4", "9", "16"]
    assert archive.version == 3
