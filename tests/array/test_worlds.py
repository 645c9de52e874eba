"""The rules between the worlds (API.md), as far as arrays go, and what in-place writes refuse."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from tests.array.samples import arrays, same

BINARY = ["add", "less"]


@settings(max_examples=30)
@given(arrays(("float32",)), st.sampled_from(BINARY))
def test_the_worlds_agree_bit_by_bit(x, name):
    """API rules 1 and 10: NumPy in, NumPy out; NDArray in, NDArray out; the same bits."""
    op = getattr(ng, name)
    y = x[..., ::-1] if x.ndim else x
    wanted = op(x, y)
    assert isinstance(wanted, (np.ndarray, np.generic))
    same(op(ng.array(x), ng.array(y)), wanted)
    same(getattr(ng.nd, name)(x, y), wanted)


@given(arrays(("float32",)), arrays(("float32",)))
def test_broadcasting(x, y):
    """API rule 2."""
    try:
        shape = np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        with pytest.raises(ValueError, match="shapes do not broadcast"):
            ng.array(x) + ng.array(y)
        return
    same(ng.array(x) + ng.array(y), x + y)
    assert (ng.array(x) * 2 + ng.array(y)).shape == shape


def test_promotion_follows_nep_50():
    """API rules 2 and 3: Python numbers are weak, NumPy scalars are not."""
    for dtype in ("int8", "float32"):
        a = ng.array(np.ones(2, dtype))
        assert (a + 1).dtype == dtype == (2 * a).dtype
        same(a + np.float64(1), np.ones(2, dtype) + np.float64(1))
    assert (ng.ones(2, "int8") + 1.5).dtype == (np.ones(2, "int8") + 1.5).dtype
    with pytest.raises(OverflowError, match="300"):
        ng.ones(2, "int8") + 300
    assert ng.ones((2, 3)).sum(0).shape == (3,)
    assert ng.ones((2, 3)).sum(0, keepdims=True).shape == (1, 3)
    assert ng.ones(3, "bool").sum().dtype == np.int64


def test_the_namespace_lifts_its_arguments():
    """`ng.nd`: the same operators for NDArrays."""
    same(ng.nd.add([1, 2], 3), np.array([4, 5]))
    same(ng.nd.sum(np.ones((2, 3)), axis=0), np.full(3, 2.0))
    same(ng.nd.concatenate([np.ones(2), ng.zeros(1, "float64")]), np.array([1.0, 1, 0]))
    same(ng.nd.where(np.array([True, False]), 1.0, np.zeros(2)), np.array([1.0, 0]))
    same(ng.nd.zeros(2), np.zeros(2, "float32"))
    same(ng.nd.reshape(np.arange(4), (2, 2)), np.arange(4).reshape(2, 2))
    assert "add" in dir(ng.nd)
    assert "x1" in str(ng.nd.add.__signature__) and ng.nd.add.__doc__ == ng.add.__doc__
    with pytest.raises(AttributeError, match="did you mean 'maximum'"):
        _ = ng.nd.maximun
    with pytest.raises(TypeError):
        ng.nd.add(np.ones(2))


def test_devices_are_never_mixed_silently():
    """Issue 4: both devices, both names and the remedy are told."""
    a, b = ng.ones(3), ng.ones(3, device=ng.cpu(1))
    for use in (
        lambda: a + b,
        lambda: ng.maximum(a, b),
        lambda: ng.concatenate([a, b]),
        lambda: a @ b,
        lambda: ng.add(a, a, out=b),
        lambda: a.__iadd__(b),
        lambda: a[b.astype("int64")],
        lambda: np.add(a, b),
    ):
        with pytest.raises(ValueError, match=r"cpu\(0\).*cpu\(1\).*to_device|cpu\(1\).*cpu\(0\)"):
            use()
    same(a + b.to_device(ng.cpu()), np.full(3, 2, "float32"))
    found = b * 2 + np.ones(3, "float32")
    assert found.device == ng.cpu(1)  # constants follow the array
    assert b.sum().device == b[1:].device == b.T.device == ng.zeros_like(b).device == ng.cpu(1)


def test_the_imperative_path_writes_in_place_only_when_told():
    """SMP-02: a result never takes the buffer of an operand that somebody still holds."""
    a = ng.ones(100)
    before = a.asnumpy()
    other = a
    for _ in range(20):
        b = a * 2
        c = b + a
        assert len({x.variable for x in (a, b, c)}) == 3
    same(other, before)
    a *= 2  # told
    same(other, before * 2)


def test_in_place_errors_name_what_is_wrong():
    """Shape, dtype and device of in-place writes are checked at the call; nothing is written."""
    a = ng.ones((2, 3), "int64")
    for use, error, text in (
        (lambda: a.__iadd__(ng.ones((4, 1, 1), "int64")), ValueError, "out has shape"),
        (lambda: a.__iadd__(1.5), TypeError, "may not be cast"),
        (lambda: a.__itruediv__(2), TypeError, "may not be cast"),
        (lambda: a.__imul__(ng.ones(2, "int64")), ValueError, "shapes do not broadcast"),
    ):
        with pytest.raises(error, match=text):
            use()
    same(a, np.ones((2, 3), "int64"))


@settings(max_examples=30)
@given(st.data())
def test_in_place_operators_through_views(data):
    """API rule 4: `a[key] op= b` for overlapping operands, as NumPy does it."""
    x = np.arange(12, dtype="int64").reshape(3, 4)
    a = ng.array(x)
    keys = [np.s_[1:], np.s_[:, ::2], np.s_[::-1], np.s_[0], np.s_[..., 1]]
    for _ in range(4):
        key = data.draw(st.sampled_from(keys))
        how = data.draw(st.sampled_from(["number", "itself", "row"]))
        other_x = {"number": 3, "itself": x[key].copy(), "row": x[key][..., :1].copy()}[how]
        other_a = {"number": 3, "itself": a[key], "row": a[key][..., :1]}[how]
        operation = data.draw(st.sampled_from(["__iadd__", "__isub__"]))
        part = a[key]
        getattr(part, operation)(other_a)
        x[key] = getattr(x[key].copy(), operation.replace("__i", "__"))(other_x)
        same(a, x)


def test_anomaly_mode_names_the_operator():
    """Issue 4: the operator that first made a NaN of operands without one."""
    with ng.config(anomaly=1), pytest.raises(FloatingPointError, match="log: the result has 1 NaN"):
        ng.log(ng.array([1.0, -1.0])) + 1
