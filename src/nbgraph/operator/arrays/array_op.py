"""Operators over whole arrays: shapes of results, their computation, and gradients.

An ArrayOp is data: functions from shapes and dtypes to shapes and dtypes (`infer`), from NumPy
arrays to NumPy arrays (`compute`), and from out-gradients to in-gradients (`gradient`, written
with operators, so that it is differentiable itself and serves every kind of array).
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nbgraph.device import Context, RunContext
from nbgraph.dtype import not_common
from nbgraph.errors import ArgumentError
from nbgraph.operator import kernel_call
from nbgraph.operator.arrays.at_once import at_once, viewed
from nbgraph.operator.arrays.shortcuts import floats_of, learn_words, shortly
from nbgraph.operator.call import call
from nbgraph.operator.deferred import UnknownShape
from nbgraph.operator.environment import EnvArguments
from nbgraph.operator.request import WORDS, OpReqType, Requests, assign
from nbgraph.operator.spec import Attributes, Spec, Specs
from nbgraph.shape import Array, Arrays, Shapes

if TYPE_CHECKING:
    from nbgraph.operator.kernel_call import Application, Lowered
    from nbgraph.resource import Resource

_frame = sys._getframe


class Gradients(NamedTuple):
    """The arguments of a gradient rule.

    `inputs` and `outputs` hold the values that the operator's `keeps` names, None elsewhere;
    `wanted[i]` says whether the gradient of operand i is needed.
    """

    op: ArrayOp
    attributes: Attributes
    out_grads: Sequence[Any]  # None: the result does not depend on that output
    inputs: Sequence[Any]
    outputs: Sequence[Any]
    specs: Specs  # of the operands
    wanted: Sequence[bool]

    @property
    def out_grad(self) -> Any:
        """The gradient of the single output."""
        return self.out_grads[0]


Infer = Callable[..., Spec | Specs]
Compute = Callable[..., None]
Rule = Callable[[Gradients], Sequence[Any]]
Push = Callable[..., Any]
Partial = Callable[..., tuple[Shapes, Shapes]]


def constant(g: Gradients) -> Sequence[Any]:
    """Return no gradients: the rule of an operator whose result counts as a constant."""
    return [None] * len(g.specs)


def gives_constant(op: Any) -> bool:
    """Return whether derivatives treat the results of an operator as constants."""
    return getattr(op, "rule", None) is constant


class ArrayOp:
    """An operator over whole arrays.

    Parameters
    ----------
    name : str
    infer : callable
        `infer(*specs, **attributes)` returns the Spec of the output, or a sequence of Specs. It
        raises if shapes or dtypes do not fit: at the call, never in a worker.
    compute : callable
        `compute(inputs, outputs, **attributes)` fills the outputs (NumPy arrays; it must not write
        inputs). It may run later, on any thread.
    gradient : callable, optional
        `gradient(g: Gradients)` returns the in-gradients in operand order, None for those without;
        see `operator/backward.rule_vjp`. Without it the operator is not differentiable.
    keeps : sequence of str
        What the gradient reads: operand names and "out" (or "out0", "out1", ...).
    operands : sequence of str
        Names, for errors; one that begins with "*" stands for any number.
    nout : int
    view : callable, optional
        `view(x, **attributes)`: the result as a NumPy view of operand 0, or ValueError if strides
        do not allow one. A view shares memory and engine variable with its operand.
    resources : sequence
        Requests (random numbers, temporary space), passed to `compute` as the keyword `env`.
    inplace : sequence of (int, int)
        Pairs (operand, output): that output may overwrite that operand.
    constant : callable, optional
        `constant(**attributes)`: the value of all elements. A carrier may fill arrays by its own
        means.
    copies : bool
        The output holds the elements of operand 0, cast as in C; carriers may copy by own means.
    composition : callable, optional
        `composition(*operands, **attributes)`: the outputs computed by other operators, for arrays
        of all kinds and for graphs. Results may be operands, and have other dtypes.
    partial : callable, optional
        `partial(in_shapes, out_shapes, **attributes)`: see `infer_partial`.

    >>> def infer(x, *, shift):
    ...     return Spec(x.shape, x.dtype)
    >>> def compute(inputs, outputs, *, shift):
    ...     outputs[0][...] = np.roll(inputs[0], shift)
    >>> roll = ArrayOp("roll", infer, compute, operands=("x",))
    >>> roll(np.arange(4), shift=1)
    array([3, 0, 1, 2])
    """

    auxiliary: Sequence[str] = ()  # operands that are states: written in training
    crossed = False  # whether an operand's gradient reads only the other operands
    effect = False  # whether an application has an effect besides its outputs
    is_loss = False  # whether backward may start here, whatever the out-gradient
    kernels: Collection[str] = ()  # where `lower` may return kernel calls: "host", "devices"
    takes_complex: Collection[str] = ()  # where kernels accept complex numbers: as `kernels`
    kernels_at_once = True  # whether the kernels also serve NumPy arrays
    draws = 0  # number of words that a random draw passes to the kernel calls
    words: Mapping[OpReqType, str] = WORDS  # words for requests, as `lower` gets them
    numeric: Sequence[str] = ()  # attributes whose floats are numbers in kernels' records
    over: Any = None  # fast path for writes to `out`; see `update.write_over`
    visible: int | None = None  # outputs from this one on are for the gradient only; None: none are

    def __init__(
        self,
        name: str,
        infer: Infer,
        compute: Compute | None = None,
        *,
        gradient: Rule | None = None,
        keeps: Sequence[str] = (),
        operands: Sequence[str] = ("x",),
        nout: int = 1,
        view: Callable[..., Array] | None = None,
        resources: Sequence[Any] = (),
        inplace: Sequence[tuple[int, int]] = (),
        constant: Callable[..., float] | None = None,
        copies: bool = False,
        composition: Callable[..., Any] | None = None,
        partial: Partial | None = None,
        doc: str | None = None,
    ) -> None:
        self.__name__ = self.__qualname__ = name
        self.__doc__ = doc or ArrayOp.__doc__
        self._infer, self._compute, self.rule, self.view = infer, compute, gradient, view
        self.operands, self.nout = tuple(operands), nout
        self.keeps = frozenset(keeps)
        self.resources = tuple(resources)
        self.carried: dict[Any, Any] = {}  # caches of carriers
        self.repeated: dict[Any, Any] = {}  # cache of calls on NumPy arrays; see `at_once`
        # fast paths and normalised attributes, by `shortcuts.call_key`
        self.shortcuts: dict[Any, tuple[Push, Attributes]] = {}
        self.inplace = tuple(inplace)
        self.constant, self.copies, self.composition = constant, copies, composition
        self._partial = partial

    @functools.cached_property
    def nin(self) -> int:
        """Number of operands; of a variadic operator the least."""
        return sum(not name.startswith("*") for name in self.operands)

    @functools.cached_property
    def computes_alone(self) -> bool:
        """Whether a call only runs `compute` over arrays, without states, draws or effects."""
        plain = type(self).run is ArrayOp.run
        return plain and not (self.resources or self.auxiliary or self.effect)

    @functools.cached_property
    def never_waits(self) -> bool:
        """Whether a call only runs NumPy code of the library."""
        way = self._compute or self.composition
        own = getattr(way, "__module__", "").startswith("nbgraph.ops.")
        return own and self.computes_alone

    def operand_name(self, index: int) -> str:
        """Return the name of operand `index` in errors."""
        if index < len(self.operands) and not self.operands[index].startswith("*"):
            return self.operands[index]
        last = self.operands[-1].removeprefix("*") if self.operands else "operand"
        return f"{last}[{index - len(self.operands) + 1}]"

    def keeps_input(self, index: int) -> bool:
        """Return whether the gradient reads operand `index`."""
        if index < len(self.operands) and self.operands[index] in self.keeps:
            return True
        return bool(self.operands) and self.operands[-1] in self.keeps and index >= self.nin

    def keeps_output(self, index: int) -> bool:
        """Return whether the gradient reads output `index`."""
        return f"out{index}" in self.keeps or "out" in self.keeps

    def __call__(self, *operands: Any, out: Any = None, **attributes: Any) -> Any:
        """Apply the operator; the result is of the operands' kind: NumPy array, NDArray, symbol."""
        if self.shortcuts and out is None:
            result = shortly(self, _frame(1), operands, attributes)
            if result is not None:
                return result
        normalised = self.normalise(attributes)
        if out is not None and self.over and self.over(operands, out, _frame(1), normalised):
            return out
        if self.shortcuts and attributes and out is None:
            learn_words(self, attributes, normalised, operands)
        return call(self, operands, normalised, out)

    def normalise(self, attributes: Attributes) -> Mapping[str, Any]:
        """Return the attributes of a call in normal form: typed, with defaults, hashable;
        idempotent. Raise ArgumentError for unknown ones."""
        return attributes

    def fixed(self, attributes: Attributes) -> Attributes:
        """Return the attributes in a key of kernel calls: those of `values` by type alone."""
        if not self.numeric:
            return attributes
        names = floats_of(self.numeric, attributes)
        return {**attributes, **dict.fromkeys(names, float)} if names else attributes

    def values(self, attributes: Attributes) -> Sequence[Any]:
        """Return the attributes that are the first numbers of kernels' records."""
        return [attributes[name] for name in floats_of(self.numeric, attributes)]

    def inplace_pairs(self, attributes: Attributes) -> Sequence[tuple[int, int]]:
        """Return pairs (operand, output): `run` accepts that output in the operand's memory, with
        the request kWriteInplace. The carrier must know that the operand is not needed any more."""
        return self.inplace

    def grant(self, device: Context, attributes: Attributes | None = None) -> tuple[Resource, ...]:
        """Return the resources that `run` needs on a device, one per request. Call this when work
        is pushed, as the work mutates their variables. Raises DeviceError if the operator cannot
        run there. `attributes` may select resources, as `rng=` of a random draw does."""
        if not self.resources:
            return ()
        from nbgraph.resource import request

        return request(self.resources, device)

    def grant_to(self, device: Context, attributes: Attributes, specs: Specs) -> tuple[Any, ...]:
        """Return the resources as `grant` does, for operands of these specs."""
        return self.grant(device, attributes)

    def within(self, states: dict[Any, Any] | None) -> Any:
        """Return the operator whose `run` an executor uses. Its state is kept in `states`, which is
        None in a compiled function, whose runs may overlap."""
        return self

    def states(self, *, is_train: bool) -> Sequence[int]:
        """Return the indices of operands that a run writes: states, in training."""
        if not self.auxiliary or not is_train:
            return ()
        return [i for i, name in enumerate(self.operands) if name in self.auxiliary]

    def infer(self, specs: Specs, attributes: Attributes) -> tuple[Spec, ...]:
        """Return shapes and dtypes of the outputs."""
        variadic = bool(self.operands) and self.operands[-1].startswith("*")
        if len(specs) < self.nin or (len(specs) > self.nin and not variadic):
            raise ArgumentError(
                f"{self.__name__}: takes {self.nin} operand(s) {self.operands}, "
                f"{len(specs)} were given"
            )
        try:
            specs_out = self._infer(*specs, **attributes)
        except np.exceptions.DTypePromotionError:
            raise not_common(self.__name__, [spec.dtype for spec in specs]) from None
        return (specs_out,) if isinstance(specs_out, Spec) else tuple(specs_out)

    def infer_partial(
        self, in_shapes: Shapes, out_shapes: Shapes, attributes: Attributes
    ) -> tuple[Shapes, Shapes] | None:
        """Return what follows from partially known shapes: the shapes of operands and outputs, with
        None for unknown shapes or extents. Only certain facts; None if nothing follows."""
        if self._partial is None:
            return None
        return self._partial(in_shapes, out_shapes, **attributes)

    def infer_dtypes(
        self, in_dtypes: Sequence[Any], out_dtypes: Sequence[Any], attributes: Attributes
    ) -> tuple[Sequence[Any], Sequence[Any]] | None:
        """Return the dtypes of operands and outputs that follow from those known (not None), or
        None if the operator has no rule."""
        return None

    def run(
        self,
        inputs: Arrays,
        outputs: Arrays,
        requests: Requests,
        attributes: Attributes,
        *,
        resources: Sequence[Resource] = (),
        is_train: bool = False,
        run_ctx: RunContext | None = None,
    ) -> None:
        """Compute into NumPy arrays, each output as its request says. Outputs share no memory with
        inputs, unless their request is kWriteInplace. `resources` and `is_train` are the results of
        `grant` and `training` when the work was pushed."""
        if all(req is OpReqType.kNullOp for req in requests) and outputs:
            return
        if self.kernels_at_once and "host" in self.kernels:
            if kernel_call.run(self, inputs, outputs, requests, attributes):
                return
        targets = [
            out if req in (OpReqType.kWriteTo, OpReqType.kWriteInplace) else np.empty_like(out)
            for out, req in zip(outputs, requests, strict=True)
        ]
        self.compute(inputs, targets, attributes, resources)
        for out, target, req in zip(outputs, targets, requests, strict=True):
            if target is not out:
                assign(out, req, target)

    def lower(self, case: Application) -> Lowered | None:
        """Return the kernel calls for arrays of these layouts, or None if no kernel computes it.
        Call `kernel_call.lowered` instead, which caches them."""
        return None

    def mode(self, attributes: Attributes) -> bool | None:
        """Return whether it runs as in training; None: as the run says."""
        return None

    def numbers(self, attributes: Attributes, *, is_train: bool) -> Sequence[int]:
        """Return the numbers that a push passes to the kernel: of a draw, or of the mode."""
        return ()

    def compute(
        self,
        inputs: Arrays,
        outputs: Arrays,
        attributes: Attributes,
        resources: Sequence[Resource] = (),
        /,
    ) -> None:
        """Fill the outputs."""
        if self._compute is not None and self.resources:
            env = EnvArguments(resource=resources)
            self._compute(inputs, outputs, env=env, **attributes)
        elif self._compute is not None:
            self._compute(inputs, outputs, **attributes)
        elif self.composition is not None:
            results = self.composition(*inputs, **attributes)
            for out, value in zip(outputs, results if self.nout > 1 else (results,), strict=True):
                np.copyto(out, value, casting="unsafe")
        elif self.view is not None:
            np.copyto(outputs[0], viewed(self.view, inputs[0], attributes))
        else:
            raise ArgumentError(f"{self.__name__}: there is no way to compute it on this device")

    def on_numpy(
        self, operands: Sequence[Any], attributes: Attributes, out: Sequence[Any] | None
    ) -> Any:
        """Apply the operator to NumPy arrays immediately."""
        return at_once(self, operands, attributes, out)

    def __repr__(self) -> str:
        return f"<array operator {self.__name__!r}>"

    def __copy__(self) -> ArrayOp:
        return self

    def __deepcopy__(self, memo: object) -> ArrayOp:
        return self


def visible_of(op: Any) -> int:
    """Return the number of outputs that a call returns."""
    return getattr(op, "visible", None) or op.nout


class FilledOp(ArrayOp):
    """An operator of the attributes `shape` and `dtype`. In a graph, extents of the shape may be
    None, to be inferred from the array's uses (`nbgraph.graph.infer`)."""

    def infer(self, specs: Specs, attributes: Attributes) -> tuple[Spec, ...]:
        """See ArrayOp; raises UnknownShape if an extent is unknown."""
        if None in attributes["shape"]:
            raise UnknownShape(f"{self.__name__}: shape={attributes['shape']} is not known in full")
        return super().infer(specs, attributes)

    def infer_partial(
        self, in_shapes: Shapes, out_shapes: Shapes, attributes: Attributes
    ) -> tuple[Shapes, Shapes] | None:
        return in_shapes, [attributes["shape"]]

    def infer_dtypes(
        self, in_dtypes: Sequence[Any], out_dtypes: Sequence[Any], attributes: Attributes
    ) -> tuple[Sequence[Any], Sequence[Any]] | None:
        return in_dtypes, [attributes["dtype"]]
