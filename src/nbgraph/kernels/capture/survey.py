"""All obstacles of a function at once: tracing continues behind refused constructs.

The value of a refused construct is unknown, and so are values computed from it: an error that an
unknown value may have caused is dropped. The graph of a survey is discarded.
"""

import ast
from collections.abc import Generator, Iterator
from contextlib import contextmanager

from nbgraph.errors import CaptureError, Obstacle
from nbgraph.kernels.capture.containers import Reference
from nbgraph.kernels.capture.context import Tracer
from nbgraph.kernels.capture.environment import RESULT, RETURNED
from nbgraph.kernels.capture.names import is_installed, is_own_text
from nbgraph.kernels.capture.recursion import TooDeep
from nbgraph.kernels.capture.text import CountError, KindError, walk
from nbgraph.kernels.capture.values import Env, Graph, Node, Unknown, Value

MAX_STEPS = 50_000  # traced expressions and statements


class Survey:
    """The obstacles of a function so far; `first` is the error that its capture raised."""

    def __init__(self, first: CaptureError) -> None:
        self.first = first
        self._obstacles: dict[Obstacle, None] = {}
        if not isinstance(first.__cause__, CaptureError):  # otherwise the cause will be reached
            self._obstacles |= dict.fromkeys(first.obstacles)
        # operands of other kinds are not refused for their kinds
        self._kinds_differ = not isinstance(first, KindError)
        self._unknowns = self._steps = 0
        self._reached: set[int] = set()  # ids of statements

    def error(self, operator: str) -> CaptureError:
        """Return the error with all obstacles."""
        if self._obstacles.keys() <= {*self.first.obstacles}:
            return self.first
        return type(self.first).of(list(self._obstacles), operator)

    def unknown(self) -> Unknown:
        """Return a value that is unknown."""
        self._unknowns += 1
        return Unknown()

    def truth(self, graph: Graph) -> Node:
        """Return an unknown condition, so that both branches are traced."""
        self._unknowns += 1
        return graph.argument(f"$unknown {self._unknowns}", "b")

    def value(self, tracer: Tracer, node: ast.expr, env: Env, path: Node) -> Value:
        """Return the value of an expression; Unknown where a part of it is."""
        self._count()
        before = self._unknowns
        try:
            value = tracer.evaluated(node, env, path)
        except Exception as error:  # an unknown value fits nowhere
            self._note(tracer, error, before)
            return self.unknown()
        return value if before == self._unknowns else self.unknown()

    def statement(self, tracer: Tracer, st: ast.stmt, env: Env, path: Node) -> Env:
        """Return the environment after a statement."""
        self._count()
        self._reached.add(id(st))
        before, noted = self._unknowns, len(tracer.pending)
        try:
            return tracer.settled(tracer.statement(st, env, path), env)
        except Exception as error:
            self._note(tracer, error, before)
        del tracer.pending[noted:]
        after = {**env, **dict.fromkeys(_changed(st, env), self.unknown())}
        for body in _bodies(st):
            if id(body[0]) not in self._reached:
                tracer.block(body, dict(after), path)
        if isinstance(st, ast.Return):
            after |= {RESULT: self.unknown(), RETURNED: tracer.graph.const(True)}
        return after

    def _count(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise TooLong

    def _note(self, tracer: Tracer, error: Exception, before: int) -> None:
        """Note an error unless an unknown value may have caused it; raise errors that are not
        refusals, and those inside a library's text, which are reported at its call."""
        if isinstance(error, (TooDeep, TooLong, CountError, RecursionError)):
            raise error
        if not _is_users(tracer):
            raise error
        if self._unknowns != before or (self._kinds_differ and isinstance(error, KindError)):
            return
        if not isinstance(error, CaptureError):
            raise error
        self._obstacles |= dict.fromkeys(error.obstacles)

    def add(self, tracer: Tracer, error: CaptureError) -> None:
        """Note an error that does not depend on unknown values."""
        if _is_users(tracer):
            self._obstacles |= dict.fromkeys(error.obstacles)


def _is_users(tracer: Tracer) -> bool:
    fn = tracer.fn
    return not (is_own_text(fn) or is_installed(fn))


class TooLong(Exception):
    """A survey takes too long: it ends with the obstacles so far."""


@contextmanager
def unsurveyed(tracer: Tracer) -> Generator[None]:
    """Raise refusals within the block, instead of noting them."""
    survey, tracer.survey = tracer.survey, None
    try:
        yield
    finally:
        tracer.survey = survey


def _changed(st: ast.stmt, env: Env) -> Iterator[str]:
    """Yield the names that a statement binds, or whose lists it may change."""
    for node in walk([st]):
        match node:
            case ast.Name(id=name):
                stored = not isinstance(node.ctx, ast.Load)
                if stored or isinstance(env.get(name), Reference):
                    yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.MatchAs(name=str(name)):
                yield name
            case ast.alias():
                yield (node.asname or node.name).partition(".")[0]


def _bodies(st: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of a compound statement."""
    if isinstance(st, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
        return
    for name in ("body", "orelse", "finalbody"):
        if block := getattr(st, name, None):
            yield block
    for part in (*getattr(st, "handlers", ()), *getattr(st, "cases", ())):
        yield part.body
