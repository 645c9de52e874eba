"""Kernels that are written by hand for GPUs: which ones operators ask for, and what they do on the
simulated GPU.

    python -m tests.kernels.cuda.units SEED COUNT

prints a line of JSON for each: its name, its dtypes, and what is wrong; with the one word mutants
what is said of kernels with a mistake each. A program of its own, as the simulator is.
"""

import contextlib
import functools
import json
import sys
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

import nbgraph as ng
from nbgraph.array import accelerator as carried
from nbgraph.kernels.cuda.host import by_thread
from nbgraph.operator import registry
from nbgraph.operator.arrays import device_forms
from nbgraph.operator.call import call, training
from nbgraph.operator.spec import Spec
from nbgraph.ops.gpu import extremes, scattering, windows
from tests.ops import array_calls

GPU = ng.gpu(0)
DTYPES = ("float32", "float64", "float16", "bfloat16")
CONVOLVED = (  # axes, groups, channels and features of a group, window, and how
    (1, 1, 2, 3, 3, {"pad": 1}),
    (2, 2, 2, 2, 2, {"stride": 2, "pad": 1}),
    (2, 3, 1, 1, 3, {"pad": 2, "dilation": 2}),
    (3, 1, 1, 2, 2, {"stride": 2, "pad": 1}),
)
POOLED = (  # axes, window, and how
    (1, 3, {"stride": 1, "pad": 1}),
    (2, 3, {"stride": 2, "pad": 1, "ceil": True}),
    (2, 2, {}),
    (3, 2, {"stride": 1, "pad": 1}),
)


class Noted(NamedTuple):
    """A kernel that an operator asked for, with what it was given."""

    op: Any
    given: list[Any]
    outputs: list[Any]  # as they were before
    attributes: dict[str, Any]
    call: Any

    @property
    def name(self):
        """For reports."""
        dtypes = [a.dtype.name for a in (*self.given, *self.outputs)]
        return f"{self.op.__name__} {' '.join(dtypes)} {[a.shape for a in self.given]}"


@contextlib.contextmanager
def noting(found):
    """Every kernel that arrays on the device ask for goes to `found`."""
    push = carried._unit

    def note(job, **how):
        op, attributes = job.op, job.attributes
        if device_forms.form_of(op, device_forms.Unit) is not None:
            given = [x.asnumpy() for x in job.inputs]
            made = [x.asnumpy() for x in job.results]
            specs = [[Spec(a.shape, a.dtype) for a in own] for own in (given, made)]
            asked = device_forms.form_of(op, device_forms.Unit).call(*specs, **attributes)
            if asked is not None:
                found.append(Noted(op, given, made, dict(attributes), asked.on_device()))
        return push(job, **how)

    with patch.object(carried, "_unit", note):
        yield


def noted(seed, *, full=False):
    """The kernels of all operators, each with float32 and another dtype, or with every one."""
    rng, found = np.random.default_rng(seed), []
    with noting(found):
        for name in sorted(array_calls.CALLS):
            _listed(name, rng, full=full)
        for few in (windows.FEW, 0):
            with patch.object(windows, "FEW", few), patch.object(windows, "THIN", few):
                _convolved(rng, full=full)
        _numbered()
        _chosen(rng, full=full)
        _pooled(rng, full=full)
    return found


def _dtypes(rng, *, full):
    return DTYPES if full else ("float32", DTYPES[int(rng.integers(1, 4))])


def _listed(name, rng, *, full):
    op = registry.find(name)
    op = getattr(op, "op", op)
    operands, attributes = array_calls.CALLS[name]
    if not device_forms.forms_of(op) or not operands:
        return
    for dtype in _dtypes(rng, full=full):
        held = [ng.array(np.asarray(a), device=GPU) for a in operands]
        held = [a.astype(dtype) if a.dtype.kind == "f" else a for a in held]
        for trains in (False, True) if op.auxiliary else (False,):
            token = training.set(trains)
            call(op, held, attributes)
            training.reset(token)


def _array(rng, dtype, *shape):
    return ng.array(rng.integers(-4, 5, shape), device=GPU).astype(dtype)


def _convolved(rng, *, full):
    """Forward, and both gradients; small whole numbers, whose sums are exact."""
    for axes, groups, channels_, features, window, how in CONVOLVED:
        for dtype in _dtypes(rng, full=full)[:: 1 if full else -1][: 4 if full else 1]:
            x = _array(rng, dtype, 2, groups * channels_, *range(5, 5 + axes))
            w = _array(rng, dtype, groups * features, channels_, *[window] * axes)
            b = _array(rng, dtype, groups * features)
            _both(lambda x, w, b, g=groups, h=how: ng.convolution(x, w, b, groups=g, **h), x, w, b)


def _numbered():
    """Numbers of places, which no call is listed of."""
    places = ng.array([[0, 2, 1], [3, 0, 1]], device=GPU)
    ng.unravel_index(ng.ravel_multi_index(places, shape=(3, 4)), shape=(3, 4))


def _chosen(rng, *, full):
    """Positions that are sorted first, rows in stages, an order to search by, what is not zero."""
    rows, i = np.array([[2, 0, 2], [1, 1, 0]]), np.array([0, 2, 0, 1])
    for dtype in (*_dtypes(rng, full=full)[1:], "int8", "bool")[: 6 if full else 2]:
        x = _array(rng, dtype, 3, 40)
        with patch.object(scattering, "_FEW", 0), patch.object(extremes, "_SHORT", 16):
            ng.index_add(x, x[:1, :4], i, key=((None, None, None), "array"))
            ng.index_update(x, x[:1], rows[:, :1], key=("array",))
            ng.scatter_along_axis(x[:2, :3], rows, (2, 40), 1)
            ng.argmax(x, 1)
            ng.argmin(x, 0)
        ng.nonzero(x)
        ng.triu(x, 2)
    known = ng.array([3.0, 1.0, 2.0], device=GPU)
    ng.searchsorted(known, known, side="right", sorter=np.array([1, 2, 0]))


def _pooled(rng, *, full):
    for axes, window, how in POOLED:
        for dtype in _dtypes(rng, full=full)[:: 1 if full else -1][: 4 if full else 1]:
            x = _array(rng, dtype, 1, 2, *range(5, 5 + axes))
            _both(lambda x, w=window, h=how: ng.max_pooling(x, w, **h), x)
            counted = bool(rng.integers(2))
            _both(lambda x, w=window, h=how, c=counted: ng.avg_pooling(x, w, counted=c, **h), x)


def _both(function, *operands):
    for x in operands:
        x.attach_grad()
    with ng.autograd.record():
        y = function(*operands)
    y.backward()


# on the simulated GPU ---------------------------------------------------------------------------


def memory(each):
    """The record of a kernel over arrays of its own, and these."""
    arrays = [np.array(a, order="C") for a in (*each.given, *each.outputs)]
    addresses = [a.__array_interface__["data"][0] for a in arrays]
    call = each.call
    return arrays, np.array([*call.head, *addresses, *call.words], np.int64)


def by_host(each):
    """What the kernel's host form makes."""
    arrays, record = memory(each)
    by_thread(each.call.code.source)(record)
    return arrays


def differences(each, rng, change=lambda text: text):
    """What differs between a small grid's results and the host's, in words; or nothing."""
    wanted, (arrays, record), code = by_host(each), memory(each), each.call.code
    names = [f"x{k}" for k in range(len(each.given))] + [f"y{k}" for k in range(len(each.outputs))]
    blocks = int(rng.integers(1, 4))
    from tests.kernels.cuda.simulator import Launch  # which is for a process of its own

    launch = Launch(code.source, record, code.pointers, 32, arrays, names, by_block=False)
    try:
        launch.run(blocks, change)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    for name, a, b in zip(names, arrays, wanted, strict=True):
        if a.tobytes() != b.tobytes():
            return f"{name}: {a.ravel()[:9]} instead of {b.ravel()[:9]}"
    return ""


MUTANTS = (  # operator, what is changed (its first occurrence), into what, what is said of it
    ("convolution", "and z0 < in0", "and z0 <= in0", " of x0"),
    ("convolution", "i += step", "i += 1", "race"),
    ("max_pooling_gradient", "element_ < element", "element_ > element", "instead of"),
    ("window_cells", "sum_here + ", "", "instead of"),
)


def _changed(text, old, new):
    return text.replace(old, new, 1)


def mutants():
    """What is said of kernels with a mistake."""
    found, rng = noted(0), np.random.default_rng(0)
    for name, old, new, expected in MUTANTS:
        suited = [e for e in found if e.op.__name__ == name and old in e.call.code.source.text]
        change = functools.partial(_changed, old=old, new=new)
        heard = (differences(each, rng, change) for each in reversed(suited))  # large ones first
        said = next(filter(None, heard), "nothing")
        print(json.dumps({"name": name, "said": said, "expected": expected}), flush=True)


def main():
    """See the module."""
    if sys.argv[1] == "mutants":
        mutants()
        return
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    found, rng = noted(seed), np.random.default_rng(seed)
    chosen = rng.permutation(len(found))[:count] if count else range(len(found))
    seen = {found[k].op.__name__ for k in chosen}
    left = {each.op.__name__: k for k, each in enumerate(found)}
    for k in [*chosen, *(k for name, k in left.items() if name not in seen)]:
        print(json.dumps({"name": found[k].name, "wrong": differences(found[k], rng)}), flush=True)


if __name__ == "__main__":
    main()
