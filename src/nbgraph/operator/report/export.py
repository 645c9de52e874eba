"""`op.export`: an operator's kernels as a C library."""

from __future__ import annotations

import keyword
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nbgraph.codegen.host import cpu_name
from nbgraph.dtype import as_dtype, is_float
from nbgraph.errors import ArgumentError, CompileError, DerivativeError
from nbgraph.kernels.function.signature import defaults_of
from nbgraph.kernels.loops.source import emit
from nbgraph.operator.report.device_code import side_by_side
from nbgraph.operator.scalar.typing import operand_dtypes, parameter_bytes

if TYPE_CHECKING:
    from nbgraph.kernels.compiler.linked import Function
    from nbgraph.operator.mapper.mapper import Mapper

_COMPILERS = ("cc", "gcc", "clang")
_TAKEN = frozenset(
    "auto bool case char const count default do double enum extern float goto inline int long out "
    "register restrict short signed sizeof static struct switch typedef union unsigned void "
    "volatile".split()
)
_HEADER = """\
/* {title}: compiled by nbgraph for {cpu}.
 *
 * Arrays hold count elements side by side; an output may be an operand's own array. Functions
 * return 0, or 1 where an element has no value. Link with -lm.
 */
#ifndef {guard}
#define {guard}

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

{functions}

#ifdef __cplusplus
}}
#endif

#endif
"""


class Exported(NamedTuple):
    """The files that `op.export` wrote; `library` is None without a C compiler."""

    header: Path
    object: Path
    library: Path | None
    functions: tuple[str, ...]


class _Entry(NamedTuple):
    """A C function: its declaration, and the kernel that it calls."""

    function: Function
    declaration: str


def export(op: Mapper, path: Any, dtypes: Sequence[Any], partials: bool) -> Exported:
    """See Mapper.export."""
    stem = Path(path).with_suffix("")
    if not op.__name__.isidentifier() or keyword.iskeyword(op.__name__):
        raise ArgumentError(
            f"{op.__name__}.export: {op.__name__!r} is not a name in C; define the function with "
            "one, or name the operator: ng.op(name=...)"
        )
    if op.scalar.draws:
        raise ArgumentError(
            f"{op.__name__}.export: it draws random numbers, which C has no key for"
        )
    op.refresh()
    op.require_certificate()
    entries = [entry for dtype in dtypes for entry in _entries(op, as_dtype(dtype), partials)]
    from nbgraph.kernels.compiler.linked import object_file  # imports LLVM

    code, symbols = object_file([entry.function for entry in entries])
    strange = [name for name in symbols if not _in_c_library(name)]
    if strange:
        raise CompileError(
            f"{op.__name__}.export: its code calls {', '.join(strange)}, which a C program does "
            "not have; write that part with math or NumPy functions"
        )
    stem.parent.mkdir(parents=True, exist_ok=True)
    header, machine_code = stem.with_suffix(".h"), stem.with_suffix(".o")
    header.write_text(_header(op, stem, entries))
    machine_code.write_bytes(code)
    names = tuple(entry.function.name for entry in entries)
    return Exported(header, machine_code, _library(machine_code), names)


def _entries(op: Mapper, dtype: np.dtype[Any], partials: bool) -> list[_Entry]:
    """Return the functions of the value and of existing partials, for operands of a dtype."""
    entries = [_entry(op, f"{op.__name__}_{dtype.name}", "the value", dtype)]
    dtypes = operand_dtypes(op.scalar, dtype)
    for operand, own in zip(op.scalar.operands, dtypes, strict=True):
        if not partials or not is_float(own) or op.nout > 1:
            continue
        try:
            slope = op.derivative(operand)
        except DerivativeError:
            continue  # the header then lacks its function
        name = f"{op.__name__}_d{operand}_{dtype.name}"
        entries.append(_entry(slope, name, f"the partial derivative by {operand}", dtype))
    return entries


def _entry(op: Mapper, name: str, what: str, dtype: np.dtype[Any]) -> _Entry:
    from nbgraph.kernels.compiler.linked import Function, Scalar

    plan = op.invoker.plan(operand_dtypes(op.scalar, dtype), dtype, defaults_of(op.scalar))
    loop, _ = side_by_side(op, plan)
    narrow = plan.typed.compute != "float64"
    named = [str(leaf.data) for leaf in plan.typed.captured.parameters]
    scalars, defaults = [], []
    for i, leaf in enumerate(plan.uniform):
        floating, own = leaf.kind == "f", named[i] if i < len(named) else ""
        value = plan.parameters[own] if own else plan.literals[i - len(named)].data
        word = parameter_bytes(leaf.kind, value, plan.typed.compute).ljust(8, b"\0")
        number = int.from_bytes(word, "little", signed=True)
        scalars.append(Scalar(own, floating, floating and narrow, number))
        if own:
            defaults.append(
                (f"{'double' if floating else 'int64_t'} {_c_name(own)}", f"{own} = {value!r}")
            )
    types = [*plan.typed.operands, *plan.typed.outputs]
    function = Function(name, emit(loop), [t.itemsize for t in types], op.nout, scalars)
    outputs = ["out"] if op.nout == 1 else [f"out{k}" for k in range(op.nout)]
    operands = zip(types, op.scalar.operands, strict=False)
    parameters = ["int64_t count", *(f"const {_c_type(t)} *{_c_name(o)}" for t, o in operands)]
    parameters += [text for text, _ in defaults]
    written = zip(types[op.nin :], outputs, strict=True)
    parameters += [f"{_c_type(t)} *{o}" for t, o in written]
    usual = f"; by default {', '.join(text for _, text in defaults)}" if defaults else ""
    return _Entry(function, f"/* {what}{usual} */\nint {name}({', '.join(parameters)});")


def _c_name(name: str) -> str:
    """Return the C name of an argument, changed if C or the function itself uses it."""
    return f"{name}_" if name in _TAKEN else name


def _c_type(dtype: np.dtype[Any]) -> str:
    named = {"float32": "float", "float64": "double", "bool": "bool"}
    if dtype.name in named:
        return named[dtype.name]
    if dtype.kind in "iu":
        return f"{dtype.name}_t"
    raise ArgumentError(f"export: C has no type for {dtype}; give float32, float64 or integers")


def _header(op: Mapper, stem: Path, entries: Sequence[_Entry]) -> str:
    guard = "".join(c if c.isalnum() else "_" for c in f"NBGRAPH_{stem.name}_H").upper()
    functions = "\n\n".join(entry.declaration for entry in entries)
    return _HEADER.format(title=op.__name__, cpu=cpu_name(), guard=guard, functions=functions)


def _in_c_library(name: str) -> bool:
    import ctypes
    import ctypes.util

    return hasattr(ctypes.CDLL(ctypes.util.find_library("m") or None), name)


def _library(machine_code: Path) -> Path | None:
    """Return the object file as a shared library, by the machine's C compiler, or None."""
    compiler = next(filter(None, map(shutil.which, _COMPILERS)), None)
    if compiler is None:
        return None
    library = machine_code.with_suffix(".so")
    run = subprocess.run(
        [compiler, "-shared", "-o", library, machine_code, "-lm"],
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        raise CompileError(
            f"export: {compiler} made no library of {machine_code}", details=run.stderr
        )
    return library
