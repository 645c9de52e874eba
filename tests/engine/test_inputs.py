"""Bad input: refused at the call, by operation, argument, what was given and what was expected."""

import time

import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, DeviceError, EngineError


def nothing(run_ctx):
    pass


def bad_pushes():
    one = {"name": "job"}
    return [
        ((5,), {}, ArgumentError, "push: fn=5 is not callable"),
        ((5,), one, ArgumentError, "push: fn=5 is not callable"),
        ((nothing,), {"name": 3}, ArgumentError, "push: name=3; expected a string"),
        ((nothing,), {"mutate_vars": [1], **one}, ArgumentError, r"'job': mutate_vars\[0\]=1 is"),
        (
            (nothing,),
            {"const_vars": [[]]},
            ArgumentError,
            r"'nothing': const_vars\[0\]=\[\] is not",
        ),
        ((nothing,), {"const_vars": ({},)}, ArgumentError, r"const_vars\[0\]={} is not"),
        ((nothing,), {"const_vars": 7}, ArgumentError, "const_vars=7 is not iterable"),
        ((nothing,), {"const_vars": "ab"}, ArgumentError, r"const_vars\[0\]='a' is not an engine"),
        ((nothing,), {"mutate_vars": None}, ArgumentError, "mutate_vars=None is not iterable"),
        ((nothing,), {"priority": 1.5}, ArgumentError, "'nothing': priority=1.5; expected an int"),
        ((nothing,), {"priority": True}, ArgumentError, "priority=True; expected an int"),
        ((nothing,), {"nbytes": -1}, EngineError, "nbytes=-1; expected 0 or more"),
        (
            (nothing,),
            {"nbytes": 2**70},
            ArgumentError,
            f"nbytes={2**70}; expected .* to {2**63 - 1}",
        ),
        (
            (nothing,),
            {"priority": 2**70},
            ArgumentError,
            f"priority={2**70}; expected -{2**63 - 1} to",
        ),
        ((nothing,), {"priority": -(2**70)}, ArgumentError, f"priority=-{2**70}; expected"),
        ((nothing,), {"nbytes": "1"}, ArgumentError, "nbytes='1'; expected an int"),
        ((nothing,), {"ctx": "cpu"}, ArgumentError, "ctx='cpu'; expected a device such as"),
        ((nothing,), {"ctx": ng.gpu(99)}, DeviceError, r"gpu\(99\).*ng.cpu"),
        ((nothing,), {"prop": "NO_SKIP"}, ArgumentError, "prop='NO_SKIP'; expected a FnProperty"),
        (
            (nothing,),
            {"prop": ng.engine.FnProperty.DELETE_VAR},
            EngineError,
            "is what delete_variable",
        ),
        ((nothing,), {"prop": ng.engine.FnProperty.ASYNC}, EngineError, "is what push_async"),
    ]


@pytest.mark.parametrize("arguments, options, error, told", bad_pushes())
def test_bad_pushes_are_refused_by_name(engine, arguments, options, error, told):
    with pytest.raises(error, match=told):
        engine.push(*arguments, **options)
    assert engine.stats().pending == 0


def test_a_priority_of_an_operator_has_64_bits(engine):
    operator = engine.new_operator(nothing)
    with pytest.raises(ArgumentError, match=f"'nothing': priority={2**70}; expected"):
        engine.push_operator(operator, priority=2**70)


@pytest.mark.parametrize("timeout", [float("inf"), 1e300, 1e10])
def test_a_timeout_without_end_is_none(engine, timeout):
    pending = engine.push(lambda run_ctx: time.sleep(0.05))
    assert pending.result(timeout=timeout) is None
    v = engine.new_variable()
    engine.push(lambda run_ctx: time.sleep(0.05), mutate_vars=[v])
    engine.wait_for_var(v, timeout)
    engine.wait_for_all(timeout)


def test_an_array_deletes_its_variable_itself(engine):
    """SYS-04: deleted by hand, it would come back with the memory of another array."""
    array = ng.ones(2)
    with pytest.raises(EngineError, match="belongs to an array, which deletes it itself; `del`"):
        engine.delete_variable(array.variable)
    assert (array + 1).tolist() == [2, 2] and not array.variable.deleted


def test_a_single_variable_is_not_a_set(engine):
    v = engine.new_variable()
    for argument in ("const_vars", "mutate_vars"):
        with pytest.raises(ArgumentError, match=rf"is a single variable; write {argument}=\[var"):
            engine.push(nothing, **{argument: v})


def test_deleted_variables_are_refused_everywhere(engine):
    v = engine.new_variable("gone")
    opr = engine.new_operator(nothing, mutate_vars=[v])
    engine.delete_variable(v)
    for use in (
        lambda: engine.push(nothing, mutate_vars=[v], name="job"),
        lambda: engine.push_async(nothing, const_vars=[v], name="job"),
        lambda: engine.new_operator(nothing, const_vars=[v], name="job"),
        lambda: engine.push_operator(opr),
        lambda: engine.wait_for_var(v),
        lambda: engine.delete_variable(v),
    ):
        with pytest.raises(EngineError, match=r"gone.* has been deleted; ng.engine.new_variable"):
            use()


def test_other_bad_arguments(engine):
    v = engine.new_variable()
    for use, error, told in (
        (lambda: engine.wait_for_var(3), ArgumentError, "wait_for_var: var=3 is not an engine"),
        (lambda: engine.wait_for_var(v, -1), EngineError, "timeout=-1; expected 0 or more"),
        (lambda: engine.wait_for_all("x"), ArgumentError, "wait_for_all: timeout='x'; expected"),
        (lambda: engine.wait_for_all(float("nan")), EngineError, "timeout=nan"),
        (lambda: engine.push_operator(3), ArgumentError, "push_operator: opr=3 is not an operator"),
        (lambda: engine.delete_operator(None), ArgumentError, "delete_operator: opr=None"),
        (lambda: engine.new_operator("f"), ArgumentError, "new_operator: fn='f' is not callable"),
        (lambda: engine.delete_variable(v, 5), ArgumentError, "delete_variable: fn=5 is not"),
        (lambda: engine.push_async(None), ArgumentError, "push_async: fn=None is not callable"),
        (lambda: engine.bulk(0), EngineError, "bulk: n=0; expected 1 or more"),
        (lambda: engine.bulk(2.0), ArgumentError, "bulk: n=2.0; expected an int"),
    ):
        with pytest.raises(error, match=told):
            use()
    assert not v.deleted


@pytest.mark.parametrize(
    "arguments, told",
    [
        (("fast",), "kind='fast'; expected 'naive', 'threaded' or 'chaos'"),
        (("naive", 2), "workers=2: the naive engine has no workers"),
        (("threaded", 0), "workers=0; expected 1 or more"),
        (("threaded", 1.5), "workers=1.5; expected an int"),
        (("naive", None, 1), "seed=1: the naive engine has no seed"),
        (("chaos", None, "x"), "seed='x'; expected an int"),
    ],
)
def test_bad_choices_are_refused(arguments, told):
    with pytest.raises(ng.NbgraphError, match=f"set: {told}"):
        ng.engine.set(*arguments)
