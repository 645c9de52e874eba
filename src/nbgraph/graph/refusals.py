"""Errors for attributes that arrays have and symbols do not, each with its remedy."""

from typing import Any, NoReturn

from nbgraph.errors import ArgumentError, MissingName
from nbgraph.foreign import METHODS

_GRADIENT = (
    "differentiate the function it comes from: ng.value_and_grad(f)(...) gives value and gradient, "
    "within ng.jit, too"
)
VALUE = "compute with it as an array, choose with ng.where, or write the loop inside an @ng.op"
_REMEDIES = {
    **dict.fromkeys("attach_grad backward grad requires_grad requires_grad_".split(), _GRADIENT),
    **dict.fromkeys("asnumpy asscalar item tolist flat numpy cpu values".split(), VALUE),
}


class AbsentError(ArgumentError, AttributeError):
    """The error of a symbol for an attribute that only an array with values has."""


class Refusal:
    """The part of `Symbol` that refuses attributes of arrays.

    >>> import nbgraph as ng
    >>> ng.var("x").backward()
    Traceback (most recent call last):
        ...
    nbgraph.graph.refusals.AbsentError: backward: a symbol has no value; differentiate the \
function it comes from: ng.value_and_grad(f)(...) gives value and gradient, within ng.jit, too
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name in _REMEDIES:
            self._refuse(name, _REMEDIES[name])
        hint = f"; here that is {METHODS[name]}" if name in METHODS else ""
        text = f"{type(self).__name__!r} object has no attribute {name!r}{hint}"
        raise MissingName(text, name=name, obj=self)

    def _refuse(self, what: str, remedy: str) -> NoReturn:
        raise AbsentError(f"{what}: a symbol has no value; {remedy}")
