"""X-NDA-09, NDA-02: what is known of public names: to editors, to `help`, to type checkers."""

import inspect
import pydoc
import subprocess
import sys

import pytest

import nbgraph as ng
from nbgraph.operator import registry
from scripts import stubs

SUM = ["x", "axis", "dtype", "keepdims", "exclude", "out"]
NAMES = sorted(registry.library())
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


@pytest.mark.slow
def test_a_type_checker_knows_them(tmp_path):
    """And what is misspelt."""
    file = tmp_path / "sample.py"
    file.write_text(SAMPLE)
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, str(file)],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if "sample.py:" in line]
    known, wrong = lines[:6], lines[6:]
    assert all("Unknown" not in line and "information" in line for line in known), done.stdout
    assert "Mapper" in known[0] and "(loc: Any" in known[2] and "type[NDArray]" in known[4]
    assert '"zeroes" is not a known attribute' in wrong[0] and '"axes"' in wrong[1], done.stdout
