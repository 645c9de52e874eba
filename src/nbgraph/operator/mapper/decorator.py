"""`@ng.op`: a plain Python scalar function becomes an operator."""

import functools
import importlib
import itertools
import keyword
import linecache
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, overload

from nbgraph.errors import ArgumentError, CaptureError
from nbgraph.kernels.capture.names import plain_function
from nbgraph.kernels.capture.results import OnInvalid
from nbgraph.kernels.function.scalar_function import WrittenFunction
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.settings import config


@overload
def op(fn: Any, args: Sequence[Any] | None = None, /, *, name: str | None = None) -> Mapper: ...
@overload
def op(
    fn: None = None,
    /,
    *,
    name: str | None = None,
    fastmath: bool = False,
    prefer: str = "memory",
    certify: bool = True,
    on_invalid: OnInvalid = "raise",
) -> Callable[[Callable[..., Any]], Mapper]: ...


def op(
    fn: Callable[..., Any] | None = None,
    args: Sequence[Any] | None = None,
    /,
    *,
    name: str | None = None,
    fastmath: bool = False,
    prefer: str = "memory",
    certify: bool = True,
    on_invalid: OnInvalid = "raise",
) -> Any:
    """Make a scalar function, in plain Python, an operator (a decorator).

    Operands are the positional arguments, scalar parameters the keyword-only ones; a positional one
    that the text compares with strings, or calls, takes a string or a function. The function may
    use if/elif/else, early returns, loops, `math` and NumPy scalar functions, helpers and other
    operators; anything else raises CaptureError with the line and a remedy.

    `fastmath=True` lets the compiler reorder this operator's arithmetic. With `prefer="accuracy"`
    backward reads operands rather than the output. `certify=False` skips the check of derivatives.

    If the text raises for an element, by `raise`, `assert` or a failed look-up of an index or key,
    the call ends with that exception, which names the element and the line; for NDArrays the wait
    does. With `on_invalid="nan"` the result is NaN there instead.

    A text that draws random numbers (`random.gauss`, `np.random.rand`, `rng.normal` of a module's
    generator) adds the option `key=`, like `rng=` of `ng.random`: a seed, or None for the next draw
    of the library's stream, which `ng.random.seed` restarts. The generators' own states are
    ignored. The numbers are the same on all devices and for any number of threads; derivatives
    treat them as constants.

    An expression of SymPy also becomes an operator: `ng.op(expression, args)`, where `args` are its
    symbols in the order of the operands, by default sorted by name.

    >>> import nbgraph as ng
    >>> huber = ng.op(lambda r, *, d=1.0: 0.5 * r * r if abs(r) <= d else d * (abs(r) - 0.5 * d))
    >>> huber([0.5, 3.0])
    array([0.125, 2.5  ])
    """
    if fn is None:
        return functools.partial(
            op, name=name, fastmath=fastmath, prefer=prefer, certify=certify, on_invalid=on_invalid
        )
    if on_invalid not in ("raise", "nan"):
        raise ValueError(f"op: on_invalid={on_invalid!r}; expected 'raise' or 'nan'")
    if isinstance(fn, Mapper):
        return fn
    if is_expression(fn):
        fn = from_sympy(fn, args, name or "expression")
    elif args is not None:
        raise ArgumentError(
            f"op: args={args!r} are the symbols of an expression of SymPy; a function names its "
            "operands itself"
        )
    plain: FunctionType | None = plain_function(fn)
    if plain is None:
        raise CaptureError(
            f"op: a Python function is needed, not {type(fn).__name__} {fn!r}; write a def, or a "
            "lambda that calls it, e.g. `lambda x: f(x)`"
        )
    scalar = WrittenFunction(plain, on_invalid=on_invalid)
    if name is not None:
        scalar.name = name
    try:
        return Mapper(scalar, fastmath=fastmath, prefer=prefer, certify=certify)
    except CaptureError as problem:
        if config.debug:
            raise
        raise problem.with_traceback(None) from problem.__cause__  # has the user's line


_NUMBERS = itertools.count(1)


def is_expression(value: Any) -> bool:
    """Return whether a value is an expression of SymPy."""
    module = type(value).__module__.partition(".")[0]
    return module == "sympy" or (hasattr(value, "free_symbols") and hasattr(value, "_sympystr"))


def from_sympy(expression: Any, args: Sequence[Any] | None, name: str) -> FunctionType:
    """Return the scalar function of a SymPy expression.

    Parameters
    ----------
    expression : SymPy's
    Its symbols, or their names, in the order of the operands; None: all, by name
    name : of the function
    """
    free = {str(symbol) for symbol in expression.free_symbols}
    names = [str(symbol) for symbol in args] if args is not None else sorted(free)
    for each in names:
        if not each.isidentifier() or keyword.iskeyword(each):
            raise ArgumentError(f"op: {each!r} is not a name of an operand; rename the symbol")
    if len(set(names)) != len(names) or free - set(names):
        missing = ", ".join(sorted(free - set(names))) or "nothing more, and each once"
        raise ArgumentError(
            f"op: args={names} does not fit the expression {expression}; expected also: {missing}"
        )
    text = f"def {name}({', '.join(names)}):\n    return {_printed(expression)}\n"
    filename = f"<sympy expression {next(_NUMBERS)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    space: dict[str, Any] = {"math": importlib.import_module("math")}
    if "scipy.special" in text:
        space["scipy"] = importlib.import_module("scipy")
        importlib.import_module("scipy.special")
    exec(compile(text, filename, "exec"), space)
    function: FunctionType = space[name]
    return function


def _printed(expression: Any) -> str:
    """Return the expression as Python text with functions of `math` and `scipy.special`."""
    printer: Any = importlib.import_module("sympy.printing.pycode").PythonCodePrinter
    of_scipy: Any = importlib.import_module("sympy.printing.numpy").SciPyPrinter
    known = printer().known_functions
    special = {
        name: its
        for name, its in of_scipy().known_functions.items()
        if name not in known and its.startswith("scipy.special.")
    }
    if getattr(expression, "is_Matrix", False):
        raise ArgumentError("op: the expression is a matrix; give its elements one by one")
    sympy = importlib.import_module("sympy")
    if expression.has(sympy.Sum, sympy.Product, sympy.Derivative, sympy.Integral):
        expression = expression.doit()
    options = {"fully_qualified_modules": True, "user_functions": special}
    try:
        return str(printer(options).doprint(expression))
    except NotImplementedError as error:
        reason = str(error).splitlines()[0]
        raise CaptureError(
            f"op: SymPy writes no Python text of {expression}: {reason}; rewrite it with functions "
            "of math or scipy.special (expression.rewrite(...), doit(), evalf())"
        ) from None
