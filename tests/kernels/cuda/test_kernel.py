"""Kernels for the GPU: made once for each content, kept on disk, refused with a reason."""

import dataclasses
import linecache
import re
import threading

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.array.push import same
from nbgraph.codegen import cache
from nbgraph.errors import CompileError
from nbgraph.kernels.cuda import compile as compiled
from nbgraph.kernels.cuda import kernel as kernels
from nbgraph.kernels.cuda import machine
from nbgraph.kernels.cuda.emit import emit
from nbgraph.kernels.cuda.grid import Grid
from nbgraph.kernels.cuda.kernel import device_kernel
from nbgraph.operator.report.device_code import DeviceExplanation
from tests.kernels.cuda import machine_code
from tests.support import on_threads


def loop_of(op, dtype="float32"):
    """The contiguous map of an operator."""
    plan = op.invoker.plan_of([np.dtype(dtype)] * op.nin, op.parameters_of({}))
    return plan.loop(["c"] * (op.nin + 1), [dtype], ["write"])


@ng.op
def hinge(x, *, slope=0.5):
    if x > 0:
        return x
    return slope * x


def test_one_kernel_a_content_and_one_file():
    """SMP-40: equal loops share PTX; another process, or another day, finds it on disk."""
    first = device_kernel(loop_of(hinge), Grid(lanes=4), (9, 0))
    assert device_kernel(loop_of(hinge), Grid(lanes=4), (9, 0)) is first
    others = [
        device_kernel(loop_of(hinge), Grid(lanes=1), (9, 0)),
        device_kernel(loop_of(hinge), Grid(lanes=4), (8, 0)),
        device_kernel(loop_of(hinge), Grid(lanes=4, threads=128), (9, 0)),
        device_kernel(loop_of(hinge, "float64"), Grid(lanes=2), (9, 0)),
    ]
    assert len({k.key for k in [first, *others]}) == 5
    kernels._KERNELS.clear()  # as in another process
    before = cache.info().misses
    again = device_kernel(loop_of(hinge), Grid(lanes=4), (9, 0))
    assert again is not first and again.ptx == first.ptx
    assert cache.info().misses == before


def test_threads_that_ask_at_once_get_one_kernel():
    loop = loop_of(ng.op(lambda x: x * 3.25 - 1.5))
    found, start = [], threading.Barrier(6)

    def ask():
        start.wait()
        found.append(device_kernel(loop, Grid(), (9, 0)))

    before = cache.info().stored
    on_threads(ask, 6)
    assert len({id(k) for k in found}) == 1
    assert cache.info().stored == before + 1


def test_what_a_launch_needs_to_know():
    made = device_kernel(loop_of(hinge), Grid(lanes=4, threads=128), (9, 0))
    assert made.form.words == 2 + 2 * 2 + 1 and made.form.threads == 128
    assert re.search(rf"\.entry {made.name}\(", made.ptx)
    assert f"{made.name}_param_0[{8 * made.form.words}]" in made.ptx
    assert ".maxntid 128" in made.ptx and ".target sm_90" in made.ptx


@pytest.mark.parametrize("name", ["add", "ret", "body", "λ", "a b", "<lambda>", "mov"])
def test_any_name_of_an_operator(name):
    """Names of instructions, of functions of the module, and such as PTX does not know."""
    op = ng.op(lambda x: x + 0.125, name=name) if name.isidentifier() else ng.op(lambda x: x + 8)
    made = device_kernel(loop_of(op), Grid(), (9, 0))
    assert made.name.isascii() and f".entry {made.name}(" in made.ptx
    if machine.library() is not None:
        assert machine.facts(made.ptx, (9, 0)).stack == 0


def test_records_longer_than_four_kilobytes():
    """Fused graphs may have hundreds of operands."""
    machine_code.required()
    names = [f"x{k}" for k in range(180)]
    text = f"def wide({', '.join(names)}):\n    return {' + '.join(names)}\n"
    made = device_kernel(_from_text(text, "wide"), Grid(rank=3), (8, 0))
    assert made.form.words > 512
    assert machine.facts(made.ptx, (8, 0)).spills == 0


def _from_text(text, name, dtype="float32"):
    """The strided map of a function given as text."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space = {}
    exec(compile(text, name, "exec"), space)
    op = ng.op(space[name])
    plan = op.invoker.plan_of([np.dtype(dtype)] * op.nin, op.parameters_of({}))
    return plan.loop(["s"] * (op.nin + 1), [dtype], ["write"])


def test_a_function_without_text_is_refused_by_name():
    """The remedy is to give it a text."""
    space = {}
    exec("def hidden(x):\n    return x * 2.0\n", space)
    op = ng.op(space["hidden"])
    with pytest.raises(
        CompileError, match=r"calls hidden, whose source text cannot be found.*file"
    ):
        op.ptx("float32")
    assert "none: " in str(op.explain(device="gpu"))


def test_what_llvm_has_no_gpu_code_for_is_refused_before_it_ends_the_process():
    source = emit(loop_of(hinge), Grid())
    for text in (
        "declare double @llvm.sin.f64(double)",
        "declare double @tgamma(double)",
        "  %1 = udiv i128 %a, %b",
    ):
        with pytest.raises(CompileError, match="hinge: needs .*no GPU code.*device='cpu'"):
            compiled._require_device_code(source, f"{text}\n")
    compiled._require_device_code(source, "declare float @llvm.fma.f32(float, float, float)\n")


def test_an_unknown_capability_is_refused():
    with pytest.raises(ng.errors.ArgumentError, match=r"ptx: cc=\(7, 5\).*\(8, 0\)"):
        hinge.ptx("float32", (7, 5))
    with pytest.raises(CompileError, match=r"compute capability 3.5: PTX is made for 8.0"):
        device_kernel(loop_of(hinge), Grid(), (3, 5))
    with pytest.raises(ng.errors.DTypeError, match="dtype='float3'; expected a dtype"):
        hinge.ptx("float3")


@pytest.mark.parametrize("capability", compiled.CAPABILITIES)
def test_every_capability(capability):
    """The linker takes what LLVM writes for each, vectors of halves and a sum over threads too."""
    machine_code.required()
    total = [output._replace(combine="add") for output in loop_of(hinge).outputs]
    blocks = dataclasses.replace(loop_of(hinge), form="reduce", outputs=tuple(total))
    for loop, grid in (
        (loop_of(hinge, "float16"), Grid(lanes=8)),
        (loop_of(ng.sin), Grid(lanes=4)),
        (blocks, Grid(lanes=4)),
    ):
        made = device_kernel(loop, grid, capability)
        assert f".target sm_{capability[0]}{capability[1]}\n" in made.ptx
        assert machine.facts(made.ptx, capability).stack == 0


@pytest.mark.parametrize("teams", [1, 8])
def test_exchanges_are_not_written_twice(teams):
    """Threads of a warp must meet at one instruction: LLVM may not copy it into both sides of a
    branch that only some of them take, as it does with what it takes for arithmetic."""
    loop = loop_of(hinge)
    whole = [output._replace(combine="max", whole=True) for output in loop.outputs]
    loop = dataclasses.replace(loop, form="reduce", outputs=tuple(whole))
    made = device_kernel(loop, Grid(lanes=4, rank=1, teams=teams), (9, 0))
    warps = 256 // teams // 32
    assert made.ptx.count("shfl.sync") == 5 + (warps - 1).bit_length()
    assert made.ptx.count("bar.sync") + made.ptx.count("barrier.sync") == (2 if warps > 1 else 0)


def test_what_operators_show():
    """SMP-07, MSP-04: PTX, facts and the kernel's text, on a machine without a GPU."""
    assert hinge.ptx("float32", "8.0") == hinge.ptx("float32", (8, 0)) != hinge.ptx()
    shown = hinge.explain(device="gpu", dtype="float16")
    assert isinstance(shown, DeviceExplanation)
    assert shown.vectors == ["ld.global.v4.b32", "st.global.v4.b32"]
    assert "def hinge(args, start, step):" in str(shown)
    assert "8 elements a thread at once" in str(shown)
    facts = shown.to_dict()["gpu"]
    assert facts["lanes"] == 8 and facts["capability"] == [9, 0]
    if machine.library() is not None:
        assert facts["machine"]["stack"] == 0 and facts["machine"]["registers"] > 8
    hinge.precompile(["float64"], devices=["gpu"])
    with pytest.raises(ng.errors.ArgumentError, match="'tpu' is not known; use 'cpu' or 'gpu'"):
        hinge.precompile(["float64"], devices=["tpu"])


@pytest.mark.parametrize("dtype", ["int64", "uint64", "float64"])
def test_eight_bytes_are_loaded_at_once(dtype):
    """LLVM halves what it does not know to be aligned."""
    text = device_kernel(loop_of(same, dtype), Grid(), (9, 0)).ptx
    assert "ld.global.b64" in text and "st.global.b64" in text
    assert "global.b32" not in text


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("wanted", ["uint8", "uint16", "uint32", "uint64"])
def test_negative_floats_wrap_where_there_is_no_sign(dtype, wanted):
    """As on the host. PTX's own conversion makes 0 of them, which the emulation does not show."""
    plan = same.invoker.plan_of([np.dtype(dtype)], same.parameters_of({}))
    loop = plan.loop("cc", [wanted], ["write"])
    text = device_kernel(loop, Grid(), (9, 0)).ptx
    assert "cvt.rzi.s" in text and "cvt.rzi.u" not in text


def test_spilled_registers_are_seen():
    """The gate of the proof would notice: 64 numbers that are needed twice, in few registers."""
    machine_code.required()
    names = [f"x{k}" for k in range(64)]
    text = f"({' + '.join(names)}) * ({' * '.join(reversed(names))})"
    loop = _from_text(f"def twice({', '.join(names)}):\n    return {text}\n", "twice", "float64")
    roomy = device_kernel(loop, Grid(rank=1), (9, 0)).ptx
    assert machine.facts(roomy, (9, 0)).spills == 0
    tight = roomy.replace(".maxntid 256", ".maxnreg 24")
    assert machine.facts(tight, (9, 0)).spills > 0


def test_the_linker_says_what_it_refuses():
    machine_code.required()
    with pytest.raises(CompileError, match="nvJitLink refuses the PTX"):
        machine.machine_code(hinge.ptx().replace(".target sm_90", ".target sm_9"), (9, 0))
