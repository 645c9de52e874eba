"""Layers by other operators."""

from __future__ import annotations

import math
from typing import Any

from nbgraph.operator.elsewhere import composed
from nbgraph.ops.define import library
from nbgraph.ops.products.connected import BIASED, fully_connected


@composed(fully_connected, BIASED)
def connected(x: Any, weight: Any, *bias: Any, flatten: bool) -> Any:
    """A product of matrices, and a sum."""
    features, inputs = weight.shape
    lead = x.shape[:1] if flatten else x.shape[:-1]
    flat = library.reshape(x, (math.prod(lead), inputs))
    made = library.dot(flat, weight, transpose_b=True)
    if bias:
        made = library.add(made, bias[0])
    return library.reshape(made, (*lead, features))
