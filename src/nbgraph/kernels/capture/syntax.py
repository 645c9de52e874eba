"""What syntax trees say: which names code assigns and reads, how long a loop is, how it is left."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from typing import Any

from nbgraph import parsing

Definition = ast.FunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.GeneratorExp | ast.SetComp
MAX_TRIPS = 16  # of a loop with constant bounds that is written out
MAX_SHORT, MAX_OPERATIONS = 64, 256  # trips, and operations of them all, of one that is short
_OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.AugAssign, ast.If, ast.IfExp)
_LONG = (ast.For, ast.While, ast.Match, ast.Break, ast.Return, ast.Continue)


def walk(statements: list[ast.stmt] | list[ast.expr]) -> Iterator[ast.AST]:
    """Return all nodes of code, without the insides of functions that it defines."""
    todo: list[ast.AST] = [*statements]
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, Definition):
            todo.extend(ast.iter_child_nodes(node))


def assigned_within(node: ast.expr) -> set[str]:
    """Return the names that `:=` assigns in an expression, outside of functions that it defines:
    those of a comprehension are variables of the function around it."""
    return {
        n.target.id
        for n in walk([node])
        if isinstance(n, ast.NamedExpr) and isinstance(n.target, ast.Name)
    }


def nonlocals(body: list[ast.stmt]) -> set[str]:
    """Return the names that functions inside of code assign in the function around them."""
    statements = (n for st in body for n in ast.walk(st) if isinstance(n, ast.Nonlocal))
    return {name for statement in statements for name in statement.names}


def loops_of(at: ast.expr, node: Comprehension, body: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """Return the loops and tests of a comprehension around statements."""
    for part in reversed(node.generators):
        for test in reversed(part.ifs):
            body = [ast.If(test, [*body], [])]
        body = [ast.For(part.target, part.iter, [*body], [])]
    for statement in body:
        ast.fix_missing_locations(ast.copy_location(statement, at))
    return body


def is_short(loop: ast.For, trips: int) -> bool:
    """Return whether a loop is written out: few trips, or more of few operations each."""
    if trips <= MAX_TRIPS:
        return True
    if trips > MAX_SHORT:
        return False
    nodes = list(walk(loop.body))
    if any(isinstance(n, _LONG) for n in nodes):
        return False
    work = sum(isinstance(n, _OPERATIONS) + 7 * isinstance(n, ast.Call) for n in nodes)
    return work * trips <= MAX_OPERATIONS


def breaks(statements: list[ast.stmt]) -> bool:
    """Return whether code leaves the loop around it by `break`."""
    todo: list[ast.AST] = [*statements]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Break):
            return True
        if isinstance(node, (ast.For, ast.While)):
            todo.extend(node.orelse)
        elif not isinstance(node, Definition):
            todo.extend(ast.iter_child_nodes(node))
    return False


def read_after(body: list[ast.stmt], st: ast.While | ast.For) -> set[str]:
    """Return the names that a function may read after a trip of a loop, apart from other trips of
    it and from loops and comprehensions that assign them first."""
    head = st.target if isinstance(st, ast.For) else st.test
    trips = {id(n) for part in (head, *st.body) for n in ast.walk(part)}
    read = set[str]()

    def visit(node: Any, known: set[str]) -> None:
        inner = known
        if isinstance(node, (ast.For, ast.DictComp, Comprehension)) and node is not st:
            parts = [node] if isinstance(node, ast.For) else node.generators
            targets = [n for part in parts for n in ast.walk(part.target)]
            inner = known.union(n.id for n in targets if isinstance(n, ast.Name))
        name = node.target if isinstance(node, ast.AugAssign) else node
        if isinstance(name, ast.Name) and (name is not node or not is_store(name)):
            read.update({name.id} - known)
        for child in (n for n in ast.iter_child_nodes(node) if id(n) not in trips):
            outside = isinstance(node, ast.For) and child in (node.iter, *node.orelse)
            visit(child, known if outside else inner)

    for part in body:
        visit(part, set())
    return read


def counted(body: list[ast.stmt]) -> dict[str, int]:
    """Return the constants that statements of a body add to variables, by name."""
    steps: dict[str, int] = {}
    for st in walk(body):
        match st:
            case ast.AugAssign(
                target=ast.Name(id=name), op=ast.Add() | ast.Sub(), value=ast.Constant(value=step)
            ) if type(step) is int:
                steps[name] = step if isinstance(st.op, ast.Add) else -step
    return steps


def is_store(name: ast.Name) -> bool:
    """Return whether a name is assigned."""
    return isinstance(name.ctx, ast.Store)


# generators ---------------------------------------------------------------------------------------


def collected(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a function; of a generator, with a list of what it yields, so it has
    to end by itself."""
    if not any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in walk(body)):
        return body
    start, end = parsing.parse("_yielded = []\nreturn _yielded").body
    inner = [_Yields().visit(statement) for statement in copy.deepcopy(body)]
    return [ast.fix_missing_locations(statement) for statement in (start, *inner, end)]


class _Yields(ast.NodeTransformer):
    """`yield item` as `_yielded.append(item)`, and that list as what is returned."""

    visit_FunctionDef = lambda self, node: node
    visit_Lambda = lambda self, node: node

    def visit_Yield(self, node: ast.Yield | ast.YieldFrom, method: str = "append") -> ast.expr:
        """What puts an item, or items, into the list."""
        call = ast.Attribute(ast.Name("_yielded", ast.Load()), method, ast.Load())
        return ast.Call(call, [node.value or ast.Constant(None)], [])

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.expr:
        """`_yielded.extend(items)`."""
        return self.visit_Yield(node, "extend")

    def visit_Return(self, node: ast.Return) -> ast.Return:
        """Return the end of the generator."""
        return ast.copy_location(ast.Return(ast.Name("_yielded", ast.Load())), node)
