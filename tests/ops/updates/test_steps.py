"""Steps of optimizers as operators; their values are in test_mxnet."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.ops.updates.table import STEPS
from tests.array.gpu import GPU

PLAIN = [n for n in STEPS if "lamb" not in n and not n.startswith("mp_")]
NARROW = [n for n in STEPS if n.startswith("mp_")]


def operands(name, seed=0, shape=(3, 4)):
    """Arrays of a step, by names: states above 0, norms of shape (1,)."""
    rng, made = np.random.default_rng(seed), {}
    for label in STEPS[name].operands.split():
        narrow = name.startswith("mp_") and label in ("weight", "grad")
        own = (1,) if label in ("r1", "r2") else shape
        made[label] = (0.5 + rng.random(own)).astype("float16" if narrow else "float32")
    if "weight32" in made:
        made["weight32"] = made["weight"].astype("float32")
    if "n" in made:
        made["n"] += 4
    return made


def numbers(name):
    return (
        {"t": 2, "wd": 0.25}
        if "phase1" in name
        else {"lr": 0.1, **({"t": 2} if "ftml" in name else {})}
    )


def states(name):
    return STEPS[name].states.split()


def by_numpy(name):
    """The result and all arrays behind it."""
    arrays = operands(name)
    return getattr(ng, name)(**arrays, **numbers(name)), arrays


def check(name, found, arrays):
    wanted, after = by_numpy(name)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found.asnumpy(), wanted)
    for label in states(name):
        np.testing.assert_array_equal(arrays[label].asnumpy(), after[label], err_msg=label)


@pytest.mark.parametrize("name", STEPS)
def test_states_move_and_operands_stay(name):
    """OPP-24: what a row calls states is written, and nothing else; with out= the weight."""
    before, (found, after) = operands(name), by_numpy(name)
    for label, value in before.items():
        same = np.array_equal(value, after[label])
        assert same != (label in states(name)), label
    arrays = operands(name)
    if found.dtype == arrays["weight"].dtype:
        made = getattr(ng, name)(**arrays, **numbers(name), out=arrays["weight"])
        assert made is arrays["weight"]
        np.testing.assert_array_equal(made, found)


@pytest.mark.parametrize("device", [ng.cpu(), GPU], ids=str)
@pytest.mark.parametrize("name", STEPS)
def test_the_worlds_agree(name, device):
    """OPP-24, SMP-24: arrays in place, compiled functions and graphs, read from text, give the bits
    of NumPy, outside of training."""
    function = getattr(ng.nd, name)
    arrays = {k: ng.array(v, device=device) for k, v in operands(name).items()}
    check(name, function(**arrays, **numbers(name)), arrays)
    arrays = {k: ng.array(v, device=device) for k, v in operands(name).items()}
    traced = ng.jit(lambda *values: function(*values, **numbers(name)))
    check(name, traced(*arrays.values()), arrays)
    made = getattr(ng.sym, name)(**{k: ng.var(k) for k in arrays}, **numbers(name))
    made = ng.load_json(made.tojson())
    exe = made.simple_bind(
        device,
        **{k: v.shape for k, v in operands(name).items()},
        type_dict={k: v.dtype for k, v in operands(name).items()},
    )
    held = exe.arg_dict | exe.aux_dict
    assert set(exe.aux_dict) == set(states(name))
    for label, value in operands(name).items():
        held[label][...] = value
    check(name, exe.forward()[0], held)


@pytest.mark.parametrize("name", ["sgd_mom_update", "adam_update", "mp_sgd_update"])
def test_states_of_symbols_are_made(name):
    """OPP-14: states that are not given become variables whose shapes follow."""
    made = getattr(ng.sym, name)(ng.var("w"), ng.var("g"), lr=0.1, name="step")
    assert made.list_auxiliary_states() == [
        f"step_{n}" for n in sorted(states(name), key=STEPS[name].operands.split().index)
    ]
    assert made.infer_shape(w=(2, 3))[2] == [(2, 3)] * len(states(name))


def test_they_are_the_steps_of_optimizers():
    """OPP-24, X-MAR-11: the operator in a loop and the optimizer give the same bits."""
    w, g = operands("sgd_update").values()
    own, other = ng.array(w), ng.array(w)
    opt = ng.optim.Ftrl({"w": own}, lr=0.1, lasso=0.2, weight_decay=0.1)
    z, n = ng.zeros(w.shape), ng.zeros(w.shape)
    for k in range(3):
        opt.step({"w": ng.array(g - k)})
        ng.nd.ftrl_update(other, ng.array(g - k), z, n, lr=0.1, lamda1=0.2, wd=0.1, out=other)
    np.testing.assert_array_equal(own, other)


@pytest.mark.parametrize(
    "name", ["sgd_update", "sgd_mom_update", "mp_sgd_update", "mp_sgd_mom_update"]
)
def test_several_weights_at_once(name):
    """OPP-24: arrays of each weight in one row, with a rate and a decay for each."""
    rows = [list(operands(name, seed).values()) for seed in range(3)]
    lone = [list(operands(name, seed).values()) for seed in range(3)]
    rates, decays = (0.1, 0.2, 0.3), (0.0, 0.5, 0.25)
    outs = [row[0] for row in rows]
    made = getattr(ng, f"multi_{name}")(
        *[a for row in rows for a in row], lrs=rates, wds=decays, num_weights=3, out=outs
    )
    for out, row, one, lr, wd in zip(made, rows, lone, rates, decays, strict=True):
        np.testing.assert_array_equal(out, getattr(ng, name)(*one, lr=lr, wd=wd))
        assert out is row[0]
        for a, b in zip(row[1:], one[1:], strict=True):
            np.testing.assert_array_equal(a, b)


X = np.ones((2, 3))
BAD = [
    (lambda: ng.sgd_update(X, X[0], lr=1), ShapeError, r"grad has shape \(3,\) beside weight"),
    (lambda: ng.sgd_mom_update(X, X, [[0.0] * 3] * 2, lr=1), ArgumentError, "'mom' is a list"),
    (lambda: ng.sgd_mom_update(X, X, lr=1), ArgumentError, "no array is given for mom"),
    (lambda: ng.sgd_update(X, X), ArgumentError, "sgd_update.*lr"),
    (lambda: ng.sgd_update(X, X, lr=1, wdecay=2), ArgumentError, "wdecay"),
    (lambda: ng.sgd_update(X, lr=1), ArgumentError, "'grad'"),
    (lambda: ng.ftml_update(X, X, X, X, X, lr=1, t=0), ArgumentError, "t=0; expected 1 or more"),
    (
        lambda: ng.multi_sgd_update(X, X, lrs=(1, 2), wds=(0, 0), num_weights=2),
        ArgumentError,
        "weight, grad of each weight in one row",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD, ids=[m[:30] for _, _, m in BAD])
def test_bad_input(call, error, message):
    """OPR-16: operator, argument, the given, the expected."""
    with pytest.raises(error, match=message):
        call()
