"""Optimizers with one rate for all elements of a parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nbgraph.errors import ArgumentError
from nbgraph.optim import rules
from nbgraph.optim.optimizer import Optimizer, Rate
from nbgraph.optim.rows import Row, scalar_array
from nbgraph.optim.update import Operands


class SGD(Optimizer):
    """Gradient descent, with `momentum` (Polyak, 1964) or Nesterov's (Sutskever et al., 2013).

    velocity = momentum * velocity + (1 - dampening) * grad, and the weight goes down by lr times
    it; with `nesterov` by lr * (grad + momentum * velocity). The first gradient is not dampened.
    Options as for Optimizer.

    >>> import nbgraph as ng
    >>> w = ng.array([1.0])
    >>> opt = SGD({"w": w}, lr=0.1, momentum=0.5)
    >>> for _ in range(2):
    ...     opt.step({"w": ng.array([1.0])})
    >>> w  # by 0.1, then by 0.15
    array([0.75], dtype=float32)
    """

    rule = rules.sgd

    def __init__(
        self,
        params: Any = None,
        lr: Rate = 0.01,
        *,
        momentum: float = 0.0,
        dampening: float = 0.0,
        nesterov: bool = False,
        **options: Any,
    ) -> None:
        if momentum:
            self.rule = rules.nesterov if nesterov else rules.momentum  # type: ignore[misc]
            self.states = ("velocity",)  # type: ignore[misc]
        super().__init__(params, lr, **options)
        if nesterov and (not momentum or dampening):
            raise ArgumentError(
                f"{self.name}: nesterov with momentum={momentum}, dampening={dampening}; expected "
                "a momentum above 0 and no dampening"
            )
        self.hyper = {"momentum": self._number("momentum", momentum)}
        self.dampening = self._number("dampening", dampening)

    def coefficients(self, steps: Any, rate: Any) -> Mapping[str, Any]:
        """How much the gradient counts."""
        return {"fresh": 1.0 - self.dampening * (steps > 1.0)}


class NAG(SGD):
    """SGD with Nesterov's momentum.

    >>> NAG(momentum=0.9).rule
    <op nesterov(weight, grad, velocity, rate, decay, scale, bound, momentum, fresh)>
    """

    def __init__(
        self, params: Any = None, lr: Rate = 0.01, *, momentum: float = 0.9, **options: Any
    ) -> None:
        super().__init__(params, lr, momentum=momentum, nesterov=True, **options)


class Signum(Optimizer):
    """Steps of lr along the sign of a mean of gradients (Bernstein et al., 2018).

    `shrink`: decoupled decay, by lr * shrink a step. Options as for Optimizer.
    """

    rule = rules.signum
    states = ("velocity",)

    def __init__(
        self,
        params: Any = None,
        lr: Rate = 0.01,
        *,
        momentum: float = 0.9,
        shrink: float = 0.0,
        **options: Any,
    ) -> None:
        super().__init__(params, lr, **options)
        self.hyper = {"gain": 1.0 - self._number("momentum", momentum, high=1.0)}
        self.shrink = self._number("shrink", shrink)

    def coefficients(self, steps: Any, rate: Any) -> Mapping[str, Any]:
        """What decay leaves of the weight."""
        return {"shrink": 1.0 - rate * self.shrink}


class Lion(Optimizer):
    """The sign of a mean that the newest gradient counts more in (Chen et al., 2023).

    `weight_decay` is decoupled: weights shrink by lr * weight_decay. Options as for Optimizer.
    """

    rule = rules.lion
    states = ("mean",)
    decoupled = True

    def __init__(
        self,
        params: Any = None,
        lr: Rate = 1e-4,
        *,
        betas: tuple[float, float] = (0.9, 0.99),
        **options: Any,
    ) -> None:
        super().__init__(params, lr, **options)
        self.hyper = self._betas(betas)


class SGLD(Optimizer):
    """Half a step of lr and normal noise of variance lr: weights become samples of the posterior
    (Welling and Teh, 2011). Noise comes from `ng.random`. Options as for Optimizer.
    """

    rule = rules.sgld

    def coefficients(self, steps: Any, rate: Any) -> Mapping[str, Any]:
        """The deviation of the noise."""
        return {"spread": rate**0.5}

    def rows(self, operands: Operands) -> list[Row]:
        """Noise is drawn for each step."""
        operands.draw("noise")
        return super().rows(operands)


class LARS(Optimizer):
    """Momentum at rates of each parameter's own, by the norms of weights and gradients
    (You, Gitman and Ginsburg, 2017).

    The rate is lr * trust * |w| / (|g| + weight_decay * |w| + eps), lr where a norm is 0.
    Options as for Optimizer.
    """

    rule = rules.lars
    states = ("velocity",)

    def __init__(
        self,
        params: Any = None,
        lr: Rate = 0.1,
        *,
        momentum: float = 0.9,
        trust: float = 1e-3,
        eps: float = 1e-9,
        **options: Any,
    ) -> None:
        super().__init__(params, lr, **options)
        self.hyper = {
            "momentum": self._number("momentum", momentum),
            "trust": self._number("trust", trust),
            "epsilon": self._number("eps", eps),
        }

    def rows(self, operands: Operands) -> list[Row]:
        """Norms first."""
        own, slope = (
            scalar_array(operands.group.precision, operands.weight.device) for _ in range(2)
        )
        given = operands.of(rules.lars_norms.scalar.operands)
        operands.known |= {"own": own, "slope": slope}
        norms = Row(rules.lars_norms, given, [own, slope], ["add", "add"])
        return [norms, *super().rows(operands)]
