"""Pairs of a NumPy array and the NDArray with the same values and steps, and how to compare."""

import hypothesis.extra.numpy as hnp
import numpy as np
from hypothesis import strategies as st

import nbgraph as ng

DTYPES = ["bool", "int8", "int64", "uint8", "float16", "float32", "float64"]
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


def elements(dtype):
    """Values that every dtype holds exactly, so that results compare bit by bit."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return st.booleans()
    return st.integers(0 if kind == "u" else -9, 9)


def arrays(dtypes=("float32", "int64"), shapes=SHAPES):
    """NumPy arrays of any small shape, 0-d and empty ones included."""
    return st.sampled_from(list(dtypes)).flatmap(
        lambda d: hnp.arrays(np.dtype(d), shapes, elements=elements(d))
    )


def pairs(dtypes=("float32", "int64"), shapes=SHAPES):
    """A NumPy array and an NDArray; some transposed, reversed or with gaps."""
    return st.tuples(arrays(dtypes, shapes), st.sampled_from(sorted(_LAYOUTS))).map(_pair)


_LAYOUTS = {
    "as it is": lambda x: x,
    "transposed": lambda x: x.T,
    "reversed": lambda x: x[::-1] if x.ndim else x,
    "every other": lambda x: x[..., ::2] if x.ndim else x,
}


def _pair(made):
    values, name = made
    x, a = _LAYOUTS[name](values.copy()), _LAYOUTS[name](ng.array(values))
    assert a.strides == x.strides or x.size <= 1 or 1 in x.shape
    return x, a


def same(found, wanted):
    """Equal shape, dtype and elements, NaN equal to NaN."""
    wanted = np.asarray(wanted)
    assert isinstance(found, ng.NDArray), type(found)
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_array_equal(found.asnumpy(), wanted)
