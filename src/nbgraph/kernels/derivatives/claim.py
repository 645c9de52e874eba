"""What a certificate is about, and whether it has been given before.

Verdicts are kept by content: the formulas, the parameters' values, and the texts of what judges. A
process that finds its claim proved need not load what proves it.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

from nbgraph._version import __version__, sources
from nbgraph.codegen import cache
from nbgraph.kernels.scalar.graph import Graph, Node

_JUDGES = (  # and what they read of functions
    *("derivatives/certificate", "derivatives/judge", "derivatives/equalities"),
    *("derivatives/stairs", "scalar/interpret", "scalar/multiprecision"),
    *("scalar/mpmath_context", "scalar/multiprecision_special", "scalar/functions"),
    *("scalar/rules", "scalar/graph"),
)


class Claim(NamedTuple):
    """`slope` is said to be d `value` / d `wrt`, or equal to `reference` where that is given."""

    name: str
    graph: Graph
    leaves: tuple[Node, ...]
    fixed: dict[int, Any]  # parameters' values
    wrt: Node
    value: Node
    slope: Node
    reference: Node | None = None
    what: str = "derived"
    usual: dict[int, Any] = {}  # the defaults of operands, by their ids


def key(claim: Claim, digest: str) -> str:
    """Under which the verdict on a claim lies; `digest` is that of its formulas."""
    names = {leaf.id: str(leaf.data) for leaf in claim.leaves}
    fixed = sorted((names[i], repr(value)) for i, value in (claim.usual | claim.fixed).items())
    judges = sources(*(f"kernels/{name}" for name in _JUDGES))
    text = f"certificate {__version__} {judges} {digest} {claim.wrt.data} {claim.what} {fixed}"
    return hashlib.sha256(text.encode()).hexdigest()


def known(claim: Claim, digest: str) -> bool:
    """Return whether the claim was found to hold before."""
    return cache.recall(key(claim, digest)) is not None
