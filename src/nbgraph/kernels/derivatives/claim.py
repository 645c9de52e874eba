"""The claim that a certificate checks, and whether it has been proved before.

Verdicts are kept by content: formulas, parameter values, and the source texts of the code that
judges. A process whose claim is proved need not load that code.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any, NamedTuple

from nbgraph._version import __version__
from nbgraph.codegen import cache
from nbgraph.kernels.scalar.graph import Graph, Node

_JUDGES = (  # and the sources of functions that it reads
    *("derivatives/certificate.py", "derivatives/judge.py", "derivatives/equalities.py"),
    *("derivatives/stairs.py", "scalar/interpret.py", "scalar/multiprecision.py"),
    *("scalar/mpmath_context.py", "scalar/multiprecision_special.py", "scalar/functions.py"),
    *("scalar/rules.py", "scalar/graph.py"),
)


class Claim(NamedTuple):
    """The claim that `slope` is d `value` / d `wrt`, or that it equals `reference` if present."""

    name: str
    graph: Graph
    leaves: tuple[Node, ...]
    fixed: dict[int, Any]  # values of parameters
    wrt: Node
    value: Node
    slope: Node
    reference: Node | None = None
    what: str = "derived"
    usual: dict[int, Any] = {}  # defaults of operands, by id


def key(claim: Claim, digest: str) -> str:
    """Return the cache key of the verdict on a claim; `digest` is that of its formulas."""
    names = {leaf.id: str(leaf.data) for leaf in claim.leaves}
    fixed = sorted((names[i], repr(value)) for i, value in (claim.usual | claim.fixed).items())
    text = f"certificate {__version__} {_judges()} {digest} {claim.wrt.data} {claim.what} {fixed}"
    return hashlib.sha256(text.encode()).hexdigest()


@functools.cache
def _judges() -> str:
    folder = Path(__file__).parents[1]
    return hashlib.sha256(b"".join((folder / n).read_bytes() for n in _JUDGES)).hexdigest()


def known(claim: Claim, digest: str) -> bool:
    """Return whether the claim was proved before."""
    return cache.recall(key(claim, digest)) is not None
