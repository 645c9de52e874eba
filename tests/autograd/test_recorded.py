"""Symbols of what was recorded: MXNet's autograd.get_symbol."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError
from tests.autograd.judge import variable

CONSTANT = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -3.0]], "float32")


class Doubled(ng.autograd.Function):
    def forward(self, x):
        self.save_for_backward(x)
        return x * 2

    def backward(self, gradient):
        return gradient * 2


@ng.jit
def compiled(x, y):
    return ng.sin(x) * y + 1


def assigned(x, _):
    y = x * 1
    y += 1
    y *= x
    return y


def widened(x, _):
    y = x * 1
    y += x.astype("float64") * 0.1
    return y


def written_in_part(x, c):
    y = x * 1
    y[1, ::2] *= 3
    y.T[0] += x[:, 1]
    z = c * 1
    z[:, 1] = x[:, 0]
    return y * z


# y of a variable x and a plain array c
PROGRAMS = {
    "numbers": lambda x, c: x * 2 + 1,
    "number first": lambda x, c: 3 - x,
    "constant that no gradient reads": lambda x, c: x + c,
    "constant that a gradient reads": lambda x, c: ng.sin(x) * c + c,
    "several uses": lambda x, c: ng.exp(x * x + x) / (ng.exp(x) + 1),
    "reduction": lambda x, c: (x * 2 + 1).sum(axis=1, keepdims=True),
    "view": lambda x, c: x[0, 1:] * x.T[:-1, 1],
    "product": lambda x, c: ng.matmul(x, c.T),
    "several outputs": lambda x, c: ng.split(x, 3, axis=1)[1] * 2,
    "where": lambda x, c: ng.where(c > 0, x, 0.0),
    "complex numbers": lambda x, c: (ng.exp(x * (1 + 2j)) * 3 / c).real,
    "named": lambda x, c: ng.nd.FullyConnected(x, c, num_hidden=2, no_bias=True),
    "function": lambda x, c: Doubled()(x) + 1,
    "compiled": lambda x, c: compiled(x, c) * x,
    "written in place": assigned,
    "written in part": written_in_part,
    "written into another dtype": widened,
}


def recorded(program, x, c):
    """What the program gives, and the arrays of its symbol by name."""
    with ng.autograd.record():
        y = program(x, c)
    symbol = ng.autograd.get_symbol(y)
    # all plain arrays of the programs are c, or its comparison
    given = {"var0": x}
    for name in symbol.list_arguments():
        if name.startswith("null"):
            dtype = next(v.attributes["dtype"] for v in symbol.graph.variables if v.name == name)
            given[name] = c.T if program is PROGRAMS["product"] else c
            given[name] = c > 0 if dtype.kind == "b" else given[name]
    return y, symbol, given


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_symbol_computes_what_was_recorded(name):
    x = variable([[0.1, 0.7, -0.3], [1.1, -2.0, 0.4]], dtype="float32")
    y, symbol, given = recorded(PROGRAMS[name], x, ng.array(CONSTANT))
    (again,) = symbol.eval(**given)
    assert again.dtype == y.dtype
    assert again.asnumpy().tobytes() == y.asnumpy().tobytes()
    if name != "function":  # a gradient that is an object goes into no text
        (saved,) = ng.load_json(symbol.tojson()).eval(**given)
        assert saved.asnumpy().tobytes() == y.asnumpy().tobytes()


def test_arguments_are_named_in_the_order_of_their_use():
    a, b = variable(np.ones((2, 3))), variable(np.ones(3))
    c, d = ng.ones(3, dtype="float64"), ng.ones((2, 1), dtype="float64")
    with ng.autograd.record():
        y = (b + c) * a + (c - d) * d + b * c
    symbol = ng.autograd.get_symbol(y)
    assert symbol.list_arguments()[:3] == ["var0", "null0", "var1"]
    shapes, outputs, _ = symbol.infer_shape()
    known = dict(zip(symbol.list_arguments(), shapes, strict=True))
    assert (known["var0"], known["var1"], known["null0"]) == ((3,), (2, 3), (3,))
    assert outputs == [(2, 3)]
    assert len(known) == 4  # c - d is not recorded, c is one argument


def test_other_values_and_gradients_flow_through_the_symbol():
    x = variable([1.0, 2.0])
    with ng.autograd.record():
        y = (x * x + 1).sum()
    y.backward()
    symbol = ng.autograd.get_symbol(y)  # after backward freed what the gradient reads
    bound = symbol.simple_bind(var0=(2,))
    np.testing.assert_array_equal(bound.forward(var0=ng.array([3.0, 4.0], dtype="float64")), [27.0])


def test_a_variable_is_its_own_symbol():
    x = variable([1.0, 2.0])
    assert ng.autograd.get_symbol(x).list_arguments() == ["var0"]


def test_arrays_without_a_record_are_refused():
    x = variable([1.0, 2.0])
    with pytest.raises(ng.autograd.TapeError, match="was not recorded; call attach_grad"):
        ng.autograd.get_symbol(x * 2)
    with pytest.raises(ArgumentError, match="get_symbol: x is a float"):
        ng.autograd.get_symbol(2.0)
    with ng.autograd.record():
        y = x * 2
    y[0] = 1.0
    with pytest.raises(ng.autograd.TapeError, match="get_symbol: the memory"):
        ng.autograd.get_symbol(y)


def test_plain_arrays_are_not_kept():
    """The tape refers weakly to what no gradient reads."""
    import weakref

    x, c = variable([1.0, 2.0]), ng.array([3.0, 4.0], dtype="float64")
    with ng.autograd.record():
        y = x + c
    gone = weakref.ref(c)
    del c
    assert gone() is None
    symbol = ng.autograd.get_symbol(y)
    assert symbol.list_arguments() == ["var0", "null0"]
