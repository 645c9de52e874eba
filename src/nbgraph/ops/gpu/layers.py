"""Layers."""

from __future__ import annotations

import math
from typing import Any

from nbgraph.operator.elsewhere import composed
from nbgraph.ops.define import library
from nbgraph.ops.products import attention_rules
from nbgraph.ops.products.attention import attention_gradient, attention_parts
from nbgraph.ops.products.connected import BIASED, fully_connected


@composed(fully_connected, BIASED)
def connected(x: Any, weight: Any, *bias: Any, flatten: bool) -> Any:
    """A product of matrices, and a sum."""
    features, inputs = weight.shape
    lead = x.shape[:1] if flatten else x.shape[:-1]
    flat = library.reshape(x, (math.prod(lead), inputs))
    product = library.dot(flat, weight, transpose_b=True)
    if bias:
        product = library.add(product, bias[0])
    return library.reshape(product, (*lead, features))


# products and a softmax, with the scores in memory
composed(attention_parts)(attention_rules.parts)
composed(attention_gradient)(attention_rules.gradient)
