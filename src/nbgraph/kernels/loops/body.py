"""Python statements of a scalar graph: the body of every emitted loop."""

import math
import re
from collections.abc import Callable, Mapping, Sequence

from nbgraph.kernel_errors import Raised, raised_code, stuck_code
from nbgraph.kernels.loops.loop import Loop
from nbgraph.kernels.scalar.graph import Graph, Node
from nbgraph.kernels.scalar.kinds import INTEGERS, ITEMSIZE
from nbgraph.kernels.scalar.nodes import MOVES, RESULT
from nbgraph.kernels.scalar.tables import Table
from nbgraph.kernels.scalar.wording import BINARY, place
from nbgraph.kernels.vector_math import precision

_SYMBOL = {
    **{op: symbol for op, (symbol, _) in BINARY.items() if op not in ("shl", "shr")},
    "and": "&",
    "or": "|",  # both sides are evaluated
}
_UNARY = {"neg": "-{}", "abs": "abs({})", "not": "not {}", "invert": "~{}"}
TRIGONOMETRIC = ("sin", "cos", "tan")
_INLINE = 40  # characters up to which a value used once is written inline


class Namespace:
    """The typed constants and functions that emitted text refers to by name."""

    def __init__(self, compute: str) -> None:
        self.compute = compute
        self.constants: dict[str, tuple[str, object]] = {}  # name -> (dtype, value)
        self.functions: dict[str, str] = {}  # name -> vector_math name
        self.externs: dict[str, object] = {}
        self.tables: dict[str, Table] = {}
        self.raises: list[Raised] = []  # exceptions that end the kernel for an element
        self._names: dict[tuple[str, str], str] = {}

    def constant(self, node: Node) -> str:
        """Return the text of a literal: a name bound to a typed constant."""
        if node.kind in ("b", "bool"):
            return str(bool(node.data))
        if node.kind == "i":
            return repr(int(node.data))
        dtype = self.compute if node.kind == "f" else node.kind
        key = (dtype, repr(node.data))
        if key not in self._names:
            self._names[key] = f"c{len(self._names)}"
            self.constants[self._names[key]] = (dtype, node.data)
        return self._names[key]

    def function(self, name: str) -> str:
        """Return the name by which the text calls a function of vector_math."""
        self.functions.setdefault(f"m_{name}", name)
        return f"m_{name}"

    def invalid(self, raised: Raised) -> str:
        """Return the name of the flag that some element raised this exception."""
        if raised not in self.raises:
            self.raises.append(raised)
        return f"invalid{self.raises.index(raised)}"

    def noting(self, lines: Sequence[str], fault: str, indent: int) -> tuple[list[str], list[str]]:
        """Return lines before and after `lines` that clear and store flags of bad elements."""
        space, words = "    " * indent, set(re.findall(r"invalid\d+", "\n".join(lines)))
        noted = [(self.invalid(r), raised_code(r)) for r in self.raises]
        noted = [(name, code) for name, code in noted if name in words]
        behind = [f"if {name}:\n{space}    store({fault}, 0, {code})" for name, code in noted]
        before = [f"{space}{name} = False" for name, _ in noted]
        return before, [f"{space}{text}" for each in behind for text in each.split("\n", 1)]

    def extern(self, function: object) -> str:
        """Return the name of a function that Numba compiles itself."""
        for name, known in self.externs.items():
            if known is function:
                return name
        name = f"user{len(self.externs)}"
        self.externs[name] = function
        return name

    def table(self, table: Table) -> str:
        """Return the name of a constant table."""
        for name, known in self.tables.items():
            if known.identity == table.identity:
                return name
        name = f"table{len(self.tables)}"
        self.tables[name] = table
        return name

    def header(self) -> list[str]:
        """Return comment lines with the values of constants and tables."""
        constants = self.constants.items()
        lines = [f"# {name} = {dtype}({value!r})" for name, (dtype, value) in constants]
        return lines + [f"# {name} = {table!r}" for name, table in self.tables.items()]


def moving(graph: Graph, region_id: int) -> Node | None:
    """Return the variable of a `while` loop that says whether its last trip changed another one."""
    for phi, _, out in graph.regions[region_id].carried.values():
        if phi.data[1][0] == MOVES and out.op != "const":
            return phi
    return None


def may_fail(graph: Graph, roots: Sequence[Node]) -> bool:
    """Return whether an element may raise, or a loop may end because a trip changed nothing."""
    for n in graph.reachable(roots):
        if n.op == "check" or (n.op == "final" and moving(graph, n.data[0]) is not None):
            return True
    return False


def loop_may_fail(loop: Loop) -> bool:
    """Return whether a kernel of the loop may end with an error that depends on its operands."""
    nodes = loop.results
    nodes += [total.node for stage in loop.stages for total in stage]
    return may_fail(loop.graph, nodes)


def has_limit(node: Node) -> bool:
    """Return whether a node is a call that has a fast form for moderate arguments."""
    if node.op != "call" or node.data not in (*TRIGONOMETRIC, "fmod"):
        return False
    return not is_exact_remainder(node)


def is_exact_remainder(node: Node) -> bool:
    """Return whether a node is `fmod` by a power of two of at least 1: any quotient is exact."""
    if node.op != "call" or node.data != "fmod" or node.args[1].op != "const":
        return False
    size = abs(node.args[1].data)
    return 1.0 <= size <= 2.0**60 and math.frexp(size)[0] == 0.5


class Body:
    """A writer of statements for nodes, each after its inputs; `lines` holds the text."""

    def __init__(
        self,
        graph: Graph,
        roots: Sequence[Node],
        namespace: Namespace,
        leaves: dict[int, str],
        indent: int,
        call_name: Callable[[Node], str] | None = None,
        prefix: str = "t",
        fault: str = "",
        limits: Mapping[str, str] | None = None,
    ) -> None:
        self.graph, self.namespace = graph, namespace
        self.names = dict(leaves)
        self.lines: list[str] = []
        self.indent = indent
        self._call_name = call_name or (lambda node: namespace.function(node.data))
        self._uses: dict[int, int] = {}
        self._carried: dict[int, dict[int, Node]] = {}  # region -> phis that are needed
        for node in graph.reachable(roots, leaves):
            for argument in graph.children(node):
                self._uses[argument.id] = self._uses.get(argument.id, 0) + 1
            if node.op == "final":
                phis = self._carried.setdefault(node.data[0], {})
                phis.update({p.id: p for p in graph.closure(node)})
        for root in roots:
            self._uses[root.id] = self._uses.get(root.id, 0) + 1
        self.written = 0  # number of names assigned
        self._open: set[int] = set()  # loops being written
        self._enters: dict[tuple[int, frozenset[int]], list[Node]] = {}  # results of `_entering`
        self._prefix = prefix
        self._limits = limits or {}  # of arguments, by call; one beyond its limit sets `wide`
        self._fault = fault  # a pointer to the kernel's error code, or ""

    def require(self, nodes: Sequence[Node]) -> list[str]:
        """Write what the nodes depend on; return their texts: names or short expressions."""
        for node in self.schedule(nodes):
            if node.id not in self.names:
                self._write(node)
        return [self.text(node) for node in nodes]

    def text(self, node: Node) -> str:
        """Return the expression of a node that is written, a leaf, or a constant."""
        if node.op == "const" and node.id not in self.names:
            return self.namespace.constant(node)
        return self.names[node.id]

    def line(self, text: str) -> None:
        """Append a statement at the current indentation."""
        self.lines.append("    " * self.indent + text)

    # order ------------------------------------------------------------------------------------

    def inputs(self, node: Node) -> Sequence[Node]:
        """Return the nodes to write before a node: for a loop, those that enter it from outside."""
        if node.op != "final":
            return node.args
        return self._entering(node.data[0])

    def _entering(self, region_id: int) -> list[Node]:
        key = region_id, frozenset(self._open)
        if (known := self._enters.get(key)) is not None:
            return known
        region = self.graph.regions[region_id]
        entering = self._enters[key] = []
        stack = [region.cond]
        for phi_id in self._carried[region_id]:
            _, init, out = region.carried[phi_id]
            entering.append(init)
            stack.append(out)
        seen: set[int] = set()
        while stack:
            node = stack.pop()
            if node.id in seen:
                continue
            seen.add(node.id)
            if node.regions - self._open:  # in this loop, or in one nested within it
                stack.extend(self.graph.children(node))
            else:
                entering.append(node)
        return entering

    def schedule(self, roots: Sequence[Node]) -> list[Node]:
        """Return the nodes to write for `roots`, each after its inputs."""
        order: list[Node] = []
        done: set[int] = set(self.names)
        stack = [(root, False) for root in reversed(roots)]
        while stack:
            node, ready = stack.pop()
            if node.id in done or node.op == "const":
                continue
            if ready:
                done.add(node.id)
                order.append(node)
                continue
            stack.append((node, True))
            for n in reversed(self.inputs(node)):
                if n.id not in done:
                    stack.append((n, False))
        return order

    # statements -------------------------------------------------------------------------------

    def _write(self, node: Node) -> None:
        if node.op == "final":
            self._write_loop(node.data[0])
            return
        if node.op == "check":
            self._write_check(node)
            return
        text = self._expression(node)
        single = self._uses.get(node.id, 0) <= 1 and not node.regions
        if single and len(text) <= _INLINE and node.op not in ("call", "extern"):
            self.names[node.id] = f"({text})" if " " in text else text
            return
        name = f"{self._prefix}{self.written}"
        self.written += 1
        self.line(f"{name} = {text}")
        self.names[node.id] = name
        if self._limits and has_limit(node):
            self.line(f"wide = wide | {self._beyond_limit(node, self._limits[node.data])}")

    def _beyond_limit(self, node: Node, limit: str) -> str:
        """Return the condition under which an argument is beyond the fast form of a call."""
        size = f"abs({self.text(node.args[0])})"
        if node.data != "fmod":
            return f"({size} > {limit})"
        divisor = f"abs({self.text(node.args[1])})"
        zero, infinity = (self.namespace.constant(self.graph.const(v)) for v in (0.0, math.inf))
        within = f"(({divisor} == {zero}) | ({size} == {infinity}))"  # NaN in either form
        return f"(({size} > {limit} * {divisor}) & (not {within}))"

    def _write_check(self, node: Node) -> None:
        """Write the flag of an invalid element, without a branch."""
        value, invalid = map(self.text, node.args)
        self.names[node.id] = value
        if self._fault:
            name = self.namespace.invalid(node.data)
            self.line(f"{name} = {name} | {invalid}")

    def _write_loop(self, region_id: int) -> None:
        region = self.graph.regions[region_id]
        phis = self._carried[region_id]
        carried = {key: f"v{region_id}_{i}" for i, key in enumerate(sorted(phis))}
        for key, name in carried.items():
            init = self.text(region.carried[key][1])
            self.line(f"{name} = {self._typed(init, phis[key])}")
        outside = dict(self.names)
        self.names.update(carried)
        self._open.add(region_id)
        self.line("while True:")
        self.indent += 1
        (cond,) = self.require([region.cond])
        self.line(f"if not {cond}:")
        self.line("    break")
        outs = [region.carried[key][2] for key in carried]
        texts = self.require(outs)
        moved = [(n, t) for n, t in zip(carried.values(), texts, strict=True) if n != t]
        for name, text in moved:
            self.line(f"{name}_next = {text}")
        for name, _ in moved:
            self.line(f"{name} = {name}_next")
        self.indent -= 1
        self._open.discard(region_id)
        self.names = outside
        if self._fault and (moves := moving(self.graph, region_id)) is not None:
            self.line(f"if not ({self._end_condition(carried, moves, region_id)}):")
            self.indent += 1
            self._store_stuck_code(region_id)
            self.indent -= 1
        for key, name in carried.items():
            final = self.graph.find_final(region_id, key)
            if final is not None:
                self.names[final.id] = name

    def _end_condition(self, carried: dict[int, str], moves: Node, region_id: int) -> str:
        """Return the condition under which a loop may end: a trip changed something, or a NaN."""
        numbers = [carried[moves.id]]
        for key, phi in self._carried[region_id].items():
            if phi.kind == "f" and phi.data[1][0] != RESULT:
                numbers.append(f"({carried[key]} != {carried[key]})")
        for node in self._entering(region_id):
            if node.kind == "f" and node.op != "const":
                numbers.append(f"({self.text(node)} != {self.text(node)})")
        return " | ".join(dict.fromkeys(numbers))

    def _store_stuck_code(self, region_id: int) -> None:
        """Write the store of the error code of a loop's line."""
        region = self.graph.regions[region_id]
        filename, _, number = region.cond.line.rpartition(":")
        self.line(f"store({self._fault}, 0, {stuck_code(place(filename, number))})")

    def _typed(self, text: str, phi: Node) -> str:
        return f"int64({text})" if phi.kind == "i" else text

    # expressions ------------------------------------------------------------------------------

    def _expression(self, node: Node) -> str:
        op, args = node.op, [self.text(a) for a in node.args]
        if op in ("floordiv", "mod"):
            by = "uint" if node.kind.startswith("u") else "int"
            short = ITEMSIZE.get(node.kind, 8) <= 4 and node.args[1].op != "const"
            if short and not node.regions:  # within a loop, the latency counts
                by = "narrow"
            return self._wrap(node, f"{by}_{op}({args[0]}, {args[1]})")
        if op in _SYMBOL:
            return self._wrap(node, f"{args[0]} {_SYMBOL[op]} {args[1]}")
        if op in _UNARY:
            return self._wrap(node, _UNARY[op].format(args[0]))
        if op in ("shl", "shr"):
            bits = 64 if node.kind == "i" else int(node.kind.lstrip("uint"))
            return self._wrap(node, f"int_{op}({args[0]}, {args[1]}, {bits})")
        if op == "select":
            return f"select({', '.join(args)})"
        if op == "cast":
            return self._cast(node, args[0])
        if op == "narrow":
            return self._narrow(str(node.data), args[0])
        if op == "call":
            return self._call(node, args)
        if op == "gather":
            text = f"{self.namespace.table(node.data)}({args[0]})"
            return f"({text} != 0)" if node.kind in ("b", "bool") else text
        if op == "extern":
            return f"{self.namespace.extern(node.data)}({', '.join(args)})"
        raise AssertionError(f"no text for {node!r}")

    def _call(self, node: Node, args: list[str]) -> str:
        compute, name = self.namespace.compute, self._call_name(node)
        if precision(node.data, compute) == compute:
            return f"{name}({', '.join(args)})"
        return f"{compute}({name}({', '.join(f'float64({a})' for a in args)}))"

    def _wrap(self, node: Node, text: str) -> str:
        """Return a result cast to NumPy's width: Numba would widen it to 64 bits."""
        return f"{node.kind}({text})" if node.kind in INTEGERS else text

    def _narrow(self, dtype: str, text: str) -> str:
        compute = self.namespace.compute
        if dtype == "float16":
            text, dtype = f"float16_to_float32({compute}_to_float16({text}))", "float32"
        elif dtype != compute:
            text = f"{dtype}({text})"
        return text if dtype == compute else f"{compute}({text})"

    def _cast(self, node: Node, text: str) -> str:
        if node.kind == "f":
            return f"{self.namespace.compute}({text})"
        if node.kind in ("b", "bool"):
            return text
        kind = "int64" if node.kind == "i" else node.kind
        return cut(kind, text) if node.args[0].kind == "f" else f"{kind}({text})"


def cut(kind: str, text: str) -> str:
    """Return the text of a float as an integer. Negative floats wrap, as in NumPy: a direct
    conversion to unsigned gives 0 on some machines and the largest number on others."""
    if kind == "uint64":
        return f"float_to_uint64({text})"
    wide = "int64" if kind in ("uint32", "int64") else "int32"
    return f"{kind}({text})" if kind == wide else f"{kind}({wide}({text}))"
