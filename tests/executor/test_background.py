"""Graphs that run operator by operator while their fused kernels are compiled."""

import gc
import threading
import warnings
import weakref

import pytest

import nbgraph as ng
from nbgraph.codegen.making import background
from nbgraph.errors import CompileError, OutOfMemory
from nbgraph.executor import compiled, interim
from nbgraph.executor.program import Program
from nbgraph.kernels.compiler.kernel import Kernel
from tests.executor.absent import WAIT, X, absent, chain, held
from tests.executor.storm import values
from tests.graph.naive import same_bits
from tests.support import run_python

__all__ = ["absent"]


def form(exe, name="forward"):
    """What runs: how many steps, and what stands in."""
    return len(exe.plan().by_program[name]), bool(exe.programs()[name].interim)


# what runs when ----------------------------------------------------------------------------------


def test_reductions_in_loops_stay_and_are_waited_for(absent):
    """Only loops without sums are taken apart: the others would add up in another order."""
    x, y = ng.var("x", (50,), "float32"), ng.var("y", (40,), "float32")
    net = ng.Group([ng.sum(chain(x) ** 2), ng.sort(chain(y))])
    with held():
        exe = net.simple_bind(grad_req="null")
        exe.forward(x=X, y=X[:40])
        names = [row.name for row in exe.plan().by_program["forward"]]
        assert exe.programs()["forward"].interim
    assert any(n.startswith("fused") for n in names) and any(n.startswith("tanh") for n in names)


def test_a_graph_of_sums_alone_is_waited_for(absent):
    x = ng.var("x", (50,), "float32")
    with held():
        exe = ng.sum(chain(x)).simple_bind()
        exe.forward(x=X)
        assert not exe.programs()["forward"].interim
    assert ng.compile_report().pending == ()


@pytest.mark.parametrize("kind", ["naive", "chaos"])
def test_engines_with_a_fixed_order_have_one_form(absent, kind):
    """A replay must meet the operations that were recorded."""
    ng.engine.set(kind)
    with held():
        exe = chain(ng.var("x")).simple_bind(x=(50,))
        exe.forward(x=X)
        assert form(exe) == (1, False)


def test_a_setting_turns_it_off(absent):
    """NBGRAPH_EAGER_COMPILE=1; a program that is waiting already is waited for, too."""
    with held():
        with ng.config(eager_compile=1):
            exe = chain(ng.var("x")).simple_bind(x=(50,))
            exe.forward(x=X)
            assert form(exe) == (1, False)
        compiled._COMPILED.clear()
        absent.clear()
        other = chain(ng.var("x")).simple_bind(x=(50,))
        other.forward(x=X)
        assert form(other)[1]
        with ng.config(eager_compile=1):
            other.forward(x=X)
        assert form(other) == (1, False)


def test_small_work_is_waited_for(absent, monkeypatch):
    monkeypatch.setattr(interim, "compile_seconds", lambda loop, _: interim.WORTH / 2)
    with held():
        exe = chain(ng.var("x")).simple_bind(x=(50,))
        exe.forward(x=X)
        assert form(exe) == (1, False)


def test_no_form_that_takes_as_long_to_compile(absent, monkeypatch):
    """Where the operators' own kernels are absent, too, there is nothing to gain."""
    monkeypatch.setattr(Kernel, "at_hand", lambda kernel: kernel in absent)
    monkeypatch.setattr(interim, "compile_seconds", lambda loop, _: 1.0)
    with held():
        exe = chain(ng.var("x")).simple_bind(x=(50,))
        exe.forward(x=X)
        assert form(exe) == (1, False)


def test_memory_that_operators_one_by_one_lack_is_no_error(absent, monkeypatch):
    """X-MEM-04: fused loops need less."""
    build = Program._build

    def short(self, made):
        if made is not self.target:
            raise OutOfMemory("no room")
        build(self, made)

    monkeypatch.setattr(Program, "_build", short)
    exe = chain(ng.var("x")).simple_bind(x=(50,))
    exe.forward(x=X)
    assert form(exe) == (1, False)


def test_arenas_far_beyond_the_plan_are_not_taken(absent, monkeypatch):
    monkeypatch.setattr(interim, "_MORE_BYTES", -1)
    exe = chain(ng.var("x")).simple_bind(x=(50,))
    assert exe._bound.predict.compiled is exe._bound.predict.target


def test_executors_of_one_graph_share_the_wait(absent):
    net = chain(ng.var("x"))
    with held():
        exes = [net.simple_bind(x=(50,)) for _ in range(3)]
        first = [values(exe.forward(x=X * k)) for k, exe in enumerate(exes)]
        assert len(ng.compile_report().pending) == 1
        assert all(form(exe)[1] for exe in exes)
    background.settle(WAIT)
    assert all(same_bits(values(e.forward()), f) for e, f in zip(exes, first, strict=True))
    assert [form(exe) for exe in exes] == [(1, False)] * 3


def test_after_the_change_a_run_is_one_call_again(absent):
    """EXE-01: nothing looks any more whether there is something to change."""
    exe = chain(ng.var("x")).simple_bind(x=(50,))
    with held():
        exe.forward(x=X)
        assert exe._bound.predict.plain is None
    background.settle(WAIT)
    exe.forward()
    program = exe._bound.predict
    assert program.plain is not None and program.compiled is program.target
    assert program.target.substitute is None


# functions ---------------------------------------------------------------------------------------


def test_jit_functions_change_over_between_calls(absent):
    """Loose programs bring their arrays; those kept for later calls change, too."""
    f = ng.jit(lambda x, y: chain(x * y))
    a, b = ng.array(X), ng.array(X[::-1].copy())
    with held():
        before = values([f(a, b), f(b, a), f(a, a), f(a, a)])
        inner = f._versions[next(iter(f._versions))].function
        assert inner.compiled.substitute is not None
    background.settle(WAIT)
    assert same_bits(before, values([f(a, b), f(b, a), f(a, a), f(a, a)]))
    assert inner.compiled.substitute is None
    kept = [program for idle in inner._idle.values() for program in idle]
    assert len(kept) == 2 and all(p.compiled is inner.compiled for p in kept)


def test_gradients_of_jit_functions(absent):
    f = ng.value_and_grad(ng.jit(lambda x: ng.sum(ng.sort(chain(x)))))
    x = ng.array(X)
    with held():
        before = [a.asnumpy().copy() for a in f(x)]
    background.settle(WAIT)
    assert same_bits(before, [a.asnumpy().copy() for a in f(x)])


def test_threads_call_while_it_changes(absent):
    """Whoever calls, and whenever: the same bits."""
    f = ng.jit(chain)
    exe = chain(ng.var("x")).simple_bind(x=(50,))
    wrong, stop = [], threading.Event()
    with held():
        right = [f(ng.array(X)).asnumpy().copy()]
        exe.forward(x=X)

    def work():
        while not stop.is_set():
            exe.forward()
            if not same_bits([f(ng.array(X)).asnumpy().copy()], right):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    background.settle(WAIT)
    stop.set()
    for t in threads:
        t.join(WAIT)
    assert not wrong and same_bits(values(exe.forward()), right)


# failures ----------------------------------------------------------------------------------------


@pytest.fixture
def broken(absent, monkeypatch):
    """The fused kernels cannot be compiled."""
    load = Kernel.load

    def refused(kernel):
        if kernel.loop.name == "fused":
            raise CompileError("the compiler is out of order")
        load(kernel)

    monkeypatch.setattr(Kernel, "load", refused)


def test_a_failure_in_the_background_is_told_once(broken):
    """The form that stands in goes on; the report keeps the reason."""
    exe = chain(ng.var("x")).simple_bind(x=(50,))
    with held():
        first = values(exe.forward(x=X))
    background.settle(WAIT)
    with pytest.warns(RuntimeWarning, match=r"one by one: the compiler is out of order.*report"):
        second = values(exe.forward())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        third = values(exe.forward())
    assert same_bits(first, second) and same_bits(first, third)
    assert "could not be compiled: the compiler is out of order" in str(exe.plan())
    with ng.config(eager_compile=1), pytest.raises(CompileError, match="out of order"):
        exe.forward()


# what is said ------------------------------------------------------------------------------------


def test_reports_say_which_form_runs(absent):
    """X-DBG-03: memory, plan and explain, as text and as data."""
    x = ng.var("x", (50,), "float32")
    exe = chain(x).simple_bind()
    with held():
        exe.forward(x=X)
        reports = exe.plan(), exe.memory(), exe.explain("tanh0")
        for report in reports:
            assert "in the interim, 1 loop operator by operator" in str(report)
            assert "compiled in the background" in report._repr_html_()
        assert exe.memory().to_dict()["programs"][0]["interim"]
        assert exe.explain("tanh0").to_dict()["programs"]["forward"]["interim"]
        assert list(exe.plan().interim) == ["forward"]
        (pending,) = ng.compile_report().pending
        assert "fused" in pending
    background.settle(WAIT)
    assert "until the next run" in str(exe.plan())
    exe.forward()
    for report in (exe.plan(), exe.memory(), exe.explain("tanh0")):
        assert "interim" not in str(report)
    assert ng.compile_report().pending == ()


def test_who_looks_at_values_sees_them_in_both_forms(absent):
    exe = chain(ng.var("x")).simple_bind(x=(50,))
    with held(), exe.monitor() as seen:
        exe.forward(x=X)
        before = str(seen)
    background.settle(WAIT)
    with exe.monitor() as seen:
        exe.forward()
    assert str(seen) == before


# lives -------------------------------------------------------------------------------------------


def forget():
    """Let go of all that is not needed any more: the engine does that at its next work."""
    ng.waitall()
    gc.collect()
    (ng.ones(3) + 1).asnumpy()
    ng.waitall()
    gc.collect()


def test_a_dropped_executor_leaves_no_program(absent):
    """X-MEM-04: neither the queue nor the form that stood in keeps it."""
    exe = chain(ng.var("x")).simple_bind(x=(50,))
    with held():
        exe.forward(x=X)
        kept = weakref.ref(exe._bound.predict), weakref.ref(exe._bound.predict.plan)
        del exe
        forget()
        assert [ref() for ref in kept] == [None, None]


def test_the_memory_of_the_interim_goes_with_it(absent):
    """X-MEM-04: when the last run that used it is over."""
    x = ng.var("x", (4000,), "float32")
    exe = ng.sort(chain(x) + ng.sort(chain(x * 2))).simple_bind(grad_req="null")
    with held():
        exe.forward(x=1)
        old = weakref.ref(exe._bound.predict.plan)
    background.settle(WAIT)
    exe.forward()
    forget()
    assert old() is None


def test_a_whole_process(own_cache, tmp_path):
    """A new process on an empty cache: no wait, the change, and then everything is on disk; one
    that ends meanwhile ends well."""
    script = tmp_path / "new.py"
    script.write_text(
        "import sys\n"
        "import numpy as np\n"
        "import nbgraph as ng\n"
        "x = ng.var('x', (100,), 'float32')\n"
        "y = x\n"
        "for k in range(12):\n"
        "    y = ng.tanh(y) * 1.5 + k\n"
        "exe = y.simple_bind()\n"
        "values = np.linspace(-1, 1, 100)\n"
        "first = exe.forward(x=values)[0].asnumpy().copy()\n"
        "print('interim' if exe.programs()['forward'].interim else 'fused')\n"
        "if 'ends' in sys.argv:\n"
        "    sys.exit()\n"
        "ng.compile_report().wait()\n"
        "same = (exe.forward()[0].asnumpy() == first).all()\n"
        "print(same, 'interim' if exe.programs()['forward'].interim else 'fused')\n"
    )
    settings = {"NBGRAPH_EAGER_COMPILE": "0", "NBGRAPH_COMPILER": "llvm"}
    assert run_python(script, "ends", **settings).split()[0] in ("interim", "fused")
    lines = run_python(script, **settings).splitlines()
    assert lines[1] == "True fused"
    assert run_python(script, **settings).splitlines() == ["fused", "True fused"]
