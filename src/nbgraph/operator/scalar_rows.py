r"""Scalar functions from a table: a row has a signature, a documentation and an expression.

    name aliases(operands, *, parameters): Documentation,
        and further lines.
        examples, as doctest has them
        = expression

Rows are those of `operator/declared`. Each becomes the function that a person would write with
`def` and `return`, and its operator; `inspect`, captures and messages find the text. Expressions
have `math`, `np`, the functions `special` and `composed` of captures, and the names of the module.

>>> scope = {"__name__": "manual"}
>>> define_scalars("half(x): Half of x.\n    = x / 2", scope, registered=False)
>>> scope["half"]([1.0, 3.0])
array([0.5, 1.5])
"""

from __future__ import annotations

import linecache
import math
from typing import Any

import numpy as np

from nbgraph.kernels.capture import composed, special
from nbgraph.operator import registry
from nbgraph.operator.declared import documentation, parse
from nbgraph.operator.decorator import op


def define_scalars(table: str, scope: dict[str, Any], *, registered: bool = True) -> None:
    """Define the operators of a table in a module's globals, and register them.

    Parameters
    ----------
    table : str, one for a module
    scope : dict, the module's globals
    registered : bool, whether names and aliases are registered
    """
    rows = list(parse(table))
    # a file's name tells lines of nbgraph from those of users
    place = f"{scope.get('__file__', scope['__name__'])} (table)"
    text = "\n".join(f"def {r.name}({r.parameters}):\n    return {r.call}\n" for r in rows)
    linecache.cache[place] = (len(text), None, text.splitlines(keepends=True), place)
    scope.update(math=math, np=np, special=special, composed=composed)
    exec(compile(text, place, "exec"), scope)
    for row in rows:
        function = scope[row.name]
        function.__doc__ = documentation(row.doc, ())
        made = op(function)
        if registered:
            registry.register(made, row.name, *row.aliases)
        scope.update(dict.fromkeys((row.name, *row.aliases), made))
