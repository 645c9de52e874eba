"""States of optimizers as dicts, in files and in pickles."""

from collections.abc import Mapping
from typing import Any

from nbgraph.array.copying import copy_of
from nbgraph.errors import FormatError
from nbgraph.kernels.capture.snapshot import freeze, thaw
from nbgraph.optim import files
from nbgraph.optim.parameters import require_known
from nbgraph.optim.scaling import LossScaler
from nbgraph.optim.states import Clock, State

FORMAT = 1  # of state dicts


class Saved:
    """The methods of an optimizer that save and restore its state."""

    name: str
    lr: Any
    scaler: LossScaler | None
    multi_precision: bool
    hyper: dict[str, float]
    initial: dict[str, float]
    parameters: Any
    _params: Any
    _states: dict[str, State]
    _clocks: dict[str, Clock]
    _loaded: dict[str, Any]
    _updates: dict[Any, Any]

    def state_dict(self) -> dict[str, Any]:
        """Return copies of all states and counts, as nested dicts of NDArrays, numbers and strings.

        An optimizer of the same class and parameters that loads it continues with the same bits.
        """
        parts: dict[str, Any] = {}
        for key, state in self._states.items():
            count, done = self._clocks[key].settled()
            states = {name: copy_of(value) for name, value in state.all.items()}
            parts[key] = {"count": count, "done": done, "states": states}
        data: dict[str, Any] = {"format": FORMAT, "optimizer": self.name}
        data |= {"parameters": parts | self._loaded, "hyper": dict(self.hyper)}
        if not callable(self.lr):
            data["lr"] = float(self.lr)
        if self.scaler is not None:
            data["scaler"] = self.scaler.state_dict()
        return data

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from the state of another optimizer; change nothing where it does not fit.

        Raises FormatError for another optimizer's states, ArgumentError for a parameter that is
        not there, ShapeError where shapes differ.
        """
        if state.get("format") != FORMAT or state.get("optimizer") != self.name:
            raise FormatError(
                f"{self.name}.load_state_dict: states of {state.get('optimizer')!r} in format "
                f"{state.get('format')!r}; expected those of {self.name!r} in format {FORMAT}"
            )
        weights, parts = self.parameters, state["parameters"]
        if self._params is not None:
            require_known(f"{self.name}.load_state_dict", "parameters", weights, parts)
        fresh: dict[str, tuple[State, Clock]] = {}
        for key, entry in parts.items():
            if key in weights:
                restored = State(weights[key], self.initial, master=self.multi_precision)
                restored.load(self.name, key, entry["states"])
                fresh[key] = restored, Clock.of(entry["count"], entry["done"])
        self._states = {key: restored for key, (restored, _) in fresh.items()}
        self._clocks = self._shared({key: clock for key, (_, clock) in fresh.items()})
        self._loaded = {key: entry for key, entry in parts.items() if key not in fresh}
        self._updates.clear()
        self.hyper |= state["hyper"]
        if "lr" in state and not callable(self.lr):
            self.lr = state["lr"]
        if self.scaler is not None and "scaler" in state:
            self.scaler.load_state_dict(state["scaler"])

    def __getstate__(self) -> dict[str, Any]:
        own = {"_states": {}, "_clocks": {}, "_updates": {}, "_loaded": self.state_dict()}
        if getattr(self.lr, "__module__", "") == "nbgraph.optim.schedules":
            own["lr"] = freeze(self.lr)  # type: ignore[arg-type]  (a function, known by its text)
        return {**self.__dict__, **own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if isinstance(self.lr, dict):
            self.lr = thaw(self.lr)
        self.load_state_dict(self._loaded)

    @staticmethod
    def _shared(clocks: dict[str, Clock]) -> dict[str, Clock]:
        """Return clocks by name, one clock for parameters of equal steps."""
        by_count: dict[Any, Clock] = {}
        return {key: by_count.setdefault(clock.settled(), clock) for key, clock in clocks.items()}

    def save(self, path: Any) -> None:
        """Write `state_dict` to a file: npz, or safetensors if that is how its name ends."""
        files.save(path, self.state_dict())

    def load(self, path: Any) -> None:
        """Load the state from a file that `save` wrote."""
        self.load_state_dict(files.load(path))
