"""Losses and metrics refuse shapes that do not belong together, in every world, by one rule."""

import functools

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ShapeError
from nbgraph.nn import metrics
from tests.support import run_python

# operands of a loss: those of one shape, then others
ALIKE = [
    *(ng.l1_loss, ng.l2_loss, ng.smooth_l1_loss, ng.huber_loss, ng.hinge_loss),
    *(ng.squared_hinge_loss, ng.logistic_loss, ng.binary_cross_entropy),
    *(ng.binary_cross_entropy_with_logits, ng.focal_loss, ng.kl_divergence),
    functools.partial(ng.kl_divergence, log_target=True),
    functools.partial(ng.l2_loss, reduction="none", weight=np.ones(4, "float32")),
    functools.partial(ng.binary_cross_entropy_with_logits, positive_weight=np.ones(4, "float32")),
]
TRIPLES = [ng.triplet_margin_loss, ng.cosine_embedding_loss]
ROWS = [ng.cross_entropy, ng.unlikelihood, ng.softmax_cross_entropy, ng.softmax_output]
CASES = [
    *((f, ((4, 1), (4,))) for f in ALIKE),
    *((f, ((4,), (4, 4))) for f in ALIKE[:3]),
    (ng.triplet_margin_loss, ((4, 3), (4, 3), (3,))),
    (ng.triplet_margin_loss, ((4, 3), (1, 3), (4, 3))),
    (ng.cosine_embedding_loss, ((4, 3), (1, 3), (4,))),
    (ng.cosine_embedding_loss, ((4, 3), (4, 3), (4, 1))),
    *((f, ((4, 3), (3,))) for f in ROWS[:3]),
    *((f, ((4, 3), (4, 1))) for f in ROWS[1:3]),
    (ng.softmax_output, ((4, 3), (3, 4))),
    (ng.CTCLoss, ((5, 4, 3), (5, 2))),
]


def label(case):
    f, shapes = case
    while isinstance(f, functools.partial):
        f = f.func
    return f"{f.__name__}{shapes}".replace(" ", "")


def values(shapes):
    return [np.full(shape, 0.5, "float32") for shape in shapes]


def by_numpy(f, shapes):
    f(*values(shapes))


def by_arrays(f, shapes):
    f(*map(ng.array, values(shapes)))


def by_jit(f, shapes):
    ng.jit(f)(*map(ng.array, values(shapes)))


def by_shaped_symbols(f, shapes):
    f(*(ng.var(f"x{i}", shape=shape) for i, shape in enumerate(shapes)))


def by_a_bound_graph(f, shapes):
    """The shapes are known when it is bound."""
    names = [f"x{i}" for i in range(len(shapes))]
    made = f(*map(ng.var, names))
    made.simple_bind(**dict(zip(names, shapes, strict=True)))


def by_an_expression_graph(f, shapes):
    graph = ng.ExpressionGraph()
    f(*(graph.constant(value) for value in values(shapes)))


WORLDS = [
    *(by_numpy, by_arrays, by_jit, by_shaped_symbols, by_a_bound_graph, by_an_expression_graph)
]


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.__name__)
@pytest.mark.parametrize("case", CASES, ids=label)
def test_a_loss_refuses_shapes_that_would_broadcast(case, world):
    with pytest.raises(ShapeError, match=r"shape|\("):
        world(*case)


def test_every_loss_of_elements_is_among_them():
    """A new one that compares no shapes is seen here."""
    from nbgraph.ops.families import ARRAY_FAMILIES

    families = (ARRAY_FAMILIES[name] for name in ("losses.table", "losses.likelihoods"))
    known = {label(case).partition("(")[0] for case in CASES}
    assert set(" ".join(families).split()) <= known


def test_the_example():
    with pytest.raises(
        ShapeError, match=r"x has shape \(4, 1\), target \(4,\); give one shape, as"
    ):
        ng.binary_cross_entropy_with_logits(ng.zeros((4, 1)), ng.zeros(4))


@pytest.mark.parametrize("f", ALIKE[:11], ids=lambda f: f.__name__)
def test_numbers_and_weights_broadcast(f):
    x = np.full((4, 3), 0.5, "float32")
    each = f(x, 0.5, reduction="none")
    np.testing.assert_array_equal(each, f(x, np.full_like(x, 0.5), reduction="none"))
    weight = np.array([1.0, 2.0, 3.0], "float32")
    plain, weighed = f(x, x, reduction="none"), f(x, x, weight=weight, reduction="none")
    np.testing.assert_allclose(weighed, plain * weight)


@pytest.mark.parametrize(
    "metric, shapes",
    [
        (metrics.accuracy, ((4, 3), (4, 1))),
        (metrics.accuracy, ((4, 3), ())),
        (metrics.top_k(2), ((4, 3), (4, 1))),
        (metrics.top_k(2), ((4, 3), (1,))),
        (metrics.mse, ((4, 1), (4,))),
        (metrics.mae, ((4,), (4, 1))),
        (metrics.cross_entropy, ((4, 3), (3,))),
        (functools.partial(metrics.confusion, classes=3), ((4, 3), (4, 1))),
    ],
)
def test_a_metric_refuses_shapes_that_would_broadcast(metric, shapes):
    out, target = ng.zeros(shapes[0]), ng.zeros(shapes[1], dtype="int64")
    if metric in (metrics.mse, metrics.mae):
        target = ng.zeros(shapes[1])
    with pytest.raises(ShapeError, match=r"shape"):
        metric(out, target)


def test_the_rule_is_that_of_a_saved_graph_as_well(tmp_path):
    """A graph that was saved before its shapes were known compares them where it is loaded."""
    made = ng.l2_loss(ng.var("x"), ng.var("y"))
    path = tmp_path / "loss.json"
    path.write_text(made.tojson())
    code = (
        f"import nbgraph as ng; s = ng.load_json(open({str(path)!r}).read())\n"
        "try:\n    s.simple_bind(x=(4, 1), y=(4,))\n"
        "except ng.errors.ShapeError as e:\n    print('refused')\n"
        "print(s.eval(x=[3.0], y=[1.0])[0])"
    )
    assert run_python("-c", code).split() == ["refused", "2.0"]
