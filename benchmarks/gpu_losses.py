"""Losses on a GPU: smooth_l1 of arrays, and the loss that boxes are fitted with as a bound graph.

Peers do the same in as few kernels as they can: CuPy by an ElementwiseKernel, PyTorch compiled and
call by call. Out-gradients are ones, which all of them read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.gpu_timing import of_peer, seconds, told
from benchmarks.graphs import BOX, smooth_l1
from nbgraph.ops.losses.terms import smooth_l1_term

GPU = ng.gpu(0)
Peers = tuple[Any, Any]  # PyTorch and CuPy, or None
Made = Callable[..., Any]

TERM = "float a = fabsf(d); y = a < 1 ? 0.5f * d * d : a - 0.5f;"
SLOPE = "float s = fminf(fmaxf(d, -1.0f), 1.0f);"
GIVEN = ", ".join(f"float32 {name}" for name in BOX)


def numbers(n: int, count: int) -> list[np.ndarray]:
    """Operands on the host."""
    rng = np.random.default_rng(0)
    return [rng.standard_normal(n, dtype=np.float32) * 2 for _ in range(count)]


def by_cupy(cupy: Any, host: list[np.ndarray], kernels: list[tuple[str, str, str]]) -> float:
    """Seconds of kernels one after another; each has operands, of which it takes the first ones,
    results and a body."""
    given = [*(cupy.asarray(a) for a in host), cupy.ones(host[0].size, "float32")]
    work = []
    for inputs, outputs, body in kernels:
        made = cupy.ElementwiseKernel(inputs, outputs, body)
        outs = [cupy.empty_like(given[0]) for _ in outputs.split(",")]
        work.append((made, [*given[: len(inputs.split(","))], *outs]))

    def call() -> None:
        for made, arguments in work:
            made(*arguments)

    return seconds(call, cupy.cuda.Device().synchronize)


def by_torch(torch: Any, host: list[np.ndarray], loss: Made, wanted: int) -> float:
    """Seconds of a loss of each element, and of the gradients of the first `wanted` operands."""
    given = [torch.from_numpy(a).cuda() for a in host]
    for each in given[:wanted]:
        each.requires_grad_()
    unit = torch.ones_like(loss(*given).detach())

    def call() -> None:
        value = loss(*given)
        if wanted:
            for each in given[:wanted]:
                each.grad = None
            value.backward(unit)

    return seconds(call, torch.cuda.synchronize)


def against(
    peers: Peers, host: list[np.ndarray], loss: Callable[[Any], Made], wanted: int, kernels: Any
) -> dict[str, float]:
    """What the peers take."""
    torch, cupy = peers
    found: dict[str, float] = {}
    of_peer("cupy", cupy, lambda library: by_cupy(library, host, kernels), found)
    of_peer(
        "torch.compile",
        torch,
        lambda library: by_torch(library, host, library.compile(loss(library)), wanted),
        found,
    )
    of_peer("torch", torch, lambda library: by_torch(library, host, loss(library), wanted), found)
    return found


def smooth_of_torch(torch: Any) -> Made:
    """smooth_l1 of each element."""
    functional = torch.nn.functional
    return lambda x, t: functional.smooth_l1_loss(x, t, reduction="none")


def box_of_torch(torch: Any) -> Made:
    """The box loss of each element."""
    functional = torch.nn.functional

    def loss(data: Any, label: Any, w_in: Any, w_out: Any) -> Any:
        d = w_in * (data - label)
        return w_out * functional.smooth_l1_loss(d, torch.zeros_like(d), reduction="none")

    return loss


def elementwise(n: int, copy: float, peers: Peers) -> None:
    """smooth_l1 of arrays: forward, and forward with both gradients."""
    host = numbers(n, 2)
    x, t = (ng.array(a, device=GPU) for a in host)
    out, ones = ng.zeros(n, device=GPU), ng.ones(n, device=GPU)

    difference = "float d = x - t;"
    forward = ("float32 x, float32 t", "float32 y", difference + TERM)
    ours = seconds(lambda: smooth_l1_term(x, t, out=out), ng.waitall)
    others = against(peers, host, smooth_of_torch, 0, [forward])
    told("smooth_l1 forward", ours, 12 * n, copy, others)
    for a in (x, t):
        a.attach_grad()

    def both() -> None:
        with ng.autograd.record():
            y = smooth_l1_term(x, t)
        y.backward(ones)

    slopes = "float32 x, float32 t, float32 o", "float32 gx, float32 gt"
    backward = (*slopes, difference + SLOPE + "gx = s * o; gt = -gx;")
    ours = seconds(both, ng.waitall)
    others = against(peers, host, smooth_of_torch, 2, [forward, backward])
    told("smooth_l1 and gradients", ours, 32 * n, copy, others)


def sum_of_torch(torch: Any) -> Made:
    """The sum of that."""
    each = box_of_torch(torch)
    return lambda *given: each(*given).sum()


def bound(symbol: Any, host: list[np.ndarray]) -> Any:
    """A loss of boxes with values, and a gradient by `data`."""
    requests = dict.fromkeys(BOX, "null") | {"data": "write"}
    exe = symbol.simple_bind(ctx=GPU, grad_req=requests, **dict.fromkeys(BOX, host[0].shape))
    for name, value in zip(BOX, host, strict=True):
        exe.arg_dict[name][:] = value
    return exe


def boxes(n: int, copy: float, peers: Peers) -> None:
    """The loss of each coordinate of boxes, as a bound graph: forward, and with the gradient by
    `data`, which one kernel can do; and their sum with that gradient."""
    host = numbers(n, 4)
    v = [ng.var(name) for name in BOX]
    symbol = v[3] * smooth_l1(v[2] * (v[0] - v[1]))
    exe = bound(symbol, host)
    ones = ng.ones(n, device=GPU)

    difference = "float d = w_in * (data - label);"
    loss = difference + TERM.replace("y = a < 1", "y = w_out * (a < 1").replace("0.5f;", "0.5f);")
    forward = (GIVEN, "float32 y", loss)
    ours = seconds(exe.forward, ng.waitall)
    others = against(peers, host, box_of_torch, 0, [forward])
    told("box loss forward", ours, 20 * n, copy, others)
    body = loss + SLOPE + "g = w_out * s * w_in * o;"
    both = (f"{GIVEN}, float32 o", "float32 y, float32 g", body)
    ours = seconds(lambda: exe.forward_backward(ones), ng.waitall)
    others = against(peers, host, box_of_torch, 1, [both])
    told("box loss and gradient", ours, 28 * n, copy, others)
    exe = bound(ng.sum(symbol), host)
    others = against((peers[0], None), host, sum_of_torch, 1, [])
    told("their sum and gradient", seconds(exe.forward_backward, ng.waitall), 20 * n, copy, others)
