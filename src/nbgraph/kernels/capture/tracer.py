"""What captures one function call: its state, and what it does, a file for each subject.

Functions of these files take the tracer, a piece of the text, the environment and the path: the
condition on which the text is reached. A tracer has those as methods that several files ask for.
"""

from __future__ import annotations

import ast
import inspect
from types import FunctionType
from typing import NoReturn

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture import (
    assignments,
    calls,
    classes,
    constants,
    expressions,
    inlining,
    operators,
    raising,
    references,
    results,
    statements,
)
from nbgraph.kernels.capture.closures import LocalFunction
from nbgraph.kernels.capture.context import Tracer
from nbgraph.kernels.capture.names import Scope, Watch, is_own_text
from nbgraph.kernels.capture.refusals import refusal
from nbgraph.kernels.capture.survey import Survey
from nbgraph.kernels.capture.syntax import Definition, collected
from nbgraph.kernels.capture.text import function_text
from nbgraph.kernels.capture.values import Env, Graph, Node, Static


class FunctionTracer(Tracer):
    """Captures one function call; calls of helpers make nested tracers on the same graph."""

    def __init__(
        self,
        graph: Graph,
        fn: FunctionType,
        watch: Watch,
        caller: FunctionTracer | None = None,
        survey: Survey | None = None,  # what goes on behind constructs that are refused
    ) -> None:
        self.graph, self.fn, self.watch, self.caller, self.survey = graph, fn, watch, caller, survey
        self.depth = 0 if caller is None else caller.depth + 1  # of calls
        self.pending = []  # flags of exceptions, where they were raised
        # what `try` statements around catch; the library's own texts raise nothing by themselves
        self.catching = () if caller is None or is_own_text(fn) else caller.catching
        self.handled = []  # exceptions of the handlers that are traced
        self.text = function_text(fn)
        if caller is not None and fn.__code__.co_flags & inspect.CO_GENERATOR:
            self.text = self.text._replace(body=collected(self.text.body))
        self.parted = False  # whether results may be complex: they are given as two parts
        self.frame = {}  # the variables at the latest call, which nested functions see
        self.locals: dict[ast.AST, Static] = {}  # nested functions
        self.name, self.scope = fn.__name__, Scope(fn, watch)
        # functions that are being traced, with their paths
        self.active = () if caller is None else caller.active
        # what stands for calls of functions that are loops
        self.answers = {} if caller is None else caller.answers
        # whether what holds on a path decides conditions: in calls of itself
        self.decides = caller is not None and caller.decides
        self.site = None  # the call that is made now
        self.counter = None  # of the loop that is traced
        self.ahead = []  # what its trips raise, known before the first

    def subtracer(self, fn: FunctionType) -> FunctionTracer:
        """For a helper called from here."""
        return FunctionTracer(self.graph, fn, self.watch, self, self.survey)

    def local(self, node: Definition, env: Env, path: Node) -> Static:
        """Return a nested function as a value: the same one each time, unless it has defaults."""
        function = self.locals.get(node)
        if function is None or node.args.defaults or any(node.args.kw_defaults):
            function = self.locals[node] = Static(LocalFunction(node, self, env, path))
        return function

    def refuse(
        self, node: ast.AST, problem: str, remedy: str, error: type[CaptureError] = CaptureError
    ) -> NoReturn:
        """Raise CaptureError with the user's line and what to write instead."""
        raise refusal(self, node, problem, remedy, error)


# what a tracer does: functions of these files, `name`, or `name=function`
_METHODS = (
    (results, "start run outcome"),
    (statements, "block statement going join_ended"),
    (assignments, "assign_to bind=assign_to"),
    (expressions, "expression object=referred evaluated condition truth number number_of"),
    (constants, "static constant attribute"),
    (operators, "binary as_kind"),
    (calls, "called apply"),
    (inlining, "compose enter"),
    (classes, "special written"),
    (references, "dereference read deep each taken changes_in_place"),
    (raising, "raises raises_lookup fails under settled leave joined unchecked"),
)
for _module, _names in _METHODS:
    for _name, _, _function in (part.partition("=") for part in _names.split()):
        setattr(FunctionTracer, _name, getattr(_module, _function or _name))
