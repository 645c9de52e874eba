"""The Numba emitter: a loop description becomes readable Python source.

The text is what a person would have written by hand: pointers from the argument record, an
inner loop from 0 that LLVM vectorises, the scalar body inside. It is kept on the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nbgraph.kernels import vector_math
from nbgraph.kernels.body import Body, Namespace
from nbgraph.kernels.loops import Combine, Loop, Operand, Output
from nbgraph.kernels.scalar import Node

ITEMSIZE = {
    "bool": 1,
    "float16": 2,
    "bfloat16": 2,
    "float32": 4,
    "float64": 8,
    **{f"{u}int{8 * size}": size for u in ("", "u") for size in (1, 2, 4, 8)},
}
ROWS = 128  # rows a reduction over an outer dimension adds up before its total is set down
_TRIGONOMETRIC = ("sin", "cos", "tan")
_RESERVED = frozenset(
    "args lo hi n m i j b row col rank acc start blocks place wide word load store load_input "
    "store_output shifted select row_offset abs min max range".split()
)
_NUMBERED = ("t", "c", "v", "u", "w", "user", "int", "uint", "float", "bool")


@dataclass(frozen=True, slots=True)
class Source:
    """Emitted text and what its names mean."""

    name: str
    text: str
    namespace: Namespace
    fastmath: bool


def emit(loop: Loop) -> Source:
    """The source of a loop's kernel."""
    writer = {"map": _Map, "reduce": _Reduce, "fold": _Fold, "scan": _Fold, "at": _At}[loop.form]
    return writer(loop).source()


class _Writer:
    """What all forms share: names, the prologue, loads and stores."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.namespace = Namespace(loop.compute)
        self.lines: list[str] = []
        self.leaves: dict[int, str] = {}
        self.taken: set[str] = set(_RESERVED)
        self.names = [self._unique(str(o.node.data)) for o in loop.operands]
        self.outputs = [
            self._unique("y" if len(loop.outputs) == 1 else f"y{i}")
            for i in range(len(loop.outputs))
        ]

    def source(self) -> Source:
        """The finished text."""
        name = self.loop.name if self.loop.name.isidentifier() else "kernel"
        self.prologue()
        self.space()
        self.line(1, "return 0")
        text = [f"def {name}(args, lo, hi):", *self.lines]
        head = self.namespace.header()
        return Source(name, "\n".join([*head, *text]) + "\n", self.namespace, self.loop.fastmath)

    def space(self) -> None:
        """The loops over the iteration space."""
        raise AssertionError

    # pieces -----------------------------------------------------------------------------------

    def line(self, indent: int, text: str) -> None:
        """One line of text."""
        self.lines.append("    " * indent + text)

    def _unique(self, name: str) -> str:
        name = name if name.isidentifier() and not name.startswith("__") else f"a_{len(self.taken)}"
        while name in self.taken or name.rstrip("0123456789") in _NUMBERED:
            name += "_"
        self.taken.add(name)
        return name

    def prologue(self) -> None:
        """Read the record's fixed words and compute what is uniform over the call."""
        loop = self.loop
        self.line(1, "n = word(args, 0)")
        for k, (name, array) in enumerate(self.arrays()):
            if array.layout == "s":
                self.line(1, f"{name}_step = word(args, {loop.steps_at + k})")
        for k, node in enumerate(loop.parameters):
            name = self._unique(str(node.data))
            dtype = loop.compute if node.kind == "f" else "int64"
            test = " != 0" if node.kind in ("b", "bool") else ""
            self.line(1, f"{name} = {dtype}_word(args, {loop.parameters_at + k}){test}")
            self.leaves[node.id] = name
        self._uniform()

    def _uniform(self) -> None:
        """Values that depend on parameters alone are computed once, before the loops."""
        graph, roots = self.loop.graph, [o.node for o in self.loop.outputs]
        varying: set[int] = set()
        needed: dict[int, Node] = {n.id: n for n in roots}  # what the loop itself refers to
        for node in graph.reachable(roots):
            parts = graph.children(node)
            if node.op == "arg" or node.regions or any(p.id in varying for p in parts):
                varying.add(node.id)
                needed.update({p.id: p for p in parts})
        uniform = [
            n for n in needed.values() if n.id not in varying and n.op not in ("const", "param")
        ]
        body = Body(graph, uniform, self.namespace, self.leaves, 1, prefix="u")
        texts = body.require(uniform)
        self.lines += body.lines
        for node, text in zip(uniform, texts, strict=True):
            if not text.isidentifier():
                self.line(1, f"w{node.id} = {text}")
            self.leaves[node.id] = text if text.isidentifier() else f"w{node.id}"

    def arrays(self) -> list[tuple[str, Operand | Output]]:
        """Operands, then outputs, by name."""
        return [
            *zip(self.names, self.loop.operands, strict=True),
            *zip(self.outputs, self.loop.outputs, strict=True),
        ]

    def base(self, k: int, row: str) -> str:
        """Address of array k's first element in an outer row."""
        loop = self.loop
        width = 1 + loop.pointers
        offset = f"row_offset(args, {loop.outer_at}, {width}, {row}, {k})"
        return f"word(args, {2 + k}) + {offset}"

    def pointers(self, indent: int, row: str, start: str, which: Sequence[int]) -> None:
        """Typed pointers to element `start` of a row."""
        for k, (name, array) in enumerate(self.arrays()):
            if k not in which:
                continue
            step = {"c": f" + {start} * {ITEMSIZE[array.dtype]}", "0": ""}.get(
                array.layout, f" + {start} * {name}_step"
            )
            self.line(indent, f"{name}_p = {array.dtype}_pointer({self.base(k, row)}{step})")
            if array.layout == "0" and isinstance(array, Operand):
                self.line(indent, f"{name} = {self.loaded(f'{name}_p', '0', array.dtype)}")
                self.leaves[array.node.id] = name

    def place(self, name: str, array: Operand | Output, index: str) -> tuple[str, str]:
        """Pointer and index of an element of the inner run."""
        if array.layout == "s":
            return f"shifted({name}_p, {index} * {name}_step)", "0"
        return f"{name}_p", index

    def loaded(self, pointer: str, index: str, dtype: str, *, scoped: bool = False) -> str:
        """The text of a load, converted to what the body computes with."""
        load = "load_input" if scoped else "load"
        text = f"{load}({pointer}, {index})"
        if dtype == "bool":
            return f"({text} != 0)"
        return f"{dtype}_to_float32({text})" if dtype in ("float16", "bfloat16") else text

    def converted(self, text: str, node: Node, dtype: str) -> str:
        """A value of a node's kind as what is stored for a dtype."""
        if dtype == "bool":
            return f"uint8({text})"
        kind = self.loop.compute if node.kind == "f" else node.kind
        if dtype in ("float16", "bfloat16"):
            single = text if kind == "float32" else f"float32({text})"
            return f"float32_to_{dtype}({single})"
        return text if kind == dtype else f"{dtype}({text})"

    def load_all(self, indent: int, which: Sequence[int], *, scoped: bool) -> None:
        """Load the operands that vary along the inner run."""
        for k, (name, array) in enumerate(self.arrays()):
            if k in which and isinstance(array, Operand) and array.layout != "0":
                pointer, index = self.place(name, array, "i")
                text = self.loaded(pointer, index, array.dtype, scoped=scoped)
                if array.node.kind == "f" and array.dtype not in ("float16", "bfloat16"):
                    text = (
                        text
                        if array.dtype == self.loop.compute
                        else (f"{self.loop.compute}({text})")
                    )
                elif array.node.kind == "f" and self.loop.compute == "float64":
                    text = f"float64({text})"
                self.line(indent, f"{name} = {text}")
                self.leaves[array.node.id] = name

    def store(self, indent: int, name: str, output: Output, text: str, *, scoped: bool) -> None:
        """Write or accumulate one element."""
        pointer, index = self.place(name, output, "i")
        if output.request == "add":
            old = self.loaded(pointer, index, output.dtype)
            if output.dtype == "bool":
                text = f"({old} | {text})"
            else:
                kind = self.loop.compute if output.node.kind == "f" else output.dtype
                text = f"{kind}({old}) + {kind}({text})"
        value = self.converted(text, output.node, output.dtype)
        if output.request == "add" and output.node.kind != "f" and output.dtype != "bool":
            value = f"{output.dtype}({text})"
        self.line(indent, f"{'store_output' if scoped else 'store'}({pointer}, {index}, {value})")

    def body(self, indent: int, roots: Sequence[Node], *, small: bool = False) -> list[str]:
        """The scalar computation; `small` uses trigonometry for moderate arguments and sets
        `wide` where an argument is beyond its range."""
        loop = self.loop

        def name(node: Node) -> str:
            suffix = "_small" if small and node.data in _TRIGONOMETRIC else ""
            return self.namespace.function(node.data + suffix)

        body = Body(loop.graph, roots, self.namespace, self.leaves, indent, name)
        texts = body.require(roots)
        if small:
            bound = loop.graph.const(vector_math.TRIG_BOUND[loop.compute])
            limit = self.namespace.constant(bound)
            for node in loop.graph.reachable(roots):
                if node.op == "call" and node.data in _TRIGONOMETRIC:
                    body.line(f"wide = wide | (abs({body.text(node.args[0])}) > {limit})")
        self.lines += body.lines
        return texts


class _Map(_Writer):
    """One value an element."""

    def space(self) -> None:
        everything = range(self.loop.pointers)
        self.line(1, "row = lo // n")
        self.line(1, "col = lo - row * n")
        self.line(1, "while lo < hi:")
        self.line(2, "m = min(n - col, hi - lo)")
        self.pointers(2, "row", "col", everything)
        if self._redoes():
            self.line(2, f"wide = {self._shared()}")
            self.line(2, "if not wide:")
            self._run(3, small=True)
            self.line(2, "if wide:")
            self._run(3)
        else:
            self._run(2)
        self.line(2, "lo += m")
        self.line(2, "row += 1")
        self.line(2, "col = 0")

    def _redoes(self) -> bool:
        """Trigonometry runs on moderate arguments first; a run with huge ones is done again."""
        loop = self.loop
        if any(o.request == "add" for o in loop.outputs) or not loop.operands:
            return False
        nodes = loop.graph.reachable([o.node for o in loop.outputs])
        called = [n for n in nodes if n.op == "call" and n.data in _TRIGONOMETRIC]
        return bool(called) and not any(n.regions for n in called)

    def _shared(self) -> str:
        """Whether an operand shares its memory with an output: then nothing is done twice."""
        tests = [
            f"(word(args, {2 + k}) == word(args, {2 + len(self.names) + j}))"
            for k in range(len(self.names))
            for j in range(len(self.outputs))
        ]
        return " | ".join(tests)

    def _run(self, indent: int, *, small: bool = False) -> None:
        loop, scoped = self.loop, self.loop.in_place
        leaves = dict(self.leaves)
        self.line(indent, "for i in range(m):")
        self.load_all(indent + 1, range(len(loop.operands)), scoped=scoped)
        texts = self.body(indent + 1, [o.node for o in loop.outputs], small=small)
        for name, output, text in zip(self.outputs, loop.outputs, texts, strict=True):
            self.store(indent + 1, name, output, text, scoped=scoped)
        self.leaves = leaves


_IDENTITY: dict[Combine, dict[str, str]] = {
    "add": {"f": "-0.0", "i": "0"},
    "multiply": {"f": "1.0", "i": "1"},
    "max": {"f": "-inf"},
    "min": {"f": "inf"},
}


class _Reduce(_Writer):
    """One value a block of the inner run; with layout "c" outputs of a map beside it."""

    def space(self) -> None:
        loop = self.loop
        self.line(1, f"blocks = (n + {loop.block - 1}) // {loop.block}")
        self.line(1, "for b in range(lo, hi):")
        self.line(2, "row = b // blocks")
        self.line(2, "j = b - row * blocks")
        self.line(2, f"start = j * {loop.block}")
        self.line(2, f"m = min(n - start, {loop.block})")
        mapped = [k for k, (_, a) in enumerate(self.arrays()) if not _combined(a)]
        self.pointers(2, "row", "start", mapped)
        totals = [
            (k, name, array)
            for k, (name, array) in enumerate(self.arrays())
            if isinstance(array, Output) and array.combine
        ]
        for _, name, array in totals:
            self.line(2, f"{name}_acc = {self._identity(array)}")
        self.line(2, "for i in range(m):")
        self.load_all(3, range(len(loop.operands)), scoped=False)
        texts = self.body(3, [o.node for o in loop.outputs])
        for name, output, text in zip(self.outputs, loop.outputs, texts, strict=True):
            if output.combine:
                value = self._accumulated(text, output)
                self.line(3, f"{name}_acc = acc_{output.combine}({name}_acc, {value})")
            else:
                self.store(3, name, output, text, scoped=False)
        for k, name, array in totals:
            step = f"word(args, {loop.steps_at + k})"
            address = f"{self.base(k, 'row')} + j * {step}"
            self.line(2, f"{name}_p = {array.dtype}_pointer({address})")
            value = self.converted(f"{name}_acc", array.node, array.dtype)
            value = f"{name}_acc" if self._wide(array) else value
            self.line(2, f"store({name}_p, 0, {value})")

    def _kind(self, output: Output) -> str:
        return self.loop.compute if output.node.kind == "f" else output.dtype

    def _wide(self, output: Output) -> bool:
        """A strided run has one accumulator, not a vector of them: it adds up in float64."""
        strided = any(o.layout == "s" for o in self.loop.operands)
        single = output.node.kind == "f" and self.loop.compute == "float32"
        return strided and single and output.combine in ("add", "multiply")

    def _accumulated(self, text: str, output: Output) -> str:
        if output.node.kind != "f":
            return f"{output.dtype}({text})"
        return f"float64({text})" if self._wide(output) else text

    def _identity(self, output: Output) -> str:
        assert output.combine is not None
        if output.node.kind == "f":
            value = float(_IDENTITY[output.combine]["f"])
            start = self.namespace.constant(self.loop.graph.const(value))
            return f"float64({start})" if self._wide(output) else start
        if output.combine in ("add", "multiply"):
            return f"{output.dtype}({_IDENTITY[output.combine]['i']})"
        return f"{output.combine}_start_{output.dtype}"


def _combined(array: Operand | Output) -> bool:
    return isinstance(array, Output) and array.combine is not None


class _Fold(_Writer):
    """A binary function along the run, in order: the last value (fold) or every value (scan).

    Operands: the value to start with (layout "0"), then the run.
    """

    def space(self) -> None:
        loop = self.loop
        start = loop.operands[0]
        out = loop.outputs[0]
        name = self.outputs[0]
        self.line(1, "for row in range(lo, hi):")
        self.pointers(2, "row", "0", (0, 1, 2))
        self.line(2, f"acc = {self._as_compute(self.leaves[start.node.id], start)}")
        self.line(2, "for i in range(n):")
        self.load_all(3, (1,), scoped=False)
        self.leaves[start.node.id] = "acc"
        (text,) = self.body(3, [out.node])
        self.line(3, f"acc = {self._as_start(text, out.node, start)}")
        if loop.form == "scan":
            self.store(3, name, out, "acc", scoped=False)
        else:
            self.line(2, f"store({name}_p, 0, {self.converted('acc', out.node, out.dtype)})")

    def _as_compute(self, text: str, operand: Operand) -> str:
        return f"{self.loop.compute}({text})" if operand.node.kind == "f" else text

    def _as_start(self, text: str, node: Node, start: Operand) -> str:
        if start.node.kind == "f":
            return text if node.kind == "f" else f"{self.loop.compute}({text})"
        return text if node.kind == start.node.kind else f"{start.dtype}({text})"


class _At(_Writer):
    """`a[index] = f(a[index], b)` in order. Operands: byte offsets, the element, maybe b."""

    def space(self) -> None:
        loop = self.loop
        offsets, element = self.names[:2]
        out = loop.outputs[0]
        y = self.outputs[0]
        self.line(1, f"{offsets}_p = int64_pointer(word(args, 2))")
        for k in range(2, len(self.names)):
            operand = loop.operands[k]
            name = self.names[k]
            self.line(1, f"{name}_p = {operand.dtype}_pointer(word(args, {2 + k}))")
        self.line(1, f"{y}_p = {out.dtype}_pointer(word(args, {2 + len(self.names)}))")
        self.line(1, "for i in range(lo, hi):")
        self.line(2, f"place = shifted({y}_p, load({offsets}_p, i))")
        loaded = self.loaded("place", "0", out.dtype)
        operand = loop.operands[1]
        text = f"{loop.compute}({loaded})" if operand.node.kind == "f" else loaded
        self.line(2, f"{element} = {text}")
        self.leaves[operand.node.id] = element
        self.load_all(2, range(2, len(self.names)), scoped=False)
        (result,) = self.body(2, [out.node])
        self.line(2, f"store(place, 0, {self.converted(result, out.node, out.dtype)})")
