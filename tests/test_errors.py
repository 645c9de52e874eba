"""What belongs to its process says so when it is pickled or copied; the rest can be."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError

COPIES = (copy.copy, copy.deepcopy, pickle.dumps)


def bound():
    return ng.sum(ng.var("x") * 2.0).simple_bind(x=(2,))


STAY = {
    "executor": (bound, "pickle its `symbol`"),
    "graph": (lambda: bound().graph, "pickle the Symbol"),
    "variable": (ng.engine.new_variable, r"ng.engine.new_variable\(\)"),
    "push": (lambda: ng.engine.push(lambda run_ctx: 1), r"result\(\)"),
    "engine": (ng.engine.current, r"ng.engine.current\(\)"),
    "expression": (lambda: ng.ExpressionGraph().constant(1.0), "x.val.asnumpy"),
    "expressions": (ng.ExpressionGraph, "build it there"),
}


@pytest.mark.parametrize("name", STAY)
def test_what_stays_names_the_remedy(name):
    """A copied variable would give its record in the compiled core back twice."""
    make, remedy = STAY[name]
    thing = make()
    for way in COPIES:
        with pytest.raises(TypeError, match=f"neither pickled nor copied; .*{remedy}"):
            way(thing)


def test_the_package_settings_and_views_of_the_registry_travel():
    """A function that is pickled by value names the package, as any other module."""
    assert pickle.loads(pickle.dumps(ng)) is ng is copy.deepcopy(ng)
    assert pickle.loads(pickle.dumps(ng.config)) is ng.config is copy.deepcopy(ng.config)
    for space in (ng.nd, ng.sym):
        again = pickle.loads(pickle.dumps([space, space.linalg, space.exp]))
        assert repr(again) == repr([space, space.linalg, space.exp])
        assert again[0].exp is not None and copy.copy(space).exp is not None


def test_an_explanation_travels_with_its_operator():
    op = ng.op(lambda x: x * 3.0 + 0.5)
    op(np.ones(2))  # a kernel, which does not travel
    told = op.explain()
    assert str(told.source) and pickle.loads(pickle.dumps(told)).source == told.source


@pytest.mark.parametrize("make", [lambda: ng.var("x"), bound, lambda: ng.ones(2)])
def test_inspect_gets_an_answer_or_a_plain_type_error(make):
    """It compares what it is given with classes."""
    thing = make()
    try:
        inspect.signature(thing)
    except TypeError as problem:
        assert type(problem) is TypeError
    assert [object(), print, type].count(thing) == 0
    assert not inspect.iscoroutinefunction(thing)


@pytest.mark.parametrize("debug", [0, 1])
def test_what_is_not_understood_shows_few_of_our_own_lines(debug):
    """A notebook shows each of them with its surroundings; the message has the user's."""

    def helper(x):
        return input(x)

    with ng.config(debug=debug), pytest.raises(CaptureError, match=r"input\(x\)") as caught:
        ng.op(lambda x: helper(x) + 1)
    assert (len(caught.traceback) <= 4) is (debug == 0)


def test_an_axis_error_is_numpys():
    with pytest.raises(np.exceptions.AxisError, match="axis=5 does not exist") as caught:
        ng.sum(ng.ones(3), axis=5)
    assert isinstance(pickle.loads(pickle.dumps(caught.value)), ng.AxisError)


def test_an_unknown_keyword_is_one_error():
    """The TypeError of Python, which says less, is not shown before it."""
    with pytest.raises(
        ng.errors.ArgumentError, match="Dense: unexpected keyword argument"
    ) as caught:
        ng.nn.Dense(3, flatten=False)
    assert caught.value.__suppress_context__
