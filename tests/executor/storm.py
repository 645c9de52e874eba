"""Random graphs of every family; executors whose memory is spoiled before each run."""

import ctypes

import numpy as np

import nbgraph as ng
from nbgraph.errors import NbgraphError
from nbgraph.executor import Options
from nbgraph.graph.symbol import Symbol
from tests.graph.random_graphs import DETERMINISTIC, FAMILIES, Growing

SHAPES = ((3, 4), (4,), (3, 1), (), (2, 3, 4), (0, 4), (1,))
SPOILS = 0xFF, 0xAB  # bytes: NaN in every floating dtype; small numbers


@ng.op
def both_ways(x, y):
    return x + y, x * y - 1, x


def several(g):
    """An operator of several outputs, of which not all need be used."""
    made = g.choice([lambda: both_ways(g.one(), g.one()), lambda: ng.modf(g.one())])()
    return g.choice(made)


def halves(g):
    x = g.one()
    return g.choice(ng.split(x, 2, axis=-1)) if x.ndim and x.shape[-1] % 2 == 0 else -x


def whole_numbers(g):
    """Integers and truth values on the way."""
    x = g.one()
    ways = [
        lambda: ng.astype(ng.clip(x, -9, 9), "int32"),
        lambda: ng.astype(x > 0, "int64") + 2,
        lambda: ng.logical_not(x),
        lambda: ng.astype(ng.isfinite(x), x.dtype),
        lambda: ng.astype(x, "bool"),
        lambda: ng.argmax(x, axis=g.axis(x)),
        lambda: ng.astype(x, "float32"),
    ]
    return g.choice(ways)()


def extreme(g):
    x = g.one()
    op = g.choice([ng.max, ng.min, ng.logsumexp])
    return op(x, axis=g.axis(x), keepdims=bool(g.rng.integers(2)))


def joined(g):
    x = g.one()
    return ng.concatenate([ng.ravel(x), ng.ravel(g.one())])


EXACT = {name: FAMILIES[name] for name in DETERMINISTIC if name not in ("reduction", "softmax")}
EXACT |= {f.__name__: f for f in (several, halves, whole_numbers, extreme, joined)}
EXACT["dropout"] = FAMILIES["dropout"]


def storm(seed, nodes=12, variables=3):
    """A group whose heads may be anything, and arrays for its variables."""
    rng = np.random.default_rng(seed)
    given = {}
    for i in range(variables):
        shape = SHAPES[int(rng.integers(len(SHAPES)))]
        dtype = ("float32", "float64", "int32")[int(rng.choice(3, p=[0.45, 0.45, 0.1]))]
        given[f"v{i}"] = np.asarray(rng.normal(size=shape) * 1.5).astype(dtype)
    symbols = [ng.var(name, shape=a.shape, dtype=a.dtype) for name, a in given.items()]
    g = Growing(rng, symbols, smooth=False)
    names = list(EXACT)
    while len(g.values) < variables + nodes:
        _grow(g, EXACT[names[int(rng.integers(len(names)))]])
    group = ng.Group(_heads(g, symbols))
    given = {name: given[name] for name in group.list_arguments()}
    return group, given


def _grow(g, family):
    try:
        made = family(g)
    except (NbgraphError, TypeError, ValueError, OverflowError):
        return
    if isinstance(made, Symbol) and made.size <= 200 and made.ndim <= 4:
        g.values.append(made)


def _heads(g, symbols):
    """What nothing else uses, some of the rest, variables, views, constants, duplicates."""
    every = ng.Group(g.values).graph
    heads = [Symbol([e]) for e in every.heads if e not in every.users and e[0].op is not None]
    heads += [g.one() for _ in range(int(g.rng.integers(3)))]
    odd = [
        lambda: symbols[0],
        lambda: ng.transpose(g.one()),
        lambda: ng.sym.positive(np.arange(3.0)),
        lambda: ng.zeros_like(g.one()),
        lambda: g.choice(heads),
    ]
    return [*heads, *(g.choice(odd)() for _ in range(2))]


def executor(group, given, options, **more):
    """Bound, with the values in place."""
    shapes = {name: a.shape for name, a in given.items()}
    dtypes = {name: a.dtype for name, a in given.items()}
    made = group.simple_bind(options=options, type_dict=dtypes, **more, **shapes)
    made.copy_params_from(given)
    return made


def spoil(exe, byte=0xFF):
    """Fill what a run has to write with nonsense: arenas, results, kept values."""
    ng.waitall()
    for program in exe._bound.existing_programs().values():
        arena, known = program.arena, len(program.compiled.lowering.arguments)
        if arena.nbytes:
            ctypes.memset(arena.address, byte, arena.nbytes)
        requests = program.compiled.requests
        results = program.arrays[known : known + len(requests)]
        for array, request in zip(results, requests, strict=True):
            if request is ng.kWriteTo and array._layout.nbytes:
                ctypes.memset(array._address, byte, array._layout.nbytes)


def values(arrays):
    return [np.array(a.asnumpy()) for a in arrays]


SWITCHES = {
    "all": Options(),
    "none": Options.none(),
    **{f"no {n}": Options.of(**{n: False}) for n in ("share", "fold", "simplify", "fuse")},
    **{f"no {n}": Options.of(**{n: False}) for n in ("inplace", "memory")},
    **{f"only {n}": Options.of(Options.none(), **{n: True}) for n in ("fuse", "inplace", "memory")},
    "recompute": Options.of(recompute="sqrt"),
    "recompute 2": Options.of(Options.none(), recompute=2),
}


def slopes_of(group, given, options, way, requests, seeds):
    """Outputs and gradients of two runs over spoiled memory; what is added to begins as 1.5."""
    exe = executor(group, given, options, grad_req=requests)
    if not exe._bound.grads:
        return [(values(exe.forward(is_train=True)), [])] * 2
    found = []
    for byte in SPOILS:
        if way == "both":
            assert exe._bound.both(tuple(seed is not None for seed in seeds))
        else:
            assert exe._bound.halves
        spoil(exe, byte)
        slopes = {name: g for name, g in exe.grad_dict.items() if g is not None}
        for name, slope in slopes.items():
            if requests[name] == "add":
                slope[...] = 1.5
        if way == "both":
            exe.forward_backward(seeds)
        else:
            exe.forward(is_train=True)
            exe.backward(seeds)
        found.append((values(exe.outputs), values(slopes.values())))
    return found
