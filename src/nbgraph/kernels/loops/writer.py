"""The base of all emitted kernels: names, the prologue, pointers, loads and stores."""

import functools
import keyword
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from nbgraph.codegen import target
from nbgraph.kernels import vector_math
from nbgraph.kernels.loops.body import Body, Namespace, has_limit, is_exact_remainder, may_fail
from nbgraph.kernels.loops.elements import LOAD, STORE, Elements
from nbgraph.kernels.loops.lanewise import Lanes, lanes
from nbgraph.kernels.loops.loop import BLOCK, Access, Loop, Operand, Output
from nbgraph.kernels.scalar.graph import Node
from nbgraph.kernels.scalar.kinds import INTEGERS, ITEMSIZE, SHORT
from nbgraph.native.processor import LINE, has_evex

_FAR = 1 << 22  # elements above which arrays are assumed to lie in main memory
_RESERVED = frozenset(
    "args lo hi n m i j b row col acc start blocks place wide part run run_small separate word "
    "load store load_input store_output load_element store_element shifted select interleaved "
    "straight before fault lane group first count row_offset to_line on_line copied streamed off "
    "piece ahead fetch calling head invalid abs min max range".split()
)
_NUMBERED = frozenset(
    "t c invalid v u w room going active now stuck user table int uint float bool".split()
)
_DERIVED = re.compile(r".*_(?:p|step|at|acc|all|lanes)_*$")  # names derived from an array's
_WORD = re.compile(r"[A-Za-z_]\w*")


WHERE = "row = lo // n", "col = lo - row * n"  # lines that begin at element lo


class Source(NamedTuple):
    """Emitted text and the objects that its names refer to."""

    name: str
    text: str
    namespace: Namespace
    fastmath: bool
    streaming: bool = False  # see `nbgraph.kernels.compiler.cpu`
    lowered: bool = False  # the text is LLVM's own, see `nbgraph.kernels.compiler.lanes`


class Writer(Elements):
    """The base of all forms: names, the prologue, loads and stores."""

    signature = "args, lo, hi"
    words: frozenset[str] = frozenset()  # further names that a form reserves
    fault = "fault"  # pointer to the kernel's error code, or ""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.namespace = Namespace(loop.compute)
        self.lines: list[str] = []
        self.parts: list[str] = []  # functions that the kernel calls, complete
        self.leaves: dict[int, str] = {}
        self.locals: set[str] = set()  # further names of the kernel that a part may use
        self.taken: set[str] = {*_RESERVED, *self.words}
        self._hoisted = 0  # number of values computed outside the inner loops
        self.names = [self._unique(str(o.node.data)) for o in loop.operands]
        self.imaginary = {
            o.imag.id: self._unique(str(o.imag.data)) for o in loop.operands if o.imag
        }
        self.outputs = [
            self._unique("y" if len(loop.outputs) == 1 else f"y{i}")
            for i in range(len(loop.outputs))
        ]

    def source(self) -> Source:
        """Return the complete text."""
        name = self.loop.name if self.loop.name.isidentifier() else "kernel"
        self.prologue()
        self.space()
        used = "\n".join([*self.parts, *self.lines])
        while re.search(rf"\b{name}\(", used):
            name += "_"  # a user's function may have the name of a part or primitive
        before, behind = self.namespace.noting(self.lines, self.fault, 1)
        self.lines = [*before, *self.lines, *behind]
        self.line(1, "return load(fault, 0)" if self._may_fail() else "return 0")
        body = [f"def {name}({self.signature}):", *self.lines]
        lines = [*self.namespace.header(), *self.parts, *body]
        text, loop = "\n".join(lines) + "\n", self.loop
        return Source(name, text, self.namespace, loop.fastmath, loop.streaming)

    def space(self) -> None:
        """Write the loops over the iteration space."""
        raise AssertionError

    # pieces -----------------------------------------------------------------------------------

    def part(self, name: str, lines: Sequence[str], result: str, *, seldom: bool = False) -> str:
        """Write a function of an inner run; return the text of its call. `seldom`: it rarely runs.

        It stays a function in machine code: LLVM hoists constants out of a function's outermost
        loops only, and an inner run has many.
        """
        before, behind = self.namespace.noting(lines, "fault", 0)
        lines = [*before, *lines, *behind]
        words = set(_WORD.findall("\n".join([*lines, result])))
        known = [*(f"{n}_p" for n, _ in self.arrays()), *(f"{n}_step" for n, _ in self.arrays())]
        known += sorted({*self.leaves.values(), *self.locals})
        arguments = ", ".join(["m", *(n for n in dict.fromkeys(known) if n in words)])
        first = ["separate()"] + ["interleaved()"] * self.waits() + ["calling()"] * seldom
        body = [f"    {line}" for line in (*first, *lines, f"return {result}")]
        self.parts += ["@part", f"def {name}({arguments}):", *body, "", ""]
        return f"{name}({arguments})"

    def waits(self) -> bool:
        """Return whether an inner run is one long chain of dependent operations, which LLVM does
        not see when it chooses how many vectors to interleave."""
        return False

    def captured(self, write: Callable[[], None]) -> list[str]:
        """Return the lines that `write` appends, removed from the text, without indentation."""
        before, self.lines = self.lines, []
        leaves = dict(self.leaves)
        write()
        lines, self.lines = self.lines, before
        self.leaves = leaves
        return lines

    def line(self, indent: int, *texts: str) -> None:
        """Append lines of text."""
        self.lines += ["    " * indent + text for text in texts]

    def _unique(self, name: str) -> str:
        plain = name.isidentifier() and name.isascii() and not name.startswith("__")
        name = name if plain and not _DERIVED.match(name) else f"a_{len(self.taken)}"
        while name in self.taken or name.rstrip("0123456789") in _NUMBERED:
            name += "_"
        self.taken.add(name)
        return name

    def prologue(self) -> None:
        """Read the record's fixed words and compute the values that are uniform over the call."""
        loop = self.loop
        self.line(1, "n = word(args, 0)")
        if self._may_fail():
            self.line(1, "fault = room_int64()")
            self.line(1, "store(fault, 0, 0)")
            self.locals.add("fault")
        for k, (name, array) in enumerate(self.arrays()):
            if array.layout == "s":
                self.line(1, f"{name}_step = word(args, {loop.steps_at + k})")
        for k, node in enumerate(loop.parameters):
            # a literal's name does not contain its value, so that equal forms have equal text
            name = self._unique(f"k{k}" if node.op == "const" else str(node.data))
            self.line(1, f"{name} = {self.scalar(node, loop.parameters_at + k)}")
            self.leaves[node.id] = name
        self.hoist(1, self.roots())

    def _may_fail(self) -> bool:
        return bool(self.fault) and may_fail(self.loop.graph, self.roots())

    def roots(self) -> list[Node]:
        """Return the nodes that the loops compute."""
        return self.loop.results

    def scalar(self, node: Node, word: int) -> str:
        """Return the text that reads a scalar from the record, as the body uses it."""
        if node.kind == "f":
            return f"{self.loop.compute}_word(args, {word})"
        text = f"int64_word(args, {word})"
        if node.kind in ("b", "bool"):
            return f"{text} != 0"
        return f"{node.kind}({text})" if node.kind in INTEGERS else text

    def hoist(self, indent: int, roots: Sequence[Node]) -> None:
        """Compute here the values below `roots` that depend only on `leaves`, such as parameters;
        inner loops then refer to them by name."""
        graph = self.loop.graph
        varying: set[int] = set()
        needed: dict[int, Node] = {n.id: n for n in roots}  # nodes that the loop itself refers to
        for node in graph.reachable(roots):
            parts = graph.children(node) if node.op == "final" else node.args
            operand = node.op == "arg" and node.id not in self.leaves
            if operand or node.regions or not varying.isdisjoint([p.id for p in parts]):
                varying.add(node.id)
                needed.update({p.id: p for p in parts})
        uniform = [
            n for n in needed.values() if n.id not in varying and n.op not in ("const", "param")
        ]
        body = Body(
            graph, uniform, self.namespace, self.leaves, indent, prefix="u", fault=self.fault
        )
        body.written = self._hoisted
        texts = body.require(uniform)
        self.lines += body.lines
        self._hoisted = body.written
        for node, text in zip(uniform, texts, strict=True):
            named = text.isidentifier() and not keyword.iskeyword(text)
            if not named:
                self.line(indent, f"w{node.id} = {text}")
            self.leaves[node.id] = text if named else f"w{node.id}"

    def arrays(self) -> list[tuple[str, Operand | Output]]:
        """Return operands, then outputs, by name."""
        return [
            *zip(self.names, self.loop.operands, strict=True),
            *zip(self.outputs, self.loop.outputs, strict=True),
        ]

    def base(self, k: int, row: str) -> str:
        """Return the address of array k's first element in an outer row."""
        loop = self.loop
        width = 1 + loop.pointers
        offset = f"row_offset(args, {loop.outer_at}, {width}, {row}, {k})"
        return f"word(args, {2 + k}) + {offset}"

    def pointers(self, indent: int, row: str, start: str, which: Sequence[int]) -> None:
        """Write typed pointers to element `start` of a row."""
        for k, (name, array) in enumerate(self.arrays()):
            if k not in which:
                continue
            moves = start != "0" and array.layout != "0"
            step = f" + {start} * {self.stride(name, array)}" if moves else ""
            self.line(indent, f"{name}_p = {array.dtype}_pointer({self.base(k, row)}{step})")
            if array.layout == "0" and isinstance(array, Operand):
                self.load_element(indent, name, array, "0", "plain")

    def next_run(self, *, row_ends: bool) -> None:
        """Write the step to the next run; `row_ends` says that a run ends its row."""
        self.line(2, "lo += m")
        if row_ends:
            self.line(2, "row += 1")
            self.line(2, "col = 0")
            return
        self.line(2, "col += m")
        self.line(2, "if col == n:")
        self.line(3, "row += 1")
        self.line(3, "col = 0")

    def once(self, indent: int) -> int:
        """Let one of several threads of a row go on; return the indent of its lines."""
        return indent

    def needed(self, roots: Sequence[Node]) -> set[int]:
        """Return ids of the nodes below `roots` that have no name yet."""
        return {node.id for node in self.loop.graph.reachable(roots, self.leaves)}

    def ahead(self, indent: int, lines: Sequence[str], elements: str) -> None:
        """Prefetch what `lines` read contiguously in the next block, if so many elements exceed the
        caches: processors before AVX-512 prefetch no farther than a page."""
        words, fetched = set(_WORD.findall("\n".join(lines))), list[str]()
        for name, operand in zip(self.names, self.loop.operands, strict=True):
            if operand.layout == "c" and f"{name}_p" in words:
                item = ITEMSIZE[operand.dtype]
                fetched += [
                    f"for i in range((m * {item} + {LINE - 1}) // {LINE}):",
                    f"    fetch({name}_p, {BLOCK * item} + i * {LINE})",
                ]
        if fetched and not has_evex(target.features()):
            self.line(indent, f"if {elements} > {_FAR}:")
            self.line(indent + 1, self.part("ahead", fetched, "0"))

    def load_all(self, indent: int, which: Sequence[int], *, access: Access) -> None:
        """Load the operands that vary along the inner run."""
        for k, (name, array) in enumerate(self.arrays()):
            if k in which and isinstance(array, Operand) and array.layout != "0":
                self.load_element(indent, name, array, "i", access)

    def load_element(
        self, indent: int, name: str, array: Operand, index: str, access: Access
    ) -> None:
        """Load the numbers of an element."""
        for part, node in enumerate(array.nodes):
            pointer, at = self.place(name, array, index, part)
            own = self.imaginary[node.id] if part else name
            self.line(indent, f"{own} = {self.widened(array, pointer, at, access=access)}")
            self.leaves[node.id] = own

    def stores(self, indent: int, texts: Sequence[str], *, access: Access) -> None:
        """Write or accumulate one element of each output; `texts` are those of `roots`."""
        rest = iter(texts)
        for name, output in zip(self.outputs, self.loop.outputs, strict=True):
            for part, _ in enumerate(output.nodes):
                self.store(indent, name, output, next(rest), access=access, part=part)

    def store(
        self, indent: int, name: str, output: Output, text: str, *, access: Access, part: int = 0
    ) -> None:
        """Write or accumulate one element, or its imaginary part (1)."""
        pointer, index = self.place(name, output, "i", part)
        among: Access = "element" if access == "element" else "plain"
        value = self.stored_text(output, text, f"{LOAD[among]}({pointer}, {index})")
        self.put(indent, pointer, index, value, access=access)

    def put(self, indent: int, pointer: str, index: str, value: str, *, access: Access) -> None:
        """Store a value that has the dtype of the array already."""
        self.line(indent, f"{STORE[access]}({pointer}, {index}, {value})")

    def _stored(self) -> str | None:
        """Return the dtype of the loop's floating operands, or of its result without any."""
        floating = {o.dtype for o in self.loop.operands if o.node.kind == "f"}
        floating = floating or {o.dtype for o in self.loop.outputs if o.node.kind == "f"}
        whole = {o.dtype for o in self.loop.operands if o.node.kind != "f"}
        if whole - {"int8", "uint8", "bool"}:  # such integers promote 16-bit floats to wider ones
            return None
        return floating.pop() if len(floating) == 1 else None

    def function(self, node: Node, *, small: bool = False) -> str:
        """Return the name by which the text calls the function of a node."""
        suffix = "_small" if (small and has_limit(node)) or is_exact_remainder(node) else ""
        if node.data == "nextafter" and (stored := self._stored()) in SHORT:
            suffix = f"_{stored}"
        return self.namespace.function(node.data + suffix)

    def _limits(self, roots: Sequence[Node]) -> dict[str, str]:
        """Return the largest arguments of fast forms that are called; for `fmod`, of quotients."""
        compute, graph = self.loop.compute, self.loop.graph
        limits: dict[str, str] = {}
        for name in sorted({n.data for n in graph.reachable(roots) if has_limit(n)}):
            bound = vector_math.FMOD_BOUND if name == "fmod" else vector_math.TRIG_BOUND
            limits[name] = self.namespace.constant(graph.const(bound[compute]))
        return limits

    def lanes(self, indent: int, roots: Sequence[Node], *, small: bool) -> Lanes:
        """Return the scalar computation for a group of elements; see `body`."""
        graph, limits = self.loop.graph, self._limits(roots) if small else {}
        name = functools.partial(self.function, small=small)
        return Lanes(
            graph, roots, self.namespace, self.leaves, indent, name, "t", self.fault, limits
        ).of(lanes(self.loop.compute))

    def body(
        self, indent: int, roots: Sequence[Node], *, small: bool = False, fault: str | None = None
    ) -> list[str]:
        """Return the scalar computation; `small` uses fast forms for moderate arguments and sets
        `wide` if an argument is beyond their range. `fault` replaces the writer's own."""
        name = functools.partial(self.function, small=small)
        limits, fault = self._limits(roots) if small else {}, self.fault if fault is None else fault
        body = Body(
            self.loop.graph, roots, self.namespace, self.leaves, indent, name, "t", fault, limits
        )
        texts = body.require(roots)
        self.lines += body.lines
        return texts
