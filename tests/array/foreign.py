"""Another library on the emulated devices: memory, a stream and capsules of its own, by ctypes."""

import ctypes
import itertools

import numpy as np

from nbgraph.array import capsule as capsules
from nbgraph.device import driver

_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_DESTRUCTOR = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _DESTRUCTOR)(
    ("PyCapsule_New", ctypes.pythonapi)
)
_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi)
)
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_held = {}
_numbers = itertools.count()
CODES = {"i": 0, "u": 1, "f": 2, "b": 6, "c": 5, "V": 4}


@_DELETER
def _delete(address):
    _held.pop(address).deleted += 1


@_DESTRUCTOR
def _destroy(capsule):
    for name in (b"dltensor", b"dltensor_versioned"):
        if _valid(capsule, name):
            _delete(_pointer(capsule, name))


class Tensor:
    """An array of that library: values arrive on its stream, late.

    `options` are what may be wrong: `code`, `bits`, `lanes`, `major`, `told` (a device).
    """

    def __init__(self, values, *, device=0, versioned=True, steps=None, flip=False, **options):
        self.values, self.device, self.versioned = np.asarray(values), device, versioned
        self.options, self.steps, self.deleted = options, steps, 0
        self.stream = driver().stream(device)
        self.address = driver().allocate(device, max(1, self.values.nbytes))
        self.write(self.values)

    def write(self, values):
        """Have the stream write values."""
        view = (self.address, values.shape, values.dtype, values.strides)
        self.stream.call(lambda xp, there: xp.copyto(there, values), [view])

    def read(self):
        """The values that are there now."""
        out = np.empty_like(self.values)
        view = (self.address, out.shape, out.dtype, out.strides)
        self.stream.call(lambda xp, there: xp.copyto(out, there), [view])
        self.stream.synchronize()
        return out

    def __dlpack_device__(self):
        return self.options.get("kind", 2), self.options.get("told", self.device)

    def _tensor(self):
        own, options = self.values, self.options
        shape = self.shape = (ctypes.c_int64 * max(1, own.ndim))(*own.shape)
        steps = [s // own.itemsize for s in own.strides] if self.steps is None else self.steps
        self.strides = (ctypes.c_int64 * max(1, own.ndim))(*steps)
        pointer = ctypes.POINTER(ctypes.c_int64)
        return capsules.Tensor(
            self.address - 8,
            capsules._Device(2, self.device),
            own.ndim,
            capsules._DataType(
                options.get("code", CODES[own.dtype.kind]),
                options.get("bits", 8 * own.itemsize),
                options.get("lanes", 1),
            ),
            shape,
            pointer() if steps == "none" else ctypes.cast(self.strides, pointer),
            8 + options.get("shift", 0),
        )

    def __dlpack__(self, *, stream=None, **versions):
        if not self.versioned and versions:
            raise TypeError("unexpected keyword argument 'max_version'")
        if self.options.get("raises"):
            raise RuntimeError("the tensor requires grad")
        driver().foreign(self.__dlpack_device__()[1], stream).wait(self.stream.record())
        deleter = ctypes.cast(_delete, ctypes.c_void_p)
        if self.versioned:
            major = self.options.get("major", 1)
            self.managed = capsules.Versioned(major, 0, None, deleter, 1, self._tensor())
        else:
            self.managed = capsules.Managed(self._tensor(), None, deleter)
        at = ctypes.addressof(self.managed)
        _held[at] = self
        name = b"dltensor_versioned" if self.versioned else b"dltensor"
        return _new(at, name, _destroy)


class Interface:
    """The same by `__cuda_array_interface__` alone."""

    def __init__(self, values, **options):
        self.tensor, self.options = Tensor(values), options

    @property
    def __cuda_array_interface__(self):
        own = self.tensor.values
        return {
            "data": (self.tensor.address, False),
            "shape": own.shape,
            "strides": own.strides,
            "typestr": own.dtype.str,
            "version": 3,
            "stream": self.tensor.stream.handle,
            **self.options,
        }


class Reader:
    """A user of exported memory, on a stream of its own."""

    def __init__(self, array, **options):
        self.stream = driver().stream(array.device.device_id)
        self.capsule = array.__dlpack__(stream=self.stream.handle, **options)
        self.held = capsules.look(self.capsule)
        tensor = self.held.tensor
        self.place = tensor.device.kind, tensor.device.number
        self.dtype = capsules.dtype_of(tensor)
        shape = tuple(tensor.shape[: tensor.ndim])
        strides = capsules.steps_of(tensor, self.dtype.itemsize)
        self.view = (tensor.data + tensor.offset, shape, self.dtype, strides)
        self.taken = capsules.Taken(self.capsule)

    def later(self, function):
        """Have the stream work on the memory."""
        self.stream.call(lambda xp, there: function(there), [self.view])

    def let_go(self):
        """Call the deleter; the stream may be at work."""
        self.taken = None
