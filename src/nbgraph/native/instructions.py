"""Numba intrinsics for the instructions of AVX-512 that take floats apart and put them together.

Each is a call of a function that is left open in the text (`@i_getexp_float32`);
`codegen.instructions` has its definitions, for scalars and for vectors.
"""

import llvmlite.binding as llvm
from llvmlite import ir
from numba.extending import intrinsic

from nbgraph.native.floats import require_float


def _emitter(name: str):
    """What lowers a call of an instruction."""

    def emit(_context, builder, signature, arguments):
        kind = arguments[0].type
        symbol, module = f"i_{name}_{signature.return_type}", builder.module
        function = module.globals.get(symbol)
        if function is None:
            kinds = [kind] * len(arguments)
            function = ir.Function(module, ir.FunctionType(kind, kinds), symbol)
            for attribute in ("nounwind", "readnone"):
                function.attributes.add(attribute)
            # Numba links what a function calls, though none of these is run
            llvm.add_symbol(symbol, llvm.address_of_symbol("abort"))
        return builder.call(function, arguments)

    return emit


@intrinsic
def exponent(context, x):
    """The e with |x| in [2^e, 2^(e + 1)), as a float; -inf of zero, inf of infinity."""
    require_float("exponent", x)
    return x(x), _emitter("getexp")


@intrinsic
def mantissa(context, x):
    """x / 2^exponent(x); 1 of zero and infinity, NaN of negative numbers."""
    require_float("mantissa", x)
    return x(x), _emitter("getmant")


@intrinsic
def scaled(context, x, n):
    """x * 2^n, rounded once, for a whole number n of x's type."""
    require_float("scaled", x, n)
    return x(x, n), _emitter("scalef")


@intrinsic
def settled(context, y, x):
    """y = the logarithm of x, with its values where x is zero, negative, infinite or a NaN."""
    require_float("settled", y, x)
    return y(y, x), _emitter("fixupimm")
