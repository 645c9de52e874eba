"""`ng.sym`: the library, and users' registered operators, for arguments that become symbols.

`name=` and `attr=` are MXNet's: the name of the node, and its attributes; those of `MARKS`, and
others such as `__layout__`, may also be passed like parameters of the operator.

>>> import nbgraph as ng
>>> ng.sym.sin(ng.var("x"), name="wave").list_outputs()
['wave_output']
>>> ng.sym.random_normal(size=(2, 3))  # drawn when the graph is computed
<Symbol random_normal0_output>
"""

import inspect
from typing import Any, ClassVar

from nbgraph.graph import build, naming
from nbgraph.graph.compose import call_mark, missing_operands
from nbgraph.graph.naming import attribute_scope, attributes_of
from nbgraph.graph.symbol import Symbol, group, var
from nbgraph.operator.arrays.array_op import FilledOp
from nbgraph.operator.call import sources
from nbgraph.operator.full import RegisteredOperator
from nbgraph.operator.namespace import Lifted, Namespace, operand_names
from nbgraph.operator.scalar.typing import as_operand
from nbgraph.ops.named.calls import named
from nbgraph.ops.named.keywords import in_words
from nbgraph.scopes import Scopes

MARKS = ("ctx_group", "force_mirroring", "lr_mult", "mirror_stage", "wd_mult")
# functions whose variables are named after the function and not after a node, as in MXNet
_OF_CALLS = frozenset(
    "BatchNorm Convolution Deconvolution Embedding FullyConnected GroupNorm InstanceNorm LayerNorm "
    "LeakyReLU RNN SVMOutput linear_regression_output logistic_regression_output "
    "mae_regression_output softmax_output".split()
)
_sources = Scopes(sources, naming.call)


class SymbolicOperator(Lifted):
    """An operator whose operands become symbols."""

    def __call__(self, *args: Any, name: str | None = None, attr: Any = None, **kwargs: Any) -> Any:
        """Return the node's symbol. Several outputs are one symbol, a group, which can be indexed
        and iterated; a list of one stays a list, as `[0]` of a symbol indexes its array."""
        if self.__name__ == "var" and (isinstance(args[0], str) if args else "x" not in kwargs):
            named = {"name": name} if name is not None else {}
            return var(*args, attr=attr, **named, **kwargs)  # MXNet's alias of Variable
        if args and isinstance(args[0], Symbol) and len(args[0].entries) > 1:
            first = next(iter(inspect.signature(self.__wrapped__).parameters.values()))
            if first.kind is first.VAR_POSITIONAL or first.name in ("arrays", "tup"):
                args = (list(args[0]), *args[1:])
        marks = {k: kwargs.pop(k) for k in [*kwargs] if k in MARKS or k[:2] == k[-2:] == "__"}
        attributes = attributes_of(self.__name__, attr) | marks
        op, args, kwargs = in_words(self.__wrapped__, args, kwargs)
        names_itself = isinstance(op, RegisteredOperator)  # it may call variables by it
        names_itself = names_itself or "name" in inspect.signature(op).parameters
        if names_itself:
            kwargs["name"] = name
        stem = op.__name__.lower().replace("_", "")
        call = call_mark(stem) if name is None and op.__name__ in _OF_CALLS else None
        with _sources(Symbol, call), attribute_scope(**attributes):
            args, kwargs = _completed(op, args, kwargs, name)
            op, args, kwargs = self._lift(op, args, kwargs)
            result = op(*args, **kwargs)
            if name is not None and not names_itself:
                result = _named(op, result, args, kwargs, name)
            several = isinstance(result, (list, tuple)) and len(result) > 1
            return group(result) if several else result


def _named(op: Any, result: Any, args: Any, kwargs: dict[str, Any], name: str) -> Any:
    """Return a result under a name; several as outputs of one node: `name_output0`, ..."""
    if not isinstance(result, (list, tuple)):
        return named(result, name)
    if len({symbol.node for symbol in result}) > 1:
        return Symbol.__nbgraph_defer__(op, args, kwargs, len(result), name)
    symbols = [symbol.named(name) for symbol in result]
    return type(result)(*symbols) if hasattr(result, "_fields") else type(result)(symbols)


def _completed(op: Any, args: Any, kwargs: dict[str, Any], name: str | None) -> Any:
    """Return the arguments with variables for omitted operands, for later composition."""
    signature = inspect.signature(op)
    try:
        bound = signature.bind_partial(*args, **kwargs).arguments
    except TypeError:
        return args, kwargs
    needed = [
        n
        for n, p in signature.parameters.items()
        if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD and n not in bound
    ]
    operands = (*operand_names(op), *list(signature.parameters)[:1])
    if not set(needed) <= set(operands):
        return args, kwargs
    variables = missing_operands(op.__name__, name, needed)
    return args, {**kwargs, **{n: Symbol([(v, 0)]) for n, v in variables.items()}}


def lifted(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the arguments of a call with at least one operand as a symbol."""
    try:
        bound = inspect.signature(op).bind(*args, **kwargs)
    except TypeError:
        return op, args, kwargs  # the operator itself says what is wrong
    operands = operand_names(op)
    arguments = bound.arguments
    if isinstance(getattr(op, "op", op), FilledOp):
        shape = arguments["shape"]  # in MXNet 0 means an unknown extent
        extents = shape if isinstance(shape, (tuple, list)) else (shape,)
        arguments["shape"] = tuple([None if n is None or n == 0 else n for n in extents])
    if not any(isinstance(arguments[n], Symbol) for n in arguments):
        for n in operands:
            if n in arguments:
                arguments[n] = constant(op.__name__, n, arguments[n])
    return op, bound.args, bound.kwargs


def constant(op: str, name: str, value: Any) -> Symbol:
    """Return a value as a symbol."""
    if hasattr(value, "asnumpy"):
        value = value.asnumpy()
    return Symbol([(build.constant(as_operand(op, name, value)), 0)])


class SymbolNamespace(Namespace):
    """Operators over symbols, and constructors of symbols, by MXNet's names."""

    NOUNS: ClassVar = {
        "Group": "Group",
        "Symbol": "Symbol",
        "Variable": "var",
        "fromjson": "load_json",
        "load": "load_symbol",
        "load_json": "load_json",
    }


sym = SymbolNamespace("ng.sym", lifted, SymbolicOperator)
