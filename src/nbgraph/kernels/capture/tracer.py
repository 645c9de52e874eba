"""Statements: a function's body becomes nodes, branches become selects.

Control flow is turned into data. A `return`, `break` or `continue` sets a flag; the statements
after it are traced under the condition that no flag is set and joined with what was there
before. A loop whose trip count depends on values becomes a region of the scalar graph. A loop
under an `if` runs only where the branch is taken: its condition holds the path condition.
"""

from __future__ import annotations

import ast
import copy
import functools
import math
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, NoReturn, cast

from nbgraph.errors import CaptureError, Raised
from nbgraph.kernels.capture import effects, objects, refusals
from nbgraph.kernels.capture.arrays import spread
from nbgraph.kernels.capture.closures import Definition, LocalFunction
from nbgraph.kernels.capture.context import Call, OnInvalid
from nbgraph.kernels.capture.environment import (
    BROKE,
    CONTINUED,
    RETURNED,
    flag,
    is_flag,
    is_true,
    placed,
    raises_of,
    stopped,
    without_flags,
)
from nbgraph.kernels.capture.expressions import Expressions
from nbgraph.kernels.capture.joining import join, join_value
from nbgraph.kernels.capture.lookups import Counter
from nbgraph.kernels.capture.looping import looped
from nbgraph.kernels.capture.names import Scope, Watch, is_own_text
from nbgraph.kernels.capture.raising import flag_of, never_returns, of_flag, raised
from nbgraph.kernels.capture.recursion import Recursion, TooDeep
from nbgraph.kernels.capture.refusals import refusal
from nbgraph.kernels.capture.scoping import matched, scoping
from nbgraph.kernels.capture.survey import Survey
from nbgraph.kernels.capture.text import FunctionText, function_text
from nbgraph.kernels.capture.trying import attempted
from nbgraph.kernels.capture.values import (
    Array,
    Choice,
    Complex,
    Env,
    List,
    Mapping,
    Optional,
    Partly,
    Resizable,
    Static,
    Undefined,
    Unset,
    Value,
    View,
    described,
    flatten,
    is_none,
    mapping,
    on_path,
    unflatten,
)
from nbgraph.kernels.nodes import RESULT
from nbgraph.kernels.scalar import Graph, Node
from nbgraph.kernels.wording import place

_RAISES = "is the result of a function that always raises"


class FunctionTracer(Expressions):
    """Captures one function call; calls of helpers make nested tracers on the same graph."""

    parted = False  # whether results may be complex: they are given as two parts

    def __init__(
        self,
        graph: Graph,
        fn: FunctionType,
        watch: Watch,
        caller: FunctionTracer | None = None,
        survey: Survey | None = None,
    ) -> None:
        self.graph, self.fn, self.watch, self.caller, self.survey = graph, fn, watch, caller, survey
        self.depth = 0 if caller is None else caller.depth + 1
        self.pending = []
        # what `try` statements around catch; the library's own texts raise nothing by themselves
        self.catching = () if caller is None or is_own_text(fn) else caller.catching
        self.handled: list[dict[str, Node]] = []  # exceptions of the handlers that are traced
        self.text: FunctionText = function_text(fn)
        self.frame: Env = {}
        self._locals: dict[ast.AST, Static] = {}
        self.name, self.scope = fn.__name__, Scope(fn, watch)
        self.active = () if caller is None else caller.active
        self.answers = {} if caller is None else caller.answers
        self.decides = caller is not None and caller.decides
        self.site: ast.AST | None = None  # the call that is made now
        self.counter: Counter | None = None  # of the loop that is traced
        self.ahead: list[tuple[str, Node]] = []  # what its trips raise, known before the first

    def run(self, env: Env, path: Node, *, on_invalid: OnInvalid = "raise") -> Value:
        """The value of the function's return, for bound arguments, where `path` holds.

        What it raises is for the caller to note; an operator, which has none, checks its results
        for it. `on_invalid="nan"`: the result is NaN there instead.
        """
        value, after = self.outcome(env, path)
        if self.caller is None and isinstance(value, Undefined):
            value = never_returns(self, after, value, on_invalid)
        return self._left(after, self.held(value, after), on_invalid)

    def outcome(self, env: Env, path: Node) -> tuple[Value, Env]:
        """The value, which may refer to lists, with what these hold then and what is raised."""
        outer_line = self.graph.line
        env = self.block(self.text.body, env, path)
        value = env.get(RESULT, Undefined(_RAISES))
        if not is_true(returned := flag(self.graph, env, RETURNED)):
            value = self._ended(env, value, returned)
        if not self.depth:
            value, env = self._given(value, env)
        self.graph.line = outer_line
        return value, env

    def _given(self, value: Value, env: Env) -> tuple[Value, Env]:
        """The result of an operator, which raises for the elements where it is None."""
        last = self.text.body[-1]
        if is_none(value):
            what = "the result is None: no path returns a number"
            self.refuse(last, what, "return a number on every path, e.g. `return 0.0` at the end")
        values = mapping(self.held(value, env))
        if isinstance(values, Mapping):
            self.refuse(last, "the result is a dict, not a number", "return its values as a tuple")
        for part in values if isinstance(values, tuple) else (values,):
            if isinstance(part, tuple):
                what = f"the result holds {described(part)}"
                self.refuse(last, what, "return numbers as one tuple, e.g. `return x, *others`")
            if isinstance(part, Resizable):
                what = f"the result is {described(part)}"
                self.refuse(last, what, "return numbers, e.g. sum(values) or len(values)")
        value, nones = _present(value)
        if not nones:
            return value, env
        words = "the result is None, as no `return` with a number is reached"
        found = Raised(
            self.operator, "TypeError", words, place(self.text.filename, self.text.line_of(last))
        )
        where = functools.reduce(self.graph.logical_or, nones)
        return value, {**env, flag_of(self.graph, found): where}

    def _left(self, env: Env, value: Value, on_invalid: OnInvalid) -> Value:
        """The result, of which what was raised is noted or checked."""
        if on_invalid == "nan":
            return self._blanked(env, value)
        if self.caller is None:
            return self._checked(env, value)
        self.caller.leave(env)
        return value

    def _ended(self, env: Env, value: Value, returned: Node) -> Value:
        """The result where some path ends without a `return`: None there."""
        nothing = Static(None)
        return join_value(self.graph, returned, value, nothing) if RESULT in env else nothing

    def _checked(self, env: Env, value: Value) -> Value:
        """The result of an operator, which ends the kernel for an element that was raised for."""
        graph, nodes = self.graph, flatten(value)
        for name, where in raises_of(env).items() if nodes else ():
            nodes = [graph.check(n, where, of_flag(graph, name)) for n in nodes or ()]
        return value if nodes is None else unflatten(value, nodes)

    def _blanked(self, env: Env, value: Value) -> Value:
        """The result with NaN for an element that was raised for."""
        graph, nodes = self.graph, flatten(value)
        where = functools.reduce(graph.logical_or, raises_of(env).values(), graph.const(False))
        if nodes is None or (where.op == "const" and not where.data):
            return value
        for node in nodes:
            if node.kind != "f":
                what = "on_invalid='nan' is asked for, and a result is not a floating value"
                remedy = "return a float, e.g. float(n), or leave on_invalid='raise'"
                self.refuse(self.text.body[-1], what, remedy)
        nan = graph.const(math.nan)  # times the value, whose derivative is NaN then, too
        return unflatten(
            value, [graph.select(where, graph.arithmetic("mul", n, nan), n) for n in nodes]
        )

    @property
    def operator(self) -> str:
        """The name of the function that all is traced for."""
        return self.fn.__name__ if self.caller is None else self.caller.operator

    def subtracer(self, fn: FunctionType) -> FunctionTracer:
        """For a helper called from here."""
        return FunctionTracer(self.graph, fn, self.watch, self, self.survey)

    def start(self, env: Env, path: Node, on_invalid: OnInvalid) -> Value:
        """The value of the function that is captured, which may call itself."""
        fn = cast("FunctionType", self.fn)
        self.active = ((fn, path),)
        try:
            return self.run(env, path, on_invalid=on_invalid)
        except TooDeep as deep:
            if deep.key is not fn:
                raise
            depth = deep
        self.active = ()
        self.pending.clear()
        run = self.runner(functools.partial(self.subtracer, fn), {})
        value = Recursion(depth, self, self.name, run, env, path).value()
        return self._left(self.settled({}), value, on_invalid)

    def local(self, node: Definition, env: Env, path: Node) -> Static:
        """A nested function as a value: the same one each time, unless it has defaults."""
        function = self._locals.get(node)
        if function is None or node.args.defaults or any(node.args.kw_defaults):
            function = self._locals[node] = Static(LocalFunction(node, self, env, path))
        return function

    def refuse(
        self, node: ast.AST, problem: str, remedy: str, error: type[CaptureError] = CaptureError
    ) -> NoReturn:
        """Raise CaptureError with the user's line and what to write instead."""
        raise refusal(self, node, problem, remedy, error)

    # statements -------------------------------------------------------------------------------

    def block(self, statements: Sequence[ast.stmt], env: Env, path: Node) -> Env:
        """The environment after the statements."""
        for index, statement in enumerate(statements):
            stop = stopped(self.graph, env)
            if stop.op != "const":
                return self.going(env, path, functools.partial(self.block, statements[index:]))
            if stop.data:
                return env
            self.graph.line = f"{self.text.filename}:{self.text.line_of(statement)}"
            if self.survey is not None:
                env = self.survey.statement(self, statement, env, path)
            else:
                env = self.settled(self.statement(statement, env, path), env)
        return env

    def going(self, env: Env, path: Node, run: Callable[[Env, Node], Env]) -> Env:
        """The environment after `run`, which is done where control has not left."""
        stop = stopped(self.graph, env)
        if stop.op == "const":
            return env if stop.data else run(env, path)
        left = self.graph.logical_not(stop)
        known = {name: on_path(v, left) for name, v in env.items()}
        rest = run(without_flags(known), self.graph.logical_and(path, left))
        return self.join_ended(stop, env, rest)

    def join_ended(self, stop: Node, ended: Env, rest: Env) -> Env:
        """Join where `ended` has left the block: what such a path leaves unset is not missed."""
        marked = dict(ended)
        loops = stopped(self.graph, ended, (BROKE, CONTINUED))
        for name in () if loops.op != "const" or loops.data else rest:
            unset = isinstance(marked.get(name, Unset()), (Undefined, Partly))
            if unset and not is_flag(name):
                marked[name] = rest[name]
        return join(self.graph, stop, marked, rest)

    def statement(self, st: ast.stmt, env: Env, path: Node) -> Env:
        """The environment after one statement."""
        match st:
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                return self._assign(st, env, path)
            case ast.If():
                return self._if(st, env, path)
            case ast.While() | ast.For():
                return looped(self, st, env, path)
            case ast.Match():
                return matched(self, st, env, path)
            case ast.FunctionDef(name=name):
                function = self.local(st, env, path)
                return {**env, name: function}
            case ast.Try():
                return attempted(self, st, env, path)
            case ast.Pass() | ast.Nonlocal() | ast.Expr(value=ast.Constant()):
                return env
            case ast.Expr():
                return effects.done(self, st, env, path)
            case ast.Import() | ast.ImportFrom() | ast.Delete() | ast.Global() | ast.With():
                return scoping(self, st, env, path)
        return self._leave(st, env, path)

    def _leave(self, st: ast.stmt, env: Env, path: Node) -> Env:
        """The environment after a statement that may leave the block."""
        match st:
            case ast.Return():
                return self._return(st, env, path)
            case ast.Break():
                return {**env, BROKE: self.graph.const(True)}
            case ast.Continue():
                return {**env, CONTINUED: self.graph.const(True)}
            case ast.Raise():
                return raised(self, st, env, self.graph.const(True))
            case ast.Assert():
                return self._assert(st, env, path)
        what = f"{_name_of(st)} is not understood in a scalar function"
        self.refuse(st, what, refusals.statement(st))

    def _assign(self, st: ast.Assign | ast.AnnAssign | ast.AugAssign, env: Env, path: Node) -> Env:
        if isinstance(st, ast.AugAssign):
            return self._augmented(st, dict(env), path)
        if st.value is None:
            return env
        env = dict(env)
        value = placed(self.object(st.value, env, path), env)
        for target in st.targets if isinstance(st, ast.Assign) else [st.target]:
            self.assign_to(target, value, env, path)
        return env

    def _return(self, st: ast.Return, env: Env, path: Node) -> Env:
        value = Static(None) if st.value is None else self.object(st.value, env, path)
        if st.value is not None and isinstance(value, Undefined) and value.why != _RAISES:
            value = self.read(st.value, value, env)
        values = value if isinstance(value, tuple) else (value,)
        refused = not self.depth and not self.parted
        if refused and any(isinstance(v, Complex) for v in values):
            name = ast.unparse(st.value) if isinstance(st.value, ast.Name) else "z"
            what = "the result is a complex number; results of operators are real"
            self.refuse(st, what, f"return both parts: `return {name}.real, {name}.imag`")
        texts = any(map(objects.is_text, getattr(value, "options", (value,))))
        if not self.depth and (texts or isinstance(value, Choice)):
            what = f"the result is {'a string' if texts else described(value)}, not a number"
            self.refuse(st, what, "return numbers; make text of them after the call")
        env = self.frame = self.settled(env)
        return {**env, RESULT: value, RETURNED: self.graph.const(True)}

    def _augmented(self, st: ast.AugAssign, env: Env, path: Node) -> Env:
        """`target op= value`; a list or an array is changed in place."""
        target, names = st.target, {*env}
        if isinstance(target, ast.Name):
            known, left = env.get(target.id), ast.Name(target.id, ast.Load())
        else:
            target = copy.copy(target)
            target.value = self._once(target.value, env, path)
            if isinstance(target, ast.Subscript):
                target.slice = self._once(target.slice, env, path)
            left = copy.copy(target)
            left.ctx = ast.Load()
            left = self._once(ast.copy_location(left, st), env, path)
            known = env[left.id]
        total = ast.BinOp(ast.copy_location(left, st), st.op, st.value)
        value = self.expression(ast.copy_location(total, st), env, path)
        if self.changes_in_place(known, env):
            call, content = Call(self, st, path), self.held(known, env)
            if isinstance(content, Array):
                value = spread(call, lambda old, new: self.as_kind(new, old.kind), content, value)
            self.put(call, known, (), value, env)
        else:
            self.assign_to(target, placed(value, env), env, path)
        for node in (left, *ast.walk(target)):
            if isinstance(node, ast.Name) and node.id not in names and node is not st.target:
                env.pop(node.id, None)
        return env

    def _once(self, node: Any, env: Env, path: Node) -> Any:
        """Names that hold the values of an expression, so that it is evaluated once: its text."""
        once = functools.partial(self._once, env=env, path=path)
        match node:
            case None | ast.Name() | ast.Constant():
                return node
            case ast.Slice():
                return ast.Slice(once(node.lower), once(node.upper), once(node.step))
            case ast.Tuple():
                return ast.Tuple([*map(once, node.elts)], ast.Load())
        name = ast.unparse(node)
        env[name] = self.object(node, env, path)
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def assign_to(self, target: ast.expr, value: Value, env: Env, path: Node) -> None:
        """Assign to names, items of lists and tuples of such, in place of the environment."""
        match target:
            case ast.Subscript():
                self.store(target, value, env, path)
            case ast.Attribute():
                if not self.store_attribute(target, value, env, path):
                    self._refuse_target(target)
            case ast.Tuple() | ast.List():
                if any(isinstance(n, ast.Subscript) for n in ast.walk(target)):
                    value = self._read(value, env, [ast.unparse(part) for part in target.elts])
                for part, item in self._parts(target, value, env):
                    self.assign_to(part, item, env, path)
            case _:
                self.bind(target, value, env)

    def _read(self, value: Value, env: Env, targets: Sequence[str]) -> Value:
        """A tuple whose parts of lists are what they are now; one that is a target is exchanged."""
        if type(value) is tuple:
            return tuple(self._read(item, env, targets) for item in value)
        exchanged = isinstance(value, View) and ast.unparse(value.node) in targets
        return self.taken(value, env, alone=exchanged)

    def _parts(
        self, target: ast.Tuple | ast.List, value: Value, env: Env
    ) -> list[tuple[ast.expr, Value]]:
        """Each target with the item that is assigned to it; one with a star takes a list."""
        items = self.each(target, value, env)
        items = self.keys(target, items) if isinstance(items, Mapping) else items
        parts, count = target.elts, len(target.elts)
        star = next((i for i, part in enumerate(parts) if isinstance(part, ast.Starred)), None)
        least = count if star is None else count - 1
        most = math.inf if star is not None else count
        if not isinstance(items, tuple) or not least <= len(items) <= most:
            some = f"at least {least} values" if star is not None else f"{count} values"
            size = f"a tuple of {len(items)}" if isinstance(items, tuple) else "what is not a tuple"
            what = f"{count} names are assigned from {size}"
            self.refuse(target, what, f"give {some}, one for each name")
        if star is not None:
            end = len(items) - (least - star)
            items = (*items[:star], List(items[star:end]), *items[end:])
            parts = [part.value if isinstance(part, ast.Starred) else part for part in parts]
        return list(zip(parts, items, strict=True))

    def bind(self, target: ast.expr, value: Value, env: Env) -> None:
        """Assign a value to a name or to a tuple of names, in place."""
        match target:
            case ast.Name(id=name):
                value = env[name] = placed(value, env, name)
                if isinstance(value, Node) and not self.depth:
                    self.graph.names.setdefault(value.id, name)
            case ast.Tuple() | ast.List():
                for part, item in self._parts(target, value, env):
                    self.bind(part, item, env)
            case _:
                self._refuse_target(target)

    def _refuse_target(self, target: ast.expr) -> NoReturn:
        what = "only names, and items of lists and arrays, can be assigned"
        self.refuse(target, what, "assign to a plain name")

    def _if(self, st: ast.If, env: Env, path: Node) -> Env:
        cond = self.condition(st.test, env, path)
        return self.going(self.settled(env), path, functools.partial(self._branch, st, cond))

    def _branch(self, st: ast.If, cond: Node, env: Env, path: Node) -> Env:
        if cond.op == "const":
            return self.block(st.body if cond.data else st.orelse, dict(env), path)
        graph = self.graph
        yes = self.block(st.body, dict(env), graph.logical_and(path, cond))
        no = self.block(st.orelse, dict(env), graph.logical_and(path, graph.logical_not(cond)))
        return join(graph, cond, yes, no)

    def _assert(self, st: ast.Assert, env: Env, path: Node) -> Env:
        if not __debug__:  # as Python's own text, which is run with -O
            return env
        fails = self.graph.logical_not(self.condition(st.test, env, path))
        if fails.op == "const" and not fails.data:
            return env
        return raised(self, st, self.settled(env), fails)


def _present(value: Value) -> tuple[Value, list[Node]]:
    """A value without its Nones, and where there are such."""
    if isinstance(value, Optional):
        inner, nones = _present(value.value)
        return inner, [value.absent, *nones]
    if type(value) is not tuple:
        return value, []
    parts = [_present(part) for part in cast("tuple[Value, ...]", value)]
    return tuple(part for part, _ in parts), [none for _, nones in parts for none in nones]


def _name_of(st: ast.stmt) -> str:
    name = ast.unparse(st).split()[0].rstrip(":")
    article = "an" if name[0] in "ai" else "a"
    return f"{article} `{name}` statement"
