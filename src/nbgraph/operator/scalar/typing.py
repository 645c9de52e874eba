"""The dtypes of a call: of operands and outputs (NEP 50, never by call history)."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.dtype import (
    Dtype,
    as_dtype,
    compute_dtype,
    float_of_integers,
    is_float,
    not_common,
    real_dtype,
    require_supported,
)
from nbgraph.errors import ArgumentError, CaptureError, DTypeError, NbgraphError, noun
from nbgraph.kernels.function.probe import probe_kinds
from nbgraph.kernels.function.scalar_function import Captured, Scalar, WrittenFunction
from nbgraph.kernels.function.signature import defaults_of
from nbgraph.kernels.scalar.kinds import INTEGERS, is_boolean, kind_of_dtype
from nbgraph.kernels.scalar.nodes import Node
from nbgraph.shape import Array


class Typed(NamedTuple):
    """A captured graph with dtypes: those that operands are cast to, and those of outputs."""

    captured: Captured
    operands: tuple[Dtype, ...]
    outputs: tuple[Dtype, ...]
    compute: str  # "float32" or "float64"

    @property
    def leaves(self) -> list[tuple[Node, ...]]:
        """The nodes of each operand: two for a complex one."""
        return _in_pairs(self.captured.operands, self.operands)

    @property
    def results(self) -> list[tuple[Node, ...]]:
        """The nodes of each output: two for a complex one."""
        return _in_pairs(self.captured.outputs, self.outputs)


def _in_pairs(nodes: Sequence[Node], dtypes: Sequence[Dtype]) -> list[tuple[Node, ...]]:
    rest = iter(nodes)
    return [(next(rest), next(rest)) if d.kind == "c" else (next(rest),) for d in dtypes]


def as_operand(op: str, name: str, value: object) -> Array | complex:
    """Return a NumPy array, or a Python number (weak); raise for anything else."""
    if type(value) is np.ndarray:
        require_supported(value.dtype, f"{op}: operand {name!r}")
        return value if value.dtype.isnative else value.astype(value.dtype.newbyteorder("="))
    if type(value) in (bool, int, float, complex):
        return value  # type: ignore[return-value]
    if _library_of(value):
        value = of_library(op, name, value)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ArgumentError(f"{op}: operand {name!r} {culprit(value) or error}") from None
    if array.dtype.kind in "OUSV" and array.dtype.name != "bfloat16":
        problem, way = culprit(value) or f"has dtype {array.dtype}", "np.asarray(x, dtype=float)"
        if hasattr(value, "toarray"):
            problem, way = f"is {noun(value)}, a sparse matrix", "x.toarray()"
        raise DTypeError(f"{op}: operand {name!r} {problem}; give numbers, or convert with {way}")
    require_supported(array.dtype, f"{op}: operand {name!r}")
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def as_array(op: str, name: str, value: object) -> Array:
    """Return an operand as a NumPy array, also from a number; raise for anything else."""
    array = np.asarray(as_operand(op, name, value))
    if array.dtype.hasobject:
        raise DTypeError(f"{op}: operand {name!r} {culprit(value)}; give a float")
    return array


def require_out(op: str, out: object, index: int) -> None:
    """Raise unless `out` is a writable NumPy array."""
    if not isinstance(out, np.ndarray):
        raise ArgumentError(f"{op}: out must be an array, not {type(out).__name__}")
    if not out.flags.writeable:
        raise ValueError(f"{op}: the output array {index} is read-only; pass a copy as out")


def require_real(op: str, out: Any, dtype: Dtype) -> None:
    """Raise if a result of real numbers is to be written to a complex array."""
    if as_dtype(out.dtype).kind == "c" and dtype.kind != "c":
        raise DTypeError(
            f"{op}: the result has dtype {dtype}, out {out.dtype}; leave it out, and write "
            "out[...] = result"
        )


def culprit(value: object, place: str = "") -> str:
    """Return the value, or element of nested lists, that is not a number; "" if unknown.

    >>> culprit([1.0, [None]]), culprit([[1, 2], 3])
    ('has None at [1][0]', 'is ragged: [0] has 2 elements and [1] is one number')
    """
    if not isinstance(value, (list, tuple)):
        beyond = isinstance(value, int) and not -(2**63) <= value < 2**64
        if not beyond and (isinstance(value, (int, float, complex)) or hasattr(value, "dtype")):
            return ""
        shown = repr(value) if isinstance(value, (str, bytes)) else noun(value)
        shown = "an integer that 64 bits do not hold" if beyond else shown
        return f"has {shown} at {place}" if place else f"is {shown}"
    for i, each in enumerate(value):
        if problem := culprit(each, f"{place}[{i}]"):
            return problem
    sizes = [
        f"has {len(each)} elements" if hasattr(each, "__len__") else "is one number"
        for each in value
    ]
    for i, size in enumerate(sizes):
        if size != sizes[0]:
            return f"is ragged: {place}[0] {sizes[0]} and {place}[{i}] {size}"
    return ""


def is_foreign(value: object) -> bool:
    """Return whether a value is an array of torch or JAX."""
    return bool(_library_of(value)) and hasattr(value, "dtype")


def _library_of(value: object) -> str:
    """Return the name of the library of a value's class, or ""."""
    module = type(value).__module__.partition(".")[0]
    return module if module in ("torch", "jax", "jaxlib") else ""


def of_library(op: str, name: str, value: Any) -> Array:
    """Return the values of a torch or JAX array as a NumPy array, without a copy if the library
    allows; ArgumentError for an array on a device, or one that is differentiated or traced."""
    if getattr(value, "requires_grad", False):
        raise ArgumentError(
            f"{op}: operand {name!r} requires grad, which torch would lose here; give x.detach(), "
            "or make a function of torch by ng.to_torch(op)"
        )
    try:
        if str(value.dtype) == "torch.bfloat16":
            bits = value.view(sys.modules["torch"].uint16)
            return np.asarray(bits).view(as_dtype("bfloat16"))
        return np.asarray(value)
    except Exception as error:
        raise ArgumentError(
            f"{op}: operand {name!r} is a {_library_of(value)} array; its values are not to be had "
            "as they are: convert it with ng.from_dlpack(x), or within JAX's functions make one of "
            f"the operator by ng.to_jax(op) ({type(error).__name__})"
        ) from None


def common_dtype(scalar: Scalar, values: Sequence[Any]) -> Dtype:
    """Return NumPy's result type of operands, which are arrays, dtypes or numbers; Python numbers
    alone give bool, int64 or float64. Words of draws are ignored, and integers that are the
    condition of `where`. Raises DTypeError if there is none."""
    parts = [v.dtype if isinstance(v, np.ndarray) else v for v in values]
    parts = parts[: len(parts) - scalar.draws]
    if scalar.name == "where" and isinstance(parts[0], np.dtype) and parts[0].kind in "iu":
        del parts[0]
    strong = [v for v in parts if type(v) not in (bool, int, float)]
    try:
        if not 0 < len(strong) < len(parts):
            return np.result_type(*parts)
        own = np.result_type(*strong)  # first, as NumPy cannot promote bfloat16 with 0
        if own.name == "bfloat16":  # numbers are also weak with it
            return own
        return np.result_type(own, *[v for v in parts if type(v) in (bool, int, float)])
    except np.exceptions.DTypePromotionError:
        raise not_common(scalar.name, strong) from None


def in_common(scalar: Scalar, values: Sequence[Array | complex], common: Dtype) -> list[Array]:
    """Return Python numbers as arrays of the common dtype; OverflowError for too large ones."""
    dtypes = operand_dtypes_of(scalar, values, common)
    pairs = zip(values, dtypes, strict=True)
    return [v if isinstance(v, np.ndarray) else np.asarray(v, dtype=d) for v, d in pairs]


def operand_dtypes_of(scalar: Scalar, values: Sequence[Any], common: Dtype) -> list[Dtype]:
    """Return the dtypes in which operands are taken: arrays' own (or dtypes, for arrays), the
    common one for Python numbers unless the text needs an integer. An integer beyond the common
    dtype takes a 64-bit one in a comparison, or where it becomes a float: as in NumPy a uint8 is
    less than 300, and may be divided by 256.

    Raises OverflowError for one in any other operator.
    """
    own = [v if isinstance(v, np.dtype) else getattr(v, "dtype", None) for v in values]
    dtypes = [common if d is None else d for d in own]
    if is_float(common) and any(type(v) in (int, bool) for v in values):
        kinds = zip(values, probe_kinds(scalar), strict=False)
        whole = [k for k, (v, kind) in enumerate(kinds) if type(v) in (int, bool) and kind != "f"]
        for k in whole:
            dtypes[k] = np.asarray(values[k]).dtype
    beyond = [k for k, v in enumerate(values) if not holds(common, v)]
    if beyond:
        wide = [np.asarray(v).dtype if d is None else d for v, d in zip(values, own, strict=True)]
        known = all(d.kind != "O" for d in wide)  # "O": beyond 64 bits
        if not known or not _takes(scalar, dtypes, wide, common):
            raise OverflowError(
                f"{scalar.name}: the integer {values[beyond[0]]} is out of bounds for {common}, "
                "the dtype of the arrays beside it; cast those to a wider dtype with astype"
            )
        dtypes = wide
    return dtypes


def holds(dtype: Dtype, value: Any) -> bool:
    """Return whether a Python integer fits an integer dtype; True for other values and dtypes.

    >>> holds(np.dtype("uint8"), -1), holds(np.dtype("float32"), 1 << 70)
    (False, True)
    """
    if type(value) is not int or dtype.kind not in "iu":
        return True
    info = np.iinfo(dtype)
    return info.min <= value <= info.max


def _takes(scalar: Scalar, dtypes: Sequence[Dtype], wide: Sequence[Dtype], common: Dtype) -> bool:
    """Return whether integers may have wide dtypes: in a comparison, or where they become floats,
    which must be the same as from their own dtypes."""
    try:
        typed = resolve(scalar, wide, common, defaults_of(scalar))
    except CaptureError:  # bit operations whose common dtype is a float
        return False
    if all(dtype.kind == "b" for dtype in typed.outputs):
        return True
    own = resolve(scalar, dtypes, common, defaults_of(scalar))
    operands = zip(own.captured.operands, dtypes, wide, strict=True)
    leaves = {leaf.id for leaf, d, w in operands if d != w}
    nodes = own.captured.graph.reachable(own.captured.outputs)
    users = [node for node in nodes if any(a.id in leaves for a in node.args)]
    floats = all(node.op == "cast" and node.kind == "f" for node in users)
    return floats and own.outputs == typed.outputs


def resolve(
    scalar: Scalar,
    dtypes: Sequence[Dtype],
    common: Dtype,
    parameters: Mapping[str, Any],
    dtype: object = None,
) -> Typed:
    """Capture for these operand dtypes, and choose the precision and the outputs' dtypes. Complex
    operands and outputs have two nodes each."""
    if dtype is not None:
        common = as_dtype(dtype)
    if common.kind == "c":
        return _resolve_parts(scalar, dtypes, common, parameters)
    if dtype is not None:
        kinds = [kind_of_dtype(common)] * len(dtypes)
    else:
        kinds = [kind_of_dtype(d) for d in dtypes]
    captured = scalar.capture(kinds, parameters)
    stored = floating_dtype(captured, dtypes, common)
    outputs = tuple(_output_dtype(o.kind, stored) for o in captured.outputs)
    return Typed(captured, tuple(dtypes), outputs, compute_dtype(stored))


def _resolve_parts(
    scalar: Scalar, dtypes: Sequence[Dtype], common: Dtype, parameters: Mapping[str, Any]
) -> Typed:
    assert isinstance(scalar, WrittenFunction), scalar  # others are composed, see `complex_call`
    mask = [d.kind == "c" for d in dtypes]
    kinds = [k for d in dtypes for k in (("f", "f") if d.kind == "c" else (kind_of_dtype(d),))]
    captured = scalar.parts(kinds, mask, parameters)
    stored, rest = real_dtype(common), iter(captured.outputs)
    outputs = list[Dtype]()
    for pair in captured.pairs:
        own = _output_dtype(next(rest).kind, stored)
        outputs.append(common if pair and next(rest) else own)
    return Typed(captured, tuple(dtypes), tuple(outputs), compute_dtype(stored))


def floating_dtype(captured: Captured, dtypes: Sequence[Dtype], common: Dtype) -> Dtype:
    """Return the dtype of floating values: the operands' common one, or NumPy's for integers."""
    if is_float(common):
        return common
    if any(leaf.kind == "f" for leaf in captured.operands):
        return np.dtype("float64")
    nodes = captured.graph.reachable(captured.outputs)
    divides = any(n.op == "div" for n in nodes) or not any(n.op == "call" for n in nodes)
    kinds = {n.args[0].kind for n in nodes if n.op == "cast" and n.kind == "f"}
    kinds_of = ["bool" if is_boolean(kind) else kind for kind in kinds if kind != "i"]
    return float_of_integers([np.dtype(kind) for kind in kinds_of] or [common], divides=divides)


def _output_dtype(kind: str, stored: Dtype) -> Dtype:
    if kind == "f":
        return stored
    if kind in ("b", "bool"):
        return np.dtype(bool)
    return np.dtype("int64" if kind == "i" else kind)


def limits(captured: Captured) -> list[tuple[str, str]]:
    """Return the integer parameters that meet integer operands, with those operands' dtypes."""
    return [
        (str(node.args[0].data), str(node.kind))
        for node in captured.graph.reachable(captured.outputs)
        if node.op == "cast" and node.kind in INTEGERS
        if node.args[0].op == "param" and node.args[0].kind == "i"
    ]


def require_fit(op: str, captured: Captured, parameters: Mapping[str, Any]) -> None:
    """Raise OverflowError if an integer parameter does not fit the dtype it meets (as in NumPy)."""
    for name, dtype in limits(captured):
        if not holds(np.dtype(dtype), parameters[name]):
            raise OverflowError(
                f"{op}: the parameter {name}={parameters[name]} is out of bounds for {dtype}; "
                "cast the operand to a wider dtype"
            )


def parameter_bytes(kind: str, value: Any, compute: str) -> bytes:
    """Return a scalar parameter as bytes of the record."""
    if kind == "f":
        return np.dtype(compute).type(value).tobytes()
    return int(value).to_bytes(8, "little", signed=True)


def operand_dtypes(scalar: Scalar, dtype: Dtype) -> list[Dtype]:
    """Return operand dtypes for `dtype`; operands that must be integers or bools remain so."""
    kinds = probe_kinds(scalar)
    if not is_float(dtype) or "f" not in kinds:
        return [dtype] * len(kinds)
    return [dtype if kind == "f" else np.dtype(kind) for kind in kinds]


def type_strings(scalar: Scalar) -> list[str]:
    """Return the loops of an operator for (at least floating) operands of one dtype: 'ff->f'."""
    types = []
    for char in "?bBhHiIlLefd":
        dtype = np.dtype(char)
        try:
            dtypes = operand_dtypes(scalar, dtype)
            typed = resolve(scalar, dtypes, dtype, defaults_of(scalar))
        except (NbgraphError, TypeError, OverflowError):
            continue
        operands = "".join(d.char for d in dtypes)
        types.append(f"{operands}->{''.join(d.char for d in typed.outputs)}")
    return types
