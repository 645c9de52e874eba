"""Copies, casts, fills and writes of elements; none of them is recorded."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.array.chunk import CPU
from nbgraph.array.core import COPIED, Array, empty_of, from_host
from nbgraph.array.index_cache import cached_fill, learn_fill
from nbgraph.array.place import place
from nbgraph.array.place import push as push_call
from nbgraph.array.push import WEAK, covers, same, write
from nbgraph.array.push import copied as copied
from nbgraph.array.route import Over, Routes
from nbgraph.array.transfer import transfer
from nbgraph.array.update import written
from nbgraph.device import Context, RunContext
from nbgraph.engine.inline import in_charge
from nbgraph.engine.properties import NORMAL, OVERWRITE
from nbgraph.engine.thread import here
from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.layout import Layout, keep, layout
from nbgraph.operator.scalar.map_call import map_call
from nbgraph.ops.elementwise.casting import caster
from nbgraph.settings import config

_KEPT = 2048  # entries of `_puts`
_puts: dict[Any, tuple[KernelCall | None, Routes]] = {}  # writes of elements by layouts and key
_numbers: dict[Any, Array] = {}
_SOON = 1 << 14  # bytes up to which the calling thread writes idle memory itself


def copy_of(array: Array, dtype: Any = None, device: Context | None = None) -> Any:
    """Return a row-major copy of `array`, cast as in C, on `device`."""
    own = layout(array.shape, array.dtype if dtype is None else dtype)
    result = empty_of(own, array.device if device is None else device)
    _write(array, result)
    return result


def filled(own: Layout, device: Context, value: Any, caller: Any = None) -> Any:
    """Return a new array filled with a number that its dtype can hold; `caller`: a frame."""
    engine = in_charge()
    plain = device is CPU and here.running is None
    if plain and (known := cached_fill(own, value, caller or engine.site_id(1))) is not None:
        return known
    result = empty_of(own, device)
    if plain and isinstance(engine, ThreadedEngine) and engine._open_gate():
        learn_fill(own, value)
    chunk = result._chunk
    idle = not engine._in_use(chunk) and place(device).host
    if own.nbytes <= _SOON and idle and engine._failure_of(chunk) is None:
        result._view().fill(value)
    else:
        fill_from(result, value)
    return result


def fill_from(target: Array, value: Any) -> None:
    """Overwrite `target` with an array or a number, broadcast and cast.

    Raise for a number that the dtype cannot hold, as assignment does in NumPy.
    """
    if type(value) not in WEAK:
        _write(value, target)
        return
    number_array = cell(value, target.dtype)
    number = number_array.item()
    if type(number) is complex:
        write(same, number, target)
        return
    if type(number) is int and not -(1 << 63) <= number < 1 << 63:
        write(same, from_host(number_array, target.device), target)
    else:
        write(same, number if type(number) in WEAK else float(number), target)


def cell(value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return a number as a 0-d array of this dtype; raise as NumPy does."""
    array = np.zeros((), dtype)
    try:
        array[...] = value
    except OverflowError:
        number = value if abs(value) < 1e40 else "beyond 1e40"
        raise OverflowError(
            f"the number {number} is out of bounds for {dtype}; give one that it holds, or cast "
            "the array with astype before"
        ) from None
    return array


def _write(value: Array, target: Array) -> None:
    """Write an array, broadcast and cast: by a kernel where all machines agree, else by NumPy."""
    if not target.size:
        return
    device = target._chunk.device
    if value._chunk.device != device and not (value._chunk.device.host and device.host):
        _bring(value, target)
        return
    op = same if target.dtype.kind == "c" else caster(value.dtype, target.dtype)
    if op is not None:
        write(op, value, target)
        return
    if not place(device).host:
        write(same, value, target)
        return
    chunks = [] if value._chunk is target._chunk else [value._chunk]
    in_charge().push(
        _Cast(value, target),
        const_vars=chunks,
        mutate_vars=[target._chunk],
        name="astype",
        prop=OVERWRITE if covers(target, [value]) else NORMAL,
    )


def prepare_copy(source: Layout, target: Layout) -> KernelCall | None:
    """Return the kernel call that copies and casts on the host, or None where NumPy has to cast."""
    op = caster(source.dtype, target.dtype)
    if op is None or config.compiler == "python":
        return None
    plan = op.invoker.plan_of([source.dtype], {})
    return map_call(plan, target.shape, [source], [target], ("write",), disjoint=True, once=True)


def _bring(value: Any, target: Array) -> None:
    """Write an array of another device: cast and broadcast there, transfer, then lay out here."""
    own = layout(target.shape, target.dtype)
    if value._layout is not own:
        sent = empty_of(own, value.device)
        _write(value, sent)
        value = sent
    if target._layout.contiguous:
        transfer(value, target, whole=target._holder is None)
        return
    came = empty_of(own, target.device)
    transfer(value, came, whole=True)
    _write(came, target)


class _Cast:
    """NumPy's cast between two views as a function for the engine."""

    __slots__ = ("source", "target")

    def __init__(self, value: Array, target: Array) -> None:
        self.source, self.target = value._view(), target._view()

    def __call__(self, run_ctx: RunContext) -> None:
        source = self.source
        if source.dtype.kind == "c" and self.target.dtype.kind not in "cb":
            source = source.real  # the call has warned
        with np.errstate(invalid="ignore", over="ignore"):
            np.copyto(self.target, source, casting="unsafe")  # overlap is minded


class _Assignment:
    """`target[key] = value` as a function for the engine."""

    __slots__ = ("indices", "key", "reads", "target", "value")

    def __init__(self, target: Array, value: Any, indices: Sequence[Array], key: Any) -> None:
        chunk = target._chunk
        operands = [copied(a) if getattr(a, "_chunk", 0) is chunk else a for a in (value, *indices)]
        self.target, self.key = target._view(), key
        self.value, *self.indices = (a._view() if isinstance(a, Array) else a for a in operands)
        self.reads = [a._chunk for a in operands if isinstance(a, Array)]

    def __call__(self, run_ctx: RunContext) -> None:
        from nbgraph.ops.indexing.keys import numpy_index  # with the first index array

        places = numpy_index("setitem", self.key, self.target.shape, self.indices)
        with np.errstate(invalid="ignore", over="ignore"):  # a cast as in C
            self.target[places] = self.value


def put_by_route(array: Array, value: Any, key: Any, indices: Sequence[Array], place: Any) -> bool:
    """Write a value at index arrays by the route of an earlier write, for the frame `place` of the
    caller; return False where the slow path is needed."""
    if type(value) is not type(array):
        if type(value) not in WEAK and type(value) not in COPIED:
            return False
        value = _number(cell(value, array.dtype))
    memory, operands = array._chunk, (value, *indices)
    put = _puts.get((array._layout, *[a._layout for a in operands], key))
    if put is None or put[0] is None or memory in [a._chunk for a in operands]:
        return False
    return written(put[1].push, place, (*operands, array), array)


def write_elements(array: Array, value: Any, indices: Sequence[Array], key: Any) -> None:
    """Push `array[key] = value`, where `key` is a template for the index arrays `indices`; numbers
    are NumPy's."""
    source = value if isinstance(value, Array) else _number(value)
    operands = [copied(a) if a._chunk is array._chunk else a for a in (source, *indices)]
    layouts = [a._layout for a in (array, *operands)]
    if (*layouts, key) not in _puts:
        from nbgraph.ops.indexing.scattering import write_call

        native = config.compiler != "python"
        call = None
        if native:
            call = write_call(layouts[0], layouts[1], layouts[2:], key, adds=False)
        keep(_puts, (*layouts, key), (call, Routes()), _KEPT)
    call, routes = _puts[*layouts, key]
    if call is None:
        work = _Assignment(array, value, indices, key)
        in_charge().push(work, const_vars=work.reads, mutate_vars=[array._chunk], name="setitem")
        return
    push_call(call, (*operands, array), overwrites=False)
    routes.learn(call, layouts[:1], operands, over=Over(array, whole=False, fits=True))


def _number(value: np.ndarray[Any, Any]) -> Array:
    """Return a NumPy scalar as a read-only array."""
    key = value.dtype, value.tobytes()
    number = _numbers.get(key)
    return keep(_numbers, key, from_host(value, CPU), _KEPT) if number is None else number
