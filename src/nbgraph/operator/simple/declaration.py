"""What would have to be declared by hand to make an `@ng.op` a simple operator.

The form of the gradient and both in-place options are inferred from the scalar text; a simple
operator states them. They must be the same, which is checked where both are written.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nbgraph.errors import ArgumentError
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.report.facts import dependence_rows, in_place
from nbgraph.operator.simple.forms import SimpleOpInplaceOption


class Declaration(NamedTuple):
    """Form of the gradient ("" where there is none), option of the function, of the gradient."""

    form: str
    function: SimpleOpInplaceOption
    gradient: SimpleOpInplaceOption


def simple_declaration(op: Mapper, dtype: object = "float32") -> Declaration:
    """Return the declaration that is inferred for operands of a dtype.

    ArgumentError for more than two operands or several outputs, which simple operators have not.

    >>> import math, nbgraph as ng
    >>> form, function, gradient = simple_declaration(ng.op(lambda x: math.exp(x)))
    >>> form, function.name, gradient.name
    ('T1', 'kInplaceInOut', 'kInplaceOutIn')
    """
    if op.nin > 2 or op.nout != 1:
        raise ArgumentError(
            f"{op.__name__}: a simple operator has one or two operands and one output, this one "
            f"has {op.nin} and {op.nout}"
        )
    rows = dependence_rows(op)
    options = in_place(op, rows, np.dtype(dtype))  # type: ignore[call-overload]
    return Declaration(
        max((str(row["class"]) for row in rows), default=""),
        SimpleOpInplaceOption[options["forward_option"]],
        SimpleOpInplaceOption[options["backward_option"]],
    )
