"""Keyword arguments of a simple operator's calls: a scalar, or keyword parameters."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError
from nbgraph.operator.environment import EnvArguments
from nbgraph.operator.parameters import Param, refuse_marks
from nbgraph.operator.spec import Attributes

SCALAR = "scalar"


class Keywords:
    """The scalar or the keyword parameters of one operator, never both.

    >>> keywords = Keywords("f")
    >>> keywords.enable_scalar(True, None)
    >>> keywords.normalise({"scalar": "2"})
    {'scalar': 2.0}
    >>> keywords.enable_kwargs(True)
    Traceback (most recent call last):
    nbgraph.errors.ArgumentError: f: scalar and kwargs exclude each other; make the scalar a \
field of the parameters, or set_enable_scalar(False)
    """

    def __init__(self, op: str) -> None:
        self.op = op
        self.scalar = False
        self.default: float | None = None
        self.params: type[Param] | bool = False  # True: any, unchecked

    def enable_scalar(self, enable: bool, default: float | None) -> None:
        """See SimpleOp.set_enable_scalar."""
        if enable and self.params:
            raise self._both()
        self.scalar = bool(enable)
        self.default = None if default is None else self._read_scalar(default)

    def enable_kwargs(self, params: Any) -> None:
        """See SimpleOp.set_enable_kwargs."""
        known = isinstance(params, bool) or (isinstance(params, type) and issubclass(params, Param))
        if not known:
            raise ArgumentError(
                f"{self.op}: set_enable_kwargs takes a subclass of ng.Param, True or False, "
                f"not {params!r}"
            )
        if params and self.scalar:
            raise self._both()
        self.params = params

    def _both(self) -> ArgumentError:
        return ArgumentError(
            f"{self.op}: scalar and kwargs exclude each other; make the scalar a field of the "
            "parameters, or set_enable_scalar(False)"
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of known parameters."""
        if isinstance(self.params, type):
            return tuple(self.params.__fields__)
        return (SCALAR,) if self.scalar else ()

    def normalise(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments typed, with defaults, hashable; ArgumentError for unknown, missing
        ones."""
        if self.params is not True:
            refuse_marks(self.op, arguments, self.names)
        if isinstance(self.params, type):
            return self.params.parse(arguments, self.op).to_dict()
        if self.params:
            return {name: self._hashable(name, value) for name, value in arguments.items()}
        unknown = [name for name in arguments if name != SCALAR or not self.scalar]
        if unknown:
            known = f"known: {SCALAR}" if self.scalar else "it takes none"
            raise ArgumentError(f"{self.op}: there is no parameter {unknown[0]!r}; {known}")
        if not self.scalar:
            return {}
        value = arguments.get(SCALAR, self.default)
        if value is None:
            raise ArgumentError(f"{self.op}: the parameter 'scalar' is missing; give scalar=1.0")
        return {SCALAR: self._read_scalar(value)}

    def environment(self, attributes: Attributes, resources: Sequence[Any]) -> EnvArguments:
        """Return the `env` for normalised attributes."""
        if isinstance(self.params, type):
            return EnvArguments(None, self.params(**attributes), resources)
        if self.params:
            return EnvArguments(None, dict(attributes), resources)
        return EnvArguments(attributes.get(SCALAR), resource=resources)

    def parameters(self, *last: inspect.Parameter) -> list[inspect.Parameter]:
        """Return keyword-only parameters of the call's signature, then `last`."""
        P = inspect.Parameter
        if isinstance(self.params, type):
            return [*inspect.signature(self.params).parameters.values(), *last]
        if self.params:
            return [*last, P("kwargs", P.VAR_KEYWORD)]
        if not self.scalar:
            return list(last)
        default = P.empty if self.default is None else self.default
        return [P(SCALAR, P.KEYWORD_ONLY, default=default), *last]

    def _read_scalar(self, value: Any) -> float:
        if getattr(value, "ndim", 0) or isinstance(value, (bool, list, tuple, dict)):
            raise ArgumentError(f"{self.op}: scalar={value!r}; it takes one number")
        try:
            return float(value)
        except (TypeError, ValueError):
            raise ArgumentError(f"{self.op}: scalar={value!r} is not a number") from None

    def _hashable(self, name: str, value: Any) -> Any:
        if isinstance(value, np.ndarray) and value.ndim:
            raise ArgumentError(
                f"{self.op}: the parameter {name!r} is an array of shape {value.shape}; arrays are "
                "operands"
            )
        if isinstance(value, (list, tuple)):
            return tuple(self._hashable(name, v) for v in value)
        try:
            hash(value)
        except TypeError:
            raise ArgumentError(
                f"{self.op}: the parameter {name!r} is {value!r}, which can change; give a number, "
                "a text or a tuple"
            ) from None
        return value.item() if isinstance(value, (np.generic, np.ndarray)) else value
