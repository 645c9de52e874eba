"""The emulated driver keeps the driver's rules: what is forgotten shows."""

import ctypes

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.device.emulated import EmulatedDriver
from nbgraph.device.protocol import Launch
from nbgraph.errors import DeviceError
from tests.support import child, run_python


@pytest.fixture(scope="module")
def driver():
    return EmulatedDriver(2)


def raw(values):
    return np.ascontiguousarray(values).view(np.uint8)


def test_streams_keep_their_own_order_and_events_the_one_between(driver):
    """ENG-07: copies in, across and out, each on a stream of its own."""
    values = np.arange(500, dtype=np.float32)
    a, b = driver.allocate(0, values.nbytes), driver.allocate(1, values.nbytes)
    one, two = driver.stream(0), driver.stream(1)
    for number in range(2):
        driver.devices[number].hurry(number)
    for _ in range(10):
        out = np.zeros(values.nbytes, np.uint8)
        one.write(a, raw(values))
        two.wait(one.record())
        two.copy(b, a, values.nbytes, 0)
        two.read(out, b)
        one.wait(two.record())
        two.synchronize()
        assert (out.view(np.float32) == values).all()
        values = values + 1
    for number in range(2):
        driver.devices[number].hurry(None)


def test_memory_is_taken_and_given_back(driver):
    room = driver.devices[0].room
    used = room.used
    held = [driver.allocate(0, 1000) for _ in range(5)]
    assert all(address % 256 == 0 for address in held) and len(set(held)) == 5
    driver.free(0, held[2])
    assert driver.allocate(0, 1000) == held[2]
    room.most = room.used + 512
    assert driver.allocate(0, 1000) == 0 and driver.memory(0) == (512, room.most)
    room.most = room.size
    for address in held:
        driver.free(0, address)
    assert room.used == used


def test_an_illegal_access_fails_the_device_for_good():
    driver = EmulatedDriver(1)
    stream, address = driver.stream(0), driver.allocate(0, 100)
    stream.read(np.empty(5000, np.uint8), address)
    for _ in range(2):
        with pytest.raises(DeviceError, match="illegal memory access"):
            stream.synchronize()
    for use in (
        lambda: driver.allocate(0, 100),
        lambda: driver.function(0, Counted()),
        lambda: stream.write(address, np.zeros(8, np.uint8)),
    ):
        with pytest.raises(DeviceError, match="illegal memory access"):
            use()


class Counted:
    """A kernel that adds the last word of its record to an element."""

    name, pointers, order = "counted", 1, None

    def host(self):
        def run(words):
            held = (ctypes.c_int64 * 1).from_address(int(words[2]))
            held[0] += int(words[3])

        return run


def test_what_is_captured_may_be_changed_for_later_replays(driver):
    """A replay that was asked for stays as it was; what a driver refuses in a capture."""
    stream, at, out = driver.stream(0), driver.allocate(0, 8), np.zeros(8, np.uint8)
    stream.write(at, np.zeros(8, np.uint8))
    kernel = driver.function(0, Counted())
    record = lambda n: np.array([1, 0, at, n]).tobytes()
    graph = stream.captured(
        lambda: [stream.launch(Launch(kernel, 1, 32), record(n)) for n in (1, 10)]
    )
    driver.devices[0].hurry(0)
    for n in (10, 20, 30):
        graph.node(1).launch(Launch(kernel, 1, 32), record(n))
        stream.replay(graph)
    stream.read(out, at)
    stream.synchronize()
    driver.devices[0].hurry(None)
    assert out.view(np.int64)[0] == 3 + 60
    with pytest.raises(DeviceError, match="0 blocks"):
        graph.node(0).launch(Launch(kernel, 0, 32), record(1))
    for use in (stream.record, stream.synchronize, lambda: stream.call(print, [])):
        with pytest.raises(DeviceError, match="not permitted when stream is capturing"):
            stream.captured(use)


def test_the_host_cannot_touch_a_devices_memory():
    """Nothing is copied silently: host code over device memory ends the process."""
    program = (
        "import nbgraph as ng\n"
        "x = ng.ones(4, device=ng.gpu())\n"
        "print(x._view().strides, flush=True)\n"
        "print(x._view()[0])\n"
    )
    found = child("-c", program, NBGRAPH_GPU="emulated")
    assert found.stdout == "(4,)\n" and found.returncode < 0


def test_what_is_missing_is_said():
    """ENG-15, MTE-04: driver, device and remedy."""
    program = (
        "import sys, nbgraph as ng\n"
        "from nbgraph.device import missing\n"
        "assert not any(m.startswith(('cuda', 'nbgraph.device.nvidia')) for m in sys.modules)\n"
        "print(ng.num_gpus(), missing(ng.gpu(1)))\n"
        "try:\n"
        "    ng.zeros(3, device=ng.gpu())\n"
        "except ValueError as error:\n"
        "    print(error)\n"
    )
    first, second = run_python("-c", program, NBGRAPH_GPU="none").splitlines()
    assert first.startswith("0 no GPU backend is loaded, so nothing runs on gpu(1): ")
    assert first.endswith("; or use ng.cpu()") and "gpu(0)" in second


def test_devices_are_counted():
    if ng.config.gpu != "emulated":
        pytest.skip("another number of devices")
    assert ng.num_gpus() == 2
    assert ng.device.missing(ng.gpu(1)) is None
    assert "there are gpu(0) to gpu(1)" in ng.device.missing(ng.gpu(2))


def test_a_forked_child_has_no_gpu():
    """Never fork after the start: the child says so."""
    program = (
        "import os, nbgraph as ng\n"
        "x = ng.ones(3, device=ng.gpu()); x.asnumpy()\n"
        "if os.fork() == 0:\n"
        "    print(ng.device.missing(ng.gpu()), flush=True)\n"
        "    os._exit(0)\n"
        "os.wait()\n"
    )
    printed = run_python("-W", "ignore", "-c", program, NBGRAPH_GPU="emulated")
    assert "was forked after GPUs had been used; start processes by 'spawn'" in printed


def test_another_setting_is_looked_for_where_there_was_no_driver():
    program = (
        "import nbgraph as ng\n"
        "print(ng.num_gpus())\n"
        "with ng.config(gpu='emulated'):\n"
        "    print(ng.num_gpus(), (ng.ones(2, device=ng.gpu(0)) + 1).tolist())\n"
    )
    assert run_python("-c", program, NBGRAPH_GPU="none").splitlines() == ["0", "2 [2.0, 2.0]"]
