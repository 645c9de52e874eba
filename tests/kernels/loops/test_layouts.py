"""All layouts give the bits of the contiguous run: shapes, strides, offsets, tails, overlaps.

Kernel budget of this file: about 30 (three operators, a handful of layout classes each).
"""

import importlib.util
import itertools
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.operator.layout import layout, layout_of
from nbgraph.operator.scalar.map_call import map_call
from nbgraph.shape import address
from tests.support import run_python


@ng.op
def bell(x, y):
    return y * math.exp(-x * x) + x


@ng.op
def wave(x):
    return math.sin(x) + 0.5 * x


@ng.op
def mix(a, b):
    return (a * b) ^ (a >> 3)


SIZES = (0, 1, 1, 2, 3, 5, 7, 11, 13)


def bits(array):
    """Its bits, but for the signs of what is not a number: layouts are compiled one by one."""
    array = np.asarray(array)
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), array.dtype.type(np.nan), array)
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def assert_same_bits(got, wanted):
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    np.testing.assert_array_equal(bits(got), bits(wanted))


def values(shape, dtype, seed):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-42, 1e5, -3e9], dtype)
        flat = (4 * rng.standard_normal(math.prod(shape))).astype(dtype)
        flat[::17] = rng.choice(special, len(flat[::17]))
        return flat.reshape(shape)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)


@st.composite
def view(draw, shape, dtype, *, broadcast=True):
    """An array that broadcasts to `shape`, laid out in any way NumPy allows."""
    if broadcast:
        shape = tuple(draw(st.sampled_from((n, n, n, 1))) for n in shape)
        shape = shape[draw(st.integers(0, len(shape))) if draw(st.booleans()) else 0 :]
    seed, rank = draw(st.integers(0, 2**16)), len(shape)
    steps = [draw(st.sampled_from((1, 1, 1, 2, 3, -1, -2))) for _ in shape]
    order = draw(st.permutations(range(rank)))
    wide = [shape[d] * abs(steps[d]) for d in order]
    size = math.prod(wide)
    shift = draw(st.sampled_from((0, 0, 1, 3)))
    itemsize = np.dtype(dtype).itemsize
    memory = np.zeros(size * itemsize + 8, np.uint8)[shift : shift + size * itemsize]
    base = memory.view(dtype).reshape(wide)
    base = base.transpose(np.argsort(order)) if rank else base
    result = base[(..., *(slice(None, None, s) for s in steps))]
    result[...] = values(shape, dtype, seed)
    return result


shapes = (
    st.lists(st.sampled_from(SIZES), max_size=6)
    .map(tuple)
    .filter(lambda s: math.prod(max(n, 1) for n in s) <= 6000)
)
quick = settings(max_examples=120, suppress_health_check=list(HealthCheck))


@quick
@given(st.data())
def test_binary_views(data):
    """Any shapes that broadcast, any strides, any offset, of operands and output."""
    shape = data.draw(shapes)
    x, y = (data.draw(view(shape, np.float32)) for _ in range(2))
    full = np.broadcast_shapes(x.shape, y.shape)
    wanted = bell(*(np.broadcast_to(a, full).copy() for a in (x, y)), out=np.empty(full, "f4"))
    assert_same_bits(np.asarray(bell(x, y)), wanted)
    out = data.draw(view(full, np.float32, broadcast=False))
    assert bell(x, y, out=out) is out
    assert_same_bits(out, wanted)


@quick
@given(st.data())
def test_unary_views_of_trigonometry(data):
    """The run that is done again for huge arguments gives the same bits in every layout."""
    x = data.draw(view(data.draw(shapes), np.float64))
    assert_same_bits(
        np.asarray(wave(x)), np.asarray(wave(np.ascontiguousarray(x).reshape(x.shape)))
    )


@quick
@given(st.data())
def test_integer_views(data):
    shape = data.draw(shapes)
    x, y = (data.draw(view(shape, np.int16)) for _ in range(2))
    assert_same_bits(np.asarray(mix(x, y)), np.asarray((x * y) ^ (x >> 3)))


@pytest.mark.parametrize("rank", [1, 7, 33, 64])
def test_high_ranks(rank):
    """NumPy's highest rank, with axes that do not merge."""
    shape = tuple(2 if d % max(rank // 9, 1) == 0 else 1 for d in range(rank))
    x = values(shape, np.float32, rank)
    y = np.broadcast_to(values(shape[-1:], np.float32, 1), shape)
    turned = x.transpose(np.random.default_rng(0).permutation(rank))[::-1]
    assert_same_bits(bell(x, y), bell(x.ravel(), y.ravel()).reshape(shape))
    assert_same_bits(
        np.asarray(bell(turned, turned)), bell(turned.ravel(), turned.ravel()).reshape(turned.shape)
    )


def test_empty_and_0d():
    assert bell(np.zeros((0, 3), "f4"), np.zeros(3, "f4")).shape == (0, 3)
    assert bell(np.zeros((3, 0), "f4"), 1.0).dtype == np.float32
    assert type(bell(np.float32(1), np.float32(2))) is np.float32
    assert bell(np.array(1.0), np.array(2.0), out=np.empty(())).shape == ()


# overlap ----------------------------------------------------------------------------------------

BUFFER = values((60,), np.float32, 5)
WINDOWS = [
    slice(start, start + length * step if start + length * step >= 0 else None, step)
    for length in (9, 17)
    for start, step in ((20, 1), (21, 1), (19, 1), (12, 1), (20, 2), (21, 2), (45, -1), (36, -1),
                        (36, -2), (59, -3))
]  # fmt: skip


@pytest.mark.parametrize("out", WINDOWS, ids=str)
def test_output_over_operands(out):
    """Partly, exactly, shifted or reversed on top of its operands: as if it lay elsewhere."""
    for x in WINDOWS:
        for y in WINDOWS[::3]:
            memory, copy = BUFFER.copy(), BUFFER.copy()
            if not memory[x].shape == memory[y].shape == memory[out].shape:
                continue
            copy[out] = bell(BUFFER[x].copy(), BUFFER[y].copy())
            bell(memory[x], memory[y], out=memory[out])
            assert_same_bits(memory, copy)


@pytest.mark.parametrize("size", [1, 7, 64, 1001])
@pytest.mark.parametrize("op", [bell, wave], ids=lambda op: op.__name__)
def test_in_place_is_bit_identical(op, size):
    """OPR-09: out is in."""
    x = values((size,), np.float32, size)
    wanted = op(*[x.copy()] * op.nin)
    assert op(*[x] * op.nin, out=x) is x
    assert_same_bits(x, wanted)


def test_in_place_over_two_dimensions():
    grid = values((9, 14), np.float32, 3)
    for turn in (lambda a: a.T, lambda a: a[::-1], lambda a: a[:, ::-1]):
        square = grid[:, :9].copy()
        wanted = bell(turn(square).copy(), square.copy())
        bell(turn(square), square, out=square)
        assert_same_bits(square, wanted)
    row = grid.copy()
    wanted = bell(row[:1].copy(), row.copy())
    bell(row[:1], row, out=row)  # a row that broadcasts over the array it is part of
    assert_same_bits(row, wanted)


def test_output_of_another_dtype_over_its_operand():
    memory = values((64,), np.float64, 2)
    narrow = memory.view(np.float32)[:64]
    wanted = wave(memory.copy()).astype(np.float32)
    wave(memory, out=narrow)
    np.testing.assert_array_equal(narrow, wanted)


def test_output_whose_elements_share_memory():
    """Zero strides: every element of the operand is the same, so is the result."""
    place = np.zeros(1, np.float32)
    out = np.lib.stride_tricks.as_strided(place, (5,), (0,))
    wave(np.full(5, 0.5, np.float32), out=out)
    assert place[0] == wave(np.float32(0.5))


def test_outputs_over_each_others_operands():
    polar = ng.op(lambda r, p: (r * math.cos(p), r * math.sin(p)))
    r, p = np.linspace(1, 2, 40), np.linspace(0, 3, 40)
    x, y = polar(r.copy(), p.copy())
    got = polar(r, p, out=(p, r))
    assert_same_bits(got[0], x)
    assert_same_bits(got[1], y)


def test_foreign_byte_order():
    """Arrays of the other byte order are read and written as NumPy does."""
    x = np.linspace(-2, 2, 9)
    swapped = x.astype(">f8")
    out = np.empty(9, ">f8")
    assert wave(swapped, out=out) is out
    np.testing.assert_array_equal(out, wave(x))
    np.testing.assert_array_equal(wave(swapped, out=swapped), wave(x))


# guard pages ------------------------------------------------------------------------------------

GUARDED = """
import ctypes, math, mmap, os
import numpy as np
import nbgraph as ng

PAGE = mmap.PAGESIZE
protect = ctypes.CDLL(None).mprotect

class Guarded:
    '''A page of memory between two that must not be touched.'''
    def __init__(self):
        self.map = mmap.mmap(-1, 3 * PAGE)
        base = ctypes.addressof(ctypes.c_char.from_buffer(self.map))
        for page in (0, 2):
            assert protect(ctypes.c_void_p(base + page * PAGE), PAGE, 0) == 0
    def array(self, n, dtype, shift, end):
        size = n * np.dtype(dtype).itemsize
        offset = 2 * PAGE - size - shift if end else PAGE + shift
        return np.frombuffer(self.map, dtype, n, offset)

smooth = ng.op(lambda x: x - 0.5 if x > 1 else 0.5 * x * x)
wave = ng.op(lambda x: math.sin(x))
gauss = ng.op(lambda x, y: math.exp(-x * x) * y)
polar = ng.op(lambda r, p: (r * math.cos(p), r - p))
bits = ng.op(lambda n: n ^ (n >> 1))
slope = gauss.derivative(0)
guards = [Guarded() for _ in range(4)]
cases = [(smooth, 'f4'), (smooth, 'f2'), (wave, 'f8'), (gauss, 'f4'), (polar, 'f4'), (bits, 'u1'),
         (slope, 'f8')]
for op, dtype in cases:
    for n in range(71):
        for shift in (0, 1, 3):
            for end in (True, False):
                ins = [g.array(n, dtype, shift, end) for g in guards[:op.nin]]
                outs = [g.array(n, dtype, shift, end) for g in guards[2:2 + op.nout]]
                plain = [np.linspace(0, 3, n).astype(dtype) for _ in ins]
                for a, p in zip(ins, plain):
                    a[...] = p
                got = op(*ins, out=tuple(outs))
                wanted = op(*plain)
                both = (got, wanted) if op.nout > 1 else ((got,), (wanted,))
                for a, b in zip(*both):
                    assert a.tobytes() == b.tobytes(), (op, dtype, n, shift, end)
                op(*[a[::-1] for a in ins], out=tuple(o[::-1] for o in outs))
print('untouched', flush=True)
os._exit(0)
"""


def test_every_tail_between_guard_pages(tmp_path):
    """Sizes 0 to 70, aligned or not, against pages that may not be touched."""
    script = tmp_path / "guarded.py"
    script.write_text(GUARDED)
    assert run_python(script).strip() == "untouched"


@example(n=3, lo=1, hi=2)
@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 40), lo=st.integers(0, 40), hi=st.integers(0, 40))
def test_ranges_of_a_kernel_are_independent(n, lo, hi):
    """A caller may split the iteration space anywhere (DESIGN, kernel ABI)."""
    from nbgraph.kernels.compiler.kernel import record

    x = values((n,), np.float32, n)
    wanted = wave(x)
    (code,) = [
        k for plan in wave.invoker._plans.values() for key, k in plan.kernels.items()
        if plan.typed.outputs[0] == np.float32 and key[0] == ("c", "c")
    ]  # fmt: skip
    out = np.full(n, 7, np.float32)
    words = record(n, [x.ctypes.data, out.ctypes.data], [4, 4], [], [])
    lo, hi = sorted((min(lo, n), min(hi, n)))
    for a, b in ((lo, hi), (0, lo), (hi, n)):
        code.run(words, a, b)
    np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize(
    "name", "shifted fma address range int64 part run float32_to_float16".split()
)
def test_a_function_may_have_the_name_of_a_word_of_emitted_text(name, tmp_path):
    """Texts of kernels call such words themselves."""
    (tmp_path / "named.py").write_text(f"def {name}(x, y):\n    return x + y\n")
    spec = importlib.util.spec_from_file_location("named", tmp_path / "named.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    f = ng.op(getattr(module, name))
    x = np.arange(24, dtype="float32").reshape(2, 3, 4).transpose(0, 2, 1)
    y = np.ones((2, 4, 3), "float32")
    out = np.empty((2, 4, 3), "float16")
    f(x, y, out=out, casting="unsafe")
    assert (out == x + y).all()


@settings(max_examples=60, deadline=None)
@given(st.data())
@pytest.mark.parametrize("request_", ["write", "add"])
def test_runs_across_short_and_strided_rows(request_, data):
    """What does not lie as the result does is copied to strips; ranges begin and end anywhere."""
    shape = data.draw(
        st.sampled_from([(9, 5), (300, 11), (3, 40, 2), (2, 700), (1500,), (4, 3, 8)])
    )
    dtype = data.draw(st.sampled_from(["float32", "float64", "float16"]))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    operands = []
    for _ in range(2):
        step = data.draw(st.sampled_from([1, 2, -1]))
        whole = rng.normal(size=[*shape[:-1], shape[-1] * abs(step)]).astype(dtype)
        part = whole[(*[slice(None)] * (len(shape) - 1), slice(None, None, step))]
        kept = data.draw(st.integers(0, len(shape)))
        operands.append(
            part[tuple(slice(0, 1) if d == kept else slice(None) for d in range(len(shape)))]
        )
    shape = np.broadcast_shapes(*(x.shape for x in operands))
    wanted = bell(*(np.ascontiguousarray(np.broadcast_to(x, shape)) for x in operands))
    old = rng.normal(size=shape).astype(wanted.dtype)
    out, layouts = old.copy(), [layout_of(x) for x in operands]
    plan = bell.invoker.plan_of([x.dtype for x in operands], {})
    call = map_call(plan, shape, layouts, [layout_of(out)], [request_])
    block = np.array(call.block([address(x) for x in (*operands, out)]), np.int64)
    cuts = sorted({0, call.size, *data.draw(st.lists(st.integers(0, call.size), max_size=3))})
    for lo, hi in itertools.pairwise(cuts):
        call.code.run(block, lo, hi)
    if request_ == "add":
        wide = np.float32 if dtype == "float16" else wanted.dtype
        wanted = (old.astype(wide) + wanted.astype(wide)).astype(wanted.dtype)
    np.testing.assert_allclose(
        out, wanted, rtol=0 if request_ == "write" else 1e-2, atol=1e-3 * (request_ == "add")
    )


@pytest.mark.parametrize(
    ("operand", "other", "joined"),
    [
        ((300, 5), (300, 1), True),
        ((300, 5), (5,), True),
        ((300, 200), (200,), False),  # rows with enough numbers of their own
        ((300, 5), (300, 5), False),  # one row
        ((300, 5), (1, 1), False),  # a number
    ],
)
def test_which_runs_go_on_across_rows(operand, other, joined):
    layouts = [layout(shape, np.dtype("float32")) for shape in (operand, other, operand)]
    plan = bell.invoker.plan_of([x.dtype for x in layouts[:2]], {})
    call = map_call(plan, operand, layouts[:2], layouts[2:], ["write"])
    assert call.code.loop.joined == joined
