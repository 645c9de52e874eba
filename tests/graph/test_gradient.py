"""The gradient pass: against differences, against the tape, bit for bit, and what it leaves out."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, DerivativeError, ShapeError
from nbgraph.graph.passes.gradient import gradient, no_gradient
from nbgraph.operator.arrays.array_op import ArrayOp
from tests.graph.legality import check
from tests.graph.naive import carried_out, evaluate, same_bits
from tests.graph.random_graphs import FAMILIES, SMOOTH, random_graph
from tests.zoo import functions

# each seed brings derivatives of some operators, which are certified and compiled
FEW = [*range(2), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 40))]


def var(name, *shape, dtype="float64"):
    return ng.var(name, shape=shape, dtype=dtype)


def total(graph, given):
    return sum(float(head.sum()) for head in evaluate(graph, given))


def slope(graph, given, name, direction, step=1e-6):
    """Along a direction, by differences."""
    up, down = ({**given, name: given[name] + s * direction} for s in (step, -step))
    return (total(graph, up) - total(graph, down)) / (2 * step)


def operators(graph):
    return [node.op.__name__ for node in graph.nodes if node.op is not None]


# values -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", FEW)
def test_it_is_the_slope_to_second_order(seed):
    """SYM-02, X-SYM-11: gradients of random graphs, and gradients of those, are the slopes that
    differences show."""
    graph, given = random_graph(seed, 8, families=SMOOTH, dtypes=("float64",), smooth=True)
    rng = np.random.default_rng(seed)
    for _ in range(2):
        slopes = gradient(graph, graph.variables)
        check(slopes)
        for node, value in zip(graph.variables, evaluate(slopes, given), strict=True):
            direction = rng.normal(size=value.shape)
            wanted = slope(graph, given, node.name, direction)
            assert np.isclose((value * direction).sum(), wanted, rtol=1e-5, atol=1e-6), node.name
        graph = slopes


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # infinities, in workers
@pytest.mark.parametrize("seed", FEW)
def test_the_tape_gives_the_same_bits(seed):
    """SYM-02: the gradient graph gives what ng.grad gives on arrays, random draws included."""
    graph, given = random_graph(seed, 15, families=tuple(FAMILIES), dtypes=("float32",))
    slopes = gradient(graph, graph.variables)
    check(slopes)
    arrays = {name: ng.array(a, dtype=a.dtype) for name, a in given.items()}
    for a in arrays.values():
        a.attach_grad()
    with ng.autograd.record():
        heads = [h for h in carried_out(graph, arrays) if h._node is not None]
    ng.autograd.backward(heads)
    with ng.autograd.train_mode():
        found = evaluate(slopes, given)
    wanted = [arrays[v.name].grad.asnumpy() for v in graph.variables]
    assert same_bits(found, wanted)


def test_hessian_vector_product():
    """X-SYM-11: the gradient of (gradient times a vector) is the Hessian times that vector."""
    x, v = var("x", 3), var("v", 3)
    f = ng.sum(ng.exp(x) * x[::-1] ** 2)
    first = gradient(f.graph, [x.node])
    along = gradient(first, [x.node], [v.entry])
    assert [node.name for node in along.variables] == ["x", "v"]
    at, direction = np.array([0.3, -0.5, 1.2]), np.array([1.0, 2.0, -1.0])
    e, r = np.exp(at), at[::-1]
    hessian = np.diag(e * r**2) + np.fliplr(np.diag(2 * e * r + 2 * e[::-1] * at))
    hessian[1, 1] = e[1] * (at[1] ** 2 + 4 * at[1] + 2)
    # off the diagonal: d2/dx_i dx_j of exp(x_i) x_j^2 + exp(x_j) x_i^2
    hessian[0, 2] = hessian[2, 0] = 2 * e[0] * at[2] + 2 * e[2] * at[0]
    hessian[0, 0], hessian[2, 2] = e[0] * at[2] ** 2 + 2 * e[2], e[2] * at[0] ** 2 + 2 * e[0]
    (found,) = evaluate(along, {"x": at, "v": direction})
    assert np.allclose(found, hessian @ direction)


def test_smooth_l1_loss():
    """SMP-43: the gradient of outside * f(inside * (data - label)) is the formula's."""
    smooth_l1 = ng.op(functions.smooth_l1)
    names = ("data", "label", "inside", "outside")
    data, label, inside, outside = (var(n, 4, 5) for n in names)
    loss = outside * smooth_l1(inside * (data - label), sigma=2.0)
    slopes = gradient(loss.graph, [data.node])
    rng = np.random.default_rng(0)
    given = {name: rng.normal(size=(4, 5)) for name in names}
    z = given["inside"] * (given["data"] - given["label"])
    df = np.where(np.abs(z) < 0.25, 4 * z, np.sign(z))
    (found,) = evaluate(slopes, given)
    assert np.allclose(found, given["outside"] * df * given["inside"], rtol=1e-14)


def test_an_operator_of_many_operands_and_outputs():
    """SMP-42: three operands and two outputs; either output alone, or both."""

    @ng.op
    def both(a, b, c):
        return a * b + c, a / c

    given = {"a": np.array([1.0, 2.0]), "b": np.array([3.0, 0.0]), "c": np.array([4.0, 5.0])}
    a, b, c = (var(name, 2) for name in given)
    p, q = both(a, b, c)
    A, B, C = given.values()
    one, zero = np.ones(2), np.zeros(2)
    of_p, of_q = [B, A, one], [1 / C, zero, -A / C**2]
    wrt = [a.node, b.node, c.node]
    for heads, wanted in (
        ([p], of_p),
        ([q], of_q),
        ([p, q], [x + y for x, y in zip(of_p, of_q, strict=True)]),
    ):
        found = evaluate(gradient(ng.Group(heads).graph, wrt), given)
        assert all(np.allclose(x, y) for x, y in zip(found, wanted, strict=True))


def test_an_output_that_nothing_depends_on_makes_no_nan():
    """0 times the infinite slope of an unused output is not added."""

    @ng.op
    def parts(x):
        return x / (x - x), 1 / (1 + math.exp(-x))

    x = var("x", 2)
    slopes = gradient(parts(x)[1].graph, [x.node])
    (found,) = evaluate(slopes, {"x": np.array([0.0, 1.0])})
    assert np.allclose(found, [0.25, 0.1966119332])
    assert operators(slopes).count("parts") == 1  # the output it reads is the one there is


# what is in the graph ---------------------------------------------------------------------------


def test_a_fan_out_is_added_from_the_last_use(golden):
    """X-MEM-01: an explicit backward path; a value used three times has its gradients added by
    two nodes, and nothing splits it on the way forward."""
    x, w = var("x", 2, 3, dtype="float32"), var("w", 3, dtype="float32")
    loss = ng.sum(ng.tanh(x) * w + ng.exp(x) + ng.sin(x))
    slopes = gradient(loss.graph, [x.node, w.node])
    check(slopes)
    golden("graph/gradient_of_a_fan_out.txt", str(slopes) + "\n")
    assert operators(slopes).count("add") == 2


def test_random_numbers_are_drawn_once():
    """X-MEM-01: the gradient reads the very draw of the forward pass."""
    x = var("x", 8)
    y = ng.dropout(ng.sin(x), 0.5)
    slopes = gradient(y.graph, [x.node])
    assert [node for node in slopes.nodes if node.token is not None] == [y.node]
    with ng.autograd.train_mode():
        value, found = evaluate(slopes.with_heads([y.entry, *slopes.heads]), {"x": np.full(8, 0.5)})
    assert np.allclose(found, value / np.sin(0.5) * np.cos(0.5))


def test_only_what_lies_between_is_visited():
    """Variables nobody asks for cost nothing: no operator without gradient is met there either."""
    x, w = var("x", 3), var("w", 3)
    below = _plain("no_gradient_below")(ng.exp(x))
    slopes = gradient(ng.sum(w * below).graph, [w.node])
    assert "exp_backward" not in operators(slopes)
    assert evaluate(slopes, {"x": np.zeros(3), "w": np.ones(3)})[0].tolist() == [1, 1, 1]


def test_where_no_gradient_flows_there_are_zeros():
    """Behind stop_gradient, through integers, beside the heads: zeros, and it is said so."""
    x, y, z, i, w = (var(n, 2) for n in "xyzuw")
    counted = var("n", 2, dtype="int64")
    head = ng.stop_gradient(x) * w + ng.astype(ng.astype(y, "int32"), "float64") + ng.floor(z)
    slopes = gradient((head + counted).graph, [v.node for v in (x, y, z, i, w, counted)])
    assert [no_gradient(h) for h in slopes.heads] == [True, True, True, True, False, True]
    given = {v.name: np.ones(2, v.specs[0].dtype) for v in slopes.variables}
    found = evaluate(slopes, given)
    assert [a.tolist() for a in found] == [[0, 0]] * 4 + [[1, 1], [0, 0]]
    assert found[-1].dtype == np.int64


def test_gradients_have_the_shape_and_dtype_of_their_variables():
    """Summed over axes that were broadcast, cast to the operand's dtype; numbers stay weak."""
    x, b = var("x", 4, 3, dtype="float32"), var("b", 3, dtype="float64")
    slopes = gradient((2.0 * x + b).graph, [x.node, b.node])
    assert [str(node.specs[k]) for node, k in slopes.heads] == ["float32[4, 3]", "float64[3]"]
    found = evaluate(slopes, {"x": np.zeros((4, 3), "f"), "b": np.zeros(3)})
    assert found[0].tolist() == [[2.0] * 3] * 4
    assert found[1].tolist() == [4.0] * 3


# where it begins --------------------------------------------------------------------------------


def test_head_gradients():
    """A number, an entry of another dtype, or None for ones; heads are taken together."""
    x, g = var("x", 2), var("g", 2, dtype="float32")
    graph = ng.Group([x * 2, x * 10, x * 100]).graph
    slopes = gradient(graph, [x.node], [None, 0.5, g.entry])
    assert [v.name for v in slopes.variables] == ["x", "g"]
    given = {"x": np.zeros(2), "g": np.array([1, 2], "float32")}
    assert evaluate(slopes, given)[0].tolist() == [107.0, 207.0]
    itself = gradient(x.graph, [x.node], [3.0])
    assert evaluate(itself, {"x": np.zeros(2)})[0].tolist() == [3.0, 3.0]


def test_errors_say_what_is_wrong():
    x = var("x", 2)
    graph = ng.sin(x).graph
    with pytest.raises(ArgumentError, match="2 head gradients for 1 heads"):
        gradient(graph, [x.node], [None, None])
    with pytest.raises(ShapeError, match=r"gradient 0 has shape \(3,\), the head \(2,\)"):
        gradient(graph, [x.node], [var("g", 3).entry])
    with pytest.raises(ShapeError, match="shapes of a are not known"):
        gradient(ng.sin(ng.var("a")).graph, [ng.var("a").node])
    with pytest.raises(DerivativeError, match=r"wild: it has no gradient.*test_gradient.py"):
        gradient(_plain("wild")(x).graph, [x.node])

    def wrong(g):
        return [ng.sum(g.out_grad)]

    with pytest.raises(DerivativeError, match=r"shape \(\) for x of shape \(2,\)"):
        gradient(_plain("wrong", wrong)(x).graph, [x.node])


def _plain(name, rule=None):
    def compute(inputs, outputs):
        outputs[0][...] = inputs[0]

    return ArrayOp(name, lambda x: x, compute, gradient=rule)


def test_rules_may_give_arrays():
    """What a rule gives that does not depend on the graph becomes a constant."""
    x = var("x", 3)
    op = _plain("fixed", lambda g: [np.arange(3)])
    assert evaluate(gradient(op(x).graph, [x.node]), {"x": np.zeros(3)})[0].tolist() == [0, 1, 2]


def test_long_chains():
    """No recursion: a chain of 20,000 operators, as deep as it is long."""
    x = y = var("x", 2)
    for _ in range(10_000):
        y = ng.sin(y) * 1.0001
    slopes = gradient(y.graph, [x.node])
    assert len(slopes.nodes) == 40_000  # the last values are not read
    assert operators(slopes).count("sin_backward") == 10_000


def test_the_same_graph_twice_is_the_same_nodes():
    """Nodes are hash-consed: names and scopes around the call do not matter."""
    x = var("x", 2)
    graph = ng.sin(x * x).graph
    one = gradient(graph, [x.node])
    with ng.name_scope("elsewhere_"):
        two = gradient(graph, [x.node])
    assert one.heads == two.heads
    assert same_bits(*(evaluate(g, {"x": np.ones(2)}) for g in (one, two)))
