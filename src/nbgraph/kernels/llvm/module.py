"""A whole kernel as LLVM text: its parts, helpers, mathematics, and what loops are told."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from nbgraph import parsing
from nbgraph.errors import CompileError
from nbgraph.kernels import loops
from nbgraph.kernels.lanewise import lanes
from nbgraph.kernels.llvm import helpers, vocabulary, wide
from nbgraph.kernels.llvm.function import RECORD, Function
from nbgraph.kernels.llvm.lowering import Lowering
from nbgraph.kernels.llvm.values import Value, constant
from nbgraph.kernels.llvm.vocabulary import Primitive
from nbgraph.kernels.source import Source
from nbgraph.kernels.tables import llvm_global
from nbgraph.kernels.vector_math import WIDE, precision

SYMBOL = "nbgraph_kernel"
VECTORS = 4  # that an interleaved loop works on in turn
_DOMAIN = """
!0 = distinct !{!0, !"nbgraph"}
!1 = !{!4}
!2 = !{!5}
!3 = distinct !{}
!4 = distinct !{!4, !0, !"input"}
!5 = distinct !{!5, !0, !"output"}
!6 = !{}
"""
_FIRST = 7  # metadata nodes of the text above


class Module:
    """Lowers an emitted kernel; `text()` is the LLVM module, without target or layout.

    `words` are primitives besides those of `vocabulary`, or instead of them; `entry` makes the text
    of a function that calls the kernel, which is internal then and is given its record's address.
    """

    def __init__(
        self,
        source: Source,
        words: Mapping[str, Primitive] | None = None,
        entry: Callable[[str], str] | None = None,
    ) -> None:
        self._source = source
        self._words: Mapping[str, Primitive] = words or {}
        self._entry = entry
        self._declared: dict[str, None] = {}
        self._definitions = {
            node.name: node
            for node in parsing.parse(source.text).body
            if isinstance(node, ast.FunctionDef)
        }
        self._constants = vocabulary.limits() | {
            name: constant(kind, value)
            for name, (kind, value) in source.namespace.constants.items()
        }
        self._tables = self._entries(source)
        self._functions: dict[tuple[str, tuple[str, ...]], Function] = {}
        self._texts: list[str] = []
        self._metadata: list[str] = []
        self.mathematics: set[tuple[str, str]] = set()  # what `vector_math.texts` has to give
        self._called: dict[str, int] = {}  # functions that are called, not inlined: their number
        self._kernel()

    def text(self) -> str:
        """The functions and metadata; the mathematics is not in it."""
        lines = [f"!{_FIRST + k} = {text}" for k, text in enumerate(self._metadata)]
        compute = self._source.namespace.compute
        called = [wide.definitions(self._called, compute, 0)] if self._called else []
        return "\n".join([*self._declared, *self._texts, *called, _DOMAIN.strip(), *lines, ""])

    def _kernel(self) -> None:
        definition = self._definitions[self._source.name]
        arguments = {a.arg: Value("int64", f"%{a.arg}") for a in definition.args.args}
        if self._entry is not None:
            arguments["args"] = Value("*int64", "%args")
        name = SYMBOL if self._entry is None else "body"
        f = Function(name, list(arguments.values()), fast=self._source.fastmath)
        try:
            Lowering(self, f, definition, arguments)
        except CompileError as error:
            raise CompileError(
                f"{self._source.name}: {error}; set NBGRAPH_COMPILER=numba, and please report this",
                details=self._source.text,
            ) from None
        self._declared |= f.declared
        if self._entry is None:
            self._texts.append(f.text(""))
        else:
            self._texts += [f.text("internal ", "alwaysinline"), self._entry(name)]

    def _entries(self, source: Source) -> dict[str, Value]:
        """Constant tables as globals; pointers to those of a device are made generic."""
        compute, found = source.namespace.compute, dict[str, Value]()
        space = "addrspace(1) " if self._entry is not None else ""
        for name, table in source.namespace.tables.items():
            text = symbol = f"@{name}"
            if space:
                text = f"addrspacecast (ptr {space}{symbol} to ptr)"
            self._declared[llvm_global(table, compute, symbol, space)] = None
            found[name] = Value(f"*{table.dtype(compute)}", text)
        return found

    # what lowering asks -----------------------------------------------------------------------

    def known(self, name: str) -> Value:
        """See Names."""
        if name not in self._constants:
            raise CompileError(f"the emitted text has no value for {name}")
        return self._constants[name]

    def call(self, f: Function, name: str, args: Sequence[Value]) -> tuple[Value, ...]:
        """See Names."""
        if name in self._definitions:
            return self._part(f, name, args)
        if name in helpers.NAMES:
            return self._helper(f, name, args)
        result = self._primitive(f, name)(f, args)
        if result is None:
            return ()
        return (result,) if isinstance(result, Value) else result

    def _primitive(self, f: Function, name: str) -> Primitive:
        if name in self._words:
            return self._words[name]
        if name in self._source.namespace.functions:
            function = self._source.namespace.functions[name]
            compute = precision(function, self._source.namespace.compute)
            self.mathematics.add((function, compute))
            if not f.wide or function in WIDE:
                return vocabulary.mathematics(function, compute)
            number = self._called.setdefault(function, len(self._called))
            return vocabulary.called(wide.symbol(function, compute), compute, f" #{number}")
        if name in self._tables:
            return vocabulary.table(self._tables[name])
        if name in vocabulary.RUNTIME:
            self.mathematics.add((name, ""))
            return vocabulary.runtime(name)
        found = vocabulary.PRIMITIVES.get(name)
        if found is None:
            raise CompileError(f"no LLVM text is known for {name}()")
        return found

    def _part(self, f: Function, name: str, args: Sequence[Value]) -> tuple[Value, ...]:
        """A function of the text: it stays one of its own, lowered at its first call."""
        key = f"part_{name}", tuple(a.kind for a in args)
        if key not in self._functions:
            definition, fast = self._definitions[name], self._source.fastmath
            often = not self._words and wide.worth(definition, self._source.namespace.functions)
            self._lower(key, definition, args, [], "", fast=fast, wide=often)
        return _call(f, self._functions[key], args)

    def _helper(self, f: Function, name: str, args: Sequence[Value]) -> tuple[Value, ...]:
        """A function of the library; those over values are inlined, with literals known inside."""
        inlined = name not in helpers.SHARED
        known = [inlined and a.literal is not None for a in args]
        kinds = (a.text if fixed else a.kind for a, fixed in zip(args, known, strict=True))
        key = f"h_{name}", tuple(kinds)
        if key not in self._functions:
            attribute = "alwaysinline" if inlined else "noinline"
            self._lower(key, helpers.helper(name), args, known, attribute, exact=inlined)
        given = [a for a, fixed in zip(args, known, strict=True) if not fixed]
        return _call(f, self._functions[key], given)

    def _lower(
        self,
        key: tuple[str, tuple[str, ...]],
        definition: ast.FunctionDef,
        args: Sequence[Value],
        known: Sequence[bool],
        attribute: str,
        **flags: bool,
    ) -> None:
        """A definition for the kinds of `args`; those that are `known` are no parameters."""
        given: dict[str, Value] = {}
        parameters: list[Value] = []
        fixed = known or [False] * len(args)
        for node, value, constant_ in zip(definition.args.args, args, fixed, strict=True):
            given[node.arg] = value if constant_ else Value(value.kind, f"%{node.arg}")
            if not constant_:
                parameters.append(given[node.arg])
        made = Function(f"{key[0]}_{len(self._functions)}", parameters, **flags)
        self._functions[key] = made
        Lowering(self, made, definition, given)
        self._declared |= made.declared
        self._texts.append(made.text("internal ", attribute))

    def loop(self, f: Function) -> str:
        """See Names: elements that are independent, vectors worked on in turn. Loops around
        inner runs stay as they are: unrolling those would take most of the time of a compile."""
        if f.straight:
            f.straight = False
            return self._says(self._straight())
        says: list[str] = [] if f.separate else ['!{!"llvm.loop.unroll.disable"}']
        if f.grouped:
            says.append(f'!{{!"llvm.loop.parallel_accesses", {vocabulary.ELEMENT}}}')
        if f.wide:
            count = wide.lanes(self._source.namespace.compute)
            says.append(f'!{{!"llvm.loop.vectorize.width", i32 {count}}}')
        elif f.interleaved:
            says.append(f'!{{!"llvm.loop.interleave.count", i32 {VECTORS}}}')
        return self._says(says)

    def _straight(self) -> Sequence[str]:
        """Of a loop over the lanes of a group: written out before it is made of vectors, it would
        stay scalar; then it is no loop any more."""
        register = lanes(self._source.namespace.compute) // loops.VECTORS
        return (
            '!{!"llvm.loop.unroll.disable"}',
            f'!{{!"llvm.loop.vectorize.width", i32 {register}}}',
            f'!{{!"llvm.loop.interleave.count", i32 {loops.VECTORS}}}',
        )

    def _says(self, says: Sequence[str]) -> str:
        """Metadata of a loop."""
        if not says:
            return ""
        at = _FIRST + len(self._metadata)
        listed = ", ".join(f"!{at + k}" for k in range(len(says) + 1))
        self._metadata += [f"distinct !{{{listed}}}", *says]
        return f", !llvm.loop !{at}"


def _call(f: Function, made: Function, args: Sequence[Value]) -> tuple[Value, ...]:
    """Call a lowered function; several results come as one record."""
    f.convergent |= made.convergent
    listed = ", ".join(a.typed for a in args)
    text = f"call {made.result} @{made.name}({listed})"
    if len(made.returns) == 1:
        return (f.value(made.returns[0], text),)
    whole = f.value(RECORD, text).text
    return tuple(
        f.value(kind, f"extractvalue {made.result} {whole}, {i}")
        for i, kind in enumerate(made.returns)
    )
