"""The `__doc__` of operators: made when it is asked for, so that definitions stay quick."""

from __future__ import annotations

from typing import Any


class Documentation:
    """On the class its own text; on an operator the user's docstring, how it is called, formula and
    dependence.

    >>> import nbgraph as ng
    >>> @ng.op
    ... def double(x):
    ...     "Twice x."
    ...     return 2 * x
    >>> "x : array or number" in double.__doc__
    True
    >>> print(double.__doc__[double.__doc__.index("Formula") :])
    Formula::
    <BLANKLINE>
        def double(x):
            return 2 * x
    <BLANKLINE>
    Backward: x is T0: the derivative is constant: backward needs out_grad only
    <BLANKLINE>
    """

    def __init__(self, text: str | None) -> None:
        self.text = text

    def __get__(self, op: Any, owner: object = None) -> str | None:
        """Return the class's text, or that of one operator."""
        if op is None:
            return self.text
        from nbgraph.operator.display import documentation

        own = getattr(getattr(op.scalar, "fn", None), "__doc__", None)
        return documentation(op, own or f"The operator {op.__name__}.")
