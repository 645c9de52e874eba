"""Operators from recipes: by name and content, or if that is allowed, from their text."""

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any
from weakref import WeakValueDictionary

from nbgraph.errors import ArgumentError, FormatError
from nbgraph.graph.composite import FORMER, FormerOp, operator_of
from nbgraph.graph.recipes import INTERNAL, OWN, Operator, content_of, internal_operator, translated
from nbgraph.graph.values import Json, ValueReader
from nbgraph.kernels.capture.snapshot import thaw
from nbgraph.kernels.function.signature import Choice
from nbgraph.operator import registry
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.operator.backward import backward, forward_backward
from nbgraph.operator.full import RegisteredOperator
from nbgraph.operator.full.op import CustomOp
from nbgraph.operator.mapper.forms import specialized
from nbgraph.operator.mapper.fused import Part, fuse
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.mapper.pickling import written
from nbgraph.operator.rows.row_op import RowOp
from nbgraph.ops.rowwise.derived import adjoint

_LIVING: WeakValueDictionary[str, Mapper] = WeakValueDictionary()  # created from text, by content


@dataclass(frozen=True, slots=True)
class Trust:
    """The permissions of a reader.

    `ops`: the caller's operators, by name. `allow_code`: whether to create operators from text,
    which runs it, and to import modules. `allow_changed`: whether an operator of the right name may
    have another content than the one that was written.
    """

    ops: Mapping[str, Operator] = field(default_factory=dict)
    allow_code: bool = False
    allow_changed: bool = False


def ops_by_name(where: str, ops: Any) -> dict[str, Any]:
    """Return operators by name, from a mapping or a sequence; raise ArgumentError for others."""
    if isinstance(ops, Mapping):
        named = list(ops.items())
    elif isinstance(ops, Iterable):
        named = [(getattr(op, "__name__", "?"), op) for op in ops]
    else:
        named = [("?", ops)]
    by_name: dict[str, Any] = {}
    for name, value in named:
        op = getattr(value, "op", value)
        if not isinstance(op, (Mapper, ArrayOp, RegisteredOperator)):
            raise ArgumentError(
                f"{where}: ops has {value!r} for {name!r}, which is not an operator; give what "
                "@ng.op returned, as ops={'name': op}"
            )
        by_name[str(name)] = op
    return by_name


_BODIES = "nbgraph.executor.control."  # modules of operators whose body is a graph


class RecipeReader:
    """A reader of recipes, in their order; `values` reads the attributes of nodes.

    Raises ArgumentError, with the remedy, if an operator is missing or differs from the one that
    was written; FormatError if the recipes are damaged.
    """

    def __init__(
        self,
        recipes: Sequence[Json],
        arrays: Sequence[Json],
        trust: Trust,
        where: str,
        objects: Sequence[Any] = (),
        body: Callable[[Json], Sequence[Any]] | None = None,
    ) -> None:
        self._trust, self._where, self._body = trust, where, body
        self._operators: list[Operator] = []
        self.values = ValueReader(arrays, self._function, self.operator, objects)
        for recipe in recipes:
            make = _MAKERS.get(recipe["kind"])
            if make is None:
                raise FormatError(
                    f"{where}: an operator of kind {recipe['kind']!r} is not known to this "
                    "version; install a newer nbgraph"
                )
            self._operators.append(make(self, recipe))

    def operator(self, number: Any) -> Any:
        """Return the operator with a number; recipes refer to earlier numbers only."""
        if type(number) is not int or not 0 <= number < len(self._operators):
            raise FormatError(f"{self._where}: there is no operator {number!r}; it is damaged")
        return self._operators[number]

    # by name ----------------------------------------------------------------------------------

    def own(self, recipe: Json) -> Operator:
        """Return an operator that exists only in graphs."""
        return OWN[recipe["name"]]

    def library(self, recipe: Json) -> Operator:
        """Return an operator of the library."""
        public = self._public(recipe["name"])
        op = _unwrapped(public)
        if op is None and recipe["name"] in FORMER:
            op = FormerOp(public, 1)
        if op is None:
            raise ArgumentError(
                f"{self._where}: {recipe['name']!r} of the library is not a single operator"
            )
        return op

    def composite(self, recipe: Json) -> Operator:
        """Return a public function of the library whose call needs shapes first."""
        return operator_of(self._public(recipe["name"]), recipe["outputs"])

    def body(self, recipe: Json) -> Operator:
        """Return a loop or a choice, from the graph of its body."""
        module = recipe["module"]
        if not module.startswith(_BODIES) or self._body is None:
            raise FormatError(f"{self._where}: {module!r} has no bodies; it is damaged")
        heads = self._body(recipe["graph"])
        return importlib.import_module(module).restored(recipe["fields"], heads)

    def _public(self, name: str) -> Any:
        if name not in registry.library():
            raise ArgumentError(
                f"{self._where}: the library has no operator {name!r}; {registry.suggestion(name)}"
            )
        return registry.find(name)

    def internal(self, recipe: Json) -> Operator:
        """Return an operator of the library without a public name, by its module."""
        name, module = recipe["name"], recipe["module"]
        if not module.startswith(INTERNAL):
            raise FormatError(f"{self._where}: {module!r} is not of the library; it is damaged")
        try:
            importlib.import_module(module)
        except ImportError:
            op = None
        else:
            op = internal_operator(module, name, tuple(recipe["operands"]))
        if op is None:
            raise ArgumentError(
                f"{self._where}: the library has no operator {name!r} in {module}; it was written "
                "by another nbgraph; read it with that, or write it again"
            )
        return op

    def registered(self, recipe: Json) -> Operator:
        """Return an operator that must be registered or passed, as it has no text."""
        name, module = recipe["name"], recipe["module"]
        op = self._trust.ops.get(name) or _registered(name)
        if op is None and self._trust.allow_code and module != "__main__":
            importlib.import_module(module)
            op = _registered(name)
        if op is None:
            raise ArgumentError(
                f"{self._where}: the operator {name!r} is not registered here; import {module}, "
                f"which registered it, or pass ops={{{name!r}: op}}"
            )
        if not self._trust.allow_changed:
            self._require_same(op, recipe)
        if isinstance(op, RegisteredOperator):
            return op.of(recipe.get("parameters", {}))
        return op

    def written(self, recipe: Json) -> Operator:
        """Return an operator that a user wrote: passed, registered, or from its text."""
        name = recipe["name"]
        op = self._trust.ops.get(name)
        if op is not None:
            if not self._trust.allow_changed:
                self._require_same(op, recipe)
            return op
        known = _registered(name)
        if known is not None and _content(known) == recipe["content"]:
            return known
        if self._trust.allow_code:
            return self._from_text(recipe)
        if known is None:
            raise ArgumentError(
                f"{self._where}: the operator {name!r} of {recipe['module']} is not registered "
                f"here; pass ops={{{name!r}: {name}}}, or, where you trust who wrote this, "
                "allow_code=True to make it of the text in it"
            )
        if not self._trust.allow_changed:
            self._require_same(known, recipe)
        return known

    def _require_same(self, op: Operator, recipe: Json) -> None:
        if recipe["content"] is None or _content(op) == recipe["content"]:
            return
        name, text = recipe["name"], ""
        if "text" in recipe:
            text = " allow_code=True to make it of the text that came along,"
        raise ArgumentError(
            f"{self._where}: the operator {name!r} that is here computes something else than the "
            f"one that was written (content {str(_content(op))[:12]}, expected "
            f"{recipe['content'][:12]}); pass that one as ops={{{name!r}: op}},{text} or "
            "allow_changed=True to use the one that is here"
        )

    # created ----------------------------------------------------------------------------------

    def _from_text(self, recipe: Json) -> Operator:
        living = _LIVING.get(recipe["content"])
        if living is not None and _content(living) == recipe["content"]:
            return living
        gradient = recipe["gradient"]
        hand = None if gradient is None else self._frozen(gradient)
        text = self._frozen(recipe["text"])
        op = written(Mapper, text, recipe["name"], recipe["options"], hand)
        _LIVING[recipe["content"]] = op
        return op

    def specialized(self, recipe: Json) -> Operator:
        """Return another operator with names in other roles."""
        read = self.values.value
        choices = tuple(Choice(name, role, read(value)) for name, role, value in recipe["choices"])
        return specialized(self.operator(recipe["of"]), choices)

    def derivative(self, recipe: Json) -> Operator:
        """Return the derivative of another operator."""
        return self.operator(recipe["of"]).derivative(recipe["wrt"], order=recipe["order"])

    def backward(self, recipe: Json) -> Operator:
        """Return the operator of all in-gradients of another one."""
        parent, wrt = self.operator(recipe["of"]), recipe["wrt"]
        if recipe["forward"]:
            return forward_backward(parent)
        return backward(parent, None if wrt is None else tuple(wrt))

    def gradient(self, recipe: Json) -> Operator:
        """Return the gradient of a simple operator, of a property's, or of a row operator."""
        parent = self.operator(recipe["of"])
        if isinstance(parent, RowOp):
            return adjoint(parent, recipe["wanted"], recipe["given"])
        if not isinstance(parent, CustomOp):
            raise FormatError(f"{self._where}: {parent!r} is not a simple operator; it is damaged")
        seeds = recipe.get("given")
        return parent.backward(
            tuple(map(bool, recipe["wanted"])), None if seeds is None else tuple(map(bool, seeds))
        )

    def fused(self, recipe: Json) -> Operator:
        """Return several operators fused in one loop."""
        parts: list[Part] = []
        for number, operands, parameters in recipe["parts"]:
            sources: Any = tuple(tuple(source) for source in operands)
            values = self.values.value(parameters)
            parts.append(Part(self.operator(number), sources, values))
        outputs = [(i, j) for i, j in recipe["outputs"]]
        return fuse(recipe["name"], parts, outputs)[0]

    # functions --------------------------------------------------------------------------------

    def _function(self, entry: Json) -> FunctionType:
        if not self._trust.allow_code:
            raise ArgumentError(
                f"{self._where}: an attribute is the function {entry['name']!r}; where you trust "
                "who wrote this, pass allow_code=True to make it of its text"
            )
        return thaw(self._frozen(entry))

    def _frozen(self, entry: Json) -> Any:
        """Return a result of `freeze` from its JSON."""
        if entry["sort"] == "operator":
            return {"sort": "operator", "value": self.operator(entry["operator"])}
        return translated(entry, self._frozen, self.values.value)


_MAKERS = {
    name: getattr(RecipeReader, name)
    for name in (
        "own library internal composite body registered written specialized derivative backward "
        "gradient fused"
    ).split()
}


def _registered(name: str) -> Any:
    """Return the operator registered under a name, or None."""
    entry = registry.lookup(name)
    return None if entry is None else _unwrapped(entry.op)


def _unwrapped(public: Any) -> Any:
    op = getattr(public, "op", public)
    return op if isinstance(op, (Mapper, ArrayOp, RegisteredOperator)) else None


def _content(op: Operator) -> str | None:
    """Return an operator's content, or None if it cannot be computed, which never matches."""
    try:
        return content_of(op)
    except ArgumentError:
        return None
