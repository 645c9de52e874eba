"""Binding: what is refused and how, and what executors of one symbol share."""

import re

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, DeviceError, DTypeError, NbgraphError, ShapeError
from nbgraph.executor import Options

X, W = ng.var("x"), ng.var("w")
Y = X @ W


def arrays():
    return {"x": ng.ones((2, 3)), "w": ng.ones((3, 4))}


def bound(**changes):
    return Y.bind(**{"args": arrays(), "args_grad": arrays(), "grad_req": "write", **changes})


# what is refused --------------------------------------------------------------------------------

MISTAKES = {
    "too few": (lambda: bound(args=[ng.ones((2, 3))]), ["args", "1 values", "2 names", "x, w"]),
    "missing": (lambda: bound(args={"x": ng.ones((2, 3))}), ["args lacks w", "give an NDArray"]),
    "unknown": (lambda: bound(args={**arrays(), "v": 1}), ["'v'", "there are: x, w"]),
    "a list": (lambda: bound(args={**arrays(), "x": [1.0]}), ["x is a list", "ng.array"]),
    "NumPy": (
        lambda: bound(args={**arrays(), "x": np.ones((2, 3))}),
        ["x is an ndarray", "give an NDArray", "ng.array"],
    ),
    "gaps": (
        lambda: bound(args={**arrays(), "x": ng.ones((2, 6))[:, ::2]}),
        ["x is a view with gaps", "x.copy()"],
    ),
    "shapes": (
        lambda: bound(args={**arrays(), "w": ng.ones((4, 4))}),
        ["matmul", "(2, 3)", "(4, 4)"],
    ),
    "gradient's shape": (
        lambda: bound(args_grad={"x": ng.ones((3, 2))}),
        ["args_grad of 'x'", "[3, 2]", "[2, 3]", "give one like it"],
    ),
    "gradient's dtype": (
        lambda: bound(args_grad={"x": ng.ones((2, 3), dtype="float64")}),
        ["args_grad of 'x'", "float64", "float32", "give one like it"],
    ),
    "request": (
        lambda: bound(grad_req={"x": "ad"}),
        ["grad_req of 'x'", "'ad'", "write, add, null"],
    ),
    "request of nobody": (lambda: bound(grad_req={"q": "add"}), ["'q'", "there are: x, w"]),
    "device": (lambda: bound(ctx="cpu"), ["ctx='cpu'", "ng.cpu()"]),
    "another device": (lambda: bound(ctx=ng.gpu(99)), ["gpu(99)", "ng.cpu()"]),
    "no shape": (lambda: Y.simple_bind(x=(2, 3)), ["w"]),
    "a shape that is none": (lambda: Y.simple_bind(x="ab", w=(3, 4)), ["x='ab'", "tuple"]),
    "shapes at simple_bind": (
        lambda: ng.tanh(Y).simple_bind(x=(2, 3), w=(4, 5)),
        ["matmul", "(2, 3)", "(4, 5)"],
    ),
}


@pytest.mark.parametrize("make, told", MISTAKES.values(), ids=MISTAKES)
def test_what_does_not_fit_is_told_at_bind(make, told):
    """OPP-03, OPP-04, X-SYM-04: at bind and not at the run; what, the given, the remedy."""
    with pytest.raises(NbgraphError) as error:
        make()
    for part in told:
        assert part in str(error.value), str(error.value)


def test_the_kinds_of_errors():
    """They are ValueErrors, TypeErrors and the like, too."""
    for name, kind in {
        "too few": ArgumentError,
        "shapes": ShapeError,
        "gradient's shape": ShapeError,
        "gradient's dtype": DTypeError,
        "another device": DeviceError,
    }.items():
        with pytest.raises(kind):
            MISTAKES[name][0]()


def test_a_mismatch_deep_in_a_graph_names_its_operator_and_shapes():
    """OPP-04: the node's name and both shapes, whatever lies in between."""
    h = ng.tanh(X @ W)
    with ng.name_scope("block/"):
        bad = h + ng.var("bias")
    with pytest.raises(ShapeError) as error:
        ng.sum(bad * 2).simple_bind(**{"x": (2, 3), "w": (3, 4), "block/bias": (5,)})
    text = str(error.value)
    assert "add" in text and "(2, 4)" in text and "(5,)" in text
    assert "block/" in text, text


def test_gradients_lie_apart_from_what_is_read():
    """OPR-05: an argument's own array, or one array for two gradients, is refused."""
    x = ng.ones((3,))
    y = X * W
    both = {"x": x, "w": ng.ones((3,))}
    for grads in ({"x": x}, {"x": x[:]}, dict.fromkeys("xw", ng.ones((3,)))):
        with pytest.raises(ArgumentError, match="shares memory with"):
            y.bind(args=both, args_grad=grads)


def test_borrowed_memory_is_read_but_not_written():
    """X-NDA-09: memory lent elsewhere can be an argument; as a gradient it is refused at bind."""
    own = np.ones(3, "float32")
    own.flags.writeable = False
    lent = ng.from_dlpack(own) if _lends_read_only(own) else ng.ones(3)
    exe = (X * 2).bind(args={"x": lent}, grad_req="null")
    assert exe.forward()[0].tolist() == [2, 2, 2]
    if lent._chunk.locked:
        with pytest.raises(ValueError, match="may not be written"):
            (X * 2).bind(args={"x": ng.ones(3)}, args_grad={"x": lent})


def _lends_read_only(array):
    try:
        ng.from_dlpack(array)
    except (BufferError, TypeError, NbgraphError):
        return False
    return True


# what is accepted -------------------------------------------------------------------------------


def test_lists_and_mappings_bind_alike():
    """X-SYM-04: by name or in order, arrays stay the caller's."""
    given = arrays()
    for args in (given, list(given.values())):
        exe = Y.bind(args=args, args_grad=[ng.zeros((2, 3)), None])
        assert exe.arg_dict["x"] is given["x"] and exe.grad_dict["w"] is None
        exe.forward_backward(ng.ones((2, 4)))
        assert exe.outputs[0].tolist() == [[3] * 4] * 2
        assert exe.grad_arrays[0].tolist() == [[4] * 3] * 2
    given["x"][...] = 2
    assert exe.forward()[0].tolist() == [[6] * 4] * 2


def test_a_contiguous_part_of_an_array_can_be_bound():
    """Rows of a larger array are an argument; what is written there is seen, and seen alone."""
    whole = ng.zeros((4, 3))
    exe = (X * 2).bind(args={"x": whole[1:3]}, args_grad={"x": ng.zeros((2, 3))})
    whole[...] = 5
    assert exe.forward()[0].tolist() == [[10] * 3] * 2
    result = ng.zeros((4, 3))
    exe = (X * 2).bind(args={"x": whole[1:3]}, args_grad={"x": result[2:]}, grad_req="add")
    exe.forward_backward(ng.ones((2, 3)))
    assert result.tolist() == [[0] * 3] * 2 + [[2] * 3] * 2


def test_requests_for_each_argument():
    """X-SYM-04, OPR-07: written, added, not wanted."""
    for requests in ({"x": "add", "w": "null"}, ["add", "null"]):
        exe = Y.simple_bind(grad_req=requests, x=(2, 3), w=(3, 4))
        exe.copy_params_from(arrays())
        for k in (1, 2):
            exe.forward_backward(ng.ones((2, 4)))
            assert exe.grad_dict["x"].tolist() == [[4 * k] * 3] * 2
        assert exe.grad_dict["w"] is None


def test_gradients_that_nobody_wants_are_not_computed():
    """OPR-07: with kNullOp the work itself is left out."""
    loss = ng.sum((X @ W) ** 2)
    sizes = {}
    for name, requests in (("both", "write"), ("x", {"x": "write"}), ("none", "null")):
        exe = loss.simple_bind(options=Options.none(), grad_req=requests, x=(2, 3), w=(3, 4))
        exe.forward_backward()
        (program,) = exe._bound.existing_programs().values()
        sizes[name] = [task.name for task in program.compiled.tasks]
    matmuls = {name: sum("matmul" in task for task in found) for name, found in sizes.items()}
    assert matmuls["none"] == 1 and matmuls["x"] == 2 and matmuls["both"] == 3, sizes


def test_initial_values_and_dtypes():
    """X-SYM-04: init= as a number, an array, a callable; type_dict; zeros else."""
    a = ng.var("a", init=2)
    b = ng.var("b", init=np.arange(3.0))
    c = ng.var("c", init=lambda shape, dtype: np.full(shape, 7, dtype))
    exe = (a + b + c + ng.var("d")).simple_bind(
        type_dict=dict.fromkeys("abcd", "float64"), a=(3,), b=(3,), c=(3,), d=(3,)
    )
    assert exe.outputs[0].dtype == "float64"
    assert exe.forward()[0].tolist() == [9, 10, 11]
    assert exe.forward(d=np.ones(3))[0].tolist() == [10, 11, 12]


def test_inputs_of_a_run():
    """X-SYM-04: NumPy arrays, lists, numbers, NDArrays; what does not fit is refused."""
    exe = (X * 2).simple_bind(x=(3,))
    for value in (np.ones(3), [1, 1, 1], 1, ng.ones(3), np.ones(3, "int64")):
        assert exe.forward(x=value)[0].tolist() == [2, 2, 2]
        exe.forward(x=0)
    with pytest.raises(ShapeError, match=re.escape("x has shape (4,), it was bound with (3,)")):
        exe.forward(x=np.ones(4))
    with pytest.raises(ArgumentError, match="no argument is called 'y'; there are: x"):
        exe.forward(y=1)


def test_outputs_without_a_gradient_need_no_head_gradient():
    """Beside a loss of MXNet's, a part of the network that is looked at."""
    hidden = ng.sym.FullyConnected(ng.var("x"), num_hidden=3, name="fc")
    loss = ng.sym.SoftmaxOutput(hidden, ng.var("y"))
    grads = []
    for symbol in (loss, ng.Group([loss, ng.sym.BlockGrad(hidden)])):
        exe = symbol.simple_bind(x=(2, 4), y=(2,))
        exe.forward(is_train=True, x=np.ones((2, 4)), y=[0, 2])
        exe.backward()
        grads.append(exe.grad_dict["fc_weight"].asnumpy())
    assert np.abs(grads[0]).sum() > 0.5
    np.testing.assert_array_equal(*grads)


@pytest.mark.parametrize("groups", [None, {"second": ng.cpu(1)}])
@pytest.mark.parametrize(
    "requests", [("add", "add"), ("add", "write"), ("write", "add"), ("write", "write")]
)
def test_variables_that_share_their_gradient(requests, groups):
    """OPR-10, X-SYM-04: each result of one value gets the value, whatever the others add up."""
    x, b, c = (ng.var(name) for name in "xbc")
    with ng.AttrScope(ctx_group="second"):
        y = ng.sum(ng.tanh(x + b + c))
    grad_req = {"x": "null", **dict(zip("bc", requests, strict=True))}
    exe = y.simple_bind(x=(2, 3), b=(3,), c=(3,), grad_req=grad_req, group2ctx=groups)
    for times in (1, 2, 3):
        exe.forward_backward()
        for name, request in grad_req.items():
            if request != "null":
                expected = 2.0 * (times if request == "add" else 1)
                assert exe.grad_dict[name].tolist() == [expected] * 3


def test_head_gradients_that_are_missing_or_wrong():
    """X-SYM-04: backward without forward, without gradients where they are needed, of shapes."""
    exe = Y.simple_bind(x=(2, 3), w=(3, 4))
    with pytest.raises(ArgumentError, match=r"forward\(is_train=True\) has not run"):
        exe.backward()
    exe.forward(is_train=True)
    for nothing in (None, []):
        with pytest.raises(ArgumentError, match=r"one element.*\(2, 4\)"):
            exe.backward(nothing)
    with pytest.raises(ArgumentError, match="2 out_grads for 1 outputs"):
        exe.backward([1, 2])
    with pytest.raises(ShapeError, match=r"out_grads\[0\] has shape \(4, 2\)"):
        exe.backward(ng.ones((4, 2)))
    exe.backward(np.ones((2, 4)))
    with pytest.raises(ArgumentError, match="grad_req is 'null'"):
        Y.simple_bind(grad_req="null", x=(2, 3), w=(3, 4)).backward()


# others of the same symbol ----------------------------------------------------------------------


def test_reshape_shares_what_keeps_its_shape():
    """X-SYM-04: parameters, their gradients; the rest is new; it runs."""
    exe = ng.sum(Y).simple_bind(x=(2, 3), w=(3, 4))
    exe.copy_params_from(arrays())
    other = exe.reshape(x=(5, 3))
    assert other.arg_dict["w"] is exe.arg_dict["w"]
    assert other.grad_dict["w"] is exe.grad_dict["w"]
    assert other.arg_dict["x"].shape == (5, 3) == other.grad_dict["x"].shape
    (total,) = other.forward_backward(x=1)
    assert float(total) == 60 and exe.grad_dict["w"].tolist() == [[5] * 4] * 3
    assert float(exe.forward()[0]) == 24


def test_parameters_are_copied_by_name():
    """X-SYM-04: copy_params_from; names that are not there are refused, or passed over."""
    exe = Y.simple_bind(x=(2, 3), w=(3, 4))
    exe.copy_params_from({"w": np.full((3, 4), 2.0)})
    assert exe.forward(x=1)[0].tolist() == [[6] * 4] * 2
    with pytest.raises(ArgumentError, match="no argument is called 'v'; there are: x, w"):
        exe.copy_params_from({"v": 1})
    with pytest.raises(ArgumentError, match="no state is called 'v'"):
        exe.copy_params_from({}, {"v": 1})
    exe.copy_params_from({"v": 1}, {"u": 2}, allow_extra_params=True)


def test_eval():
    """X-SYM-04: values by name, of any kind; a missing one is named."""
    (found,) = Y.eval(x=np.ones((2, 3), "float32"), w=ng.ones((3, 4)))
    assert found.tolist() == [[3] * 4] * 2
    (found,) = ng.tanh(X).eval(x=ng.ones((2, 6))[:, ::2])
    assert found.shape == (2, 3)
    with pytest.raises(ArgumentError, match="no value for 'w'"):
        Y.eval(x=1)
    with pytest.raises(ArgumentError, match="'v' is not an argument"):
        Y.eval(x=1, w=1, v=1)


def test_a_plan_is_made_once():
    """EXE-01: executors of equal graphs and shapes have one compiled graph; runs make nothing."""
    one, two = (Y.simple_bind(grad_req="null", x=(2, 3), w=(3, 4)) for _ in range(2))
    for exe in (one, two, one):
        exe.forward(x=1)
    assert one._bound.predict is one._bound.predict
    assert one._bound.predict.compiled is two._bound.predict.compiled


def test_what_is_lent_is_not_written_over():
    """X-NDA-09: an output or gradient whose memory another library looks at stays as it is."""
    exe = (X * 2).simple_bind(x=(3,))
    exe.forward_backward(ng.ones(3), x=1)
    for array in (exe.outputs[0], exe.grad_dict["x"]):
        lent = np.from_dlpack(array)
        kept = lent.copy()
        exe.arg_dict["x"][...] = 5
        with pytest.raises(ValueError, match="lent to another library"):
            exe.forward(is_train=True)
            exe.backward(ng.ones(3))
        with pytest.raises(ValueError, match="forward_backward: 1 view"):
            exe.forward_backward(ng.full(3, 7.0))
        ng.waitall()
        assert np.array_equal(lent, kept)
        del lent
    exe.forward_backward(ng.ones(3), x=1)


def test_a_tape_notices_that_an_output_was_written_over():
    """X-AUT-08: what was recorded of an output needs the values it had then."""
    exe = (X * 2).simple_bind(x=(3,))
    exe.forward(x=1)
    w = ng.ones(3)
    w.attach_grad()
    with ng.autograd.record():
        y = w * exe.outputs[0]
    exe.forward(x=2)
    with pytest.raises(NbgraphError, match="written|version|changed"):
        y.backward(ng.ones(3))


def test_two_variables_of_one_name_are_one_or_cannot_be_bound():
    """SYM-01: what is given by name reaches every place where the name is used."""
    total = ng.sum(ng.var("x", shape=(2,))) + ng.sum(ng.var("x", shape=(3,)))
    with pytest.raises(ng.ArgumentError, match="two variables are called 'x'"):
        total.simple_bind()
    total = ng.sum(ng.var("x")) + 10 * ng.sum(ng.var("x", shape=(3,)))
    exe = total.simple_bind(x=(3,))
    exe.forward_backward(x=[1, 2, 3])
    assert exe.outputs[0].item() == 66
    assert exe.grad_dict["x"].tolist() == [11, 11, 11]


def test_copy_params_from_takes_the_shape_of_the_argument():
    """EXE-01: a shorter parameter is not repeated, and the error names it."""
    exe = (ng.var("x") + 1).simple_bind(x=(3,))
    for wrong in (ng.ones(1), ng.ones((2, 3))):
        with pytest.raises(ng.ShapeError, match="copy_params_from: x has shape"):
            exe.copy_params_from({"x": wrong})
    exe.copy_params_from({"x": np.arange(3)})
    assert exe.arg_dict["x"].tolist() == [0, 1, 2]


@pytest.mark.parametrize("shape", [(2.5,), "ab", 1.0])
def test_sizes_are_whole_numbers(shape):
    """EXE-01: they are not cut down to them."""
    with pytest.raises(ng.ArgumentError, match="simple_bind: x="):
        ng.var("x").simple_bind(x=shape)


def test_errors_name_the_call_that_was_made():
    """EXE-01: simple_bind does not speak of bind."""
    with pytest.raises(ng.ArgumentError, match="simple_bind: grad_req has 2 values"):
        ng.var("x").simple_bind(x=3, grad_req=["write", "null"])


def test_outputs_are_zeros_before_the_first_run():
    exe = (ng.var("x") * 2).simple_bind(x=(3,))
    assert exe.outputs[0].tolist() == [0, 0, 0]


def test_reshape_shares_memory():
    """X-SYM-04: what becomes smaller is the beginning of the old array, what grows is new."""
    exe = ng.sym.FullyConnected(ng.var("x"), num_hidden=4, name="fc").simple_bind(x=(5, 4))
    exe.arg_dict["x"][:] = exe.arg_dict["fc_weight"][:] = 1
    small = exe.reshape(x=(3, 4))
    assert small.forward()[0].tolist() == [[4.0] * 4] * 3
    small.arg_dict["x"][1] = 2
    assert exe.arg_dict["x"].asnumpy().sum(axis=1).tolist() == [4, 8, 4, 4, 4]
    assert exe.forward(is_train=True)[0].tolist()[1] == [8.0] * 4
    small.forward(is_train=True)
    small.backward(ng.ones((3, 4)))
    assert exe.grad_dict["x"].tolist() == [[4.0] * 4] * 3 + [[0.0] * 4] * 2
    large = exe.reshape(x=(6, 4), allow_up_sizing=True)
    large.arg_dict["x"][:] = 0
    assert exe.arg_dict["x"].asnumpy().sum() == 24
    assert large.arg_dict["fc_weight"] is exe.arg_dict["fc_weight"]


def test_reshape_refuses_to_drop_parameters():
    """X-SYM-04: another shape of an argument that was not named is an error, unless it is asked
    for."""
    exe = ng.sym.FullyConnected(ng.var("x"), num_hidden=4, name="fc").simple_bind(x=(2, 3))
    message = r"reshape: the shape of 'fc_weight' becomes \(4, 5\), it is \(4, 3\); give fc_weight="
    with pytest.raises(ng.ShapeError, match=message):
        exe.reshape(x=(2, 5))
    for flags in ({"partial_shaping": True}, {"fc_weight": (4, 5)}):
        other = exe.reshape(x=(2, 5), **flags)
        assert other.arg_dict["fc_weight"].shape == (4, 5)
        assert other.arg_dict["fc_bias"] is exe.arg_dict["fc_bias"]


def test_reshape_takes_the_flags_of_mxnet():
    """X-SYM-04: arrays may grow with or without a flag; a shape by its place is not a flag."""
    exe = Y.simple_bind(x=(2, 3), w=(3, 4))
    other = exe.reshape(partial_shaping=True, allow_up_sizing=True, x=(50, 3))
    assert other.outputs[0].shape == (50, 4) and other.arg_dict["w"] is exe.arg_dict["w"]
    with pytest.raises(TypeError, match="positional"):
        exe.reshape((5, 3))
    with pytest.raises(ArgumentError, match=r"reshape: x='ab'; give the shape of 'x'"):
        exe.reshape(x="ab")
