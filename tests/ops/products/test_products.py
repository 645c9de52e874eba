"""Products in every world: NumPy's values, layouts without copies, flags, requests, plans."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import ShapeError
from nbgraph.operator.request import kAddTo, kNullOp, kWriteTo

FLOATS = {"float32": 3e-6, "float64": 1e-14, "float16": 2e-3}
EXACT = ["int64", "uint8", "int8", "uint16", "int32", "uint64", "bool"]
LAYOUTS = ["c", "transposed", "sliced", "reversed", "broadcast", "padded"]


def placed(rng, shape, dtype, how):
    """Random values of a shape, as a view that lies in memory as `how` says."""

    def fresh(*sizes):
        if np.dtype(dtype).kind == "f":
            return rng.normal(size=sizes).astype(dtype)
        return rng.integers(0, 2 if dtype == "bool" else 100, sizes).astype(dtype)

    if not shape:
        return fresh()
    if how == "transposed":
        return fresh(*shape[::-1]).T
    if how == "sliced":
        return fresh(*(2 * n for n in shape))[tuple(slice(None, None, 2) for _ in shape)]
    if how == "reversed":
        return fresh(*shape)[tuple(slice(None, None, -1) for _ in shape)]
    if how == "broadcast":
        return (
            np.broadcast_to(fresh(*shape[:-2], 1, shape[-1]), shape) if shape[1:] else fresh(*shape)
        )
    if how == "padded":
        return fresh(*shape[:-1], shape[-1] + 3)[..., : shape[-1]]
    return fresh(*shape)


def close(found, wanted, dtype, size):
    """Values and dtype of a sum of `size` products: wanted is exact, or of float64."""
    assert found.dtype == dtype
    assert found.shape == wanted.shape
    if dtype in EXACT:
        np.testing.assert_array_equal(found, wanted)
    else:
        tolerance = FLOATS[str(dtype)] * (size + 1) ** 0.5 * 4
        np.testing.assert_allclose(
            found, wanted, rtol=tolerance, atol=tolerance * (size + 1) ** 0.5
        )


def packed(x):
    return np.array(x, order="C")


def wide(x):
    return x.astype("float64") if x.dtype.kind == "f" else x


@st.composite
def operands(draw):
    """Shapes that matmul takes: broadcast batches, vectors, no elements."""
    shapes = mutually_broadcastable_shapes(
        signature="(m?,k),(k,n?)->(m?,n?)", min_side=0, max_side=6
    )
    left, right = draw(
        shapes.filter(lambda s: all(len(x) < 5 for x in s.input_shapes))
    ).input_shapes
    dtype = draw(st.sampled_from([*FLOATS, *EXACT]))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    hows = draw(st.tuples(st.sampled_from(LAYOUTS), st.sampled_from(LAYOUTS)))
    return [placed(rng, s, dtype, how) for s, how in zip((left, right), hows, strict=True)]


@settings(max_examples=150)
@given(operands())
def test_matmul(given):
    """MTE-02: NumPy's shapes, dtypes and values, however operands lie."""
    a, b = given
    wanted = np.asarray(np.matmul(wide(a), wide(b)))
    close(np.asarray(ops.matmul(a, b)), wanted, a.dtype, a.shape[-1])


@settings(max_examples=40)
@given(operands())
def test_matmul_in_every_world(given):
    """MTE-02: arrays and graphs give NumPy's bits for arrays that lie alike."""
    a, b = map(packed, given)
    wanted = np.asarray(ops.matmul(a, b))
    assert ng.matmul(ng.array(a), ng.array(b)).asnumpy().tobytes() == wanted.tobytes()
    x, y = ng.var("x", shape=a.shape, dtype=a.dtype), ng.var("y", shape=b.shape, dtype=b.dtype)
    exe = (x @ y).bind(args={"x": ng.array(a), "y": ng.array(b)})
    assert exe.forward()[0].asnumpy().tobytes() == wanted.tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64"])
@pytest.mark.parametrize("flags", [(False, False), (True, False), (False, True), (True, True)])
def test_transposes(flags, dtype):
    """MTE-03: dot and batch_dot are right for all flags and shapes that are not square."""
    rng = np.random.default_rng(1)
    for m, n, k in [(2, 3, 5), (7, 1, 4), (1, 6, 3), (33, 17, 9), (3, 4, 0)]:
        x = placed(rng, (4, k, m) if flags[0] else (4, m, k), dtype, "c")
        y = placed(rng, (4, n, k) if flags[1] else (4, k, n), dtype, "c")
        a = x.swapaxes(1, 2) if flags[0] else x
        b = y.swapaxes(1, 2) if flags[1] else y
        wanted = wide(a) @ wide(b)
        options = {"transpose_a": flags[0], "transpose_b": flags[1]}
        close(ops.batch_dot(x, y, **options), wanted, x.dtype, k)
        close(ops.dot(x[0], y[0], **options), wanted[0], x.dtype, k)
        arrays = ng.array(x[0]), ng.array(y[0])
        close(ng.dot(*arrays, **options).asnumpy(), wanted[0], x.dtype, k)
        symbol = ng.dot(ng.var("x"), ng.var("y"), **options)
        exe = symbol.bind(args=dict(zip("xy", arrays, strict=True)))
        close(exe.forward()[0].asnumpy(), wanted[0], x.dtype, k)


@pytest.mark.parametrize(
    ("a", "b"),
    [((), (2, 3)), ((4,), (4,)), ((2, 3, 4), (4,)), ((3, 4), (2, 5, 4, 3)), ((0,), (0, 2))],
)
def test_dot_inner_tensordot(a, b):
    """MTE-02: of any number of axes, as NumPy has them."""
    rng = np.random.default_rng(2)
    x, y = placed(rng, a, "float64", "c"), placed(rng, b, "float64", "transposed")
    if not a or a[-1] == b[max(0, len(b) - 2)]:
        np.testing.assert_allclose(ops.dot(x, y), np.dot(x, y), rtol=1e-13)
    else:
        y = np.moveaxis(y, -1, -2)
        np.testing.assert_allclose(ops.dot(x, y), np.dot(x, y), rtol=1e-13)
    if not a or a[-1] == b[-1]:
        np.testing.assert_allclose(ops.inner(x, y), np.inner(x, y), rtol=1e-13)
    np.testing.assert_allclose(ops.tensordot(x, y, axes=0), np.tensordot(x, y, 0), rtol=1e-13)
    pairs = [(d, e) for d in range(x.ndim) for e in range(y.ndim) if x.shape[d] == y.shape[e]]
    for d, e in pairs:
        found = ops.tensordot(x, y, axes=((d,), (e,)))
        np.testing.assert_allclose(found, np.tensordot(x, y, ((d,), (e,))), rtol=1e-12, atol=1e-14)


@st.composite
def contractions(draw):
    """Subscripts with repeated letters, sizes of 1 and ellipses, and operands for them."""
    letters = "ijkl"
    sizes = dict(zip(letters, draw(st.tuples(*[st.integers(1, 4)] * 4)), strict=True))
    count = draw(st.integers(1, 4))
    names = [draw(st.text(letters, max_size=3)) for _ in range(count)]
    every = "".join(names)
    result = "".join(draw(st.permutations(sorted(set(every)))))[: draw(st.integers(0, 4))]
    ellipsis = draw(st.booleans())
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    values = []
    for name in names:
        one = {c for c in set(name) if name.count(c) == 1 and draw(st.integers(0, 5)) == 0}
        shape = tuple(1 if c in one else sizes[c] for c in name)
        lead = (2, 3)[draw(st.integers(0, 2)) :] if ellipsis else ()
        values.append(placed(rng, (*lead, *shape), "float64", draw(st.sampled_from(LAYOUTS))))
    dots = "..." if ellipsis else ""
    return ",".join(dots + n for n in names) + "->" + dots + result, values


@settings(max_examples=150)
@given(contractions())
def test_einsum(given):
    """MTE-02: any subscripts; taken apart at the call, or when it is computed, with equal bits."""
    text, values = given
    wanted = np.einsum(text, *values)
    found = np.asarray(ops.einsum(text, *values))
    np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-11)
    out = np.full(found.shape, np.nan)
    ops.einsum(text, *map(packed, values), out=out)
    again = np.asarray(ops.einsum(text, *map(packed, values)))
    np.testing.assert_array_equal(out, again)


def test_einsum_of_other_dtypes():
    """MTE-02: 16-bit floats are added up in float32, integers wrap, bool is logic."""
    rng = np.random.default_rng(3)
    x, y = (placed(rng, (40, 40), "float16", "c") for _ in range(2))
    close(ops.einsum("ij,kj,kl->il", x, y, x), wide(x) @ wide(y).T @ wide(x), x.dtype, 40 * 40)
    for dtype in EXACT:
        a, b = (placed(rng, (5, 5), dtype, "c") for _ in range(2))
        np.testing.assert_array_equal(
            ops.einsum("ij,jk,kk->i", a, b, a), np.einsum("ij,jk,kk->i", a, b, a)
        )
    mixed = ops.einsum("ij,jk->ik", a.astype("int8"), x[:5, :4].astype("float32"))
    assert mixed.dtype == np.float32


REQUESTS = {
    "matmul": (ops.matmul, (3, 4, 5), (5, 6), {}),
    "dot": (ops.dot, (4, 5), (7, 4), {"transpose_a": True, "transpose_b": True}),
    "vector": (ops.matmul, (9, 5), (5,), {}),
    "tensordot": (ops.tensordot, (3, 4, 5), (4, 3, 2), {"axes": ((0, 1), (1, 0))}),
    "batch inside": (ops.einsum, (2, 3, 4), (2, 4, 5), {"subscripts": "bij,bjk->ikb"}),
}


@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
def test_requests(name, dtype):
    """OPR-07..10, MTE-02: what was there counts under kAddTo alone, NaN included."""
    function, a, b, attributes = REQUESTS[name]
    rng = np.random.default_rng(4)
    x, y = placed(rng, a, dtype, "c"), placed(rng, b, dtype, "padded")
    op = function.op
    wanted = np.asarray(op(x, y, **attributes))
    before = rng.normal(size=wanted.shape).astype(dtype)
    unset, eps = (np.nan, float(np.finfo(dtype).eps)) if dtype in FLOATS else (7, 0.0)
    for request, held in ((kWriteTo, unset), (kAddTo, before), (kNullOp, before)):
        for out in (np.empty_like(wanted), np.empty((*wanted.shape, 2), dtype)[..., 0]):
            out[...] = held
            op.run([x, y], [out], [request], attributes)
            right = {kWriteTo: wanted, kAddTo: wide(before) + wide(wanted), kNullOp: before}[
                request
            ]
            tolerance = 20 * eps
            np.testing.assert_allclose(out, right, rtol=tolerance, atol=tolerance)


PLANS = {
    "matmul": (lambda x, y: x @ y, (8, 5), (5, 6), 0),
    "broadcast batches": (ng.matmul, (2, 1, 3, 4), (5, 4, 6), 0),
    "transposed views": (lambda x, y: ng.transpose(x) @ ng.transpose(y), (5, 8), (6, 5), 0),
    "a slice of rows": (lambda x, y: x[1:7:2] @ y[:, 1:3], (8, 5), (5, 6), 0),
    "reversed": (lambda x, y: ng.flip(x, 1) @ y, (8, 5), (5, 6), None),
    "flags": (lambda x, y: ng.dot(x, y, transpose_a=True, transpose_b=True), (5, 8), (6, 5), 0),
    "batch_dot": (lambda x, y: ng.batch_dot(x, y, transpose_b=True), (2, 3, 4), (2, 6, 4), 0),
    "vector": (ng.matmul, (8, 5), (5,), 0),
    "tensordot": (lambda x, y: ng.tensordot(x, y, axes=((0, 2), (1, 0))), (3, 8, 4), (4, 3), 1),
    "batch inside": (lambda x, y: ng.einsum("bij,bjk->ikb", x, y), (2, 3, 4), (2, 4, 5), 1),
    "three": (lambda x, y: ng.einsum("ij,jk,il->kl", x, y, x), (8, 5), (5, 6), 0),
    "diagonal": (lambda x, y: ng.einsum("iij,jk->ik", x, y), (4, 4, 5), (5, 6), None),
}


PARTED = ("three", "diagonal")  # of integers computed by NumPy, whose partial sums are wider


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_plans_without_python(name, dtype):
    """MTE-02, X-SYM-05: every step is a kernel; copies only of what BLAS has no words for."""
    function, a, b, copies = PLANS[name]
    copies = copies if dtype in FLOATS else None  # kernels of integers take fewer layouts
    rng = np.random.default_rng(5)
    x, y = placed(rng, a, dtype, "c"), placed(rng, b, dtype, "c")
    wanted = function(ng.array(x), ng.array(y)).asnumpy()
    symbols = ng.var("x", shape=a, dtype=dtype), ng.var("y", shape=b, dtype=dtype)
    exe = function(*symbols).bind(args={"x": ng.array(x), "y": ng.array(y)})
    found = exe.forward()[0].asnumpy()
    tolerance = (20 * np.finfo(dtype).eps, 1e-6) if dtype in FLOATS else (0, 0)
    np.testing.assert_allclose(found, wanted, *tolerance)
    steps = exe.plan().by_program["forward"]
    whole = dtype in FLOATS or name not in PARTED
    assert {row.does.split()[0] for row in steps} == {"kernel" if whole else "function"}
    moved = sum("operand" in row.name or "result" in row.name for row in steps)
    assert copies is None or moved == copies


def test_sums_of_gradients_are_added_where_they_are():
    """MTE-07: two products of one weight; the second is added by BLAS, as the request says."""
    w = ng.var("w", shape=(6, 6))
    x = ng.var("x", shape=(4, 6))
    loss = ng.sum((x @ w) @ w)
    rng = np.random.default_rng(6)
    values = {"w": rng.normal(size=(6, 6)), "x": rng.normal(size=(4, 6))}
    arrays = {k: ng.array(v.astype("float32")) for k, v in values.items()}
    held = {k: ng.ones(v.shape) for k, v in values.items()}
    exe = loss.bind(args=arrays, args_grad=held, grad_req={"w": "add", "x": "write"})
    exe.forward_backward()
    ones = np.ones((4, 6))
    slope = (values["x"] @ values["w"]).T @ ones + values["x"].T @ (ones @ values["w"].T)
    np.testing.assert_allclose(held["w"].asnumpy(), 1 + slope, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(
        held["x"].asnumpy(), ones @ values["w"].T @ values["w"].T, rtol=1e-5, atol=1e-5
    )


def test_gradient_of_a_broadcast_weight_is_one_product():
    """MTE-07: what broadcasts is summed inside BLAS, not in an array of all batches."""
    x, w = ng.var("x", shape=(50, 3, 4)), ng.var("w", shape=(4, 5))
    exe = ng.sum(x @ w).simple_bind(ng.cpu(), grad_req={"x": "null", "w": "write"})
    exe.arg_dict["x"][:] = 1
    exe.forward_backward()
    np.testing.assert_array_equal(exe.grad_dict["w"].asnumpy(), np.full((4, 5), 150))
    assert all(row.does.split()[0] == "kernel" for row in exe.plan().by_program["forward_backward"])
    assert exe.memory().arrays  # the executor can be asked
    largest = max(v.nbytes for v in exe.programs()["forward_backward"].compiled.schedule.values)
    assert largest <= 50 * 3 * 5 * 4


@pytest.mark.parametrize("kind", ["threaded", "naive", "chaos"])
@pytest.mark.parametrize(("m", "n", "k"), [(700, 1100, 300), (3000, 1, 400), (40, 9000, 8)])
def test_tiles_give_the_same_bits_on_every_engine(kind, m, n, k):
    """MTE-02, ENG-08: tiles depend on the shape alone, not on who runs which."""
    rng = np.random.default_rng(7)
    a, b = rng.normal(size=(m, k)).astype("float32"), rng.normal(size=(k, n)).astype("float32")
    with ng.config(compiler="python"):
        wanted = np.asarray(ops.matmul(a, b))
    before = ng.engine.current().kind
    try:
        ng.engine.set("naive")
        first = ng.matmul(ng.array(a), ng.array(b)).asnumpy()
        ng.engine.set(kind)
        found = ng.matmul(ng.array(a), ng.array(b)).asnumpy()
    finally:
        ng.engine.set(before)
    assert found.tobytes() == first.tobytes() == ops.matmul(a, b).tobytes()
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-3)


A, B = np.ones((2, 3)), np.ones((2, 2, 3))
REFUSED = [
    (lambda: ops.dot(A, A), "dot: inner sizes differ: x1.2, 3., x2.2, 3.; axis 1"),
    (lambda: ops.batch_dot(A, A), "batch_dot: x1 has shape .* expected two arrays of matrices"),
    (lambda: ops.batch_dot(B, B), "inner sizes 3 and 2 have to be equal"),
    (lambda: ops.batch_dot(B, B[:1]), "equal leading sizes; matmul broadcasts them"),
    (lambda: ops.inner(A, A.T), "inner: x1 has shape .2, 3., x2 .3, 2.; their last sizes"),
    (
        lambda: ng.array(A) @ ng.array(A),
        "matmul: inner sizes differ: x1.2, 3. @ x2.2, 3.; the last",
    ),
]


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    """MTE-02: at the call, with both shapes and what they would have to be."""
    call, text = case
    with pytest.raises(ShapeError, match=text):
        call()


def test_python_is_the_specification():
    """MTE-02: forced on by a switch, products go without BLAS."""
    with ng.config(compiler="python"):
        found = ops.matmul(np.float32([[1, 2]]), np.float32([[3], [4]]))
        array = ng.array([[1.0, 2.0]]) @ ng.array([[3.0], [4.0]])
        np.testing.assert_array_equal(array.asnumpy(), [[11]])
    np.testing.assert_array_equal(found, [[11]])


@pytest.mark.parametrize("text", ["...j,...j->...", "aij,aij->ai", "aij,aij->a", "aij,akj->aik"])
def test_einsum_into_out_has_the_bits_of_einsum(text):
    """MTE-02: sums of products have one order, wherever the result is written."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        a, b = rng.normal(size=(2, 3, 2)), rng.normal(size=(2, 3, 2))
        wanted = np.asarray(ops.einsum(text, a, b))
        out = np.full(wanted.shape, np.nan)
        assert ops.einsum(text, a, b, out=out) is out
        np.testing.assert_array_equal(out, wanted)
