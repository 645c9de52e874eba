"""Work of an array library on our memory and streams. The library here has CuPy's interface, over
memory of the host."""

import contextlib
import ctypes
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from nbgraph.device import nvidia_streams
from nbgraph.errors import DeviceError


class Stand:
    """What of CuPy is used, and which device and stream are current."""

    def __init__(self):
        self.current = []
        self.ndarray = self._array
        self.cuda = SimpleNamespace(
            Device=lambda number: self._current(("device", number)),
            Stream=SimpleNamespace(from_external=self._stream),
            UnownedMemory=lambda address, size, owner, device: (address, size, device),
            MemoryPointer=lambda memory, offset: (memory, offset),
        )

    @contextlib.contextmanager
    def _current(self, what):
        self.current.append(what)
        yield
        self.current.remove(what)

    def _stream(self, lent):
        version, handle = lent.__cuda_stream__()
        assert version == 0 and type(handle) is int
        return self._current(("stream", handle))

    def _array(self, shape, dtype, pointer, strides):
        (address, size, device), offset = pointer
        assert ("device", device) in self.current
        memory = (ctypes.c_char * size).from_address(address + offset)
        return np.ndarray(shape, dtype, memory, 0, strides)


@pytest.fixture
def stand(monkeypatch):
    made = Stand()
    monkeypatch.setitem(sys.modules, "cupy", made)
    beside = SimpleNamespace(errstate=lambda linalg: made._current(("linalg", linalg)))
    monkeypatch.setitem(sys.modules, "cupyx", beside)
    return made


@pytest.mark.parametrize(
    "part", [np.s_[:], np.s_[::2, 1:], np.s_[:, 3], np.s_[1:1:2, 0], np.s_[2, 2:3]], ids=str
)
def test_a_function_over_our_memory_on_our_stream(stand, part):
    """MTE-02: each array lies where the view says; not a byte beyond it is the library's."""
    base = np.arange(20, dtype="int16").reshape(5, 4)
    wanted = base.copy()
    wanted[part] += 7
    view, seen = base[part], []

    def add(library, array):
        seen.extend(stand.current)
        array[...] = array + 7

    nvidia_streams.call_library(
        add, [(view.ctypes.data, view.shape, view.dtype, view.strides)], 1, 640
    )
    np.testing.assert_array_equal(base, wanted)
    assert set(seen) == {("device", 1), ("stream", 640), ("linalg", "raise")}
    assert not stand.current


def test_where_it_is_missing(monkeypatch):
    """MSP-02: the remedy."""
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(DeviceError, match=r"CuPy, which is not installed: pip install"):
        nvidia_streams.call_library(lambda library: None, [], 0, 640)
