"""Python text of a scalar graph for people: a derivative as one would write it by hand.

The text is also a correct program: a value is computed only where the graph needs it, selects at
the end become `if ...: return`, values used twice get a name, loop regions become while loops. The
names `sigmoid`, `softplus`, `sign`, `digamma`, `trigamma` and `polygamma` stand for functions that
`math` lacks.
"""

import ast
import keyword
import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from nbgraph import parsing
from nbgraph.kernels.scalar.graph import Graph, Node, unchecked
from nbgraph.kernels.scalar.wording import ATOM, BARE, Wording, phi_name

WIDTH = 76  # characters of an expression; parts of longer ones are named
_MINIMUM = 8  # characters from which a value used twice is named
_NAMES = frozenset((*keyword.kwlist, "math", "abs", "float", "int", "bool", *BARE))


def function(
    name: str,
    signature: Sequence[str],
    graph: Graph,
    outputs: Sequence[Node],
    literals: Mapping[float, str] | None = None,
) -> str:
    """Return the text of a Python function that returns the outputs.

    `signature`: the text in the parentheses; `literals`: how the user wrote a number.
    """
    taken = {part.partition("=")[0].strip() for part in signature}
    writer = _Writer(graph, literals or {}, taken)
    writer.need(outputs)
    with writer.deeper():
        writer.returns(outputs)
    return "\n".join([f"def {name}({', '.join(signature)}):", *writer.lines])


def written_literals(source: str) -> dict[float, str]:
    """Return how a text writes its numbers: `1` and `1e-6` rather than 1.0 and 1e-06."""
    try:
        tree = parsing.parse(source)
    except SyntaxError:
        return {}
    literals: dict[float, str] = {}
    inside = (
        n for top in tree.body for part in getattr(top, "body", [top]) for n in ast.walk(part)
    )
    for node in inside:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            text = ast.get_source_segment(source, node)
            if text is not None:
                literals.setdefault(float(node.value), text)  # type: ignore[arg-type]
    return literals


def expression(graph: Graph, node: Node, literals: Mapping[float, str] | None = None) -> str:
    """Return a value as one expression, with the names that the user's text gives to values."""
    writer = _Writer(graph, literals or {}, set())
    writer.longest = 4 * WIDTH  # longer expressions are unreadable
    for other in graph.reachable([node]):
        name = graph.names.get(other.id)
        if other.op == "phi":
            name = phi_name(other)
        elif other.op == "final":
            name = phi_name(graph.regions[other.data[0]].carried[other.data[1]][0])
        if other is not node and name is not None and other.op not in ("arg", "const"):
            writer.names[other.id] = (name, ATOM)
    return writer.text(node)[0]


class _Writer(Wording):
    def __init__(self, graph: Graph, literals: Mapping[float, str], taken: set[str]) -> None:
        super().__init__(graph, literals)
        self.lines: list[str] = []
        self._taken = {*taken, *_NAMES}
        self._indent = 0
        self._carried: dict[int, dict[int, Node]] = {}  # region -> carried variables needed

    @contextmanager
    def deeper(self) -> Generator[None]:
        """Return a context for an indented block, whose names end with it."""
        known, indent = dict(self.names), self._indent
        self._indent += 1
        try:
            yield
        finally:
            self.names, self._indent = known, indent

    def line(self, text: str) -> None:
        """Append a line at the current indentation."""
        self.lines.append("    " * self._indent + text)

    def need(self, roots: Sequence[Node]) -> None:
        """Record which carried variables of loops the roots depend on."""
        for node in self.graph.reachable(roots):
            if node.op == "final":
                phis = self._carried.setdefault(node.data[0], {})
                phis.update({phi.id: phi for phi in self.graph.closure(node)})

    # blocks -----------------------------------------------------------------------------------

    def returns(self, roots: Sequence[Node]) -> None:
        """Write statements that return the roots; a select becomes two blocks."""
        for check in _checks(roots):
            self.prepare([check.args[1]])
            self.line(f"if {self.text(check.args[1])[0]}:")
            self.line(f"    raise {check.data.kind}({check.data.message!r})")
        roots = [unchecked(root) for root in roots]
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
        """Name the values that the roots certainly need and that are long, used twice, or loops.

        `also`: the nodes that the roots are part of, where uses are counted instead.
        """
        sure = self._certain(roots)
        uses = self._uses(also or roots)
        for key in sorted(sure):
            node = sure[key]
            if key in self.names or node.op in ("arg", "param", "const", "phi", "static"):
                continue
            if node.op == "final":
                self._loop(node.data[0])
            elif node.op == "select" and self._needs_block(node):
                self._choice(node)
            else:
                self._shorten(node, sure)
                text = self.text(node)[0]
                again = uses.get(key, 0) > 1 and (len(text) >= _MINIMUM or key in self.graph.names)
                if again and (" " in text or "(" in text):
                    self._name(node, text)

    def _shorten(self, node: Node, sure: Mapping[int, Node]) -> None:
        """Name parts of an expression until it fits a line."""
        parts = [a for a in node.args if a.id in sure and a.args and a.id not in self.names]
        for part in sorted(parts, key=lambda a: -len(self.text(a)[0])):
            if len(self.text(node)[0]) <= WIDTH:
                return
            self._name(part, self.text(part)[0])

    def _name(self, node: Node, text: str) -> None:
        name = self._fresh(self.graph.names.get(node.id, ""))
        self.line(f"{name} = {text}")
        self.names[node.id] = (name, ATOM)

    def _fresh(self, wish: str) -> str:
        """Return an unused name: `wish` itself, or numbered."""
        count = 1 if wish else 0
        name = wish or "t0"
        while name in self._taken:
            count += 1
            name = f"{wish or 't'}{count}"
        self._taken.add(name)
        return name

    def _certain(self, roots: Sequence[Node]) -> dict[int, Node]:
        """Return the nodes needed in this block whichever way conditions turn out."""
        certain: dict[int, Node] = {}
        memo: dict[int, frozenset[int]] = {}
        order = self.open(roots)
        for node in order:
            memo[node.id] = self._needed(node, memo)
        wanted: set[int] = set()
        for root in roots:
            wanted |= memo.get(root.id, frozenset())
        for node in order:
            if node.id in wanted:
                certain[node.id] = node
        return certain

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

    def _uses(self, roots: Sequence[Node]) -> dict[int, int]:
        """Return how often each value would be written out."""
        uses: dict[int, int] = {}
        for node in self.open(roots):
            parts = node.args
            if node.op == "final":
                region = self.graph.regions[node.data[0]]
                parts = tuple(region.carried[p.id][1] for p in self.graph.closure(node))
            for part in parts:
                uses[part.id] = uses.get(part.id, 0) + 1
        for root in roots:
            uses[root.id] = uses.get(root.id, 0) + 1
        return uses

    def _needs_block(self, node: Node) -> bool:
        """Return whether a select is too long for `a if c else b`."""
        has_loop = any(n.op == "final" for n in self.open([node]))
        return has_loop or len(self.text(node)[0]) > WIDTH

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
        self.names[node.id] = (name, ATOM)

    def _assign(self, name: str, node: Node) -> None:
        self.prepare([node])
        self.line(f"{name} = {self.text(node)[0]}")

    # loops ------------------------------------------------------------------------------------

    def _loop(self, region_id: int) -> None:
        region = self.graph.regions[region_id]
        needed = self._carried[region_id]
        phis = [needed[key] for key in sorted(needed)]
        names = {phi.id: self._fresh(phi_name(phi)) for phi in phis}
        for phi in phis:
            self.line(f"{names[phi.id]} = {self.text(region.carried[phi.id][1])[0]}")
        with self.deeper():
            self._indent -= 1
            self.names.update({key: (name, ATOM) for key, name in names.items()})
            self._body(region.cond, [(p, region.carried[p.id][2]) for p in phis], names)
        for phi in phis:
            final = self.graph.find_final(region_id, phi.id)
            if final is not None:
                self.names[final.id] = (names[phi.id], ATOM)

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
        """Assign all as if at once: in an order in which no value is overwritten before its use."""
        left = list(moves)
        while left:
            free = [m for m in left if not any(_reads(o[1], m[0]) for o in left if o is not m)]
            if not free:
                break
            self.line(" = ".join(free[0]))
            left.remove(free[0])
        targets = ", ".join(name for name, _ in left)
        if sum(len(text) + 2 for _, text in left) + len(targets) > WIDTH:
            fresh = [(self._fresh(f"{name}_next"), text) for name, text in left]
            for name, text in fresh:
                self.line(f"{name} = {text}")
            left = [(name, name) for name, _ in fresh]
        if left:
            self.line(f"{targets} = {', '.join(text for _, text in left)}")


def _checks(roots: Sequence[Node]) -> list[Node]:
    """Return the checks on which the roots depend, in the order of the text."""
    checks: dict[int, Node] = {}
    for root in roots:
        while root.op == "check":
            checks.setdefault(root.args[1].id, root)
            root = root.args[0]
    return list(reversed(checks.values()))


def _reads(text: str, name: str) -> bool:
    return re.search(rf"\b{name}\b", text) is not None
