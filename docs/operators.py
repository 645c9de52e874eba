"""What the operators of the library are, found without computing anything.

The first example of an operator's documentation is called with symbols, once for each dtype. What
raises is not supported; what does not gives a graph, and its nodes know their gradients and their
forms on devices.
"""

from __future__ import annotations

import ast
import doctest
import warnings
from typing import Any, NamedTuple

import numpy as np

import nbgraph as ng
from docs.rows import pairs
from nbgraph import ops
from nbgraph.operator import registry
from nbgraph.operator.arrays.array_op import ArrayOp, constant
from nbgraph.operator.arrays.device_forms import Library, forms_of
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.report.facts import floating_operands

DTYPES = {
    "float": ("float16", "float32", "float64"),
    "int": ("int8", "int32", "int64", "uint8"),
    "bool": ("bool",),
    "complex": ("complex64",),
}
_NAMED = {n for names in ops.NAMED_FAMILIES.values() for n in names.split()}
_SPACES = {"linalg_": np.linalg, "fft_": np.fft, "": np}


class Row(NamedTuple):
    """An operator: its names, here and elsewhere, and its family."""

    name: str
    family: str
    others: tuple[str, ...]
    numpy: str
    mxnet: tuple[str, ...]
    torch: str


class Facts(NamedTuple):
    """What a graph of an operator says: dtypes, order of derivatives, devices; "" if unknown."""

    dtypes: str = ""
    gradient: str = ""
    devices: str = ""


def rows() -> list[Row]:
    """Return a row for every public operator of the library, several names of one joined."""
    groups: dict[int, list[str]] = {}
    torch = pairs("torch_names.txt")
    for name in sorted(set(ops.PLACES) - ops.INTERNAL):
        groups.setdefault(id(registry.find(name)), []).append(name)
    found = []
    for names in groups.values():
        names.sort(key=lambda n: (n in _NAMED, n in ops.OTHER_SPELLINGS, n != n.lower()))
        own, *others = names
        found.append(
            Row(
                own,
                ops.PLACES[own].removeprefix("nbgraph.ops."),
                tuple(n for n in others if n not in _NAMED),
                next(filter(None, map(_of_numpy, names)), ""),
                tuple(n for n in names if n in _NAMED),
                next((torch[n] for n in names if n in torch), ""),
            )
        )
    return sorted(found, key=lambda row: (row.family, row.name.lower()))


def _of_numpy(name: str) -> str:
    for prefix, space in _SPACES.items():
        short = name.removeprefix(prefix)
        if name.startswith(prefix) and callable(getattr(space, short, None)):
            return f"{space.__name__.replace('numpy', 'np')}.{short}"
    return ""


def facts(row: Row) -> Facts:
    """Return what symbols find out of the first example that can be called with them."""
    op = registry.find(row.name)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for call, scope in _examples(op, {row.name, *row.others, *row.mxnet}):
            graphs = {d: _graph(op, call, scope, d) for d in sum(DTYPES.values(), ())}
            if any(graphs.values()):
                return _facts(graphs)
    return Facts()


def _examples(op: Any, names: set[str]) -> list[tuple[ast.Call, dict[str, Any]]]:
    """Return the calls of an operator in its documentation, each with the names that it sees."""
    scope: dict[str, Any] = {"np": np, "ng": ng}
    found = []
    for example in doctest.DocTestParser().get_examples(op.__doc__ or ""):
        tree = ast.parse(example.source)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _called(node) in names | {op.__name__}:
                found.append((node, dict(scope)))
        if isinstance(tree.body[0], ast.Assign):
            try:
                exec(example.source, vars(ops) | scope, scope)
            except Exception:  # the call that needs its name will not be understood
                continue
    return found


def _called(node: ast.Call) -> str:
    return getattr(node.func, "id", getattr(node.func, "attr", ""))


def _graph(op: Any, call: ast.Call, scope: dict[str, Any], dtype: str) -> Any:
    """Return the graph of a call whose floats have a dtype; None where it is refused."""
    for several in (False, True):
        try:
            args = [eval(ast.unparse(a), scope) for a in call.args]
            options = {k.arg: eval(ast.unparse(k.value), scope) for k in call.keywords if k.arg}
            given = [_lifted(a, dtype, several, k == 0) for k, a in enumerate(args)]
            made = op(*given, **options)
            made = made if isinstance(made, tuple | list) else [made]
            return [node for m in made for node in m.graph.nodes if node.op is not None]
        except Exception:  # whatever an example does that symbols cannot: the next form is tried
            continue
    return None


def _lifted(value: Any, dtype: str, several: bool, first: bool) -> Any:
    """Return a symbol for an array of numbers, or a list of them; other values as they are."""
    if several and isinstance(value, list | tuple):
        return [_lifted(v, dtype, False, first=True) for v in value]
    if isinstance(value, ng.NDArray):
        value = value.asnumpy()
    if not isinstance(value, list | np.ndarray | float | np.floating):
        return value
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        return value
    kept = array.dtype if array.dtype.kind != "f" and not first else dtype
    return ng.var(f"x{id(value)}", shape=array.shape, dtype=kept)


def _facts(graphs: dict[str, Any]) -> Facts:
    kinds = [k for k, names in DTYPES.items() if any(graphs[n] is not None for n in names)]
    floats = graphs["float32"] or graphs["float64"] or []
    operators = [node.op for node in floats] or [n.op for g in graphs.values() for n in g or ()]
    orders = {_order(op) for op in operators}
    order = next((o for o in ("none", "first", "any") if o in orders), "constant")
    places = {_place(op) for op in operators}
    place = next((p for p in ("CPU", "CPU, GPU (CuPy)") if p in places), "CPU, GPU")
    return Facts(", ".join(kinds), order if floats else "none", place)


def _order(op: Any) -> str:
    """Return up to which order an operator has derivatives; "constant": none are needed."""
    if isinstance(op, Mapper):
        return "any" if floating_operands(op) else "constant"
    if isinstance(op, ArrayOp):
        rule = op.rule
        return "none" if rule is None else "constant" if rule is constant else "any"
    return "first"


def _place(op: Any) -> str:
    if isinstance(op, ArrayOp) and not ("devices" in op.kernels or op.view or op.copies):
        forms = forms_of(op)
        if forms and all(issubclass(kind, Library) for kind in forms):
            return "CPU, GPU (CuPy)"
        if not forms and op.__name__ == "debug":
            return "CPU"
    return "CPU, GPU"
