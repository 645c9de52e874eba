"""An operator inside the user's own `@njit` code: a Numba function over scalars."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from nbgraph.errors import CompileError
from nbgraph.kernels.compiler.reference import names
from nbgraph.kernels.function.scalar_function import Captured, Scalar
from nbgraph.kernels.function.signature import Parameter, defaults_of
from nbgraph.kernels.loops.body import Body, Namespace
from nbgraph.kernels.loops.writer import Source
from nbgraph.kernels.scalar.graph import Node

_CALLABLES: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


def numba_function(scalar: Scalar) -> Any:
    """Return a Numba dispatcher with the operator's signature; scalar parameters may be keywords.

    Numba specialises it for the argument types it is called with: float32 stays float32.
    """
    if scalar.watch.changed() or scalar not in _CALLABLES:
        _CALLABLES[scalar] = _make(scalar)
    return _CALLABLES[scalar]


def _make(scalar: Scalar) -> Any:
    from numba import njit, types
    from numba.extending import overload

    numbers = _numbers(scalar)
    names = [*scalar.operands, *(p.name for p in numbers)]
    defaults = {**scalar.defaults, **{p.name: p.default for p in numbers if not p.required}}
    head = ", ".join(f"{n}={defaults[n]!r}" if n in defaults else n for n in names)
    space: dict[str, Any] = {}
    exec(f"def stub({head}): raise TypeError", space)
    stub = space["stub"]

    def typed(*args: Any) -> Any:
        kinds = [kind for a in args if (kind := _kind(types, a)) is not None]
        if len(kinds) < len(args):
            return None
        return _implementation(scalar, head, kinds, args)

    exec(f"def choose({head}): return typed({', '.join(names)})", {"typed": typed}, space)
    overload(stub, jit_options={"error_model": "numpy"})(space["choose"])
    exec(f"def {scalar.name}({head}): return stub({', '.join(names)})", {"stub": stub}, space)
    return njit(error_model="numpy")(space[scalar.name])


def _numbers(scalar: Scalar) -> list[Parameter]:
    """Return the parameters that Numba code may pass: static ones keep their defaults."""
    return [p for p in scalar.parameters if not p.is_static]


def _kind(types: Any, value: Any) -> str | None:
    """Return the kind of a Numba type, or of a default value."""
    if isinstance(value, types.Omitted):
        value = value.value
    if value == types.boolean or isinstance(value, (bool, types.BooleanLiteral)):
        return "b"
    if isinstance(value, (int, types.IntegerLiteral)):
        return "i"
    if isinstance(value, types.Integer):
        return str(value.name)
    if isinstance(value, (float, types.Float)):
        return "f"
    return None


def _implementation(scalar: Scalar, head: str, kinds: list[str], args: tuple[Any, ...]) -> Any:
    count = len(scalar.operands)
    examples = {"f": 1.0, "b": True}
    values = {
        p.name: examples.get(kind, 1)
        for p, kind in zip(_numbers(scalar), kinds[count:], strict=True)
    }
    parameters = defaults_of(scalar) | values
    kinds = ["i" if k == "int64" else k for k in kinds]
    captured = scalar.capture(kinds[:count], parameters)
    floats = {
        str(a) for a, k in zip(args, kinds, strict=True) if k == "f" and not isinstance(a, float)
    }
    compute = "float32" if floats and floats <= {"float32", "float16"} else "float64"
    return _function(scalar.name, head, captured, compute)


class _Raising(Body):
    """A body that raises, as Numba's functions do."""

    def _write_check(self, node: Node) -> None:
        value, invalid = map(self.text, node.args)
        self.names[node.id] = value
        self.line(f"if {invalid}:")
        self.line(f"    raise {node.data.kind}({node.data.message!r})")


def _function(name: str, head: str, captured: Captured, compute: str) -> Any:
    namespace = Namespace(compute)
    leaves = {}
    lines = []
    for node in (*captured.operands, *captured.parameters):
        kind = {"f": compute, "i": "int64"}.get(node.kind)
        text = f"{kind}({node.data})" if kind else str(node.data)
        lines.append(f"    a_{node.data} = {text}")
        leaves[node.id] = f"a_{node.data}"
    body = _Raising(captured.graph, captured.outputs, namespace, leaves, 1)
    results = body.require(captured.outputs)
    text = "\n".join(
        [f"def {name}({head}):", *lines, *body.lines, f"    return {', '.join(results)}"]
    )
    space = names(Source(name, text, namespace, fastmath=False))
    try:
        exec(text, space)
    except SyntaxError as error:
        raise CompileError(f"{name}: no Numba function could be made: {error}") from error
    return space[name]
