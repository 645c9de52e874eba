"""Operators by name, and the views of that table (SYS-07; rule 7 of re-running notebook cells)."""

import inspect
import json
import threading
import types
import warnings

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import ArgumentError
from nbgraph.operator import registry
from nbgraph.operator.namespace import Namespace
from nbgraph.operator.registry import RegistrationNote
from tests.support import run_python


@pytest.fixture
def name():
    """A name that is free before and after."""
    yield "an_operator_of_this_test"
    if "an_operator_of_this_test" in registry.names():
        registry.remove("an_operator_of_this_test")


def made(fn, module="somebody.code", qualname="f"):
    """An operator as another module would define it."""
    op = ng.op(fn)
    op.__module__, op.__qualname__ = module, qualname
    return op


def test_a_registered_operator_is_found_under_all_its_names(name):
    op = made(lambda x: x + 1)
    assert registry.register(op, name) is op
    try:
        registry.register(op, name, name + "_2")
        assert registry.find(name) is registry.find(name + "_2") is op
        entry = registry.entry(name)
        assert (entry.module, entry.qualname) == ("somebody.code", "f")
        assert entry.names == (name, name + "_2")
        assert "x + 1" in entry.doc
        assert getattr(ng, name) is op
        assert {name, name + "_2"} <= set(registry.names()) & set(dir(ng))
    finally:
        registry.remove(name + "_2")


def test_the_owner_registers_anew_with_one_note(name):
    """Rule 7: a cell that runs again replaces its operator, and says so once."""
    registry.register(made(lambda x: x + 1), name)
    second, third = made(lambda x: x + 2), made(lambda x: x + 3)
    with pytest.warns(RegistrationNote, match=rf"{name}.*registered anew by somebody\.code\.f"):
        registry.register(second, name)
    assert registry.find(name) is second
    assert getattr(ng, name) is second
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        registry.register(third, name)  # told once
        registry.register(third, name)
    assert getattr(ng, name) is third


def test_the_name_of_a_function_of_numpy_may_be_taken():
    """`ng.trapezoid` is NumPy's function, kept at its first use; then it is the operator."""
    assert ng.trapezoid is vars(ng)["trapezoid"] is np.trapezoid
    op = registry.register(ng.op(lambda x: 2 * x), "trapezoid")
    try:
        assert ng.trapezoid is op
    finally:
        registry.remove("trapezoid")
    assert ng.trapezoid is np.trapezoid


def test_a_file_of_the_library_that_runs_again_is_no_news():
    """Rule 7: an interrupt while it was imported makes Python import it again."""
    code = "import sys, nbgraph as ng; ng.sin; name = 'nbgraph.ops.elementwise.trigonometric'; "
    code += "del sys.modules[name]; __import__(name); print(ng.sin([0.0]))"
    assert run_python("-W", "error", "-c", code).strip() == "[0.]"


def test_another_module_may_not_take_a_name(name):
    """Rule 7, bad input: the error names the owner; nothing has changed."""
    first = registry.register(made(lambda x: x + 1), name)
    other = made(lambda x: x + 2, "elsewhere")
    with pytest.raises(ArgumentError, match=rf"{name}.*belongs to somebody\.code\.f.*elsewhere"):
        registry.register(other, "a_free_name", name)
    assert registry.find(name) is first
    assert "a_free_name" not in registry.names()  # all names or none


def test_the_library_owns_its_names_before_it_is_loaded():
    code = """
import json, sys
import nbgraph as ng
from nbgraph.operator import registry
try:
    registry.register(ng.op(lambda x: x, name="asinh"))
except TypeError as error:
    print(json.dumps([str(error), "nbgraph.ops.elementwise.trigonometric" in sys.modules]))
"""
    told, loaded = json.loads(run_python("-c", code))
    assert "'asinh' belongs to the library (nbgraph.ops.elementwise.trigonometric)" in told
    assert not loaded


@pytest.mark.parametrize("used", [True, False])
def test_the_library_gives_up_the_name_of_an_example(used):
    """Whoever follows a guide registers `smooth_l1`, be the library's own loaded or not."""
    code = f"""
import json, warnings
import numpy as np
import nbgraph as ng
from nbgraph.ops.losses import table
x = np.array([0.3, 2.0])
if {used}:
    ng.smooth_l1(x), ng.nd.smooth_l1(x)

@ng.op
def huber(x, *, scalar=1.0):
    return 10.0 * scalar * x

def forward(src, env, ret, req, ctx):
    ng.assign(ret.get(), req, huber(src.get(), scalar=env.scalar))

warnings.simplefilter("error")
ng.register_simple_op("smooth_l1").set_enable_scalar(True).set_function("cpu", forward)
worlds = [ng.smooth_l1(x, scalar=2.0), ng.nd.smooth_l1(ng.array(x), scalar=2.0).asnumpy()]
bound = ng.sym.smooth_l1(ng.var("x"), scalar=2.0).simple_bind(x=(2,))
worlds.append(bound.forward(x=x.astype("float32"))[0].asnumpy())
print(json.dumps([[w.tolist() for w in worlds], float(ng.smooth_l1_loss(x, 0 * x))]))
"""
    worlds, loss = json.loads(run_python("-c", code))
    np.testing.assert_allclose(worlds, [[6.0, 40.0]] * 3, rtol=1e-6)
    assert loss == pytest.approx((0.045 + 1.5) / 2)


def test_a_name_loads_its_family_only():
    """`import nbgraph` stays light; listing names loads no operator."""
    code = """
import json, sys
import nbgraph
before = [m for m in sys.modules if m.startswith(("nbgraph.ops", "nbgraph.operator"))]
listed = "tanh" in dir(nbgraph)
after_dir = [m for m in sys.modules if m.startswith("nbgraph.ops.") and "families" not in m]
from nbgraph.ops import add
loaded = sorted(m for m in sys.modules if m.startswith("nbgraph.ops.") and "families" not in m)
print(json.dumps([before, listed, after_dir, loaded]))
"""
    before, listed, after_dir, loaded = json.loads(run_python("-c", code))
    assert before == []
    assert listed
    assert after_dir == []
    assert loaded == ["nbgraph.ops.elementwise", "nbgraph.ops.elementwise.arithmetic"]


def test_owner_can_be_a_class(name):
    class Property:
        pass

    registry.register(made(lambda x: x), name, owner=Property)
    assert registry.entry(name).module == __name__
    assert registry.entry(name).qualname.endswith("Property")


@pytest.mark.parametrize("bad", ["no name", "", "1st", 3])
def test_names_are_identifiers(bad):
    with pytest.raises(ArgumentError, match="is not a name; give an identifier"):
        registry.register(made(lambda x: x), bad)


@pytest.mark.parametrize("bad", [3, "add", types.SimpleNamespace(__name__="x")])
def test_only_operators_are_registered(bad):
    with pytest.raises(ArgumentError, match=r"operator is needed, not (int|str|SimpleNamespace)"):
        registry.register(bad, "anything")


def test_a_miss_suggests_near_names():
    with pytest.raises(ArgumentError, match=r"no operator 'sigmiod'; did you mean 'sigmoid'"):
        registry.find("sigmiod")
    with pytest.raises(ArgumentError, match=r"no operator 'qqqqqq'; dir\(ng\) .* list all"):
        registry.find("qqqqqq")
    with pytest.raises(ArgumentError, match="no operator 'qqqqqq'"):
        registry.remove("qqqqqq")
    with pytest.raises(AttributeError, match=r"'nbgraph' has no attribute 'sigmiod'; .*'sigmoid'"):
        ng.sigmiod
    with pytest.raises(AttributeError, match=r"nbgraph\.ops has no operator 'sigmiod'.*'sigmoid'"):
        ops.sigmiod
    assert not hasattr(ng, "_repr_nothing_")


def test_threads_register_and_find(name):
    """Names of many threads arrive; none is lost."""
    mine = [f"{name}_{i}" for i in range(40)]
    op = made(lambda x: x)
    threads = [threading.Thread(target=registry.register, args=(op, n)) for n in mine]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    try:
        assert all(registry.find(n) is op for n in mine)
    finally:
        for n in mine:
            registry.remove(n)


# views ------------------------------------------------------------------------------------------


def lists_to_arrays(op, args, kwargs):
    return op, tuple(np.float32(a) if isinstance(a, list) else a for a in args), kwargs


def test_a_view_lifts_arguments_and_shows_the_operator_itself():
    """SYS-07: one operator, several worlds; completion and help see the real thing."""
    view = Namespace("ng.test", lists_to_arrays)
    assert view.add([1, 2], 3).dtype == np.float32
    assert ng.add([1, 2], 3).dtype == np.int64
    assert view.add is view.add
    assert view.add.__wrapped__ is ng.add
    assert inspect.signature(view.leaky_relu) == inspect.signature(ng.leaky_relu)
    assert view.add.__doc__ == ng.add.__doc__
    assert view.add.__name__ == "add"
    assert repr(view.add) == "<ng.test.add(x1, x2)>"
    assert view.exp.derivative("x") is ng.exp.derivative("x")
    assert view.arcsin is view.asin


def test_a_view_without_lift_is_the_table():
    view = Namespace("ng.plain")
    assert view.add is ng.add
    assert dir(view) == registry.names()
    assert "ng.plain" in repr(view)


def test_a_view_takes_up_new_names_and_replacements(name):
    view = Namespace("ng.test", lists_to_arrays)
    with pytest.raises(AttributeError, match=rf"ng\.test has no operator '{name}'"):
        getattr(view, name)
    registry.register(made(lambda x: x + 1), name)
    assert getattr(view, name)([1.0]) == 2
    with pytest.warns(RegistrationNote):
        registry.register(made(lambda x: x + 2), name)
    assert getattr(view, name)([1.0]) == 3


def test_protocols_find_nothing_on_a_view():
    """Displays and copies ask for special names: they are not operators."""
    view = Namespace("ng.test", lists_to_arrays)
    assert not hasattr(view, "_repr_html_")
    assert not hasattr(view.add, "__array_interface__")
    with pytest.raises(AttributeError, match=r"ng\.test has no operator 'maximun'.*'maximum'"):
        view.maximun
