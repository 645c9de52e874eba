"""A whole kernel as LLVM text: parts, helpers, mathematics and loop metadata."""

import ast
from collections.abc import Callable, Mapping, Sequence

from nbgraph import parsing
from nbgraph.errors import CompileError
from nbgraph.kernels.llvm import vocabulary, wide
from nbgraph.kernels.llvm.frame import Frame, is_frame
from nbgraph.kernels.llvm.function import Function
from nbgraph.kernels.llvm.lowering import Lowering
from nbgraph.kernels.llvm.unit import Unit, call, results
from nbgraph.kernels.llvm.values import Value, constant
from nbgraph.kernels.llvm.vocabulary import Primitive
from nbgraph.kernels.llvm.wide import Called
from nbgraph.kernels.loops import loop as loops
from nbgraph.kernels.loops.lanewise import lanes, register
from nbgraph.kernels.loops.source import Source
from nbgraph.kernels.scalar.tables import llvm_global
from nbgraph.kernels.vector_math import precision
from nbgraph.kernels.vector_math.names import BRANCHING

SYMBOL = "nbgraph_kernel"
VECTORS = 4  # that an interleaved loop processes in turn
_FEW_VECTORS = 2  # the same with inlined mathematics, which fills registers and code


class Module(Unit):
    """The lowering of an emitted kernel; `text()` is the LLVM module, without target or layout.

    `words` and `shares`: see Unit. `entry` makes the text of a function that calls the kernel,
    which is then internal and gets its record's address.
    """

    def __init__(
        self,
        source: Source,
        words: Mapping[str, Primitive] | None = None,
        entry: Callable[[str], str] | None = None,
        *,
        shares: bool = False,
    ) -> None:
        super().__init__(words, shares=shares)
        self._source = source
        self._entry = entry
        self._definitions = {
            node.name: node
            for node in parsing.parse(source.text).body
            if isinstance(node, ast.FunctionDef)
        }
        self._constants |= {
            name: constant(kind, value)
            for name, (kind, value) in source.namespace.constants.items()
        }
        self._tables = self._entries(source)
        self.mathematics: set[tuple[str, str]] = set()  # supplied by `vector_math.texts`
        self._called: dict[Called, None] = {}  # those that are called instead of inlined
        self._kernel()

    def text(self) -> str:
        kept = [wide.kept(self._called)] if self._called else []
        return "\n".join([super().text(), *kept])

    def _kernel(self) -> None:
        definition = self._definitions[self._source.name]
        try:
            if self._shares and is_frame(definition, self._definitions, self._own()):
                frame = Frame(definition, self._part, fast=self._source.fastmath)
                self.shared.append(frame.definition)
                self._texts.append(frame.entry(SYMBOL))
            else:
                self._whole(definition)
        except CompileError as error:
            raise CompileError(
                f"{self._source.name}: {error}; set NBGRAPH_COMPILER=numba, and please report this",
                details=self._source.text,
            ) from None

    def _own(self) -> set[str]:
        """Return the names that the kernel defines."""
        space = self._source.namespace
        return {*space.constants, *space.functions, *space.tables}

    def _whole(self, definition: ast.FunctionDef) -> None:
        """Lower the kernel as a function of this module."""
        arguments = {a.arg: Value("int64", f"%{a.arg}") for a in definition.args.args}
        if self._entry is not None:
            arguments["args"] = Value("*int64", "%args")
        name = SYMBOL if self._entry is None else "body"
        f = Function(name, list(arguments.values()), fast=self._source.fastmath)
        Lowering(self, f, definition, arguments)
        if self._entry is None:
            self.define(f)
        else:
            self.define(f, "internal ", "alwaysinline")
            self._texts.append(self._entry(name))

    def _entries(self, source: Source) -> dict[str, Value]:
        """Return constant tables as globals; pointers to a device's are cast to generic ones."""
        compute, entries = source.namespace.compute, dict[str, Value]()
        space = "addrspace(1) " if self._entry is not None else ""
        for name, table in source.namespace.tables.items():
            text = symbol = f"@{name}"
            if space:
                text = f"addrspacecast (ptr {space}{symbol} to ptr)"
            self._declared[llvm_global(table, compute, symbol, space)] = None
            entries[name] = Value(f"*{table.dtype(compute)}", text)
        return entries

    # what lowering asks -----------------------------------------------------------------------

    def call(self, f: Function, name: str, args: Sequence[Value]) -> tuple[Value, ...]:
        if name in self._definitions:
            return call(f, self._part(name, args), args)
        if name in self._source.namespace.functions and name not in self._words:
            return results(self._mathematics(f, name)(f, args))
        return super().call(f, name, args)

    def _mathematics(self, f: Function, name: str) -> Primitive:
        """Return a function of vector_math, inlined or called."""
        function = self._source.namespace.functions[name]
        compute = precision(function, self._source.namespace.compute)
        f.scalar |= function in BRANCHING
        count = 0 if f.scalar else self._at_once(f)
        if not count or not wide.is_called(function):
            self.mathematics.add((function, compute))
            f.inlines |= wide.is_called(function)
            return vocabulary.mathematics(function, compute)
        function_of = wide.called(function, compute, count)
        self._called[function_of] = None
        self.shared.append(function_of.module)
        return vocabulary.called(function_of.symbol, compute, function_of.says)

    def _at_once(self, f: Function) -> int:
        """Return the number of elements per call of mathematics; 0 if it is inlined."""
        compute = self._source.namespace.compute
        if f.seldom:
            return register(compute)
        return f.wide

    def _primitive(self, name: str) -> Primitive:
        if name in self._words:
            return self._words[name]
        if name in self._tables:
            return vocabulary.table(self._tables[name])
        if name in vocabulary.RUNTIME:
            self.mathematics.add((name, ""))
            return vocabulary.runtime(name)
        return super()._primitive(name)

    def _part(self, name: str, args: Sequence[Value]) -> Function:
        """Return a function of the text, not inlined, lowered at its first call."""
        key = f"part_{name}", tuple(a.kind for a in args)
        if key not in self._functions:
            definition, fast = self._definitions[name], self._source.fastmath
            space = self._source.namespace
            calls = not self._words and wide.worth(definition, space.functions, space.constants)
            # totals by one vector: the rest of a row is computed element by element
            summed = any("acc_" in str(getattr(n, "id", "")) for n in ast.walk(definition))
            count = (register if summed else lanes)(space.compute) if calls else 0
            self._lower(key, definition, args, [], "", fast=fast, wide=count)
        return self._functions[key]

    def loop(self, f: Function) -> str:
        """See Names: independent elements, and vectors to interleave. Loops around inner runs are
        not unrolled, which would take most of the compile time."""
        straight, scalar = f.straight, f.scalar
        f.straight = f.scalar = False
        if straight:
            return self._loop_metadata(self._lane_metadata()[: 1 if scalar else None])
        says: list[str] = [] if f.separate else ['!{!"llvm.loop.unroll.disable"}']
        if f.grouped:
            says.append(f'!{{!"llvm.loop.parallel_accesses", {vocabulary.ELEMENT}}}')
        if (count := self._at_once(f)) and not scalar:  # otherwise LLVM warns about the width
            says.append(f'!{{!"llvm.loop.vectorize.width", i32 {count}}}')
            says.append('!{!"llvm.loop.interleave.count", i32 1}')
        elif f.interleaved:
            count = _FEW_VECTORS if f.inlines else VECTORS
            says.append(f'!{{!"llvm.loop.interleave.count", i32 {count}}}')
        return self._loop_metadata(says)

    def _lane_metadata(self) -> Sequence[str]:
        """Return the metadata of a loop over the lanes of a group: unrolling before vectorisation
        would leave it scalar; afterwards no loop remains."""
        elements = register(self._source.namespace.compute)
        return (
            '!{!"llvm.loop.unroll.disable"}',
            f'!{{!"llvm.loop.vectorize.width", i32 {elements}}}',
            f'!{{!"llvm.loop.interleave.count", i32 {loops.VECTORS}}}',
        )
