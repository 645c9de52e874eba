"""Scaled losses, so that small gradients survive in float16."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from nbgraph.array.core import Array
from nbgraph.array.create import array
from nbgraph.device import Context
from nbgraph.errors import require_number, require_whole
from nbgraph.operator.mapper.decorator import op


@op(certify=False)
def adjusted(
    scale: Any, good: Any, skipped: Any, finite: Any, factor: Any, window: Any, least: Any
) -> Any:
    """Return, after a step, the scale, good steps since its last change, and steps skipped."""
    if not finite:
        lower = scale / factor
        return lower if lower > least else least, 0.0, skipped + 1.0
    if good + 1.0 >= window:
        return scale * factor, 0.0, skipped
    return scale, good + 1.0, skipped


class LossScaler:
    """A factor for the loss that grows while all goes well and shrinks when gradients overflow.

    A step with a gradient that is not finite is skipped: no weight and no state changes, and the
    scale is divided by `factor`. After `window` good steps it is multiplied by it. All of this is
    computed on arrays: the host never waits to see whether a step was skipped (Micikevicius et
    al., 2018).

    Parameters
    ----------
    scale : float
        The first scale.
    factor : float
        The factor by which the scale changes, more than 1.
    window : int
        The number of good steps before the scale grows.
    least : float
        The least scale.

    >>> import nbgraph as ng
    >>> w = ng.array([1.0])
    >>> scaler = ng.optim.LossScaler(4.0)
    >>> opt = ng.optim.SGD({"w": w}, 0.5, scaler=scaler)
    >>> opt.step({"w": scaler.scale(ng.array([1.0]))})  # a gradient, scaled as its loss was
    >>> opt.step({"w": ng.array([float("inf")])})  # skipped
    >>> w, scaler.value, scaler.skipped
    (array([0.5], dtype=float32), 2.0, 1)
    """

    def __init__(
        self, scale: float = 65536.0, *, factor: float = 2.0, window: int = 2000, least: float = 1.0
    ) -> None:
        self.factor = require_number("LossScaler: factor", factor, above=1)
        self.window = require_whole("LossScaler: window", window)
        self.least = require_number("LossScaler: least", least, above=0)
        self._set(require_number("LossScaler: scale", scale, above=0), 0, 0)

    def _set(self, scale: float, good: float, skipped: float) -> None:
        self._state = [array(np.float64(v)) for v in (scale, good, skipped)]

    @property
    def array(self) -> Any:
        """The present scale, as an array of shape () and dtype float64."""
        return self._state[0]

    def to(self, device: Context) -> Any:
        """Keep the scale on a device, as gradients are; return the scaler itself."""
        self._state = [each.to_device(device) for each in self._state]
        return self

    def scale(self, loss: Any) -> Any:
        """Return the loss (or a head gradient) times the scale, in its own dtype."""
        array: Any = loss
        if isinstance(loss, Array):
            self.to(loss.device)
        return array * self._state[0].astype(array.dtype)

    def update(self, finite: Any) -> None:
        """Adjust the scale after a step. `finite`: a bool or array, whether its gradients were."""
        verdict = array(np.asarray(finite)) if isinstance(finite, (bool, np.bool_)) else finite
        self.to(verdict.device)
        options = self.factor, float(self.window), self.least
        self._state = list(adjusted(*self._state, verdict, *options))

    @property
    def value(self) -> float:
        """The scale; waits."""
        return self._state[0].item()

    @property
    def skipped(self) -> int:
        """The number of steps that were skipped; waits."""
        return int(self._state[2].item())

    def state_dict(self) -> dict[str, float]:
        """Return the state that `load_state_dict` takes; wait for it."""
        names = ("scale", "good", "skipped")
        return {name: a.item() for name, a in zip(names, self._state, strict=True)}

    def load_state_dict(self, state: Mapping[str, float]) -> None:
        """Continue from the state of another scaler."""
        self._set(state["scale"], state["good"], state["skipped"])
