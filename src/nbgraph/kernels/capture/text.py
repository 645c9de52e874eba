"""The syntax tree of a Python function: files, notebook cells, lambdas."""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import linecache
import textwrap
from collections.abc import Iterator, Sequence
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from nbgraph import parsing
from nbgraph.errors import CaptureError


class NoSourceError(CaptureError):
    """The function's text cannot be read (it comes from exec, or its file is gone)."""


class KindError(CaptureError):
    """A float where an integer is needed: operands of another kind may be accepted."""


class CountError(CaptureError):
    """The number of items depends on values: a loop may list them."""


class FunctionText(NamedTuple):
    """A function's arguments and body, with the offset of its line numbers in the user's file."""

    arguments: ast.arguments
    body: list[ast.stmt]
    filename: str
    first_line: int  # offset from a node's `lineno` to the user's line
    source: str  # dedented text of the definition

    def line_of(self, node: ast.AST) -> int:
        """Return the line of a node in the user's file."""
        return self.first_line + getattr(node, "lineno", 1)


def function_text(fn: FunctionType) -> FunctionText:
    """Return the text of `fn`, parsed; NoSourceError if there is none."""
    if fn.__name__ == "<lambda>":
        if not (lines := _lines(fn)):
            raise NoSourceError(f"the source text of {fn.__name__!r} cannot be found")
        return _named_lambda(fn.__code__, lines) or _find_lambda(fn.__code__, tuple(lines))
    text = _quick_text(fn)
    if text is not None:
        return text
    try:
        lines, first = inspect.getsourcelines(fn)
    except (OSError, TypeError, SyntaxError, IndexError) as error:
        raise NoSourceError(f"the source text of {fn.__name__!r} cannot be found") from error
    source = textwrap.dedent("".join(lines))
    try:
        node = parsing.parse(source).body[0]
    except (SyntaxError, IndexError) as error:
        raise NoSourceError(f"the source text of {fn.__name__!r} cannot be parsed") from error
    if not isinstance(node, ast.FunctionDef) or node.name != fn.__code__.co_name:
        raise NoSourceError(f"the text found for {fn.__name__!r} is not its definition")
    return FunctionText(node.args, node.body, fn.__code__.co_filename, first - 1, source)


_VERSIONS = 4  # of a file that changes
_versions: dict[str, list[list[str]]] = {}  # lines of files, the latest version last


def _quick_text(fn: FunctionType) -> FunctionText | None:
    """Return the text without `inspect`, whose tokenizer and search of all modules take some 2 ms
    of a first call; None where this does not find the end of the definition.

    A text that is cut off inside brackets or a string does not parse, so a parsed text is whole.
    """
    code = fn.__code__
    lines, first = _lines(fn), code.co_firstlineno - 1
    source = textwrap.dedent("".join(_block(lines[first:])))
    try:
        (node,) = parsing.parse(source).body
    except (SyntaxError, ValueError):
        return None
    if not isinstance(node, ast.FunctionDef) or node.name != code.co_name:
        return None
    return FunctionText(node.args, node.body, code.co_filename, first, source)


def _lines(fn: FunctionType) -> list[str]:
    """Return the lines of a function's file or cell; for a file saved since then, those lines from
    which the function was compiled, if they were read."""
    name = fn.__code__.co_filename
    linecache.checkcache(name)
    lines = linecache.getlines(name, fn.__globals__)
    versions = _versions.setdefault(name, [])
    if not versions or (versions[-1] is not lines and versions[-1] != lines):
        versions[:] = [*versions[1 - _VERSIONS :], lines]
    if len(versions) == 1:
        return lines
    return next((own for own in reversed(versions) if _compiles_to(own, fn.__code__)), lines)


def _compiles_to(lines: list[str], code: CodeType) -> bool:
    """Return whether compiling the lines of a file gives this code."""
    try:
        left = [compile("".join(lines), code.co_filename, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return False
    while left:
        own = left.pop()
        if own == code:
            return True
        left += [x for x in own.co_consts if isinstance(x, CodeType)]
    return False


def _block(lines: list[str]) -> list[str]:
    """Return the decorators, the `def` line and the more indented lines after it."""
    indents = [len(line) - len(line.lstrip()) for line in lines[:1]]
    inside = False
    for i, line in enumerate(lines):
        text = line.lstrip()
        if inside and text and not text.startswith("#") and len(line) - len(text) <= indents[0]:
            while not lines[i - 1].strip():
                i -= 1
            return lines[:i]
        inside = inside or text.startswith("def ")
    return lines


def normal_text(source: str, name: str) -> str:
    r"""Return a function's text without comments, docstring, decorators and layout.

    >>> normal_text("def f(x):\n    'Text.'\n    return (x+1)  # more", "f")
    'def f(x):\n    return x + 1'
    """
    if name == "<lambda>":
        return ast.unparse(parsing.expression(f"({source}\n)"))
    (definition,) = parsing.parse(source).body
    assert isinstance(definition, ast.FunctionDef), source
    definition.decorator_list = []
    if len(definition.body) > 1 and ast.get_docstring(definition) is not None:
        del definition.body[0]
    return ast.unparse(definition)


@functools.lru_cache(maxsize=64)
def _find_lambda(code: CodeType, lines: tuple[str, ...]) -> FunctionText:
    """Return a lambda among the statements around its line, by the columns of its code. Closures
    from a loop share their code, so this is cached: it takes 40 ms in a long file."""
    here, whole = code.co_firstlineno - 1, "".join(lines)
    tree = _whole(whole)
    node = _match_lambda(tree, code, 0, 0) if tree is not None else None
    if node is not None:
        return _text_of(node, code, 0, whole)
    for start in range(here, max(-1, here - 40), -1):
        for end in range(here + 1, min(len(lines), here + 40) + 1):
            block = textwrap.dedent("".join(lines[start:end]))
            tree = _parse(block)
            if tree is None:
                continue
            indent = len(lines[start]) - len(lines[start].lstrip())
            node = _match_lambda(tree, code, start, indent)
            if node is not None:
                return _text_of(node, code, start, block)
    raise NoSourceError(f"the text of the lambda at line {code.co_firstlineno} cannot be found")


def _text_of(node: ast.Lambda, code: CodeType, start: int, block: str) -> FunctionText:
    """Return the text of a lambda in a block whose first line is `start` lines from the file's."""
    body: list[ast.stmt] = [ast.copy_location(ast.Return(node.body), node.body)]
    text = ast.get_source_segment(block, node) or ast.unparse(node)
    return FunctionText(node.args, body, code.co_filename, start, text)


def _named_lambda(code: CodeType, lines: list[str]) -> FunctionText | None:
    """Return the text of `name = lambda ...` at the margin; None for other lines."""
    number = code.co_firstlineno
    line = "".join(lines[number - 1 : number])
    ends = {row for place in code.co_positions() for row in place[:2] if row is not None}
    if ends != {number} or not line[:1].isidentifier():
        return None
    try:
        tree = parsing.parse(line)
    except (SyntaxError, ValueError):
        return None
    node = _match_lambda(tree, code, number - 1, 0)
    if node is None or not isinstance(tree.body[0], ast.Assign):
        return None
    return _text_of(node, code, number - 1, line)


@functools.lru_cache(maxsize=8)
def _whole(text: str) -> ast.Module | None:
    """Return a whole file or cell; None if it has more than Python, or has changed."""
    try:
        return parsing.parse(text)
    except (SyntaxError, ValueError):
        return None


def _parse(block: str) -> ast.Module | None:
    for text in (block, f"({block.strip().rstrip(',')})", f"f({block.strip().rstrip(',')})"):
        try:
            return parsing.parse(text)
        except (SyntaxError, ValueError):
            continue
    return None


def _match_lambda(tree: ast.Module, code: CodeType, start: int, indent: int) -> ast.Lambda | None:
    """Return the lambda whose compiled body has the same source columns as `code`."""
    places = {
        (line - start, column - indent)
        for line, last, column, end in code.co_positions()
        if line is not None and column is not None
        if (line, column) != (last, end)  # Python 3.12 has no position for a constant result
    }
    names = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    matches, here = [], []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Lambda):
            continue
        if [a.arg for a in (*node.args.args, *node.args.kwonlyargs)] != names:
            continue
        inner = {(n.lineno, n.col_offset) for n in ast.walk(node.body) if isinstance(n, ast.expr)}
        if inner & places:
            matches.append(node)
        elif not places and node.lineno + start == code.co_firstlineno:
            here.append(node)
    if not matches:
        return here[0] if len(here) == 1 else None
    return min(matches, key=lambda n: (n.end_col_offset or 0) - n.col_offset)


Definition = ast.FunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.GeneratorExp | ast.SetComp
MAX_TRIPS = 16  # for a written-out loop with constant bounds
MAX_SHORT, MAX_OPERATIONS = 64, 256  # for a short loop: trips, and operations of all trips
_OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.AugAssign, ast.If, ast.IfExp)
_LONG = (ast.For, ast.While, ast.Match, ast.Break, ast.Return, ast.Continue)


def walk(statements: list[ast.stmt] | list[ast.expr]) -> Iterator[ast.AST]:
    """Return all nodes of code, without the bodies of functions that it defines."""
    todo: list[ast.AST] = [*statements]
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, Definition):
            todo.extend(ast.iter_child_nodes(node))


def assigned_within(node: ast.expr) -> set[str]:
    """Return the names that `:=` assigns in an expression, outside of functions that it defines.
    Those in a comprehension are variables of the function around it."""
    return {
        n.target.id
        for n in walk([node])
        if isinstance(n, ast.NamedExpr) and isinstance(n.target, ast.Name)
    }


def nonlocals(body: list[ast.stmt]) -> set[str]:
    """Return the names that inner functions assign in the function around them (`nonlocal`)."""
    statements = (n for st in body for n in ast.walk(st) if isinstance(n, ast.Nonlocal))
    return {name for statement in statements for name in statement.names}


def loops_of(at: ast.expr, node: Comprehension, body: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """Return statements wrapped in the loops and tests of a comprehension."""
    for part in reversed(node.generators):
        for test in reversed(part.ifs):
            body = [ast.If(test, [*body], [])]
        body = [ast.For(part.target, part.iter, [*body], [])]
    for statement in body:
        ast.fix_missing_locations(ast.copy_location(statement, at))
    return body


def is_short(loop: ast.For, trips: int) -> bool:
    """Return whether to write out a loop: few trips, or more trips of few operations."""
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
    """Return whether code has a `break` of the loop around it."""
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
    """Return the names that a function may read after a trip of a loop, apart from later trips and
    from loops and comprehensions that assign them first."""
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
    """Return by name the constants that statements of a body add to variables."""
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
    """Return the statements of a function. Those of a generator collect its values in a list, so it
    has to be finite."""
    if not any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in walk(body)):
        return body
    start, end = parsing.parse("_yielded = []\nreturn iter(_yielded)").body
    inner = [_Yields().visit(statement) for statement in copy.deepcopy(body)]
    return [ast.fix_missing_locations(statement) for statement in (start, *inner, end)]


def unkept(name: str, body: list[ast.stmt], around: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a recursive function without the cache of its results: `kept[key] =
    value` before `return kept[key]`. `around` may call it to fill the cache."""
    named = lambda node: isinstance(node, ast.Call) and getattr(node.func, "id", "") == name
    aside = [st.value for st in walk(around) if isinstance(st, ast.Expr)]
    if not any(map(named, walk(body))) or any(map(named, aside)):
        return body
    inner = _returned(copy.deepcopy(body), None)
    text = "\n".join(map(ast.unparse, inner))
    kept = {k for st in walk(inner) if f"{(k := getattr(st, 'keeps', '$'))} is None" in text}
    new = lambda node: ast.Constant(None) if ast.unparse(node) in kept else node
    for call in (n for n in walk(inner) if isinstance(n, ast.Call) and named(n)):
        call.args = [*map(new, call.args)]  # each call has a new cache
    return inner


def _returned(body: list[ast.stmt], after: ast.stmt | None) -> list[ast.stmt]:
    """Return statements, followed by `after`; one that caches a result returns it instead."""
    result = list[ast.stmt]()
    for st, following in zip(body, [*body[1:], after], strict=True):
        if isinstance(st, ast.If):
            st.body = _returned(st.body, following)
            st.orelse = st.orelse and _returned(st.orelse, following)
        if isinstance(st, ast.Assign) and isinstance(following, ast.Return):
            target, ends = st.targets[0], ast.unparse(following).removeprefix("return ")
            if isinstance(target, ast.Subscript) and ends in map(ast.unparse, (target, st.value)):
                end = ast.copy_location(ast.Return(st.value), st)
                vars(end)["keeps"] = ast.unparse(target.value)
                return [*result, end]
        result.append(st)
    return result


class _Yields(ast.NodeTransformer):
    """Replaces `yield item` by `_yielded.append(item)`, and returns that list."""

    visit_FunctionDef = lambda self, node: node
    visit_Lambda = lambda self, node: node

    def visit_Yield(self, node: ast.Yield | ast.YieldFrom, method: str = "append") -> ast.expr:
        """Return the call that adds an item, or items, to the list."""
        call = ast.Attribute(ast.Name("_yielded", ast.Load()), method, ast.Load())
        return ast.Call(call, [node.value or ast.Constant(None)], [])

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.expr:
        """Return `_yielded.extend(items)`."""
        return self.visit_Yield(node, "extend")

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        """Return the statement that ends the generator."""
        return ast.copy_location(parsing.parse("return iter(_yielded)").body[0], node)
