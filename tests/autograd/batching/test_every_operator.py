"""`vmap` of every operator against a loop over the mapped axes: examples along any axis of any of
the operands, results along any axis, nested, and before and after `grad`."""

import functools
import zlib

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import ops
from tests.ops import elementwise, test_array_gradients, test_fft
from tests.ops.array_calls import CALLS, operators
from tests.ops.linalg import cases as matrices

UPDATING = "batch_statistics"  # it updates states, and is refused; see test_vmap


def _elementwise(name):
    points = elementwise.points(name) if name in elementwise.DIFFERENTIABLE else [[3, 1, 4]] * 3
    points = [np.asarray(p) for p in points[: getattr(ops, name).nin]]
    return getattr(ops, name), [points[0] != 0, *points[1:]] if name == "where" else points


def _transform(case):
    name, options = test_fft.CASES[case]
    return functools.partial(getattr(ng.fft, name), **options), [test_fft.operand(name)]


def _rows():
    """Every operator that some table of tests calls: name -> (function, operands)."""
    for k, (name, f, *points) in enumerate(test_array_gradients.ROWS):
        yield f"{name}-{k}", f, points
    for name in elementwise.NAMES:
        yield (name, *_elementwise(name))
    for name, (f, *points) in matrices.CASES.items():
        yield name, f, points
    for name, (f, *points) in matrices.COMPLEX.items():
        yield f"complex {name}", f, [x + 0.3j * np.roll(x, 1) for x in points]
    for case in test_fft.CASES:
        yield (case, *_transform(case))
    library = operators()
    for name, (points, attributes) in CALLS.items():
        if points:
            yield f"call {name}", functools.partial(library[name], **attributes), points


ROWS = {n: (f, list(map(np.asarray, p))) for n, f, p in _rows() if UPDATING not in n}
FIXED = {n for n in ROWS if n.startswith(("csr_dot", "call csr_dot"))}  # of indices that fit
UNDERIVED = {
    *(n for n in ROWS if n.startswith("call ") or n in elementwise.REFUSED),
    "complex vector_norm",
}


def leaves(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def total(value):
    """A number in which all results count that gradients flow through."""
    parts = [v for v in leaves(value) if np.dtype(v.dtype).kind in "fc"]
    return sum((ng.sum(ng.sin(ng.real(v).astype("float64") + k)) for k, v in enumerate(parts)), 0.0)


def values(f, arrays):
    found = leaves(f(*(ng.array(x, dtype=x.dtype) for x in arrays)))
    return [v.asnumpy() for v in found]


def like(x, rng):
    """Another example of an operand, on the same side of kinks and within the same bounds."""
    if x.dtype.kind in "iu":
        return np.roll(x, 1)
    moved = x if x.dtype.kind == "b" else x * (1 + 0.02 * rng.normal(size=x.shape))
    return np.asarray(moved).astype(x.dtype)


def batched(arrays, fixed, rng):
    """Operands of which some have one more axis, somewhere, which axis, and its extent."""
    size, may = int(rng.integers(1, 4)), [not fixed or x.dtype.kind not in "iu" for x in arrays]
    has = [bool(m and rng.random() < 0.6) for m in may]
    if not any(has):
        has[may.index(True)] = True
    axes = [int(rng.integers(x.ndim + 1)) if h else None for x, h in zip(arrays, has, strict=True)]
    new = [
        x if axis is None else np.stack([x, *(like(x, rng) for _ in range(size - 1))], axis)
        for x, axis in zip(arrays, axes, strict=True)
    ]
    signs = [None if a is None else a - x.ndim * int(rng.integers(2)) for a, x in zip(axes, new)]
    return new, tuple(signs), size


def looped(f, axes, size, out=0):
    """The function of all examples, as a loop over them."""

    def run(*arrays):
        examples = [
            leaves(f(*(x if a is None else ng.take(x, k, a) for x, a in zip(arrays, axes))))
            for k in range(size)
        ]
        return [ng.stack(parts, out) for parts in zip(*examples, strict=True)]

    return run


def gradient(f, where):
    return lambda *arrays: tuple(ng.grad(lambda *x: total(f(*x)), argnums=where)(*arrays))


FORMS = ["once", "jit", "nested", "of the gradient", "gradient of it", "of the second gradient"]


def everyday(name, form):
    """A choice that has each form of some fifteen operators; second gradients take long."""
    count = 150 if form == FORMS[-1] else 30
    return zlib.crc32(f"{name} {form}".encode()) % count == 0


def cases():
    for name in ROWS:
        for form in FORMS[: 3 if name in UNDERIVED else None]:
            marks = [] if everyday(name, form) else pytest.mark.slow
            yield pytest.param(name, form, marks=marks, id=f"{name} {form}")


@pytest.mark.parametrize(("name", "form"), list(cases()))
def test_it_is_a_loop_over_the_examples(name, form):
    f, points = ROWS[name]
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    where = tuple(k for k, p in enumerate(points) if p.dtype.kind in "fc")
    if form.startswith("of the"):
        f = gradient(f, where)
    if form == "of the second gradient":
        f = gradient(f, where)
    rank = min(v.ndim for v in values(f, points))
    arrays, axes, size = batched(points, name in FIXED, rng)
    out = int(rng.integers(rank + 1))
    mapped, wanted = ng.vmap(f, axes, out), looped(f, axes, size, out)
    if form == "nested":
        arrays, axes, size = batched(arrays, name in FIXED, rng)
        mapped, wanted = ng.vmap(mapped, axes), looped(wanted, axes, size)
    elif form == "jit":
        mapped = ng.jit(mapped)
    elif form == "gradient of it":
        mapped, wanted = gradient(mapped, where), gradient(wanted, where)
    for own, loop in zip(values(mapped, arrays), values(wanted, arrays), strict=True):
        assert (own.shape, own.dtype) == (loop.shape, loop.dtype)
        rough = 1e-7 if loop.dtype.itemsize > 4 and loop.dtype != "complex64" else 2e-3
        np.testing.assert_allclose(own, loop, rough, rough)
