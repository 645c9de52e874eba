"""What `dir` shows: of `ng` NumPy's names and the nouns, of `ng.nd` and `ng.sym` every spelling."""

import importlib
import json
from types import ModuleType

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import ops
from nbgraph.operator import registry
from tests.support import run_python

SPELLINGS = "elemwise_add broadcast_mul FullyConnected SliceChannel ElementWiseSum random_normal"


def test_dir_shows_what_a_user_uses():
    code = """
import json
import nbgraph as ng
names = dir(ng)
print(json.dumps([names, [n for n in names if getattr(ng, n) is None]]))
"""
    names, missing = json.loads(run_python("-c", code))  # where nobody registered more
    assert len(names) <= 320
    assert not [n for n in names if n[0] == "_" and n != "__version__"]
    assert {"op", "NDArray", "Symbol", "add", "softmax", "smooth_l1", "errors", "nn"} <= set(names)
    assert missing == []


def test_an_operator_is_listed_once_by_the_name_that_numpy_has_for_it():
    operators = [n for n in registry.listed() if n in ops.PLACES]
    assert len({id(registry.find(n)) for n in operators}) == len(operators)
    for name in operators:
        if isinstance(known := getattr(np, name, None), np.ufunc):
            assert known.__name__ == name


def test_every_name_of_a_row_is_found_before_the_row_is_used():
    """Else `ng.logsoftmax` is there only after somebody wrote `ng.log_softmax`."""
    entries = [registry.entry(name) for name in ops.PLACES]
    assert {name for entry in entries for name in entry.names} <= set(ops.PLACES)


@pytest.mark.parametrize("space", [ng.nd, ng.sym], ids=repr)
def test_other_spellings_are_listed_with_the_arrays_and_found_on_ng(space):
    listed = set(dir(space))
    assert ops.OTHER_SPELLINGS | set(SPELLINGS.split()) <= listed
    assert not ops.OTHER_SPELLINGS & set(dir(ng))
    for name in ops.OTHER_SPELLINGS:
        assert getattr(ng, name) is registry.find(name) is getattr(space, name).__wrapped__


@pytest.mark.parametrize("name", sorted(ops.INTERNAL))
def test_internal_operators_are_listed_nowhere(name):
    for space in (ng, ng.nd, ng.sym, ops):
        assert name not in dir(space)
    with pytest.raises(AttributeError, match=f"{name}'; it is internal to {ops.PLACES[name]}"):
        getattr(ng, name)
    assert registry.find(name) is getattr(ops, name)  # graphs have nodes of these names
    assert getattr(ng.sym, name).__wrapped__ is registry.find(name)


def test_parts_and_gradients_are_internal():
    endings = ("_gradient", "_term", "_at_once", "_parts", "_log_density")
    public = [n for n in registry.names() if n.endswith(endings) and n in ops.PLACES]
    assert set(public) <= {"stop_gradient", "clip_gradient"}


@pytest.mark.parametrize("name", ["errors", *vars(ng)["_MODULES"]])
def test_modules_list_nothing_that_their_code_imports(name):
    module = getattr(ng, name)
    names = dir(module)
    assert not {"Any", "np", "annotations", "TYPE_CHECKING", "Callable", "public_names"} & {*names}
    assert not [n for n in names if n[0] == "_" and n[:2] != "__"]
    for n in names:
        value = getattr(module, n)
        assert not isinstance(value, ModuleType) or value.__name__.startswith("nbgraph."), n
    assert names and importlib.import_module(module.__name__) is module
