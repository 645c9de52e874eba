"""X-SYM-02, OPP-02 to OPP-04: shapes and dtypes through graphs, in both directions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.errors import ArgumentError, DTypeError, NbgraphError, ShapeError
from nbgraph.graph.arguments import typed
from nbgraph.graph.graph import with_variables
from nbgraph.graph.infer import Inference
from nbgraph.operator import registry
from tests.graph.every_operator import calls
from tests.graph.random_graphs import random_graph


def _copy(src, env, ret, req, ctx):
    ng.assign(ret.get(), req, src.get())


def _plus(lhs, rhs, env, ret, req, ctx):
    ng.assign(ret.get(), req, lhs.get() + rhs.get())


@pytest.fixture
def plus():
    """A simple operator without a shape function: its operands have equal shapes."""
    yield ng.register_simple_op("plus_of_inference").set_function("cpu", _plus)
    registry.remove("plus_of_inference")


@pytest.fixture
def shaped():
    """A simple operator whose shape function asks for two axes."""

    def shape(src, env):
        rows, columns = src
        return (rows, columns)

    op = ng.register_simple_op("shaped_of_inference").set_function("cpu", _copy)
    yield op.set_shape_function(shape)
    registry.remove("shaped_of_inference")


# shapes -----------------------------------------------------------------------------------------


def test_from_arguments_to_outputs():
    """X-SYM-02, OPP-03: sizes are known before anything runs."""
    net = ng.Group([ng.var("x") @ ng.var("w") + ng.var("b"), ng.sum(ng.var("x"), axis=1)])
    assert net.infer_shape(x=(2, 3), w=(3, 4), b=(4,)) == (
        [(2, 3), (3, 4), (4,)],
        [(2, 4), (2,)],
        [],
    )


def test_what_is_not_determined_is_none():
    """OPP-04, X-SYM-02: not enough is not an error."""
    net = ng.sin(ng.var("x") @ ng.var("w"))
    assert net.infer_shape(x=(2, 3)) == (None, None, None)
    assert net.infer_shape_partial(x=(2, 3)) == ([(2, 3), None], [None], [])
    assert ng.sin(ng.var("x", shape=(None, 3))).infer_shape_partial() == ([(None, 3)],) * 2 + ([],)


def test_nothing_is_guessed_through_broadcasting():
    """OPP-04: whether b is (3,), (1, 3) or (2, 3) nobody knows."""
    net = ng.var("x") + ng.var("b")
    assert net.infer_shape_partial(x=(2, 3)) == ([(2, 3), None], [None], [])
    with pytest.raises(ShapeError, match=r"the shape of b is not known.*give b=\(\.\.\.\)"):
        typed(net.graph, {"x": (2, 3)}, {})


def test_shapes_flow_back_through_what_keeps_them(plus):
    """OPP-02: unknown operands follow from the others and from outputs."""
    x, y, s = ng.var("x"), ng.var("y"), ng.var("s", shape=())
    chain = ng.astype(ng.transpose(ng.sin(y) * 2.0 + s), "float64")
    net = plus(x, ng.transpose(chain))
    assert net.infer_shape(x=(2, 3)) == ([(2, 3), (2, 3), ()], [(2, 3)], [])
    assert net.infer_shape(y=(4, 5)) == ([(4, 5), (4, 5), ()], [(4, 5)], [])
    assert net.infer_shape_partial(y=(4, None), x=(None, 5))[1] == [(4, 5)]


@pytest.mark.parametrize("axes", [None, (2, 0, 1), (0, -1, 1)])
def test_transposition_in_both_directions(plus, axes):
    x = np.zeros((2, 3, 4))
    net = plus(ng.transpose(ng.var("x"), axes), ng.var("y"))
    shape = x.transpose(axes).shape
    assert net.infer_shape(x=(2, 3, 4))[0] == [(2, 3, 4), shape]
    assert net.infer_shape(y=shape)[0] == [(2, 3, 4), shape]


def test_the_same_array_twice_is_no_broadcast(plus):
    x = ng.var("x")
    assert plus(x * x, ng.var("y")).infer_shape(y=(2, 3))[0] == [(2, 3), (2, 3)]


def test_contradictions_name_operator_operands_and_shapes(plus):
    """OPP-04: an inconsistency is an error at once, with both shapes and the way to them."""
    x, y = ng.var("x"), ng.var("y")
    with pytest.raises(ShapeError, match=r"(?s)add: shapes do not broadcast: x1\(2,\), x2\(3,\)"):
        (ng.sin(x) + y).infer_shape(x=(2,), y=(3,))
    with pytest.raises(ShapeError, match=r"operand 0: sin: float32\[2\] <- x: float32\[2\]"):
        (ng.sin(x) + y).infer_shape(x=(2,), y=(3,))
    with pytest.raises(ShapeError, match=r"made at .*test_infer.py:\d+"):
        (ng.sin(x) + y).infer_shape(x=(2,), y=(3,))
    with pytest.raises(ShapeError, match=r"plus_of_inference.*\(3, \?\).*\(2, \?\)"):
        plus(x, y).infer_shape_partial(x=(2, None), y=(3, None))
    with pytest.raises(ShapeError, match=r"variable 'v': shape \(4,\) .* \(3,\)"):
        ng.sin(ng.var("v", shape=(3,))).infer_shape(v=(4,))
    with pytest.raises(ShapeError, match=r"shape \(1, 2\) does not agree with \(\?,\)"):
        ng.sin(ng.var("v", shape=(None,))).infer_shape(v=(1, 2))


def test_an_error_of_a_users_shape_function_says_where(shaped):
    with pytest.raises(ValueError, match="unpack") as caught:
        shaped(ng.sin(ng.var("x"))).infer_shape(x=(2,))
    notes = "\n".join(caught.value.__notes__)
    assert "infer_shape was asked for arguments [(2,)]" in notes
    assert "operand 0: sin: (2,) <- x: (2,)" in notes


def test_arguments_that_are_wrong():
    net = ng.sin(ng.var("x"))
    with pytest.raises(ArgumentError, match=r"shape of 'z' is given, .* there are: x"):
        net.infer_shape(z=(2,))
    with pytest.raises(ArgumentError, match=r"variable 'x': shape='ab'; give a tuple"):
        net.infer_shape(x="ab")
    with pytest.raises(ShapeError, match=r"variable 'x': shape=\(-1,\) has a negative size"):
        net.infer_shape(x=(-1,))
    with pytest.raises(ArgumentError, match="dtype of 'z' is given"):
        net.infer_type(z="float32")
    with pytest.raises(DTypeError, match="variable 'x': 'strange' is given as its dtype"):
        net.infer_type(x="strange")


def test_a_long_chain_in_both_directions(plus):
    """Each node is asked a few times at most, however long the chain."""
    x, asked = ng.var("x"), []
    y = x
    for _ in range(2000):
        y = ng.sin(y)
    graph = plus(y, ng.var("y")).graph

    class Counting(Inference):
        def _ask(self, node):
            asked.append(node)
            super()._ask(node)

    for shapes in ({"x": (2,)}, {"y": (2,)}):
        asked.clear()
        assert Counting(graph, shapes, {}).missing() == []
        assert len(asked) < 8 * len(graph.nodes)


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_partial_knowledge_agrees_with_the_whole(seed):
    """Whatever follows from some shapes is what holds when all are given."""
    graph, arrays = random_graph(seed % 500, 12)
    shapes = {name: a.shape for name, a in arrays.items()}
    dtypes = {name: a.dtype for name, a in arrays.items()}
    moved = with_variables(graph, {v: ng.var(v.name).node for v in graph.variables})
    every = Inference(moved, shapes, dtypes)
    names = [n for k, n in enumerate(sorted(shapes)) if seed >> k & 1]
    some = Inference(moved, {n: shapes[n] for n in names}, {n: dtypes[n] for n in names})
    for entry, shape in some.shapes.items():
        if shape is not None:
            wanted = every.shapes[entry]
            assert len(shape) == len(wanted)
            assert all(m in (None, n) for m, n in zip(shape, wanted, strict=True))
    wanted = [node.specs[k] for node, k in graph.heads]
    assert [every.spec(head) for head in moved.heads] == wanted


# dtypes -----------------------------------------------------------------------------------------


def test_dtypes_flow_forward_without_shapes():
    """X-SYM-02: dtypes do not depend on extents."""
    x = ng.var("x")
    net = ng.Group(
        [ng.sin(x), x > 0, ng.argmax(x, axis=2), ng.astype(x, "int8"), x.reshape((3, 5))]
    )
    assert net.infer_type(x="float64") == (
        [np.dtype("float64")],
        [np.dtype(d) for d in ("float64", "bool", "int64", "int8", "float64")],
        [],
    )
    assert net.infer_type()[0] == [np.dtype("float32")]


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_dtypes_flow_to_variables_beside_and_behind(dtype, plus):
    """X-SYM-02: weights take the dtype of the data, in both directions."""
    x, w, b = ng.var("x"), ng.var("w"), ng.var("b")
    net = plus(ng.tanh(x @ w), ng.exp(b) * 2)
    for given_one in ("x", "w", "b"):
        found, outputs, _ = net.infer_type(**{given_one: dtype})
        assert {*found, *outputs} == {np.dtype(dtype)}


def test_dtypes_stop_where_an_operator_does_not_keep_them():
    """A cast, a comparison and an integer say nothing about the operand beside."""
    x, w, i = ng.var("x"), ng.var("w"), ng.var("i", dtype="int64")
    f4, f8 = np.dtype("float32"), np.dtype("float64")
    assert (ng.astype(w, "float64") + x).infer_type()[0] == [f4, f8]
    assert ng.where(w > x, 1.0, 2.0).infer_type(x=f8)[0] == [f4, f8]
    assert ng.take(w, i).infer_type()[0] == [f4, np.dtype("int64")]


def test_the_default_dtype_is_the_setting():
    with ng.config(default_float="float64"):
        assert ng.sin(ng.var("x")).infer_type()[1] == [np.dtype("float64")]


def test_dtypes_that_do_not_agree():
    """OPP-04: both dtypes, and the way to them."""
    with pytest.raises(DTypeError, match="'x' was made with dtype float64, float32 is given"):
        ng.sin(ng.var("x", dtype="float64")).infer_type(x="float32")
    x = ng.var("x")
    with pytest.raises(DTypeError, match=r"(?s)take.*float32.*operand 1: sin <- x"):
        ng.take(ng.var("w"), ng.sin(x)).infer_type(x="float32")


def test_typed_graphs_have_every_dtype():
    x, w = ng.var("x"), ng.var("w", shape=(None, 4))
    graph = typed((x @ w).graph, {"x": (2, 3), "w": (3, None)}, {"x": "float64"})
    assert graph.typed
    assert [str(v.specs[0]) for v in graph.variables] == ["float64[2, 3]", "float64[3, 4]"]


def test_a_number_says_nothing_of_the_dtype_beside_it():
    """X-SYM-02: also where an operator over whole arrays takes it as a constant."""
    written = ng.index_update(ng.var("a"), 5.0, key=(0,))
    assert written.infer_type()[1] == [np.dtype("float32")]
    assert written.infer_type(a="float64")[1] == [np.dtype("float64")]


def test_in_the_order_of_arguments():
    """X-SYM-02: as in MXNet, shapes and dtypes also by their place; None where one is unknown."""
    net = ng.var("x") @ ng.var("w")
    assert net.infer_shape((4, 5), (5, 6)) == net.infer_shape(x=(4, 5), w=(5, 6))
    assert net.infer_shape((4, 5), w=(5, 6))[1] == [(4, 6)]
    assert net.infer_shape((4, 5)) == (None, None, None)
    assert net.infer_shape_partial(None, (5, 6))[0] == net.infer_shape_partial(w=(5, 6))[0]
    assert net.infer_type(None, "float64") == net.infer_type(w="float64")
    for infer, what in (
        (net.infer_shape, "shapes"),
        (net.infer_shape_partial, "shapes"),
        (net.infer_type, "dtypes"),
    ):
        told = rf"{infer.__name__}: 3 {what} for 2 arguments \(x, w\); give one for each"
        with pytest.raises(ArgumentError, match=told):
            infer(None, None, None)
        with pytest.raises(ArgumentError, match=f"{infer.__name__}: 'x' is given twice"):
            infer(None, x=None)
    with pytest.raises(ArgumentError, match="variable 'x': shape='a'"):
        net.infer_shape("a")


def test_a_shape_alone_leaves_the_dtype_open():
    x, y = ng.var("x", shape=(2,)), ng.var("y", dtype="float64")
    assert (x * y).infer_type()[0] == [np.dtype("float64")] * 2
    assert ng.exp(x).shape == (2,)
    assert ng.exp(x).infer_type()[0] == [np.dtype("float32")]  # nothing else decides
    assert ng.exp(x).eval(x=np.zeros(2))[0].dtype == "float64"
    i = ng.var("i", shape=(3,))
    (found,) = ng.take(x, i).eval(x=np.float32([5, 7]), i=np.array([1, 0, 1]))
    assert found.tolist() == [7, 5, 7]
    with pytest.raises(DTypeError, match="was made with dtype float32"):
        ng.exp(ng.var("z", shape=(2,), dtype="float32")).infer_type(z="float64")


def test_what_fits_no_dtype_is_refused_where_it_is_written():
    x = ng.var("x", shape=(2, 3))
    with pytest.raises(ShapeError):
        x + ng.var("y", shape=(4,))
    with pytest.raises(NbgraphError):
        ng.sum(x, axis=2)


def _two(make):
    return make(ng.var("x"), ng.var("w"))


PARTIAL = {  # shapes that are known, what follows for the arguments and for the result
    "dot": (_two(ng.dot), {"x": (2, None), "w": (3, None)}, [(2, 3), (3, None)], (2, None)),
    "turned": (
        _two(lambda x, w: ng.dot(x, w, transpose_b=True)),
        *({"x": (2, None), "w": (None, 3)}, [(2, 3), (None, 3)], (2, None)),
    ),
    "batch_dot": (
        _two(ng.batch_dot),
        {"x": (None, 2, None), "w": (5, 3, 4)},
        *([(5, 2, 3), (5, 3, 4)], (5, 2, 4)),
    ),
    "matmul": (_two(ng.matmul), {"x": (2, 3), "w": (None, 4)}, [(2, 3), (3, 4)], (2, 4)),
    "pick": (_two(ng.pick), {"x": (None, 3), "w": (None,)}, [(None, 3), (None,)], (None,)),
    "slice": (ng.var("x")[:, 1:3], {"x": (None, 5)}, [(None, 5)], (None, 2)),
    "slice of what may be short": (ng.var("x")[1:3], {"x": (None,)}, [(None,)], (None,)),
    "reshape": (ng.reshape(ng.var("x"), (2, -1, 4)), {}, [None], (2, None, 4)),
    "reshape back": (ng.reshape(ng.var("x"), (2, 6)), {"x": (3, None)}, [(3, 4)], (2, 6)),
    "Reshape": (
        ng.sym.Reshape(ng.var("x"), (0, -1)),
        {"x": (5, 2, None)},
        [(5, 2, None)],
        (5, None),
    ),
    "transpose": (ng.transpose(ng.var("x"), (1, 0)), {"x": (None, 3)}, [(None, 3)], (3, None)),
    "sum": (ng.sum(ng.var("x"), axis=0), {"x": (None, 3)}, [(None, 3)], (3,)),
    "Pooling": (
        ng.sym.Pooling(ng.var("x"), kernel=(2, 2), stride=(2, 2)),
        *({"x": (None, 3, 8, 8)}, [(None, 3, 8, 8)], (None, 3, 4, 4)),
    ),
}


@pytest.mark.parametrize("name", PARTIAL)
def test_shapes_that_are_known_in_part_flow(name):
    net, known, arguments, out = PARTIAL[name]
    found = net.infer_shape_partial(**known)
    assert found[:2] == (arguments, [out])


BACK = {  # what a result of this shape says of x of shape (None, 3): its extent, or None
    "slice": (lambda x: x[:, 1:], (4, 2), 4),
    "slice from the second on": (lambda x: x[1:], (4, 3), 5),
    "slice that ends": (lambda x: x[:4], (4, 3), None),
    "slice with steps": (lambda x: x[::2], (4, 3), None),
    "flat": (lambda x: ng.sym.reshape(x, shape=(-1,)), (12,), 4),
    "transpose": (ng.transpose, (3, 4), 4),
    "flip": (lambda x: ng.flip(x, 0), (4, 3), 4),
    "tile": (lambda x: ng.tile(x, (2, 1)), (4, 3), 2),
    "concatenate": (lambda x: ng.concatenate([x, x[:, :1]], axis=1), (4, 4), 4),
    "cumsum": (lambda x: ng.cumsum(x, axis=0), (4, 3), 4),
    "sum": (lambda x: ng.sum(x, axis=1), (4,), 4),
    "sum over it": (lambda x: ng.sum(x, axis=0), (3,), None),
}


@pytest.mark.parametrize("name", BACK)
def test_extents_follow_from_results(name):
    """From any operator of whose operand only one extent gives a result of that shape."""
    function, shape, extent = BACK[name]
    result = function(ng.var("x"))
    if len(shape) == 1:
        net = ng.reshape(result, shape)
    else:
        net = ng.reshape(result @ ng.var("w", shape=(shape[1], 1)), (shape[0], 1))
    assert net.infer_shape_partial(x=(None, 3))[0][0] == (extent, 3)


SEVERAL = {  # what a result of this shape says of x of which several extents are not known
    "convolution": (
        lambda x: ng.sym.Convolution(x, num_filter=2, kernel=(3, 5), pad=(1, 0), dilate=(1, 2)),
        *((None, 4, None, None), (5, 2, 7, 8), (5, 4, 7, 16)),
    ),
    "convolution in steps": (
        lambda x: ng.sym.Convolution(x, num_filter=2, kernel=(3, 3), stride=(2, 1)),
        *((None, 4, None, None), (5, 2, 7, 8), (5, 4, None, 10)),
    ),
    "equal sections": (
        lambda x: ng.sym.split(x, num_outputs=3, axis=1)[1],
        *((None, None, None), (3, 5, 2), (3, 15, 2)),
    ),
    "sections at places": (
        lambda x: ng.split(x, (2, 4), axis=1)[1],
        *((None, 7, None), (3, 2, 2), (None, 7, None)),
    ),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_several_extents_follow_from_a_result(name):
    """X-SYM-02: where they are certain."""
    function, known, shape, whole = SEVERAL[name]
    net = function(ng.var("x", shape=known)) + ng.var("y", shape=shape)
    assert net.infer_shape_partial()[0][0] == whole


def test_extents_follow_from_weights():
    x, w = ng.var("x", shape=(2, None, 8, 8)), ng.var("w", shape=(4, 3, 3, 3))
    net = ng.sym.Convolution(x, w, ng.var("b"), num_filter=4, kernel=(3, 3))
    assert net.infer_shape()[0] == [(2, 3, 8, 8), (4, 3, 3, 3), (4,)]


@pytest.mark.parametrize(
    "name", ["Convolution", "softmax_cross_entropy", "cross_entropy", "Pooling"]
)
def test_dtypes_follow_before_shapes_are_known(name):
    operands, keywords = calls()[name]
    variables = [ng.var(f"v{k}", dtype=np.asarray(x).dtype) for k, x in enumerate(operands)]
    (found,) = getattr(ng.sym, name)(*variables, **keywords).infer_type()[1]
    assert found is not None
    assert found == "float32"


def _meeting():
    a, c = ng.var("a", shape=(None, 10)), ng.var("c", shape=(5, None))
    parts = ng.sym.SliceChannel(a, num_outputs=10, axis=1, squeeze_axis=True)
    b = ng.var("b", shape=(None, 4))
    return [
        (a + c, (5, 10), (5, 10)),
        (ng.sym.FullyConnected(data=a, num_hidden=21) + c, (5, 10), (5, 21)),
        (parts[1] + ng.var("d", shape=(5,)), (5, 10), (5,)),
        (c + ng.concatenate([a, b], 1), (5, 14), (5, 14)),
        (a + ng.var("e", shape=(1, 10)), None, None),  # of 1 nothing follows: it broadcasts
    ]


@pytest.mark.parametrize("k", range(5))
def test_open_extents_of_variables_are_those_of_what_they_meet(k):
    """X-SYM-03: where nothing else decides, in scalar operators, and larger than 1."""
    net, first, out = _meeting()[k]
    shapes = net.infer_shape()
    assert (shapes[0] and shapes[0][0], shapes[1] and shapes[1][0]) == (first, out)
    assert net.infer_type_partial() == net.infer_type()
