"""The text of one LLVM module: functions, declarations, and metadata."""

import ast
import functools
from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.errors import CompileError
from nbgraph.kernels.llvm import helpers, vocabulary
from nbgraph.kernels.llvm.function import RECORD, Function
from nbgraph.kernels.llvm.lowering import Lowering
from nbgraph.kernels.llvm.shared import NAME, Shared, shared
from nbgraph.kernels.llvm.values import Value
from nbgraph.kernels.llvm.vocabulary import Primitive

_DOMAIN = """
!0 = distinct !{!0, !"nbgraph"}
!1 = !{!4}
!2 = !{!5}
!3 = distinct !{}
!4 = distinct !{!4, !0, !"input"}
!5 = distinct !{!5, !0, !"output"}
!6 = !{}
"""
_FIRST = 7  # number of metadata nodes above


class Unit:
    """The module that lowering writes for; see `lowering.Names`.

    `words` are primitives that extend or override those of `vocabulary`. `shares`: functions that
    many kernels call are left to `shared`.
    """

    def __init__(
        self, words: Mapping[str, Primitive] | None = None, *, shares: bool = False
    ) -> None:
        self.shared: list[Shared] = []  # shared modules that this one calls
        self._words: Mapping[str, Primitive] = words or {}
        self._shares = shares
        self._constants = vocabulary.limits()
        self._declared: dict[str, None] = {}
        self._functions: dict[tuple[str, tuple[str, ...]], Function] = {}
        self._texts: list[str] = []
        self._metadata: list[str] = []

    def text(self) -> str:
        """Return the functions and metadata, without the mathematics."""
        lines = [f"!{_FIRST + k} = {text}" for k, text in enumerate(self._metadata)]
        declared = [*self._declared, *(s.declaration for s in dict.fromkeys(self.shared))]
        return "\n".join([*declared, *self._texts, _DOMAIN.strip(), *lines, ""])

    def known(self, name: str) -> Value:
        """See Names."""
        if name not in self._constants:
            raise CompileError(f"the emitted text has no value for {name}")
        return self._constants[name]

    def call(self, f: Function, name: str, args: Sequence[Value]) -> tuple[Value, ...]:
        """See Names."""
        if name in helpers.NAMES:
            return self._helper(f, name, args)
        return results(self._primitive(name)(f, args))

    def loop(self, f: Function) -> str:
        """See Names: loops around inner runs are not unrolled, which saves compile time."""
        return self._loop_metadata([] if f.separate else ['!{!"llvm.loop.unroll.disable"}'])

    def _primitive(self, name: str) -> Primitive:
        primitive = self._words.get(name) or vocabulary.PRIMITIVES.get(name)
        if primitive is None:
            raise CompileError(f"no LLVM text is known for {name}()")
        return primitive

    def _helper(self, f: Function, name: str, args: Sequence[Value]) -> tuple[Value, ...]:
        """Call a function of the library; those over values are inlined, with known literals."""
        inlined = name not in helpers.SHARED
        if self._shares and not inlined:
            self.shared.append(_shared_helper(name))
            return results(vocabulary.called(self.shared[-1].symbol, "int64")(f, args))
        known = [inlined and a.literal is not None for a in args]
        kinds = (a.text if fixed else a.kind for a, fixed in zip(args, known, strict=True))
        key = f"h_{name}", tuple(kinds)
        if key not in self._functions:
            attribute = "alwaysinline" if inlined else "noinline"
            self._lower(key, helpers.helper(name), args, known, attribute, exact=inlined)
        arguments = [a for a, fixed in zip(args, known, strict=True) if not fixed]
        return call(f, self._functions[key], arguments)

    def _lower(
        self,
        key: tuple[str, tuple[str, ...]],
        definition: ast.FunctionDef,
        args: Sequence[Value],
        known: Sequence[bool],
        attribute: str,
        **flags: Any,
    ) -> None:
        """Lower a definition for the kinds of `args`; `known` ones are not parameters."""
        names: dict[str, Value] = {}
        parameters: list[Value] = []
        fixed = known or [False] * len(args)
        for node, value, constant_ in zip(definition.args.args, args, fixed, strict=True):
            names[node.arg] = value if constant_ else Value(value.kind, f"%{node.arg}")
            if not constant_:
                parameters.append(names[node.arg])
        function = Function(f"{key[0]}_{len(self._functions)}", parameters, **flags)
        self._functions[key] = function
        Lowering(self, function, definition, names)
        self.define(function, "internal ", attribute)

    def define(self, function: Function, linkage: str = "", attribute: str = "") -> None:
        """Append a complete function."""
        self._declared |= function.declared
        self._texts.append(function.text(linkage, attribute))

    def _loop_metadata(self, says: Sequence[str]) -> str:
        """Append the metadata of a loop; return the reference to it."""
        if not says:
            return ""
        at = _FIRST + len(self._metadata)
        listed = ", ".join(f"!{at + k}" for k in range(len(says) + 1))
        self._metadata += [f"distinct !{{{listed}}}", *says]
        return f", !llvm.loop !{at}"


@functools.cache
def _shared_helper(name: str) -> Shared:
    """Return a function of the library over words, as a module that kernels share."""
    definition = helpers.helper(name)
    parameters = [Value("int64", f"%{a.arg}") for a in definition.args.args]
    unit, function = Unit(), Function(NAME, parameters)
    Lowering(unit, function, definition, {p.text[1:]: p for p in parameters})
    unit.define(function)
    return shared(unit.text(), function.declaration)


def results(value: Value | tuple[Value, ...] | None) -> tuple[Value, ...]:
    """Return the result of a primitive as a tuple of values."""
    if value is None:
        return ()
    return (value,) if isinstance(value, Value) else value


def call(
    f: Function, function: Function, args: Sequence[Value], place: str = ""
) -> tuple[Value, ...]:
    """Call a lowered function by name or at `place`; several results come as one record."""
    f.convergent |= function.convergent
    listed = ", ".join(a.typed for a in args)
    text = f"call {function.result} {place or f'@{function.name}'}({listed})"
    if len(function.returns) == 1:
        return (f.value(function.returns[0], text),)
    whole = f.value(RECORD, text).text
    return tuple(
        f.value(kind, f"extractvalue {function.result} {whole}, {i}")
        for i, kind in enumerate(function.returns)
    )
