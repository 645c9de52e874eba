"""Methods of arrays and reductions on any carrier: those of NDArray, all but what needs memory."""

import inspect

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import foreign
from nbgraph.errors import ShapeError
from nbgraph.ops.carrier.methods import OPERATOR_METHODS, Methods
from nbgraph.ops.carrier.operators import Operators, ways
from nbgraph.ops.carrier.reductions import Reductions
from tests.ops.carrier.double import Double, agree, values

# what an NDArray has and others need not: memory, values, engine, gradients, other libraries
OF_MEMORY = set(
    """device context ctx itemsize nbytes strides variable
    as_in_context copyto to to_device fill flat sort
    asnumpy to_numpy asscalar item tolist wait_to_read wait_to_write
    attach_grad backward grad
    __bool__ __complex__ __float__ __index__ __int__ __trunc__ __len__ __contains__
    __copy__ __deepcopy__ __buffer__ __dlpack__ __dlpack_device__
    __arrow_c_array__ __cuda_array_interface__ __nbgraph_dynamic__ __del__
    """.split()
)
X = np.array([[3.25, -1.5, 2.0], [0.5, 4.75, -2.25]])
# a call of each method, on an array of that shape
ROWS = {
    "astype": lambda x: x.astype("int32"),
    "copy": lambda x: x.copy(),
    "real": lambda x: x.real,
    "imag": lambda x: x.imag,
    "conj": lambda x: x.conj(),
    "conjugate": lambda x: x.conjugate(),
    "detach": lambda x: x.detach(),
    "reshape": lambda x: x.reshape(3, -1),
    "ravel": lambda x: x.ravel(),
    "flatten": lambda x: x.flatten(),
    "transpose": lambda x: x.transpose(1, 0),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "squeeze": lambda x: x[None].squeeze(0),
    "expand_dims": lambda x: x.expand_dims(1),
    "broadcast_to": lambda x: x.broadcast_to((2, 2, 3)),
    "diagonal": lambda x: x.diagonal(1),
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "take": lambda x: x.take([2, 0], axis=1),
    "repeat": lambda x: x.repeat(2, 1),
    "argsort": lambda x: x.argsort(0),
    "searchsorted": lambda x: x[1].cumsum().searchsorted([0.75, 9.0]),
    "clip": lambda x: x.clip(0, 3) + x.clip(min=1) + x.clip(max=2) + x.clip(),
    "round": lambda x: x.round(1),
    "__round__": lambda x: round(x, 1),
    "dot": lambda x: x.dot([1.0, 2.0, 3.0]),
    "sum": lambda x: x.sum(0),
    "prod": lambda x: x.prod(axis=1, keepdims=True),
    "mean": lambda x: x.mean((0, 1)),
    "var": lambda x: x.var(1, ddof=1),
    "std": lambda x: x.std(1, correction=1.0),
    "max": lambda x: x.max(0),
    "min": lambda x: x.min(0, keepdims=True),
    "argmax": lambda x: x.argmax(1),
    "argmin": lambda x: x.argmin(),
    "any": lambda x: (x > 4).any(0),
    "all": lambda x: (x > -2).all(1),
    "norm": lambda x: x.norm(1, axis=0),
    "cumsum": lambda x: x.cumsum(1),
    "cumprod": lambda x: x.cumprod(1),
    "trace": lambda x: x.trace(1),
}


class Bare:
    """A class as Python makes it."""


def own(kind):
    """The methods that a class itself brings."""
    bare = {*vars(Bare), "__slots__", "__hash__", "__annotations__"}
    return {n for n in vars(kind) if n not in bare and (n.startswith("__") or n[0] != "_")}


def test_what_arrays_have_beyond_carriers_is_about_memory():
    """X-NDA-04: whatever else gives an array is there for every carrier. In place nothing is."""
    bare = set(dir(object)) | set(dir(Double(X)))
    beyond = {
        n
        for n in set(dir(ng.NDArray)) - bare - set(foreign.METHODS)
        if n.startswith("__") or n[0] != "_"
    }
    in_place = {f"__i{n.strip('_')}__" for n, way in ways() if way.operands == 2}
    assert beyond <= OF_MEMORY | in_place, beyond - OF_MEMORY


def test_every_method_has_a_row():
    dynamic = {"nonzero"}
    assert own(Methods) | own(Reductions) == {*ROWS, *dynamic, *OPERATOR_METHODS.split()}


@pytest.mark.parametrize("name", ROWS)
def test_a_method_is_that_of_arrays(name):
    """X-NDA-04, API rule 10: the same call, values and dtype as an NDArray gives; also where the
    shape is not known yet, unless it decides what to do."""
    wanted = values(ROWS[name](ng.array(X)))
    agree(ROWS[name](Double(X)), wanted)
    if name in ("repeat", "imag"):
        with pytest.raises(ShapeError, match="an operand's shape is not known yet"):
            ROWS[name](Double(X, known=False))
    else:
        agree(ROWS[name](Double(X, known=False)), wanted)


ARGUMENTS = {  # of operators as methods: what they need beside an array of shape (2, 4)
    "broadcast_axes": (0, 2),
    "broadcast_like": (np.zeros((2, 4)),),
    "depth_to_space": (1,),
    "maximum": (0.5,),
    "minimum": (0.5,),
    "one_hot": (3,),
    "pick": ([1, 0],),
    "pow": (2,),
    "reshape_like": (np.zeros((4, 2)),),
    "roll": (1, 1),
    "slice": ((0, 1), (1, 3)),
    "slice_axis": (1, 1, 3),
    "slice_like": (np.zeros((1, 2)),),
    "space_to_depth": (1,),
    "tile": (2,),
    "topk": (2,),
}
FOUR_AXES = {"depth_to_space", "space_to_depth"}


@pytest.mark.parametrize("name", OPERATOR_METHODS.split())
def test_an_operator_as_a_method(name):
    """X-NDA-04: `x.exp()` is `ng.exp(x)`, on arrays and while a graph is made of them."""
    x = ng.array([[0.0, 0.25, 0.5, 0.75], [0.1, 0.2, 0.3, 0.4]])
    x = x.astype("int64") if name == "one_hot" else x
    x = x.reshape(1, 2, 2, 2) if name in FOUR_AXES else x
    more = ARGUMENTS.get(name, ())
    wanted = getattr(ng, name)(x, *more)
    for found in (getattr(x, name)(*more), ng.jit(lambda x: getattr(x, name)(*more))(x)):
        parts = (wanted, found) if isinstance(wanted, tuple) else ([wanted], [found])
        for a, b in zip(*parts, strict=True):
            np.testing.assert_array_equal(a, b)
    assert getattr(x, name).__doc__ == getattr(ng, name).__doc__


@pytest.mark.parametrize("kind", [Operators, Methods, Reductions])
def test_nothing_is_told_twice(kind):
    """What arrays override has another text, or none: it is then that of all carriers."""
    for name in own(kind):
        mine = inspect.getattr_static(ng.NDArray, name)
        shared = inspect.getattr_static(kind, name)
        if mine is not shared and mine.__doc__ is not None:
            assert mine.__doc__ != shared.__doc__, name


def test_what_depends_on_values_is_refused():
    with pytest.raises(TypeError, match="nonzero: the shape of the result depends on values"):
        Double(X).nonzero()


def test_copies_where_they_are_asked_for():
    d = Double(X)
    assert d.astype("float64", copy=False) is d
    agree(Double(X, known=False).astype("float64", copy=False), X, "astype")
    agree(d.reshape(6, copy=True), X.ravel(), "reshape", "copy")
    agree(d.reshape(6, copy=False), X.ravel(), "reshape")


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (lambda d: d.reshape((2, 3), 1), "reshape: .* one tuple of them"),
        (lambda d: d.reshape(4, 2), "reshape"),
        (lambda d: d[0].mT, r"mT: an array of shape \(3,\)"),
        (lambda d: d.sum(2), "axis"),
        (lambda d: d.astype("longdouble"), "not supported"),
    ],
)
def test_errors(use, text):
    with pytest.raises((TypeError, ValueError), match=text):
        use(Double(X))
