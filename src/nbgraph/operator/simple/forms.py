"""Forms: the arguments of a simple operator's function, read from its signature.

A parameter is recognised by its annotation (OutputGrad, OutputValue, Input0, Input1, EnvArguments,
OpReqType, OpContext), else by its name. The form of the gradient determines what its operator keeps
for the backward pass.
"""

import enum
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from nbgraph.errors import ArgumentError

Pass = Literal["function", "gradient"]


@dataclass(frozen=True, slots=True)
class Form:
    """One supported signature.

    `blobs` are the arrays it reads, `results` those it writes, `requests` the parameters with their
    requests; `keeps` names what a gradient reads besides out_grad.
    """

    name: str
    of: Pass
    arity: int
    blobs: tuple[str, ...]
    results: tuple[str, ...]
    requests: tuple[str, ...] = ("req",)
    operands: tuple[str, ...] = ()  # as the function names them
    middle: tuple[str, ...] = ()  # compiled functions: the parameters they take by name

    @property
    def keeps_inputs(self) -> bool:
        """Whether the gradient reads operands."""
        return "in_data0" in self.blobs or "lhs" in self.blobs

    @property
    def keeps_output(self) -> bool:
        """Whether the gradient reads the output."""
        return "out_value" in self.blobs

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters of a Python function, in order."""
        return (*self.blobs, "env", *self.results, *self.requests, "ctx")


_BOTH = ("lhs_grad", "rhs_grad")
_TWO = ("req_lhs", "req_rhs")
FORMS: dict[Pass, tuple[Form, ...]] = {
    "function": (
        Form("source", "function", 0, (), ("ret",)),
        Form("unary", "function", 1, ("src",), ("ret",)),
        Form("binary", "function", 2, ("lhs", "rhs"), ("ret",)),
    ),
    "gradient": (
        Form("T0", "gradient", 1, ("out_grad",), ("in_grad",)),
        Form("T1", "gradient", 1, ("out_grad", "out_value"), ("in_grad",)),
        Form("T2", "gradient", 1, ("out_grad", "in_data0"), ("in_grad",)),
        Form("T0", "gradient", 2, ("out_grad",), _BOTH, _TWO),
        Form("T2", "gradient", 2, ("out_grad", "lhs", "rhs"), _BOTH, _TWO),
    ),
}
# annotation -> the parameters that it may mark
_TYPES: dict[str, tuple[str, ...]] = {
    "OutputGrad": ("out_grad",),
    "OutputValue": ("out_value",),
    "Input0": ("in_data0", "src", "lhs"),
    "Input1": ("rhs",),
    "EnvArguments": ("env",),
    "OpReqType": ("req", *_TWO),
    "OpContext": ("ctx",),
    "RunContext": ("ctx",),
}
# parameters for which the annotation TBlob suffices
_PLAIN = ("src", "lhs", "rhs", "ret", "in_grad", *_BOTH)


def read_form(op: str, of: Pass, fn: Callable[..., Any]) -> Form:
    """Return the form of a Python function; ArgumentError lists the forms.

    >>> def gradient(out_grad, out_value, env, in_grad, req, ctx): ...
    >>> read_form("tanh", "gradient", gradient).name
    'T1'
    """
    parameters = _parameters(op, of, fn)
    for form in FORMS[of]:
        wanted = form.parameters
        if len(parameters) == len(wanted) and all(
            _fits(want, p) for want, p in zip(wanted, parameters, strict=True)
        ):
            return replace(form, operands=_operands(form, parameters))
    raise ArgumentError(_refusal(op, of, fn, parameters))


def read_compiled_form(
    op: str, of: Pass, fn: Callable[..., Any], *, behind: Sequence[str] = ()
) -> Form:
    """Return the form of a function over bare arrays: without env and ctx; between results and
    requests it names the scalar and keyword parameters it needs. `behind`: last parameters that are
    not part of the form."""
    parameters = _parameters(op, of, fn)
    if behind:
        parameters = parameters[: -len(behind)]
    for form in FORMS[of]:
        head, tail = (*form.blobs, *form.results), form.requests
        inner = parameters[len(head) : len(parameters) - len(tail)]
        if (
            len(parameters) >= len(head) + len(tail)
            and all(_fits(w, p) for w, p in zip(head, parameters, strict=False))
            and all(_fits(w, p) for w, p in zip(tail, parameters[-len(tail) :], strict=True))
            and not any(p.name in (*head, *tail) for p in inner)
        ):
            middle = tuple(p.name for p in inner)
            return replace(form, operands=_operands(form, parameters), middle=middle)
    raise ArgumentError(_refusal(op, of, fn, parameters, compiled=True))


def _parameters(op: str, of: Pass, fn: Callable[..., Any]) -> Sequence[inspect.Parameter]:
    try:
        parameters = tuple(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        raise ArgumentError(f"{op}: the {of} {fn!r} is not a function with a signature") from None
    P = inspect.Parameter
    allowed = (P.POSITIONAL_ONLY, P.POSITIONAL_OR_KEYWORD)
    return parameters if all(p.kind in allowed for p in parameters) else ()


def _fits(wanted: str, parameter: inspect.Parameter) -> bool:
    label = _label(parameter.annotation)
    if label in _TYPES:
        return wanted in _TYPES[label]
    return parameter.name == wanted or (label == "TBlob" and wanted in _PLAIN)


def _label(annotation: Any) -> str:
    """Return the last name of an annotation, which may be text."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return text.strip("'\" ").rpartition(".")[2]


def _operands(form: Form, parameters: Sequence[inspect.Parameter]) -> tuple[str, ...]:
    return tuple(p.name for p in parameters[: form.arity]) if form.of == "function" else ()


def _refusal(
    op: str,
    of: Pass,
    fn: Callable[..., Any],
    parameters: Sequence[inspect.Parameter],
    *,
    compiled: bool = False,
) -> str:
    name = getattr(fn, "__name__", repr(fn))
    listed = ", ".join(str(p) for p in parameters)
    forms = "\n".join(f"    {_spelt(form, compiled)}" for form in FORMS[of])
    kind = f"compiled {of}" if compiled else of
    return (
        f"{op}: {name}({listed}) has none of the forms of a {kind}; name its parameters as in one "
        f"of these, or annotate them (OutputGrad, OutputValue, Input0, Input1, TBlob, "
        f"EnvArguments, OpReqType, OpContext):\n{forms}"
    )


def _spelt(form: Form, compiled: bool) -> str:
    if compiled:
        inner = [*form.blobs, *form.results, "<scalar or keyword parameters>", *form.requests]
        return f"fn({', '.join(inner)})"
    return f"fn({', '.join(form.parameters)})"


# in-place options: which array may share memory with which --------------------------------------


class SimpleOpInplaceOption(enum.IntEnum):
    """Which arrays a function may share memory of; it then runs with kWriteInplace."""

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


def read_option(op: str, form: Form, value: Any) -> SimpleOpInplaceOption:
    """Return the option if it suits the form; ArgumentError names those that do.

    >>> read_option("f", FORMS["function"][1], "kInplaceLhsOut")
    Traceback (most recent call last):
    nbgraph.errors.ArgumentError: f: kInplaceLhsOut is for the function of a binary operator, this \
is the function of a unary one; use kNoInplace or kInplaceInOut
    """
    option = _option(op, value)
    if option is kNoInplace or _FITS[option] == (form.of, form.arity):
        return option
    of, arity = _FITS[option]
    fitting = ["kNoInplace", *(o.name for o, f in _FITS.items() if f == (form.of, form.arity))]
    raise ArgumentError(
        f"{op}: {option.name} is for the {of} of a {_ARITIES[arity]} operator, this is the "
        f"{form.of} of a {_ARITIES[form.arity]} one; use {' or '.join(fitting)}"
    )


def _option(op: str, value: Any) -> SimpleOpInplaceOption:
    if isinstance(value, SimpleOpInplaceOption):
        return value
    if isinstance(value, str) and value in SimpleOpInplaceOption.__members__:
        return SimpleOpInplaceOption[value]
    listed = ", ".join(SimpleOpInplaceOption.__members__)
    raise ArgumentError(f"{op}: inplace={value!r}; expected one of {listed}")
