"""What captures one function call: its state, and what it does, a file for each subject.

Functions of these files take the tracer, a piece of the text, the environment and the path: the
condition on which the text is reached. A tracer has those as methods that several files ask for.
"""

from __future__ import annotations

import ast
import inspect
from types import FunctionType
from typing import TYPE_CHECKING, NoReturn

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
from nbgraph.kernels.capture.names import Scope, Watch, is_own_text
from nbgraph.kernels.capture.refusals import refusal
from nbgraph.kernels.capture.syntax import Definition, collected
from nbgraph.kernels.capture.text import FunctionText, function_text
from nbgraph.kernels.capture.values import Env, Graph, Node, Static

if TYPE_CHECKING:
    from nbgraph.kernels.capture.context import Answer
    from nbgraph.kernels.capture.lookups import Counter
    from nbgraph.kernels.capture.survey import Survey


class FunctionTracer:
    """Captures one function call; calls of helpers make nested tracers on the same graph."""

    parted = False  # whether results may be complex: they are given as two parts

    def __init__(
        self,
        graph: Graph,
        fn: FunctionType,
        watch: Watch,
        caller: FunctionTracer | None = None,
        survey: Survey | None = None,  # what goes on behind constructs that are refused
    ) -> None:
        self.graph, self.fn, self.watch, self.caller, self.survey = graph, fn, watch, caller, survey
        self.depth: int = 0 if caller is None else caller.depth + 1  # of calls
        self.pending: list[tuple[str, Node]] = []  # flags of exceptions, where they were raised
        # what `try` statements around catch; the library's own texts raise nothing by themselves
        self.catching: tuple[type, ...] = (
            () if caller is None or is_own_text(fn) else caller.catching
        )
        self.handled: list[dict[str, Node]] = []  # exceptions of the handlers that are traced
        self.text: FunctionText = function_text(fn)
        if caller is not None and fn.__code__.co_flags & inspect.CO_GENERATOR:
            self.text = self.text._replace(body=collected(self.text.body))
        self.frame: Env = {}  # the variables at the latest call, which nested functions see
        self.locals: dict[ast.AST, Static] = {}  # nested functions
        self.name, self.scope = fn.__name__, Scope(fn, watch)
        # functions that are being traced, with their paths
        self.active: tuple[tuple[object, Node], ...] = () if caller is None else caller.active
        # what stands for calls of functions that are loops
        self.answers: dict[object, Answer] = {} if caller is None else caller.answers
        # whether what holds on a path decides conditions: in calls of itself
        self.decides: bool = caller is not None and caller.decides
        self.site: ast.AST | None = None  # the call that is made now
        self.counter: Counter | None = None  # of the loop that is traced
        self.ahead: list[tuple[str, Node]] = []  # what its trips raise, known before the first

    @property
    def operator(self) -> str:
        """The name of the function that all is traced for."""
        return self.fn.__name__ if self.caller is None else self.caller.operator

    def subtracer(self, fn: FunctionType) -> FunctionTracer:
        """For a helper called from here."""
        return FunctionTracer(self.graph, fn, self.watch, self, self.survey)

    def local(self, node: Definition, env: Env, path: Node) -> Static:
        """A nested function as a value: the same one each time, unless it has defaults."""
        function = self.locals.get(node)
        if function is None or node.args.defaults or any(node.args.kw_defaults):
            function = self.locals[node] = Static(LocalFunction(node, self, env, path))
        return function

    def refuse(
        self, node: ast.AST, problem: str, remedy: str, error: type[CaptureError] = CaptureError
    ) -> NoReturn:
        """Raise CaptureError with the user's line and what to write instead."""
        raise refusal(self, node, problem, remedy, error)

    start, run, outcome = results.start, results.run, results.outcome
    block, statement, going = statements.block, statements.statement, statements.going
    join_ended = statements.join_ended
    assign_to = bind = assignments.assign_to
    expression, object = expressions.expression, expressions.referred
    evaluated, condition, truth = expressions.evaluated, expressions.condition, expressions.truth
    number, number_of = expressions.number, expressions.number_of
    static, constant, attribute = constants.static, constants.constant, constants.attribute
    binary, as_kind = operators.binary, operators.as_kind
    called, apply = calls.called, calls.apply
    compose, enter, runner = inlining.compose, inlining.enter, inlining.runner
    special = classes.special
    held, read, deep, each = references.held, references.read, references.deep, references.each
    taken, changes_in_place = references.taken, references.changes_in_place
    raises, raises_lookup, under = raising.raises, raising.raises_lookup, raising.under
    settled, leave, joined = raising.settled, raising.leave, raising.joined
    unchecked, fails = raising.unchecked, raising.fails
