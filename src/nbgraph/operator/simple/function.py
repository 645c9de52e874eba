"""Functions per device: Python functions over blobs, compiled functions over arrays.

A compiled function (`njit`) is called as `fn(<arrays read>, <arrays written>, <parameters it
names>, <requests as integers>)`, without the Python objects `env` and `ctx`. So is a `cuda.jit`
kernel; a ThreadKernel's function also gets the range of its elements.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from nbgraph.device import Context, require
from nbgraph.errors import ArgumentError, DeviceError
from nbgraph.kernels.compiler.handwritten import (
    STRIDE,
    ThreadKernel,
    is_cuda,
    is_dispatcher,
    python_function,
    without_gil,
)
from nbgraph.operator.environment import IS_TRAIN, EnvArguments, OpContext
from nbgraph.operator.parameters import Param
from nbgraph.operator.request import Requests, kNullOp
from nbgraph.operator.simple.blob import Input0, Input1, OutputGrad, OutputValue, TBlob
from nbgraph.operator.simple.forms import (
    Form,
    Pass,
    SimpleOpInplaceOption,
    read_compiled_form,
    read_form,
    read_option,
)
from nbgraph.operator.simple.launching import Extents, Launch, extents_of, read_launch
from nbgraph.operator.spec import Attributes, Spec
from nbgraph.shape import Arrays

DEVICES = ("cpu", "gpu")
_BLOBS: dict[str, type[TBlob]] = {
    "out_grad": OutputGrad,
    "out_value": OutputValue,
    "in_data0": Input0,
    "src": Input0,
    "lhs": Input0,
    "rhs": Input1,
}


@dataclass(frozen=True, slots=True)
class DeviceFunction:
    """A user's function for one device: its form, what it may overwrite, and its launch on a GPU;
    `launches` is for the code that launches it."""

    fn: Callable[..., Any]
    form: Form
    option: SimpleOpInplaceOption
    kind: Literal["python", "compiled", "cuda", "threads"]
    launch: Launch = None
    launches: dict[Any, Any] = field(default_factory=dict[Any, Any], compare=False)

    def call(
        self,
        ctx: OpContext,
        env: EnvArguments,
        attributes: Attributes,
        reads: Arrays,
        outputs: Arrays,
        requests: Requests,
    ) -> None:
        """Call it with the arrays of a run; those of unneeded outputs are read-only."""
        form = self.form
        if self.kind == "python":
            device = ctx.device
            blobs = [  # of read-only views
                _BLOBS[name](a, device, writable=True)
                for name, a in zip(form.blobs, reads, strict=True)
            ]
            results = [TBlob(a, device, writable=True) for a in outputs]
            self.fn(*blobs, env, *results, *requests, ctx)
            return
        targets = [
            np.empty_like(o, order="C") if req is kNullOp else o
            for o, req in zip(outputs, requests, strict=True)
        ]
        named = {**attributes, IS_TRAIN: ctx.is_train}
        middle = [named[name] for name in form.middle]
        self.fn(*reads, *targets, *middle, *map(int, requests))


class OwnKernel(NamedTuple):
    """The kernel that a GPU launches for a call: the user's function, and its results, each an
    output's index, or the spec of an array that is not needed."""

    function: DeviceFunction
    targets: tuple[int | Spec, ...]
    attributes: Attributes
    env: EnvArguments

    def extents(self, op: str, shapes: Sequence[tuple[int, ...]]) -> Extents:
        """Return blocks, threads and shared memory of a launch for results of these shapes."""
        return extents_of(op, self.function.launch, shapes, self.env)


def read_function(
    op: str, of: Pass, device: str, fn: Any, inplace: Any, launch: Any = None
) -> DeviceFunction:
    """Return the function passed to `set_function` or `set_gradient`, with its form."""
    if isinstance(fn, ThreadKernel):
        kind, form = "threads", read_compiled_form(op, of, fn.py_func, behind=STRIDE)
    elif is_cuda(fn):
        if device != "gpu":
            raise ArgumentError(
                f"{op}: the {of} for {device} is a cuda.jit kernel; register it for 'gpu'"
            )
        kind, form = "cuda", read_compiled_form(op, of, python_function(fn))
    elif device == "gpu":
        raise ArgumentError(f"{op}: the {of} for gpu is {_host_function(fn)}")
    elif is_dispatcher(fn):
        kind, form = "compiled", read_compiled_form(op, of, python_function(fn))
        fn = without_gil(op, fn)
    elif callable(fn):
        kind, form = "python", read_form(op, of, fn)
    else:
        raise ArgumentError(
            f"{op}: the {of} is {type(fn).__name__} {fn!r}; give a Python function, an njit "
            "function or a cuda.jit kernel"
        )
    shape = read_launch(op, of, device, fn, launch, form)
    return DeviceFunction(fn, form, read_option(op, form, inplace), kind, shape)


def _host_function(fn: Any) -> str:
    """Return how messages describe a function that GPUs cannot run, with a remedy."""
    kind = "an njit function" if is_dispatcher(fn) else f"the Python {type(fn).__name__}"
    name = getattr(python_function(fn) or fn, "__name__", repr(fn))
    return (
        f"{kind} {name}, which runs on the host; give a cuda.jit kernel or ng.thread_kernel(fn), "
        "and register this one for 'cpu' alone"
    )


def read_devices(op: str, devices: Any) -> tuple[str, ...]:
    """Return device types from "cpu", "gpu", a context or a sequence of them.

    >>> read_devices("f", ("cpu", "gpu"))
    ('cpu', 'gpu')
    """
    if isinstance(devices, Context):
        return (devices.device_type,)
    listed = (devices,) if isinstance(devices, str) else devices
    if isinstance(listed, Sequence) and listed:
        names = tuple(d.device_type if isinstance(d, Context) else d for d in listed)
        if all(d in DEVICES for d in names):
            return names
    raise ArgumentError(
        f"{op}: device {devices!r} is not known; expected 'cpu', 'gpu' or ('cpu', 'gpu')"
    )


def on_device(
    op: str, of: Pass, functions: Mapping[str, DeviceFunction], device: Context
) -> DeviceFunction:
    """Return the function for a device; DeviceError names the supported devices."""
    require(device, op)
    function = functions.get(device.device_type)
    if function is None:
        known = ", ".join(functions) or "none"
        raise DeviceError(
            f"{op}: there is no {of} for {device!r}; registered: {known}; add one with "
            f"set_{of}({device.device_type!r}, fn)"
        )
    return function


def require_named(op: str, function: DeviceFunction, known: Sequence[str]) -> None:
    """Raise ArgumentError if a compiled function names a parameter the operator does not take."""
    for name in function.form.middle:
        if name not in (*known, IS_TRAIN):
            raise ArgumentError(
                f"{op}: the compiled {function.form.of} names the parameter {name!r}, which a call "
                f"cannot give; known: {', '.join((*known, IS_TRAIN))} (set_enable_scalar and "
                "set_enable_kwargs come first)"
            )


def documentation(op: Any, text: str) -> str:
    """Return the user's text, the operands and parameters, and facts about the functions."""
    rows = [f"{name} : array" for name in op.operands]
    params = op.keywords.params
    if isinstance(params, type) and issubclass(params, Param):
        rows += [f.describe() for f in params.__fields__.values()]
    rows += ["scalar : float"] if op.keywords.scalar else []
    lines = [text or f"The operator {op.__name__}."]
    if rows:
        lines += ["", "Parameters", "----------", *rows]
    notes = [*_notes("Function", op.functions), *_notes("Gradient", op.gradients)]
    if not op.gradients:
        notes.append("Gradient: none, so nothing is differentiated through it.")
    return "\n".join([*lines, "", *notes])


def _notes(title: str, functions: Mapping[str, DeviceFunction]) -> list[str]:
    return [f"{title} on {device}: {_note(f)}" for device, f in functions.items()]


def _note(function: Any) -> str:
    form = function.form
    kind = {"python": "Python", "compiled": "compiled, without the GIL", "cuda": "CUDA"}
    kind["threads"] = "a kernel by threads"
    parts = [kind[function.kind], function.option.name]
    if form.of == "gradient":
        kept = [*(["output"] * form.keeps_output), *(["operands"] * form.keeps_inputs)]
        parts.insert(0, f"{form.name}, backward keeps {' and '.join(kept) or 'nothing'}")
    return ", ".join(parts) + "."
