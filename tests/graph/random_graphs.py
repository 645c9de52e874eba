"""Random typed graphs with arrays for their variables; the same for the same seed."""

from collections.abc import Callable, Sequence

import numpy as np

import nbgraph as ng
from nbgraph.errors import NbgraphError
from nbgraph.graph.graph import Graph
from nbgraph.graph.symbol import Symbol

SHAPES = ((3, 4), (4,), (1, 4), (3, 1), (), (2, 3, 4), (4, 3), (1,))
NUMBERS = (0, 1, -1, 2, 0.0, -0.0, 1.0, 0.5, 3.0, True)

UNARY = (
    "negative absolute square sign floor positive exp log log1p sqrt sin cos tanh sigmoid relu "
    "softplus reciprocal rint"
).split()
SMOOTH_UNARY = "negative square sin cos tanh sigmoid softplus positive".split()
BINARY = "add subtract multiply divide maximum minimum arctan2".split()
SMOOTH_BINARY = "add subtract multiply".split()
REDUCTIONS = "sum mean max min".split()
SMOOTH_REDUCTIONS = "sum mean logsumexp".split()


class Growing:
    """A graph in the making: what there is to apply operators to."""

    def __init__(self, rng: np.random.Generator, values: Sequence[Symbol], *, smooth: bool):
        self.rng, self.values, self.smooth = rng, list(values), smooth

    def one(self) -> Symbol:
        """A value, the younger ones more often."""
        n = len(self.values)
        return self.values[int(n * self.rng.random() ** 0.5)]

    def choice(self, options: Sequence):
        return options[int(self.rng.integers(len(options)))]

    def axis(self, x: Symbol):
        return self.choice([None, *range(x.ndim)])


def unary(g: Growing) -> Symbol:
    return getattr(ng, g.choice(SMOOTH_UNARY if g.smooth else UNARY))(g.one())


def binary(g: Growing) -> Symbol:
    op = getattr(ng, g.choice(SMOOTH_BINARY if g.smooth else BINARY))
    operands = [g.one(), g.one() if g.rng.random() < 0.7 else g.choice(NUMBERS)]
    g.rng.shuffle(operands)
    return op(*operands)


def choosing(g: Growing) -> Symbol:
    return ng.where(g.one() > 0.1, g.one(), g.choice([g.one(), 2.0]))


def reduction(g: Growing) -> Symbol:
    x = g.one()
    op = getattr(ng, g.choice(SMOOTH_REDUCTIONS if g.smooth else REDUCTIONS))
    return op(x, axis=g.axis(x), keepdims=bool(g.rng.integers(2)))


def view(g: Growing) -> Symbol:
    x = g.one()
    order = tuple(int(d) for d in g.rng.permutation(x.ndim))
    kind = g.rng.integers(7)
    if kind == 0:
        return ng.transpose(x, order)
    if kind == 1:
        return ng.reshape(x, g.choice([(-1,), x.shape, (*x.shape, 1), x.shape[::-1]]))
    if kind == 2:
        return ng.expand_dims(x, int(g.rng.integers(x.ndim + 1)))
    if kind == 3:
        return ng.broadcast_to(x, g.choice([x.shape, (2, *x.shape)]))
    if kind == 4:
        return ng.flip(x, g.axis(x))
    if kind == 5 and x.ndim and x.shape[0]:
        return x[g.choice([0, slice(None), slice(0, 1), slice(None, None, -1), Ellipsis])]
    return ng.squeeze(x)


def matmul(g: Growing) -> Symbol:
    a, b = g.one(), g.one()
    return a @ b


def softmax(g: Growing) -> Symbol:
    x = ng.reshape(g.one(), (-1, 1)) if g.rng.integers(2) else g.one()
    away = x - ng.logsumexp(x, axis=-1 if x.ndim else None, keepdims=True)
    return ng.exp(away) if g.rng.integers(2) else away


def dropout(g: Growing) -> Symbol:
    return ng.dropout(g.one(), 0.3, rng=int(g.rng.integers(1 << 30)))


def uniform(g: Growing) -> Symbol:
    """Arrays of one number, and other constants, alone or beside a value."""
    x = g.one()
    if g.rng.integers(3) == 0:
        made = ng.full_like(x, g.choice(NUMBERS))
        made = ng.broadcast_to(made, (2, *x.shape)) if g.rng.integers(2) else made
    else:
        made = np.full(g.choice([x.shape, ()]), g.choice([0, 1, 2, -0.0]), x.dtype)
    return g.choice([ng.multiply, ng.add, ng.subtract, ng.divide])(x, made)


def known(g: Growing) -> Symbol:
    """Values that depend on no variable."""
    array = g.rng.normal(size=g.choice(SHAPES)).astype(g.choice(["float32", "float64"]))
    return ng.transpose(getattr(ng.sym, g.choice(SMOOTH_UNARY))(array))


def cast(g: Growing) -> Symbol:
    return ng.astype(g.one(), g.choice(["float32", "float64"]))


def redundant(g: Growing) -> Symbol:
    """What simplification is for, and what sharing is for."""
    x = g.one()
    again = [
        lambda: -(-x),
        lambda: x * 1,
        lambda: x - 0.0,
        lambda: ng.absolute(ng.absolute(x)),
        lambda: ng.reshape(ng.reshape(x, (-1,)), x.shape),
        lambda: ng.sum(x, axis=()),
        lambda: ng.astype(x, x.dtype),
        lambda: ng.copy(ng.sin(x)),
        lambda: ng.where(x > 0, x, x),
        lambda: ng.sin(x).named("a name of its own") + ng.sin(x),
    ]
    return g.choice(again)()


FAMILIES: dict[str, Callable[[Growing], Symbol]] = {
    f.__name__: f
    for f in (
        unary,
        binary,
        choosing,
        reduction,
        view,
        matmul,
        softmax,
        dropout,
        uniform,
        known,
        cast,
        redundant,
    )
}
SMOOTH = ("unary", "binary", "reduction", "view", "matmul", "softmax")
DETERMINISTIC = tuple(name for name in FAMILIES if name != "dropout")


def random_graph(
    seed: int,
    nodes: int = 20,
    *,
    families: Sequence[str] = DETERMINISTIC,
    dtypes: Sequence[str] = ("float32", "float64"),
    variables: int = 3,
    smooth: bool = False,
) -> tuple[Graph, dict[str, np.ndarray]]:
    """A typed graph of about so many applications, and arrays for its variables by name.

    `smooth`: operators with a slope everywhere only, of values that stay moderate. The heads are
    what nothing else uses.
    """
    rng = np.random.default_rng(seed)
    given = {}
    for i in range(variables):
        shape = SHAPES[int(rng.integers(len(SHAPES)))]
        dtype = np.dtype(dtypes[int(rng.integers(len(dtypes)))])
        given[f"v{i}"] = np.asarray(rng.normal(size=shape) * 1.5).astype(dtype)
    symbols = [ng.var(name, shape=a.shape, dtype=a.dtype) for name, a in given.items()]
    growing = Growing(rng, symbols, smooth=smooth)
    while len(growing.values) < variables + nodes:
        _grow(growing, families)
    every = Graph([s.entry for s in growing.values])
    heads = [entry for entry in every.heads if entry not in every.users and entry[0].op is not None]
    return Graph(heads, [s.node for s in symbols]), given


def _grow(g: Growing, families: Sequence[str]) -> None:
    """One more value; operators that do not take what they were given are left out."""
    try:
        made = FAMILIES[families[int(g.rng.integers(len(families)))]](g)
    except (NbgraphError, TypeError, OverflowError):
        return
    if made.size > 256 or made.ndim > 4 or made.dtype.kind not in "f":
        return
    if g.smooth and g.rng.random() < 0.3:
        made = ng.tanh(made)
    g.values.append(made)
