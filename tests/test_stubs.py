"""X-NDA-09, NDA-02: what is known of public names: to editors, to `help`, to type checkers."""

import inspect
import json
import pydoc
import re
import shutil
import sys

import pytest

import nbgraph as ng
from nbgraph import ops
from nbgraph.operator import registry
from scripts import stubs
from tests.support import ROOT, child

SUM = ["x", "axis", "dtype", "keepdims", "initial", "where", "exclude", "out"]
NAMES = sorted(set(registry.library()) - ops.INTERNAL)
TAKEN = {"var"}  # `ng.var` is a variable of a graph; the variance is `x.var()` and `ng.nd.var`


def test_stubs_are_up_to_date():
    assert not stubs.outdated(), "run python scripts/stubs.py"


def test_a_name_that_is_missing_is_noticed(monkeypatch, tmp_path):
    path = tmp_path / "__init__.pyi"
    monkeypatch.setattr(stubs, "STUBS", {path: stubs.of_package})
    assert stubs.outdated() == [path]
    assert stubs.main() == 0 and not stubs.outdated()
    path.write_text(path.read_text().replace("from nbgraph.settings import config as config\n", ""))
    assert stubs.outdated() == [path]


def test_the_tables_say_where_names_are():
    """Stubs are made of them; what is found at run time is the same."""
    for name in NAMES:
        module, own = stubs.place_of(name)
        assert getattr(sys.modules[module], own) is registry.find(name)
        if name not in TAKEN:
            assert getattr(ng, name) is registry.find(name)
    assert ng.var is vars(sys.modules["nbgraph.graph.symbol"])["var"]


@pytest.mark.parametrize("space", ["ng", "ng.nd", "ng.random"])
def test_editors_complete_names(space):
    """From the text alone, without running it."""
    jedi = pytest.importorskip("jedi")
    found = {c.name for c in jedi.Script(f"import nbgraph as ng\n{space}.").complete()}
    if space == "ng.random":
        assert {"seed", "normal", "uniform", "choice", "shuffle"} <= found
        return
    assert set(NAMES) <= found
    if space == "ng":
        assert {
            n for table in ("_PLACES", "_MODULES", "_RENAMED") for n in vars(ng)[table]
        } <= found
    (signature,) = jedi.Script(f"import nbgraph as ng\n{space}.sum(").get_signatures()
    assert [p.name for p in signature.params] == SUM


def test_every_operator_has_a_signature_and_documentation():
    """`inspect.signature` and `help`, of the operator and of its kin in `ng.nd`."""
    for name in NAMES:
        op, lifted = registry.find(name), getattr(ng.nd, name)
        signature = inspect.signature(op)
        assert signature.parameters, name
        assert inspect.signature(lifted) == signature
        assert op.__doc__ and lifted.__doc__ == op.__doc__, name
        assert ">>>" in op.__doc__, name
    assert str(inspect.signature(ng.add)) == "(x1, x2)"
    assert list(inspect.signature(ng.sum).parameters) == SUM
    assert "The sum over axes" in pydoc.render_doc(ng.sum)
    for op in (ng.add, ng.nd.add):
        shown = pydoc.render_doc(op, renderer=pydoc.plaintext)
        assert "Sum." in shown and "return x1 + x2" in shown


SAMPLE = """
import nbgraph as ng

reveal_type(ng.add)
reveal_type(ng.nd.add.derivative)
reveal_type(ng.random.normal)
reveal_type(ng.random_normal)
reveal_type(ng.NDArray)
reveal_type(ng.autograd.record)
ng.zeroes(3)
ng.sum([1], axes=0)
"""


TYPED = ROOT / "tests" / "typed"
PLANTED = TYPED.joinpath("planted.py").read_text(encoding="utf-8").splitlines()
WRONG = {number for number, line in enumerate(PLANTED, 1) if "# wrong:" in line}


def checked(*command, **environment):
    """What a type checker prints, run where it finds no configuration of this project."""
    return child("-m", *command, **environment).stdout


def lines_of(shown, file):
    """The lines of a file that a type checker has reported as errors."""
    return {int(n) for n in re.findall(rf"{file}:(\d+)(?::\d+)?(?: -|:) error", shown)}


def test_pyright_finds_mistakes_and_nothing_else(tmp_path):
    """Of a user's files: eleven planted mistakes; forty statements without one; types shown."""
    (tmp_path / "sample.py").write_text(SAMPLE)
    for file in TYPED.glob("*.py"):
        shutil.copy(file, tmp_path)
    configuration = {"extraPaths": [str(ROOT / "src")], "typeCheckingMode": "standard"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(configuration))
    shown = checked("pyright", "--pythonpath", sys.executable, "-p", str(tmp_path))
    assert lines_of(shown, "planted.py") == WRONG and len(WRONG) == 11, shown
    assert not lines_of(shown, "correct.py"), shown
    lines = [line for line in shown.splitlines() if "sample.py:" in line]
    known, wrong = lines[:6], lines[6:]
    assert all("Unknown" not in line and "information" in line for line in known), shown
    assert "Mapper" in known[0] and "(loc: Any" in known[2] and "type[NDArray]" in known[4]
    assert '"zeroes" is not a known attribute' in wrong[0] and '"axes"' in wrong[1], shown


@pytest.mark.slow
def test_mypy_finds_mistakes_and_nothing_else(tmp_path):
    pytest.importorskip("mypy")
    for file in TYPED.glob("*.py"):
        shutil.copy(file, tmp_path)
    files = [str(tmp_path / name) for name in ("planted.py", "correct.py")]
    options = ["--follow-imports=silent", "--config-file=", f"--cache-dir={tmp_path}"]
    shown = checked("mypy", *options, *files, MYPYPATH=str(ROOT / "src"))
    assert not lines_of(shown, "correct.py"), shown
    found = lines_of(shown, "planted.py")
    assert found <= WRONG and len(found) >= 10, shown
