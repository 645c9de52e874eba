"""Steps of optimizers by MXNet's names: the rule of each, and its parameters there.

Formulas are those of the rules (`nbgraph.ops.updates.rules`); a row maps MXNet's operands and
parameters to theirs. Velocities that MXNet stores with the rate and a minus sign in them are those
of a rule at rate -1 with gradients times -lr.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.parameters import Param, field
from nbgraph.ops.updates import rules
from nbgraph.ops.updates.rules import variant

Numbers = Mapping[str, float]


class Step(NamedTuple):
    """A row of the table.

    `operands` are MXNet's names, and `own` those of the rule, in the same order ("-": not an
    operand of the rule); `states` are written, in the order of the rule's results. `example`: the
    value of a weight of 1 after a gradient of 1 and states of 0, with the parameters of `asked`.
    `like`: the operand whose dtype the result has.
    """

    rule: Mapper
    operands: str
    own: str
    states: str
    kind: type[Param]
    numbers: Callable[[Any], Numbers]
    text: str
    example: str
    asked: str = "lr=0.5"
    like: str = "weight"


# parameters -------------------------------------------------------------------------------------


class Scaled(Param):
    """Parameters of all steps that read a gradient."""

    wd: float = field(0.0, doc="Factor of half the squared weights, in what is minimised.")
    rescale_grad: float = field(1.0, doc="A factor of gradients.")
    clip_gradient: float = field(-1.0, doc="Bound of gradients; 0 and less: none.")
    lazy_update: bool = field(True, doc="Ignored: it is of sparse gradients.")


class Rated(Scaled):
    """Parameters with a rate."""

    lr: float = field(doc="The rate.")


class Moving(Rated):
    """Parameters with a velocity."""

    momentum: float = field(0.0, doc="What stays of the velocity.")


class Signed(Moving):
    """Parameters of signum."""

    wd_lh: float = field(0.0, doc="Decay of weights beside the gradient, by lr * wd_lh.")


class Moments(Scaled):
    """Parameters with two moving averages."""

    beta1: float = field(0.9, doc="What stays of the mean of gradients.")
    beta2: float = field(0.999, doc="What stays of the mean of squares.")
    epsilon: float = field(1e-8, doc="Added to the root.")


class Adam(Moments):
    """Parameters of adam."""

    lr: float = field(doc="The rate; it carries the corrections of both means.")


class Squares(Rated):
    """Parameters of rmsprop."""

    gamma1: float = field(0.95, doc="What stays of the means.")
    epsilon: float = field(1e-8, doc="Added under the root.")
    clip_weights: float = field(-1.0, doc="Bound of new weights; 0 and less: none.")


class Centred(Squares):
    """Parameters of rmspropalex."""

    gamma2: float = field(0.9, doc="What stays of the velocity.")


class Leading(Rated):
    """Parameters of ftrl."""

    lamda1: float = field(0.01, doc="Factor of the weights' magnitudes.")
    beta: float = field(1.0, doc="Added to the root of summed squares.")


class Following(Moments):
    """Parameters of ftml."""

    beta1: float = field(0.6, doc="What stays of the pull.")
    lr: float = field(doc="The rate.")
    clip_grad: float = field(-1.0, doc="MXNet's name of clip_gradient here.")
    t: int = field(lower=1, doc="The number of the step, from 1 on.")


class Layered(Moments):
    """Parameters of lamb's first phase."""

    epsilon: float = field(1e-6, doc="Added to the root.")
    t: int = field(lower=1, doc="The number of the step, from 1 on.")
    bias_correction: bool = field(True, doc="Whether means that began with 0 are corrected.")


class Bounded(Param):
    """Parameters of lamb's second phase."""

    lr: float = field(doc="The rate.")
    lower_bound: float = field(-1.0, doc="Least norm of weights; 0 and less: none.")
    upper_bound: float = field(-1.0, doc="Largest norm of weights; 0 and less: none.")


# their values in rules ---------------------------------------------------------------------------


def limit(value: float) -> float:
    """Return a bound; infinity for none."""
    return value if value > 0 else math.inf


def _scaled(p: Any) -> dict[str, float]:
    return {"decay": p.wd, "scale": p.rescale_grad, "bound": limit(p.clip_gradient)}


def _late(p: Any) -> dict[str, float]:
    """Return numbers for gradients clipped after the penalty is added."""
    return {**_scaled(p), "bound": math.inf, "after": limit(p.clip_gradient)}


def _rated(p: Any) -> dict[str, float]:
    return {"rate": p.lr, **_scaled(p)}


def _gains(p: Any) -> dict[str, float]:
    return {"gain1": 1.0 - p.beta1, "gain2": 1.0 - p.beta2, "epsilon": p.epsilon}


def _squares(p: Any) -> dict[str, float]:
    own = {"gain": 1.0 - p.gamma1, "epsilon": 0.0, "inner": p.epsilon}
    return {**_late(p), **own, "rate": p.lr, "most": limit(p.clip_weights)}


def _following(p: Any) -> Numbers:
    rate, root = p.lr / (1.0 - p.beta1**p.t), (1.0 - p.beta2**p.t) ** -0.5
    after = min(limit(p.clip_grad), limit(p.clip_gradient))
    own = {"beta1": p.beta1, "rate": rate, "root": root, "after": after}
    return {**_late(p), **_gains(p), **own}


def _layered(p: Any) -> Numbers:
    first, root = 1.0, 1.0
    if p.bias_correction:
        first, root = 1.0 / (1.0 - p.beta1**p.t), (1.0 - p.beta2**p.t) ** -0.5
    return {**_scaled(p), **_gains(p), "first": first, "root": root}


# the table --------------------------------------------------------------------------------------


def _doubled(step: Step, *, ends: bool = True) -> Step:
    """Return the step on float32 copies of 16-bit weights. `ends`: it returns weights."""
    own = step.own.replace("weight", "-", 1) + " weight"
    doubled = step._replace(operands=f"{step.operands} weight32", own=own)
    if not ends:
        return doubled._replace(like="weight32")
    kept = ("weight", *(dict(zip(step.operands.split(), step.own.split(), strict=True))[s]
                        for s in step.states.split()))  # fmt: skip
    rule = variant(step.rule, kept, guarded=False, doubled=True)
    return doubled._replace(rule=rule, states=f"weight32 {step.states}".strip())


STEPS: dict[str, Step] = {
    "sgd_update": Step(
        rules.sgd, "weight grad", "weight grad", "", Rated, _rated,
        "A step down the gradient: weight - lr * (grad + wd * weight).", "0.5",
    ),
    "sgd_mom_update": Step(
        rules.momentum, "weight grad mom", "weight grad velocity", "mom", Moving,
        lambda p: {**_scaled(p), "rate": -1.0, "fresh": -p.lr, "momentum": p.momentum},
        "A step by a velocity that gradients accelerate (Polyak, 1964): mom = momentum * mom - lr "
        "* (grad + wd * weight), weight + mom.", "0.5",
    ),
    "adam_update": Step(
        rules.adam, "weight grad mean var", "weight grad mean square", "mean var", Adam,
        lambda p: {**_late(p), **_gains(p), "rate": p.lr, "root": 1.0, "shrink": 1.0},
        "A step of the mean of gradients over the root of that of their squares (Kingma and Ba, "
        "2015): weight - lr * mean / (sqrt(var) + epsilon). The caller corrects lr.",
        "0.5", "lr=0.5, beta1=0.5, beta2=0.75",
    ),
    "rmsprop_update": Step(
        rules.rmsprop, "weight grad n", "weight grad square", "n", Squares, _squares,
        "A step by gradients over the root of the mean of their squares (Tieleman and Hinton, "
        "2012): weight - lr * grad / sqrt(n + epsilon).", "0.5", "lr=0.25, gamma1=0.75",
    ),
    "rmspropalex_update": Step(
        rules.rmsprop_centered, "weight grad n g delta", "weight grad square mean velocity",
        "n delta g", Centred,
        lambda p: {**_squares(p), "rate": -1.0, "fresh": -p.lr, "momentum": p.gamma2},
        "`rmsprop_update` by the variance, with a velocity (Graves, 2013, equations 38 to 45): "
        "weight + delta, delta = gamma2 * delta - lr * grad / sqrt(n - g * g + epsilon).",
        "0.5", "lr=0.25, gamma1=0.5",
    ),
    "ftrl_update": Step(
        rules.ftrl, "weight grad z n", "weight grad pull total", "z n", Leading,
        lambda p: {**_rated(p), "lasso": p.lamda1, "beta": p.beta},
        "Follow the regularised leader (McMahan et al., 2013): weights of 0 where abs(z) <= "
        "lamda1.", "0.25", "lr=0.5, lamda1=0.0",
    ),
    "ftml_update": Step(
        rules.ftml, "weight grad d v z", "weight grad slope square pull", "d v z", Following,
        _following, "Follow the moving leader (Zheng and Kwok, 2017): -z / d.", "0.5",
        "lr=0.5, t=1",
    ),
    "signsgd_update": Step(
        rules.signsgd, "weight grad", "weight grad", "", Rated,
        lambda p: {**_rated(p), "shrink": 1.0 - p.lr * p.wd},
        "A step along the sign of the gradient (Bernstein et al., 2018): (1 - lr * wd) * weight - "
        "lr * sign(grad).", "0.5",
    ),
    "signum_update": Step(
        rules.signum, "weight grad mom", "weight grad velocity", "mom", Signed,
        lambda p: _scaled(p) | {"scale": -p.rescale_grad, "decay": -p.wd, "rate": -p.lr,
                                "gain": 1.0 - p.momentum, "shrink": 1.0 - p.lr * p.wd_lh},
        "A step along the sign of a velocity (Bernstein et al., 2018): (1 - lr * wd_lh) * weight + "
        "lr * sign(mom), mom = momentum * mom - (1 - momentum) * (grad + wd * weight).", "0.5",
    ),
    "lamb_update_phase1": Step(
        rules.lamb_direction, "weight grad mean var", "weight grad mean square", "mean var",
        Layered, _layered, "The direction of lamb (You et al., 2020): mean / (sqrt(var) + epsilon) "
        "+ wd * weight, both corrected. `lamb_update_phase2` takes it, with norms.", "0.75",
        "t=1, epsilon=1.0, wd=0.25",
    ),
    "lamb_update_phase2": Step(
        rules.lamb_layer, "weight g r1 r2", "weight step size change", "", Bounded,
        lambda p: {"rate": p.lr, "low": max(p.lower_bound, 0.0), "high": limit(p.upper_bound)},
        "The step of lamb (You et al., 2020) by its direction `g`: weight - lr * r1 / r2 * g, of "
        "the norms r1 of weight and r2 of g, arrays of shape (1,) or (); lr * g where one of them "
        "is 0.", "0.5",
    ),
}  # fmt: skip
STEPS["nag_mom_update"] = STEPS["sgd_mom_update"]._replace(
    rule=rules.nesterov,
    text="A step by a velocity, and by where it leads (Nesterov, 1983; Sutskever et al., 2013): "
    "weight + momentum * mom - lr * (grad + wd * weight), with the new mom of `sgd_mom_update`.",
)
for _name in ("sgd_update", "sgd_mom_update", "nag_mom_update"):
    STEPS[f"mp_{_name}"] = _doubled(STEPS[_name])
STEPS["mp_lamb_update_phase1"] = _doubled(STEPS["lamb_update_phase1"], ends=False)
STEPS["mp_lamb_update_phase2"] = _doubled(STEPS["lamb_update_phase2"])
