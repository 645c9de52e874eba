"""Failures on a GPU: of functions, and of the device, which does not get well again."""

import pytest

import nbgraph as ng
from nbgraph.errors import DeviceError
from tests.array.gpu import GPU, emulated_only
from tests.support import child


def test_a_function_on_a_stream():
    """ENG-07, ENG-08, ENG-15: run_ctx.stream is the device's, a handle that other libraries take,
    and no other type's; the result and the failure come back."""
    x = ng.zeros(3, device=GPU)

    def work(run_ctx):
        assert run_ctx.device == GPU and run_ctx.get_stream("gpu") is run_ctx.stream
        with pytest.raises(DeviceError, match=r"a cpu stream was asked for.*runs on gpu\(0\)"):
            run_ctx.get_stream("cpu")
        assert isinstance(run_ctx.stream.handle, int) and run_ctx.stream.handle > 0
        return run_ctx.stream.device

    assert ng.engine.push(work, ctx=GPU, const_vars=[x.variable]).result(30) == 0
    assert ng.engine.push(lambda run_ctx: run_ctx.stream).result(30) is None
    if ng.num_gpus() > 1:
        there = ng.engine.push(lambda run_ctx: run_ctx.stream.device, ctx=ng.gpu(1))
        assert there.result(30) == 1

    def fail(run_ctx):
        raise OSError("on purpose")

    ng.engine.push(fail, ctx=GPU, mutate_vars=[x.variable], name="the one that fails")
    y = x + 1
    with pytest.raises(OSError, match="on purpose") as caught:
        y.asnumpy()
    assert any("the one that fails" in note for note in caught.value.__notes__)
    assert "failed in" in repr(y)
    z = ng.zeros(3, device=GPU)
    z[:] = 1
    assert z.asnumpy().tolist() == [1, 1, 1]


@pytest.mark.parametrize("kind", [TypeError, ValueError, OverflowError])
def test_a_function_of_an_array_library(kind):
    """What it raises is the operation's failure, not the device's."""
    x = ng.zeros(3, device=GPU)

    def fail(xp, values):
        raise kind("on purpose")

    def work(run_ctx):
        run_ctx.stream.call(fail, [(x._address, (3,), x.dtype, (4,))])

    ended = ng.engine.push(work, ctx=GPU, mutate_vars=[x.variable])
    with pytest.raises(kind, match="on purpose"):
        ended.result(30)
    assert ng.ones(3, device=GPU).sum().item() == 3


WILD = {
    "a function": """
far = x._address + (1 << 28)
ng.engine.push(lambda c: c.stream.read(np.empty(8, np.uint8), far), ctx=g,
               mutate_vars=[x.variable], name="the wild one")
""",
    "an operator": """
far = ng.ones(100, device=g)
far.wait_to_read()  # what is under way when a device fails fails, too
far._address = 4096
x += ng.exp(far)
""",
    "a user's kernel": """
@ng.thread_kernel
def fill(src, ret, req, start, step):
    for i in range(start, src.size, step):
        ret[i] = src[i]
the_wild_one = ng.register_simple_op("the_wild_one").set_function("gpu", fill)
far = ng.ones(100, device=g)
far.wait_to_read()  # what is under way when a device fails fails, too
far._address = 4096
x += the_wild_one(far)
""",
}
NAMED = {"a function": "the wild one", "an operator": "exp", "a user's kernel": "the_wild_one"}
PROGRAM = """
import numpy as np, nbgraph as ng
g = ng.gpu(0)
x = ng.array(np.ones(100, np.float32), device=g)
for _ in range(4):  # kernels are there, and memory for results: a failed device gives neither
    held = [ng.exp(ng.ones(100, device=g)), x + 1]
    x += held[0]
del held
x.asnumpy()
{wild}
y = x + 1
for array in (y, x):
    try:
        array.asnumpy()
    except ng.errors.DeviceError as error:
        print("an illegal memory access was encountered" in str(error), error.__notes__[0])
try:
    print((ng.ones(3, device=g) + 1).asnumpy())
except ng.errors.DeviceError as error:
    print("again")
try:  # as large as no free block: fresh memory is asked for, and that is not a shortage
    ng.ones(1 << 20, device=g).asnumpy()
except ng.errors.DeviceError as error:
    print("no shortage")
elsewhere = ng.gpu(1) if ng.num_gpus() > 1 else ng.cpu()
print((ng.ones(3, device=elsewhere) + 1).asnumpy(), ng.ones(3))
try:
    ng.waitall()
except ng.errors.DeviceError:
    print("told")
"""


# a real device refuses a copy from nowhere when it is asked for, and goes on
@pytest.mark.parametrize(
    "kind", [pytest.param("a function", marks=emulated_only), "an operator", "a user's kernel"]
)
def test_an_illegal_access_poisons_the_device(kind):
    """The failure is raised at the wait, with the operator's name; other devices go on."""
    found = child("-c", PROGRAM.format(wild=WILD[kind]), timeout=120)
    if "nbgraph[cuda13]" in found.stderr:
        pytest.skip(found.stderr.splitlines()[-1])
    lines = found.stdout.splitlines()
    assert found.returncode == 0, found.stderr
    assert lines[0] == lines[1]
    assert lines[0].startswith("True ") and f"'{NAMED[kind]}'" in lines[0]
    assert lines[2:5] == ["again", "no shortage", "[2. 2. 2.] [1. 1. 1.]"], found.stdout
