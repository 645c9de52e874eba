"""A whole kernel as LLVM text: its parts, helpers, mathematics, and what loops are told."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nbgraph.errors import CompileError
from nbgraph.kernels.llvm import helpers, vocabulary
from nbgraph.kernels.llvm.function import RECORD, Function
from nbgraph.kernels.llvm.lowering import Lowering
from nbgraph.kernels.llvm.values import Value, constant
from nbgraph.kernels.source import Source

SYMBOL = "nbgraph_kernel"
VECTORS = 4  # that an interleaved loop works on in turn
_DOMAIN = """
!0 = distinct !{!0, !"nbgraph"}
!1 = !{!4}
!2 = !{!5}
!3 = distinct !{}
!4 = distinct !{!4, !0, !"input"}
!5 = distinct !{!5, !0, !"output"}
"""
_FIRST = 6  # metadata nodes of the text above


class Module:
    """Lowers an emitted kernel; `text()` is the LLVM module, without target or layout."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._definitions = {
            node.name: node
            for node in ast.parse(source.text).body
            if isinstance(node, ast.FunctionDef)
        }
        self._constants = vocabulary.limits() | {
            name: constant(kind, value)
            for name, (kind, value) in source.namespace.constants.items()
        }
        self._functions: dict[tuple[str, tuple[str, ...]], Function] = {}
        self._texts: list[str] = []
        self._metadata: list[str] = []
        self.mathematics: set[tuple[str, str]] = set()  # what `vector_math.texts` has to give
        self._kernel()

    def text(self) -> str:
        """The functions and metadata; the mathematics is not in it."""
        lines = [f"!{_FIRST + k} = {text}" for k, text in enumerate(self._metadata)]
        return "\n".join([*self._texts, _DOMAIN.strip(), *lines, ""])

    def _kernel(self) -> None:
        definition = self._definitions[self._source.name]
        arguments = {a.arg: Value("int64", f"%{a.arg}") for a in definition.args.args}
        f = Function(SYMBOL, list(arguments.values()), fast=self._source.fastmath)
        Lowering(self, f, definition, arguments)
        self._texts.append(f.text(""))

    # what lowering asks -----------------------------------------------------------------------

    def known(self, name: str) -> Value:
        """See Names."""
        if name not in self._constants:
            raise CompileError(f"{self._source.name}: the emitted text has no value for {name}")
        return self._constants[name]

    def call(self, f: Function, name: str, args: Sequence[Value]) -> tuple[Value, ...]:
        """See Names."""
        if name in self._definitions:
            return self._part(f, name, args)
        if name in helpers.NAMES:
            return self._helper(f, name, args)
        result = self._primitive(name)(f, args)
        return () if result is None else (result,)

    def _primitive(self, name: str) -> vocabulary.Primitive:
        if name in self._source.namespace.functions:
            function = self._source.namespace.functions[name]
            compute = self._source.namespace.compute
            self.mathematics.add((function, compute))
            return vocabulary.mathematics(function, compute)
        if name in vocabulary.RUNTIME:
            self.mathematics.add((name, ""))
            return vocabulary.runtime(name)
        found = vocabulary.PRIMITIVES.get(name)
        if found is None:
            raise CompileError(f"{self._source.name}: no LLVM text is known for {name}()")
        return found

    def _part(self, f: Function, name: str, args: Sequence[Value]) -> tuple[Value, ...]:
        """A function of the text: it stays one of its own, lowered at its first call."""
        definition = self._definitions[name]
        made = self._made(f"part_{name}", definition, args, "", fast=self._source.fastmath)
        return _call(f, made, args)

    def _helper(self, f: Function, name: str, args: Sequence[Value]) -> tuple[Value, ...]:
        """A function of the library, inlined; literals are known inside it."""
        made = self._made(f"h_{name}", helpers.helper(name), args, "alwaysinline", fast=False)
        return _call(f, made, [a for a in args if a.literal is None])

    def _made(
        self,
        symbol: str,
        definition: ast.FunctionDef,
        args: Sequence[Value],
        attribute: str,
        *,
        fast: bool,
    ) -> Function:
        inlined = attribute == "alwaysinline"
        key = symbol, tuple(a.text if inlined and a.literal is not None else a.kind for a in args)
        if key in self._functions:
            return self._functions[key]
        given: dict[str, Value] = {}
        parameters: list[Value] = []
        for node, value in zip(definition.args.args, args, strict=True):
            if inlined and value.literal is not None:
                given[node.arg] = value
            else:
                given[node.arg] = Value(value.kind, f"%{node.arg}")
                parameters.append(given[node.arg])
        made = Function(f"{symbol}_{len(self._functions)}", parameters, fast=fast)
        self._functions[key] = made
        Lowering(self, made, definition, given)
        self._texts.append(made.text("internal ", attribute))
        return made

    def loop(self, f: Function) -> str:
        """See Names: elements that are independent, vectors worked on in turn."""
        says: list[str] = []
        if f.grouped:
            says.append(f'!{{!"llvm.loop.parallel_accesses", {vocabulary.ELEMENT}}}')
        if f.interleaved:
            says.append(f'!{{!"llvm.loop.interleave.count", i32 {VECTORS}}}')
        if not says:
            return ""
        at = _FIRST + len(self._metadata)
        listed = ", ".join(f"!{at + k}" for k in range(len(says) + 1))
        self._metadata += [f"distinct !{{{listed}}}", *says]
        return f", !llvm.loop !{at}"


def _call(f: Function, made: Function, args: Sequence[Value]) -> tuple[Value, ...]:
    """Call a lowered function; several results come as one record."""
    listed = ", ".join(a.typed for a in args)
    text = f"call {made.result} @{made.name}({listed})"
    if len(made.returns) == 1:
        return (f.value(made.returns[0], text),)
    whole = f.value(RECORD, text).text
    return tuple(
        f.value(kind, f"extractvalue {made.result} {whole}, {i}")
        for i, kind in enumerate(made.returns)
    )
