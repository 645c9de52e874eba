"""What a name can hold while a function is captured, and how two branches' values are joined."""

from __future__ import annotations

from typing import Any

from nbgraph.kernels.scalar import Graph, Node


class Static:
    """A Python object that is no number: a function, a module, a string, None."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Array(tuple[Any, ...]):
    """A NumPy array whose shape is known: its numbers, or the rows that are arrays in turn."""

    __slots__ = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """As NumPy's; rows have one length."""
        first = self[0] if self else None
        return (len(self), *(first.shape if isinstance(first, Array) else ()))


class Mapping:
    """A dict whose keys are known; its values may be numbers, tuples or Python objects."""

    __slots__ = ("entries",)

    def __init__(self, entries: dict[Any, Value]) -> None:
        self.entries = entries


class Undefined:
    """No usable value on this path; `why` completes the sentence "'y' ..."."""

    __slots__ = ("why",)

    def __init__(self, why: str = "is not defined on every path that reaches this line") -> None:
        self.why = why


class Complex:
    """A complex number: two floating nodes."""

    __slots__ = ("imag", "real")

    def __init__(self, real: Node, imag: Node) -> None:
        self.real, self.imag = real, imag

    @classmethod
    def of(cls, graph: Graph, value: Value) -> Complex:
        """A number as a complex one."""
        if isinstance(value, cls):
            return value
        return cls(graph.float(value), graph.const(0.0))


class Optional:
    """None where `none` holds, elsewhere a value."""

    __slots__ = ("none", "value")

    def __init__(self, none: Node, value: Value) -> None:
        self.none, self.value = none, value


Value = Any  # Node | Complex | Optional | Static | Undefined | Mapping | tuple of Value
Env = dict[str, Value]

RETURNED, BROKE, CONTINUED, RESULT = "$returned", "$broke", "$continued", "$result"
FLAGS = (RETURNED, BROKE, CONTINUED)
# followed by the number of a raise in `Graph.raises`: whether it ended the function, for which
# RETURNED is set, too
RAISED = "$raised"


def is_flag(name: str) -> bool:
    """Whether a name of an environment says how control has left."""
    return name in FLAGS or name.startswith(RAISED)


def without_flags(env: Env) -> Env:
    """The variables of an environment, where control has not left."""
    return {name: value for name, value in env.items() if not is_flag(name)}


def raises_of(env: Env) -> dict[str, Node]:
    """The flags of an environment that say which exceptions ended the function."""
    return {name: value for name, value in env.items() if name.startswith(RAISED)}


def flag(graph: Graph, env: Env, name: str) -> Node:
    """Whether control has left by return, break or continue: a truth value."""
    return env.get(name) or graph.const(False)


def stopped(graph: Graph, env: Env, names: tuple[str, ...] = FLAGS) -> Node:
    """Whether the rest of the block is skipped."""
    result = graph.const(False)
    for name in names:
        result = graph.logical_or(result, flag(graph, env, name))
    return result


def is_true(node: Node) -> bool:
    """Certainly true."""
    return node.op == "const" and bool(node.data)


def join_value(graph: Graph, cond: Node, a: Value, b: Value) -> Value:
    """`a` where cond holds, else `b`; Undefined where the two do not fit together."""
    if isinstance(a, Undefined) or isinstance(b, Undefined):
        return a if isinstance(a, Undefined) else b
    if a is b or cond.op == "const":
        return a if cond.data or a is b else b
    if isinstance(a, tuple) and type(a) is type(b) and len(a) == len(b):
        return type(a)(join_value(graph, cond, x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, Node) and isinstance(b, Node):
        try:
            return graph.select(cond, a, b)
        except (TypeError, OverflowError) as error:
            return Undefined(f"cannot be used here: {error}")
    if isinstance(a, (Node, Complex)) and isinstance(b, (Node, Complex)):
        z, w = Complex.of(graph, a), Complex.of(graph, b)
        return Complex(graph.select(cond, z.real, w.real), graph.select(cond, z.imag, w.imag))
    if isinstance(a, Static) and isinstance(b, Static) and _same(a.value, b.value):
        return a
    if is_optional(a) or is_optional(b):
        return _join_optional(graph, cond, a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return Undefined(
            f"has {len(a)} items on one of the paths that reach this line, {len(b)} on another"
        )
    return Undefined("has values of two different sorts on the paths that reach this line")


def _same(a: Any, b: Any) -> bool:
    return a is b or (isinstance(a, str) and isinstance(b, str) and a == b)


def is_optional(value: Value) -> bool:
    """Whether a value is or may be None."""
    return isinstance(value, Optional) or (isinstance(value, Static) and value.value is None)


def as_optional(graph: Graph, value: Value, like: Optional) -> Optional:
    """Return a value as one that may be None; `like` has the form of the number."""
    if isinstance(value, Optional):
        return value
    none = is_optional(value)
    return Optional(graph.const(none), like.value if none else value)


def _join_optional(graph: Graph, cond: Node, a: Value, b: Value) -> Value:
    def parts(value: Value) -> tuple[Node, Value]:
        if isinstance(value, Optional):
            return value.none, value.value
        none = is_optional(value)
        return graph.const(none), None if none else value

    (none_a, x), (none_b, y) = parts(a), parts(b)
    value = y if x is None else x if y is None else join_value(graph, cond, x, y)
    none = graph.select(cond, none_a, none_b)
    return value if isinstance(value, Undefined) or not _may_be(none) else Optional(none, value)


def _may_be(none: Node) -> bool:
    return none.op != "const" or bool(none.data)


def join(graph: Graph, cond: Node, a: Env, b: Env) -> Env:
    """The environment after `if cond`: a name left undefined on a path that has ended is not
    missed."""
    a_ended, b_ended = is_true(stopped(graph, a)), is_true(stopped(graph, b))
    result: Env = {}
    for name in a.keys() | b.keys():
        if is_flag(name):
            result[name] = graph.select(cond, flag(graph, a, name), flag(graph, b, name))
            continue
        x, y = a.get(name, Undefined()), b.get(name, Undefined())
        if isinstance(x, Undefined) and (a_ended or name == RESULT):
            result[name] = y
        elif isinstance(y, Undefined) and (b_ended or name == RESULT):
            result[name] = x
        else:
            result[name] = join_value(graph, cond, x, y)
    return result


def flatten(value: Value) -> list[Node] | None:
    """The nodes of a value made of numbers and tuples of numbers, else None; a complex number is
    two."""
    if isinstance(value, Node):
        return [value]
    if isinstance(value, Complex):
        return [value.real, value.imag]
    if isinstance(value, Optional):
        inner = flatten(value.value)
        return None if inner is None else [value.none, *inner]
    if isinstance(value, tuple):
        parts = [flatten(v) for v in value]
        if any(p is None for p in parts):
            return None
        return [node for part in parts if part is not None for node in part]
    return None


def unflatten(like: Value, nodes: list[Node]) -> Value:
    """Nodes put back into the structure of `like`; consumes from the front of the list."""
    if isinstance(like, tuple):
        return type(like)(unflatten(v, nodes) for v in like)
    if isinstance(like, Complex):
        return Complex(nodes.pop(0), nodes.pop(0))
    if isinstance(like, Optional):
        return Optional(nodes.pop(0), unflatten(like.value, nodes))
    return nodes.pop(0)
