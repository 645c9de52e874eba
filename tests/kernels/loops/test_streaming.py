"""Outputs written past the caches: the same bytes, nowhere else, and only where it is asked for.

Kernel budget: one kernel with streaming and one without for each of `OPS`, and a few more.
"""

import functools
import re

import llvmlite.binding as llvm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.codegen import optimise
from nbgraph.dtype import as_dtype
from nbgraph.kernels.compiler import cpu
from nbgraph.kernels.compiler.kernel import kernel, record
from nbgraph.kernels.llvm import compile as by_llvm
from nbgraph.kernels.llvm import vocabulary
from nbgraph.kernels.loops.source import emit
from nbgraph.native.processor import is_x86
from nbgraph.operator import registry
from nbgraph.operator.mapper.fused import Part, fuse

add, less, multiply = (registry.find(name) for name in ("add", "less", "multiply"))
GUARD = 0xA5
PAST = re.compile(r"\bv?movnt(?:dq|p[sd]|i)\b" if is_x86() else r"\bstnp\b")


def _several(*parts):
    outputs = [(k, 0) for k in range(len(parts))]
    return fuse("several", [Part(p, (("in", 0), ("in", 1))) for p in parts], outputs)[0]


DTYPES = (
    *("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    *("float16", "bfloat16", "float32", "float64"),
)
# one of every dtype; several outputs of one size, and of sizes that differ
OPS = {
    **{dtype: (add, dtype, 1) for dtype in DTYPES},
    "two": (_several(add, multiply), "float32", 2),
    "three": (_several(less, add, multiply), "float64", 3),
}


@functools.cache
def kernels(case, first="c", compiler="auto"):
    """The kernel of a case without and with streaming, and the output's dtypes."""
    op, dtype, count = OPS[case]
    plan = op.invoker.plan_of([as_dtype(dtype)] * 2, {})
    made = [o.name for o in plan.typed.outputs]
    layouts, requests = [first, "c", *["c"] * count], ["write"] * count
    with ng.config(compiler=compiler):
        both = [
            kernel(plan.loop(layouts, made, requests, disjoint=True, streaming=s))
            for s in (False, True)
        ]
    return *both, plan.typed.outputs


class Memory:
    """So many bytes, beginning `offset` behind the beginning of a cache line, between guards."""

    def __init__(self, nbytes, offset):
        whole = np.full(nbytes + offset + 256, GUARD, np.uint8)
        line = -whole.ctypes.data % 64 + 64
        self.guarded = whole[line - 64 : line + offset + nbytes + 64]
        self.bytes = whole[line + offset : line + offset + nbytes]
        self.address = self.bytes.ctypes.data


def operand(dtype, count, offset, rng):
    """Memory with numbers of a dtype, none of them NaN."""
    made = Memory(count * dtype.itemsize, offset)
    made.bytes.view(dtype)[...] = rng.integers(0, 2 if dtype.kind == "b" else 100, count)
    return made


@st.composite
def spaces(draw):
    """Rows, elements a row, gaps behind rows of outputs, offsets in elements, cuts of the range."""
    rows, inner = draw(st.integers(1, 3)), draw(st.integers(1, 5000))
    inner = draw(st.sampled_from([inner, 1, 63, 64, 65, 1023, 1024, 1025, 2048]))
    return {
        "rows": rows,
        "inner": inner,
        "gap": draw(st.integers(0, 70)),
        "offsets": draw(st.lists(st.integers(0, 64), min_size=5, max_size=5)),
        "cuts": draw(st.lists(st.integers(0, rows * inner), max_size=3)),
        "seed": draw(st.integers(0, 2**16)),
    }


def outcomes(case, first, space, compiler="auto"):
    """The outputs' memory with guards, by the kernel without streaming and the one with it."""
    plain, past, outputs = kernels(case, first, compiler)
    dtype, rng = as_dtype(OPS[case][1]), np.random.default_rng(space["seed"])
    rows, inner, offsets = space["rows"], space["inner"], space["offsets"]
    size, width = dtype.itemsize, 2 if first == "s" else 1
    x0 = operand(dtype, rows * inner * width, offsets[0] * size, rng)
    x1 = operand(dtype, rows * inner, offsets[1] * size, rng)
    steps = [{"0": 0, "c": size, "s": 2 * size}[first], size, *(d.itemsize for d in outputs)]
    pitches = [inner * s for s in steps[:2]] + [(inner + space["gap"]) * s for s in steps[2:]]
    found = []
    for code in (plain, past):
        made = [
            Memory(rows * (inner + space["gap"]) * d.itemsize, o * d.itemsize)
            for d, o in zip(outputs, offsets[2:], strict=False)
        ]
        addresses = [m.address for m in (x0, x1, *made)]
        words = record(inner, addresses, steps, [], [(rows, pitches)])
        ends = sorted({0, *space["cuts"], rows * inner})
        for lo, hi in zip(ends, ends[1:], strict=False):
            code.run(words, lo, hi)
        found.append([m.guarded for m in made])
    return found


@settings(max_examples=300)
@given(st.sampled_from(sorted(OPS)), st.sampled_from("c0s"), spaces())
def test_the_same_bytes_and_no_others(case, first, space):
    """OPR-09: streamed outputs equal ordinary ones for all dtypes, places, lengths and cuts."""
    if first != "c" and case not in ("float32", "two"):
        first = "c"  # other layouts of operands change no store
    plain, past = outcomes(case, first, space)
    for wanted, got in zip(plain, past, strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("compiler", ["llvm", "numba"])
@pytest.mark.parametrize("case", ["float32", "float16", "bool", "three"])
def test_both_compilers_stream(case, compiler):
    """MFU-02: both make whole vectors of stores past the cache, and a fence behind them."""
    space = {
        "rows": 2,
        "inner": 3001,
        "gap": 3,
        "offsets": [1, 2, 3, 4, 5],
        "cuts": [77],
        "seed": 0,
    }
    for wanted, got in zip(*outcomes(case, "c", space, compiler), strict=True):
        np.testing.assert_array_equal(got, wanted)
    plain, past, _ = kernels(case, "c", compiler)
    assert PAST.search(past.assembly())
    assert not PAST.search(plain.assembly())
    assert ("sfence" in past.assembly()) is is_x86()


@pytest.mark.parametrize("case", sorted(OPS))
def test_every_dtype_has_stores_past_the_cache(case):
    """MFU-02: one vector store past the cache at least for each output."""
    _, past, outputs = kernels(case)
    marked = [line for line in past.llvm().split("\n") if "!nontemporal" in line]
    assert len(marked) >= len(outputs)
    assert all(re.search(r"store <\d+ x ", line) for line in marked)


@pytest.mark.parametrize(
    ("store", "past"),
    [
        ("store <16 x float> %v, ptr %p, align 64", True),
        ("store <16 x float> %v, ptr %p, align 4", False),  # not known to be where a line begins
        ("store <8 x float> %v, ptr %p, align 32, !noalias !0", True),
        ("store <8 x float> %v, ptr %p, align 16, !noalias !0", False),
        ("store <32 x double> %v, ptr %p, align 64", True),  # four lines
        ("store <64 x i8> splat (i8 1), ptr %p, align 64", True),
        ("store <8 x i8> %v, ptr %p, align 64", False),  # shorter than any such store
        ("store float %v, ptr %p, align 64", False),
        ("store <4 x ptr> %v, ptr %p, align 64", False),
    ],
)
def test_only_aligned_vectors_are_marked(store, past):
    """OPR-09: nothing is said of a store that LLVM does not know to be aligned."""
    text = cpu.marked(f"!0 = !{{}}\n  {store}\n")
    assert ("!nontemporal !1" in text) is past
    assert f"  {store}" in text


def test_it_compiles_for_arm(monkeypatch):
    """MFU-02: the text says nothing that one kind of processor has alone; ARM stores pairs past."""
    monkeypatch.setattr(vocabulary, "is_x86", lambda: False)
    op, dtype, _ = OPS["float32"]
    plan = op.invoker.plan_of([as_dtype(dtype)] * 2, {})
    loop = plan.loop("ccc", [dtype], ["write"], streaming=True)
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple("aarch64-unknown-linux-gnu")
    machine = target.create_target_machine(opt=3)
    monkeypatch.setattr(optimise.target, "machine", lambda *level: machine)
    module, _ = by_llvm.module(emit(loop))
    text = f'target triple = "aarch64-unknown-linux-gnu"\n{cpu.marked(str(module))}'
    assembly = machine.emit_assembly(optimise.parsed(text, "add"))
    assert re.search(r"\bstnp\b", assembly)
