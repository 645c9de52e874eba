"""A step of training as one plan: value, gradients and update of the parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from nbgraph.array.core import Array, empty_of
from nbgraph.autograd.functional import value_and_grad
from nbgraph.autograd.jit import jit
from nbgraph.autograd.signature import InlineError
from nbgraph.autograd.tree import places
from nbgraph.autograd.version import Result, Version
from nbgraph.engine import current
from nbgraph.errors import ArgumentError, noun
from nbgraph.executor.program import Program
from nbgraph.operator.call import recording, training
from nbgraph.optim.optimizer import Optimizer
from nbgraph.optim.parameters import gradients_for
from nbgraph.optim.update import Update
from nbgraph.signatures import checked

_MOST = 64  # signatures that a step keeps programs for


@checked
def train_step(
    fn: Callable[..., Any], optimizer: Optimizer, *, params: Any = None, has_aux: bool = False
) -> TrainStep:
    """Return a function that takes one step of training: value, gradients and update by one plan.

    Parameters
    ----------
    fn : callable
        `fn(params, *args)`: a value of one element; with `has_aux` a pair of it and other results.
    optimizer : Optimizer
    params : dict, list or object with parameters(), optional
        The optimizer's parameters under the same names; by default those it was created with.

    Returns
    -------
    TrainStep
        `step(*args)` returns the result of `fn` for the parameters before the update. The bits are
        those of `ng.jit(ng.value_and_grad(fn))` and `optimizer.step`.

    >>> import nbgraph as ng
    >>> params = {"w": ng.array([1.0, 2.0])}
    >>> step = train_step(lambda p, x: (p["w"] * x).sum(), ng.optim.SGD(params, lr=0.5))
    >>> step(ng.array([1.0, -1.0])), params["w"]
    (array(-1., dtype=float32), array([0.5, 2.5], dtype=float32))
    """
    if not isinstance(optimizer, Optimizer):
        raise ArgumentError(
            f"train_step: optimizer is {noun(optimizer)}; give one such as ng.optim.Adam(params)"
        )
    weights = optimizer.constructor_parameters if params is None else params
    return TrainStep(fn, optimizer, weights, has_aux=has_aux)


class TrainStep:
    """The result of `train_step`."""

    def __init__(
        self, fn: Callable[..., Any], optimizer: Optimizer, params: Any, *, has_aux: bool
    ) -> None:
        self.optimizer, self.params = optimizer, params
        self._function = fn, has_aux
        self._jit = jit(value_and_grad(fn, has_aux=has_aux))
        self._known: dict[Version, _Trained | None] = {}

    def __call__(self, *args: Any) -> Any:
        """Take one step and return what the function returns."""
        arguments = (self.params, *args)
        if recording.get() is None and not self._jit.as_written():
            try:
                version, keyed = self._jit.version(arguments, {})
            except InlineError:
                return self._run_separately(arguments)
            trained = self._trained(version, keyed.arrays)
            if trained is not None:
                arrays = [*keyed.arrays, *version.captured]
                outputs = trained.run(self.optimizer, arrays)
                if outputs is not None:
                    return version.assembled(keyed.arrays, outputs)[0]
        return self._run_separately(arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        fn, has_aux = self._function
        return partial(type(self), has_aux=has_aux), (fn, self.optimizer, self.params)

    def _run_separately(self, arguments: Sequence[Any]) -> Any:
        """Compute the gradients, then update by a push of its own; return the value."""
        value, grads = self._jit(*arguments)
        self.optimizer.step(grads)
        return value

    def _trained(self, version: Version, arrays: Sequence[Array]) -> _Trained | None:
        if version not in self._known:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[version] = _Trained.of(version, self.optimizer, arrays)
        return self._known[version]


class _Trained:
    """A version's graph with gradients in arrays of its own, followed by the update.

    `heads`: the number of the head that is the gradient of a parameter, by the parameter's name.
    """

    def __init__(self, version: Version, heads: dict[str, int], weights: Sequence[Any]) -> None:
        assert version.function is not None, "gradients are heads"
        self._weights = weights
        self._device = next(each.device for each in weights if each is not None)
        self._function = version.function.on(self._device)
        layouts = self._function.layouts
        arrays = {k: empty_of(layouts[k], self._device) for k in dict.fromkeys(heads.values())}
        self._targets: list[Any] = [arrays.get(k) for k in range(len(layouts))]
        self._grads = {key: arrays[k] for key, k in heads.items()}
        self._own = {id(each._chunk) for each in (*weights, *arrays.values()) if each is not None}
        self._update: Update | None = None
        self._program: Program | None = None

    @classmethod
    def of(cls, version: Version, optimizer: Optimizer, arrays: Sequence[Any]) -> _Trained | None:
        """Return the trained form of a version, or None where gradients are not plain heads."""
        value, grads = version.results
        weights = optimizer.parameters
        gradients = gradients_for(optimizer.name, weights, grads)
        if not version.contiguous or any(one.sort != "head" for one in gradients.values()):
            return None
        heads = {key: one.which for key, one in gradients.items()}
        if not set(heads.values()).isdisjoint(_heads(value)):
            return None
        trained = {id(weights[key]): key for key in heads}
        outside = trained.keys() & {id(a) for a in arrays} & {id(a) for a in version.captured}
        if outside:
            named = ", ".join(repr(key) for each, key in trained.items() if each in outside)
            raise ArgumentError(
                f"train_step: the function reads {named} from outside its arguments, where they "
                "are constants without gradients; read the parameters from its first argument, "
                "which is the model itself for an optimizer made of the model: ng.optim.SGD(model)"
            )
        fixed = [a if id(a) in trained else None for a in (*arrays, *version.captured)]
        if sum(each is not None for each in fixed) < len(trained):
            return None  # a parameter that is not among the arguments of the function
        if len({each.device for each in fixed if each is not None}) > 1:
            return None
        return cls(version, heads, fixed)

    def run(self, optimizer: Optimizer, arrays: Sequence[Any]) -> list[Any] | None:
        """Return the heads, or None where this step has to be done in two parts."""
        weights = self._weights
        for array, own in zip(arrays, weights, strict=True):
            if own is not None and array is not own:
                return None
        inputs = [a for a, own in zip(arrays, weights, strict=True) if own is None]
        chunks = {id(a._chunk) for a in inputs}
        if len(chunks) < len(inputs) or not chunks.isdisjoint(self._own):
            return None
        if any(a.device != self._device for a in inputs):
            return None
        update = optimizer.prepared(self._grads)
        if update is None:
            return None
        outputs, fresh = self._outputs(inputs)
        if self._program is None or update is not self._update:
            self._update, self._program = update, self._build(update)
        site = current().site_id(1)
        self._program.push([*inputs, *fresh], is_train=training.get(), site=site)
        for k in self._function.states:
            arrays[k]._chunk.writes += 1
        return outputs

    def _outputs(self, inputs: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return the arrays of all heads, and of those that are new in every run."""
        reads = [a._chunk for a in inputs]
        outputs = [
            empty_of(own, self._device, reads) if target is None else target
            for own, target in zip(self._function.layouts, self._targets, strict=True)
        ]
        new = zip(outputs, self._targets, strict=True)
        return outputs, [each for each, target in new if target is None]

    def _build(self, update: Update) -> Program:
        arrays = [*self._weights, *self._targets]
        name = f"train_step of {self._function.__name__}"
        return Program(self._function.compiled, arrays, name=name, behind=update.behind())


def _heads(value: Any) -> set[int]:
    """Return the numbers of the heads in a structure of results."""
    leaves = (place.value for place in places(value, ""))
    return {one.which for one in leaves if isinstance(one, Result) and one.sort == "head"}
