"""Objects whose attributes are known: of named tuples, dataclasses and namespaces, of classes with
an `__init__` of their own, and dicts, whose attributes are their keys."""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
from collections import OrderedDict
from types import FunctionType, MemberDescriptorType, SimpleNamespace
from typing import Any

from nbgraph.kernels.capture import comparing, composed, objects
from nbgraph.kernels.capture.closures import Bound
from nbgraph.kernels.capture.context import Call
from nbgraph.kernels.capture.environment import placed
from nbgraph.kernels.capture.joining import join_value
from nbgraph.kernels.capture.lists import Lists
from nbgraph.kernels.capture.records import Record, record_of
from nbgraph.kernels.capture.values import (
    REFERS,
    Choice,
    Env,
    List,
    Mapping,
    Static,
    Value,
    View,
    mapping,
)
from nbgraph.kernels.scalar import Node

# methods by which objects are more than their attributes
_MEANINGS = (
    "__bool__ __len__ __iter__ __getitem__ __contains__ __getattr__ __getattribute__ "
    "__setattr__ __setitem__ __iadd__ __isub__ __imul__ __itruediv__"
).split()
_FACTORIES: dict[object, Any] = {list: List, dict: lambda _: record_of(dict, {})}
MISSING = object()  # stands for an argument that was left out


class Classes(Lists):
    """Mixed into Expressions."""

    def instance(self, call: Call, env: Env) -> Value | None:
        """An object of a class; None for what is none, or more than its attributes."""
        cls, values = call.target, dict(call.kwargs)
        if cls is SimpleNamespace and not call.args:
            return record_of(cls, values)
        init, options = (), {}
        if keeps_arguments(cls):
            signature = inspect.signature(cls)
            values = self.arguments(call, cls.__name__, signature)
            fields = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
            preset = {f.name: f for f in fields if f.default is not f.default_factory}
            for name in (n for n in {**values, **preset} if values.get(n, MISSING) is MISSING):
                values[name] = self._default(call, preset.get(name), signature.parameters.get(name))
            method = inspect.getattr_static(cls, "__post_init__", None)
        elif has_own_init(cls):
            values, init, options = {}, call.args, call.kwargs
            method = inspect.getattr_static(cls, "__init__")
        else:
            return None
        content = record_of(cls, values)
        if not isinstance(method, FunctionType):
            return None if init or options else content
        owner = placed(content, env)
        self.apply(call.of(method, owner, *init, **options))
        return owner

    def _default(self, call: Call, field: Any, parameter: Any) -> Value:
        """What a field or a parameter is where it is left out."""
        factory = getattr(field, "default_factory", dataclasses.MISSING)
        if factory is not dataclasses.MISSING:
            make = _FACTORIES.get(factory)
            return make(()) if make else self.apply(call.of(factory))
        return self.constant((parameter or field).default, call.node)

    # attributes -------------------------------------------------------------------------------

    def of_record(self, call: Call, env: Env) -> Value:
        """An attribute, a property or a method of an object whose attributes are known."""
        (referred,), name = call.args, call.node.attr
        owner = self.read(call.node, referred, env)
        if name in owner.fields:
            return owner[owner.fields.index(name)]
        if name in ("_replace", "__replace__"):
            return Static(Bound(dataclasses.replace, (referred,), {}))
        member = inspect.getattr_static(owner.cls, name, None)
        if isinstance(member, property):
            self.frame = env
            return self.called(call.of(member.fget, *call.args), env)
        if isinstance(member, FunctionType):
            return Static(Bound(member, tuple(call.args), {}))
        return self.attribute(call.node, owner.cls, name)

    def of_super(self, node: ast.Attribute, call: ast.Call, env: Env, path: Node) -> Value:
        """`super().name` of an object, or of an instance from outside the function."""
        own = env[self.fn.__code__.co_varnames[0]]
        cls = self.static(call.args[0], env) if call.args else self.scope.lookup("__class__")
        if isinstance(own, Static):
            return self.attribute(node, super(cls, own.value), node.attr)
        content = self.read(node, own, env)
        try:
            member = getattr(super(cls, content.cls), node.attr)
        except (AttributeError, TypeError) as error:
            self.refuse(node, str(error), "check the spelling")
        if isinstance(member, property):
            self.frame = env
            return self.called(Call(self, node, path, member.fget, [own]), env)
        if member is object.__init__:
            return Static(composed.nothing)
        return Static(Bound(member, (own,), {}) if isinstance(member, FunctionType) else member)

    def special(self, call: Call, name: str, *args: Value) -> Value | None:
        """What a method that a class writes for an operator gives; None where it has none."""
        owner = self.held(args[0], self.frame) if isinstance(args[0], REFERS) else args[0]
        method = isinstance(owner, Record) and inspect.getattr_static(owner.cls, name, None)
        if not isinstance(method, FunctionType) or not is_written(owner.cls, name):
            return None
        operands = [placed(value, self.frame, alone=True) for value in args]
        value = self.apply(call.of(method, *operands))
        return None if isinstance(value, Static) and value.value is NotImplemented else value

    def store_attribute(self, target: ast.Attribute, value: Value, env: Env, path: Node) -> bool:
        """`owner.attr = value`, in place of the environment; whether there can be such."""
        owner = self.object(target.value, env, path)
        content = self.held(owner, env)
        if not isinstance(content, Record) or not content.shared or content.cls is dict:
            return False
        member = inspect.getattr_static(content.cls, target.attr, None)
        if isinstance(member, property) and member.fset is not None:
            self.frame = env
            self.apply(Call(self, target, path, member.fset, [owner, value]))
            return True
        free = isinstance(member, MemberDescriptorType)  # one of `__slots__`
        if content.cls.__dictoffset__:
            free = not hasattr(type(member), "__set__")
        declared = getattr(content.cls, "__dataclass_fields__", ())
        if free := free or target.attr in (*declared, *content.fields):
            self._put(target, owner, target.attr, value, env, path)
        return free

    def _put(
        self, node: ast.AST, owner: Value, name: Any, value: Value, env: Env, path: Node
    ) -> None:
        content = self.held(owner, env)
        if isinstance(owner, View) and name in content.fields:
            place = self.graph.const(content.fields.index(name))
            return self.put(Call(self, node, path), owner, ((place,),), value, env)
        key = self.changeable(node, owner, env).key
        content, value = env[key], self.taken(value, env)
        fields = {**dict(zip(content.fields, content, strict=True)), name: value}
        env[key] = record_of(content.cls, fields)

    # dicts ------------------------------------------------------------------------------------

    def store_key(
        self, node: ast.Subscript, owner: Value, value: Value, env: Env, path: Node
    ) -> None:
        """`owner[key] = value`, in place of the environment."""
        key = self.expression(node.slice, env, path)
        value = placed(value, env)
        constant = objects.known(key)
        if constant is not None:
            self._put(node, owner, constant[0], value, env, path)
            return
        graph, missing = self.graph, self.graph.const(True)
        content = env[self.changeable(node, owner, env).key]
        for name, old in zip(content.fields, content, strict=True):
            if not isinstance(key, Choice) and not isinstance(name, (int, float)):
                continue
            here = comparing.compare(self, node, ast.Eq(), key, self.constant(name, node))
            missing = graph.logical_and(missing, graph.logical_not(here))
            remedy = "assign a value like the one before"
            new = self.joined(node, join_value(graph, here, value, old), remedy)
            self._put(node, owner, name, new, env, path)
        if missing.op == "const" and missing.data:
            self.refuse(node, "a key of the dict depends on values", "use a list, or constant keys")
        words = "a key that depends on values is none of those that the dict has"
        self.raises_lookup(node, KeyError, words, missing)

    def change_keys(self, call: Call, name: str, owner: Value, env: Env) -> Value:
        """`update` and `setdefault` of a dict."""
        owner = self.changeable(call.node, owner, env)
        args = [self.read(call.node, value, env) for value in call.args]
        if name == "update" and all(isinstance(value, Mapping) for value in args):
            for value in [*(a.entries for a in args), call.kwargs]:
                for key, item in value.items():
                    self._put(call.node, owner, key, placed(item, env), env, call.path)
            return Static(None)
        key = objects.known(args[0]) if args and name == "setdefault" else None
        if key is None:
            call.refuse(f"{name}() of a dict with these arguments", "write the assignments")
        entries = mapping(env[owner.key]).entries
        if key[0] not in entries:
            self._put(call.node, owner, key[0], [*call.args, Static(None)][1], env, call.path)
        return mapping(env[owner.key]).entries[key[0]]


COPIES = (copy.copy, copy.deepcopy)
DICT_CHANGES = frozenset(("update", "setdefault"))


def new_dict(call: Call) -> Value | None:
    """`dict(...)` and `dict.fromkeys(...)`; None for other functions."""
    if call.target not in (dict, OrderedDict) and call.target != dict.fromkeys:
        return None
    tracer, frame = call.tracer, call.tracer.frame
    first = tracer.each(call.node, [*call.args, None][0], frame)
    if call.target == dict.fromkeys and len(call.args) in (1, 2):
        value = [*call.args, Static(None)][1]
        pairs: Any = [(key, value) for key in tracer.listed(call.node, first)]
    elif call.target == dict.fromkeys or len(call.args) > 1:
        return None
    elif isinstance(first, Mapping):
        return record_of(dict, {**first.entries, **call.kwargs})
    else:
        pairs = () if first is None else tracer.listed(call.node, first)
        pairs = [tracer.each(call.node, pair, frame) for pair in pairs]
    keys = [objects.known(pair[0]) for pair in pairs]
    if None in keys:
        call.refuse("a key of the dict is not constant", "use constant keys")
    entries = {key[0]: pair[1] for key, pair in zip(keys, pairs, strict=True) if key}
    return record_of(dict, {**entries, **call.kwargs})


def replaced(call: Call) -> Value | None:
    """`dataclasses.replace(object, name=value)`, `_replace` of a named tuple, `copy.copy(object)`
    and `copy.deepcopy(object)`; None for other functions."""
    if call.target is not dataclasses.replace and call.target not in COPIES:
        return None
    one, (node, frame) = len(call.args) == 1, (call.node, call.tracer.frame)
    read = call.tracer.deep if call.target is copy.deepcopy else call.tracer.read
    content = read(node, call.args[0], frame) if one else None
    if call.target in COPIES and not isinstance(content, Record):
        return record_of(dict, content.entries) if isinstance(content, Mapping) else content
    again = call.target not in COPIES and hasattr(getattr(content, "cls", None), "__post_init__")
    if not isinstance(content, Record) or again or not call.kwargs.keys() <= {*content.fields}:
        call.refuse("replace() takes an object and new values of its attributes", "name them")
    values = dict(zip(content.fields, content, strict=True)) | dict(call.kwargs)
    return record_of(content.cls, values)


def is_written(cls: type, name: str) -> bool:
    """Whether a class has a method that somebody wrote: those of dataclasses are compiled text."""
    method = inspect.getattr_static(cls, name, None)
    return isinstance(method, FunctionType) and method.__code__.co_filename != "<string>"


def meanings_of(cls: Any) -> list[str]:
    """The methods by which the objects of a class are more than their attributes."""
    return [n for n in _MEANINGS if is_written(cls, n)] if isinstance(cls, type) else []


def _is_plain(cls: Any) -> bool:
    return isinstance(cls, type) and not meanings_of(cls)


def keeps_arguments(cls: Any) -> bool:
    """Whether it is the class of a named tuple or a dataclass, whose objects are their values."""
    if not _is_plain(cls):
        return False
    home = cls.__new__.__module__ or ""
    plain = getattr(vars(cls).get("__dataclass_params__"), "init", home.startswith("namedtuple_"))
    return plain and [*inspect.signature(cls).parameters] == [*getattr(cls, "__match_args__", ())]


def has_own_init(cls: Any) -> bool:
    """Whether a class is one of plain Python with an `__init__` that says its attributes."""
    plain = _is_plain(cls) and type(cls) is type and cls.__new__ is object.__new__
    return plain and (is_written(cls, "__init__") or cls.__init__ is object.__init__)


def is_class(target: object) -> bool:
    """Whether objects of a class may share lists with the function that creates them."""
    return not (isinstance(target, type) and issubclass(target, tuple)) and (
        keeps_arguments(target) or has_own_init(target)
    )
