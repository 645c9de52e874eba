"""Attention, and the block of a transformer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbgraph.errors import ArgumentError, require_whole
from nbgraph.nn.layers import Dense, Dropout
from nbgraph.nn.module import Module
from nbgraph.nn.norms import LayerNorm
from nbgraph.ops.define import library
from nbgraph.ops.elementwise import activation as activations


def attend(
    query: Any, key: Any, value: Any, *, mask: Any = None, causal: bool = False, dropout: float = 0
) -> Any:
    """Return softmax(query @ key' / sqrt(size)) @ value (Vaswani et al., 2017).

    Parameters
    ----------
    query : array (..., positions, size)
    key : array (..., source, size)
    value : array (..., source, values)
    mask : array that broadcasts to (..., positions, source), optional: truth values say what is
        seen, numbers are added to the scores
    causal : whether a position sees itself and those before it alone; the last query is at
        the last key, where torch and JAX have the first at the first
    dropout : float, the probability with which a weight is 0 in training

    Returns
    -------
    array (..., positions, values). A position that sees nothing gets the mean of all values.

    >>> import nbgraph as ng
    >>> x = ng.ones((1, 3, 4))
    >>> attend(x, x, x, causal=True).shape
    (1, 3, 4)
    """
    options = {"causal": causal, "dropout": dropout}
    return library.scaled_dot_product_attention(query, key, value, mask, **options)


class MultiHeadAttention(Module):
    """Attention of several heads, each with its share of the units (Vaswani et al., 2017).

    Parameters
    ----------
    units : int, size of the result, a multiple of heads
    heads : int
    causal : whether a position sees itself and those before it alone
    dropout : float, the probability with which a weight is 0 in training
    in_features : int, optional, the size of x and of its source; without it the first call tells

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
        """Return the array with heads as an axis before positions."""
        size = self.units // self.heads
        return library.swapaxes(library.reshape(x, (*x.shape[:2], self.heads, size)), 1, 2)

    def describe(self) -> str:
        return f"{self.units}, {self.heads} heads" + (", causal" if self.causal else "")


class TransformerBlock(Module):
    """Attention, then two dense layers, each added to what came in, after a norm of it (Xiong et
    al., On layer normalization in the transformer architecture, 2020).

    Parameters
    ----------
    units : int, size of what comes in and goes out
    heads : int
    hidden : int, size between the two layers, by default 4 * units
    dropout : float, probability, of what is added
    causal : whether a position sees itself and those before it alone
    activation : function of arrays, between the two layers

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
