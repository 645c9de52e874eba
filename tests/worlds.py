"""A function of arrays in every world: NumPy, NDArrays, recorded, bound, jit, expression graph."""

import numpy as np

import nbgraph as ng
from nbgraph.executor.pipeline import Options


def numpy(f, *arrays):
    """By the slow path, which is the first, and by the fast one."""
    first, *others = (f(*arrays) for _ in range(3))
    for other in others:
        assert bits(other) == bits(first)
    return first


def ndarrays(f, *arrays):
    """By the slow path, which is the first, and by the fast one."""
    inputs = [laid(x) for x in arrays]
    first, *others = (f(*inputs) for _ in range(3))
    for other in others:
        assert bits(other) == bits(first)
    return first


def recorded(f, *arrays):
    inputs = [laid(x) for x in arrays]
    for x in inputs:
        if x.dtype.kind == "f":
            x.attach_grad()
    with ng.autograd.record():
        return f(*inputs)


def bound(f, *arrays):
    return bind(f, *arrays).forward(**named(arrays))


def unfused(f, *arrays):
    return bind(f, *arrays, fuse=False, simplify=False).forward(**named(arrays))


def jit(f, *arrays):
    return ng.jit(f)(*map(laid, arrays))


def gpu(f, *arrays):
    """Emulated, or a real one; see conftest."""
    return f(*(ng.array(x, device=ng.gpu(0)) for x in arrays))


def expressions(f, *arrays):
    """Floats, of one dtype, are parameters, and lie row by row; others are constants."""
    floats = [x for x in arrays if x.dtype.kind == "f"]
    graph = ng.ExpressionGraph(dtype=floats[0].dtype)
    made = f(
        *(
            graph.param(f"x{k}", x.shape, x) if x.dtype.kind == "f" else x
            for k, x in enumerate(arrays)
        )
    )
    graph.forward()
    return [m.val for m in (made if isinstance(made, tuple) else (made,))]


WORLDS = (numpy, ndarrays, recorded, bound, unfused, jit)


def named(arrays):
    return {f"x{k}": x for k, x in enumerate(arrays)}


def bind(f, *arrays, **options):
    """The executor of a graph."""
    symbols = [ng.var(f"x{k}", shape=x.shape, dtype=x.dtype) for k, x in enumerate(arrays)]
    made = f(*symbols)
    heads = ng.Group(list(made)) if isinstance(made, tuple) else made
    shapes = {name: x.shape for name, x in named(arrays).items()}
    return heads.simple_bind(ng.cpu(), options=Options.of(**options), **shapes)


def functions(executor):
    """Names of operators that the forward plan runs as Python functions."""
    rows = executor.plan().by_program["forward"]
    return [row.does.split()[-1] for row in rows if not row.does.startswith("kernel")]


def laid(x):
    """An NDArray with the values and the strides of a NumPy array."""
    if not x.ndim:
        return ng.array(x)
    order = np.argsort([-abs(s) for s in x.strides], kind="stable")
    turned = tuple(slice(None, None, -1 if s < 0 else 1) for s in x.strides)
    whole = ng.array(np.ascontiguousarray(x[turned].transpose(order)))
    if x.ndim and x.size and not x.flags.c_contiguous and min(map(abs, x.strides)) > x.itemsize:
        wide = ng.zeros((*whole.shape, 2), dtype=x.dtype)
        wide[..., 0] = whole
        whole = wide[..., 0]
    return whole.transpose(tuple(np.argsort(order)))[turned]


def bits(made):
    """Shapes, dtypes and bytes of results."""
    made = made if isinstance(made, (tuple, list)) else [made]
    values = [m.asnumpy() if isinstance(m, ng.NDArray) else np.asarray(m) for m in made]
    return [(v.shape, v.dtype.name, v.tobytes()) for v in values]
