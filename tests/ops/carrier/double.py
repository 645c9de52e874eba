"""A carrier that wears what all wear: it notes what is applied, and computes it with NumPy."""

import numpy as np

import nbgraph as ng
from nbgraph.ops.carrier.indexing import Indexing
from nbgraph.ops.carrier.methods import Methods
from nbgraph.ops.carrier.operators import Operators
from nbgraph.ops.carrier.protocols import Protocols
from nbgraph.ops.carrier.reductions import Reductions


class Double(Operators, Methods, Reductions, Indexing, Protocols):
    """A NumPy array that nobody sees but operators; `known=False` hides shape and dtype, too."""

    __nbgraph_priority__ = 15

    def __init__(self, hidden, applied=(), *, known=True):
        self.hidden, self.applied, self.known = hidden, tuple(applied), known

    @classmethod
    def __nbgraph_call__(cls, op, operands, attributes, out):
        assert out is None or all(o is None for o in out)
        doubles = [v for v in operands if isinstance(v, cls)]
        known = all(d.known for d in doubles)
        applied = (*(name for d in doubles for name in d.applied), op.__name__)
        with ng.config(compiler="python"):  # the text itself: nothing is compiled
            found = op(*(values(v) for v in operands), **attributes)
        if isinstance(found, tuple):
            return tuple(cls(np.asarray(f), applied, known=known) for f in found)
        return cls(np.asarray(found), applied, known=known)

    @property
    def shape(self):
        return self.hidden.shape if self.known else None

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return self.hidden.size

    @property
    def dtype(self):
        if not self.known:
            raise ValueError("the dtype is not known")
        return self.hidden.dtype


def values(value):
    """The values of a double or an NDArray; others as they are."""
    if isinstance(value, Double):
        return value.hidden
    return value.asnumpy() if hasattr(value, "asnumpy") else value


def agree(found, wanted, *applied):
    """A double with the values and dtype of an array, and what was applied to get it."""
    wanted = np.asarray(wanted)
    assert type(found) is Double, type(found)
    assert (found.hidden.shape, found.hidden.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(found.hidden, wanted, rtol=1e-6)
    assert found.applied
    if applied:
        assert found.applied == applied
