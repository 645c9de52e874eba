"""The calls to NVIDIA's driver, on a library that has its functions: signatures, errors, memory."""

import ctypes
import sys

import numpy as np
import pytest

from nbgraph.device import RunContext, gpu, nvidia
from nbgraph.device.nvidia import Library, NvidiaDriver
from nbgraph.errors import CompileError, DeviceError
from nbgraph.kernels.compiler.handwritten import thread_kernel
from nbgraph.kernels.cuda.arguments import Operand, Shape, Signature
from nbgraph.kernels.cuda.handwritten import HandCode, HandLaunches
from nbgraph.kernels.cuda.launch import Launches, LoopCode
from nbgraph.operator.layout import layout
from nbgraph.operator.scalar.map_call import map_call
from nbgraph.ops.elementwise.arithmetic import multiply
from tests.device.fakes import compiled


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compiled("fake_cuda.c", tmp_path_factory.mktemp("cuda") / "libcuda.so")


@pytest.fixture(scope="module")
def driver(library):
    return NvidiaDriver(Library(library))


def test_what_the_device_is(driver):
    assert driver.count() == 1 and driver.title(0) == "Fake 0"
    assert driver.capability(0) == (9, 0)
    assert (driver.multiprocessors(0), driver.resident(0)) == (132, 2048)


def test_memory_copies_and_events(driver, library):
    stream, other = driver.stream(0), driver.stream(0)
    assert stream.__cuda_stream__() == (0, stream.handle) and stream.handle != other.handle
    free, total = driver.memory(0)
    a, b = driver.allocate(0, 4000), driver.allocate(0, 4000)
    assert driver.memory(0) == (free - 8000, total) and a % 256 == 0
    assert driver.allocate(0, 1 << 30) == 0  # told as a number, not as an error
    source, target = driver.pinned(4000), driver.pinned(4000)
    source[:] = np.arange(4000) % 251
    stream.write(a, source)
    event = stream.record()
    assert event.done()
    other.wait(event)
    other.copy(b, a, 4000, 0)
    other.read(target, b)
    other.synchronize()
    event.synchronize()
    assert (target == source).all()
    driver.free(0, a)
    driver.free(0, b)
    assert driver.memory(0) == (free, total)
    driver.trim(0)
    assert ctypes.c_int.in_dll(library, "trimmed").value == 1


def test_a_launch(driver, library, monkeypatch):
    """The record by value, blocks and threads; the PTX is that of the device's capability."""
    monkeypatch.setattr("nbgraph.kernels.cuda.launch.driver", lambda: driver)
    single = np.dtype("float32")
    x = layout((1003,), single)
    plan = multiply.invoker.plan_of([single, single], {})
    made = map_call(plan, x.shape, [x, x], [x], ["write"])
    launches = Launches(made.code.loop, "multiply")
    addresses = [driver.allocate(0, x.nbytes) for _ in range(3)]
    record = made.block(addresses, ())
    ready = launches.ready(record, 0)
    launches.issue(RunContext(gpu(0), driver.stream(0)), record, ready)
    launched = (ctypes.c_int64 * 16).in_dll(library, "launched")
    assert list(launched[:8]) == [1, 1, 256, 1003, 0, *addresses]
    graphs(driver, library, launches, record, ready)


def graphs(driver, library, launches, record, ready):
    """Launches are captured with their nodes, which are changed one by one; a capture that failed
    leaves nothing."""
    stream = driver.stream(0)
    run_ctx = RunContext(gpu(0), stream)
    issue = lambda: [launches.issue(run_ctx, record, ready) for _ in range(2)]
    graph = stream.captured(issue)
    for _ in range(3):
        stream.replay(graph)
    assert ctypes.c_int64.in_dll(library, "replayed").value == 3
    other = [7, *record[1:]]
    launches.issue(RunContext(gpu(0), graph.node(1)), other, ready)
    words = list((ctypes.c_int64 * 13).in_dll(library, "words"))
    assert words == [1003, 1, 1, 1, 256, 1, 1, 0, *other[:5]]
    there = (ctypes.c_int64 * 2).in_dll(library, "graphs")
    assert list(there) == [1, 1]
    with pytest.raises(ZeroDivisionError):
        stream.captured(lambda: issue() and 1 / 0)
    assert list(there) == [1, 1]
    del graph
    assert list(there) == [0, 0]


def test_a_users_kernel(driver, library, monkeypatch):
    """SMP-41: Numba's parameters, a word each, of the record; blocks, threads, shared memory."""
    single = np.dtype("float32")
    operands = Operand(single, 2, writable=False), Operand(single, 1, writable=True)
    signature = Signature(operands, ("f", ("i", "i"), "b", "i"))
    monkeypatch.setattr("nbgraph.kernels.cuda.launch.driver", lambda: driver)
    monkeypatch.setattr(HandCode, "ptx", lambda self, capability: b"\x7fELF")
    code = HandCode("op", thread_kernel(lambda src, ret, req, start, step: None), signature)
    code.name = "nbgraph_one"
    shape, values = Shape((2, 3, 4), (8, 4, 1), 96), (0.5, (7, 9), True, 3)
    record = signature.record([256, 512], [(5, 6), (5,)], values, shape)
    launches = HandLaunches(code)
    apart = ctypes.c_int.in_dll(library, "apart")
    apart.value = len(signature.order)
    try:
        stream = driver.stream(0)
        launches.issue(RunContext(gpu(0), stream), record, launches.ready(record, 0))
    finally:
        apart.value = 0
    words = list((ctypes.c_int64 * 64).in_dll(library, "words"))
    assert words[:7] == [2, 3, 4, 8, 4, 1, 96]
    half = np.float64(0.5).view(np.int64)
    first, second = [0, 0, 30, 4, 256, 5, 6, 24, 4], [0, 0, 5, 4, 512, 5, 4]
    assert words[7 : 7 + len(signature.order)] == [*first, *second, half, 7, 9, 1, 3]


def test_errors_are_told(driver, library):
    stream = driver.stream(0)
    failing = ctypes.c_int.in_dll(library, "failing")
    failing.value = 700
    try:
        with pytest.raises(DeviceError, match=r"illegal memory access.*error 700 of cuEventSync"):
            stream.record().synchronize()
        assert stream.record().done()
    finally:
        failing.value = 0

    class Bad(LoopCode):
        name, pointers = "bad", 0

        def __init__(self):
            pass

        def ptx(self, capability):
            return "no kernel"

    failing.value = 700
    try:  # the device has failed: no word of the text
        with pytest.raises(DeviceError, match="illegal memory access.*of cuModuleLoadDataEx"):
            driver.function(0, Bad())
    finally:
        failing.value = 0
    with pytest.raises(CompileError, match="Fake 0 does not take the PTX") as caught:
        driver.function(0, Bad())
    assert "no entry in it" in caught.value.details


def test_streams_and_memory_of_other_libraries(driver):
    """What another library says of its stream and its memory, in the driver's words."""
    theirs = driver.foreign(0, 4097)
    assert theirs.handle == 4097 and theirs.record().done()
    # the legacy stream stands for all that wait for it: those outlive what is lent
    assert [driver.settled(0, handle) for handle in (1, 2, 4096, 4097)] == [1, 1, 1, 4097]
    assert (driver.owner(1 << 20), driver.owner(17)) == (0, -1)


class Unusable:
    """A library whose driver finds no device."""

    def call(self, name, *arguments):
        raise DeviceError(f"no CUDA-capable device is detected (CUDA error 100 of {name})")


def test_what_is_missing_is_told_with_how_to_get_it(monkeypatch):
    """A driver without a device, no driver, a system that has none."""
    with pytest.raises(DeviceError, match=r"is here, but cannot be used: no CUDA.*nvidia-smi"):
        NvidiaDriver(Unusable())
    monkeypatch.setattr(nvidia, "_LIBRARIES", {sys.platform: ("libno-such-thing.so",)})
    with pytest.raises(DeviceError, match=r"libno-such-thing.so\) was not found: install.*--gpus"):
        nvidia.load()
    monkeypatch.setattr(nvidia, "_LIBRARIES", {})
    with pytest.raises(DeviceError, match="no driver for"):
        nvidia.load()
