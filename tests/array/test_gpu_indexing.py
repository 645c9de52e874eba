"""Parts of arrays on GPUs, read and written: positions, masks, and what has a shape that depends on
values."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import IndexingError, ShapeError
from tests.array.gpu import GPU

X = np.sin(np.arange(60.0)).reshape(3, 4, 5)
I = np.array([2, 0, 2])
MASK = X > 0.3


def brought(part):
    return ng.array(part, device=GPU) if isinstance(part, np.ndarray) else part


def on_device(key):
    return tuple(map(brought, key)) if isinstance(key, tuple) else brought(key)


def same(found, wanted):
    assert found.device == GPU
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found.asnumpy(), wanted)


KEYS = [
    (I,),
    (slice(None), I),
    (slice(1, None), I, slice(None, None, -2)),
    (0, I),
    (I, np.array([0, 1, 0]), slice(1, 3)),
    ([0, -1],),
    (MASK,),
    (MASK[:, 0, 0],),
    (slice(None), [[0, 1]], None, np.array([[1], [2]])),
]


@pytest.mark.parametrize("key", KEYS, ids=range(len(KEYS)))
def test_elements_are_read_and_written(key):
    """MND-08: as NumPy; of values for one place the last one stays; casts are C's."""
    x, known = ng.array(X, device=GPU), X.copy()
    part = known[key]
    same(x[on_device(key)], part)
    for value in (2.5, np.arange(part.size, dtype="float32").reshape(part.shape)):
        x[on_device(key)] = value if np.ndim(value) == 0 else ng.array(value, device=GPU)
        known[key] = value
        same(x, known)
    x[on_device(key)] = x[on_device(key)] * 2
    known[key] = known[key] * 2
    same(x, known)


def test_elements_of_a_view_are_written():
    """MND-08: where they lie, and nothing beside them."""
    x, known = ng.array(X, device=GPU), X.copy()
    x[:, ::-2, 1:][:, on_device(I % 2)] = 7
    known[:, ::-2, 1:][:, I % 2] = 7
    same(x, known)
    x[:, 1] = x[:, ::-1][on_device(I), 0]
    known[:, 1] = known[:, ::-1][I, 0]
    same(x, known)


def test_what_is_written_is_as_large_as_what_is_chosen():
    """MND-08: told at the call; an index out of bounds at the wait."""
    x = ng.array(X, device=GPU)
    with pytest.raises(ShapeError, match=r"value has shape \(2,\)"):
        x[on_device(I)] = np.zeros(2)
    with pytest.raises(IndexingError, match="index 9"):
        x[[9]] = 1.0
    x[ng.array([9], device=GPU)] = 1.0
    with pytest.raises(IndexingError, match="index 9"):
        x.wait_to_read()


VALUES = [
    np.array([[3.0, 1, np.nan], [3, np.nan, -2]]),
    np.array([3, 1, 3], "int16"),
    np.array([True, False, True]),
    np.zeros(0),
    np.full(3, np.nan),
]
DIFFERENT = ("unique", "unique_all", "unique_values", "unique_counts", "unique_inverse")


@pytest.mark.parametrize("name", [*DIFFERENT, "nonzero", "argwhere"])
def test_shapes_that_depend_on_values(name):
    """MND-08: results stay on the device; the host asks how many there are."""
    for values in VALUES:
        found = getattr(ng, name)(ng.array(values, device=GPU))
        wanted = getattr(ops, name)(values)
        one = not isinstance(wanted, tuple)
        for a, b in zip([found] if one else found, [wanted] if one else wanted, strict=True):
            same(a, np.asarray(b))


def test_gradients_flow_to_chosen_elements():
    """AGD-01: of a mask, and of different values."""
    made = []
    for device in (ng.cpu(), GPU):
        x = ng.array(X.round(1), device=device)
        x.attach_grad()
        with ng.autograd.record():
            y = (x[x > 0] * 2).sum() + ng.unique(x).sum() + ng.extract(x < 0, x).sum()
        y.backward()
        made.append(x.grad.asnumpy())
    np.testing.assert_array_equal(*made)


def test_a_factorisation_that_fails_is_told_at_the_wait():
    """ENG-07: as on the host; it is the operation's, and not the device's."""
    a = ng.array(-np.eye(3), device=GPU)
    with pytest.raises(ValueError, match="linalg_potrf: .*positive definite"):
        ng.linalg_potrf(a).wait_to_read()
    np.testing.assert_array_equal(ng.linalg_potrf(-a).asnumpy(), np.eye(3))


def test_writes_through_a_reversed_view():
    """Places are negative there, and are places all the same."""
    key = np.array([0, 1, 2]), np.array([True, False, False, True, False])
    for index in key:
        own, host = ng.zeros(5, device=GPU), np.zeros(5)
        own[::-1][index], host[::-1][index] = 9, 9
        same(own, host.astype("float32"))
    own, host = ng.zeros((3, 3), device=GPU), np.zeros((3, 3), "float32")
    pair = np.array([0, 1]), np.array([0, 1])
    own[::-1][pair] += 5
    host[::-1][pair] += 5
    same(own, host)
