"""Multi-head attention and transformer blocks."""

from collections.abc import Callable
from typing import Any

from nbgraph.errors import ArgumentError, require_whole
from nbgraph.nn.layers import Dense, Dropout
from nbgraph.nn.module import Module
from nbgraph.nn.norms import LayerNorm
from nbgraph.ops.define import library
from nbgraph.ops.elementwise import activation as activations
from nbgraph.ops.products.attention import scaled_dot_product_attention

attend = scaled_dot_product_attention


class MultiHeadAttention(Module):
    """Multi-head attention (Vaswani et al., 2017).

    Parameters
    ----------
    units : int, size of the result, a multiple of heads
    heads : int
    causal : bool, whether a position attends only to itself and earlier ones
    dropout : float, the probability with which a weight is 0 in training
    in_features : int, optional, the size of x and of its source; by default that of the first call

    `layer(x)` attends to `x` itself, `layer(x, source)` to another sequence; both of shape
    (samples, positions, features). `mask`: as in `attend`, broadcast to (samples, heads, positions
    of x, positions of source); for samples of different lengths, of shape (samples, 1, 1,
    positions).

    >>> import nbgraph as ng
    >>> MultiHeadAttention(8, heads=2)(ng.ones((1, 3, 5))).shape
    (1, 3, 8)
    """

    def __init__(
        self,
        units: int,
        *,
        heads: int = 1,
        causal: bool = False,
        dropout: float = 0.0,
        in_features: int | None = None,
    ) -> None:
        for what, count in (("units", units), ("heads", heads)):
            require_whole(f"MultiHeadAttention: {what}", count)
        if units % heads:
            raise ArgumentError(
                f"MultiHeadAttention: units={units} and heads={heads}; give a multiple of heads"
            )
        self.units, self.heads, self.causal = units, heads, causal
        self.dropout = Dropout(dropout).p
        self.query, self.key, self.value = (Dense(units, in_features=in_features) for _ in range(3))
        self.out = Dense(units, in_features=units)

    def forward(self, x: Any, source: Any = None, mask: Any = None) -> Any:
        """Return an array of shape (samples, positions, units)."""
        source = x if source is None else source
        mixed = attend(
            self._split(self.query(x)),
            self._split(self.key(source)),
            self._split(self.value(source)),
            mask=mask,
            causal=self.causal,
            dropout=self.dropout,
        )
        return self.out(library.reshape(library.swapaxes(mixed, 1, 2), (*x.shape[:2], self.units)))

    def _split(self, x: Any) -> Any:
        """Return `x` with an axis of heads before the positions."""
        size = self.units // self.heads
        return library.swapaxes(library.reshape(x, (*x.shape[:2], self.heads, size)), 1, 2)

    def describe(self) -> str:
        return f"{self.units}, {self.heads} heads" + (", causal" if self.causal else "")


class TransformerBlock(Module):
    """A transformer block with layer norms before attention and before two dense layers, both with
    residual connections (Xiong et al., On layer normalization in the transformer architecture,
    2020).

    Parameters
    ----------
    units : int, size of input and output
    heads : int
    hidden : int, size between the two dense layers, by default 4 * units
    dropout : float, probability of dropout before the residual connections
    causal : bool, whether a position attends only to itself and earlier ones
    activation : function of arrays between the dense layers

    >>> import nbgraph as ng
    >>> TransformerBlock(8, heads=2)(ng.ones((1, 3, 8))).shape
    (1, 3, 8)
    """

    def __init__(
        self,
        units: int,
        *,
        heads: int = 1,
        hidden: int | None = None,
        dropout: float = 0.0,
        causal: bool = False,
        activation: Callable[[Any], Any] = activations.gelu,
    ) -> None:
        self.before = LayerNorm(units)
        self.attention = MultiHeadAttention(units, heads=heads, causal=causal, in_features=units)
        self.between = LayerNorm(units)
        self.wide = Dense(hidden or 4 * units, activation, in_features=units)
        self.narrow = Dense(units, in_features=hidden or 4 * units)
        self.dropout = Dropout(dropout)

    def forward(self, x: Any, mask: Any = None) -> Any:
        """Return an array like `x`, of shape (samples, positions, units); `mask` as in
        attention."""
        x = x + self.dropout(self.attention(self.before(x), None, mask))
        return x + self.dropout(self.narrow(self.wide(self.between(x))))
