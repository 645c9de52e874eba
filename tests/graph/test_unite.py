"""Cross entropy and its gradient are one pass over memory, with the bits of two."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import LabelError
from nbgraph.executor.pipeline import Options
from nbgraph.graph.passes.unite import unite

RNG = np.random.default_rng(0)


def bound(made, options, given):
    exe = made.simple_bind(
        ng.cpu(),
        grad_req={n: "write" if n in ("x", "t") else "null" for n in given},
        options=options,
        **{n: a.shape for n, a in given.items()},
    )
    (loss,) = exe.forward_backward(**given)
    return [loss.asnumpy(), *(g.asnumpy() for g in exe.grad_dict.values() if g is not None)]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("shape", [(6, 33), (5, 1), (40, 1300), (3, 0)])
def test_the_same_bits_in_one_pass(shape, dense, dtype):
    """X-SYM-05: with and without the pass; one kernel where there were two."""
    x = RNG.normal(size=shape).astype(dtype)
    given = {"x": x, "t": RNG.random(shape).astype(dtype)}
    if not dense:
        given["t"] = RNG.integers(0, max(shape[1], 1), shape[0])
    names = {n: ng.var(n, shape=a.shape, dtype=a.dtype) for n, a in given.items()}
    made = ng.cross_entropy(names["x"], names["t"], reduction="sum") * 0.5
    options = [Options.of(unite=True), Options.of(unite=False), Options.none()]
    if not dense and not shape[1]:
        for option in options:
            with pytest.raises(LabelError, match="label.flat.0. is 0; expected no label"):
                bound(made, option, given)
        return
    one, two, plain = (bound(made, option, given) for option in options)
    for a, b, c in zip(one, two, plain, strict=True):
        assert a.tobytes() == b.tobytes()
        np.testing.assert_allclose(a, c, rtol=1e-5, atol=1e-6 if dtype != "float16" else 1e-2)


def parts(above):
    x, g = ng.var("x", shape=(4, 9)), ng.var("g", shape=(4,))
    label = ng.var("label", shape=(4,), dtype="int64")
    loss, top, inverse = ng.ops.label_entropy(x, label)
    share = above(loss, g)
    slope = ng.ops.label_entropy_gradient(x, label, top, inverse, share, share)
    return ng.Group([loss, slope]).graph


def ops(graph):
    return sorted(node.op.__name__ for node in graph.nodes if node.op is not None)


def test_what_depends_on_the_loss_stays_apart():
    """X-SYM-05: a gradient that waits for the loss cannot be computed with it."""
    graph = parts(lambda loss, g: loss * g)
    assert ops(unite(graph)) == ops(graph)
    assert ops(unite(parts(lambda loss, g: ng.exp(g)))) == ["exp", "label_entropy_at_once"]
    again = unite(parts(lambda loss, g: ng.exp(g)))
    assert unite(again).heads == again.heads


def test_second_derivatives_through_a_graph():
    """X-SYM-11: what the pass made is differentiated as what it was made of."""
    x, label = ng.array(RNG.normal(size=(4, 5))), ng.array(np.array([0, 4, 1, 1]))

    def slope(v):
        return ng.sum(ng.grad(lambda u: ng.cross_entropy(u, label))(v) ** 2)

    eager = ng.grad(slope)(x).asnumpy()
    np.testing.assert_allclose(ng.jit(ng.grad(slope))(x).asnumpy(), eager, rtol=1e-9, atol=1e-12)


def test_several_pairs():
    """X-SYM-05: each loss with its own gradient, one upon the other."""
    x, w = RNG.normal(size=(6, 7)), RNG.normal(size=(7, 7))
    label = RNG.integers(0, 7, 6)
    names = ng.var("x", shape=x.shape, dtype="float64"), ng.var("w", shape=w.shape, dtype="float64")
    inner = ng.cross_entropy(names[0], label)
    made = inner + ng.cross_entropy(names[0] @ names[1], label)
    given = {"x": x, "w": w}
    one = bound(made, Options.of(unite=True), given)
    two = bound(made, Options.of(unite=False), given)
    for a, b in zip(one, two, strict=True):
        assert a.tobytes() == b.tobytes()
