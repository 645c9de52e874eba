"""Kernel calls that engines run: an address, a record of 64-bit words, a range."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from nbgraph.errors import ArgumentError
from nbgraph.kernel_errors import of_kernel

if TYPE_CHECKING:
    from nbgraph.device import RunContext

_PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
SMALL_BELOW = 2_000  # nanoseconds up to which a kernel may run in the pusher, if it is ready


class NativeCall:
    """A call of `int64 kernel(int64 args, int64 lo, int64 hi)` at an address, ready to be pushed.

    `address`: of the kernel, which returns 0, or an error code that becomes a KernelError.
    `record`: the words `args` points to (they are copied), or their address. `hi`, `lo`: the range.
    `cost`: estimated nanoseconds of the whole range; short kernels may run in the pusher, long ones
    may be cut into chunks for idle workers; 0: neither. `keep`: an object kept alive by this one.
    `resumes`: whether it is a loop of unknown length that a plan may run in two parts; see
    `kernel_errors.UNFINISHED`.

    The compiled engine runs it without Python; any engine may call it as a function. Where it
    crashes the process, NBGRAPH_DEBUG=1 with `python -X faulthandler` prints its name: every kernel
    then runs below a Python frame of its name.
    """

    __slots__ = ("__name__", "_words", "address", "cost", "hi", "keep", "lo", "record", "resumes")

    def __init__(
        self,
        address: int,
        record: Sequence[int] | int = (),
        hi: int = 0,
        *,
        lo: int = 0,
        name: str = "kernel",
        cost: int = 0,
        keep: Any = None,
        resumes: bool = False,
    ) -> None:
        if not address:
            raise ArgumentError(f"NativeCall {name!r}: address=0; expected that of a kernel")
        if hi < lo:
            raise ArgumentError(f"NativeCall {name!r}: hi={hi} is below lo={lo}")
        self.__name__ = name
        self.address, self.lo, self.hi = address, lo, hi
        self.cost, self.keep, self.resumes = cost, keep, resumes
        self.record: int
        self._words: Any = None
        if isinstance(record, int):
            self.record = record
        else:
            self._words = (ctypes.c_int64 * max(1, len(record)))(*record)
            self.record = ctypes.addressof(self._words)

    def __call__(self, run_ctx: RunContext | None = None) -> None:
        """Run it on this thread, without the GIL."""
        code = _PROTOTYPE(self.address)(self.record, self.lo, self.hi)
        if code:
            raise of_kernel(self.__name__, code)

    def shown(self, name: str) -> Callable[[RunContext], None]:
        """Return it as a Python function called `name`, which faulthandler shows at a crash."""

        def kernel(run_ctx: RunContext) -> None:
            self(run_ctx)

        kernel.__code__ = kernel.__code__.replace(co_name=name, co_qualname=name)
        kernel.__name__ = name
        return kernel

    def __repr__(self) -> str:
        return f"<native call {self.__name__!r}, range {self.lo} to {self.hi}>"
