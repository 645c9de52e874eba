"""The ways to compute a configuration: PyTorch's, and three of ours.

Each gives the result, the gradients of its product with a seed, and the gradients of the sum of
their squares: which are products of the matrix of second derivatives with a vector.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.torch_cases.case import Array, Case
from nbgraph.autograd.tape import TapeError

Found = list[list[Array]]  # by order of the derivative


def wanted(case: Case, torch: Any) -> tuple[Found, Array | None]:
    """What PyTorch finds, and the seed: as many orders as PyTorch has."""
    tensors = [torch.from_numpy(np.array(x)) for x in case.operands]
    wrt = [tensors[i].requires_grad_(case.order > 0) for i in case.floats]
    out = case.theirs(*tensors)
    found = [[plain(out)]]
    if not case.order or not wrt:
        return found, None
    seed = np.random.default_rng(1).normal(size=tuple(out.shape)).astype("float16")
    seed = seed.astype(case.operands[case.floats[0]].dtype)
    head = torch.from_numpy(np.asarray(seed)).to(out.dtype)
    slopes = torch.autograd.grad(out, wrt, head, create_graph=case.order > 1, allow_unused=True)
    found.append([zeros(x) if g is None else plain(g) for x, g in zip(wrt, slopes, strict=True)])
    if case.order < 2:
        return found, seed
    live = [g for g in slopes if g is not None and g.requires_grad]
    if not live:
        return [*found, [zeros(x) for x in wrt]], seed
    try:
        curves = torch.autograd.grad(sum((g * g).sum() for g in live), wrt, allow_unused=True)
    except RuntimeError as problem:
        if "not implemented" not in str(problem):
            raise
        return found, seed
    return [*found, [zeros(x) if g is None else plain(g) for x, g in zip(wrt, curves)]], seed


def plain(tensor: Any) -> Array:
    return tensor.numpy(force=True)


def zeros(tensor: Any) -> Array:
    return np.zeros(tuple(tensor.shape))


def squares(slopes: Any) -> Any:
    """The sum of the squares of gradients."""
    return sum((ng.sum(g * g) for g in slopes[1:]), ng.sum(slopes[0] * slopes[0]))


def eagerly(case: Case, seed: Array | None, orders: int) -> Found:
    """On arrays, as they are recorded."""
    arrays = [ng.array(x) for x in case.operands]
    wrt = [arrays[i] for i in case.floats]
    if not orders:
        with ng.autograd.train_mode():
            return [[case.ours(*arrays).asnumpy()]]
    for array in wrt:
        array.attach_grad()
    head = ng.array(seed)
    with ng.autograd.record():
        out = case.ours(*arrays)
        slopes = ng.autograd.grad([out], wrt, [head], create_graph=orders > 1)
        total = squares(slopes) if orders > 1 else None
    found = [[out.asnumpy()], [g.asnumpy() for g in slopes]]
    if orders < 2:
        return found
    try:
        total.backward()
    except TapeError:  # the first derivative is constant
        return [*found, [np.zeros(x.shape) for x in wrt]]
    return [*found, [x.grad.asnumpy() for x in wrt]]


def functions(case: Case, orders: int) -> list[Callable[..., Any]]:
    """Functions of (seed, *operands): the sum of the result times the seed, and the sum of
    the squares of its gradients."""
    which = [i + 1 for i in case.floats]

    def first(seed: Any, *operands: Any) -> Any:
        return ng.sum(case.ours(*operands) * seed)

    def second(seed: Any, *operands: Any) -> Any:
        return squares(ng.grad(first, argnums=which)(seed, *operands))

    return [first, second][:orders]


def compiled(case: Case, seed: Array | None, orders: int) -> Found:
    """By `ng.jit`, derivatives within what is compiled."""
    arrays = [ng.array(x) for x in case.operands]
    which = [i + 1 for i in case.floats]
    with ng.autograd.train_mode():
        found = [[ng.jit(case.ours)(*arrays).asnumpy()]]
        for function in functions(case, orders):
            slopes = ng.jit(ng.grad(function, argnums=which))(ng.array(seed), *arrays)
            found.append([g.asnumpy() for g in slopes])
    return found


def bound(case: Case, seed: Array | None, orders: int) -> Found:
    """As graphs of symbols."""
    names = [f"x{k}" for k in range(len(case.operands))]
    given = dict(zip(names, case.operands, strict=True))
    symbols = [ng.var(n, shape=x.shape, dtype=x.dtype) for n, x in given.items()]
    wrt = [names[i] for i in case.floats] if orders else []
    kept = {n: "write" if n in wrt else "null" for n in names}
    exe = case.ours(*symbols).simple_bind(grad_req=kept)
    if not orders:
        return [[exe.forward(is_train=True, **given)[0].asnumpy()]]
    (out,) = exe.forward_backward([ng.array(seed)], **given)
    found = [[out.asnumpy()], [exe.grad_dict[n].asnumpy() for n in wrt]]
    if orders < 2:
        return found
    total = functions(case, 2)[1](ng.array(seed), *symbols)
    left = [n for n in total.list_arguments() if n in wrt]
    if not left:  # the first derivative is constant
        return [*found, [np.zeros(given[n].shape) for n in wrt]]
    exe = total.simple_bind(grad_req={n: kept[n] for n in total.list_arguments()})
    exe.forward_backward(**{n: given[n] for n in total.list_arguments()})
    curves = [exe.grad_dict[n].asnumpy() if n in left else np.zeros(given[n].shape) for n in wrt]
    return [*found, curves]


WAYS = {"eager": eagerly, "jit": compiled, "bound": bound}


def difference(own: Found, judge: Found) -> tuple[float, str]:
    """The largest difference relative to the largest number, and where it is."""
    worst, where = 0.0, ""
    for order, (mine, others) in enumerate(zip(own, judge, strict=True)):
        for k, (a, b) in enumerate(zip(mine, others, strict=True)):
            name = ("value", f"gradient {k}", f"second derivative {k}")[order]
            if a.shape != b.shape:
                return float("inf"), f"{name}: shape {a.shape}, expected {b.shape}"
            off = apart(a, b)
            if off > worst:
                worst, where = off, name
    return worst, where


def apart(a: Array, b: Array) -> float:
    """The largest difference; infinite where one has NaN or infinity and the other not."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    odd = ~np.isfinite(b)
    if not np.array_equal(a[odd], b[odd], equal_nan=True) or not np.isfinite(a[~odd]).all():
        return float("inf")
    scale = max(1.0, float(np.abs(b[~odd]).max(initial=0)))
    return float(np.abs(a[~odd] - b[~odd]).max(initial=0)) / scale
