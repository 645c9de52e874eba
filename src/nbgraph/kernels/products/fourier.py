"""Discrete Fourier transforms along an axis by NumPy's pocketfft, as a kernel of the common
signature.

NumPy's transforms are generalised ufuncs: loops in C++ over lines of any strides, which need
neither the GIL nor Python objects. Their addresses are read from the ufuncs, whose layout is part
of NumPy's binary interface (`ufuncobject.h`). An iteration is one line.
"""

import ctypes
import functools
from importlib import import_module
from typing import Any

import numpy as np

from nbgraph.codegen.text import Function
from nbgraph.kernels.products.blas import Routine

_OPERANDS = 3  # of a ufunc: points, a factor, results
_MODEL = """\
def transforms(args, lo, hi):
    # lines [lo, hi), in runs of a step each; without the GIL
    for run in runs_of(args, lo, hi):
        loop([run.source, factor, run.target], [run.lines, points, results], run.steps)
"""


@functools.cache
def loop_of(name: str, character: str) -> tuple[int, int] | None:
    """Return the addresses of the loop of a ufunc of `numpy.fft` and of its data for a float
    character; None if NumPy has no such ufunc, or another layout."""
    try:
        ufunc = getattr(import_module("numpy.fft._pocketfft_umath"), name)
    except (ImportError, AttributeError):
        return None
    # 32 bits each: nin, nout, nargs, identity, two of functions, two of data, ntypes
    halves = (ctypes.c_uint32 * 9).from_address(id(ufunc) + object.__basicsize__)
    place = [k for k, types in enumerate(ufunc.types) if types[1] == character]
    if not place or [*halves[:3], halves[8]] != [2, 1, _OPERANDS, len(ufunc.types)]:
        return None
    tables = [low | high << 32 for low, high in (halves[4:6], halves[6:8])]
    functions, data = (
        ctypes.c_uint64.from_address(table + 8 * place[0]).value if table else 0 for table in tables
    )
    return functions, data


def factor_of(norm: str, points: int, dtype: np.dtype[Any], *, inverse: bool) -> int:
    """Return the factor of a transform, as NumPy computes it, in a word of the record."""
    factor = np.ones(1, dtype)
    if norm == "ortho":
        factor = np.reciprocal(np.sqrt(np.array([points]), dtype=dtype))
    elif (norm == "forward") is not inverse:
        factor = np.reciprocal(np.array([points]), dtype=dtype)
    return int.from_bytes(factor.tobytes().ljust(8, b"\0"), "little", signed=True)


@functools.cache
def kernel() -> Routine:
    """Return the kernel. Its record: lines of a run, number of outer extents; addresses and steps
    along a run of points and results; the loop, its data, the factor, numbers of points and results
    of a line, their steps; then each outer extent with its steps."""
    t = Function("i64", "i64 %args, i64 %lo, i64 %hi")
    record = t.value("inttoptr i64 %args to ptr")
    inner, rank = (t.get_at(record, k) for k in range(2))
    steps = [t.get_at(record, k) for k in (4, 5)]
    loop, data = (t.value(f"inttoptr i64 {t.get_at(record, k)} to ptr") for k in (6, 7))
    places, extents, strides = (t.cell(f"[{n} x i64]") for n in (_OPERANDS, _OPERANDS, 5))
    t.put_at(places, 1, t.value(f"ptrtoint ptr {t.place('i64', record, 8)} to i64"))
    for k, word in enumerate((9, 10)):
        t.put_at(extents, k + 1, t.get_at(record, word))
    for k, step in enumerate((steps[0], "0", steps[1], t.get_at(record, 11), t.get_at(record, 12))):
        t.put_at(strides, k, step)
    at, rest = t.cell(), t.cell()
    t.put(at, "%lo")
    t.label("run")
    first = t.get(at)
    t.require(t.compare("slt", first, "%hi"), "end")
    within = t.number("srem", first, inner)
    t.put(rest, t.number("sdiv", first, inner))
    for place, address, step in zip((0, 2), (2, 3), steps, strict=True):
        t.put_at(places, place, t.sum(t.get_at(record, address), t.product(within, step)))
    with t.loop(0, rank) as dim:
        word = t.sum(t.product(dim, 3), 13)
        extent, left = t.get_at(record, word), t.get(rest)
        index = t.number("srem", left, extent)
        t.put(rest, t.number("sdiv", left, extent))
        for place, further in ((0, 1), (2, 2)):
            moved = t.product(index, t.get_at(record, t.sum(word, further)))
            t.put_at(places, place, t.sum(t.get_at(places, place), moved))
    lines = t.least(t.number("sub", inner, within), t.number("sub", "%hi", first))
    t.put_at(extents, 0, lines)
    t.do(f"call void {loop}(ptr {places}, ptr {extents}, ptr {strides}, ptr {data})")
    t.put(at, t.sum(first, lines))
    t.go("run")
    t.label("end")
    return Routine("transforms", _MODEL, t.text())
