"""MND-12, MND-13, X-SYM-06: equal nodes are one, others never; nothing is kept that is not held."""

import gc

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.graph import build
from nbgraph.graph.constant import Data
from tests.graph.naive import evaluate
from tests.support import on_threads

X = ng.var("x", shape=(3,))


@ng.op
def scaled(x, *, by=1.0):
    return x * by


SAME = [
    lambda: ng.var("x", shape=(3,), dtype="float32"),
    lambda: ng.sin(X),
    lambda: X + 1,
    lambda: 1.0 * X,
    lambda: X + np.float32([1, 2, 3]),
    lambda: ng.sum(X, axis=0, keepdims=True),
    lambda: X[1:],
    lambda: scaled(X, by=2),
]


@pytest.mark.parametrize("made", SAME)
def test_equal_nodes_are_one(made):
    """MND-13: sin(x) twice is one node."""
    assert made().entry == made().entry


def test_how_an_attribute_is_written_does_not_matter():
    assert ng.sum(X, axis=0).entry == X.sum(0).entry == np.sum(X, axis=np.int64(0)).entry
    assert scaled(X).entry == scaled(X, by=1).entry == scaled(X, by=np.float64(1)).entry
    assert X[0:2].entry == X[np.int8(0) : 2].entry


DIFFERENT = [
    (lambda v: X + v, (1, 1.0, True, 2, 0.0, -0.0, float("nan"), float("inf"))),
    (lambda v: X + np.float32(v), ([0], [-0.0], [1], [[1]], [1, 1, 1])),
    (lambda v: X + np.zeros(3, v), ("float32", "float64", "int8", "uint8", "bool")),
    (lambda v: ng.var("x", shape=v), (None, (None,), (3,), (4,), (3, 1), ())),
    (lambda v: ng.var("x", shape=(3,), dtype=v), ("float32", "float64", "int32")),
    (lambda v: ng.var("x", init=v), (None, 0, 0.0, -0.0, np.float64(0.0), np.float32(0), "0")),
    (lambda v: ng.sum(X, axis=v), (None, 0)),
    (lambda v: ng.sum(X, keepdims=v), (False, True)),
    (lambda v: scaled(X, by=v), (0.0, -0.0, 1.0, 2.0)),
    (lambda v: ng.sin(X).named(v), ("a", "b")),
    (lambda v: ng.sym.sin(X, attr=v), (None, {"lr": 1}, {"lr": 1.0}, {"lr": True}, {"mult": 1})),
    (lambda v: X[v], (slice(0, 1), slice(0, 2), 0, 1, None, Ellipsis)),
]


@pytest.mark.parametrize(("made", "values"), DIFFERENT)
def test_nodes_that_differ_are_two(made, values):
    """MND-13: another attribute, number, type of number, sign of zero, shape or dtype."""
    entries = [made(v).entry for v in values]
    assert len(set(entries)) == len(entries)


def test_scopes_tell_nodes_apart():
    plain = ng.sin(X)
    with ng.name_scope("a_"):
        assert ng.sin(X).entry != plain.entry


class _Clash:
    """Values whose hashes are equal and that are not."""

    def __init__(self, number):
        self.number = number

    def __hash__(self):
        return 7

    def __eq__(self, other):
        return isinstance(other, _Clash) and self.number == other.number


def test_equal_hashes_of_unequal_values_stay_two(monkeypatch):
    """MND-13, Z-8: nodes are compared in full, never by a hash alone."""
    one, two, again = (ng.sym.sin(X, attr={"key": _Clash(n)}) for n in (1, 2, 1))
    assert one.entry != two.entry
    assert one.entry == again.entry
    monkeypatch.setattr(Data, "__hash__", lambda self: 7)
    a, b = X + np.float32([1, 2, 3]), X + np.float32([3, 2, 1])
    assert a.entry != b.entry
    given = {"x": np.zeros(3, "float32")}
    assert [v.tolist() for v in evaluate(ng.Group([a, b]).graph, given)] == [[1, 2, 3], [3, 2, 1]]


def test_effects_are_never_one():
    """`dropout(x) + dropout(x)` are two draws; one draw that is used twice is one."""
    a = ng.dropout(X) + ng.dropout(X)
    assert len({n for n in a.graph.nodes if build.has_effect(n.op)}) == 2
    draw = ng.dropout(X)
    assert len({n for n in (draw + draw).graph.nodes if build.has_effect(n.op)}) == 1
    normal = ng.sym.random_normal
    assert normal(size=(3,)).entry != normal(size=(3,)).entry


def test_a_changed_helper_gives_other_nodes(monkeypatch):
    """The operator is the same object, what it computes is not."""
    monkeypatch.setitem(globals(), "_factor", 2.0)
    op = ng.op(lambda x: x * _factor)  # noqa: F821
    before = op(X)
    assert op(X).entry == before.entry
    monkeypatch.setitem(globals(), "_factor", 3.0)
    assert op(X).entry != before.entry


def test_threads_that_build_the_same_graph_get_the_same_nodes():
    found = []

    def build_it():
        y = ng.var("shared", shape=(2,))
        for k in range(300):
            y = ng.tanh(y * k) + np.float32([k, -k])
        found.append(y)

    on_threads(build_it, 8)
    assert len(found) == 8
    assert len({y.entry for y in found}) == 1


def test_nodes_vanish_with_their_last_holder(full):
    """A long chain is built, listed, rewritten and freed without recursion."""
    count = 50_000 if full else 20_000
    gc.collect()
    before = len(build._TABLE)
    y = ng.var("chain", shape=(2,))
    for _ in range(count):
        y = ng.sin(y)
    assert len(build._TABLE) == before + count + 1
    assert len(y.graph.nodes) == count + 1
    assert str(y).splitlines()[-2] == f"%{count} = sin(%{count - 1}): float32[2]"
    assert y.infer_shape(chain=(2,))[1] == [(2,)]
    moved = y(chain=ng.var("other", shape=(5,)))
    assert moved.shape == (5,)
    del y, moved
    gc.collect()
    assert len(build._TABLE) == before


def test_no_more_collection_than_counting_is_needed():
    gc.collect()
    gc.disable()
    try:
        before = len(build._TABLE)
        y = ng.sum(ng.var("gone", shape=(2,)) * 2 + np.float32([1, 2]))
        assert len(build._TABLE) > before
        del y
        assert len(build._TABLE) == before
    finally:
        gc.enable()


def test_a_constant_is_by_value():
    """Whoever gave the array may write to it."""
    value = np.float32([1, 2, 3])
    y = X + value
    value[:] = 0
    assert evaluate(y.graph, {"x": np.zeros(3, "float32")})[0].tolist() == [1, 2, 3]
    assert (X + np.float32([1, 2, 3])).entry == y.entry
    assert (X + np.array([1, 2, 3], ">f4")).entry == y.entry
