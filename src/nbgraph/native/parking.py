"""Threads that sleep until a word changes; the clock; memory from the C library.

A waiting thread reads a word, decides to sleep, and calls `park(word, value, ...)`; the thread that
changes the word calls `unpark` after that. No wake-up is lost: `park` reads the word again before
it sleeps. It may also return early, so callers check the word themselves and call again.

`PARKING` is the method: "futex" (Linux; one system call, no memory of its own) or "portable" (a
mutex and a condition of POSIX threads in `area`, which all words of one owner share). The setting
`parking="portable"` forces the latter. The code depends on it, so a cache of object code must have
`PARKING` in its keys. None of these functions can fail or takes the GIL.
"""

# mypy: ignore-errors
# pyright: basic

import errno
import platform
import sys

from llvmlite import ir
from numba import types
from numba.core import cgutils

from nbgraph.native.intrinsics import llvm_intrinsic
from nbgraph.settings import Settings

_SYSCALLS = {"x86_64": 202, "aarch64": 98}  # the number of futex
_FUTEX = _SYSCALLS.get(platform.machine()) if sys.platform == "linux" else None
_WAIT, _WAKE = 128, 129  # FUTEX_WAIT_PRIVATE, FUTEX_WAKE_PRIVATE
PARKING = (
    "portable" if _FUTEX is None or Settings.from_environment().parking == "portable" else "futex"
)
AREA = 256  # zeroed bytes for `prepare_parking`

_DARWIN = sys.platform == "darwin"
_MONOTONIC = 6 if _DARWIN else 1  # CLOCK_MONOTONIC
_CONDITION = 128  # offset in the area, after the mutex
_SECOND = 10**9

_I32, _I64, _VOID = ir.IntType(32), ir.IntType(64), ir.VoidType()
_POINTER = ir.IntType(8).as_pointer()
_NULL = ir.Constant(_POINTER, None)


def _call(builder, name, result, *args, variadic=False):
    """Emit a call of a C library function, whose parameters have the types of `args`."""
    fixed = args[:1] if variadic else args
    kind = ir.FunctionType(result, [a.type for a in fixed], var_arg=variadic)
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


def _pointer(builder, address):
    return builder.inttoptr(address, _POINTER)


def _timespec(builder):
    """Return stack memory for seconds and nanoseconds."""
    return cgutils.alloca_once(builder, ir.ArrayType(_I64, 2))


def _fields(builder, spec):
    zero = _I32(0)
    return [builder.gep(spec, [zero, _I32(n)]) for n in range(2)]


def _set_time(builder, spec, nanoseconds):
    for place, part in zip(_fields(builder, spec), (builder.udiv, builder.urem)):
        builder.store(part(nanoseconds, _I64(_SECOND)), place)
    return builder.bitcast(spec, _POINTER)


def _now(builder):
    spec = _timespec(builder)
    _call(builder, "clock_gettime", _I32, _I32(_MONOTONIC), builder.bitcast(spec, _POINTER))
    seconds, nanoseconds = (builder.load(place) for place in _fields(builder, spec))
    return builder.add(builder.mul(seconds, _I64(_SECOND)), nanoseconds)


def _futex_park(builder, word, expected, timeout, area):
    spec = _set_time(builder, _timespec(builder), timeout)
    endless = builder.icmp_signed("<", timeout, _I64(0))
    limit = builder.ptrtoint(builder.select(endless, _NULL, spec), _I64)
    request = (_I64(_FUTEX), word, _I64(_WAIT), expected, limit)
    failed = _call(builder, "syscall", _I64, *request, variadic=True)
    slept = builder.icmp_signed("==", failed, _I64(0))
    place = _call(builder, "__errno_location", _I32.as_pointer())
    differs = builder.icmp_signed("==", builder.load(place), _I32(errno.EAGAIN))
    return builder.or_(slept, differs)


def _portable_park(builder, word, expected, timeout, area):
    mutex = _pointer(builder, area)
    outcome = cgutils.alloca_once_value(builder, _I32(0))
    _call(builder, "pthread_mutex_lock", _I32, mutex)
    low = builder.inttoptr(word, _I32.as_pointer())
    value = builder.load_atomic(low, "acquire", 4)
    same = builder.icmp_signed("==", value, builder.trunc(expected, _I32))
    with builder.if_then(same):
        builder.store(_wait(builder, mutex, area, timeout), outcome)
    _call(builder, "pthread_mutex_unlock", _I32, mutex)
    return builder.icmp_signed("==", builder.load(outcome), _I32(0))


def _wait(builder, mutex, area, timeout):
    """Emit a wait for the condition, which gives 0, or an error when the time is up."""
    condition = _pointer(builder, builder.add(area, _I64(_CONDITION)))
    result = cgutils.alloca_once(builder, _I32)
    endless = builder.icmp_signed("<", timeout, _I64(0))
    with builder.if_else(endless) as (no_limit, limited):
        with no_limit:
            builder.store(_call(builder, "pthread_cond_wait", _I32, condition, mutex), result)
        with limited:
            # Darwin's conditions have the wall clock only, but can wait for a duration
            name = "pthread_cond_timedwait" + ("_relative_np" if _DARWIN else "")
            until = timeout if _DARWIN else builder.add(_now(builder), timeout)
            spec = _set_time(builder, _timespec(builder), until)
            builder.store(_call(builder, name, _I32, condition, mutex, spec), result)
    return builder.load(result)


_park = _futex_park if PARKING == "futex" else _portable_park


@llvm_intrinsic(types.int64(types.int64, types.int64, types.int64, types.int64))
def park(builder, word, expected, timeout_ns, area):
    """Sleep while the low 32 bits at `word` equal those of `expected`, at most `timeout_ns`
    (negative: no limit). Return 1 if woken or the word differs, 0 at a time-out or signal."""
    return builder.zext(_park(builder, word, expected, timeout_ns, area), _I64)


@llvm_intrinsic(types.void(types.int64, types.int64, types.int64))
def unpark(builder, word, count, area):
    """Wake `count` threads that sleep at `word`; the portable method wakes all of the area."""
    if PARKING == "futex":
        request = (_I64(_FUTEX), word, _I64(_WAKE), count)
        _call(builder, "syscall", _I64, *request, variadic=True)
    else:
        # under the mutex, so not between another thread's check of its word and its sleep
        mutex = _pointer(builder, area)
        condition = _pointer(builder, builder.add(area, _I64(_CONDITION)))
        _call(builder, "pthread_mutex_lock", _I32, mutex)
        _call(builder, "pthread_cond_broadcast", _I32, condition)
        _call(builder, "pthread_mutex_unlock", _I32, mutex)


@llvm_intrinsic(types.void(types.int64))
def prepare_parking(builder, area):
    """Prepare `AREA` zeroed bytes for `park` and `unpark`; they must not move."""
    if PARKING == "portable":
        mutex = _pointer(builder, area)
        condition = _pointer(builder, builder.add(area, _I64(_CONDITION)))
        _call(builder, "pthread_mutex_init", _I32, mutex, _NULL)
        attributes = _NULL
        if not _DARWIN:
            room = cgutils.alloca_once(builder, ir.ArrayType(_I64, 2))
            attributes = builder.bitcast(room, _POINTER)
            _call(builder, "pthread_condattr_init", _I32, attributes)
            clock = _I32(_MONOTONIC)
            _call(builder, "pthread_condattr_setclock", _I32, attributes, clock)
        _call(builder, "pthread_cond_init", _I32, condition, attributes)


@llvm_intrinsic(types.void())
def yield_now(builder):
    """Let another thread have this processor."""
    _call(builder, "sched_yield", _I32)


@llvm_intrinsic(types.int64())
def now(builder):
    """Return the time of a monotonic clock in nanoseconds."""
    return _now(builder)


@llvm_intrinsic(types.int64(types.int64))
def allocate(builder, size):
    """Return the address of `size` zeroed bytes, aligned to 16, or 0 without memory."""
    return builder.ptrtoint(_call(builder, "calloc", _POINTER, _I64(1), size), _I64)


@llvm_intrinsic(types.void(types.int64))
def release(builder, address):
    """Free memory of `allocate`; an address of 0 is ignored."""
    _call(builder, "free", _VOID, _pointer(builder, address))
