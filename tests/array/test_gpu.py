"""Arrays on a GPU: made, computed with, looked at, and brought back. Emulated where there is none;
maps give the bits of the host."""

import copy
import gc
import pickle
import re

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.array import transfer
from nbgraph.device import driver
from nbgraph.errors import DeviceError, OutOfMemory
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.operator.call import call
from nbgraph.storage.sizes import readable
from tests.array.gpu import GPU, at_most, emulated_only, hurried
from tests.support import run_python

FLOATS = ("float32", "float64", "float16", "bfloat16")


def values(shape, dtype="float32", seed=0):
    made = np.random.default_rng(seed).normal(size=shape) * 3
    return ng.array(made).astype(dtype).asnumpy()


def same(found, wanted):
    """Equal to the last bit."""
    found, wanted = (x.asnumpy() if isinstance(x, ng.NDArray) else x for x in (found, wanted))
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    assert found.tobytes() == wanted.tobytes() or np.array_equal(found, wanted, equal_nan=True)


@pytest.mark.parametrize("dtype", [*FLOATS, "int8", "uint16", "int64", "bool"])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (5, 7), (3, 1, 4)])
def test_values_come_back_as_they_went(shape, dtype):
    """MTE-03: array, device, asnumpy, to, copyto, as_in_context."""
    x = values(shape, dtype)
    y = ng.array(x, device=GPU)
    assert y.device == GPU and isinstance(y, ng.NDArray)
    same(y, x)
    same(y.to(ng.cpu()), x)
    assert y.to(GPU) is y and y.as_in_context(ng.cpu()).device == ng.cpu()
    same(y.copyto(ng.gpu(ng.num_gpus() - 1)), x)
    target = ng.zeros(shape, dtype=dtype)
    same(y.copyto(target), x)
    same(ng.array(target, device=GPU).copy(), x)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "compute",
    [
        lambda x, y: x + y,
        lambda x, y: x * y[0] - 2,
        lambda x, y: ng.tanh(x) / (1 + ng.abs(y)),
        lambda x, y: ng.where(x > y, x, y) ** 2,
        lambda x, y: x.T[1:, ::2] * y.T[1:, ::2],
        lambda x, y: 3 - x[:, 1] + y[:, :1],
        lambda x, y: ng.exp(ng.sin(x)) + ng.log(ng.abs(y) + 1),
    ],
)
def test_maps_have_the_bits_of_the_host(compute, dtype):
    """One scalar text: strides, broadcasting, numbers, new dtypes."""
    x, y = values((9, 33), dtype), values((9, 33), dtype, 1)
    wanted = compute(ng.array(x), ng.array(y))
    found = compute(ng.array(x, device=GPU), ng.array(y, device=GPU))
    assert found.device == GPU
    same(found, wanted)


def test_writes_in_place_and_views_share_memory():
    x, y = values((6, 8)), values((8,))
    found, wanted = ng.array(x, device=GPU), ng.array(x)
    for a, b in ((found, ng.array(y, device=GPU)), (wanted, ng.array(y))):
        a += b
        a *= 2
        a[1:3] -= b
        a[4] = 7
        a[:, ::2] = b[::2]
        a[5, 1:] = a[0, 1:]
        ng.add(a, 1, out=a)
    same(found, wanted)


def test_the_quick_ways_of_the_host_do_not_take_a_gpus_arrays():
    """Layouts alone do not tell devices apart: routes are learned on both sides in turn."""
    x = values((64,))
    for _ in range(6):
        for device in (ng.cpu(), GPU):
            a = ng.array(x, device=device)
            b = a + a
            b += a
            b *= 2.0
            assert b.device == device
            same(b, (x + x + x) * np.float32(2))
    with pytest.raises(DeviceError, match=r"add: x1 is on gpu\(0\), x2 on cpu\(0\).*to_device"):
        ng.array(x, device=GPU) + ng.array(x)
    with pytest.raises(DeviceError, match="setitem|copy"):
        ng.array(x)[:] += ng.array(x, device=GPU)


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod"])
@pytest.mark.parametrize("shape", [(3,), (5, 7), (300, 5), (4, 3, 1500)])
def test_reductions(name, shape):
    """Full, along last and first axes, several, none, kept; within the bound of sums."""
    x = values(shape) / 4
    for axis in (None, 0, -1, tuple(range(len(shape)))[::2]):
        for keepdims in (False, True):
            found = getattr(ng, name)(ng.array(x, device=GPU), axis=axis, keepdims=keepdims)
            wanted = getattr(np, name)(x.astype(np.float64), axis=axis, keepdims=keepdims)
            assert found.device == GPU and found.shape == wanted.shape
            np.testing.assert_allclose(found.asnumpy(), wanted, rtol=2e-5, atol=2e-5)
    for truths in ("any", "all", "count_nonzero"):
        held = (x > 1.2).astype(np.float32)
        for axis in (None, 0):
            found = getattr(ng, truths)(ng.array(held, device=GPU), axis=axis)
            same(found, getattr(ng, truths)(ng.array(held), axis=axis))
    whole = ng.array(np.arange(10), device=GPU)
    assert whole.sum().item() == 45 and whole.sum().dtype == np.int64
    assert ng.zeros((0,), device=GPU).sum().item() == 0


@pytest.mark.parametrize("axis", [None, 0])
@pytest.mark.parametrize("kind", ["eager", "graph"])
def test_the_dtype_of_a_sum_is_that_of_its_additions(kind, axis):
    """Not only of the result, as which a total in float32 would have lost digits."""
    x = values((70_001,))
    for dtype in ("float64", "int64"):

        def total(x, dtype=dtype):
            return ng.sum(x, axis, dtype=dtype)

        run = ng.jit(total) if kind == "graph" else total
        found = run(ng.array(x, device=GPU))
        assert found.dtype == dtype
        np.testing.assert_allclose(found.asnumpy(), x.sum(dtype=dtype), rtol=1e-13)


@pytest.mark.parametrize("kind", ["eager", "graph"])
def test_reductions_of_many_elements(kind):
    """SMP-07: blocks are longer there (`kernels.loops.loop.stretch`), and totals fewer."""
    x = values((3, 100_001)) / 4

    def square_sum(x):
        return (x * x).sum()

    run = ng.jit(square_sum) if kind == "graph" else square_sum
    found = run(ng.array(x, device=GPU))
    wanted = (x.astype(np.float64) ** 2).sum()
    assert found.device == GPU
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=2e-6)


@pytest.mark.parametrize("axis", [-1, 0])
def test_row_programs(axis):
    x = values((6, 40))
    for compute in (ng.softmax, ng.log_softmax):
        found = compute(ng.array(x, device=GPU), axis=axis)
        np.testing.assert_allclose(
            found.asnumpy(), compute(ng.array(x), axis=axis).asnumpy(), rtol=1e-6
        )


def test_gradients_stay_on_the_device():
    """Autograd: maps, broadcasting, reductions, rows; against the host."""
    x, w, b = values((16, 10)), values((10,), seed=1), values((16, 1), seed=2)

    def gradients(device):
        arrays = [ng.array(v, device=device) for v in (x, w, b)]
        for a in arrays:
            a.attach_grad()
        with ng.autograd.record():
            h = ng.tanh(arrays[0] * arrays[1] + arrays[2])
            loss = (ng.log_softmax(h) ** 2).sum() + (h * 2).mean()
        loss.backward()
        assert all(a.grad.device == device for a in arrays)
        return [loss, *(a.grad for a in arrays)]

    for found, wanted in zip(gradients(GPU), gradients(ng.cpu()), strict=True):
        np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-4, atol=1e-6)


def test_arrays_are_made_there():
    """Draws are the same numbers on all devices."""
    same(ng.zeros((2, 3), device=GPU), np.zeros((2, 3), np.float32))
    same(ng.full((3,), 7, device=GPU), ng.full((3,), 7))
    same(ng.arange(5, device=GPU), np.arange(5))
    drawn = []
    for device in (ng.cpu(), GPU):
        ng.random.seed(3)
        drawn.append(ng.random.normal(size=(50,), device=device))
    assert drawn[1].device == GPU
    same(drawn[1], drawn[0])


def test_what_has_no_form_is_refused():
    """The operator, the device and the remedy; nothing is copied."""

    def compute(inputs, outputs):
        outputs[0][...] = np.roll(inputs[0], 1)

    rolled = ArrayOp("rolled", lambda x: x, compute)
    assert call(rolled, [ng.array([1, 2])], {}).tolist() == [2, 1]
    x = ng.array(values((5,)), device=GPU)
    with pytest.raises(DeviceError, match=r"rolled: there is no GPU form.*x\.to\(ng\.cpu\(\)\)"):
        call(rolled, [x], {})


KEYS = [
    lambda where: ([0, 2],),
    lambda where: (np.array([[1], [3]]), slice(None, None, 2)),
    lambda where: (slice(1, 4), where([0, 5])),
    lambda where: (where([0, 1]), [2, 3]),
    lambda where: (where([True, False, True, True]),),
    lambda where: (..., np.array([True, False, True, False, False, True])),
]


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("key", range(len(KEYS)))
def test_elements_at_arrays_are_read_and_written(key, dtype):
    """Integer arrays, lists, masks, of NumPy and on the device; values are cast as on the host."""
    made = (values((4, 6)) * 10).astype(dtype)

    def run(device):
        where = lambda v: ng.array(np.array(v), device=device)  # noqa: E731
        x, index = ng.array(made, device=device), KEYS[key](where)
        index = index[0] if len(index) == 1 else index
        found = [x[index].copy()]
        for value in (7.6, np.float64(3.5), ng.array(np.float32(-2.5), device=device)):
            x[index] = value
            found.append(x.copy())
        x[index] = np.arange(found[0].size).reshape(found[0].shape)
        x[index] += 1
        return [*found, x]

    for found, wanted in zip(run(GPU), run(ng.cpu()), strict=True):
        assert found.device == GPU
        same(found, wanted)
    x = ng.array(made, device=GPU)
    with pytest.raises(DeviceError, match=r"setitem: array is on gpu\(0\), value on cpu\(0\)"):
        x[[0, 1]] = ng.ones(6)
    with pytest.raises(IndexError):
        x[[0, 9]] = 0.0


INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")


def test_casts():
    x = values((40,))
    for dtype in ("float64", "float16", "bool", *INTEGERS):
        same(ng.array(x, device=GPU).astype(dtype), ng.array(x).astype(dtype))
    same(ng.array(x > 0, device=GPU).astype("float32"), (x > 0).astype(np.float32))


def test_display_and_elements():
    x = ng.array(values((2, 2)), device=GPU)
    assert repr(x).endswith(" on gpu(0)") and str(x) == str(x.asnumpy())
    assert x[0, 1].item() == x.asnumpy()[0, 1] and x.item(1, 0) == x.asnumpy()[1, 0]
    assert len(list(x)) == 2 and bool(x[0, 0] == x[0, 0])
    assert "..." in repr(ng.zeros((2000,), device=GPU))
    assert (
        x.item(-1) == x.item(3) == x.item((1, 1)) == x.asnumpy()[1, 1] and x.context == x.ctx == GPU
    )
    with pytest.raises(IndexError):
        x.item(4)
    with pytest.raises(IndexError):
        x.item(0, 2)
    y = x.copy()
    assert np.array_equal(x, y) and np.allclose(x, y + 1e-9) and not np.array_equiv(x, y + 1)
    assert np.array_repr(x) == np.array_repr(x.asnumpy())
    pickled = pickle.loads(pickle.dumps(x))
    assert pickled.device == ng.cpu()
    same(pickled, x)
    assert copy.deepcopy(x).device == GPU


@pytest.mark.parametrize("shape", [(5000,), (7, 2000), (60, 60), (3, 900, 7), (2, 3, 500)])
def test_of_a_large_array_its_corners_are_shown(shape):
    """What is shown comes to the host, no more."""
    made = values(shape)
    assert repr(ng.array(made, device=GPU)) == f"{ng.array(made)!r} on gpu(0)"
    assert str(ng.array(made, device=GPU)[..., ::-1]) == str(ng.array(made)[..., ::-1])
    before = ng.storage.stats(GPU).peak
    repr(ng.array(made, device=GPU).T)
    assert ng.storage.stats(GPU).peak - before <= made.nbytes


def test_an_array_stays_where_it_is_unless_asked():
    x = ng.array(values((3,)), device=GPU)
    for make in (ng.array, ng.asarray, ng.asarray([1.0]).__array_namespace__().asarray):
        assert make(x).device == GPU and make(x, dtype="float64").device == GPU
        assert make(x, device=ng.cpu()).device == ng.cpu()
    assert ng.asarray(x) is x and ng.array(x) is not x
    own = values((4,))  # memory of the host is not borrowed for a device
    found = ng.asarray(own, device=GPU)
    own[:] = 0
    same(found + 0, values((4,)))


@emulated_only
@pytest.mark.parametrize("kind", ["threaded", "naive", "chaos"])
@pytest.mark.parametrize("seed", range(3))
def test_random_programs_with_slow_streams(kind, seed):
    """ENG-08: copies and kernels on their streams, in any timing, as on the host."""
    before = ng.engine.current().kind
    ng.engine.set(kind)
    rng = np.random.default_rng(seed)
    try:
        with hurried(seed):
            wanted = [rng.normal(size=(20, 9)).astype(np.float32) for _ in range(3)]
            found = [ng.array(x, device=ng.gpu(0)) for x in wanted]
            for _ in range(25):
                i, j, k = rng.integers(0, 3, 3)
                what = rng.integers(0, 6)
                if what == 0:
                    wanted[k] = wanted[i] + wanted[j]
                    found[k] = found[i] + found[j]
                elif what == 1:
                    wanted[k] = wanted[k] * np.float32(0.5)
                    found[k] *= 0.5
                elif what == 2:
                    wanted[k] = wanted[i].copy()
                    found[k] = found[i].to(ng.gpu(1)).to(ng.gpu(0))
                elif what == 3:
                    wanted[k] = wanted[i] - np.float32(1)
                    found[k] = (found[i].to(ng.cpu()) - 1).to(ng.gpu(0))
                elif what == 4:
                    fresh = rng.normal(size=(20, 9)).astype(np.float32)
                    wanted[k] = fresh.copy()
                    found[k] = ng.array(fresh, device=ng.gpu(0))
                    fresh[:] = 0
                else:
                    wanted[k] = wanted[k].copy()
                    wanted[k][3:7] = wanted[i][3:7]
                    found[k] = found[k].copy()
                    found[k][3:7] = found[i][3:7]
            for a, b in zip(found, wanted, strict=True):
                same(a, b)
    finally:
        ng.engine.set(before)


def test_large_copies_take_no_more_pinned_memory_than_they_have_bytes():
    """What is kept for the next copy has sizes that are powers of two; this is given back."""
    nbytes = transfer._MOST_KEPT + 5
    assert transfer.Staging(nbytes)._whole.nbytes == nbytes
    assert transfer.Staging(5000)._whole.nbytes == 8192


@emulated_only
def test_memory_that_runs_out():
    """Drained, released, tried again; then the report says who holds it, and what is left."""
    ng.waitall()
    ng.storage.empty_cache(GPU)
    nbytes = 1 << 20
    with at_most(3 * nbytes + 4096):
        held = [ng.zeros((nbytes // 4,), device=GPU) for _ in range(2)]
        for _ in range(5):  # temporaries come back
            held[0] = held[0] + 1
        with pytest.raises(OutOfMemory, match=r"asked for on gpu\(0\)") as caught:
            held += [ng.zeros((nbytes // 4,), device=GPU) for _ in range(64)]
        assert "held: " in str(caught.value)
        # what other tests left there counts too: programs and temporary space that are kept
        whole = readable(driver().devices[0].room.most)
        assert re.search(rf"the device has \d\S* \w+ of {whole} free", str(caught.value))
        del held
        assert ng.ones((nbytes // 4,), device=GPU).asnumpy().all()


def test_pieces_and_products():
    """Reshapes of what lies in pieces, concatenation, stacks, scatters; matmul by a library."""
    x, w = values((6, 8)), values((8, 5), seed=1)

    def run(device):
        a, b = ng.array(x, device=device), ng.array(w, device=device)
        a.attach_grad()
        b.attach_grad()
        with ng.autograd.record():
            product = a @ b
            parts = ng.concatenate([a[:, 2:4], a[:, :1] * 2, a[:, 5:]], axis=1)
            loss = (product**2).sum() + ng.stack([parts, parts], axis=1).sum()
            loss = loss + (a.T.reshape((4, 12))[1:, ::2] ** 2).sum() + ng.flip(a, 0)[0].sum()
        loss.backward()
        vector = b.T @ a[0]
        return [product, parts, loss, a.grad, b.grad, vector, ng.matmul(a[:2], b)]

    for found, wanted in zip(run(GPU), run(ng.cpu()), strict=True):
        assert found.device == GPU
        np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-5)


def test_other_libraries_see_the_memory():
    """__cuda_array_interface__ and DLPack: address, layout, device; lent until it is let go."""
    x = ng.array(values((4, 6)), device=GPU)[:, ::2]
    told = x.__cuda_array_interface__
    assert told["data"] == (x._address, False) and told["stream"] is None
    assert (told["shape"], told["strides"], told["typestr"]) == ((4, 3), (24, 8), "<f4")
    assert not hasattr(ng.ones(3), "__cuda_array_interface__")
    assert x.__dlpack_device__() == (2, 0) and ng.ones(3).__dlpack_device__() == (1, 0)
    before = x.asnumpy()
    capsule = x.__dlpack__(stream=1, max_version=(1, 0))
    assert "dltensor" in repr(capsule)
    with pytest.raises(ValueError, match="lent to another library"):
        x += 1
    del capsule  # nobody took it
    x += 1
    same(x, before + 1)
    with pytest.raises(BufferError, match=r"the array is on gpu\(0\)"):
        x.__dlpack__(dl_device=(1, 0))


@pytest.mark.skipif(ng.config.gpu == "emulated", reason="of a real device")
@pytest.mark.parametrize("name", ["torch", "cupy"])
def test_exchange_with_libraries_on_the_device(name):
    library = pytest.importorskip(name)
    x = ng.array(values((4, 6)), device=GPU)
    seen = library.from_dlpack(x)
    assert float((seen * 2).sum()) == pytest.approx(2 * float(x.asnumpy().sum()), rel=1e-5)
    with pytest.raises(ValueError, match="lent"):
        x += 1
    del seen
    gc.collect()
    x += 1
    theirs = library.from_dlpack(x.copy()) * 3
    ours = ng.from_dlpack(theirs)
    assert ours.device == GPU
    same(ours + 0, x.asnumpy() * np.float32(3))
    same(ng.array(theirs), x.asnumpy() * np.float32(3))
    for _ in range(5):  # their stream is busy when ours is told to wait
        theirs = theirs * 1
    same(ng.from_dlpack(theirs) * 1, x.asnumpy() * np.float32(3))


def test_a_first_array_that_was_copied_there_runs_there():
    """In a process that has made none on a device before, as a graph of a traced function."""
    program = (
        "import nbgraph as ng; x = ng.arange(3.0).to(ng.gpu(0)); y = ng.jit(lambda x: x * 2)(x); "
        "print(y.device, y.tolist())"
    )
    assert run_python("-c", program).strip() == "gpu(0) [0.0, 2.0, 4.0]"
