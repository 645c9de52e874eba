"""Executors: a symbol bound to arrays, computed forward and backward by plans of the engine."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nbgraph.array.chunk import Chunk
from nbgraph.device import Context
from nbgraph.engine import current
from nbgraph.engine.thread import here
from nbgraph.errors import ArgumentError, unpicklable
from nbgraph.executor.program import Program
from nbgraph.executor.programs import Bound
from nbgraph.executor.reports import Arrays, FixedArrays, Reports
from nbgraph.executor.values import require_seed, require_shape, require_train
from nbgraph.graph.graph import spec
from nbgraph.graph.symbol import Symbol
from nbgraph.operator.arrays.array_op import constant
from nbgraph.settings import CLOSELY_ASKED


class Executor(Reports):
    """The result of `Symbol.bind` and `Symbol.simple_bind`.

    Calls push their work to the engine and return at once. The arrays are the same at every run:
    inputs are written into `arg_dict`, results into `outputs`, gradients into `grad_dict`, so copy
    a result to keep it beyond the next run.

    Attributes
    ----------
    arg_dict, grad_dict, aux_dict : dict from names to NDArray
        Arguments; gradients (None where none is wanted); states. Written into, never replaced.
    outputs : list of NDArray
        A new list of the same arrays each time.
    symbol : Symbol

    >>> import nbgraph as ng
    >>> exe = ng.sum(ng.var("x") ** 2).simple_bind(x=(2,))
    >>> exe.arg_dict["x"][:] = 3
    >>> _ = exe.forward_backward()
    >>> exe.outputs, exe.grad_dict["x"]
    ([array(18., dtype=float32)], array([6., 6.], dtype=float32))
    """

    def __init__(
        self,
        symbol: Symbol,
        bound: Bound,
        arguments: Arrays,
        gradients: Arrays,
        states: Arrays,
        rebind: Callable[[Executor, Mapping[str, Any], bool], Executor],
    ) -> None:
        self.symbol, self._bound, self._rebind = symbol, bound, rebind
        self._arguments = FixedArrays("arg_dict", arguments)
        self._gradients = FixedArrays("grad_dict", gradients)
        self._states = FixedArrays("aux_dict", states)
        self._slopes = [array._chunk for array, _ in bound.grads.values()]
        self._trained: bool | None = None  # the mode of the forward pass that backward follows
        self._joint: Program | None = None
        self._unseeded: tuple[bool, ...] | None = None  # of losses, which need no out_grads

    @functools.cached_property
    def _results(self) -> list[Chunk]:
        """The chunks that a forward pass writes; a backward pass writes `_slopes`."""
        return [array._chunk for array in self._outputs]

    @functools.cached_property
    def _written(self) -> list[Chunk]:
        """The chunks that both passes write."""
        return [*self._results, *self._slopes]

    __reduce_ex__ = unpicklable(
        "an executor", "pickle its `symbol` and `arg_dict`, and bind that again with simple_bind"
    )

    @property
    def device(self) -> Context:
        """The device on which it runs."""
        return self._bound.device

    @property
    def output_dict(self) -> Arrays:
        """Results by name."""
        return dict(zip(self.symbol.list_outputs(), self.outputs, strict=True))

    # running ----------------------------------------------------------------------------------

    def forward(self, is_train: bool = False, **inputs: Any) -> list[Any]:
        """Compute the outputs; with `is_train` save the values that `backward` reads.

        Parameters
        ----------
        is_train : bool
            Whether operators behave as in training, and a backward pass will follow.
        **inputs
            Values for arguments: NDArrays, NumPy arrays or numbers of their shapes; they are
            copied into `arg_dict`.

        >>> import nbgraph as ng
        >>> exe = ng.sum(ng.var("x") * 3).simple_bind(x=(2,))
        >>> exe.forward(x=[1.0, 2.0])
        [array(9., dtype=float32)]
        """
        if is_train is not True and is_train is not False:
            require_train("forward", is_train)
        if inputs:
            self._write("forward", inputs)
        self._about_to_write("forward", self._results)
        if is_train and self._bound.grads:
            self._trained = True
            self._push(self._bound.halves[0], is_train=True)
        else:
            self._trained = False
            self._push(self._bound.predict, is_train=is_train)
        return self.outputs

    def backward(self, out_grads: Any = None, is_train: bool = True) -> None:
        """Write gradients into `grad_dict`, by each `grad_req`, after `forward(is_train=True)`:
        once for each forward pass, as it overwrites the values saved for it.

        After a forward pass without training, gradients are those of the outputs without training.
        No values were saved then, so the forward pass runs again.

        Parameters
        ----------
        out_grads : NDArray or sequence of NDArray, optional
            Gradients of the outputs; None means ones, for outputs of one element and losses.
        is_train : bool
            Has no effect (MXNet has it): the mode is that of the forward pass.

        >>> import nbgraph as ng
        >>> exe = (ng.var("x") ** 2).simple_bind(x=(2,))
        >>> _ = exe.forward(is_train=True, x=[1.0, 2.0])
        >>> exe.backward(ng.ones(2))
        >>> exe.grad_dict["x"]
        array([2., 4.], dtype=float32)
        """
        if self._trained is None or not self._bound.grads:
            raise ArgumentError(
                "backward: forward(is_train=True) has not run since the last backward, so nothing "
                "is kept for it; call that first, or forward_backward() for both at once"
                if self._bound.grads
                else "backward: no gradient was asked for: grad_req is 'null', or no args_grad"
            )
        if not self._trained:
            self._about_to_write("forward", self._results)
            self._push(self._bound.halves[0], is_train=False)
        for output, has_seed in enumerate(self._seeds("backward", out_grads)):
            if not has_seed:
                self._bound.seed(output)[...] = 1
        self._about_to_write("backward", self._slopes)
        is_train, self._trained = self._trained, None  # the saved values are used up
        self._push(self._bound.halves[1], is_train=is_train, forward=False)

    def forward_backward(self, out_grads: Any = None, **inputs: Any) -> list[Any]:
        """Return outputs, and write gradients, by one plan that fuses operators of both passes:
        values inside a fused loop never reach memory.

        >>> import nbgraph as ng
        >>> exe = ng.sum(ng.var("x") ** 2).simple_bind(x=(2,))
        >>> exe.forward_backward(x=[1.0, 2.0]), exe.grad_dict["x"]
        ([array(5., dtype=float32)], array([2., 4.], dtype=float32))
        """
        if inputs:
            self._write("forward_backward", inputs)
        if (self._watch is not None or CLOSELY_ASKED[0]) and self._watched():
            return self._one_by_one(out_grads)
        for buffer in self._written:  # `_about_to_write`, inlined
            if buffer.leases:
                raise _lent("forward_backward", buffer)
            buffer.writes += 1
        if out_grads is not None or self._joint is None:
            seeds = self._seeds("forward_backward", out_grads)
            program = self._bound.both(seeds) if self._bound.grads else self._bound.predict
            if out_grads is not None:
                program.push(is_train=True)
                return self.outputs
            self._joint = program
        launch = self._joint.plain
        if launch is None or here.running is not None:
            self._joint.push(is_train=True)
        else:  # `push`, inlined
            launch((), (), current().site_id())
        return self._outputs.copy()

    def train_step(self, optimizer: Any, **inputs: Any) -> list[Any]:
        """Run both passes and a step of the optimizer by one plan, and return the outputs; results
        are bitwise those of `forward_backward` and `optimizer.step`.

        Parameters
        ----------
        optimizer : ng.optim.Optimizer
            Its parameters must be arrays in `arg_dict` that have a gradient.
        **inputs
            See `forward`.

        >>> import nbgraph as ng
        >>> exe = ng.sum(ng.var("x") ** 2).simple_bind(x=(2,))
        >>> opt = ng.optim.SGD({"x": exe.arg_dict["x"]}, lr=0.25)
        >>> exe.train_step(opt, x=[1.0, 2.0]), exe.arg_dict["x"]
        ([array(5., dtype=float32)], array([0.5, 1. ], dtype=float32))
        """
        names = {id(array): name for name, array in self._arguments.items()}
        grads: dict[str, Any] = {}
        for key, weight in optimizer.parameters.items():
            grads[key] = self._gradients.get(names.get(id(weight), ""))
            if grads[key] is None:
                trainable = [n for n, g in self._gradients.items() if g is not None]
                raise ArgumentError(
                    f"train_step: {optimizer.name} has the parameter {key!r}, which is not an "
                    "argument of this executor with a gradient; make the optimizer of arrays in "
                    f"arg_dict: {', '.join(trainable)}"
                )
        if (self._watch is not None or CLOSELY_ASKED[0]) and self._watched():
            update = None
        else:
            if self._training is None:
                self._require_losses("train_step")
            update = optimizer.prepared(grads) if self._bound.groups is None else None
        if update is None:
            outputs = self.forward_backward(**inputs)
            optimizer.step(grads)
            return outputs
        if inputs:
            self._write("train_step", inputs)
        self._about_to_write("train_step", self._written)
        if self._training is None or self._training[0] is not update:
            self._training = update, self._bound.trained(update.behind())
        self._training[1].push(is_train=True)
        return self.outputs

    def _one_by_one(self, out_grads: Any) -> list[Any]:
        """Run both passes, each in the open form, whose values can be observed."""
        self.forward(is_train=True)
        if self._bound.grads:
            self.backward(out_grads)
        return self.outputs

    def _write(self, call: str, inputs: Mapping[str, Any]) -> None:
        for name, value in inputs.items():
            target = self._arguments.get(name)
            if target is None:
                target = self._states.get(name)
            if target is None:
                choices = ", ".join(self._arguments)
                raise ArgumentError(f"{call}: no argument is called {name!r}; there are: {choices}")
            require_shape(call, name, value, target)
            if value is not target:
                target[...] = value

    def _about_to_write(self, name: str, chunks: Sequence[Chunk]) -> None:
        """Count a write of each chunk, so that tapes notice overwritten values; raise ValueError if
        its memory is lent to another library and may not change."""
        for variable in chunks:
            if variable.leases:
                raise _lent(name, variable)
            variable.writes += 1

    def _seeds(self, name: str, out_grads: Any) -> tuple[bool, ...]:
        """Return which gradients of outputs are present, after copying them for the programs."""
        if out_grads is None or (isinstance(out_grads, (list, tuple)) and not out_grads):
            if self._unseeded is None:
                self._require_losses(name)
                self._unseeded = (False,) * len(self._bound.outputs)
            return self._unseeded
        outputs = self._bound.outputs
        gradients = list(out_grads) if isinstance(out_grads, (list, tuple)) else [out_grads]
        if len(gradients) != len(outputs):
            raise ArgumentError(
                f"{name}: {len(gradients)} out_grads for {len(outputs)} outputs "
                f"({', '.join(self.symbol.list_outputs())}); give one for each, None for ones"
            )
        for k, (value, output) in enumerate(zip(gradients, outputs, strict=True)):
            if value is None:
                continue
            require_seed(name, k, value, self.symbol, output)
            self._bound.seed(k)[...] = value
        return tuple(value is not None for value in gradients)

    def _require_losses(self, name: str) -> None:
        heads = self._bound.graph.heads
        unclear = [
            f"{label}{spec(head).shape}"
            for label, head in zip(self.symbol.list_outputs(), heads, strict=True)
            if not getattr(head[0].op, "is_loss", False)
            and getattr(head[0].op, "rule", None) is not constant
            and math.prod(spec(head).shape) != 1
            and spec(head).dtype.kind in "cfV"
        ]
        if unclear:
            raise ArgumentError(
                f"{name}: out_grads is None, which is for outputs of one element; these have more: "
                f"{', '.join(unclear)}. Give out_grads, one for each output, or sum to a loss"
            )

    # other bindings ---------------------------------------------------------------------------

    def copy_params_from(
        self,
        arg_params: Mapping[str, Any],
        aux_params: Mapping[str, Any] | None = None,
        allow_extra_params: bool = False,
    ) -> None:
        """Write values over arguments and states.

        Parameters
        ----------
        arg_params, aux_params : dict from names to arrays of their shapes; aux_params is optional
        allow_extra_params : whether to ignore names that the symbol lacks; else they raise an
            ArgumentError
        """
        for what, values, targets in (
            ("argument", arg_params, self.arg_dict),
            ("state", aux_params or {}, self.aux_dict),
        ):
            for name, value in values.items():
                if name in targets:
                    require_shape("copy_params_from", name, value, targets[name])
                    targets[name][...] = value
                elif not allow_extra_params:
                    raise ArgumentError(
                        f"copy_params_from: no {what} is called {name!r}; there are: "
                        f"{', '.join(targets) or 'none'}. allow_extra_params=True passes over it"
                    )

    def reshape(
        self,
        *,
        partial_shaping: bool = False,
        allow_up_sizing: bool = False,
        **shapes: Sequence[int],
    ) -> Executor:
        """Return an executor for other shapes, which shares the arrays of this one.

        An argument that becomes smaller, and its gradient, are views of the old ones' first
        elements; one that becomes larger is a new array.

        Parameters
        ----------
        **shapes : new shapes, by argument; those of other arguments are inferred
        partial_shaping : bool
            Whether inferred shapes may change too, such as that of labels with the batch size.
        allow_up_sizing : bool
            Has no effect (MXNet has it): arrays may always become larger.

        Raises
        ------
        ShapeError if the shape of an argument that is not among `shapes` would change.

        >>> import nbgraph as ng
        >>> exe = (ng.var("x") @ ng.var("w")).simple_bind(x=(2, 3), w=(3, 4))
        >>> other = exe.reshape(x=(5, 3))
        >>> other.outputs[0].shape, other.arg_dict["w"] is exe.arg_dict["w"]
        ((5, 4), True)
        """
        return self._rebind(self, shapes, partial_shaping)

    def __repr__(self) -> str:
        arguments = ", ".join(f"{n}{a.shape}" for n, a in self.arg_dict.items())
        return f"<Executor of {', '.join(self.symbol.list_outputs())} with {arguments}>"


def _lent(name: str, chunk: Chunk) -> ValueError:
    return ValueError(
        f"{name}: {chunk.leases} view(s) of an output or a gradient are lent to another library, "
        "and would be written over; delete those, or lend a copy"
    )
