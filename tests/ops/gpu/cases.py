"""What tests of operators over arrays on GPUs share: one call on both devices, in every form."""

import numpy as np

import nbgraph as ng
from nbgraph.array.apply_array_op import apply
from nbgraph.errors import DerivativeError
from nbgraph.operator.request import kAddTo
from nbgraph.operator.spec import Spec
from tests.array.gpu import GPU


def listed(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def close(found, wanted, tolerance=1e-5):
    """Values, dtypes and shapes; a tolerance of 0 asks for the bits, as whole numbers have to
    have them."""
    assert found.device == GPU
    found, wanted = found.asnumpy(), wanted.asnumpy()
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    if not tolerance or found.dtype.kind in "iub":
        assert found.tobytes() == wanted.tobytes(), (found, wanted)
        return
    if found.dtype.kind == "V":
        found, wanted = found.astype("float32"), wanted.astype("float32")
    scale = 1 + np.abs(np.where(np.isfinite(wanted), wanted, 0)).max(initial=0)
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance * scale)


def on(device, arrays):
    return [ng.array(a, device=device) for a in arrays]


def eager(function, arrays, device):
    """Results, and gradients of floating operands where there are some."""
    held = on(device, arrays)
    leaves = [a for a in held if a.dtype.kind in "fV"]
    for a in leaves:
        a.attach_grad()
    with ng.autograd.record():
        results = listed(function(*held))
    try:
        heads = [r for r in results if r.dtype.kind in "fV" and r._node is not None]
        if heads:
            ng.autograd.backward(heads, [ng.sin(ng.astype(h.detach(), h.dtype)) for h in heads])
    except DerivativeError:
        return results, []
    return results, [a.grad for a in leaves]


def bound(function, arrays, device):
    """The same as a bound graph."""
    names = [f"x{k}" for k in range(len(arrays))]
    symbols = [ng.var(n, shape=a.shape, dtype=a.dtype) for n, a in zip(names, arrays, strict=True)]
    exe = ng.Group(listed(function(*symbols))).simple_bind(
        ctx=device, grad_req="null", **{n: a.shape for n, a in zip(names, arrays, strict=True)}
    )
    for n, a in zip(names, arrays, strict=True):
        exe.arg_dict[n][...] = ng.array(a, device=device)
    return listed(exe.forward())


def agree(function, *arrays, tolerance=1e-5, graph=True):
    """A function of arrays gives on the GPU what it gives on the host: values and gradients, at
    once and as a bound graph; of operands in pieces, too."""
    wanted, slopes = eager(function, arrays, ng.cpu())
    found, own = eager(function, arrays, GPU)
    for a, b in zip(found + own, wanted + slopes, strict=True):
        close(a, b, tolerance)
    if graph:
        for a, b in zip(bound(function, arrays, GPU), wanted, strict=True):
            close(a, b, tolerance)
    turned = [ng.array(np.ascontiguousarray(a.T), device=GPU).T for a in map(np.asarray, arrays)]
    for a, b in zip(listed(function(*turned)), wanted, strict=True):
        close(a, b, tolerance)


def adds(op, arrays, attributes, tolerance=1e-5):
    """What is there stays under kAddTo, and the result is added to it; as on the host."""
    op = getattr(op, "op", op)
    attributes = op.normalise(attributes)
    made = {}
    for device in (ng.cpu(), GPU):
        values = on(device, arrays)
        specs = op.infer([Spec(v.shape, v.dtype) for v in values], attributes)
        outs = made[device] = tuple(ng.ones(s.shape, dtype=s.dtype, device=device) for s in specs)
        apply(op, values, attributes, outs, [kAddTo] * len(outs))
    for a, b in zip(made[GPU], made[ng.cpu()], strict=True):
        close(a, b, tolerance)
