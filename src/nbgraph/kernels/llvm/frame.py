"""The function that iterates over a kernel's space, without the inner runs that it calls.

It depends on the number and layout of operands, not on the computation: kernels share it and pass
the addresses of their parts.
"""

import ast
from collections.abc import Callable, Collection, Mapping, Sequence

from nbgraph.kernels.llvm import helpers, vocabulary
from nbgraph.kernels.llvm.function import Function
from nbgraph.kernels.llvm.lowering import Lowering
from nbgraph.kernels.llvm.shared import NAME, shared
from nbgraph.kernels.llvm.unit import Unit, call
from nbgraph.kernels.llvm.values import Value

_PER_ELEMENT = frozenset(("load_element", "store_element", "interleaved", "straight"))

Part = Callable[[str, Sequence[Value]], Function]


def is_frame(
    definition: ast.FunctionDef, parts: Mapping[str, ast.FunctionDef], own: Collection[str]
) -> bool:
    """Return whether a kernel's function only calls `parts`, which are not inlined; `own` are the
    names of its constants and mathematics."""
    names = {n.id for n in ast.walk(definition) if isinstance(n, ast.Name)}
    called = names.intersection(parts)
    if not called or not names.isdisjoint({*own, *vocabulary.RUNTIME, *_PER_ELEMENT}):
        return False
    return all(_is_separate(parts[name]) for name in called)


def _is_separate(definition: ast.FunctionDef) -> bool:
    return ast.unparse(definition.body[0]) == "separate()"


class Frame(Unit):
    """The lowering of such a function; `part` returns a part of the kernel for argument kinds."""

    def __init__(self, definition: ast.FunctionDef, part: Part, *, fast: bool) -> None:
        super().__init__(shares=True)
        self._part = part
        self._parts: dict[str, Value] = {}  # addresses of parts, by name of the part
        words = [Value("int64", f"%{a.arg}") for a in definition.args.args]
        function = Function(NAME, words, fast=fast)
        Lowering(self, function, definition, {w.text[1:]: w for w in words})
        function.parameters += tuple(self._parts.values())
        self.define(function)
        self._listed = ", ".join(w.typed for w in words)
        self.definition = shared(self.text(), function.declaration, tuple(self.shared))

    def call(self, f: Function, name: str, args: Sequence[Value]) -> tuple[Value, ...]:
        if name in helpers.NAMES or name in vocabulary.PRIMITIVES:
            return super().call(f, name, args)
        function = self._part(name, args)
        place = self._parts.setdefault(function.name, Value("*", f"%part{len(self._parts)}"))
        return call(f, function, args, place.text)

    def entry(self, symbol: str) -> str:
        """Return the text of the kernel that calls the frame."""
        words = self._listed
        parts = "".join(f", ptr @{name}" for name in self._parts)
        return (
            f"define i64 @{symbol}({words}) nounwind {{\n"
            f"  %status = tail call i64 @{self.definition.symbol}({words}{parts})\n"
            "  ret i64 %status\n}\n"
        )
