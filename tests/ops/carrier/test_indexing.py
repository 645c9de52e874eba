"""`x[key]` on any carrier, as operators of the library."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.errors import ArgumentError, IndexingError
from tests.array.samples import SHAPES, arrays
from tests.array.test_indexing import NONEMPTY, basic, lifted, mixed
from tests.ops.carrier.double import Double, agree


@given(arrays(shapes=SHAPES), st.data())
def test_basic_indices_are_a_slice_view(x, data):
    """X-NDA-04: one operator, whether or not the shape is known."""
    key = data.draw(basic(x))
    for known in (True, False):
        agree(Double(x, known=known)[key], x[key], "slice_view")


@given(arrays(shapes=NONEMPTY), st.data())
def test_arrays_lists_and_masks_are_a_gather(x, data):
    """X-NDA-04: index arrays are operands; of a mask the values are taken at once."""
    key = data.draw(mixed(x))
    wanted = x[key]
    for known in (True, False):
        for given_key in (key, lifted(key)):
            found = Double(x, known=known)[given_key]
            agree(found, wanted)
            assert found.applied in {("gather",), ("slice_view",)}


def test_index_arrays_may_be_carriers():
    x, places = np.arange(12.0).reshape(3, 4), np.array([2, 0])
    for known in (True, False):
        agree(Double(x)[:, Double(places, known=known)], x[:, places], "gather")
        agree(Double(x, known=known)[Double(places)], x[places], "gather")


@pytest.mark.parametrize("mask", [True, False, np.True_, np.False_, np.array(False)])
def test_a_mask_without_axes(mask):
    """X-NDA-04: it adds an axis of size 1 or 0, alone as in a tuple."""
    x = np.arange(6).reshape(2, 3)
    for key in (mask, (mask,)):
        agree(Double(x)[key], x[key])
        assert ng.array(x)[key].shape == x[key].shape


def test_parts_are_not_written():
    """The message names what makes another one; so it does."""
    x = np.arange(4.0)
    d = Double(x)
    with pytest.raises(ArgumentError, match=r"setitem: a Double.*ng.index_update.*ng.where"):
        d[1:3] = 0
    for one in (d, Double(x, known=False)):
        agree(ng.index_update(one, 0, key=slice(1, 3)), [0, 0, 0, 3.0], "index_update")
        agree(ng.index_update(one, 0, key=[1, 2]), [0, 0, 0, 3.0], "index_update")
    agree(ng.where(d > 1, 0, d), [0, 1.0, 0, 0])


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (3, "index 3 is out of bounds"),
        ([0, 3], "index 3 is out of bounds"),
        ((0, 0, 0), "indices for an array"),
        ("text", "'text' is not an index"),
        (1.5, "is not an index"),
        ([True, False], "a mask of size 2 for axis 0"),
        (Double(np.array([True, False, True])), "the mask .a Double. has no values yet.*ng.where"),
        (Double(np.array([1.5])), "dtype float64; indices are integers"),
    ],
)
def test_errors(key, text):
    with pytest.raises(IndexingError, match=text):
        Double(np.zeros((3, 2)))[key]


def test_it_is_not_iterated():
    with pytest.raises(TypeError, match="the parts of a Double are not there"):
        list(Double(np.zeros(3)))
