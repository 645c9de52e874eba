"""The figures of layers against PyTorch: convolutions, pools and norms, both ways, and LeNet.

    python -m benchmarks.layers

Both are kept at one thread, and write into arrays that exist where their libraries can. LeNet's row
is one step of training without the update: loss and all gradients, batch 64 of 1x28x28, as a bound
graph against PyTorch's eager calls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.harness import Row, peer, report
from nbgraph.ops.rowwise.derived import adjoint

# data, weights, attributes, and the least ratio
CONVOLUTIONS: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any], float]] = {
    "LeNet 1->20 5x5": ((64, 1, 28, 28), (20, 1, 5, 5), {}, 0.8),
    "LeNet 20->50 5x5": ((64, 20, 12, 12), (50, 20, 5, 5), {}, 0.8),
    "56x56 64->64 3x3": ((4, 64, 56, 56), (64, 64, 3, 3), {"pad": 1}, 0.8),
    "14x14 256->256 3x3": ((4, 256, 14, 14), (256, 256, 3, 3), {"pad": 1}, 0.8),
    "56x56 64->256 1x1": ((4, 64, 56, 56), (256, 64, 1, 1), {}, 0.6),
    "56x56 128 depthwise 3x3": ((4, 128, 56, 56), (128, 1, 3, 3), {"pad": 1, "groups": 128}, 0.9),
    "14x14 512 depthwise 3x3": ((4, 512, 14, 14), (512, 1, 3, 3), {"pad": 1, "groups": 512}, 0.9),
}


def normal(*shape: int) -> Any:
    """Random float32 numbers."""
    return np.random.default_rng(0).normal(size=shape).astype("float32")


def convolution_rows(torch: Any) -> list[Row]:
    """Forward, and both gradients."""
    found: list[Row] = []
    for name, (shape, window, how, least) in CONVOLUTIONS.items():
        x, w, b = normal(*shape), normal(*window), normal(window[0])
        out = ng.convolution(x, w, b, **how)
        g, dx, dw = out.copy(), np.empty_like(x), np.empty_like(w)
        peers: dict[str, Callable[[], Any]] = {}
        back: dict[str, Callable[[], Any]] = {}
        if torch is not None:
            tx, tw, tb, tg = map(torch.from_numpy, (x, w, b, g))
            pad, n = (how.get("pad", 0),) * 2, how.get("groups", 1)
            rest = None, (1, 1), pad, (1, 1), False, (0, 0), n, [True, True, False]
            peers["torch"] = lambda a=(tx, tw, tb, 1, pad, 1, n): torch.conv2d(*a)
            back["torch"] = lambda a=(tg, tx, tw, *rest): torch.ops.aten.convolution_backward(*a)

        def forward(x: Any = x, w: Any = w, b: Any = b, out: Any = out, how: Any = how) -> None:
            ng.convolution(x, w, b, out=out, **how)

        def backward(x=x, w=w, g=g, dx=dx, dw=dw, how=how) -> None:
            ng.ops.convolution_data(g, w, size=x.shape[2:], out=dx, **how)
            ng.ops.convolution_weights(x, g, size=w.shape[2:], out=dw, **how)

        found.append(Row(f"convolution {name}", forward, peers, dict.fromkeys(peers, least)))
        found.append(Row(f"  its gradients {name}", backward, back, dict.fromkeys(back, least)))
    return found


def pool_rows(torch: Any) -> list[Row]:
    """The first pool of LeNet, forward and back."""
    x = normal(64, 20, 24, 24)
    y = ng.max_pooling(x, 2)
    out, dx = np.empty_like(y), np.empty_like(x)
    peers: dict[str, Callable[[], Any]] = {}
    if torch is not None:
        tx, ty, aten = torch.from_numpy(x), torch.from_numpy(y), torch.ops.aten

        def theirs() -> None:
            _, at = aten.max_pool2d_with_indices(tx, [2, 2])
            how = [2, 2], [2, 2], [0, 0], [1, 1], False
            aten.max_pool2d_with_indices_backward(ty, tx, *how, at)

        peers["torch"] = theirs

    def ours() -> None:
        ng.max_pooling(x, 2, out=out)
        ng.ops.max_pooling_gradient(y, x, out, 2, out=dx)

    return [Row("max pooling 2x2 forward + backward", ours, peers, dict.fromkeys(peers, 1.0))]


def norm_rows(torch: Any) -> list[Row]:
    """Layer norm, forward and back with weights, 4096 x 1024; batch norm, forward."""
    x, g, gamma, beta = normal(4096, 1024), normal(4096, 1024), normal(1024), normal(1024)
    parts = ng.ops.layer_norm_parts(x, gamma, beta)
    op, how = ng.ops.layer_norm_parts.op, {"axis": -1, "eps": 1e-5, "keepdims": True}
    out, dx = tuple(np.empty_like(p) for p in parts), np.empty_like(x)
    peers: dict[str, Callable[[], Any]] = {}
    if torch is not None:
        tx, tg, tw, tb = map(torch.from_numpy, (x, g, gamma, beta))
        aten, into = torch.ops.aten, [torch.from_numpy(p) for p in out]

        def theirs() -> None:
            aten.native_layer_norm.out(
                tx, [1024], tw, tb, 1e-5, out0=into[0], out1=into[1], out2=into[2]
            )
            aten.native_layer_norm_backward(tg, tx, [1024], *into[1:], tw, tb, [True] * 3)

        peers["torch"] = theirs

    def ours() -> None:
        _, mean, scale = op(x, gamma, beta, out=out, **how)
        adjoint(op, [0], [0])(x, gamma, g, mean, scale, keepdims=True, out=dx)
        ng.ops.layer_norm_weights(g, x, mean, scale)

    name = "layer norm forward + backward 4096x1024"
    return [Row(name, ours, peers, dict.fromkeys(peers, 1.0), x.size)]


def attention_rows(torch: Any) -> list[Row]:
    """Attention of 8 x 8 heads of 256 positions by 64, forward and back."""
    query, key, value, g = (
        np.random.default_rng(k).normal(size=(8, 8, 256, 64)).astype("float32") for k in range(4)
    )
    op, how = ng.ops.attention_parts.op, {"causal": False, "scale": 0.125}
    parts = op(query, key, value, **how)
    out, slopes = tuple(map(np.empty_like, parts)), tuple(map(np.empty_like, (query, key, value)))
    peers: dict[str, Callable[[], Any]] = {}
    if torch is not None:
        leaves = [torch.from_numpy(x).requires_grad_() for x in (query, key, value)]
        above = torch.from_numpy(g)

        def theirs() -> None:
            made = torch.nn.functional.scaled_dot_product_attention(*leaves)
            torch.autograd.grad(made, leaves, above)

        peers["torch"] = theirs

    def ours() -> None:
        made, rows = op(query, key, value, out=out, **how)
        delta = ng.sum(ng.multiply(made, g), -1)
        gradient = ng.ops.attention_gradient.op
        gradient(g, query, key, value, rows, delta, out=slopes, **how)

    name = "attention forward + backward 64x256x64"
    return [Row(name, ours, peers, dict.fromkeys(peers, 0.9))]


def lenet_row(torch: Any) -> Row:
    """Loss and all gradients."""
    x, label = normal(64, 1, 28, 28), np.random.default_rng(0).integers(0, 10, 64)
    shapes = {"w1": (20, 1, 5, 5), "b1": (20,), "w2": (50, 20, 5, 5), "b2": (50,)}
    shapes |= {"w3": (500, 800), "b3": (500,), "w4": (10, 500), "b4": (10,)}
    weights = {name: normal(*shape) / 20 for name, shape in shapes.items()}
    v = {name: ng.var(name, shape=shape) for name, shape in shapes.items()}
    h = ng.var("x", shape=x.shape)
    h = ng.max_pooling(ng.tanh(ng.convolution(h, v["w1"], v["b1"])), 2)
    h = ng.max_pooling(ng.tanh(ng.convolution(h, v["w2"], v["b2"])), 2)
    h = ng.tanh(ng.fully_connected(h, v["w3"], v["b3"]))
    h = ng.fully_connected(h, v["w4"], v["b4"])
    loss = ng.cross_entropy(h, ng.var("label", shape=label.shape, dtype="int64"))
    asked = {"x": "null", "label": "null", **dict.fromkeys(shapes, "write")}
    exe = loss.simple_bind(ng.cpu(), grad_req=asked)
    for name, value in {"x": x, "label": label, **weights}.items():
        exe.arg_dict[name][:] = value

    def ours() -> None:
        exe.forward_backward()
        ng.waitall()

    peers: dict[str, Callable[[], Any]] = {}
    if torch is not None:
        peers["torch"] = lenet_of(torch, x, label, weights)
    return Row("LeNet, loss and gradients", ours, peers, dict.fromkeys(peers, 0.8))


def lenet_of(torch: Any, x: Any, label: Any, weights: Any) -> Callable[[], None]:
    """The same by PyTorch, call by call."""
    f, tx, tl = torch.nn.functional, torch.from_numpy(x), torch.from_numpy(label)
    w = {name: torch.from_numpy(value.copy()).requires_grad_() for name, value in weights.items()}

    def step() -> None:
        for value in w.values():
            value.grad = None
        h = f.max_pool2d(torch.tanh(f.conv2d(tx, w["w1"], w["b1"])), 2)
        h = f.max_pool2d(torch.tanh(f.conv2d(h, w["w2"], w["b2"])), 2)
        h = torch.tanh(f.linear(h.flatten(1), w["w3"], w["b3"]))
        f.cross_entropy(f.linear(h, w["w4"], w["b4"]), tl).backward()

    return step


def rows() -> list[Row]:
    """All of them."""
    torch = peer("torch")
    if torch is not None:
        torch.set_num_threads(1)
    return [
        *convolution_rows(torch), *pool_rows(torch), *norm_rows(torch), *attention_rows(torch),
        lenet_row(torch),
    ]  # fmt: skip


if __name__ == "__main__":
    with ng.config(engine="naive"):
        raise SystemExit(report(rows()))
