"""What an executor holds for good, and values that a run refuses."""

import copy
import re

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, DTypeError, ShapeError


@pytest.fixture
def exe():
    made = (ng.var("x") * 3.0).simple_bind(x=(2,))
    made.forward(is_train=True, x=[1.0, 2.0])
    return made


def says(kind, words, call):
    with pytest.raises(kind, match=".*".join(map(re.escape, words))):
        call()


CHANGES = {
    "assigned": lambda held: held.__setitem__("x", ng.ones(2)),
    "a new name": lambda held: held.__setitem__("y", ng.ones(2)),
    "removed": lambda held: held.__delitem__("x"),
    "updated": lambda held: held.update(x=ng.ones(2)),
    "joined": lambda held: held.__ior__({"x": ng.ones(2)}),
    "a default": lambda held: held.setdefault("y", None),
    "popped": lambda held: held.pop("x"),
    "popped last": lambda held: held.popitem(),
    "cleared": lambda held: held.clear(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("label", ["arg_dict", "grad_dict", "aux_dict"])
def test_no_array_takes_the_place_of_a_bound_one(exe, label, change):
    """X-SYM-04: the programs would not read it; the error says how a value is written."""
    held = getattr(exe, label)
    before = dict(held)
    says(TypeError, [label, "bound for good", f"exe.{label}[", "[:] = value"], lambda: change(held))
    assert list(held) == list(before) and all(held[name] is before[name] for name in before)


def test_what_is_written_into_a_bound_array_is_read(exe):
    """X-SYM-04: the remedy that the error gives."""
    exe.arg_dict["x"][:] = [5.0, 6.0]
    assert exe.forward()[0].tolist() == [15, 18]


@pytest.mark.parametrize("label", ["arg_dict", "grad_dict", "aux_dict", "outputs", "arg_arrays"])
def test_the_tables_themselves_are_not_replaced(exe, label):
    """X-SYM-04: an assignment that nobody would read is refused."""
    with pytest.raises(AttributeError, match=label):
        setattr(exe, label, {})


def test_a_list_of_outputs_is_the_callers_own(exe):
    """X-SYM-04: what a caller does to the list changes no later run."""
    exe.forward().clear()
    exe.outputs[0] = None
    assert [out.tolist() for out in exe.forward()] == [[3, 6]]


def test_a_copy_of_the_arguments_is_a_plain_dict(exe):
    """X-SYM-04: a copy belongs to no executor, and can be changed."""
    for made in (copy.copy(exe.arg_dict), exe.arg_dict.copy(), {**exe.arg_dict}):
        assert type(made) is dict
        made["x"] = 1


# values -------------------------------------------------------------------------------------------

VALUES = {
    "text": ("abc", DTypeError, ["='abc'", "<U3", "real numbers", "(2,)"]),
    "ragged": ([[1, 2], [3]], ShapeError, ["=[[1, 2], [3]]", "different lengths", "(2,)"]),
    "objects": ({1: 2}, DTypeError, ["={1: 2}", "object", "(2,)"]),
    "complex": (1j, DTypeError, ["=1j", "complex128", "(2,)"]),
    "a symbol": (ng.var("y"), ArgumentError, [" is a Symbol", "NDArray", "(2,)"]),
    "another shape": (np.ones(3), ShapeError, [" has shape (3,)", "(2,)"]),
}


@pytest.mark.parametrize(("value", "kind", "words"), VALUES.values(), ids=VALUES)
def test_values_that_are_none_are_named(exe, value, kind, words):
    """X-SYM-04: the call, the argument, what was given and what is expected."""
    says(kind, ["forward: x", *words], lambda: exe.forward(x=value))
    says(kind, ["forward_backward: x", *words], lambda: exe.forward_backward(x=value))
    says(kind, ["copy_params_from: x", *words], lambda: exe.copy_params_from({"x": value}))
    says(kind, ["backward: out_grads[0]", *words], lambda: exe.backward([value]))
    assert exe.arg_dict["x"].tolist() == [1, 2]


def test_a_number_for_the_gradient_of_several_elements_is_refused(exe):
    """X-SYM-04: what was given is shown with its shape."""
    words = ["backward: out_grads[0]=3 has shape ()", "'multiply0_output' has (2,)", "give one"]
    says(ShapeError, words, lambda: exe.backward(3))


@pytest.mark.parametrize("flag", ["x", 1, None, ng.ones(2)], ids=str)
def test_is_train_is_a_flag(exe, flag):
    """X-SYM-04: values by their place are none; np.bool_ is a flag, too."""
    words = ["forward: is_train=", "True or False", "forward(x=...)"]
    says(ArgumentError, words, lambda: exe.forward(flag))
    assert exe.forward(np.bool_(True))[0].tolist() == [3, 6]
