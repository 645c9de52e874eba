"""Inputs of optimizers: parameters by name, gradients for them, a factor for each."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from nbgraph.array.apply_scalar_op import common_device
from nbgraph.array.core import Array
from nbgraph.dtype import is_float
from nbgraph.errors import ArgumentError, DTypeError, noun, require_shape
from nbgraph.foreign import near

Multipliers = Mapping[str, float] | Callable[[str], float] | None


def named(name: str, params: Any, what: str = "params") -> dict[str, Any]:
    """Return arrays by name, from a dict, a list (whose names are positions) or an object with
    `parameters()`; an empty dict for None."""
    if params is None:
        return {}
    if not isinstance(params, (Mapping, list, tuple)):
        method = getattr(params, "parameters", None)
        if isinstance(params, Array) or not callable(method):
            raise ArgumentError(
                f"{name}: {what} is {noun(params)}; expected a dict of NDArrays by "
                "name, a list of them, or an object with parameters()"
            )
        return named(name, method(), f"{what}.parameters()")
    if not isinstance(params, Mapping):
        return {str(i): array for i, array in enumerate(params)}
    return {str(key): array for key, array in params.items()}


def require_weight(name: str, key: str, weight: Any) -> None:
    """Raise where an array cannot be a parameter."""
    if not isinstance(weight, Array):
        raise ArgumentError(
            f"{name}: the parameter {key!r} is {noun(weight)}; expected an NDArray, as "
            "ng.array(...) makes"
        )
    if not is_float(weight.dtype):
        raise DTypeError(
            f"{name}: the parameter {key!r} has dtype {weight.dtype}; expected a floating one, "
            "such as float32"
        )


def require_gradient(name: str, key: str, weight: Array, grad: Any) -> Any:
    """Return a gradient as an NDArray; raise unless it fits its parameter."""
    if not isinstance(grad, Array):
        raise ArgumentError(f"{name}: the gradient of {key!r} is {noun(grad)}; expected an NDArray")
    label = f"{name}: the gradient of {key!r}"
    require_shape(label, grad.shape, weight.shape, of="the parameter")
    common_device(name, [f"the parameter {key!r}", "its gradient"], [weight, grad])
    if not is_float(grad.dtype):
        raise DTypeError(
            f"{name}: the gradient of {key!r} has dtype {grad.dtype}; expected a floating one"
        )
    return grad


def gradients_for(name: str, weights: Mapping[str, Any], grads: Any) -> dict[str, Any]:
    """Return gradients by the names of their parameters: those in `grads`, by default those that
    `backward` computed.

    Parameters without a gradient are left out; ArgumentError where there is none at all, or one
    that belongs to no parameter.
    """
    if grads is None:
        gradients = {key: getattr(weight, "grad", None) for key, weight in weights.items()}
    elif isinstance(grads, (list, tuple)) and len(grads) != len(weights):
        raise ArgumentError(
            f"{name}: {len(grads)} gradients for {len(weights)} parameters; give one for each, "
            "None where there is none"
        )
    else:
        gradients = named(name, grads, "grads")
        require_known(name, "grads", weights, gradients)
    gradients = {key: grad for key, grad in gradients.items() if grad is not None}
    if weights and not gradients:
        raise ArgumentError(
            f"{name}: no parameter has a gradient; call attach_grad() on them before "
            "ng.autograd.record(), or give the gradients: step(grads)"
        )
    return gradients


def require_known(
    name: str, what: str, known: Mapping[str, Any], values: Mapping[str, Any]
) -> None:
    """Raise ArgumentError for the first name that belongs to no parameter."""
    for key in values:
        if key not in known:
            listed = ", ".join(map(repr, [*known][:8])) or "none, as it was created without"
            hint = near(key, known) or f"known are {listed}"
            raise ArgumentError(f"{name}: {what} has {key!r}, which is not a parameter; {hint}")


def multiplier(name: str, what: str, multipliers: Multipliers, key: str) -> float:
    """Return the factor for a parameter, 1 where there is none."""
    if multipliers is None:
        return 1.0
    value: Any = multipliers.get(key, 1.0) if isinstance(multipliers, Mapping) else multipliers(key)
    if not isinstance(value, (int, float, np.floating, np.integer)):
        raise ArgumentError(
            f"{name}: {what} of {key!r} is {value!r}; expected a number, 0 to leave it alone"
        )
    return float(value)


class Renamed:
    """Factors of parameters under new names, which `name_of` maps to the original ones."""

    def __init__(self, multipliers: Any, name_of: Callable[[str], str]) -> None:
        self.multipliers, self.name_of = multipliers, name_of

    @classmethod
    def of(cls, multipliers: Multipliers, name_of: Callable[[str], str]) -> Multipliers:
        """Return the factors by the new names, or None where there are none."""
        return None if multipliers is None else cls(multipliers, name_of)

    def __call__(self, key: str) -> float:
        """Return the factor of a parameter."""
        return multiplier("lr_mult", "the factor", self.multipliers, self.name_of(key))
