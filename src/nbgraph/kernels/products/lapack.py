"""Routines of SciPy's LAPACK over a batch of matrices, as kernels of the common signature.

A kernel runs some steps for each matrix: copies, and calls of routines through the pointers that
SciPy exports for Cython, without the GIL. Steps refer to places by number: first the arrays, then
those in scratch memory, where routines work. An iteration is a tile of several matrices, with
scratch memory of its own.
"""

import functools
from collections.abc import Sequence
from typing import NamedTuple

from nbgraph.codegen.text import Function
from nbgraph.kernels.products.blas import Routine, Threads, module_of, pointer, routine
from nbgraph.kernels.products.blas_text import THREADS
from nbgraph.kernels.vector_math.symbols import symbol
from nbgraph.kernels.vector_math.texts import texts

_FLOATS = {"float32": ("float", "s"), "float64": ("double", "d")}
_HEAD = 2  # words before the addresses: matrices per batch, and per tile
_BEHIND = 3  # words between the addresses and the moves: see `words`
_COPY = 8  # words of a copy
_LOG = "log", "float64"
_SIGNS = ("olt", "-1.0"), ("oeq", "0.0")  # of a determinant: tests, else it is 1, as NumPy's


class Copy(NamedTuple):
    """A copy of a matrix between places: elements along the inner and the outer axis, each with its
    byte strides in both places. Elements whose inner index minus outer index is outside `band`
    become 0."""

    source: int
    target: int
    inner: tuple[int, int, int]
    outer: tuple[int, int, int]
    band: tuple[int, int]


class Call(NamedTuple):
    """A call of a routine, named without its type letter. Its arguments except the status:
    integers, and places in brackets. `checked`: whether a nonzero status fails the kernel."""

    routine: str
    arguments: tuple[int | tuple[int], ...]
    checked: bool = True


class Determinant(NamedTuple):
    """The determinant of a `size` by `size` matrix from its LU factors and pivots: one place for
    it, or two, for its sign and the logarithm of its magnitude."""

    factors: int
    pivots: int
    results: tuple[int, ...]
    size: int


Step = Copy | Call | Determinant


def words(
    steps: Sequence[Step],
    dtype: str,
    moves: Sequence[int],
    offsets: Sequence[int],
    room: int,
    failure: int,
    *,
    alone: bool,
) -> tuple[int, ...]:
    """Return the words of the record after the addresses of arrays and scratch memory.

    `moves`: bytes between matrices in each array. `offsets`: byte offsets of the places in a tile's
    scratch memory. `room`: its size in bytes. `failure`: the kernel's code if a routine fails.
    `alone`: whether LAPACK may use its threads.
    """
    numbers: list[int] = []
    for step in steps:
        if isinstance(step, Copy):
            numbers += *step.inner, *step.outer, *step.band
            continue
        if isinstance(step, Determinant):
            numbers.append(step.size)
            continue
        code = pointer(module_of("lapack"), _FLOATS[dtype][1] + step.routine)
        numbers += code, *[x for x in step.arguments if isinstance(x, int)]
    threads = _left_alone() if alone else routine().threads
    return threads.address, failure, room, *moves, *offsets, *numbers


@functools.cache
def _left_alone() -> Threads:
    return Threads(None)


def kernel(name: str, steps: Sequence[Step], dtype: str, arrays: int, places: int) -> Routine:
    """Return the kernel of these steps, over so many arrays and places in scratch memory."""
    forms: list[_Form] = []
    for step in steps:
        if isinstance(step, Copy):
            forms.append(("copy", (step.source, step.target), True))
        elif isinstance(step, Determinant):
            forms.append(("determinant", (step.factors, step.pivots, *step.results), True))
        else:
            pattern = [x[0] if isinstance(x, tuple) else -1 for x in step.arguments]
            forms.append((step.routine, tuple(pattern), step.checked))
    return _kernel(name, tuple(forms), _FLOATS[dtype][0], arrays, places)


# a routine or other step; its places, -1 for a number; whether a status fails the kernel
_Form = tuple[str, tuple[int, ...], bool]


@functools.cache
def _kernel(name: str, forms: tuple[_Form, ...], kind: str, arrays: int, places: int) -> Routine:
    lines = [
        f"def {name}(args, lo, hi):  # without the GIL",
        "    for matrix in matrices_of(args, lo, hi):",
    ]
    for function, own, _ in forms:
        said = ["number" if x < 0 else f"place{x}" for x in own]
        lines.append(f"        {function}({', '.join(said)})")
    return Routine(name, "\n".join([*lines, ""]), _text(forms, kind, arrays, places))


def _text(forms: Sequence[_Form], kind: str, arrays: int, within: int) -> str:
    """Return the text of a kernel. Its record: matrices per batch and per tile, the addresses of
    arrays and scratch memory, and `words`."""
    t = Function("i64", "i64 %args, i64 %lo, i64 %hi")
    record = t.value("inttoptr i64 %args to ptr")
    count, size = (t.get_at(record, k) for k in range(_HEAD))
    behind = _HEAD + arrays + 1
    threads, failure, room = (t.get_at(record, behind + k) for k in range(_BEHIND))
    threads = t.value(f"inttoptr i64 {threads} to ptr")
    status, result = t.cell("i32"), t.cell()
    t.put(result, "0")
    t.do(f"call void @enter(ptr {threads})")
    with t.loop("%lo", "%hi") as tile:
        first = t.product(tile, size)
        scratch = t.sum(t.get_at(record, behind - 1), t.product(tile, room))
        with t.loop(first, t.least(t.sum(first, size), count)) as matrix:
            places: list[str] = []
            for k in range(arrays + within):
                word = t.get_at(record, behind + _BEHIND + k)
                if k < arrays:
                    places.append(t.sum(t.get_at(record, _HEAD + k), t.product(matrix, word)))
                else:
                    places.append(t.sum(scratch, word))
            word = behind + _BEHIND + arrays + within
            for function, own, checked in forms:
                if function == "copy":
                    _copy(t, kind, record, word, [places[x] for x in own])
                    word += _COPY
                    continue
                if function == "determinant":
                    _determinant(t, kind, t.get_at(record, word), [places[x] for x in own])
                    word += 1
                    continue
                code = t.value(f"inttoptr i64 {t.get_at(record, word)} to ptr")
                pointers: list[str] = []
                for x in own:
                    word += x < 0
                    pointers.append(
                        t.place("i64", record, word)
                        if x < 0
                        else t.value(f"inttoptr i64 {places[x]} to ptr")
                    )
                word += 1
                t.put(status, "0", "i32")
                t.do(f"call void {code}({', '.join([f'ptr {p}' for p in (*pointers, status)])})")
                if not checked:
                    continue
                well = t.compare("eq", t.get(status, "i32"), 0, "i32")
                t.put(result, t.value(f"select i1 {well}, i64 0, i64 {failure}"))
                t.require(well, "end")
    t.label("end")
    t.do(f"call void @leave(ptr {threads})")
    final = t.get(result)
    logarithm = any(form[0] == "determinant" for form in forms)
    functions = texts([_LOG]) if logarithm else ""
    return THREADS + functions + t.text(f"ret i64 {final}")


def _copy(t: Function, kind: str, record: str, first: int, places: Sequence[str]) -> None:
    """Write a copy, whose words begin at index `first`."""
    own = [t.get_at(record, first + k) for k in range(_COPY)]
    inner, outer, (least, most) = own[:3], own[3:6], own[6:]
    with t.loop(0, outer[0]) as j:
        rows = [t.sum(p, t.product(j, step)) for p, step in zip(places, outer[1:], strict=True)]
        with t.loop(0, inner[0]) as i:
            source, target = (
                t.value(f"inttoptr i64 {t.sum(row, t.product(i, step))} to ptr")
                for row, step in zip(rows, inner[1:], strict=True)
            )
            gap = t.number("sub", i, j)
            within = t.all(t.compare("sge", gap, least), t.compare("sle", gap, most))
            value = t.value(f"load {kind}, ptr {source}")
            value = t.value(f"fadd {kind} {value}, 0.0")  # turns -0.0 into 0.0
            t.put(target, t.value(f"select i1 {within}, {kind} {value}, {kind} 0.0"), kind)


def _determinant(t: Function, kind: str, size: str, places: Sequence[str]) -> None:
    """Write a Determinant. The product is kept as a number in [0.5, 1) and a power of two, so that
    only the final result may overflow or underflow."""
    factors, pivots, *results = [t.value(f"inttoptr i64 {place} to ptr") for place in places]
    product, power = t.cell("double"), t.cell()
    t.put(product, "1.0", "double")
    t.put(power, "0")
    with t.loop(0, size) as k:
        factor = t.read(kind, factors, t.product(k, t.sum(size, 1)))
        factor = t.value(f"fpext float {factor} to double") if kind == "float" else factor
        stays = t.compare(
            "eq", t.read("i32", pivots, k), t.value(f"trunc i64 {t.sum(k, 1)} to i32"), "i32"
        )
        turned = t.value(f"fneg double {factor}")
        factor = t.value(f"select i1 {stays}, double {factor}, double {turned}")
        value = t.value(f"fmul double {t.get(product, 'double')}, {factor}")
        bits = t.value(f"bitcast double {value} to i64")
        exponent = t.number("and", t.number("lshr", bits, 52), 0x7FF)
        normal = t.compare("ult", t.number("sub", exponent, 1), 0x7FE)  # else 0, inf or NaN
        share = t.number("or", t.number("and", bits, ~(0x7FF << 52)), 1022 << 52)
        share = t.value(f"bitcast i64 {share} to double")
        t.put(product, t.value(f"select i1 {normal}, double {share}, double {value}"), "double")
        more = t.value(f"select i1 {normal}, i64 {t.number('sub', exponent, 1022)}, i64 0")
        t.put(power, t.sum(t.get(power), more))
    share, exponent = t.get(product, "double"), t.get(power)
    if len(results) == 1:
        exponent = t.least(exponent, 2040)
        above = t.compare("sgt", exponent, -2040)
        exponent = t.value(f"select i1 {above}, i64 {exponent}, i64 -2040")
        half = t.number("ashr", exponent, 1)
        for part in (half, t.number("sub", exponent, half)):
            scale = t.value(f"bitcast i64 {t.number('shl', t.sum(part, 1023), 52)} to double")
            share = t.value(f"fmul double {share}, {scale}")
        values = [share]
    else:
        t.declare("declare double @llvm.fabs.f64(double)")
        size_of = t.value(f"call double @llvm.fabs.f64(double {share})")
        signs = [(t.value(f"fcmp {test} double {share}, 0.0"), n) for test, n in _SIGNS]
        sign = "1.0"
        for test, number in signs:
            sign = t.value(f"select i1 {test}, double {number}, double {sign}")
        log = t.value(f"call double @{symbol(*_LOG)}(double {size_of})")
        power = t.value(f"sitofp i64 {exponent} to double")
        power = t.value(f"fmul double {power}, 0x3FE62E42FEFA39EF")  # log(2)
        values = [sign, t.value(f"fadd double {log}, {power}")]
    for result, value in zip(results, values, strict=True):
        own = t.value(f"fptrunc double {value} to float") if kind == "float" else value
        t.put(result, own, kind)
