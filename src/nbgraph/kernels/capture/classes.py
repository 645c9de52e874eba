"""Objects whose attributes are known: instances of named tuples, dataclasses, namespaces and
classes with their own `__init__`."""

import ast
import copy
import dataclasses
import inspect
from collections import Counter, OrderedDict, defaultdict
from enum import EnumType
from types import FunctionType, MemberDescriptorType, SimpleNamespace
from typing import Any, cast

from nbgraph.kernels.capture import comparing, composed, dicts, objects
from nbgraph.kernels.capture.containers import (
    REFERS,
    List,
    Mapping,
    Pairs,
    Record,
    View,
    mapping,
    record_of,
)
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.environment import placed
from nbgraph.kernels.capture.inlining import Bound, arguments
from nbgraph.kernels.capture.items import at_key, keys, listed
from nbgraph.kernels.capture.joining import as_pairs, join_value
from nbgraph.kernels.capture.lists import changeable, put
from nbgraph.kernels.capture.values import Choice, Env, Node, Static, Value

# methods that give objects a meaning beyond their attributes
_MEANINGS = ("__getattr__", "__getattribute__", "__setattr__", "__setitem__")
_FACTORIES: dict[object, Any] = {list: List, dict: lambda _: record_of(dict, {})}


def instance(call: Call) -> Value | None:
    """Return a new object of a class; None for a callee that is not such a class."""
    cls, values = call.target, dict(call.kwargs)
    if cls is SimpleNamespace and not call.args:
        return record_of(cls, values)
    init, options = (), {}
    if keeps_arguments(cls):
        fields = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
        preset = {f.name: f for f in fields if f.default is not f.default_factory}
        default = lambda parameter: _default(call, preset.get(parameter.name, parameter))
        values = arguments(call, cls.__name__, inspect.signature(cls), default)
        values |= {n: _default(call, field) for n, field in preset.items() if n not in values}
        method = inspect.getattr_static(cls, "__post_init__", None)
    elif has_own_init(cls):
        values, init, options = {}, call.args, call.kwargs
        method = inspect.getattr_static(cls, "__init__")
    else:
        return None
    content = record_of(cls, values)
    if not isinstance(method, FunctionType):
        return None if init or options else content
    owner = placed(content, call.tracer.frame)
    call.tracer.apply(call.of(method, owner, *init, **options))
    return owner


def _default(call: Call, field: Any) -> Value:
    """Return the default value of a field or a parameter."""
    factory = getattr(field, "default_factory", dataclasses.MISSING)
    if factory is not dataclasses.MISSING:
        make = _FACTORIES.get(factory)
        return make(()) if make else call.tracer.apply(call.of(factory))
    return call.tracer.constant(field.default, call.node)


# attributes ---------------------------------------------------------------------------------------


def of_record(call: Call, owner: Record, referred: Value) -> Value:
    """Return an attribute, a property or a method of an object whose attributes are known."""
    name = call.node.attr
    if name in owner.fields:
        return owner[owner.fields.index(name)]
    if name in ("_replace", "__replace__"):
        return Static(Bound(dataclasses.replace, (referred,), {}))
    member = inspect.getattr_static(owner.cls, name, None)
    value = _bound(call, member, referred)
    return call.tracer.attribute(call.node, owner.cls, name) if value is None else value


def _bound(call: Call, member: Any, owner: Value) -> Value | None:
    """Return the value of a property, or a bound method; None for other members."""
    if isinstance(member, property):
        return call.tracer.called(call.of(member.fget, owner))
    return Static(Bound(member, (owner,), {})) if isinstance(member, FunctionType) else None


def of_super(call: Call, inner: ast.Call, env: Env) -> Value:
    """Return `super().name` of an object, or of an instance from outside the function."""
    tracer, node = call.tracer, call.node
    receiver = env[tracer.fn.__code__.co_varnames[0]]
    cls = tracer.static(inner.args[0], env) if inner.args else tracer.scope.lookup("__class__")
    if isinstance(receiver, Static):
        return tracer.attribute(node, super(cls, receiver.value), node.attr)
    content = tracer.read(node, receiver, env)
    try:
        member = getattr(super(cls, content.cls), node.attr)
    except (AttributeError, TypeError) as error:
        tracer.refuse(node, str(error), "check the spelling")
    if member is object.__init__:
        return Static(composed.nothing)
    value = _bound(call, member, receiver)
    return Static(member) if value is None else value


def written(tracer: Tracer, owner: Value, name: str) -> FunctionType | None:
    """Return the method `name` if the user wrote it in the class of `owner`, else None."""
    if isinstance(owner, Node):
        return None
    owner = tracer.dereference(owner, tracer.frame) if isinstance(owner, REFERS) else owner
    cls = getattr(owner, "cls", type(getattr(owner, "value", None)))
    return inspect.getattr_static(cls, name) if is_written(cls, name) else None


def special(tracer: Tracer, call: Call, name: str, *args: Value) -> Value | None:
    """Return the result of the user's method `name` of `args[0]`; None where there is none."""
    if (method := written(tracer, args[0], name)) is None:
        return None
    operands = [placed(value, tracer.frame, alone=True) for value in args]
    value = tracer.apply(call.of(method, *operands))
    return None if isinstance(value, Static) and value.value is NotImplemented else value


def store_attribute(call: Call, owner: Value, value: Value, env: Env) -> bool:
    """Store `owner.attr = value` by changing `env`; return False where it cannot be stored."""
    content, name = call.tracer.dereference(owner, env), call.node.attr
    if not isinstance(content, Record) or not content.shared or content.cls is dict:
        return False
    member = inspect.getattr_static(content.cls, name, None)
    if isinstance(member, property) and member.fset is not None:
        call.tracer.frame = env
        call.tracer.apply(call.of(member.fset, owner, value))
        return True
    free = isinstance(member, MemberDescriptorType)  # one of `__slots__`
    if content.cls.__dictoffset__:
        free = not hasattr(type(member), "__set__")
    declared = getattr(content.cls, "__dataclass_fields__", ())
    if free := free or name in (*declared, *content.fields):
        put_field(call, owner, name, value, env)
    return free


def put_field(call: Call, owner: Value, name: Any, value: Value, env: Env) -> None:
    """Store the value of an attribute or of a key by changing `env`."""
    content = call.tracer.dereference(owner, env)
    if isinstance(owner, View) and name in content.fields:
        place = call.graph.const(content.fields.index(name))
        return put(call, owner, ((place,),), value, env)
    key = changeable(call.tracer, call.node, owner, env).key
    value = call.tracer.taken(value, env)
    env[key] = record_of(env[key].cls, {**env[key].entries, name: value})


COPIES = (copy.copy, copy.deepcopy)


def replaced(call: Call) -> Value:
    """Return the value of `dataclasses.replace`, `copy.copy` and `copy.deepcopy`, and of the method
    `_replace` of a named tuple."""
    one, (node, frame) = len(call.args) == 1, (call.node, call.tracer.frame)
    read = call.tracer.deep if call.target is copy.deepcopy else call.tracer.read
    content = read(node, call.args[0], frame) if one else None
    if call.target in COPIES and not isinstance(content, Record):
        return record_of(dict, content.entries) if isinstance(content, Mapping) else content
    again = call.target not in COPIES and hasattr(getattr(content, "cls", None), "__post_init__")
    if not isinstance(content, Record) or again or not call.kwargs.keys() <= {*content.fields}:
        call.refuse("replace() takes an object and new values of its attributes", "name them")
    return record_of(content.cls, {**content.entries, **call.kwargs})


def is_written(cls: type, name: str) -> bool:
    """Return whether a user wrote this method; methods that dataclasses compile do not count."""
    method = inspect.getattr_static(cls, name, None)
    return isinstance(method, FunctionType) and method.__code__.co_filename != "<string>"


def meanings_of(cls: Any) -> list[str]:
    """Return the names of methods that give objects of a class more than attributes."""
    return [n for n in _MEANINGS if is_written(cls, n)] if isinstance(cls, type) else []


def _is_plain(cls: Any) -> bool:
    return isinstance(cls, type) and not meanings_of(cls)


def keeps_arguments(cls: Any) -> bool:
    """Return whether `cls` is a named tuple or dataclass whose attributes are its arguments."""
    if not _is_plain(cls):
        return False
    home = cls.__new__.__module__ or ""
    plain = getattr(vars(cls).get("__dataclass_params__"), "init", home.startswith("namedtuple_"))
    return plain and [*inspect.signature(cls).parameters] == [*getattr(cls, "__match_args__", ())]


def has_own_init(cls: Any) -> bool:
    """Return whether `cls` is a plain Python class whose `__init__` sets its attributes."""
    plain = _is_plain(cls) and type(cls) is type and cls.__new__ is object.__new__
    return plain and (is_written(cls, "__init__") or cls.__init__ is object.__init__)


def is_class(target: object) -> bool:
    """Return whether objects of a class may share lists with the function that creates them."""
    return not (isinstance(target, type) and issubclass(target, tuple)) and (
        keeps_arguments(target) or has_own_init(target)
    )


def new_dict(call: Call) -> Value | None:
    """Return the value of `dict(...)`, `dict.fromkeys(...)`, `Counter()` and others, or None."""
    tracer, many = call.tracer, len(call.args)
    each = lambda value: tracer.each(call.node, value, tracer.frame)
    if (make := _SORTS.get(call.target)) is not None:
        return call.answer(make, *map(each, call.args))
    if call.target == dict.fromkeys and many in (1, 2):
        keys, value = listed(tracer, call.node, each(call.args[0])), [*call.args, Static(None)][1]
        return dicts.dict_of(call, tuple((key, value) for key in keys))
    if call.target == dict.fromkeys or many > 1:
        return None
    first: Any = tracer.read(call.node, [*call.args, ()][0], tracer.frame)
    if not isinstance(first, (Mapping, Pairs)):
        items = each(first)
        items = tuple(map(each, items)) if isinstance(items, tuple) else items
        first = mapping(dicts.dict_of(call, items))
    if isinstance(first, Pairs):
        return None if call.kwargs else first
    return record_of(dict, {**first.entries, **call.kwargs})


def member(call: Call) -> Value | None:
    """Return the member of an enum whose value is not constant; None for other calls."""
    cls, args = call.target, call.args
    if not isinstance(cls, EnumType) or len(args) != 1 or objects.known(args[0]):
        return None
    members = {each.value: call.tracer.constant(each, call.node) for each in cast("Any", cls)}
    return at_key(call.tracer, call.node, Mapping(members), args[0], cls=ValueError)


_SORTS: dict[Any, Any] = {Counter: dicts.counter, defaultdict: dicts.default_dict}
DICT_MAKERS = (dict, OrderedDict, dict.fromkeys, *_SORTS)


def store_key(call: Call, owner: Value, key: Value, value: Value, env: Env) -> None:
    """Store `owner[key] = value` by changing `env`."""
    value, node, tracer = placed(value, env), call.node, call.tracer
    root, constant = changeable(tracer, node, owner, env).key, objects.known(key)
    content: Any = env[root]
    if constant is not None and not isinstance(content, Pairs):
        return put_field(call, owner, constant[0], value, env)
    adds = isinstance(content, Pairs) or not (content.entries and hasattr(node, "changes"))
    if adds and (entries := as_pairs(call.graph, content)) is not None:
        env[root] = dicts.with_key(call, entries, key, value)
        return None
    graph, missing = call.graph, call.graph.const(True)
    everywhere = Call(tracer, node, missing)
    for name, old in getattr(content, "entries", {}).items():
        if not isinstance(key, Choice) and not isinstance(name, (int, float)):
            continue
        here = comparing.compare(everywhere, ast.Eq(), key, tracer.constant(name, node))
        missing = graph.logical_and(missing, graph.logical_not(here))
        remedy = "assign a value like the one before"
        new = tracer.joined(node, join_value(graph, here, value, old), remedy)
        put_field(call, owner, name, new, env)
    if missing.op == "const" and missing.data:
        call.refuse("a key of the dict depends on values", "use a list, or constant keys")
    words = "a key that depends on values is none of those that the dict has"
    tracer.raises_lookup(node, KeyError, words, missing)


# methods ------------------------------------------------------------------------------------------


def method_of_dict(call: Call, owner: Value, name: str) -> Value:
    """Return the value of a method of a dict."""
    tracer, env, node = call.tracer, call.tracer.frame, call.node
    args = [tracer.deep(node, value, env) for value in call.args]
    content: Any = tracer.read(node, owner, env)
    if name in dicts.CHANGES and args and objects.known(args[0]) is None:
        content = as_pairs(call.graph, content) or content
    if isinstance(content, Pairs) and name in dicts.CHANGES:
        key = changeable(tracer, node, owner, env).key
        env[key], result = call.answer(dicts.CHANGES[name], content, *args, **call.kwargs)
        return result
    if isinstance(content, Pairs):
        if (make := dicts.METHODS.get(name)) is None:
            call.refuse(f"{name}() of a dict whose keys depend on values", "write the assignments")
        return call.answer(make, content, *args, **call.kwargs)
    if name in ("update", "setdefault", "pop"):
        return _change(call, owner, name)
    if call.kwargs:
        call.refuse(f"{name}() of a dict with names of arguments", "give them by position")
    if name == "get" and len(args) in (1, 2):
        return at_key(tracer, node, content, args[0], [*args, Static(None)][1])
    if args:
        call.refuse(f"{name}() of a dict with arguments", "leave them out")
    if name == "copy":
        return record_of(dict, content.entries)
    names, values = keys(tracer, node, content), tuple(content.entries.values())
    return {"keys": names, "values": values}.get(name) or tuple(zip(names, values, strict=True))


DICT_METHODS = {"setdefault", "update", *dicts.METHODS, *dicts.CHANGES}


def _change(call: Call, owner: Value, name: str) -> Value:
    tracer, env = call.tracer, call.tracer.frame
    owner = changeable(tracer, call.node, owner, env)
    args = [tracer.read(call.node, value, env) for value in call.args]
    if name == "update" and all(isinstance(value, Mapping) for value in args):
        for value in [*(a.entries for a in args), call.kwargs]:
            for key, item in value.items():
                put_field(call, owner, key, placed(item, env), env)
        return Static(None)
    key = objects.known(args[0]) if args and name in ("setdefault", "pop") else None
    if key is not None and name == "pop":
        entries = env[owner.key].entries
        env[owner.key] = record_of(dict, {k: v for k, v in entries.items() if k != key[0]})
        return at_key(tracer, call.node, Mapping(entries), *call.args)
    if key is None:
        call.refuse(f"{name}() of a dict with these arguments", "write the assignments")
    if key[0] not in env[owner.key].entries:
        put_field(call, owner, key[0], [*call.args, Static(None)][1], env)
    return env[owner.key].entries[key[0]]
