"""Memory of GPUs shared with another library on it, both ways: who waits for whom, who keeps what,
what is refused. The other library is one of these tests (`foreign`), on emulated devices."""

import gc
import threading
import time

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.device import driver
from nbgraph.errors import DeviceError, DTypeError
from tests.array.foreign import Interface, Reader, Tensor
from tests.array.gpu import GPU, emulated_only, hurried

pytestmark = emulated_only
RNG = np.random.default_rng(0)


def same(found, wanted):
    found = found.asnumpy() if isinstance(found, ng.NDArray) else found
    assert found.dtype == wanted.dtype and found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_work_here_follows_the_work_of_the_producer(versioned, seed):
    """ENG-08, X-MEM-11: no copy; every stream of ours begins behind the stream of the other."""
    with hurried(seed):
        values = RNG.normal(size=(7, 5)).astype(np.float32)
        there = Tensor(values, versioned=versioned)
        x = ng.from_dlpack(there)
        assert x._address == there.address and x.device == GPU
        use = seed % 4
        if use == 0:
            same(x, values)  # the copy out
        elif use == 1:
            same(x * 2, values * 2)  # a kernel
        elif use == 2:
            same(x.to(ng.gpu(1)) + 1, values + 1)  # the stream of another device
        else:
            same(ng.from_dlpack(there, copy=True), values)
        with pytest.raises(ValueError, match="belongs to another library: write to a copy"):
            x += 1


@pytest.mark.parametrize("make", [Tensor, Interface])
def test_what_is_borrowed_lasts_until_our_work_has_ended(make):
    there = make(np.arange(6.0))
    inner = there if make is Tensor else there.tensor
    with hurried(1):
        x = ng.from_dlpack(there)
        found = (x + 1) * 2
        del x
        assert not inner.deleted
        same(found, (np.arange(6.0) + 1) * 2)
    ng.waitall()
    ng.zeros(1)
    ng.waitall()
    gc.collect()
    assert make is Interface or inner.deleted == 1


@pytest.mark.parametrize("seed", range(3))
def test_an_interface_names_the_stream_to_wait_for(seed):
    """__cuda_array_interface__, version 3, of libraries without DLPack."""
    values = RNG.normal(size=(4, 6)).astype(np.float64)
    with hurried(seed):
        there = Interface(values)
        x = ng.from_dlpack(there)
        same(x + 1, values + 1)
        assert x._address == there.tensor.address
        quiet = Interface(values, stream=None)  # its maker has waited
        quiet.tensor.stream.synchronize()
        same(ng.asarray(quiet, dtype="float32"), values.astype("f4"))


def test_arrays_are_made_of_what_is_on_a_gpu():
    """A copy stays on the device unless another is asked for; later writes do not reach it."""
    values = np.arange(8, dtype=np.float32)
    with hurried(2):
        there = Tensor(values)
        x = ng.array(there)
        there.write(values + 1)
        y = ng.array(there, dtype="float64", device=ng.cpu())
        same(x, values)
        same(y, (values + 1).astype(np.float64))
        assert x.device == GPU and y.device == ng.cpu()
        x += 1
        assert ng.asarray(there)._address == there.address
        assert ng.from_dlpack(there, device=ng.gpu(1)).device == ng.gpu(1)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "bool", "float16", "bfloat16"])
def test_dtypes_come_and_go(dtype):
    values = ng.array(RNG.integers(0, 2, (3, 4))).astype(dtype).asnumpy()
    x = ng.from_dlpack(Tensor(values))
    same(x, values)
    reader = Reader(x.copy(), max_version=(1, 0))
    assert reader.dtype == values.dtype and reader.place == (2, 0)
    seen = []
    reader.later(lambda there: seen.append(there.copy()))
    reader.stream.synchronize()
    same(seen[0], values)


def test_strides_come_and_go():
    values = np.arange(24, dtype=np.float32).reshape(4, 6)
    same(ng.from_dlpack(Tensor(values, steps=(1, 4))), values.reshape(6, 4).T.copy())
    x = ng.array(values, device=GPU)[::2, ::-1]
    reader = Reader(x)
    assert reader.view[1:] == ((2, 6), np.dtype("f4"), (48, -4))
    assert reader.view[0] == x._address
    empty = ng.from_dlpack(Tensor(np.zeros((0, 3), np.int32)))
    assert empty.shape == (0, 3) and empty.device == GPU


@pytest.mark.parametrize("seed", range(4))
def test_what_comes_after_a_lease_follows_the_consumers_work(seed):
    """The deleter is called, from any thread, while the consumer's stream is still at work."""
    values = np.arange(50, dtype=np.float32)
    with hurried(seed):
        x = ng.array(values, device=GPU)
        y = x * 2
        reader = Reader(y, max_version=(1, 0))
        with pytest.raises(ValueError, match="lent to another library"):
            y += 1
        seen = []
        for _ in range(3):
            reader.later(lambda there: (time.sleep(0.002), seen.append(there.copy())))
        reader.later(lambda there: np.add(there, 1, out=there))
        reader.capsule = None
        thread = threading.Thread(target=reader.let_go)
        thread.start()
        thread.join()
        y += 1  # on the device behind what the reader began
        z = y.to(ng.gpu(1))
        del y
        for _ in range(4):
            ng.zeros((50,), device=GPU)  # the block is not taken while it is read
        same(z, values * 2 + 2)
        assert all((s == values * 2).all() for s in seen) and len(seen) == 3


def test_a_copy_is_told_as_one_and_borrowed_memory_as_read_only():
    x = ng.array(np.arange(3.0), device=GPU)
    reader = Reader(x, copy=True, max_version=(1, 0))
    x += 1  # not lent
    assert reader.held.flags == 2
    borrowed = ng.from_dlpack(Tensor(np.arange(3.0)))
    assert Reader(borrowed, max_version=(1, 0)).held.flags == 1
    with pytest.raises(BufferError, match="copy=True"):
        borrowed.__dlpack__(stream=1)
    with pytest.raises(BufferError, match=r"stream=0; expected None or 1"):
        x.__dlpack__(stream=0)
    x.__dlpack__(stream=None)
    x.__dlpack__(stream=-1)
    x += 1  # capsules that nobody took


def test_a_capsule_is_taken_once():
    x = ng.from_dlpack(Tensor(np.arange(3.0)))

    class Twice:
        made = x.__dlpack__(stream=1, max_version=(1, 0))

        def __dlpack_device__(self):
            return 2, 0

        def __dlpack__(self, **how):
            return self.made

    first = ng.from_dlpack(Twice())
    with pytest.raises(BufferError, match="that has not been consumed yet"):
        ng.from_dlpack(Twice())
    same(first, np.arange(3.0))


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"told": 9}, DeviceError, r"x is on gpu\(9\): gpu\(9\) is not there"),
        ({"told": 1}, BufferError, r"tells gpu\(1\), its capsule a device \(2, 0\)"),
        ({"kind": 10}, BufferError, "DLPack's kind 10"),
        ({"code": 5, "bits": 64}, DTypeError, "code 5, 64 bits"),
        ({"lanes": 2}, DTypeError, r"2 lane"),
        ({"bits": 4}, DTypeError, "4 bits"),
        ({"major": 2}, BufferError, "version 2.0 of DLPack"),
        ({"shift": 2}, BufferError, "not at multiples of their size"),
        ({"raises": True}, RuntimeError, "requires grad"),
    ],
)
def test_what_cannot_be_taken(options, error, text):
    """The capsule is left to its maker, which deletes it."""
    there = Tensor(np.arange(4, dtype=np.float32), **options)
    with pytest.raises(error, match=text):
        ng.from_dlpack(there)
    gc.collect()
    made = not {"kind", "raises"} & set(options) and options.get("told") != 9
    assert there.deleted == made
    with pytest.raises(BufferError, match=r"copy=False, but there is no way to cpu\(0\)"):
        ng.from_dlpack(Tensor(np.arange(3.0)), device=ng.cpu(), copy=False)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"typestr": ">f8"}, BufferError, "another byte order"),
        ({"typestr": "<f16"}, DTypeError, "float128"),
        ({"mask": 1}, BufferError, "a mask"),
        ({"stream": 0}, BufferError, "stream 0"),
        ({"data": (1 << 12, False)}, BufferError, "of no device"),
    ],
)
def test_interfaces_that_cannot_be_taken(options, error, text):
    with pytest.raises(error, match=text):
        ng.from_dlpack(Interface(np.arange(4.0), **options))


def test_nothing_reaches_the_host_unasked():
    """NumPy's ways to the values raise, with the remedy; explicit ways are there."""
    x = ng.array(np.arange(3.0), device=GPU)
    for use in (np.asarray, np.array, np.asanyarray):
        with pytest.raises(DeviceError, match=r"values are on gpu\(0\).*x\.asnumpy\(\)"):
            use(x)
    with pytest.raises(BufferError, match=r"on gpu\(0\).*x\.to\(ng\.cpu\(\)\)"):
        np.from_dlpack(x)
    x += 1  # nothing was lent
    same(x, np.arange(3.0) + 1)


def test_emulated_streams_have_names_like_pointers():
    """1 and 2 are names of default streams; what no stream has is refused."""
    own = driver().stream(0)
    assert driver().foreign(0, own.handle) is own and own.handle > 2
    assert driver().foreign(0, 1) is driver().foreign(0, 1)
    with pytest.raises(DeviceError, match="has no stream 0x5"):
        driver().foreign(0, 5)
