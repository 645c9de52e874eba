"""Property apart from operator, and the objects that compute: OPP-01, OPP-19, OPP-12."""

import numpy as np
import pytest

import nbgraph as ng
from tests.engine.conftest import engine, gate, threads
from tests.operator.full import operators
from tests.operator.full.operators import RememberProp
from tests.support import on_threads

__all__ = ["engine", "gate", "threads"]


@pytest.fixture
def created():
    RememberProp.created.clear()
    return RememberProp.created


def test_an_executor_has_an_operator_of_its_own(engine, created):
    """OPP-19: per application and executor one object, for all of its programs, made for the
    device, shapes and dtypes."""
    y = ng.mx_remember(ng.mx_remember(ng.var("x")) + 1.0)
    first, second = (y.simple_bind(x=(3,)) for _ in range(2))
    for exe in (first, second):
        exe.forward(x=[1.0, -1.0, 2.0])
        exe.forward(is_train=True)
        exe.backward(ng.ones(3))
        exe.forward_backward(ng.ones(3))
        exe.outputs[0].asnumpy()
    assert len(created) == 4
    assert set(created) == {(ng.cpu(), ((3,),), (np.dtype("float32"),))}
    # the third run of each adds 100 times the runs before
    assert first.outputs[0].tolist() == second.outputs[0].tolist() == [402.0, 401.0, 403.0]


def test_each_call_has_an_operator_of_its_own(engine, created):
    """OPP-19: of two calls before a pass back each finds its own mask."""
    x = ng.array([1.0, -1.0, 2.0])
    x.attach_grad()
    with ng.autograd.record():
        loss = (ng.mx_remember(x) + 10.0 * ng.mx_remember(-x)).sum()
    loss.backward()
    assert x.grad.tolist() == [1, -10, 1]
    assert len(created) == 2


def test_compiled_functions_refuse_what_would_be_mixed_up(engine):
    """OPP-19: a function may run twice before it goes back: a changed operator raises there, and
    names the remedy; one that keeps nothing runs."""
    x = ng.array([1.0, -1.0])
    with pytest.raises(ng.ArgumentError, match=r"self.runs was to be set; within ng.jit.*hidden"):
        ng.jit(ng.mx_remember)(x).asnumpy()
    np.testing.assert_allclose(ng.jit(ng.mx_exp)(x).asnumpy(), np.exp([1, -1]), rtol=1e-6)


def test_what_says_it_keeps_nothing_is_held_to_it():
    """OPP-19: stateful = False: equal applications are one node, and nothing can be set."""
    x = ng.var("x")
    assert ng.mx_exp(x).node is ng.mx_exp(x).node
    assert ng.mx_remember(x).node is not ng.mx_remember(x).node
    prop = type("P", (RememberProp,), {"stateful": False})
    ng.register_operator("mx_forgetful")(prop)
    with pytest.raises(ng.ArgumentError, match=r"self.runs was to be set; .*say stateful = True"):
        ng.mx_forgetful(np.ones(2))


def test_an_implementation_for_each_device():
    """OPP-01: one property, two implementations; none for a device is told at the call."""

    class Elsewhere(operators.Exp):
        pass

    class Prop(operators.ExpProp):
        class Param(ng.Param):
            host: bool = True

        def create_operator(self, ctx, in_shapes, in_dtypes):
            if ctx.device_type == "gpu":
                return Elsewhere()
            return operators.Exp() if self.param.host else None

    ng.register_operator("mx_device")(Prop)
    made = [Prop().create_operator(d, [(2,)], [np.dtype("f4")]) for d in (ng.cpu(), ng.gpu(0))]
    assert [type(m) for m in made] == [operators.Exp, Elsewhere]
    np.testing.assert_allclose(ng.mx_device(np.float32([0])), [1])
    for x in (np.float32([0]), ng.zeros(1)):
        with pytest.raises(ng.DeviceError, match=r"mx_device: .*no implementation for cpu\(0\)"):
            ng.mx_device(x, host=False)
    with pytest.raises(ng.DeviceError, match="no implementation"):
        ng.mx_device(ng.var("x"), host="no").simple_bind(grad_req="null", x=(1,)).forward()


def test_what_is_no_operator_is_refused():
    """OPP-19: at the call, by name."""
    prop = type("P", (operators.ExpProp,), {"create_operator": lambda self, *_: 3})
    ng.register_operator("mx_bad")(prop)
    with pytest.raises(ng.ArgumentError, match="mx_bad: create_operator returned 3; return an"):
        ng.mx_bad(ng.zeros(2))


def test_one_operator_from_many_threads(engine):
    """OPP-19: what keeps nothing may run at once for several threads."""
    found = []

    def work(k):
        x = ng.array(np.full(100, k, "float32"))
        for _ in range(20):
            y = ng.mx_circle(x)[0]
        found.append((k, float(y.asnumpy()[0])))

    on_threads(work, range(4), seconds=30)
    assert sorted(found) == [(k, float(np.sin(np.float32(k)))) for k in range(4)]
