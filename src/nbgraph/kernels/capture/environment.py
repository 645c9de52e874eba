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
# followed by the number of a raise in `Graph.raises`: whether it ended the function, for which
# RETURNED is set, too
RAISED = "$raised"
# the same where the function has gone on: an index or a key was missing
MISSED = "$missed"


def is_flag(name: str) -> bool:
    """Return whether a name of an environment says how control has left."""
    return name in FLAGS or name.startswith((RAISED, MISSED))


def without_flags(env: Env) -> Env:
    """Return the variables of an environment, where control has not left, and what was missed."""
    return {
        name: value for name, value in env.items() if not is_flag(name) or name.startswith(MISSED)
    }


def raises_of(env: Env) -> dict[str, Node]:
    """Return the flags of an environment for exceptions, those first that may be gone on behind."""
    missed = {name: value for name, value in env.items() if name.startswith(MISSED)}
    return missed | {name: value for name, value in env.items() if name.startswith(RAISED)}


def flag(graph: Graph, env: Env, name: str) -> Node:
    """Return whether control has left by return, break or continue: a truth value."""
    return env.get(name) or graph.const(False)


def stopped(graph: Graph, env: Env, names: tuple[str, ...] = FLAGS) -> Node:
    """Return whether the rest of the block is skipped."""
    result = graph.const(False)
    for name in names:
        result = graph.logical_or(result, flag(graph, env, name))
    return result


def is_true(node: Node) -> bool:
    """Certainly true."""
    return node.op == "const" and bool(node.data)


# lists, arrays and objects ------------------------------------------------------------------------

HEAP = "@"  # what the keys of lists and arrays in an environment begin with
OUTER, FROZEN = "$outer", "$frozen"  # keys of the caller's lists, of those that nothing may change
_KEYS = itertools.count()


def reference(env: Env, value: Value, name: str = "") -> Reference:
    """Return a new list or array that holds a value."""
    entry = Reference(f"{HEAP}{name}.{next(_KEYS)}")
    env[entry.key] = value
    return entry


def placed(value: Value, env: Env, name: str = "", *, alone: bool = False) -> Value:
    """Return a value as a name refers to it: new lists and arrays get a place in the environment.
    `alone`: of an argument, which only the function that is called may keep."""
    if isinstance(value, List):
        return reference(env, type(value)(placed(item, env, name) for item in value), name)
    if isinstance(value, Record) and value.shared:
        entry = reference(env, own_type(value)(placed(item, env, name) for item in value), name)
        if value.copied:  # a change of it would be one of an object that others mean, or of none
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
    """Return the keys of the lists that a value refers to, with `env` of those in them, too."""
    if isinstance(value, (Reference, View)):
        key = (value.owner if isinstance(value, View) else value).key
        yield key
        yield from keys_in((env or {}).get(key), env)
    elif type(value) is tuple or isinstance(value, (List, Record)):
        for item in value:
            yield from keys_in(item, env)


def freeze(env: Env, keys: Iterable[str]) -> None:
    """Note lists that nothing may change from here on."""
    env[FROZEN] = env.get(FROZEN, frozenset()).union(keys)


def adopt(outer: Env, inner: Env, names: Iterable[str] = ()) -> None:
    """Take over the lists of an environment, and its variables of these names."""
    outer.update(lists_of(inner))
    outer.update({name: inner[name] for name in names if name in inner})
