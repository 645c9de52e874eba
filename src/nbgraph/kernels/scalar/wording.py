"""Nodes of a scalar graph as Python expressions: symbols, precedence, literals, names."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.kernels.scalar.functions import FUNCTIONS
from nbgraph.kernels.scalar.graph import Graph, Node

BINARY = {  # symbol, binding strength
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
ATOM, _POWER, _UNARY, _NOT, _TERNARY = 13, 12, 11, 3, 0
_SIGNS = {"neg": ("-", _UNARY), "not": ("not ", _NOT), "invert": ("~", _UNARY)}
BARE = frozenset(name for name in FUNCTIONS if not hasattr(math, name))
_CONSTANTS = {math.pi: "math.pi", math.e: "math.e", math.tau: "math.tau", math.inf: "math.inf"}


class Wording:
    """A writer of expressions; nodes in `names` are written as that text."""

    longest = 0  # most characters of an expression, as recurring values could exhaust memory;
    # 0: no limit

    def __init__(self, graph: Graph, literals: Mapping[float, str]) -> None:
        self.graph, self.literals = graph, literals
        self.names: dict[int, tuple[str, int]] = {}  # text, binding strength

    def open(self, roots: Sequence[Node]) -> list[Node]:
        """Return the nodes that the roots depend on, down to those with names, in order."""
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

    def text(self, root: Node) -> tuple[str, int]:
        """Return the text of a value and its binding strength; parts with a name use it."""
        texts: dict[int, tuple[str, int]] = {}
        for node in self.open([root]):
            text, level = self._combine(node, texts)
            if self.longest and len(text) > self.longest:
                text = f"{text[: self.longest]} ..."
            texts[node.id] = text, level
        return texts.get(root.id) or self.names[root.id]

    def _combine(self, node: Node, texts: Mapping[int, tuple[str, int]]) -> tuple[str, int]:
        op = node.op
        parts = [texts.get(a.id) or self.names[a.id] for a in node.args]
        if op in ("arg", "param"):
            return str(node.data), ATOM
        if op == "const":
            return self._literal(node)
        if op in BINARY:
            return self._infix(node, parts)
        if op == "check":
            return parts[0]
        if op in _SIGNS:
            sign, level = _SIGNS[op]
            return f"{sign}{_bound(parts[0], level)}", level
        if op == "select":
            cond, yes = _bound(parts[0], 1), _bound(parts[1], 1)
            return f"{yes} if {cond} else {parts[2][0]}", _TERNARY
        if op == "call":
            return self._call(node, parts)
        arguments = ", ".join(text for text, _ in parts)
        if op == "narrow":
            return f"np.{node.data}({arguments})", ATOM
        if op == "cast":
            name = {"f": "float", "i": "int", "b": "bool"}.get(node.kind, node.kind)
            return f"{name}({arguments})", ATOM
        if op == "gather":
            return f"{node.data.name}[{arguments}]", ATOM
        if op == "extern":
            primes = "".join(f"_d{i}" for i in node.data.wrt)
            index = "" if node.data.result is None else f"[{node.data.result}]"
            return f"{node.data.fn.__name__}{primes}({arguments}){index}", ATOM
        return {"abs": f"abs({arguments})"}.get(op, f"<{op}>"), ATOM

    def _infix(self, node: Node, parts: list[tuple[str, int]]) -> tuple[str, int]:
        symbol, level = BINARY[node.op]
        left, right = parts
        a, b = node.args
        if node.op in ("add", "mul"):  # these commute: the more readable order
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
            return f"{_bound(parts[0], ATOM)} ** {_bound(parts[1], _UNARY)}", _POWER
        if name == "rsqrt":
            return f"1 / math.sqrt({parts[0][0]})", BINARY["div"][1]
        arguments = ", ".join(text for text, _ in parts)
        return f"{'' if name in BARE else 'math.'}{name}({arguments})", ATOM

    def _literal(self, node: Node) -> tuple[str, int]:
        value: Any = node.data
        if isinstance(value, bool) or node.kind in ("b", "bool"):
            return str(bool(value)), ATOM
        if value != value:
            return "math.nan", ATOM
        size = abs(value)
        text = self.literals.get(size) or _CONSTANTS.get(size) or repr(size)
        negative = math.copysign(1.0, value) < 0
        return (f"-{text}", _UNARY) if negative else (text, ATOM)


# the file of a cell, in a kernel and in a plain shell
_CELL = r"ipykernel_\d+/(\d+)\.py$|<ipython-input-\d+-(\w+)>$"


def place(filename: str, line: int | str) -> str:
    """Return a label of file and line, equal in each process; a notebook's cell is a hash of its
    text, which `tracebacks.place_label` translates.

    >>> place("/home/ann/losses.py", 12), place("/tmp/ipykernel_7/2074109483.py", 3)
    ('losses.py:12', 'cell 2074109483:3')
    """
    cell = re.search(_CELL, filename)
    if cell is not None:
        return f"cell {cell[1] or cell[2]}:{line}"
    name = filename.rpartition("/")[2]
    return f"cell:{line}" if name.startswith("<") else f"{name}:{line}"


def _bound(part: tuple[str, int], level: int) -> str:
    """Return a part of an expression, in parentheses if it binds less tightly than `level`."""
    text, own = part
    return text if own >= level else f"({text})"


def phi_name(phi: Node) -> str:
    """Return the name of a carried variable: as in the user's text; with `d_` for its tangent."""
    key, primes = phi.data[1], ""
    while isinstance(key, tuple) and key and key[0] == "d":
        key, primes = key[1], primes + "d_"
    name = key[0] if isinstance(key, tuple) and key else str(key)
    clean = str(name).lstrip("$")
    return primes + (clean if clean.isidentifier() and clean != "_" else "v")
