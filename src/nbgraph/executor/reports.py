"""The part of `Executor` that reports on itself: its passes, plan, memory and values."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Never

from nbgraph.errors import ArgumentError
from nbgraph.executor.program import Program
from nbgraph.executor.programs import Bound
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import Graph
from nbgraph.graph.listing import drawn
from nbgraph.settings import CLOSELY_ASKED, config

if TYPE_CHECKING:
    from nbgraph.executor.explain import Explanation
    from nbgraph.executor.steps import Footprint, Stages, Steps
    from nbgraph.executor.watch import Monitor, Watch

Arrays = dict[str, Any]


class FixedArrays(Arrays):
    """NDArrays by name that cannot be replaced, as programs would not read another array.

    >>> import nbgraph as ng
    >>> exe = (ng.var("x") * 2.0).simple_bind(x=(2,))
    >>> exe.arg_dict["x"][:] = 3
    >>> exe.arg_dict["x"] = ng.ones(2)
    Traceback (most recent call last):
        ...
    TypeError: arg_dict: the arrays were bound for good (x); write into one, as exe.arg_dict['x']...
    """

    def __init__(self, label: str, arrays: Arrays) -> None:
        super().__init__(arrays)
        self._label = label

    def _refuse(self, *args: Any, **named: Any) -> Never:
        names = [name for name in self if args and name == args[0]]
        label = repr(names[0]) if names else "name"
        raise TypeError(
            f"{self._label}: the arrays were bound for good ({', '.join(self) or 'none'}); write "
            f"into one, as exe.{self._label}[{label}][:] = value"
        )

    __setitem__ = __delitem__ = __ior__ = _refuse  # type: ignore[assignment]
    update = setdefault = pop = popitem = clear = _refuse  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)  # a copy belongs to no executor


class ExecutorArrays:
    """The part of `Executor` that returns its arrays."""

    _bound: Bound
    _arguments: Arrays
    _gradients: Arrays
    _states: Arrays

    @functools.cached_property
    def _outputs(self) -> list[Any]:
        return list(self._bound.outputs)

    @property
    def arg_dict(self) -> Arrays:
        """Arguments by name; written into, never replaced."""
        return self._arguments

    @property
    def grad_dict(self) -> Arrays:
        """Gradients by name of the argument, None for arguments without one."""
        return self._gradients

    @property
    def aux_dict(self) -> Arrays:
        """States by name."""
        return self._states

    @property
    def outputs(self) -> list[Any]:
        """Results: the same arrays after every run, in a new list."""
        return self._outputs.copy()

    @property
    def arg_arrays(self) -> list[Any]:
        """Arguments in the order of `list_arguments()`."""
        return list(self._arguments.values())

    @property
    def grad_arrays(self) -> list[Any]:
        """Gradients in that order, None for arguments without one."""
        return [self._gradients.get(name) for name in self._arguments]

    @property
    def aux_arrays(self) -> list[Any]:
        """States in the order of `list_auxiliary_states()`."""
        return list(self._states.values())


class Reports(ExecutorArrays):
    """Reports of an executor on itself. Before the first run they describe the forward pass, which
    is compiled for them."""

    _watch: Watch | None = None
    _training: tuple[Any, Program] | None = None  # for an update of an optimizer

    @property
    def graph(self) -> Graph:
        """The graph as it was bound, before any pass, with all shapes and dtypes."""
        return self._bound.graph

    def programs(self) -> dict[str, Program]:
        """Return the programs that have run so far: "forward", "forward, training", "backward" and
        "forward_backward"."""
        existing = self._bound.existing_programs()
        return existing or {"forward": self._bound.predict}

    def gradient_marks(self) -> dict[GraphNode, str]:
        """Return a description of the gradient's request for each variable that has a gradient."""
        words = {"kWriteTo": "write", "kAddTo": "add"}
        return {
            node: f"gradient: {words.get(request.name, request.name)}"
            for node, (_, request) in self._bound.grads.items()
        }

    def passes(self) -> Stages:
        """Return every pass that changed a graph, with the graph before and after it.

        >>> import nbgraph as ng
        >>> x = ng.var("x", shape=(3,))
        >>> print(ng.exp(ng.sin(x)).simple_bind().passes())
        forward: pass 1, fuse
             %0 = x: float32[3]
            -%1 = sin(%0): float32[3]
            -%2 = exp(%1): float32[3]
            -return %2
            +%1 = fused_sin_exp(%0): float32[3]
            +return %1
        """
        from nbgraph.executor.steps import Stages

        return Stages({name: p.compiled.stages for name, p in self.programs().items()})

    def memory(self) -> Footprint:
        """Return the bytes of each program, without a plan, planned and held, and those of arrays.

        >>> import nbgraph as ng
        >>> x = ng.var("x", shape=(16,))
        >>> found = ng.sort(ng.sort(ng.sort(ng.sort(x)))).simple_bind().memory()
        >>> found.programs[0].naive > found.programs[0].planned, found.arrays["outputs"] >= 64
        (True, True)
        """
        from nbgraph.executor.steps import footprint

        return footprint(self._bound, self.programs(), self._states.values())

    def plan(self) -> Steps:
        """Return the steps that the engine runs, for each program including that of `train_step`;
        on a GPU also those that run as CUDA graphs, which the second run captures.

        >>> import nbgraph as ng
        >>> x = ng.var("x", shape=(16,))
        >>> [row.writes for row in ng.sin(x).simple_bind().plan().by_program["forward"]]
        [('result 0 (kWriteTo)',)]
        """
        from nbgraph.executor.steps import steps

        trained = {} if self._training is None else {"train_step": self._training[1]}
        return steps({**self._bound.existing_programs(), **trained} or self.programs())

    def explain(self, name: str = "") -> Explanation:
        """Return a report on a node, by its name in the graph: the kernel that it was fused into
        and why its neighbours were not, the place of its value, the values that share its memory,
        and why it is not in place.

        An unknown name raises ArgumentError. `.source()` of the result returns the kernel's text.

        >>> import nbgraph as ng
        >>> x = ng.var("x", shape=(3,))
        >>> exe = ng.exp(ng.sin(x)).simple_bind()
        >>> exe.explain("sin0").fates[0].members
        ('sin0', 'exp0')
        """
        from nbgraph.executor.explain import explain

        return explain(name, self._bound.graph, self.programs())

    def _repr_html_(self) -> str:
        return drawn(
            self if self._bound.existing_programs() else self.graph
        )  # displaying it compiles nothing

    # observing values ---------------------------------------------------------------------------

    def set_monitor_callback(
        self, callback: Callable[[str, Any], None] | None, monitor_all: bool = False
    ) -> None:
        """Call `callback(name, NDArray)` after every forward pass for the outputs of every node, in
        the graph's order; with `monitor_all` first for the variables too. None removes it.

        Passes then run without fusion. The next pass overwrites an array: copy it to keep it.

        >>> import nbgraph as ng
        >>> exe = (ng.sin(ng.var("x")) * 2.0).simple_bind(x=(2,))
        >>> exe.set_monitor_callback(lambda name, array: print(name, array.shape))
        >>> _ = exe.forward()
        sin0_output (2,)
        multiply0_output (2,)
        """
        from nbgraph.executor.watch import Monitor

        if callback is not None and not callable(callback):
            raise ArgumentError(
                f"set_monitor_callback: {callback!r} is not a function; give one of a name and an "
                "array, or None"
            )
        watch = self._get_watch()
        watch.callbacks = [c for c in watch.callbacks if isinstance(c[0], Monitor)]
        if callback is not None:
            watch.callbacks.append((callback, bool(monitor_all)))

    def monitor(self, pattern: str = "", monitor_all: bool = False) -> Monitor:
        """Return statistics (minimum, maximum, mean, L2 norm) of every value whose name matches the
        regular expression `pattern`, in every forward pass until the monitor is closed.

        >>> import nbgraph as ng
        >>> exe = (ng.var("x") * 2.0).simple_bind(x=(2,))
        >>> with exe.monitor() as seen:
        ...     _ = exe.forward(x=[1.0, 3.0])
        >>> print(seen)
        run  name              min  max  mean  L2
        0    multiply0_output  2    6    4     6.32456
        """
        from nbgraph.executor.watch import Monitor

        observer = Monitor(pattern, self._remove_monitor)
        self._get_watch().callbacks.append((observer, monitor_all))
        return observer

    def _remove_monitor(self, monitor: Monitor) -> None:
        watch = self._get_watch()
        watch.callbacks = [c for c in watch.callbacks if c[0] is not monitor]

    def _get_watch(self) -> Watch:
        from nbgraph.executor.watch import Watch

        if self._watch is None:
            self._watch = Watch()
        return self._watch

    def _watched(self) -> bool:
        """Return whether callbacks or checks observe values."""
        observed = self._watch is not None and bool(self._watch.callbacks)
        return observed or (CLOSELY_ASKED[0] and bool(config.anomaly))

    def _push(self, program: Program, *, is_train: bool, forward: bool = True) -> None:
        """Run a program, in its open form if callbacks or checks observe values."""
        if not self._watched():
            program.push(is_train=is_train)
            return
        checks = CLOSELY_ASKED[0] and bool(config.anomaly)
        watch = self._get_watch()
        if forward:
            watch.begin()
        program.each(lambda part: watch.run(part, is_train=is_train, tells=forward, checks=checks))
