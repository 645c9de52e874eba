"""Operators in JSON: those of the library by name, those of users by their text.

A recipe describes how to obtain an operator again. It contains the operator's `content`, a hash of
what it computes: of its text as Python parses it (without comments, layout and docstrings), of the
helpers, numbers and operators that the text refers to, and of its options.

Reading runs none of the text unless the caller allows it. Otherwise the operator must exist:
registered, or passed by the caller, with the same content.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

from nbgraph.errors import ArgumentError, CaptureError
from nbgraph.graph.composite import CompositeOp, FormerOp
from nbgraph.graph.constant import CONSTANT
from nbgraph.graph.values import Json, ValueWriter
from nbgraph.kernels.capture.snapshot import freeze
from nbgraph.kernels.capture.text import normal_text
from nbgraph.operator import registry
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.operator.expected import EXPECTED
from nbgraph.operator.full.gradient import CustomGradient
from nbgraph.operator.full.op import PropertyOp
from nbgraph.operator.mapper.forms import Specialized
from nbgraph.operator.mapper.fused import FusedMapper
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.mapper.pickling import Derived, freeze_mapper

Operator = Mapper | ArrayOp
OWN: Mapping[str, Operator] = {op.__name__: op for op in (CONSTANT, EXPECTED)}  # only in graphs
INTERNAL = f"{registry.LIBRARY}."  # modules whose operators need no public name


class RecipeWriter:
    """A writer of recipes, numbered in order of use; a recipe follows those that it refers to.

    `recipes`: list. `values`: writes the attributes of nodes; its table of arrays is shared.

    `body` writes the graphs of bodies of loops and branches.
    """

    def __init__(
        self, objects: list[Any] | None = None, body: Callable[[Sequence[Any]], Json] | None = None
    ) -> None:
        self._body = body
        self.recipes: list[Json] = []
        self.values = ValueWriter(self.function, self.number, objects)
        self._numbers: dict[Operator, int] = {}

    def number(self, op: Any) -> int:
        """Return the number of the operator's recipe; raise ArgumentError if it cannot have one."""
        number = self._numbers.get(op)
        if number is not None:
            return number
        recipe = self._recipe(op)
        self._numbers[op] = len(self.recipes)
        self.recipes.append(recipe)
        return len(self.recipes) - 1

    def content(self, op: Operator) -> str | None:
        """Return the hash of what the operator computes; None if its recipe is only a name."""
        return self.recipes[self.number(op)].get("content")

    def _recipe(self, op: Operator) -> Json:
        name = op.__name__
        if OWN.get(name) is op:
            return {"kind": "own", "name": name}
        own = name in registry.library() and _registered_as(name) is op
        if own or isinstance(op, FormerOp):
            return {"kind": "library", "name": name}
        if isinstance(op, CompositeOp):
            return {"kind": "composite", "name": name, "outputs": op.nout}
        form = getattr(op, "body_form", None)
        if form is not None and self._body is not None:
            fields, heads = form()
            graph = self._body(heads)
            return {"kind": "body", "module": type(op).__module__, "fields": fields, "graph": graph}
        # parts of public functions have no public name: `fully_connected` with a bias, for one
        inside = (m for m in sorted(sys.modules) if m.startswith(INTERNAL))
        module = next((m for m in inside if internal_operator(m, name, op) is not None), None)
        if module is not None:
            operands = list(getattr(op, "operands", ()))
            return {"kind": "internal", "name": name, "module": module, "operands": operands}
        reverse = op if isinstance(op, CustomGradient) else getattr(op, "reverse", None)
        if reverse is not None:
            wanted, seeded = list(reverse.wanted), list(reverse.seeded)
            of = self.number(reverse.op)
            return {"kind": "gradient", "of": of, "wanted": wanted, "given": seeded}
        if not isinstance(op, Mapper):
            return self._registered(op)
        if isinstance(op, FusedMapper):
            return self._with_content(self._fused(op))
        if isinstance(op.origin, Derived):
            parent, forward, wrt = op.origin.arguments
            own = {"forward": forward, "wrt": None if wrt is None else list(wrt)}
            return self._with_content({"kind": "backward", "of": self.number(parent), **own})
        if isinstance(op.origin, Specialized):
            parent, choices = op.origin
            described = [[c.name, c.role, self.values.value(c.value)] for c in choices]
            own = {"of": self.number(parent), "choices": described}
            return self._with_content({"kind": "specialized", **own})
        if op.origin is not None:
            parent, wrt, order = op.origin
            own = {"wrt": wrt, "order": order}
            return self._with_content({"kind": "derivative", "of": self.number(parent), **own})
        return self._with_content(self._written(op))

    def _registered(self, op: ArrayOp) -> Json:
        owner = op.owner if isinstance(op, PropertyOp) else op
        if _registered_as(op.__name__) is not owner:
            raise ArgumentError(
                f"{op.__name__}: this operator is not registered, or was replaced, so a file "
                "cannot say how to come by it; register it under a name of its own"
            )
        content: Any = getattr(owner, "content", None)
        entry = {
            "kind": "registered",
            "name": op.__name__,
            "module": op.__module__,
            "content": None if content is None else content(),
        }
        if isinstance(op, PropertyOp):  # one of many that the property makes
            entry["parameters"] = op.property.get_params()
        return entry

    def _written(self, op: Mapper) -> Json:
        try:
            frozen = freeze_mapper(op)
        except CaptureError as error:
            raise ArgumentError(
                f"{op.__name__}: a file cannot hold this operator: {error}; define it with a def "
                "in a file or a notebook cell"
            ) from None
        gradient = frozen.gradient
        return {
            "kind": "written",
            "name": op.__name__,
            "module": op.__module__,
            "text": self._described(frozen.function),
            "gradient": None if gradient is None else self._described(gradient),
            "options": frozen.options,
        }

    def _fused(self, op: FusedMapper) -> Json:
        parts = [
            [
                self.number(part.op),
                [list(source) for source in part.operands],
                self.values.value(dict(part.parameters)),
            ]
            for part in op.parts
        ]
        outputs = [list(output) for output in op.outputs]
        return {"kind": "fused", "name": op.__name__, "parts": parts, "outputs": outputs}

    def function(self, fn: FunctionType) -> Json:
        """Return the JSON of a plain function, for attributes that are functions."""
        try:
            return self._described(freeze(fn))
        except CaptureError as error:
            message = f"{fn.__name__}: a file cannot hold this function: {error}"
            raise ArgumentError(message) from None

    def _described(self, frozen: Json) -> Json:
        """Return a result of `freeze` in JSON."""
        if frozen["sort"] == "operator":
            return {"sort": "operator", "operator": self.number(frozen["value"])}
        return translated(frozen, self._described, self.values.value)

    def _with_content(self, recipe: Json) -> Json:
        text = json.dumps(self._canonical(recipe), sort_keys=True)
        return {**recipe, "content": hashlib.sha256(text.encode()).hexdigest()}

    def _canonical(self, value: Json) -> Json:
        """Return the part of a recipe that is content: normalised texts, operators by content."""
        if isinstance(value, list):
            return [self._canonical(v) for v in value]
        if not isinstance(value, dict):
            return value
        kind = value.get("kind") or value.get("sort")
        left = _NAMES.get(str(kind), ())
        canonical = {k: self._canonical(v) for k, v in value.items() if k not in left}
        if "source" in canonical:
            canonical["source"] = normal_text(value["source"], value["name"])
        for key in ("operator", "of"):
            if key in value:
                canonical[key] = self._identity(value[key])
        if kind == "fused":
            canonical["parts"] = [[self._identity(p[0]), *p[1:]] for p in value["parts"]]
        return canonical

    def _identity(self, number: int) -> Json:
        recipe = self.recipes[number]
        return recipe.get("content") or [recipe["kind"], recipe.get("name", "")]


def translated(entry: Json, inner: Callable[[Json], Any], value: Callable[[Any], Any]) -> Any:
    """Return a result of `freeze` with its values converted to JSON or from it."""
    if entry["sort"] == "value":
        return {"sort": "value", "value": value(entry["value"])}
    if entry["sort"] != "function":
        return entry
    names = {name: inner(each) for name, each in entry["names"].items()}
    changed = {key: value(entry[key]) for key in ("defaults", "kwdefaults")}
    return {**entry, "names": names, **changed}


_NAMES = {  # names and origins, which are not content
    "function": ("module", "qualname", "doc", "name"),
    "written": ("module", "name"),
    "fused": ("name",),
}


def internal_operator(module: str, name: str, like: Any) -> Operator | None:
    """Return the operator of a loaded module with this name and these operands, or None.

    `like` is the operator itself, or a tuple of names of operands.
    """
    for op in vars(sys.modules[module]).values():
        if not isinstance(op, (Mapper, ArrayOp)):
            continue
        same = tuple(getattr(op, "operands", ())) == like if isinstance(like, tuple) else op is like
        if same and op.__name__ == name:
            return op
    return None


def _registered_as(name: str) -> Any:
    entry = registry.lookup(name)
    return None if entry is None else getattr(entry.op, "op", entry.op)


def content_of(op: Operator) -> str | None:
    """Return the hash of what an operator computes, as in files; None if it is saved by name only.

    Equal texts have equal contents, whatever their names and modules.

    >>> import nbgraph as ng
    >>> a, b = ng.op(lambda x: 2 * x), ng.op(lambda x: 2 * x)  # the same
    >>> content_of(a) == content_of(b), content_of(a) == content_of(ng.op(lambda x: 3 * x))
    (True, False)
    """
    own: Any = getattr(op, "content", None)  # of simple operators, registered or not
    return RecipeWriter().content(op) if own is None else own()
