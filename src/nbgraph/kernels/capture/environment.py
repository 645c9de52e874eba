"""Environments: what names mean at a point of the text, whether control has left, what lists hold.

An environment is a dict. Besides variables it holds flags, which `return`, `break`, `continue` and
exceptions set, and the contents of lists, arrays and objects: a variable is a `Reference` to one.
"""

import itertools
from collections.abc import Iterable, Iterator

from nbgraph.kernels.capture.containers import (
    Array,
    List,
    Pairs,
    Record,
    Reference,
    Resizable,
    View,
    own_type,
)
from nbgraph.kernels.capture.values import Env, Graph, Node, Value
from nbgraph.kernels.scalar.nodes import RESULT as RESULT

RETURNED, BROKE, CONTINUED = "$returned", "$broke", "$continued"
FLAGS = (RETURNED, BROKE, CONTINUED)
# followed by the number of a raise in `Graph.raises`: whether the exception ended the function, so
# that RETURNED is set, too
RAISED = "$raised"
# the same for a missing index or key, after which the function has gone on
MISSED = "$missed"


def is_flag(name: str) -> bool:
    """Return whether `name` is a flag that says how control has left."""
    return name in FLAGS or name.startswith((RAISED, MISSED))


def without_flags(env: Env) -> Env:
    """Return the variables of an environment, with flags of missing items, without other flags."""
    return {
        name: value for name, value in env.items() if not is_flag(name) or name.startswith(MISSED)
    }


def raises_of(env: Env) -> dict[str, Node]:
    """Return the exception flags of an environment, missing indices and keys first."""
    missed = {name: value for name, value in env.items() if name.startswith(MISSED)}
    return missed | {name: value for name, value in env.items() if name.startswith(RAISED)}


def flag(graph: Graph, env: Env, name: str) -> Node:
    """Return the flag `name` as a truth value; False where it is not set."""
    return env.get(name) or graph.const(False)


def stopped(graph: Graph, env: Env, names: tuple[str, ...] = FLAGS) -> Node:
    """Return whether control has left by one of `names`, so that the rest of a block is skipped."""
    result = graph.const(False)
    for name in names:
        result = graph.logical_or(result, flag(graph, env, name))
    return result


def is_true(node: Node) -> bool:
    """Return whether a node is the constant True."""
    return node.op == "const" and bool(node.data)


# lists, arrays and objects ------------------------------------------------------------------------

HEAP = "@"  # prefix of the keys of lists and arrays in an environment
OUTER, FROZEN = "$outer", "$frozen"  # keys of the caller's lists, and of lists that must not change
_KEYS = itertools.count()


def reference(env: Env, value: Value, name: str = "") -> Reference:
    """Store a list or an array in the environment under a new key; return a reference to it."""
    entry = Reference(f"{HEAP}{name}.{next(_KEYS)}")
    env[entry.key] = value
    return entry


def placed(value: Value, env: Env, name: str = "", *, alone: bool = False) -> Value:
    """Store new lists and arrays of a value in the environment; return the value with references to
    them. `alone`: an argument, which only the called function refers to."""
    if isinstance(value, List):
        return reference(env, type(value)(placed(item, env, name) for item in value), name)
    if isinstance(value, Record) and value.shared:
        entry = reference(env, own_type(value)(placed(item, env, name) for item in value), name)
        if value.copied:  # others may refer to the object, so that it must not change
            alike = (k for k, v in env.items() if isinstance(v, Record) and v.cls is value.cls)
            freeze(env, (entry.key,) if alone else alike)
        return entry
    if type(value) in (Array, Resizable, Pairs):
        return reference(env, value, name)
    if type(value) is tuple and any(type(item) in (List, Array, tuple) for item in value):
        return tuple(placed(item, env, name) for item in value)
    return value


def lists_of(env: Env) -> Env:
    """Return the lists and arrays of an environment."""
    return {name: v for name, v in env.items() if name.startswith(HEAP) or name == FROZEN}


def keys_in(value: Value, env: Env | None = None) -> Iterator[str]:
    """Yield the keys of lists that a value refers to; with `env`, of nested lists, too."""
    if isinstance(value, (Reference, View)):
        key = (value.owner if isinstance(value, View) else value).key
        yield key
        yield from keys_in((env or {}).get(key), env)
    elif type(value) is tuple or isinstance(value, (List, Record)):
        for item in value:
            yield from keys_in(item, env)


def freeze(env: Env, keys: Iterable[str]) -> None:
    """Mark lists as ones that must not change from here on."""
    env[FROZEN] = env.get(FROZEN, frozenset()).union(keys)


def adopt(outer: Env, inner: Env, names: Iterable[str] = ()) -> None:
    """Copy the lists of `inner`, and its variables `names`, to `outer`."""
    outer.update(lists_of(inner))
    outer.update({name: inner[name] for name in names if name in inner})
