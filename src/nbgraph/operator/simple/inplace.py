"""In-place options of simple operators: which array may share memory with which."""

from __future__ import annotations

import enum
from typing import Any

from nbgraph.errors import ArgumentError
from nbgraph.operator.simple.forms import Form


class SimpleOpInplaceOption(enum.IntEnum):
    """What a function may be given in one piece of memory; it then runs with kWriteInplace."""

    kNoInplace = 0  # forward and gradient: nothing is shared
    kInplaceInOut = 1  # unary function: operand and output
    kInplaceOutIn = 2  # unary gradient: out_grad and in_grad
    kInplaceLhsOut = 3  # binary function: first operand and output, never the second
    kInplaceOutLhs = 4  # binary gradient: out_grad and the first operand's gradient


(kNoInplace, kInplaceInOut, kInplaceOutIn, kInplaceLhsOut, kInplaceOutLhs) = SimpleOpInplaceOption
_FITS = {
    kInplaceInOut: ("function", 1),
    kInplaceOutIn: ("gradient", 1),
    kInplaceLhsOut: ("function", 2),
    kInplaceOutLhs: ("gradient", 2),
}
_ARITIES = ("source", "unary", "binary")


def read_option(op: str, form: Form, given: Any) -> SimpleOpInplaceOption:
    """The option, if it suits the form; ArgumentError names those that do.

    >>> from nbgraph.operator.simple.forms import FORMS
    >>> read_option("f", FORMS["function"][1], "kInplaceLhsOut")
    Traceback (most recent call last):
    nbgraph.errors.ArgumentError: f: kInplaceLhsOut is for the function of a binary operator, this \
is the function of a unary one; use kNoInplace or kInplaceInOut
    """
    option = _option(op, given)
    if option is kNoInplace or _FITS[option] == (form.of, form.arity):
        return option
    of, arity = _FITS[option]
    fitting = ["kNoInplace", *(o.name for o, f in _FITS.items() if f == (form.of, form.arity))]
    raise ArgumentError(
        f"{op}: {option.name} is for the {of} of a {_ARITIES[arity]} operator, this is the "
        f"{form.of} of a {_ARITIES[form.arity]} one; use {' or '.join(fitting)}"
    )


def _option(op: str, given: Any) -> SimpleOpInplaceOption:
    if isinstance(given, SimpleOpInplaceOption):
        return given
    if isinstance(given, str) and given in SimpleOpInplaceOption.__members__:
        return SimpleOpInplaceOption[given]
    listed = ", ".join(SimpleOpInplaceOption.__members__)
    raise ArgumentError(f"{op}: inplace={given!r}; expected one of {listed}")
