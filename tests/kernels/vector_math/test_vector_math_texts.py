"""The vector maths as LLVM text: the bits of the Numba functions, on any 64-bit processor."""

import ctypes
import re
import sys

import llvmlite.binding as llvm
import numpy as np
import pytest
from numba import njit, types

import nbgraph
from nbgraph.codegen import instructions, optimise, target
from nbgraph.errors import CompileError
from nbgraph.kernels import vector_math
from nbgraph.kernels.vector_math import generate, texts
from nbgraph.native import floats, processor
from tests.kernels.vector_math.test_vector_math_code import VECTORISED
from tests.support import run_python

PAIRS = [(n, d) for n in sorted(vector_math.NAMES - vector_math.WIDE) for d in vector_math.DTYPES]
SPECIAL = [(name, "float64") for name in sorted(vector_math.WIDE)]
FILES = [texts.SHIPPED, texts.SPECIAL, texts.EVEX]
SIZE = 20_000
UNSIGNED = {"float32": np.uint32, "float64": np.uint64}
SHIPPED_BY_THIS = sys.version_info[:2] == (3, 11)  # the Python whose Numba wrote the texts
DEFINED = re.compile(r"^define .*?@(\w+)\(", re.MULTILINE)
shipped_here = pytest.mark.skipif(
    not floats.HARDWARE_FMA, reason="the text is shipped for processors with fused multiply-add"
)

LOOP = """
define void @{name}(ptr noalias %a, ptr noalias %b, ptr noalias %out, i64 %n) {{
start:
  br label %next
next:
  %i = phi i64 [ 0, %start ], [ %more, %next ]
  %at = getelementptr inbounds {first}, ptr %a, i64 %i
  %x = load {first}, ptr %at
  {second}
  %value = call {result} @{called}({arguments})
  %place = getelementptr inbounds {result}, ptr %out, i64 %i
  store {result} %value, ptr %place
  %more = add nuw nsw i64 %i, 1
  %last = icmp eq i64 %more, %n
  br i1 %last, label %done, label %next, !llvm.loop {loop}
done:
  ret void
}}
"""
SECOND = """%with = getelementptr inbounds {0}, ptr %b, i64 %i
  %y = load {0}, ptr %with"""
LOOPED = ("scalar", "vector")
LOOPS = """
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = distinct !{!2}
"""
PAIRWISE = """
define void @total(ptr %a, ptr %b, ptr %out, i64 %n) {
  %value = call double @r_acc_pairwise(ptr %a, i64 %n)
  store double %value, ptr %out
  ret void
}
"""


def module_of(symbol, text):
    """Two loops over a function, of which LLVM may vectorise `vector`."""
    result, kinds = texts.signature(symbol)
    common = {
        "called": symbol,
        "result": result,
        "first": kinds[0],
        "second": SECOND.format(kinds[-1]) if len(kinds) > 1 else "",
        "arguments": ", ".join(f"{k} %{n}" for k, n in zip(kinds, "xy", strict=False)),
    }
    scalar = LOOP.format(name="scalar", loop="!0", **common)
    vector = LOOP.format(name="vector", loop="!2", **common)
    return optimised(text + scalar + vector + LOOPS)


def optimised(text):
    return optimise.optimised(text, "a loop")


def loaded(module, *names):
    """The module's functions over three addresses and a number."""
    code = bytes(target.machine().emit_object(module))
    found = target.load_forever(code, target.externals(module), names)
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)
    return [kind(found[name]) for name in names]


def operands(name, dtype):
    """Random bits, values of everyday size, and special values against each other."""
    rng = np.random.default_rng(20260101)
    unsigned = UNSIGNED[dtype]
    top = np.iinfo(unsigned).max
    info = np.finfo(dtype)
    special = np.array(
        [0.0, 1.0, 0.5, np.inf, np.nan, 2.0, 3.0, info.tiny, info.smallest_subnormal, info.max]
        + [info.eps, np.pi, 1e-3, 10.0, 100.0, 131072.0, 2.0**40, 65504.0],
        dtype,
    )
    special = np.concatenate([special, -special])
    x, y = (a.ravel() for a in np.meshgrid(special, special))
    found = []
    for some in (x, y):
        bits = rng.integers(0, top, SIZE // 2, unsigned, endpoint=True).view(dtype)
        everyday = (rng.standard_normal(SIZE // 2) * 8).astype(dtype)
        found.append(np.concatenate([some, rng.permutation(np.concatenate([bits, everyday]))]))
    return found


def by_numba(name, dtype, x, y):
    function = vector_math.implementation(name, dtype)
    binary = vector_math.ARITY[name] == 2
    array = types.Array(getattr(types, dtype), 1, "C")

    def one(x, y, out):
        for i in range(out.size):
            out[i] = function(x[i])

    def two(x, y, out):
        for i in range(out.size):
            out[i] = function(x[i], y[i])

    out = np.empty_like(x)
    loop = two if binary else one
    njit(types.void(array, array, array), error_model="numpy")(loop)(x, y, out)
    return out


def differing(x, y, got, want):
    """What went in and came out where the bits differ; a NaN is a NaN."""
    word = UNSIGNED[got.dtype.name]
    wrong = (got.view(word) != want.view(word)) & ~(np.isnan(got) & np.isnan(want))
    return list(zip(x[wrong][:5], y[wrong][:5], got[wrong][:5], want[wrong][:5], strict=True))


@pytest.mark.everyday(1 / 6)
@pytest.mark.parametrize("portable", [True, False])
@pytest.mark.parametrize(("name", "dtype"), PAIRS)
def test_text_gives_the_bits_of_the_numba_function(name, dtype, portable):
    """MFU-01: scalar and vector code alike, by the host's instructions and without."""
    text = texts.texts([(name, dtype)], portable=portable)
    if not (portable or instructions.left_open(text)):
        pytest.skip("the text for this processor is the portable one")
    x, y = operands(name, dtype)
    want = by_numba(name, dtype, x, y)
    module = module_of(texts.symbol(name, dtype), text)
    for function in loaded(module, *LOOPED):
        got = np.empty_like(x)
        function(x.ctypes.data, y.ctypes.data, got.ctypes.data, x.size)
        assert not differing(x, y, got, want)
    if name in VECTORISED:
        assert "@i_" not in str(module)
        scalar, vector = re.findall(r"^define void .*?^}", str(module), re.MULTILINE | re.DOTALL)
        assert re.search(r"store <\d+ x ", vector)
        assert "store <" not in scalar


@pytest.mark.skipif(not processor.is_x86(), reason="instructions of x86")
def test_instructions_have_a_function_for_each_number_of_lanes():
    """MFU-02: those that the vectoriser is promised, and the scalar one."""
    symbols = [f"i_{n}_{d}" for n in instructions._ARITY for d in vector_math.DTYPES]
    kinds = {"float32": "float", "float64": "double"}
    opened = "\n".join(f"declare {kinds[s.split('_')[2]]} @{s}()" for s in symbols)
    assert instructions.left_open(opened) and not instructions.left_open("declare float @i()")
    promised = llvm.parse_assembly(instructions.declared(opened))
    names = [f.name for f in promised.functions]
    defined = llvm.parse_assembly(instructions.defined(names))
    defined.verify()
    assert {f.name for f in defined.functions if not f.is_declaration} == set(names)
    assert len(names) == 6 * len(symbols)


def every_word():
    return np.arange(1 << 16, dtype=np.uint16)


def converted(name, x, result):
    """All elements by a run-time function, scalar and vector code."""
    found = []
    for function in loaded(module_of(texts.symbol(name), texts.texts([], [name])), *LOOPED):
        out = np.empty(x.size, result)
        function(x.ctypes.data, None, out.ctypes.data, x.size)
        found.append(out)
    return found


def single_values():
    """Halfway between 16-bit values and beside that, and random bits."""
    rng = np.random.default_rng(20260101)
    upper = every_word().astype(np.uint32) << np.uint32(16)
    lower = [0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF]
    halves = every_word().view(np.float16).astype(np.float32).view(np.uint32)
    near = [0, 0xFFF, 0x1000, 0x1001]
    words = [upper + np.uint32(n) for n in lower] + [halves + np.uint32(n) for n in near]
    words.append(rng.integers(0, 2**32, SIZE, np.uint32))
    return np.concatenate(words).view(np.float32)


def test_conversions_of_16_bits():
    """MFU-02: to float32 every value, from float32 all roundings."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype in (np.float16, ml_dtypes.bfloat16):
        short = np.dtype(dtype).name
        want = every_word().view(dtype).astype(np.float32)
        for got in converted(f"{short}_to_float32", every_word(), np.float32):
            assert not differing(got, got, got, want)
        x = single_values()
        with np.errstate(all="ignore"):
            want = x.astype(dtype)
        for got in converted(f"float32_to_{short}", x, np.uint16):
            same = (got == want.view(np.uint16)) | (np.isnan(x) & np.isnan(got.view(dtype)))
            assert same.all(), x[~same][:5]


def test_pairwise_sum_is_that_of_numpy():
    """X-SYM-05: NumPy's order of additions, whatever the number of elements."""
    text = texts.texts([], ["acc_pairwise"]) + PAIRWISE
    (total,) = loaded(optimised(text), "total")
    x = np.random.default_rng(20260101).standard_normal(5000) * 1e3
    for n in [*range(300), 511, 512, 513, 1000, 1024, 2047, 4096, 5000]:
        out = np.empty(1)
        total(x.ctypes.data, None, out.ctypes.data, n)
        assert out[0] == np.add.reduce(x[:n])


def test_no_text_speaks_of_numba_flags_or_a_processor():
    """MFU-01: nothing a caller must provide; no flag that changes bits."""
    text = texts.texts(PAIRS, texts.RUNTIME, portable=True)
    whole = re.sub(r'c".*"', "", text)  # without what tables hold
    assert not re.search(r"NRT_|numba|_ZN|x86|target|attributes|!\d", whole)
    flags = r"\b(fast|reassoc|contract|nnan|ninf|nsz|arcp|afn)\b"
    assert not re.search(flags, whole)
    declared = set(re.findall(r"^declare .*@([\w.]+)\(", whole, re.MULTILINE))
    assert all(name.startswith("llvm.") for name in declared)
    defined = re.findall(r"^(?:define [^@]*)?@([\w.]+)", whole, re.MULTILINE)
    assert len(defined) == len(set(defined))
    assert set(re.findall(r"@([\w.]+)", whole)) == declared | set(defined)


@pytest.mark.parametrize("triple", ["aarch64-unknown-linux-gnu", "x86_64-unknown-linux-gnu"])
def test_text_is_for_any_processor(triple):
    """MFU-01: one text, which the code generators of both compile."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        machine = llvm.Target.from_triple(triple).create_target_machine(opt=1)
    except RuntimeError:
        pytest.skip(f"this LLVM makes no code for {triple}")
    pairs = [*PAIRS, *SPECIAL]
    symbols = [texts.symbol(*pair) for pair in pairs] + [texts.symbol(n) for n in texts.RUNTIME]
    module = llvm.parse_assembly(texts.texts(pairs, texts.RUNTIME, portable=True))
    module.verify()
    for symbol in symbols:
        module.get_function(symbol).linkage = llvm.Linkage.external
    assembly = machine.emit_assembly(module)
    assert all(f"\n{symbol}:\n" in assembly for symbol in symbols)


def fresh(monkeypatch, path):
    """As a process that finds `path` where the text of the package should be."""
    monkeypatch.setattr(texts, "SHIPPED", path)
    texts._shipped.cache_clear()
    texts._generated.cache_clear()


@pytest.fixture
def forgetful():
    """What is remembered of the text of the package is forgotten before and after."""
    yield
    texts._shipped.cache_clear()
    texts._generated.cache_clear()


ADVICE = "run python scripts/vector_math_texts.py"


@shipped_here
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_shipped_texts_are_of_these_sources(path):
    """MFU-01: what the package carries was made of the sources of today."""
    assert texts.header() in path.read_text(encoding="utf-8").splitlines()[:2], ADVICE


@shipped_here
@pytest.mark.slow
@pytest.mark.skipif(not SHIPPED_BY_THIS, reason="Numba's order of lines is another")
def test_shipped_text_is_up_to_date():
    """MFU-01: what the package carries is what its sources give today."""
    assert texts.SHIPPED.read_text(encoding="utf-8") == generate.whole(texts.header()), ADVICE


@shipped_here
@pytest.mark.parametrize("damage", ["missing", "of other sources"])
def test_text_is_made_where_the_shipped_one_does_not_fit(
    monkeypatch, tmp_path, own_cache, forgetful, damage
):
    """MFU-01: once; afterwards the disk cache has it."""
    asked = [("exp", "float32"), ("sin", "float64")], ["acc_pairwise"]
    want = texts.texts(*asked)
    path = tmp_path / "texts.ll"
    if damage != "missing":
        text = texts.SHIPPED.read_text().replace("; sources ", "; sources 0")
        path.write_text(text.replace("fadd", "fsub"))
    fresh(monkeypatch, path)
    with nbgraph.config(cache_dir=str(own_cache)):
        made = texts.texts(*asked)
        assert made == want if SHIPPED_BY_THIS else DEFINED.findall(made) == DEFINED.findall(want)
        texts._generated.cache_clear()
        monkeypatch.setattr(generate, "entities", None)
        assert texts.texts(*asked) == made


@shipped_here
def test_shipped_text_needs_no_numba():
    """MFU-01: a first kernel pays for reading, not for Numba."""
    code = "import sys; from nbgraph.kernels.vector_math import texts; "
    code += "print(len(texts.texts([('exp', 'float32')])), 'numba' in sys.modules)"
    length, numba = run_python("-c", code).split()
    assert 1000 < int(length) < 3000 and numba == "False"


def test_without_a_fused_multiply_add():
    """MFU-01: made for such a processor; no call of the C library's fma in place of it."""
    code = "from nbgraph.kernels.vector_math import texts; print(texts.texts([('exp', 'float32')]))"
    text = run_python("-c", code, NUMBA_CPU_NAME="x86-64", NUMBA_CPU_FEATURES="+sse2")
    arm = processor.has_fma("")
    assert ("llvm.fma" in text) == arm and ("fmul" in text) and "@m_exp_float32(float %x)" in text


def test_the_header_agrees_with_numba_functions():
    """MFU-01: one question decides for both whether there is a fused multiply-add."""
    assert texts.header().endswith(", fma" if floats.HARDWARE_FMA else ", no fma")
    assert not processor.has_fma("+fma4,-fma") or processor.has_fma("")
    assert processor.has_fma("+avx,+fma")


def test_unknown_functions_are_refused(monkeypatch):
    """MFU-04: by name, with what there is; a function that might raise is not a kernel's."""
    with pytest.raises(ValueError, match="no function 'expp'; there are"):
        texts.texts([("expp", "float32")])
    with pytest.raises(TypeError, match="exp: no implementation for dtype 'int64'"):
        texts.texts([("exp", "int64")])
    with pytest.raises(ValueError, match="no function 'acc_sum'"):
        texts.texts([], ["acc_sum"])

    def raises(x):
        if x < 0:
            raise ValueError
        return x

    monkeypatch.setattr(generate, "_function", lambda symbol, evex: generate._dispatcher(raises))
    with pytest.raises(CompileError, match="m_exp_float32: a function for kernels may not raise"):
        generate.entities("m_exp_float32")
