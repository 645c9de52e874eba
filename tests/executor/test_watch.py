"""Looking at values: callbacks, statistics, the first NaN."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError
from tests.engine.conftest import engine, threads

__all__ = ["engine", "threads"]


def chain():
    x = ng.var("x", shape=(3,))
    return ng.exp(ng.sin(x) * 2.0).named("top")


def test_every_output_is_shown_in_order(engine):
    """X-SYM-08: the outputs of all nodes, by name, with the values that eager code computes."""
    exe = chain().simple_bind()
    seen = {}
    exe.set_monitor_callback(lambda name, array: seen.update({name: array.asnumpy()}))
    x = np.float32([1, 2, 3])
    (out,) = exe.forward(x=x)
    assert list(seen) == ["sin0_output", "multiply0_output", "top_output"]
    assert np.array_equal(seen["sin0_output"], ng.sin(x))
    assert np.array_equal(seen["multiply0_output"], ng.sin(x) * np.float32(2))
    assert np.array_equal(out.asnumpy(), seen["top_output"])
    names = [name for name in chain().get_internals().list_outputs() if name != "x"]
    assert names == list(seen)


@pytest.mark.parametrize("shape", [(2, 3, 4), None], ids=["known", "unknown"])
@pytest.mark.parametrize("name", ["SoftmaxActivation", "reshape_like", "L2Normalization", "hypot"])
def test_what_others_compute_keeps_its_name(name, shape):
    """X-SYM-08: a node that is composed of operators is shown under its own name."""
    data = ng.var("data", shape=shape)
    operands = [data] * (2 if name in ("reshape_like", "hypot") else 1)
    out, names = getattr(ng.sym, name)(*operands, name="named"), []
    exe = out.simple_bind(data=(2, 3, 4), grad_req="null")
    exe.set_monitor_callback(lambda name, array: names.append(name))
    exe.forward()
    assert names[-1] == "named_output"


def test_variables_on_request_and_an_end():
    exe = chain().simple_bind()
    names = []
    exe.set_monitor_callback(lambda name, array: names.append(name), monitor_all=True)
    exe.forward()
    assert names == ["x", "sin0_output", "multiply0_output", "top_output"]
    exe.set_monitor_callback(None)
    exe.forward()
    assert len(names) == 4
    with pytest.raises(ArgumentError, match="set_monitor_callback: 3 is not a function"):
        exe.set_monitor_callback(3)


@pytest.mark.parametrize("joint", [False, True])
def test_what_is_seen_belongs_to_the_run(joint):
    """One draw, one update of a state: the values shown are those that outputs and gradients come
    from."""
    x = ng.var("x", shape=(500,))
    exe = ng.sum(ng.dropout(x, 0.5) * 3.0).simple_bind()
    seen = {}
    exe.set_monitor_callback(lambda name, array: seen.update({name: array.asnumpy()}))
    exe.arg_dict["x"][...] = 1
    if joint:
        (out,) = exe.forward_backward()
    else:
        (out,) = exe.forward(is_train=True)
        exe.backward()
    dropped = seen["dropout0_output"]
    assert 0 < (dropped == 0).sum() < 500
    assert out.asnumpy() == np.float32(3 * dropped).sum()
    assert np.array_equal(exe.grad_dict["x"].asnumpy(), 3 * dropped)


def test_gradients_that_are_added_stay_added():
    exe = ng.sum(ng.var("x", shape=(3,)) * 2.0).simple_bind(grad_req="add")
    exe.set_monitor_callback(lambda name, array: None)
    for _ in range(3):
        exe.forward_backward()
    assert exe.grad_dict["x"].tolist() == [6.0, 6.0, 6.0]


def test_statistics():
    """X-SYM-08: least, largest, mean and L2 of what matches the pattern, run by run."""
    exe = chain().simple_bind()
    with exe.monitor("sin|top") as seen:
        for value in (0.0, 0.5):
            exe.forward(x=value)
    exe.forward()
    assert [(row.run, row.name) for row in seen.rows] == [
        (0, "sin0_output"),
        (0, "top_output"),
        (1, "sin0_output"),
        (1, "top_output"),
    ]
    last = np.exp(np.sin(0.5) * 2)
    for figure, expected in zip(
        (seen.rows[3].min, seen.rows[3].max, seen.rows[3].mean, seen.rows[3].l2),
        (last, last, last, last * 3**0.5),
        strict=True,
    ):
        assert figure == pytest.approx(expected, rel=1e-6)
    assert seen.to_dict()["rows"][0]["max"] == 0.0
    assert "sin0_output" in str(seen)
    assert "top_output" in seen._repr_html_()
    seen.clear()
    assert str(seen) == "nothing seen yet whose name matches 'sin|top'"


@pytest.mark.parametrize(
    "call",
    [
        lambda x: ng.sym.LayerNorm(x, name="own"),
        lambda x: ng.sym.InstanceNorm(x, name="own"),
        lambda x: ng.sym.BatchNorm(x, name="own"),
        lambda x: ng.sym.BatchNorm(x, axis=2, name="own"),
        lambda x: ng.sym.LeakyReLU(x, act_type="prelu", name="own"),
        lambda x: ng.sym.RNN(x, state_size=2, num_layers=1, mode="gru", name="own"),
    ],
    ids=["LayerNorm", "InstanceNorm", "BatchNorm", "BatchNorm axis 2", "prelu", "RNN"],
)
def test_one_value_a_run_has_the_name_of_a_call(call):
    """X-SYM-08: what a call of several nodes returns has its name, the parts names of their own."""
    exe = call(ng.var("x")).simple_bind(x=(2, 3, 4), grad_req="null")
    assert all(name == "x" or name.startswith("own_") for name in exe.arg_dict)
    with exe.monitor() as seen:
        for _ in range(2):
            (out,) = exe.forward(x=np.arange(24.0).reshape(2, 3, 4))
    own = [row for row in seen.rows if row.name == "own_output"]
    assert [row.run for row in own] == [0, 1]
    assert own[1].max == pytest.approx(float(out.max()))
    names = [row.name for row in seen.rows]
    assert len(names) == 2 * len(set(names))


def test_a_name_that_comes_twice_is_one_run():
    x = ng.var("x", shape=(2,))
    exe = ng.Group([ng.sin(x).named("a"), ng.cos(x).named("a")]).simple_bind()
    with exe.monitor() as seen:
        exe.forward()
        exe.forward()
    assert [row.run for row in seen.rows] == [0, 0, 1, 1]


def test_a_monitor_and_a_callback_side_by_side():
    exe = chain().simple_bind()
    names = []
    seen = exe.monitor()
    exe.set_monitor_callback(lambda name, array: names.append(name))
    exe.forward()
    exe.set_monitor_callback(None)
    exe.forward()
    assert len(names) == 3
    assert [row.run for row in seen.rows] == [0, 0, 0, 1, 1, 1]


def test_values_without_elements_have_no_statistics():
    exe = ng.sin(ng.var("x", shape=(0, 3))).simple_bind()
    with exe.monitor() as seen:
        exe.forward()
    assert np.isnan(seen.rows[0].l2)


# the first NaN ----------------------------------------------------------------------------------


def test_the_first_nan_is_named(engine):
    """X-SYM-08: name, operator, shape, line and operands of the node that made it."""
    x = ng.var("x", shape=(3,))
    y = ng.sqrt(x * 2.0).named("root")
    exe = ng.sum(y + 1.0).simple_bind()
    with ng.config(anomaly=1):
        exe.forward(x=[1.0, 2.0, 3.0])
        with pytest.raises(
            FloatingPointError,
            match=r"root_output: the result of sqrt has 1 NaN of 3 elements, shape \[3\], made at "
            r".*test_watch.py.*; its operands have none: multiply0_output float32\[3\] from -4.0 "
            r"to 6.0",
        ):
            exe.forward(x=[1.0, -2.0, 3.0])
    exe.forward(x=[1.0, -2.0, 3.0])  # nobody looks


def test_nan_that_is_given_is_nobodys_fault():
    exe = ng.sin(ng.var("x", shape=(2,))).simple_bind()
    with ng.config(anomaly=1):
        assert np.isnan(exe.forward(x=[np.nan, 1.0])[0].asnumpy()[0])


def test_the_first_nan_of_a_gradient():
    """Forward is clean, 0 * inf is not."""
    x = ng.var("x", shape=(2,))
    exe = ng.sum(ng.sqrt(x) * 0.0).simple_bind()
    with ng.config(anomaly=1), pytest.raises(FloatingPointError, match="sqrt_backward0_output"):
        exe.forward_backward(x=[0.0, 1.0])


def test_all_who_look_see_a_run():
    """A callback and two monitors at once; who comes later does not send others away."""
    exe = (ng.sin(ng.var("x")) * 2.0).simple_bind(x=(2,))
    told = []
    exe.set_monitor_callback(lambda name, array: told.append(name))
    with exe.monitor("sin") as first, exe.monitor() as second:
        exe.forward(x=[1.0, 3.0])
    assert told == ["sin0_output", "multiply0_output"]
    assert "sin0_output" in str(first) and "multiply0_output" not in str(first)
    assert "multiply0_output" in str(second)
