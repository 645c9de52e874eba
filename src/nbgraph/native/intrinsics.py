"""A decorator for Numba intrinsics, which are functions of LLVM's builder and the operands."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from numba.core.typing import Signature
from numba.extending import intrinsic


def llvm_intrinsic(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """Make an intrinsic of `emit(builder, *values)`, which returns its value, or None for void.

    `signature` is Numba's, or a function from the operands' types to it, or to None for no match.
    """

    def define(emit: Callable[..., Any]) -> Any:
        def codegen(context: Any, builder: Any, _: Any, values: Any) -> Any:
            value = emit(builder, *values)
            return context.get_dummy_value() if value is None else value

        def typed(typingctx: Any, *operands: Any) -> Any:
            own = signature if isinstance(signature, Signature) else signature(*operands)
            return None if own is None else (own, codegen)

        return intrinsic(functools.wraps(emit)(typed))

    return define
