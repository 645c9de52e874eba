"""The table of the corpus: a function, the ranges of its operands, and what it is written with."""

from dataclasses import dataclass, field

TAGS = frozenset(
    """assert bits bool branches clip closure complex convergence dates default dict dtype early
    effect elif enum for fparts fstring generator helper interp isinstance lambda lists local
    logic match minmax mixed modulo nested njit none outputs partial plain power raise random
    recursion rounding solver sorted special static stats str table trigonometry try tuple
    unbound walrus while whole
    """.split()
)

ROWS = []


@dataclass(frozen=True)
class Row:
    """A function with where it is sampled.

    `ranges` has (low, high) for each operand, two ints for an integer one. `at` are more points,
    `edges` those where branches meet. `options` are keyword arguments of every call.
    The value may differ from Python's by `ulps` roundings of itself, by as many of `size`, which is
    the size of what cancels in the text, and by what roundings of operands make of it.
    `smooth` names the operands with a slope, all floats if None; `decorated` are arguments of `ng.op`.
    """

    fn: object
    tags: tuple
    ranges: dict
    at: tuple = ()
    edges: tuple = ()
    options: dict = field(default_factory=dict)
    ulps: float = 16
    size: float = 1e-3
    smooth: tuple | None = None
    decorated: dict = field(default_factory=dict)

    @property
    def wrt(self):
        """Places of the operands to derive by."""
        floats = [n for n, (low, _) in self.ranges.items() if isinstance(low, float)]
        chosen = floats if self.smooth is None else self.smooth
        return [k for k, name in enumerate(self.ranges) if name in chosen]

    @property
    def id(self):
        fn = getattr(self.fn, "py_func", self.fn)
        return f"{fn.__module__.rpartition('.')[2]}.{fn.__name__}"


def sample(
    *tags, at=(), edges=(), options=None, ulps=16, size=1e-3, smooth=None, decorated=None, **ranges
):
    """Put a function into the table; it stays what it is."""

    def keep(fn):
        assert tags and TAGS.issuperset(tags), set(tags) - TAGS
        names = smooth if smooth is None else tuple(smooth.split())
        points = tuple(at), tuple(edges)
        ROWS.append(
            Row(fn, tags, ranges, *points, options or {}, ulps, size, names, decorated or {})
        )
        return fn

    return keep
