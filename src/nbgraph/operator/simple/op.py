"""Simple operators: one or two arrays in, one out, written as functions over whole arrays.

>>> import numpy as np, nbgraph as ng
>>> def forward(src, env, ret, req, ctx):
...     ng.assign(ret.get(), req, np.maximum(src.get(), env.scalar * src.get()))
>>> def gradient(out_grad, in_data0, env, in_grad, req, ctx):
...     slope = np.where(in_data0.get() > 0, 1, env.scalar)
...     ng.assign(in_grad.get(), req, out_grad.get() * slope)
>>> leaky = (
...     ng.register_simple_op("leaky_of_the_manual")
...     .set_enable_scalar(True)
...     .set_function("cpu", forward)
...     .set_gradient("cpu", gradient, "kInplaceOutIn")
...     .describe("x where positive, else scalar * x.")
... )
>>> leaky(np.array([-2.0, 4.0]), scalar=0.25)
array([-0.5,  4. ])
>>> registry.find("leaky_of_the_manual") is leaky
True
>>> registry.remove("leaky_of_the_manual")
"""

import inspect
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from nbgraph.device import Context
from nbgraph.errors import ArgumentError
from nbgraph.operator import registry
from nbgraph.operator.call import call
from nbgraph.operator.environment import EnvArguments
from nbgraph.operator.full.facts import content, facts_of
from nbgraph.operator.full.gradient import Run, Specs
from nbgraph.operator.full.op import CustomOp
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.report.facts import dependence_rows, in_place
from nbgraph.operator.simple.forms import Form, Pass, SimpleOpInplaceOption, kNoInplace
from nbgraph.operator.simple.function import (
    DeviceFunction,
    OwnKernel,
    documentation,
    on_device,
    read_devices,
    read_function,
    require_named,
)
from nbgraph.operator.simple.keywords import Keywords
from nbgraph.operator.simple.property import (
    SHAPE,
    TYPE,
    FunctionOperator,
    Rule,
    SimpleProperty,
    require_rule,
)
from nbgraph.operator.spec import Attributes, Spec

_DEVICE = "device"


class SimpleOp(CustomOp):
    """An operator of at most two operands and one output, made of functions over whole arrays.

    The `set_...` methods return the operator itself. It can be called, and found by name, once a
    function is set. `register_simple_op` creates one.
    """

    kernels = ("devices",)
    trains_backward = None

    def __init__(
        self, name: str, module: str = "__main__", operands: Sequence[str] | None = None
    ) -> None:
        super().__init__(name, module, f"The operator {name}.")
        self._names = None if operands is None else tuple(operands)
        self.functions: dict[str, DeviceFunction] = {}  # by device type
        self.gradients: dict[str, DeviceFunction] = {}
        self.keywords = Keywords(name)
        self._text = ""
        self._registered = False
        self.rules: dict[str, Rule] = {}  # of shapes and dtypes, by setter
        self.requests: tuple[Any, ...] = ()

    # definition -------------------------------------------------------------------------------

    def set_function(
        self, dev: Any, fn: Any, inplace: Any = kNoInplace, *, launch: Any = None
    ) -> Self:
        """Set the function that computes the output on a device ("cpu", "gpu" or a tuple of them).

        It is `fn(src, env, ret, req, ctx)`, `fn(lhs, rhs, env, ret, req, ctx)` or, without
        operands, `fn(env, ret, req, ctx)`; or an njit function `fn(src, ret, <parameters>, req)`
        over bare arrays. Raises ArgumentError if the form or the option does not fit.

        For "gpu" it is a `cuda.jit` kernel with the parameters of an njit function, or an
        `ng.thread_kernel`; arrays are contiguous. `launch` is `(blocks, threads)` or `(blocks,
        threads, bytes of shared memory)`, numbers or up to three for as many axes, or a function
        `launch(ret, env)` of the result's shape that returns such a tuple; `kernel[blocks,
        threads]` works, too. By default there is a thread per element of `ret`, 256 a block.
        Exceptions of a kernel on a GPU are not reported.
        """
        self._set("function", self.functions, dev, fn, inplace, launch)
        if not self._registered:
            registry.register(self)
            self._registered = True
        return self

    def set_gradient(
        self, dev: Any, fn: Any, inplace: Any = kNoInplace, *, launch: Any = None
    ) -> Self:
        """Set the function of the in-gradients, out_grad multiplied in; its form says what is kept.

        It is `fn(out_grad, env, in_grad, req, ctx)`, after `out_grad` also `out_value` or
        `in_data0`; with two operands `fn(out_grad, env, lhs_grad, rhs_grad, req_lhs, req_rhs,
        ctx)`, after `out_grad` also `lhs, rhs`. `launch` as in `set_function`; its function gets
        the shapes of all in-gradients.
        """
        self._set("gradient", self.gradients, dev, fn, inplace, launch)
        return self

    def set_shape_function(self, fn: Any) -> Self:
        """Set `fn(src, env)` or `fn(lhs, rhs, env)` from shapes to the output's shape. By default
        operands' shapes must be equal, and are the output's. The call raises the errors of `fn`."""
        return self._set_rule(SHAPE, fn)

    def set_type_function(self, fn: Any) -> Self:
        """Set the like function of dtypes. By default the output has the operands' common dtype."""
        return self._set_rule(TYPE, fn)

    def set_enable_scalar(self, enable: bool = True, *, default: float | None = None) -> Self:
        """Set whether a call takes `scalar=`, which functions read as `env.scalar`."""
        self.keywords.enable_scalar(enable, default)
        return self._changed()

    def set_enable_kwargs(self, params: Any = True) -> Self:
        """Set whether a call takes keyword parameters, read as `env.kwargs`: those of a Param
        class, typed and checked, or with True any, unchecked."""
        self.keywords.enable_kwargs(params)
        return self._changed()

    def set_resource_request(self, req: Any) -> Self:
        """Set the request, or list of requests; granted resources are `env.resource`, in order."""
        from nbgraph.resource import requests

        self.requests = requests(req)
        return self._changed()

    def describe(self, text: str) -> Self:
        """Set the text of help()."""
        if not isinstance(text, str):
            raise ArgumentError(f"{self.__name__}: describe takes a text, not {text!r}")
        self._text = inspect.cleandoc(text)
        return self._changed()

    def _set(
        self,
        of: Pass,
        table: dict[str, DeviceFunction],
        dev: Any,
        fn: Any,
        inplace: Any,
        launch: Any,
    ) -> None:
        name = self.__name__
        for device in read_devices(name, dev):
            function = read_function(name, of, device, fn, inplace, launch)
            require_named(name, function, self.keywords.names)
            self._require_same(of, function.form, table, device)
            if of == "function":
                self._take_operands(function.form)
            table[device] = function
        self._changed()

    def _take_operands(self, form: Form) -> None:
        names = form.operands if self._names is None else self._names
        if len(names) != form.arity:
            raise ArgumentError(
                f"{self.__name__}: operands={names}, but the function takes {form.arity} operand(s)"
            )
        for setter, fn in self.rules.items():
            require_rule(self.__name__, setter, fn, names)
        self.operands = names

    def _require_same(
        self, of: Pass, form: Form, table: dict[str, DeviceFunction], device: str
    ) -> None:
        """Require one form on all devices, and as many operands in function and gradient."""
        for other, known in table.items():
            if other != device and (known.form.blobs, known.form.operands) != (
                form.blobs,
                form.operands,
            ):
                raise ArgumentError(
                    f"{self.__name__}: the {of} for {device} is of the form {form.name} "
                    f"{form.operands or form.blobs}, that for {other} {known.form.name} "
                    f"{known.form.operands or known.form.blobs}; all devices must agree"
                )
        opposite = self.gradients if of == "function" else self.functions
        arity = next((f.form.arity for f in opposite.values()), form.arity)
        if of == "gradient" and not opposite:
            raise ArgumentError(
                f"{self.__name__}: set_gradient comes after set_function, which says how many "
                "operands there are"
            )
        if arity != form.arity:
            raise ArgumentError(
                f"{self.__name__}: the {of} is for {form.arity} operand(s), the "
                f"{'gradient' if of == 'function' else 'function'} for {arity}"
            )

    def _set_rule(self, setter: str, fn: Any) -> Self:
        """Set a shape or type function; before a function is set, the operands are unknown."""
        if self.functions or not callable(fn):
            require_rule(self.__name__, setter, fn, self.operands)
        self.rules[setter] = fn
        return self._changed()

    def _changed(self) -> Self:
        if self.functions:
            self.adopt(facts_of(self.__name__, self.semantics({}), {}))
            self.carried = {}  # results of replaced functions
        self.__doc__ = documentation(self, self._text)
        return self

    # what carriers ask ------------------------------------------------------------------------

    @property
    def gradient_form(self) -> Form:
        """The form of the gradient, the same on all devices."""
        return next(iter(self.gradients.values())).form

    def __call__(self, *operands: Any, out: Any = None, **options: Any) -> Any:
        """Apply the operator; operands may be keywords. The result is of the operands' kind."""
        if not self.functions:
            raise ArgumentError(f"{self.__name__}: no function is set; call set_function first")
        values = list(operands)
        for name in self.operands[len(values) :]:
            if name in options:
                values.append(options.pop(name))
        return call(self, values, self.normalise(options), out)

    def normalise(self, attributes: Attributes) -> Mapping[str, Any]:
        """Return scalar and keyword parameters, typed and complete, also from text. Without
        operands a call may name the result's `device`."""
        own = self.keywords.normalise(self._without_device(attributes))
        asked = _DEVICE in attributes and _DEVICE not in own
        return {**own, _DEVICE: attributes[_DEVICE]} if asked else own

    def _without_device(self, attributes: Attributes) -> Mapping[str, Any]:
        if self.operands or _DEVICE not in attributes or _DEVICE in self.keywords.names:
            return attributes
        return {name: value for name, value in attributes.items() if name != _DEVICE}

    def environment(self, attributes: Attributes, resources: Sequence[Any]) -> EnvArguments:
        """Return the `env` of a call with normalised attributes."""
        return self.keywords.environment(self._without_device(attributes), resources)

    def grant(self, device: Context, attributes: Attributes | None = None) -> tuple[Any, ...]:
        """Return the resources; raise DeviceError if there is no function for the device. Kernels
        on a GPU get none."""
        self._require("function", device)
        return super().grant(device) if device.host else ()

    def grant_gradient(self, device: Context, specs: Specs) -> tuple[Any, ...]:
        self._require("gradient", device)
        return super().grant(device) if device.host else ()

    def own_kernel(
        self, device: Context, attributes: Attributes, targets: Sequence[int | Spec] = ()
    ) -> OwnKernel:
        """Return the kernel that a GPU launches for a call. `targets`: for the gradient, the index
        of an output per argument, or the spec of a gradient that is not needed."""
        function = self._require("gradient" if targets else "function", device)
        own = self._without_device(attributes)
        return OwnKernel(function, tuple(targets) or (0,), own, self.environment(own, ()))

    def _require(self, of: Pass, device: Context) -> DeviceFunction:
        table = self.functions if of == "function" else self.gradients
        return on_device(self.__name__, of, table, device)

    def function_on(self, of: Pass, device: Context) -> DeviceFunction:
        """Return the function or the gradient for a device; DeviceError if there is none."""
        table = self.functions if of == "function" else self.gradients
        return table.get(device.device_type) or self._require(of, device)

    def semantics(self, attributes: Attributes) -> SimpleProperty:
        return SimpleProperty(self, attributes)

    def operator(self, run: Run) -> FunctionOperator:
        return FunctionOperator(self, run.attributes)

    def content(self) -> str:
        """Return a hash of the texts of its functions, by which files distinguish operators."""
        forward = {f"function {device}": f.fn for device, f in self.functions.items()}
        gradient = {f"gradient {device}": f.fn for device, f in self.gradients.items()}
        return content({**self.rules, **forward, **gradient})

    @property
    def __signature__(self) -> inspect.Signature:
        P = inspect.Parameter
        operands = [P(name, P.POSITIONAL_OR_KEYWORD) for name in self.operands]
        out = P("out", P.KEYWORD_ONLY, default=None)
        return inspect.Signature([*operands, *self.keywords.parameters(out)])

    def __repr__(self) -> str:
        return f"<simple operator {self.__name__}{self.__signature__}>"

    __reduce__ = registry.by_name


def register_simple_op(name: str, *, operands: Sequence[str] | None = None) -> SimpleOp:
    """Return a new simple operator, to be defined with its `set_...` methods.

    `operands` names them for calls and errors, by default as the function does. The operator
    appears in `ng.nd`, `ng.sym` and, if the name is free, in `ng` once `set_function` was called.
    Repeated, as in a notebook cell, it replaces the operator that the same module registered; a
    name of another module is refused (ArgumentError).

    >>> import numpy as np, nbgraph as ng
    >>> def halve(src, env, ret, req, ctx):
    ...     ng.assign(ret.get(), req, src.get() / 2)
    >>> op = register_simple_op("halve_of_the_docs").set_function("cpu", halve)
    >>> op(np.array([1.0, 4.0]))
    array([0.5, 2. ])
    """
    module = sys._getframe(1).f_globals.get("__name__", "__main__")
    if not isinstance(name, str) or not name.isidentifier():
        raise ArgumentError(
            f"register_simple_op: {name!r} is not a name; give an identifier such as 'smooth_l1'"
        )
    return SimpleOp(name, module, operands)


# the declaration that would make an `@ng.op` a simple operator ---------------------------------


class Declaration(NamedTuple):
    """The form of the gradient ("" without one), the function's option, and the gradient's."""

    form: str
    function: SimpleOpInplaceOption
    gradient: SimpleOpInplaceOption


def simple_declaration(op: Mapper, dtype: object = "float32") -> Declaration:
    """Return the declaration that is inferred for operands of a dtype.

    Raises ArgumentError for more than two operands or several outputs.

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
