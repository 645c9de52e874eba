"""`Optimizer`: the base class of all optimizers."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import InitVar
from typing import Any, ClassVar

import numpy as np

from nbgraph.array.apply_scalar_op import writable
from nbgraph.array.copying import fill_from
from nbgraph.array.core import Array
from nbgraph.array.push import copied
from nbgraph.errors import ArgumentError
from nbgraph.operator.call import recording
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.ops.draws import distributions
from nbgraph.optim.options import DEFAULT, Declared, Rate, bound, flag, number, plain, rate
from nbgraph.optim.parameters import (
    Multipliers,
    Renamed,
    gradients_for,
    multiplier,
    named,
    require_gradient,
    require_known,
    require_weight,
)
from nbgraph.optim.rows import Row
from nbgraph.optim.scaling import LossScaler
from nbgraph.optim.state_dict import Saved
from nbgraph.optim.states import Clock, State, together
from nbgraph.optim.update import Entry, Group, Operands, Update
from nbgraph.signatures import unknown_keyword

_MOST = 1024  # updates, one for each set of parameters that are updated together


class Optimizer(Saved, Declared):
    """Steps that change parameters in place, by their gradients.

    Parameters
    ----------
    params : dict, list or object with parameters()
        NDArrays by name. None: `update` alone is used.
    lr : float or callable
        The rate, or a schedule: a function from the number of a step, from 0 on, to its rate. It
        is the same for all parameters, also for one that had no gradient before.
    weight_decay : float
        The factor of half the squared weights, which are added to the loss (AdamW, AdaBelief, Lion
        and LAMB shrink the weights instead).
    clip_value, clip_norm : float, optional
        Bounds of each element of a gradient, and of the norm of all gradients together.
    rescale : float
        The factor of all gradients, such as 1 / batch size.
    lr_mult, wd_mult : dict or callable
        Factors of rate and decay by the parameter's name; 1 where a dict has none.
    scaler : LossScaler, optional
        Gradients are divided by its scale; a step where they are not finite is skipped.
    multi_precision : bool
        Parameters of 16 bits have a master copy and states in float32.
    joint : bool
        Whether a step is one push, or one for each kernel; the bits are the same.

    A step is asynchronous like any operator: nothing in it waits for values.
    """

    rule: ClassVar[Mapper]
    states: ClassVar[Sequence[str]] = ()  # names, in the order of the rule's results
    decoupled: ClassVar[bool] = False  # decay shrinks weights, and is not a part of the gradient
    elementwise: ClassVar[bool] = True  # parts of a parameter can be updated by themselves

    params: InitVar[Any] = plain(default=None, kw_only=False)
    lr: Rate = rate(default=0.01, kw_only=False)
    weight_decay: float = number(default=0.0)
    clip_value: float | None = bound(default=None)
    clip_norm: float | None = bound(default=None)
    rescale: float = plain(default=1.0)
    lr_mult: Multipliers = plain(default=None)
    wd_mult: Multipliers = plain(default=None)
    scaler: LossScaler | None = plain(default=None)
    multi_precision: bool = flag(default=True)
    joint: bool = flag(default=True)

    def __init__(self, params: Any = None, lr: Any = DEFAULT, **options: Any) -> None:
        self.name, self._params = type(self).__name__, params
        self.hyper: dict[str, float] = {}  # constants of the rule
        if lr is not DEFAULT:
            options["lr"] = lr
        for name in options.keys() - self.options:
            raise ArgumentError(unknown_keyword(self.name, name, self.options))
        for name, (default, check, of_rule) in self.options.items():
            value: Any = check(f"{self.name}: {name}", options.get(name, default))
            options[name] = value
            if of_rule is not None:
                self.hyper |= value if of_rule == "betas" else {of_rule: value}
            elif name != "params":
                setattr(self, name, value)
        self.choose(**options)
        begin: float = options.get("initial", 0.0)
        self.initial = dict.fromkeys(self.states, begin)  # the first values of states
        self._states: dict[str, State] = {}
        self._clocks: dict[str, Clock] = {}
        self._loaded: dict[str, Any] = {}  # states of parameters that have not been seen yet
        self._updates: dict[Any, Update] = {}
        for what in ("lr_mult", "wd_mult"):
            multipliers = options[what]
            if isinstance(multipliers, Mapping) and params is not None:
                require_known(self.name, what, self.parameters, multipliers)
        for key, weight in self.parameters.items():
            require_weight(self.name, key, weight)

    # what users call --------------------------------------------------------------------------

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name, as they are now."""
        return named(self.name, self._params)

    @property
    def constructor_parameters(self) -> Any:
        """The parameters as they were passed to the constructor."""
        return self._params

    @property
    def count(self) -> int:
        """The steps so far of the parameter that has most, with those that were skipped."""
        return max((clock.count for clock in self._clocks.values()), default=0)

    @property
    def rate(self) -> float:
        """The rate of the next step."""
        return self._rate()

    def step(self, grads: Any = None) -> None:
        """Take one step of all parameters that have a gradient.

        `grads`: gradients in the form of the parameters, or by name (some may be missing); by
        default `.grad` of each parameter. Names of other parameters are an error.

        >>> import nbgraph as ng
        >>> w = ng.array([1.0, 2.0])
        >>> opt = ng.optim.SGD({"w": w}, lr=0.5)
        >>> opt.step({"w": ng.array([1.0, -1.0])})
        >>> w
        array([0.5, 2.5], dtype=float32)
        """
        weights = self.parameters
        if not weights and not hasattr(self._params, "parameters"):
            raise ArgumentError(f"{self.name}: it has no parameters; give them: {self.name}(model)")
        if grads is None and callable(own := getattr(self._params, "gradients", None)):
            grads = own()  # of an expression graph
        gradients = gradients_for(self.name, weights, grads)
        self._apply([(key, weights[key], grad) for key, grad in gradients.items()])

    def update(self, key: str | Sequence[str], weight: Any, grad: Any, out: Any = None) -> None:
        """Take one step of one parameter, or of a list of them together; they may be new to the
        optimizer.

        `out`: an array of the weight's shape and dtype that the new weight is written to as well,
        for several keys a list of these or None. It shares memory with no other operand.

        >>> import nbgraph as ng
        >>> w, opt = ng.array([1.0]), ng.optim.SGD(lr=0.5)
        >>> opt.update("w", w, ng.array([1.0]))
        >>> w
        array([0.5], dtype=float32)
        """
        if isinstance(key, (list, tuple)):
            outs = [None] * len(key) if out is None else out
            self._apply([*zip(map(str, key), weight, grad, strict=True)], outs)
        else:
            self._apply([(str(key), weight, grad)], [out])

    def portable(self, name_of: Callable[[str], str] = str) -> Any:
        """Return an optimizer of the same rule and numbers, without parameters and states.

        `name_of`: a function from its parameters' names to those in `lr_mult` and `wd_mult`.
        """
        optimizer = object.__new__(type(self))
        optimizer.__dict__ |= self.__dict__
        optimizer._params, optimizer.hyper = None, dict(self.hyper)
        optimizer._states, optimizer._clocks, optimizer._updates, optimizer._loaded = {}, {}, {}, {}
        optimizer.lr_mult = Renamed.of(self.lr_mult, name_of)
        optimizer.wd_mult = Renamed.of(self.wd_mult, name_of)
        return optimizer

    def zero_grad(self) -> None:
        """Fill the parameters' gradients with zeros, which those collected with "add" need."""
        for weight in self.parameters.values():
            grad = getattr(weight, "grad", None)
            if grad is not None and grad.size:
                fill_from(grad, 0.0)
                grad._chunk.writes += 1

    # methods that an optimizer overrides ---------------------------------------------------------

    def choose(self, **options: Any) -> None:
        """Set what depends on the values of options: the rule and its states."""

    def coefficients(self, steps: Any, rate: Any) -> Mapping[str, Any]:
        """Return the numbers of the rule, by name, that depend on the number of steps taken, this
        one included.

        `steps`: that number, a float, or an array where steps may be skipped; `rate`: a float.
        """
        return {}

    def rows(self, operands: Operands) -> list[Row]:
        """Return the rows that a step of one parameter consists of."""
        return [operands.row(self.rule, ("weight", *self.states))]

    # a step -----------------------------------------------------------------------------------

    def _rate(self, back: int = 0) -> float:
        """Return the rate of the next step, or of the one `back` steps before. A schedule counts
        the steps of the optimizer, also those without a gradient for some parameter."""
        value = self.lr(self.count - back) if callable(self.lr) else self.lr
        if not isinstance(value, (int, float, np.floating)):
            raise ArgumentError(
                f"{self.name}: lr is {value!r}; expected a number, or a function from the number "
                "of a step to one"
            )
        return float(value)

    def _apply(self, rows: Sequence[tuple[str, Any, Any]], outs: Sequence[Any] = ()) -> None:
        entries = self._entries(rows)
        if not entries:
            return
        if any(out is not None for out in outs):
            entries = [own._replace(out=out) for own, out in zip(entries, outs, strict=True)]
        update, clocks = self._filled_update(entries)
        self._run(update, clocks)
        for _, weight, _, state, out in entries:
            state.wrote(weight)
            if out is not None:
                if state.master is not None:  # a step writes two arrays at most
                    fill_from(out, weight)
                out._chunk.writes += 1

    def _entries(self, rows: Sequence[tuple[str, Any, Any]]) -> list[Entry]:
        recorder = recording.get()
        if recorder is not None and recorder.traces:
            recorder.refuse(f"{self.name}.step")  # type: ignore[attr-defined]
        fresh = Clock()
        return [self._entry(*each, fresh, checks=recorder is not None) for each in rows]

    def _filled_update(self, entries: Sequence[Entry]) -> tuple[Update, list[Clock]]:
        """Return the update with this step's gradients in its slots, and its parameters' clocks."""
        moved = together(self._clocks, [entry.key for entry in entries])
        update = self._update(entries)
        update.bring(entries)
        return update, [*moved.values()]

    def prepared(self, grads: Mapping[str, Any]) -> Update | None:
        """Return the update of the next step, for a plan that computes the gradients before it. Its
        numbers are set and the step is counted, so the caller has to run it.

        Return None where a step is more than its rows (a scaler may skip it, or it draws random
        numbers): nothing is counted then, and the caller uses `step`.
        """
        weights = self.parameters
        gradients = gradients_for(self.name, weights, grads)
        if self.scaler is not None or not self.joint:
            return None
        entries = self._entries([(key, weights[key], grad) for key, grad in gradients.items()])
        update, clocks = self._filled_update(entries)
        if update.drawn or any(clock.done is not None for clock in clocks):
            return None
        self._measure(update)
        self._count(update, clocks)
        for entry in entries:
            entry.state.wrote(entry.weight)
        return update

    def _entry(self, key: str, weight: Any, grad: Any, fresh: Clock, *, checks: bool) -> Entry:
        state = self._states.get(key)
        if state is None or checks or not state.knows(weight, grad):
            require_weight(self.name, key, weight)
            grad = require_gradient(self.name, key, weight, grad)
            writable(self.name, weight, repr(key))
            if state is None:
                state = self._begin(key, weight, fresh)
            state.require(self.name, key, weight)
            if grad._chunk is weight._chunk:  # parts of one memory, which may overlap
                grad = copied(grad)
            state.weight, state.grad = weight, grad._layout
        if state.master is not None:
            state.follow(weight)
        return Entry(key, weight, grad, state)

    def _begin(self, key: str, weight: Array, fresh: Clock) -> State:
        """Return the new states of a parameter that takes its first step here; `fresh` is the clock
        of all parameters that begin with this one."""
        state = State(weight, self.initial, master=self.multi_precision)
        clock = fresh
        if key in self._loaded:
            entry = self._loaded.pop(key)
            state.load(self.name, key, entry["states"])
            clock = Clock.of(entry["count"], entry["done"])
        self._clocks.setdefault(key, clock)
        self._states[key] = state
        return state

    def _update(self, entries: Sequence[Entry]) -> Update:
        """Return the update for these entries: an earlier one where nothing has changed."""
        guarded = self.scaler is not None
        normed = guarded or self.clip_norm is not None
        keys = tuple([(entry.key, entry.out is None) for entry in entries])
        former = self._updates.get(keys)
        if former is not None and (former.guarded, former.normed) == (guarded, normed):
            if former.fits(entries, self._clocks):
                return former
        if len(self._updates) >= _MOST:
            self._updates.clear()
        groups = self._groups(entries)
        update = Update(self.name, entries, groups, self.rows, normed=normed, guarded=guarded)
        self._updates[keys] = update
        return update

    def _groups(self, entries: Sequence[Entry]) -> list[Group]:
        by_key: dict[Any, Group] = {}
        groups: list[Group] = []
        for entry in entries:
            rate = multiplier(self.name, "lr_mult", self.lr_mult, entry.key)
            decay = multiplier(self.name, "wd_mult", self.wd_mult, entry.key)
            precision = "float64" if entry.weight.dtype == np.float64 else "float32"
            key = (self._clocks[entry.key], rate, decay, precision)
            groups.append(by_key.setdefault(key, Group(*key)))
        return groups

    def _run(self, update: Update, clocks: Sequence[Clock]) -> None:
        norms, scaler = update.norms, self.scaler
        self._measure(update)
        if norms is not None:
            norms.run(joint=self.joint)
        go = None if scaler is None or norms is None else norms.finite
        self._count(update, clocks, go)
        for slot in update.drawn:
            weight = slot.value
            slot.value = distributions.normal(
                0.0, 1.0, weight.shape, dtype=weight.dtype, device=weight.device
            )
        update.rows.run(joint=self.joint)
        if go is not None and scaler is not None:
            scaler.update(go)

    def _measure(self, update: Update) -> None:
        """Set the numbers that the norm of all gradients and its limit depend on."""
        norms, scaler = update.norms, self.scaler
        if norms is not None:
            norms.rescale.value = self.rescale
            norms.limit.value = math.inf if self.clip_norm is None else self.clip_norm
            scaled = None if scaler is None else scaler.to(norms.norm.device)
            norms.loss_scale.value = 1.0 if scaled is None else scaled.array

    def _count(self, update: Update, clocks: Sequence[Clock], go: Any = None) -> None:
        """Count one more step, where `go` is true, and set its numbers."""
        for clock in clocks:
            clock.tick(go)
        for group in update.groups:
            group.set(self._values(group))

    def _values(self, group: Group) -> dict[str, Any]:
        rate = self._rate(1) * group.rate
        decay = self.weight_decay * group.decay
        values: dict[str, Any] = {
            "rate": rate,
            "decay": 0.0 if self.decoupled else decay,
            "shrink": 1.0 - rate * decay if self.decoupled else 1.0,
            "scale": self.rescale,
            "bound": math.inf if self.clip_value is None else self.clip_value,
            "after": math.inf,
        }
        return values | self.hyper | dict(self.coefficients(group.clock.steps, rate))

    def __repr__(self) -> str:
        lr = "a schedule" if callable(self.lr) else self.lr
        return f"<{self.name}: {len(self.parameters)} parameters, lr {lr}, {self.count} steps>"
