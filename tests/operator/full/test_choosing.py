"""The quickest of several implementations: X-MAR-09."""

import numpy as np
import pytest

import nbgraph as ng
from tests.engine.conftest import engine, gate, threads
from tests.operator.full import operators

__all__ = ["engine", "gate", "threads"]


class Ticks:
    """A clock that implementations move."""

    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now


def _implementation(ticks, forward, backward, seen, name):
    class One(operators.Exp):
        def forward(self, *given):
            ticks.now += forward
            seen.append(("forward", name))
            super().forward(*given)

        def backward(self, *given):
            ticks.now += backward
            seen.append(("backward", name))
            super().backward(*given)

    return One()


@pytest.fixture
def tuned():
    """An operator with two implementations: `a` is quick forward, `b` backward."""
    ticks, seen = Ticks(), []

    class Prop(operators.ExpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return [
                _implementation(ticks, 10, 30, seen, "a"),
                _implementation(ticks, 20, 15, seen, "b"),
            ]

    ng.register_operator("mx_tuned")(Prop)
    ng.mx_tuned.tuner.clock = ticks
    return ng.mx_tuned, seen


def test_the_quicker_one_is_taken_for_each_pass(tuned, engine):
    """X-MAR-09: each is tried three times, in calls that count; then the quicker one runs."""
    op, seen = tuned
    x = ng.array(np.float32([0.0, 1.0]))
    x.attach_grad()
    for _ in range(10):
        with ng.autograd.record():
            y = op(x).sum()
        y.backward()
        np.testing.assert_allclose(x.grad.asnumpy(), np.exp([0, 1]), rtol=1e-6)
    forward, backward = ([n for p, n in seen if p == w] for w in ("forward", "backward"))
    assert forward == ["a", "b"] * 3 + ["a"] * 4
    assert backward == ["a", "b"] * 3 + ["b"] * 4
    chosen = {m.key[0]: (m.chosen, m.least) for m in op.measured()}
    assert chosen == {"forward": (0, (10, 20)), "backward": (1, (30, 15))}


def test_choices_are_kept_by_shape(tuned):
    """X-MAR-09: keyed by parameters, pass, device, shapes and dtypes."""
    op, seen = tuned
    for _ in range(6):
        op(np.zeros(2, "float32"))
    seen.clear()
    for x in (np.zeros(2, "float32"), np.zeros(2, "float32"), np.zeros(3), np.zeros(3)):
        op(x)
    assert [n for _, n in seen] == ["a", "a", "a", "b"]
    assert len(op.measured()) == 2


def test_in_executors_the_same_choice_counts(tuned, engine):
    """X-MAR-09: what was measured in one place is known in all."""
    op, seen = tuned
    exe = op(ng.var("x")).simple_bind(grad_req="null", x=(4,))
    for _ in range(6):
        exe.forward()[0].asnumpy()
    seen.clear()
    other = op(ng.var("x") * 1.0).simple_bind(grad_req="null", x=(4,))
    other.forward()[0].asnumpy()
    op(ng.zeros(4)).asnumpy()
    assert seen == [("forward", "a")] * 2


def test_a_choice_can_be_made_by_hand(tuned):
    """X-MAR-09: then results do not depend on times; one that is not there is refused."""
    op, seen = tuned
    op.choose(1)
    for _ in range(8):
        op(np.zeros(2, "float32"))
    assert {n for _, n in seen} == {"b"}
    op.choose(2)
    with pytest.raises(ng.ArgumentError, match=r"implementation 2 was asked for, there are 2"):
        op(np.zeros(2, "float32"))


def test_one_that_keeps_something_goes_back_as_it_went_forward(engine):
    """X-MAR-09, OPP-19: of stateful implementations the one that ran forward runs backward."""
    ticks, passes = Ticks(), []

    def made(name):
        class One(ng.Operator):
            def forward(self, ctx, in_data, req, out_data, aux_states):
                self.kept = in_data[0] * 2
                ticks.now += 1
                passes.append(name)
                self.assign(out_data[0], req[0], in_data[0] ** 2)

            def backward(self, ctx, out_grad, in_data, out_data, req, in_grad, aux_states):
                passes.append(name)
                self.assign(in_grad[0], req[0], out_grad[0] * self.kept)

        return One()

    class Prop(operators.ExpProp):
        stateful = True

        def create_operator(self, ctx, in_shapes, in_dtypes):
            return [made("a"), made("b")]

    ng.register_operator("mx_kept")(Prop)
    ng.mx_kept.tuner.clock = ticks
    x = ng.array(np.float32([3.0]))
    x.attach_grad()
    for _ in range(4):
        with ng.autograd.record():
            y = ng.mx_kept(x).sum()
        y.backward()
        assert x.grad.tolist() == [6.0]
    assert passes == ["a", "a", "b", "b"] * 2
