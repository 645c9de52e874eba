"""Scalar graph to Python text for people: what a derivative would look like written by hand.

The text means what the graph means, also as a program: a value is computed only where the graph
needs it, selects at the end become `if ...: return`, values used twice get a name, loop regions
become while loops. The names `sigmoid`, `softplus`, `sign`, `digamma` and `trigamma` stand for
functions that `math` lacks.

>>> from nbgraph.kernels.scalar import Graph
>>> graph = Graph()
>>> x = graph.argument("x", "f")
>>> square = graph.arithmetic("mul", x, x)
>>> print(function("f", ["x"], graph, [graph.arithmetic("add", square, graph.call("exp", x))]))
def f(x):
    return x * x + math.exp(x)
"""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from nbgraph.kernels.scalar import Graph, Node

WIDTH = 76  # characters of an expression, above which its parts are named
_MINIMUM = 9  # characters from which a value that is used twice is given a name
_BINARY = {  # symbol, how tightly it binds
    "or": ("or", 1),
    "and": ("and", 2),
    **{op: (s, 4) for op, s in zip(("lt", "le", "gt", "ge"), ("<", "<=", ">", ">="), strict=True)},
    "eq": ("==", 4),
    "ne": ("!=", 4),
    "bor": ("|", 5),
    "bxor": ("^", 6),
    "band": ("&", 7),
    "shl": ("<<", 8),
    "shr": (">>", 8),
    "add": ("+", 9),
    "sub": ("-", 9),
    "mul": ("*", 10),
    "div": ("/", 10),
    "floordiv": ("//", 10),
    "mod": ("%", 10),
}
_ATOM, _POWER, _UNARY, _NOT, _TERNARY = 13, 12, 11, 3, 0
_BARE = frozenset(("sigmoid", "softplus", "sign", "digamma", "trigamma", "round"))
_CONSTANTS = {math.pi: "math.pi", math.e: "math.e", math.tau: "math.tau", math.inf: "math.inf"}
_NAMES = frozenset((*keyword.kwlist, "math", "abs", "float", "int", "bool", *_BARE))


def function(
    name: str,
    signature: Sequence[str],
    graph: Graph,
    outputs: Sequence[Node],
    literals: Mapping[float, str] | None = None,
) -> str:
    """The text of a Python function that returns the outputs.

    `signature` is what stands in the parentheses; `literals` how the user wrote a number.
    """
    taken = {part.partition("=")[0].strip() for part in signature}
    writer = _Writer(graph, literals or {}, taken)
    writer.need(outputs)
    with writer.deeper():
        writer.returns(outputs)
    return "\n".join([f"def {name}({', '.join(signature)}):", *writer.lines])


def expression(graph: Graph, node: Node, literals: Mapping[float, str] | None = None) -> str:
    """A value as one expression; what the user's text has a name for is called by it."""
    writer = _Writer(graph, literals or {}, set())
    for other in graph.reachable([node]):
        name = graph.names.get(other.id)
        if other.op == "phi":
            name = _phi_name(other)
        elif other.op == "final":
            name = _phi_name(graph.regions[other.data[0]].carried[other.data[1]][0])
        if other is not node and name is not None and other.op not in ("arg", "const"):
            writer.names[other.id] = (name, _ATOM)
    return writer.text(node)[0]


class _Writer:
    def __init__(self, graph: Graph, literals: Mapping[float, str], taken: set[str]) -> None:
        self.graph, self.literals = graph, literals
        self.lines: list[str] = []
        self.names: dict[int, tuple[str, int]] = {}  # what is written: text, binding strength
        self._taken = {*taken, *_NAMES}
        self._indent = 0
        self._carried: dict[int, dict[int, Node]] = {}  # region -> carried variables needed

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """An indented block: what is named inside is not known after it."""
        known, indent = dict(self.names), self._indent
        self._indent += 1
        try:
            yield
        finally:
            self.names, self._indent = known, indent

    def line(self, text: str) -> None:
        """One line at the current indentation."""
        self.lines.append("    " * self._indent + text)

    def need(self, roots: Sequence[Node]) -> None:
        """Note which of the loops' variables the roots depend on."""
        for node in self.graph.reachable(roots):
            if node.op == "final":
                phis = self._carried.setdefault(node.data[0], {})
                phis.update({phi.id: phi for phi in self.graph.closure(node)})

    # blocks -----------------------------------------------------------------------------------

    def returns(self, roots: Sequence[Node]) -> None:
        """Statements that return the roots; a select becomes two blocks."""
        while len(roots) == 1 and roots[0].op == "select" and roots[0].id not in self.names:
            cond, yes, no = roots[0].args
            self.prepare([cond], also=roots)
            self.line(f"if {self.text(cond)[0]}:")
            with self.deeper():
                self.returns([yes])
            roots = [no]
        self.prepare(roots)
        self.line(f"return {', '.join(self.text(root)[0] for root in roots)}")

    def prepare(self, roots: Sequence[Node], *, also: Sequence[Node] = ()) -> None:
        """Name what the roots certainly need and is long, used twice, or a loop.

        `also`: values that follow in this block and its branches; they count as uses.
        """
        sure = self._certain(roots)
        uses = self._uses([*roots, *also])
        ids = {root.id for root in roots}
        for key in sorted(sure):
            node = sure[key]
            if key in self.names or node.op in ("arg", "param", "const", "phi", "static"):
                continue
            if node.op == "final":
                self._loop(node.data[0])
            elif node.op == "select" and self._needs_block(node):
                self._choice(node)
            else:
                text = self.text(node)[0]
                long = len(text) > WIDTH and key not in ids
                again = uses.get(key, 0) > 1 and (len(text) >= _MINIMUM or key in self.graph.names)
                if long or (again and (" " in text or "(" in text)):
                    self._name(node, text)

    def _name(self, node: Node, text: str) -> None:
        name = self._fresh(self.graph.names.get(node.id, ""))
        self.line(f"{name} = {text}")
        self.names[node.id] = (name, _ATOM)

    def _fresh(self, wish: str) -> str:
        """An unused name: the wish itself, or numbered."""
        count = 1 if wish else 0
        name = wish or "t0"
        while name in self._taken:
            count += 1
            name = f"{wish or 't'}{count}"
        self._taken.add(name)
        return name

    def _certain(self, roots: Sequence[Node]) -> dict[int, Node]:
        """Nodes whose value is needed whichever way conditions fall (in this block)."""
        found: dict[int, Node] = {}
        memo: dict[int, frozenset[int]] = {}
        order = self._open(roots)
        for node in order:
            memo[node.id] = self._needed(node, memo)
        wanted: set[int] = set()
        for root in roots:
            wanted |= memo.get(root.id, frozenset())
        for node in order:
            if node.id in wanted:
                found[node.id] = node
        return found

    def _needed(self, node: Node, memo: dict[int, frozenset[int]]) -> frozenset[int]:
        parts: Sequence[Node] = node.args
        if node.op in ("and", "or") or node.op == "select":
            parts = node.args[:1]
        elif node.op == "final":
            region = self.graph.regions[node.data[0]]
            parts = [region.carried[phi.id][1] for phi in self.graph.closure(node)]
        needed = frozenset((node.id,)).union(*(memo.get(p.id, frozenset()) for p in parts))
        if node.op == "select":
            yes, no = (memo.get(a.id, frozenset()) for a in node.args[1:])
            needed |= yes & no
        return needed

    def _open(self, roots: Sequence[Node]) -> list[Node]:
        """What the roots are computed from, down to what has been written, in order."""
        seen: dict[int, Node] = {}
        stack = list(roots)
        while stack:
            node = stack.pop()
            if node.id in seen or node.id in self.names:
                continue
            seen[node.id] = node
            if node.op == "final":
                region = self.graph.regions[node.data[0]]
                stack += [region.carried[phi.id][1] for phi in self.graph.closure(node)]
            else:
                stack += node.args
        return [seen[key] for key in sorted(seen)]

    def _uses(self, roots: Sequence[Node]) -> dict[int, int]:
        """How often each value would be written out."""
        uses: dict[int, int] = {}
        for node in [*self._open(roots)]:
            parts = node.args
            if node.op == "final":
                region = self.graph.regions[node.data[0]]
                parts = tuple(region.carried[p.id][1] for p in self.graph.closure(node))
            for part in parts:
                uses[part.id] = uses.get(part.id, 0) + 1
        return uses

    def _needs_block(self, node: Node) -> bool:
        """Whether a select is too much for `a if c else b`."""
        parts = self._open([node])
        if any(n.op == "final" for n in parts):
            return True
        return len(self.text(node)[0]) > WIDTH

    def _choice(self, node: Node) -> None:
        cond, yes, no = node.args
        self.prepare([cond])
        name = self._fresh(self.graph.names.get(node.id, ""))
        self.line(f"if {self.text(cond)[0]}:")
        with self.deeper():
            self._assign(name, yes)
        self.line("else:")
        with self.deeper():
            self._assign(name, no)
        self.names[node.id] = (name, _ATOM)

    def _assign(self, name: str, node: Node) -> None:
        self.prepare([node])
        self.line(f"{name} = {self.text(node)[0]}")

    # loops ------------------------------------------------------------------------------------

    def _loop(self, region_id: int) -> None:
        region = self.graph.regions[region_id]
        assert region.cond is not None
        needed = self._carried[region_id]
        phis = [needed[key] for key in sorted(needed)]
        names = {phi.id: self._fresh(_phi_name(phi)) for phi in phis}
        for phi in phis:
            self.line(f"{names[phi.id]} = {self.text(region.carried[phi.id][1])[0]}")
        with self.deeper():
            self._indent -= 1
            self.names.update({key: (name, _ATOM) for key, name in names.items()})
            self._body(region.cond, [(p, region.carried[p.id][2]) for p in phis], names)
        for phi in phis:
            final = self.graph.find_final(region_id, phi.id)
            if final is not None:
                self.names[final.id] = (names[phi.id], _ATOM)

    def _body(self, cond: Node, moves: list[tuple[Node, Node]], names: dict[int, str]) -> None:
        text, certain = self.text(cond)[0], self._certain([cond]).values()
        whole = len(text) <= WIDTH and all(n.op != "final" for n in certain)
        self.line(f"while {text}:" if whole else "while True:")
        with self.deeper():
            if not whole:
                self.prepare([cond])
                self.line(f"if not ({self.text(cond)[0]}):")
                self.line("    break")
            moves = [(p, out) for p, out in moves if out is not p]
            self.prepare([out for _, out in moves])
            self._move([(names[p.id], self.text(out)[0]) for p, out in moves])

    def _move(self, moves: list[tuple[str, str]]) -> None:
        """Assign as if all at once: in an order in which nothing is overwritten too early."""
        left = list(moves)
        while left:
            free = [m for m in left if not any(_reads(o[1], m[0]) for o in left if o is not m)]
            if not free:
                break
            self.line(" = ".join(free[0]))
            left.remove(free[0])
        if left:
            self.line(f"{', '.join(n for n, _ in left)} = {', '.join(t for _, t in left)}")

    # expressions ------------------------------------------------------------------------------

    def text(self, root: Node) -> tuple[str, int]:
        """The text of a value and how tightly it binds; parts that have a name use it."""
        made: dict[int, tuple[str, int]] = {}
        for node in self._open([root]):
            made[node.id] = self._combine(node, made)
        return made.get(root.id) or self.names[root.id]

    def _combine(self, node: Node, made: Mapping[int, tuple[str, int]]) -> tuple[str, int]:
        op = node.op
        parts = [made.get(a.id) or self.names[a.id] for a in node.args]
        if op in ("arg", "param"):
            return str(node.data), _ATOM
        if op == "const":
            return self._literal(node)
        if op in _BINARY:
            return self._infix(node, parts)
        if op == "neg":
            return f"-{_bound(parts[0], _UNARY)}", _UNARY
        if op == "not":
            return f"not {_bound(parts[0], _NOT)}", _NOT
        if op == "invert":
            return f"~{_bound(parts[0], _UNARY)}", _UNARY
        if op == "select":
            yes, no = _bound(parts[1], 1), _bound(parts[2], 1)
            return f"{yes} if {_bound(parts[0], 1)} else {no}", _TERNARY
        if op == "call":
            return self._call(node, parts)
        arguments = ", ".join(text for text, _ in parts)
        if op == "cast":
            name = {"f": "float", "i": "int", "b": "bool"}.get(node.kind, node.kind)
            return f"{name}({arguments})", _ATOM
        if op == "extern":
            primes = "".join(f"_d{i}" for i in node.data.wrt)
            index = "" if node.data.result is None else f"[{node.data.result}]"
            return f"{node.data.fn.__name__}{primes}({arguments}){index}", _ATOM
        return {"abs": f"abs({arguments})"}.get(op, f"<{op}>"), _ATOM

    def _infix(self, node: Node, parts: list[tuple[str, int]]) -> tuple[str, int]:
        symbol, level = _BINARY[node.op]
        left, right = parts
        a, b = node.args
        if node.op in ("add", "mul"):  # these commute: what reads better comes first
            chained = right[1] == level and b.op in (node.op, {"add": "sub", "mul": "div"}[node.op])
            counting = node.op == "add" and a.op == "const" and node.kind != "f"
            if counting or (chained and left[1] != level and a.op != "const"):
                left, right = right, left
        same = node.op not in ("lt", "le", "gt", "ge", "eq", "ne")
        first = _bound(left, level if same else level + 1)
        return f"{first} {symbol} {_bound(right, level + 1)}", level

    def _call(self, node: Node, parts: list[tuple[str, int]]) -> tuple[str, int]:
        name = node.data
        if name == "pow":
            return f"{_bound(parts[0], _ATOM)} ** {_bound(parts[1], _UNARY)}", _POWER
        if name == "rsqrt":
            return f"1 / math.sqrt({parts[0][0]})", _BINARY["div"][1]
        arguments = ", ".join(text for text, _ in parts)
        return f"{'' if name in _BARE else 'math.'}{name}({arguments})", _ATOM

    def _literal(self, node: Node) -> tuple[str, int]:
        value: Any = node.data
        if isinstance(value, bool) or node.kind in ("b", "bool"):
            return str(bool(value)), _ATOM
        if value != value:
            return "math.nan", _ATOM
        size = abs(value)
        text = self.literals.get(size) or _CONSTANTS.get(size) or repr(size)
        negative = math.copysign(1.0, value) < 0
        return (f"-{text}", _UNARY) if negative else (text, _ATOM)


def _bound(part: tuple[str, int], level: int) -> str:
    """A part of an expression, in parentheses where it binds less tightly than needed."""
    text, own = part
    return text if own >= level else f"({text})"


def _reads(text: str, name: str) -> bool:
    return re.search(rf"\b{name}\b", text) is not None


def _phi_name(phi: Node) -> str:
    """What a carried variable is called: as in the user's text; `d_` for its tangent."""
    key, primes = phi.data[1], ""
    while isinstance(key, tuple) and key and key[0] == "d":
        key, primes = key[1], primes + "d_"
    name = key[0] if isinstance(key, tuple) and key else str(key)
    clean = str(name).lstrip("$")
    return primes + (clean if clean.isidentifier() and clean != "_" else "v")
