"""Products on a GPU agree with the host's, however operands lie; in graphs they are steps like
kernels. The emulation works on memory as BLAS is asked to, so a wrong step is a wrong result."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.device import driver
from nbgraph.errors import DeviceError
from tests.array.gpu import GPU, emulated_only, heard, hurried

DTYPES = ("float32", "float64", "float16", "bfloat16", "int32", "int8", "uint8", "bool")
WHOLE = ("matmul", "dot", "batch_dot", "inner", "tensordot", "einsum")
COUNT = 60


def integers(shape, dtype, seed):
    """Small ones: sums of products are exact, in whatever order."""
    made = np.random.default_rng(seed).integers(-3, 4, shape)
    return ng.array(np.abs(made) if dtype == "uint8" else made).astype(dtype).asnumpy()


@st.composite
def calls(draw):
    """An operator, shapes that fit it, and how the operands are cut out of larger arrays."""
    m, n, k, p, q = (draw(st.integers(1, 6)) for _ in range(5))
    name = draw(st.sampled_from(WHOLE))
    flags = {f"transpose_{x}": draw(st.booleans()) for x in "ab"}
    left = (k, m) if flags["transpose_a"] else (m, k)
    right = (n, k) if flags["transpose_b"] else (k, n)
    if name == "matmul":
        shapes = draw(
            st.sampled_from(
                [
                    ((m, k), (k, n)),
                    ((k,), (k, n)),
                    ((m, k), (k,)),
                    ((k,), (k,)),
                    ((p, m, k), (k, n)),
                    ((p, q, m, k), (q, k, n)),
                    ((p, 1, m, k), (q, k, n)),
                    ((p, m, k), (k,)),
                ]
            )
        )
        return name, shapes, {}
    if name in ("dot", "batch_dot"):
        lead = (p,) if name == "batch_dot" else ()
        return name, (lead + left, lead + right), flags
    if name == "inner":
        return name, ((p, m, k), (n, k)), {}
    if name == "tensordot":
        axes = draw(st.sampled_from([1, ((1, 2), (0, 1)), ((2, 1), (1, 0))]))
        return name, ((m, p, k), (k, p, n) if axes == 1 else (p, k, n)), {"axes": axes}
    text = draw(
        st.sampled_from(
            [
                "pqmk,qpkn->pqmn",
                "pmk,qnk->mpnq",
                "mpk,pkn->nmp",
                "pk,pk->p",
                "mk,kn->nm",
                "pmk,pk->mp",
            ]
        )
    )
    sizes = {"m": m, "n": n, "k": k, "p": p, "q": q}
    a, b = text.split("->")[0].split(",")
    return "einsum", tuple(tuple(sizes[c] for c in own) for own in (a, b)), {"subscripts": text}


@st.composite
def cut(draw, shape, dtype, seed):
    """An array of that shape on the host, and the key and order that make it of a larger one."""
    order = draw(st.permutations(range(len(shape))))
    doubled = [draw(st.sampled_from([1, 1, 2, -1])) for _ in shape]
    full = integers([n * abs(step) for n, step in zip(shape, doubled, strict=True)], dtype, seed)
    back = [order.index(d) for d in range(len(shape))]
    return full.transpose(order), back, (*(slice(None, None, step) for step in doubled), ...)


@settings(max_examples=COUNT, deadline=None)
@given(st.data(), calls(), st.sampled_from(DTYPES))
def test_products_of_arrays_that_lie_anyhow(data, call, dtype):
    """MTE-03: transpose flags, strides, broadcasting and shapes, float or not, as on the host."""
    name, shapes, attributes = call
    if dtype == "bool" and name == "matmul":
        dtype = "int32"  # NumPy has no such product of stacks
    made = [data.draw(cut(shape, dtype, seed)) for seed, shape in enumerate(shapes)]

    def run(device):
        arrays = [
            ng.array(full.copy(), device=device).transpose(back)[key] for full, back, key in made
        ]
        if name == "einsum":
            return ng.einsum(attributes["subscripts"], *arrays)
        return getattr(ng, name)(*arrays, **attributes)

    found, wanted = run(GPU), run(ng.cpu())
    assert found.device == GPU and found.dtype == wanted.dtype and found.shape == wanted.shape
    np.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy())


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
def test_results_of_any_layout_take_a_product(dtype):
    """`out`: transposed, in pieces, of one element; and sums over nothing."""
    a, b = integers((4, 3), dtype, 0), integers((3, 5), dtype, 1)

    def run(device):
        x, y = ng.array(a, device=device), ng.array(b, device=device)
        outs = [ng.full((5, 4), 7, dtype=dtype, device=device).T]
        outs += [ng.full((8, 10), 7, dtype=dtype, device=device)[::2, ::-2]]
        for out in outs:
            ng.matmul(x, y, out=out)
        one = ng.dot(x[0], y[:, 0])
        nothing = ng.matmul(x[:, :0], y[:0])
        return [*(out.copy() for out in outs), one, nothing, ng.matmul(x[:0], y)]

    for found, wanted in zip(run(GPU), run(ng.cpu()), strict=True):
        np.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy())


def test_operands_of_two_dtypes_meet_in_the_wider():
    a, b = integers((4, 3), "float16", 0), integers((3, 5), "float32", 1)
    c = integers((3, 5), "int8", 2)
    for other in (b, c):
        found = ng.array(a, device=GPU) @ ng.array(other, device=GPU)
        wanted = ng.array(a) @ ng.array(other)
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy())


def test_sixteen_bits_are_added_up_in_float32():
    """MSP-01: ones added up in float16 would end at 2048; a result is rounded once."""
    x = np.ones((1, 4097), np.float16)
    found = ng.array(x, device=GPU) @ ng.array(x.T.copy(), device=GPU)
    assert found.dtype == np.float16 and found.item() == np.float16(4097)
    long = np.full((2, 3000), 0.1, np.float16)
    found = (ng.array(long, device=GPU) @ ng.array(long.T.copy(), device=GPU)).asnumpy()
    wanted = long.astype(np.float64) @ long.T.astype(np.float64)
    np.testing.assert_allclose(found, wanted, rtol=2.0**-10)


def test_what_is_no_product_of_two_is_refused():
    """The operator and the remedy; nothing is copied."""
    x = ng.array(integers((3, 3), "float16", 0), device=GPU)
    with pytest.raises(DeviceError, match=r"einsum: there is no GPU form.*x\.to\(ng\.cpu\(\)\)"):
        ng.einsum("ii,ij,jk->ik", x, x, x)


# graphs -----------------------------------------------------------------------------------------


def network():
    x, w, v = ng.var("x"), ng.var("w"), ng.var("v")
    hidden = ng.tanh(ng.dot(x, w) * 0.1)
    return ng.sum(ng.dot(hidden, v, transpose_b=True) ** 2) + ng.sum(ng.dot(hidden.T, x))


def bound(device, request_="write"):
    shapes = {"x": (6, 5), "w": (5, 4), "v": (3, 4)}
    made = network().simple_bind(ctx=device, grad_req=request_, **shapes)
    for seed, (name, shape) in enumerate(shapes.items()):
        made.arg_dict[name][:] = ng.array(integers(shape, "float32", seed) / 4, device=device)
    return made


@pytest.mark.parametrize("request_", ["write", "add"])
def test_bound_graphs_with_products(request_):
    """MFU-03, MTE-02: forward and backward; gradients are products, written or added to."""
    results = []
    for device in (GPU, ng.cpu()):
        made = bound(device, request_)
        with hurried(3):
            for _ in range(4):
                made.forward(is_train=True)
                made.backward()
        results.append([a.asnumpy() for a in (*made.outputs, *made.grad_dict.values())])
    for found, wanted in zip(*results, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


@emulated_only
def test_a_bound_graph_with_products_is_captured(monkeypatch):
    """The first run is issued piece by piece, the second captured, later ones run as one; new
    values in the same arrays count."""
    told = heard(monkeypatch, ("captured", "replay", "multiply"))
    made = bound(GPU)
    for k in range(4):
        made.arg_dict["x"][:] = float(k)
        made.forward()
        expected = bound(ng.cpu())
        expected.arg_dict["x"][:] = float(k)
        expected.forward()
        np.testing.assert_allclose(
            made.outputs[0].asnumpy(), expected.outputs[0].asnumpy(), rtol=1e-5, atol=1e-5
        )
    products = told.count("multiply")
    assert products and products % 2 == 0  # as it is, and captured
    assert [name for name in told if name != "multiply"] == ["captured", *["replay"] * 3]


@pytest.mark.parametrize("dtype", ["float16", "int32"])
def test_graphs_of_other_dtypes(dtype):
    @ng.jit
    def run(x, y, z):
        return x @ y, ng.einsum("mk,kn->nm", x, y) + 1, (y @ z) @ z, x[:, :0] @ y[:0]

    shapes = (4, 3), (3, 5), (5, 5)
    given = [integers(shape, dtype, seed) for seed, shape in enumerate(shapes)]
    found = run(*(ng.array(x, device=GPU) for x in given))
    wanted = run(*(ng.array(x) for x in given))
    for a, b in zip(found, wanted, strict=True):
        assert a.device == GPU and a.dtype == b.dtype
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


def test_products_may_be_rounded_to_eleven_bits(monkeypatch):
    """The setting tf32 is asked for with each product, and of float32 alone."""
    seen = []
    stream = type(driver().stream(0))
    own = stream.multiply

    def heard(self, gemm, *addresses):
        seen.append((gemm.dtype.name, gemm.tf32))
        return own(self, gemm, *addresses)

    monkeypatch.setattr(stream, "multiply", heard)
    x = ng.ones((2, 2), device=GPU)
    for asked in (0, 1, 0):
        with ng.config(tf32=asked):
            (x @ x).asnumpy()
    assert seen == [("float32", False), ("float32", True), ("float32", False)]
