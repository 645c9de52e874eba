"""Where the evaluation of a scalar graph at a point has no number to give."""

from nbgraph.errors import NbgraphError

MAX_BITS = 4096  # of a Python int: more are a runaway product or shift


class Undetermined(NbgraphError):
    """The value at this point is outside the real numbers, or `Unreached`."""


class Unreached(Undetermined):
    """There may be a value, but evaluation does not reach it: a loop, or numbers too large."""
