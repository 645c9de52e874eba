"""Random programs of views and writes in place: a right gradient or a TapeError, never a wrong one
(X-NDA-01, X-NDA-04, X-ENG-07)."""

import numpy as np
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph import autograd
from tests.slopes import differences

PLACES = st.integers(0, 30)
VIEWS = [
    lambda a: a[1:3],
    lambda a: a[::2],
    lambda a: a[::-1],
    lambda a: a.reshape((2, 2))[0],
    lambda a: a.reshape((2, 2)).T,
]
STEPS = st.one_of(
    st.tuples(st.just("add"), PLACES, PLACES),
    st.tuples(st.just("multiply"), PLACES, PLACES),
    st.tuples(st.just("view"), PLACES, st.integers(0, len(VIEWS) - 1)),
    st.tuples(st.just("add in place"), PLACES, PLACES),
    st.tuples(st.just("multiply in place"), PLACES, st.sampled_from([0.0, 2.0])),
    st.tuples(st.just("assign"), PLACES, PLACES),
    st.tuples(st.just("assign a number"), PLACES, PLACES),
)


def run(program, x, room):
    """The same steps on NumPy arrays and on NDArrays; `x` itself is never written."""
    arrays, writable = [x, x * 2.0, room], [False, True, True]
    for kind, i, j in program:
        i %= len(arrays)
        a = arrays[i]
        partner = [k for k, array in enumerate(arrays) if array.shape == a.shape]
        b = arrays[partner[int(j) % len(partner)]]
        if kind == "add":
            arrays.append(a + b)
        elif kind == "multiply":
            arrays.append(a * b)
        elif kind == "view" and a.shape == (4,):
            arrays.append(VIEWS[j](a))
        elif not writable[i]:
            continue
        elif kind == "add in place":
            a += b
        elif kind == "multiply in place":
            a *= j
        elif kind == "assign":
            a[...] = b
        elif kind == "assign a number":
            a[0] = 0.5
        if len(writable) < len(arrays):
            writable.append(kind != "view" or writable[i])
    return arrays


def total(arrays, used):
    """A number that depends on those arrays."""
    return sum((arrays[k] * arrays[k]).sum() * (1.0 + k / 3) for k in used)


def known(arrays):
    """The arrays whose gradient is known: one written through another view is refused."""
    found = []
    for k, array in enumerate(arrays):
        try:
            array + 0.0
        except autograd.TapeError:
            continue
        found.append(k)
    return found


@settings(max_examples=150)
@given(st.lists(STEPS, max_size=9))
@example([("view", 2, 0), ("add in place", 3, 3), ("add in place", 2, 0)])
@example([("view", 1, 4), ("add in place", 3, 3), ("multiply", 1, 0)])
@example([("view", 1, 1), ("view", 1, 2), ("add in place", 4, 0), ("assign", 1, 3)])
def test_a_right_gradient_or_an_error(program):
    point = np.array([0.7, -0.4, 1.2, 0.3])
    fixed = np.array([1.0, 0.5, -1.0, 2.0])
    x = ng.array(point)
    x.attach_grad()
    try:
        with autograd.record():
            arrays = run(program, x, ng.array(fixed))
            used = known(arrays)
            result = total(arrays, used)
        value = result.item()
        result.backward()
    except autograd.TapeError:
        event("refused")
        return
    event("differentiated")
    judge = lambda p: total(run(program, p, fixed.copy()), used)
    np.testing.assert_allclose(value, judge(point), rtol=1e-12)
    expected = differences(judge, [point], 0)
    # a difference of large values is as wrong as these are rounded
    scale = max(1.0, float(np.abs(expected).max()), abs(float(value)))
    np.testing.assert_allclose(x.grad.asnumpy() / scale, expected / scale, atol=1e-6)
