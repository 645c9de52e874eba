"""Operators against the numbers of Apache MXNet 1.9.1 (OPP-24).

`tests/data/mxnet.json` holds what MXNet gave on a CPU, in float32 where nothing else is said, for
operands that follow from a formula, with gradients for a head gradient that follows from it, too.
Of an array with more than three elements it holds the shape and two sums of its elements, weighted
by the formula; numbers have seven digits. A row names operator and parameters as they are here:
where a name has NumPy's meaning (`concat`, `sort`, `pad`) that is another spelling than MXNet's.

Left out, as MXNet 1.9.1 does not do what it documents: the gradient of selu, `out_grad=True` (it
changes nothing), `smooth_alpha` with `multi_output`, SoftmaxActivation of more than two axes, the
gradient of means whose windows reach beyond the data, the mask that rrelu gives.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import nbgraph as ng
from tests.array.gpu import GPU

CASES = json.loads((Path(__file__).parents[1] / "data" / "mxnet.json").read_text())
IDS = [f"{k}-{case['op']}" for k, case in enumerate(CASES)]


def formula(shape, seed):
    """Numbers from 0 to 1: cubes modulo a prime, which are all different."""
    i = np.arange(np.prod(shape, dtype=int), dtype=np.int64)
    x = (i * 7919 + seed * 104729 + 611) % 2003
    return ((x * x % 2003 * x % 2003) / 2003.0).reshape(shape)


def operand(spec):
    """Shape, seed, bounds and kind; or kind and values."""
    if len(spec) == 2 and isinstance(spec[1], list):
        return np.array(spec[1]).astype(spec[0].rstrip("!"))
    text, seed, low, high, kind = [*spec, *(None, None, -1, 1, "float32")[len(spec) :]]
    shape = tuple(int(n) for n in text.split("x") if n)
    x = low + (high - low) * formula(shape, seed)
    x = np.floor(x) if "whole" in kind else x
    if "spd" in kind:
        x = x @ np.swapaxes(x, -1, -2) + np.eye(shape[-1]) * shape[-1]
    if "tril" in kind:
        x = np.tril(x) + 2 * np.eye(shape[-1])
    return x.astype(kind.split()[0])


def differentiable(spec):
    kind = spec[0] if len(spec) == 2 and isinstance(spec[1], list) else (*spec, "float32")[4:5]
    kind = kind if isinstance(kind, str) else "".join(kind or ("float32",))
    return kind.startswith("float") and "whole" not in kind and "!" not in kind


def head(shape, k, dtype):
    return (2 * formula(shape, 1000 + k) - 1).astype(dtype)


def check(found, wanted, dtype):
    """Shape and weighted sums; errors by the size of what is added up."""
    found, (shape, numbers) = np.asarray(found, np.float64), wanted
    assert found.shape == tuple(shape) or (found.shape, shape) == ((), [1])  # MXNet has no 0-d
    flat = found.ravel()
    if flat.size <= 3:
        np.testing.assert_allclose(flat, numbers, rtol=3e-5, atol=3e-6)
        return
    for k, number in enumerate(numbers):
        weights = 2 * formula(flat.shape, 9000 + k) - 1
        size = np.abs(weights * flat).sum()
        tolerance = 2e-6 + size * (2e-5 if dtype == "float32" else 5e-7)
        assert abs((weights * flat).sum() - number) < tolerance, (k, number)


class Case:
    def __init__(self, row):
        self.row, self.given = row, [operand(spec) for spec in row["in"]]
        self.states = row.get("states", 0)
        self.operands = len(self.given) - self.states
        self.dtype = "float64" if any(x.dtype == "float64" for x in self.given) else "float32"
        specs = row["in"][: self.operands]
        self.wanted = [k for k, s in enumerate(specs) if "grad" in row and differentiable(s)]

    def call(self, space, values):
        """The operator on arrays or symbols; its results as a list."""
        row, function = self.row, getattr(space, self.row["op"])
        keywords = {name: values[k] for name, k in row.get("keywords", {}).items()}
        values = [v for k, v in enumerate(values) if k not in row.get("keywords", {}).values()]
        how = {k: tuple(v) if isinstance(v, list) else v for k, v in row.get("with", {}).items()}
        made = function(*([values] if row.get("list") else values), **how, **keywords)
        return list(made) if isinstance(made, (list, tuple)) else [made]

    def check(self, outs, grads, states):
        for own, wanted in zip(outs, self.row["out"], strict=True):
            check(own, wanted, self.dtype)
        for own, wanted in zip(grads, self.row.get("grad", ()), strict=True):
            check(own, wanted, self.dtype)
        for own, wanted in zip(states, self.row.get("moved", ()), strict=True):
            check(own, wanted, self.dtype)


def check_arrays(row, device):
    case = Case(row)
    arrays = [ng.array(x, device=device) for x in case.given]
    for k in case.wanted:
        arrays[k].attach_grad()
    with ng.autograd.record(train_mode="predict" not in row):
        outs = case.call(ng.nd, arrays)
    if any(out._node is not None for out in outs):
        assert all(out.device == device for out in outs)
        heads = [ng.array(head(v.shape, k, v.dtype), device=device) for k, v in enumerate(outs)]
        count = row.get("heads", len(outs))
        ng.autograd.backward(outs[:count], heads[:count])
    grads = [arrays[k].grad.asnumpy() for k in case.wanted]
    states = [a.asnumpy() for a in arrays[case.operands :]]
    case.check([v.asnumpy() for v in outs], grads, states)


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("row", CASES, ids=IDS)
def test_arrays(row):
    """OPP-24: values, gradients and states are MXNet's."""
    check_arrays(row, ng.cpu())


# everyday one of so many cases: of each operator's family some are met
EVERY = 12
ON_DEVICE = [
    pytest.param(row, marks=() if k % EVERY == 0 else pytest.mark.slow, id=name)
    for k, (row, name) in enumerate(zip(CASES, IDS, strict=True))
    if row["in"]
]


@pytest.mark.parametrize("row", ON_DEVICE)
def test_arrays_on_a_gpu(row):
    """OPP-24, SMP-24: the same on a GPU."""
    check_arrays(row, GPU)


def symbol_of(case, names):
    given = zip(names, case.given, strict=True)
    made = case.call(ng.sym, [ng.var(n, dtype=x.dtype) for n, x in given])
    return made[0] if len(made) == 1 else ng.Group(made)


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize(
    "row", [r for r in CASES if r["in"] and "predict" not in r], ids=lambda r: r["op"]
)
def test_symbols(row):
    """OPP-16, OPP-24: the same as symbols, whose shapes follow from what they are bound to."""
    check_symbols(row, ng.cpu())


@pytest.mark.parametrize("row", [p for p in ON_DEVICE if "predict" not in p.values[0]])
def test_symbols_on_a_gpu(row):
    """OPP-16, OPP-24, SMP-24: and bound on a GPU."""
    check_symbols(row, GPU)


def check_symbols(row, device):
    case = Case(row)
    names = [f"v{k}" for k in range(len(case.given))]
    requests = {n: "write" if k in case.wanted else "null" for k, n in enumerate(names)}
    shapes = {n: x.shape for n, x in zip(names[: case.operands], case.given, strict=False)}
    exe = symbol_of(case, names).simple_bind(
        device, grad_req={n: requests[n] for n in shapes}, **shapes
    )
    for n, x in zip(names, case.given, strict=True):
        (exe.arg_dict if n in exe.arg_dict else exe.aux_dict)[n][...] = x
    outs = exe.forward(is_train=True)
    if case.wanted:
        count = row.get("heads", len(outs))
        zero = [np.zeros(v.shape, v.dtype) for v in outs[count:]]
        heads = [head(v.shape, k, v.dtype) for k, v in enumerate(outs[:count])]
        exe.backward([ng.array(h, device=device) for h in heads + zero])
    grads = [exe.grad_dict[names[k]].asnumpy() for k in case.wanted]
    states = [exe.aux_dict[n].asnumpy() for n in names[case.operands :]]
    case.check([v.asnumpy() for v in outs], grads, states)
