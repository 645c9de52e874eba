"""Optimizers with one rate for all elements of a parameter."""

from collections.abc import Mapping
from dataclasses import InitVar
from typing import Any

from nbgraph.errors import ArgumentError
from nbgraph.ops.updates import rules
from nbgraph.optim.optimizer import Optimizer
from nbgraph.optim.options import Betas, Rate, flag, means, number, rate
from nbgraph.optim.rows import Row, scalar_array
from nbgraph.optim.update import Operands


class SGD(Optimizer):
    """Gradient descent, with `momentum` (Polyak, 1964) or Nesterov's (Sutskever et al., 2013).

    Parameters
    ----------
    momentum : float from 0: the factor of the velocity at each step
    dampening : float: velocity = momentum * velocity + (1 - dampening) * grad, and the weight goes
        down by lr times it. The first gradient is not dampened.
    nesterov : whether it goes down by lr * (grad + momentum * velocity)
    params, lr, **options : as for Optimizer

    Raises
    ------
    ArgumentError for nesterov without momentum, or with dampening.

    >>> import nbgraph as ng
    >>> w = ng.array([1.0])
    >>> opt = SGD({"w": w}, lr=0.1, momentum=0.5)
    >>> for _ in range(2):
    ...     opt.step({"w": ng.array([1.0])})
    >>> w  # by 0.1, then by 0.15
    array([0.75], dtype=float32)
    """

    rule = rules.sgd

    momentum: InitVar[float] = number("momentum", default=0.0)
    dampening: float = number(default=0.0)
    nesterov: InitVar[bool] = flag(default=False)

    def choose(self, *, momentum: float, nesterov: bool, **_: Any) -> None:
        if momentum:
            self.rule = rules.nesterov if nesterov else rules.momentum  # type: ignore[misc]
            self.states = ("velocity",)  # type: ignore[misc]
        if nesterov and (not momentum or self.dampening):
            raise ArgumentError(
                f"{self.name}: nesterov with momentum={momentum}, dampening={self.dampening}; "
                "expected a momentum above 0 and no dampening"
            )

    def coefficients(self, steps: Any, rate: Any) -> Mapping[str, Any]:
        """Return the factor of the fresh gradient, by name."""
        return {"fresh": 1.0 - self.dampening * (steps > 1.0)}


class NAG(SGD):
    """SGD with Nesterov's momentum.

    Parameters
    ----------
    momentum : float from 0 to 1; with 0 it is plain SGD
    params, lr, **options : as for Optimizer

    >>> NAG(momentum=0.9).rule
    <op nesterov(weight, grad, velocity, rate, decay, scale, bound, momentum, fresh)>
    """

    def __init__(
        self, params: Any = None, lr: Rate = 0.01, *, momentum: float = 0.9, **options: Any
    ) -> None:
        options.setdefault("nesterov", bool(momentum))
        super().__init__(params, lr, momentum=momentum, **options)


class Signum(Optimizer):
    """Steps of lr along the sign of a mean of gradients (Bernstein et al., 2018).

    Parameters
    ----------
    momentum : float from 0 to 1: mean = momentum * mean + (1 - momentum) * grad
    shrink : float: decoupled decay, by lr * shrink a step
    params, lr, **options : as for Optimizer

    >>> import nbgraph as ng
    >>> w = ng.array([1.0, 1.0])
    >>> Signum({"w": w}, lr=0.5).step({"w": ng.array([3.0, -0.1])})
    >>> w
    array([0.5, 1.5], dtype=float32)
    """

    rule = rules.signum
    states = ("velocity",)

    momentum: InitVar[float] = number("gain", default=0.9, below=1, rest=True)
    shrink: float = number(default=0.0)

    def coefficients(self, steps: Any, rate: Any) -> Mapping[str, Any]:
        """Return the factor that decay leaves of the weight, by name."""
        return {"shrink": 1.0 - rate * self.shrink}


class Lion(Optimizer):
    """Steps of lr along the sign of a mean with more of the newest gradient (Chen et al., 2023).

    Parameters
    ----------
    betas : the factors of the mean in the sign, and in the mean for the next step
    params, lr, **options : as for Optimizer; `weight_decay` is decoupled: weights shrink by lr *
        weight_decay

    >>> import nbgraph as ng
    >>> w = ng.array([1.0, 1.0])
    >>> Lion({"w": w}, lr=0.5).step({"w": ng.array([3.0, -0.1])})
    >>> w
    array([0.5, 1.5], dtype=float32)
    """

    rule = rules.lion
    states = ("mean",)
    decoupled = True

    lr: Rate = rate(default=1e-4, kw_only=False)
    betas: InitVar[Betas] = means(default=(0.9, 0.99))


class SGLD(Optimizer):
    """Half a step of lr and normal noise of variance lr: weights become samples of the posterior
    (Welling and Teh, 2011).

    Parameters
    ----------
    params, lr, **options : as for Optimizer. Noise comes from `ng.random`.

    >>> import nbgraph as ng
    >>> ng.random.seed(0)
    >>> w = ng.zeros(10000)
    >>> SGLD({"w": w}, lr=0.25).step({"w": ng.zeros(10000)})
    >>> round(float(w.asnumpy().std()), 1)
    0.5
    """

    rule = rules.sgld

    def coefficients(self, steps: Any, rate: Any) -> Mapping[str, Any]:
        """Return the standard deviation of the noise, by name."""
        return {"spread": rate**0.5}

    def rows(self, operands: Operands) -> list[Row]:
        operands.draw("noise")
        return super().rows(operands)


class LARS(Optimizer):
    """Momentum with a rate for each parameter, by the norms of weights and gradients (You, Gitman
    and Ginsburg, 2017).

    Parameters
    ----------
    momentum : float from 0: the factor of the velocity at each step
    trust, eps : floats: the rate is lr * trust * |w| / (|g| + weight_decay * |w| + eps), lr where a
        norm is 0
    params, lr, **options : as for Optimizer

    >>> import nbgraph as ng
    >>> w = ng.array([3.0, 4.0])
    >>> LARS({"w": w}, lr=1.0, trust=0.5).step({"w": ng.array([0.0, 2.0])})
    >>> w.asnumpy().round(4)  # by 0.5 * 5 / 2 times the gradient
    array([3. , 1.5], dtype=float32)
    """

    elementwise = False
    rule = rules.lars
    states = ("velocity",)

    lr: Rate = rate(default=0.1, kw_only=False)
    momentum: InitVar[float] = number("momentum", default=0.9)
    trust: InitVar[float] = number("trust", default=1e-3)
    eps: InitVar[float] = number("epsilon", default=1e-9)

    def rows(self, operands: Operands) -> list[Row]:
        own, slope = (
            scalar_array(operands.group.precision, operands.weight.device) for _ in range(2)
        )
        inputs = operands.of(rules.lars_norms.scalar.operands)
        operands.known |= {"own": own, "slope": slope}
        norms = Row(rules.lars_norms, inputs, [own, slope], ["add", "add"])
        return [norms, *super().rows(operands)]
