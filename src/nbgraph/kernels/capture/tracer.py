"""Statements: a function's body becomes nodes, branches become selects.

Control flow is turned into data. A `return`, `break` or `continue` sets a flag; the statements
after it are traced under the condition that no flag is set and joined with what was there
before. A loop whose trip count depends on values becomes a region of the scalar graph. A loop
under an `if` runs only where the branch is taken: its condition holds the path condition.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import FunctionType
from typing import NoReturn

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture import remedies
from nbgraph.kernels.capture.cases import matched
from nbgraph.kernels.capture.closures import Definition, LocalFunction, breaks, is_short
from nbgraph.kernels.capture.expressions import Expressions
from nbgraph.kernels.capture.lookups import is_constant
from nbgraph.kernels.capture.names import Scope, Watch
from nbgraph.kernels.capture.objects import TEXT
from nbgraph.kernels.capture.regions import RegionLoop
from nbgraph.kernels.capture.text import FunctionText, function_text
from nbgraph.kernels.capture.values import (
    BROKE,
    CONTINUED,
    FLAGS,
    RESULT,
    RETURNED,
    Complex,
    Env,
    Mapping,
    Static,
    Undefined,
    Value,
    flag,
    is_true,
    join,
    stopped,
)
from nbgraph.kernels.kinds import is_boolean, is_integer
from nbgraph.kernels.scalar import Graph, Node

_SUSPENDS = (ast.Yield, ast.YieldFrom, ast.Await)


class Tracer(Expressions):
    """Captures one function call; calls of helpers make nested tracers on the same graph."""

    def __init__(self, graph: Graph, fn: FunctionType, watch: Watch, depth: int = 0) -> None:
        self.graph, self.fn, self.watch, self.depth = graph, fn, watch, depth
        self.scope = Scope(fn, watch)
        self.text: FunctionText = function_text(fn)
        self.frame: Env = {}
        self._locals: dict[ast.AST, Static] = {}
        self.caller: Tracer | None = None  # of a library text: who is told of refusals
        self.site: ast.AST | None = None  # the call that is made now

    def run(self, env: Env, path: Node) -> Value:
        """The value of the function's return, for bound arguments, where `path` holds."""
        outer_line = self.graph.line
        env = self.block(self.text.body, env, path)
        if not is_true(flag(self.graph, env, RETURNED)):
            last = self.text.body[-1]
            self.refuse(
                last,
                "some path reaches the end of the function without a `return`",
                "return a value on every path, e.g. `return 0.0` at the end",
            )
        self.graph.line = outer_line
        return env[RESULT]

    def subtracer(self, fn: FunctionType) -> Tracer:
        """For a helper called from here."""
        return Tracer(self.graph, fn, self.watch, self.depth + 1)

    def local(self, node: Definition, env: Env, path: Node) -> Static:
        """A nested function as a value: the same one each time, unless it has defaults."""
        found = self._locals.get(node)
        if found is None or node.args.defaults or any(node.args.kw_defaults):
            found = self._locals[node] = Static(LocalFunction(node, self, env, path))
        return found

    def refuse(self, node: ast.AST, problem: str, remedy: str) -> NoReturn:
        """Raise CaptureError with the user's line and what to write instead."""
        if self.caller is not None and self.caller.site is not None:
            self.caller.refuse(self.caller.site, problem, remedy)
        line = self.text.line_of(node)
        raise CaptureError(
            f"{self.fn.__name__}: {problem}\n"
            f'  File "{self.text.filename}", line {line}\n'
            f"    {ast.unparse(node).splitlines()[0]}\n"
            f"Instead: {remedy}."
        )

    # statements -------------------------------------------------------------------------------

    def block(self, statements: Sequence[ast.stmt], env: Env, path: Node) -> Env:
        """The environment after the statements."""
        for index, statement in enumerate(statements):
            self.graph.line = f"{self.text.filename}:{self.text.line_of(statement)}"
            env = self.statement(statement, env, path)
            stop = stopped(self.graph, env)
            if stop.op == "const":
                if stop.data:
                    return env
                continue
            rest = {k: v for k, v in env.items() if k not in FLAGS}
            going = self.graph.logical_not(stop)
            rest = self.block(statements[index + 1 :], rest, self.graph.logical_and(path, going))
            return self._join_ended(stop, env, rest)
        return env

    def _join_ended(self, stop: Node, ended: Env, rest: Env) -> Env:
        """Join where `ended` has certainly left the block."""
        marked = dict(ended)
        for name in rest:
            if isinstance(marked.get(name, Undefined()), Undefined) and name not in FLAGS:
                marked[name] = rest[name]
        return join(self.graph, stop, marked, rest)

    def statement(self, st: ast.stmt, env: Env, path: Node) -> Env:
        """The environment after one statement."""
        match st:
            case ast.Return():
                return self._return(st, env, path)
            case ast.Assign():
                value = self.expression(st.value, env, path)
                env = dict(env)
                for target in st.targets:
                    self.bind(target, value, env)
                return env
            case ast.AnnAssign():
                if st.value is None:
                    return env
                value = self.expression(st.value, env, path)
                env = dict(env)
                self.bind(st.target, value, env)
                return env
            case ast.AugAssign(target=ast.Name(id=name)):
                left = ast.copy_location(ast.Name(name, ast.Load()), st)
                total = ast.copy_location(ast.BinOp(left, st.op, st.value), st)
                return {**env, name: self.expression(total, env, path)}
            case ast.If():
                return self._if(st, env, path)
            case ast.While() | ast.For() | ast.Match():
                is_match = isinstance(st, ast.Match)
                return matched(self, st, env, path) if is_match else self._loop(st, env, path)
            case ast.Break():
                return {**env, BROKE: self.graph.const(True)}
            case ast.Continue():
                return {**env, CONTINUED: self.graph.const(True)}
            case ast.FunctionDef(name=name):
                return {**env, name: self.local(st, env, path)}
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return env
            case _:
                self._refuse_statement(st)

    def _return(self, st: ast.Return, env: Env, path: Node) -> Env:
        if st.value is None:
            self.refuse(st, "`return` without a value", "return a number")
        value = self.expression(st.value, env, path)
        values = value if isinstance(value, tuple) else (value,)
        if not self.depth and any(isinstance(v, Complex) for v in values):
            name = ast.unparse(st.value) if isinstance(st.value, ast.Name) else "z"
            self.refuse(
                st,
                "the result is a complex number; results of operators are real",
                f"return both parts: `return {name}.real, {name}.imag`",
            )
        if not self.depth and isinstance(value, Static) and isinstance(value.value, TEXT):
            what = "the result is a string, not a number"
            self.refuse(st, what, "return numbers; make text of them after the call")
        self.frame = env
        return {**env, RESULT: value, RETURNED: self.graph.const(True)}

    def _refuse_statement(self, st: ast.stmt) -> NoReturn:
        what, remedy = _name_of(st), remedies.statement(st)
        if isinstance(st, ast.Expr) and isinstance(st.value, _SUSPENDS):
            what, remedy = "a `yield` or `await`", remedies.expression(st.value)
        self.refuse(st, f"{what} is not understood in a scalar function", remedy)

    def bind(self, target: ast.expr, value: Value, env: Env) -> None:
        """Assign a value to a name or to a tuple of names, in place."""
        match target:
            case ast.Name(id=name):
                env[name] = value
                if isinstance(value, Node) and not self.depth:
                    self.graph.names.setdefault(value.id, name)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                if not isinstance(value, tuple) or len(value) != len(parts):
                    self.refuse(
                        target,
                        f"{len(parts)} names are assigned from a value that is no tuple of "
                        f"{len(parts)}",
                        "assign one name per value",
                    )
                for part, item in zip(parts, value, strict=True):
                    self.bind(part, item, env)
            case _:
                self.refuse(target, "only names can be assigned", "assign to a plain name")

    def _if(self, st: ast.If, env: Env, path: Node) -> Env:
        cond = self.condition(st.test, env, path)
        if cond.op == "const":
            return self.block(st.body if cond.data else st.orelse, dict(env), path)
        graph = self.graph
        yes = self.block(st.body, dict(env), graph.logical_and(path, cond))
        no = self.block(st.orelse, dict(env), graph.logical_and(path, graph.logical_not(cond)))
        return join(graph, cond, yes, no)

    # loops ------------------------------------------------------------------------------------

    def _loop(self, st: ast.While | ast.For, env: Env, path: Node) -> Env:
        if isinstance(st, ast.For):
            bounds = self._range(st, env, path)
            if bounds is None:
                after = self._over_items(st, env, path)
            else:
                trips = _constant_range(bounds)
                if trips is None or not is_short(st, len(trips)):
                    after = RegionLoop(self, st, env, path, bounds).run()
                else:
                    items: list[Value] = [self.graph.const(i) for i in trips]
                    after = self._unroll(st, items, env, path)
            return self._else(st, after, path)
        after = RegionLoop(self, st, env, path, None).run()
        if _is_endless(st):
            if RESULT not in after:
                self.refuse(st, "this loop never ends", "leave it by `break` or `return`")
            return {**after, RETURNED: self.graph.const(True)}  # it ends by `return` or never
        return self._else(st, self._last_test(st, after, path), path)

    def _last_test(self, st: ast.While, after: Env, path: Node) -> Env:
        """What `:=` in the test of a loop assigns when the test fails at last."""
        if not any(isinstance(n, ast.NamedExpr) for n in ast.walk(st.test)):
            return after
        tested = dict(after)
        self.condition(st.test, tested, path)
        left = stopped(self.graph, after, (BROKE, RETURNED))
        if left.op == "const":
            return tested
        return {**after, **join(self.graph, left, after, tested)}

    def _over_items(self, st: ast.For, env: Env, path: Node) -> Env:
        """A loop over a tuple; a long one of constants looks them up in tables."""
        items = self.expression(st.iter, env, path)
        if isinstance(items, Mapping):
            items = self.keys(st.iter, items)
        if not isinstance(items, tuple):
            self.refuse(
                st.iter,
                "this is not something to loop over in a scalar function",
                "loop over range(...) or over a constant tuple",
            )
        if is_short(st, len(items)) or not is_constant(items):
            return self._unroll(st, list(items), env, path)
        bounds = tuple(self.graph.const(bound) for bound in (0, len(items), 1))
        return RegionLoop(self, st, env, path, bounds, items).run()

    def _range(self, st: ast.For, env: Env, path: Node) -> tuple[Node, ...] | None:
        """(start, stop, step) of a range; None where the loop is over something else."""
        call = st.iter
        if isinstance(call, ast.Call) and self.static(call.func, env) is range:
            nodes = [self.number(a, env, path) for a in call.args]
            if not all(is_integer(n.kind) or is_boolean(n.kind) for n in nodes):
                self.refuse(
                    call,
                    "range() takes integers, here it was given a floating value",
                    "give the count as a keyword-only integer parameter, or use a while loop",
                )
            nodes = [self.graph.cast(n, "i") for n in nodes]
            zero, one = self.graph.const(0), self.graph.const(1)
            if len(nodes) == 1:
                return (zero, nodes[0], one)
            start, stop, step = (*nodes, one)[:3]
            if step.op != "const" or step.data == 0:
                self.refuse(call, "the step of range() is not a constant", "use a while loop")
            return (start, stop, step)
        return None

    def _unroll(self, st: ast.For, items: list[Value], env: Env, path: Node) -> Env:
        graph = self.graph
        for item in items:
            stop = stopped(graph, env, (RETURNED, BROKE))
            if is_true(stop):
                break
            inner = {k: v for k, v in env.items() if k not in FLAGS}
            self.bind(st.target, item, inner)
            inner = self.block(st.body, inner, graph.logical_and(path, graph.logical_not(stop)))
            inner.pop(CONTINUED, None)
            env = inner if stop.op == "const" else self._join_ended(stop, env, inner)
        return env

    def _else(self, st: ast.While | ast.For, env: Env, path: Node) -> Env:
        """A loop's `else` runs where it was not left by break; then the break is forgotten."""
        broke = flag(self.graph, env, BROKE)
        env = {k: v for k, v in env.items() if k != BROKE}
        if not st.orelse:
            return env
        graph = self.graph
        missed = self.block(st.orelse, dict(env), graph.logical_and(path, graph.logical_not(broke)))
        return join(graph, broke, env, missed)


def _constant_range(bounds: tuple[Node, ...]) -> range | None:
    if all(b.op == "const" for b in bounds):
        return range(*(int(b.data) for b in bounds))
    return None


def _is_endless(st: ast.While) -> bool:
    """Whether it is `while True` without `break`."""
    return isinstance(st.test, ast.Constant) and bool(st.test.value) and not breaks(st.body)


def _name_of(st: ast.stmt) -> str:
    name = type(st).__name__.lower()
    article = "an" if name[0] in "ai" else "a"
    return (
        "a statement that is only an expression"
        if name == "expr"
        else f"{article} `{name}` statement"
    )


__all__ = ["Static", "Tracer"]
