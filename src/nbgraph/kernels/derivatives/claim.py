"""The claim that a certificate checks, and whether it has been proved before.

Verdicts are kept by content: formulas, parameter values, and the source texts of the code that
judges. A process whose claim is proved need not load that code.
"""

import hashlib
from typing import Any, NamedTuple

from nbgraph._version import __version__, sources
from nbgraph.codegen import cache
from nbgraph.kernels.scalar.graph import Graph, Node

_JUDGES = (  # and the sources of functions that it reads
    *("derivatives/certificate", "derivatives/judge", "derivatives/equalities"),
    *("derivatives/stairs", "scalar/interpret", "scalar/multiprecision"),
    *("scalar/mpmath_context", "scalar/multiprecision_special", "scalar/functions"),
    *("scalar/rules", "scalar/graph"),
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
    judges = sources(*(f"kernels/{name}" for name in _JUDGES))
    text = f"certificate {__version__} {judges} {digest} {claim.wrt.data} {claim.what} {fixed}"
    return hashlib.sha256(text.encode()).hexdigest()


def known(claim: Claim, digest: str) -> bool:
    """Return whether the claim was proved before."""
    return cache.recall(key(claim, digest)) is not None
