"""Every operator of the library on a GPU. Elementwise ones have the bits of the host, forward and
backward; those over whole arrays agree with it.

Everyday each operator meets one dtype, which its name chooses; with --full every dtype.
"""

import importlib
import pkgutil

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import DerivativeError
from nbgraph.operator import registry
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.operator.arrays.device_forms import forms_of
from nbgraph.operator.call import call
from nbgraph.operator.rows.reduce_op import ReduceOp
from tests.array.gpu import GPU
from tests.ops import array_calls
from tests.ops import elementwise as table

COUNT = 301  # no multiple of a vector


def operands(name, dtype):
    """The template's operands, as many as make whole vectors and some more."""
    arrays = table.operands(name, dtype)
    return [np.resize(a, COUNT) for a in arrays]


def outputs(result):
    return result if isinstance(result, tuple) else (result,)


def assert_bits(name, found, wanted):
    found, wanted = found.asnumpy(), wanted.asnumpy()
    assert found.dtype == wanted.dtype and found.shape == wanted.shape, name
    if found.tobytes() == wanted.tobytes():
        return
    nan = np.isnan(wanted) if wanted.dtype.kind == "f" else np.zeros(wanted.shape, bool)
    bits = f"u{found.itemsize}"
    off = (found.view(bits) != wanted.view(bits)) & ~nan
    if wanted.dtype.kind == "f":
        off |= nan != np.isnan(found)
    wrong = np.flatnonzero(off)
    assert not len(wrong), (name, len(wrong), found[wrong[:3]], wanted[wrong[:3]])


def forward(op, arrays, device):
    return outputs(op(*(ng.array(a, device=device) for a in arrays)))


def slopes(op, arrays, device):
    held = [ng.array(a, device=device) for a in arrays]
    leaves = [a for a in held if a.dtype.kind == "f"]
    for a in leaves:
        a.attach_grad()
    with ng.autograd.record():
        result = outputs(op(*held))[0]
    result.backward()
    return [a.grad for a in leaves]


def check(name, dtype):
    op, arrays = getattr(ops, name), operands(name, dtype)
    try:
        wanted = forward(op, arrays, ng.cpu())
    except TypeError as problem:  # not for this dtype: then nowhere
        with pytest.raises(type(problem)):
            forward(op, arrays, GPU)
        return
    for found, known in zip(forward(op, arrays, GPU), wanted, strict=True):
        assert found.device == GPU
        assert_bits(name, found, known)
    if wanted[0].dtype.kind != "f" or np.dtype(dtype).kind != "f":
        return
    try:
        known = slopes(op, arrays, ng.cpu())
    except DerivativeError:
        return
    for found, own in zip(slopes(op, arrays, GPU), known, strict=True):
        assert_bits(f"gradient of {name}", found, own)


@pytest.mark.everyday(1 / 4)
@pytest.mark.parametrize("name", table.NAMES)
def test_an_operator_has_the_bits_of_the_host(name):
    """SMP-24: one definition for both; slopes too."""
    dtypes = "fdfe"
    check(name, dtypes[sum(map(ord, name)) % 4])


@pytest.mark.slow
@pytest.mark.parametrize("name", table.NAMES)
@pytest.mark.parametrize("dtype", table.DTYPES)
def test_operators_of_every_dtype(name, dtype):
    """The whole product."""
    check(name, dtype)


# operators over whole arrays --------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", sorted(n for n, (operands, _) in array_calls.CALLS.items() if operands)
)
def test_an_operator_over_arrays_runs(name):
    """SMP-24: as on the host."""
    operands, attributes = array_calls.CALLS[name]
    op = registry.find(name)
    op = getattr(op, "op", op)

    def run(device):
        return outputs(
            call(op, [ng.array(np.asarray(o), device=device) for o in operands], attributes)
        )

    for found, wanted in zip(run(GPU), run(ng.cpu()), strict=True):
        assert found.device == GPU
        np.testing.assert_allclose(
            found.asnumpy(), wanted.asnumpy(), rtol=1e-4, atol=1e-5, equal_nan=True
        )


# What has no form: it runs Python, or stands for what carriers do. Numbers that NumPy alone draws
# are made on the host; those of arrays of parameters are refused.
HOST_ONLY = {"debug", "write to a view"}


def test_every_operator_has_a_form():
    """SMP-24: public or not, of the whole library."""
    known = set()
    for found in pkgutil.walk_packages(ops.__path__, "nbgraph.ops."):
        for value in vars(importlib.import_module(found.name)).values():
            op = getattr(value, "op", value)
            if isinstance(op, ArrayOp) and is_own(op):
                known.add(op)
    assert len(known) > 150
    missing = {op.__name__ for op in known if op.operands and not has_form(op)}
    assert {name for name in missing - HOST_ONLY if not name.startswith("random_")} == set()


def is_own(op):
    """Whether the library made it, not a test."""
    makers = (op._infer, op._compute, op.view)
    return any(str(getattr(f, "__module__", "")).startswith("nbgraph.") for f in makers)


def has_form(op):
    reduces = isinstance(op, ReduceOp)
    direct = (op.combine and not op.averages) if reduces else "devices" in op.kernels
    return bool(direct or op.view or op.copies or op.constant or forms_of(op))


@pytest.mark.parametrize("name", ["sum", "mean", "max", "logsumexp"])
def test_kernels_of_a_gpu_are_not_taken_for_those_of_the_host(name):
    """Of one layout, whichever device comes first: their additions have orders of their own."""
    x, f = array_calls.M, getattr(ops, name)
    for first in (GPU, ng.cpu()):
        if isinstance(operator := registry.find(name), ArrayOp):
            operator.carried.clear()
        f(ng.array(x, device=first), axis=0).wait_to_read()
        found = f(ng.array(x), axis=0).asnumpy()
        assert found.tobytes() == f(x, axis=0).tobytes()
