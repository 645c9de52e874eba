"""Raw memory for kernels: argument words, typed pointers, loads, stores, select.

Numba intrinsics only. A kernel's argument record is an array of 64-bit words at an address; a
pointer is created from an address in it and indexed from 0, which LLVM vectorises.
`load_input` and `store_output` tell LLVM that inputs and the output do not overlap; callers
pass either disjoint memory or the very same elements (in place), see `nbgraph.shape.overlap`.
That suffices for one output, whose value depends on all loads. With several, a store could
overtake a load of the same element: `load_element` and `store_element` assert only that accesses
of different elements do not overlap, by metadata that `nbgraph.codegen.lower` completes.
"""

# mypy: ignore-errors
# pyright: basic

import functools

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from nbgraph.native.intrinsics import llvm_intrinsic
from nbgraph.native.processor import LINE, is_x86

WORD = 8  # bytes
ELEMENTS = "nbgraph elements"  # marks the access group of loops whose elements are independent
GROUP = "llvm.access.group"
INTERLEAVE = "nbgraph.interleave"  # marks a module whose loops are worth interleaving

_WORD = ir.IntType(64)
_inline = njit(
    error_model="numpy", forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True
)


def _typed_pointer(context, builder, address, element):
    return builder.inttoptr(address, context.get_data_type(element).as_pointer())


def _word(element):
    """Return an intrinsic that reads word `index` of the record at `address` as `element`."""

    @intrinsic
    def read(typingctx, address, index):
        def codegen(context, builder, signature, args):
            base = _typed_pointer(context, builder, args[0], types.int64)
            place = builder.gep(base, [args[1]], inbounds=True)
            place = builder.bitcast(place, context.get_data_type(element).as_pointer())
            return builder.load(place)

        return element(types.int64, types.int64), codegen

    return read


word = _word(types.int64)
WORDS = {"float32": _word(types.float32), "float64": _word(types.float64), "int64": word}


def _pointer(element):
    @intrinsic
    def make(typingctx, address):
        def codegen(context, builder, signature, args):
            return _typed_pointer(context, builder, args[0], element)

        return types.CPointer(element)(types.int64), codegen

    return make


_STORED = {
    "bool": types.uint8,
    "float16": types.uint16,
    "bfloat16": types.uint16,
    **{np.dtype(t).name: getattr(types, np.dtype(t).name) for t in "bBhHiIqQfd"},
}
POINTERS = {name: _pointer(element) for name, element in _STORED.items()}


def _scoped(builder, instruction, own, other):
    """Mark an access as one of scope `own` that does not overlap scope `other`."""
    module = builder.module
    domain = module.add_metadata(["nbgraph"])
    scopes = {n: module.add_metadata([f"nbgraph {n}", domain]) for n in (own, other)}
    instruction.set_metadata("alias.scope", module.add_metadata([scopes[own]]))
    instruction.set_metadata("noalias", module.add_metadata([scopes[other]]))


def _grouped(builder, instruction):
    """Mark an access as one of a loop whose elements are independent."""
    instruction.set_metadata(GROUP, builder.module.add_metadata([ELEMENTS]))


def _load(mark):
    @llvm_intrinsic(lambda p, _: p.dtype(p, types.int64) if isinstance(p, types.CPointer) else None)
    def load(builder, pointer, index):
        value = builder.load(builder.gep(pointer, [index], inbounds=True))
        mark(builder, value)
        return value

    return load


def _store(mark):
    def typed(pointer, index, value):
        known = isinstance(pointer, types.CPointer)
        return types.void(pointer, types.int64, pointer.dtype) if known else None

    @llvm_intrinsic(typed)
    def store(builder, pointer, index, value):
        mark(builder, builder.store(value, builder.gep(pointer, [index], inbounds=True)))

    return store


def _nothing(builder, instruction):
    pass


load = _load(_nothing)
store = _store(_nothing)
load_input = _load(functools.partial(_scoped, own="input", other="output"))
store_output = _store(functools.partial(_scoped, own="output", other="input"))
load_element = _load(_grouped)
store_element = _store(_grouped)


def room(dtype, count):
    """Return an intrinsic that allocates `count` elements, aligned to a cache line, on the stack of
    the calling function."""
    element = _STORED[dtype]

    @intrinsic
    def make(typingctx):
        def codegen(context, builder, signature, args):
            size = context.get_constant(types.intp, count)
            place = cgutils.alloca_once(builder, context.get_data_type(element), size=size)
            place.align = LINE
            return place

        return types.CPointer(element)(), codegen

    return make


@llvm_intrinsic(types.int64)
def address(builder, pointer):
    """Return the address of a pointer."""
    return builder.ptrtoint(pointer, _WORD)


@llvm_intrinsic(lambda pointer, _: pointer(pointer, types.int64))
def shifted(builder, pointer, offset):
    """Return the pointer moved by a number of bytes."""
    moved = builder.gep(builder.bitcast(pointer, ir.IntType(8).as_pointer()), [offset])
    return builder.bitcast(moved, pointer.type)


def _from_line(builder, pointer):
    """Return the offset of a pointer in its cache line, in bytes."""
    return builder.and_(builder.ptrtoint(pointer, _WORD), _WORD(LINE - 1))


@llvm_intrinsic(types.int64)
def to_line(builder, pointer):
    """Return the bytes from a pointer to the next beginning of a cache line; 0 if it is at one."""
    return builder.and_(builder.neg(_from_line(builder, pointer)), _WORD(LINE - 1))


@llvm_intrinsic(types.void)
def on_line(builder, pointer):
    """Tell LLVM that the pointer is at the beginning of a cache line."""
    holds = builder.icmp_unsigned("==", _from_line(builder, pointer), _WORD(0))
    builder.call(builder.module.declare_intrinsic("llvm.assume"), [holds])


@llvm_intrinsic(lambda to, source, _: types.void(to, source, types.int64))
def copied(builder, to, source, nbytes):
    """Copy `nbytes` bytes."""
    cgutils.raw_memcpy(builder, to, source, nbytes, 1)


@llvm_intrinsic(types.void())
def streamed(builder):
    """Make non-temporal stores visible before later stores of this thread."""
    if is_x86():  # elsewhere the signal to another thread orders all stores
        kind = ir.FunctionType(ir.VoidType(), [])
        builder.call(builder.module.declare_intrinsic("llvm.x86.sse.sfence", (), kind), [])


@llvm_intrinsic(lambda pointer, _: types.void(pointer, types.int64))
def fetch(builder, pointer, offset):
    """Prefetch the cache line `offset` bytes after a pointer, which need not be valid memory."""
    byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    place = builder.gep(builder.bitcast(pointer, byte), [offset])
    kind = ir.FunctionType(ir.VoidType(), [byte, *[number] * 3])
    called = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
    builder.call(called, [place, number(0), number(3), number(1)])


@intrinsic
def select(typingctx, cond, a, b):
    """Return `a if cond else b` without a branch; both are computed."""
    kind = types.unliteral(a)
    if types.unliteral(b) != kind:
        return None

    def codegen(context, builder, signature, args):
        test = cgutils.is_not_null(builder, args[0]) if args[0].type.width != 1 else args[0]
        return builder.select(test, args[1], args[2])

    return kind(types.boolean, kind, kind), codegen


def table(entries):
    """Return an intrinsic that reads the entry of a constant table at a valid index."""
    element = getattr(types, entries.dtype.name)
    words = entries.view(f"<u{entries.itemsize}").tolist()

    @intrinsic
    def entry(typingctx, index):
        def codegen(context, builder, signature, args):
            word = ir.IntType(8 * entries.itemsize)
            constant = ir.Constant(ir.ArrayType(word, len(words)), words)
            place = cgutils.global_constant(builder, "table", constant)
            place = builder.bitcast(place, context.get_data_type(element).as_pointer())
            return builder.load(builder.gep(place, [args[0]], inbounds=True))

        return element(types.int64), codegen

    return entry


@llvm_intrinsic(types.void())
def separate(builder):
    """Keep LLVM from inlining the calling function."""
    builder.function.attributes.add("noinline")


@llvm_intrinsic(types.void())
def interleaved(builder):
    """Request that the calling function's loop processes several vectors in turn."""
    module = builder.module
    module.add_named_metadata(INTERLEAVE, module.add_metadata([INTERLEAVE]))


@llvm_intrinsic(types.void())
def straight(builder):
    """Request that the loop over lanes becomes vectors without a loop; Numba ignores it."""


@llvm_intrinsic(types.void())
def calling(builder):
    """Request that the calling function, which seldom runs, calls mathematics without inlining."""


@_inline
def row_offset(args, first, width, row, operand):
    """Return the bytes from an operand's base to outer row `row`; dimensions innermost first.

    `first` is the word where the outer dimensions begin; each takes `width` words: its extent,
    then the byte stride of every operand. The rank is loaded again for each row: if LLVM knew it to
    be constant, it would copy the kernel's whole loop for every case here.
    """
    rank = word(args, 1)
    if rank == 1:
        return row * word(args, first + 1 + operand)
    total = np.int64(0)
    for d in range(rank):
        place = first + d * width
        extent = word(args, place)
        outer = row // extent
        total += (row - outer * extent) * word(args, place + 1 + operand)
        row = outer
    return total
