"""Attributes, methods and parts of values, by what the value is."""

from __future__ import annotations

import ast
from enum import Enum
from typing import Any

from nbgraph.kernels.capture import complex_numbers, objects, typed
from nbgraph.kernels.capture.arrays import METHODS
from nbgraph.kernels.capture.calls import NUMBER_METHODS, Calls
from nbgraph.kernels.capture.classes import DICT_CHANGES
from nbgraph.kernels.capture.containers import ARRAY_ATTRIBUTES, MAPPING_METHODS, Method
from nbgraph.kernels.capture.context import Call
from nbgraph.kernels.capture.distributions import method_of
from nbgraph.kernels.capture.joining import mapped
from nbgraph.kernels.capture.lists import CHANGES
from nbgraph.kernels.capture.records import Record
from nbgraph.kernels.capture.values import (
    Array,
    Choice,
    Complex,
    Env,
    Mapping,
    Reference,
    Resizable,
    Static,
    Undefined,
    Value,
    View,
    described,
    mapping,
)
from nbgraph.kernels.scalar import Node


class Members(Calls):
    """Mixed into Expressions."""

    def of_owner(self, node: ast.Attribute, env: Env, path: Node) -> Value:
        """`owner.name`, of any value."""
        owner = referred = self.object(node.value, env, path)
        if isinstance(owner, (tuple, Reference, View)):
            known = env[owner.key] if isinstance(owner, Reference) else None
            owner = known if isinstance(mapping(known), Mapping) else self.held(owner, env)
            if isinstance(owner, Undefined):
                self.read(node.value, owner, env)
        owner = mapping(owner)
        if isinstance(owner, Record):
            return self.of_record(Call(self, node, path, None, [referred]), env)
        if isinstance(owner, Array) and node.attr in ARRAY_ATTRIBUTES:
            return ARRAY_ATTRIBUTES[node.attr](self.graph, owner)
        if isinstance(owner, Mapping) and node.attr in MAPPING_METHODS:
            return Static(Method(referred if node.attr in DICT_CHANGES else owner, node.attr))
        if isinstance(owner, (tuple, Resizable)) and (node.attr in METHODS or node.attr in CHANGES):
            return Static(Method(referred, node.attr))
        if isinstance(owner, (tuple, Resizable)):
            what = f"a tuple of values has no attribute {node.attr!r} here (a list is one, too)"
            self.refuse(node, what, "name each value, or build the tuple at once")
        if isinstance(owner, (Node, Complex)) and node.attr in ("real", "imag"):
            return complex_numbers.part(self.graph, owner, node.attr)
        if isinstance(owner, (Node, Complex)) and node.attr in NUMBER_METHODS:
            return Static(Method(owner, node.attr))
        if isinstance(owner, Node) and node.attr in typed.ATTRIBUTES:
            return typed.ATTRIBUTES[node.attr](self.graph, owner)
        if isinstance(owner, Choice):
            return mapped(self.graph, owner, lambda v, _: self.attribute(node, v.value, node.attr))
        if isinstance(owner, Node) and isinstance(known := self.static(node.value, env), Enum):
            owner = Static(known)
        if not isinstance(owner, Static):
            what = f"an operand is one number and has no attribute {node.attr!r} here"
            remedy = "write the scalar formula; the loop over the array is made for you"
            self.refuse(node, what, remedy)
        return self.attribute(node, owner.value, node.attr)

    def attribute(self, node: ast.expr, owner: Any, name: str) -> Value:
        """An attribute of a Python object."""
        method = method_of(owner, name)
        if method is not None:
            return Static(method)
        try:
            value = self.watch.read_attribute(owner, name)
        except AttributeError as error:
            own = type(owner).__module__.startswith("nbgraph.")
            problem = f"{described(Static(owner))} has no attribute {name!r} here" if own else error
            self.refuse(node, str(problem), "check the spelling")
        return self.constant(value, node)

    def subscript(self, node: ast.Subscript, env: Env, path: Node) -> Value:
        """`owner[...]`, of any value."""
        owner = mapping(self.object(node.value, env, path))
        if isinstance(owner, (Reference, View)):
            return self.part(node, owner, env, path)
        if isinstance(owner, Mapping):
            return self.at_key(node, owner, self.expression(node.slice, env, path))
        if isinstance(owner, Choice):
            return mapped(self.graph, owner, lambda one, _: self._of_text(node, one, env, path))
        return self._of_text(node, owner, env, path)

    def _of_text(self, node: ast.Subscript, owner: Value, env: Env, path: Node) -> Value:
        """Part of a string, or of a tuple."""
        digits = getattr(owner, "value", None)
        if isinstance(digits, objects.Digits):
            part = digits.part(self, node, path)
            if part is None:
                what = "this part of the digits of a number is not understood"
                self.refuse(node, what, "use // and %, e.g. n // 10 % 10")
            return Static(part)
        characters = objects.characters(owner)
        if characters is not owner:
            places = self.places(node, characters, env, path)
            return objects.joined(self.entries(node, characters, places, path))
        if not isinstance(owner, (tuple, Resizable)):
            self.refuse(
                node,
                f"{ast.unparse(node.value)} is one number here and cannot be indexed",
                "write the scalar formula; neighbouring elements are reached by passing shifted "
                "views as further operands",
            )
        return self.entries(node, owner, self.places(node, owner, env, path), path)
