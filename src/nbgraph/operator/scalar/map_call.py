"""Scalar operators as kernel calls: a map over arrays that broadcast to one shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from nbgraph.dtype import name_of, real_dtype
from nbgraph.kernels.loops.cost import of_kernel, per_element
from nbgraph.kernels.scalar.kinds import Word
from nbgraph.native.processor import LINE, last_cache
from nbgraph.operator.kernel_call import KernelCall, in_word, of_space
from nbgraph.operator.layout import Layout, Layouts, classes_of, keep
from nbgraph.operator.scalar.typing import Typed, parameter_bytes, require_fit
from nbgraph.settings import config
from nbgraph.shape import Shape, Space, is_ordered, space, tiled

if TYPE_CHECKING:
    from nbgraph.kernels.compiler.kernel import Kernel
    from nbgraph.kernels.loops.loop import Loop
    from nbgraph.kernels.scalar.nodes import Node

_FULL = 64  # elements from which a row fills its vectors
_SHORT = range(8, 16)  # elements of rows that are too short for separate loops
_COSTLY = 1.0  # nanoseconds of an element that calls a function of vectors
_RUN = 1024  # elements; in shorter runs partial cache lines at the ends matter


def threshold() -> int:
    """Return the bytes of outputs from which they are streamed; 0: never."""
    asked = config.stream_bytes
    return last_cache() // 2 if asked < 0 else asked


def streams(
    where: Space, sizes: Sequence[int], layouts: Sequence[str], requests: Sequence[str]
) -> bool:
    """Return whether the outputs of a map over a space bypass the caches: `sizes` of elements,
    layouts and requests are those of needed outputs.

    >>> streams(Space(1 << 30, (4, 4), ()), [4], ["c"], ["write"])
    True
    >>> streams(Space(1 << 30, (4, 4), ()), [4], ["c"], ["add"])
    False
    """
    least = threshold()
    large = 0 < least <= where.size * sum(sizes)
    return large and where.inner >= _RUN and {*layouts} == {"c"} and {*requests} == {"write"}


def level(addresses: Sequence[int]) -> bool:
    """Return whether cache lines begin at the same elements of all outputs.

    >>> level([0, 4096]), level([16, 32])
    (True, False)
    """
    return len({address % LINE for address in addresses}) == 1


_KEPT = 1024  # calls cached per plan
_PARTS = {"complex64": "float32", "complex128": "float64"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Plan:
    """A scalar operator for one set of dtypes and parameters: its kernels by layout classes and
    requests, and its kernel calls by layouts.

    For other values, a plan differs from the plan that it is `like` in the words of calls alone.
    `literals` are read from the record, after the scalar parameters (see
    `nbgraph.kernels.scalar.transplant`). `loop_name`: the loop's name, equal for operators that
    share kernels.
    """

    name: str
    loop_name: str
    fastmath: bool
    typed: Typed
    parameters: dict[str, Any]
    literals: tuple[Node, ...]
    kernels: dict[tuple[Any, ...], Kernel]
    calls: dict[tuple[Any, ...], KernelCall] = field(default_factory=dict)
    like: Plan | None = None

    def having(self, parameters: Mapping[str, Any]) -> Plan:
        """Return this plan with other parameter values; OverflowError for a value too large."""
        own = self.parameters
        if all(own[name] is value for name, value in parameters.items()):
            return self
        require_fit(self.name, self.typed.captured, parameters)
        like = self.like or self
        return replace(like, parameters=dict(parameters), calls={}, like=like)

    @property
    def uniform(self) -> tuple[Node, ...]:
        """The nodes with one value per call: the scalar parameters and literals."""
        return self.typed.captured.parameters + self.literals

    def parameter_words(self) -> list[bytes]:
        """Return the bytes of the scalar parameters and literals (`uniform`)."""
        values = [self.parameters[str(leaf.data)] for leaf in self.typed.captured.parameters]
        values += [literal.data for literal in self.literals]
        return [
            parameter_bytes(leaf.kind, value, self.typed.compute)
            for leaf, value in zip(self.uniform, values, strict=True)
        ]

    def words(self) -> list[int]:
        """Return `parameter_words` as integers."""
        return [in_word(word) for word in self.parameter_words()]

    def varying(self, names: Sequence[str]) -> list[tuple[Word, int]] | None:
        """Return, for a number of each of these parameters, how it becomes a word of the record:
        its kind (`kernels.scalar.kinds.Word`) and its index in `parameter_words`, one past the end
        if it is not read. None if the record holds values other than numbers."""
        typed, leaves = self.typed, self.typed.captured.parameters
        floats = {"float64": Word.DOUBLE, "float32": Word.SINGLE}.get(typed.compute)
        places = {str(leaf.data): (i, leaf.kind) for i, leaf in enumerate(leaves)}
        if floats is None:
            return None
        words: list[tuple[Word, int]] = []
        for name in names:
            place, kind = places.get(name, (len(self.uniform), "f"))
            if kind not in ("f", "i"):
                return None
            words.append((floats if kind == "f" else Word.WHOLE, place))
        return words

    def scalars(self, operands: Sequence[Layout | None]) -> tuple[tuple[str, str], ...]:
        """Return kind and precision of each operand that is a number (None); two for the parts of a
        complex one."""
        typed = self.typed
        rows = zip(typed.leaves, typed.operands, operands, strict=True)
        return tuple(
            [
                (leaf.kind, real_dtype(dtype).name)
                for leaves, dtype, o in rows
                if o is None
                for leaf in leaves
            ]
        )

    def numbers(self, values: Sequence[Any]) -> list[Any]:
        """Return the numbers of a call's record: the operands that are numbers (None for others),
        both parts of a complex one."""
        numbers: list[Any] = []
        for value, dtype in zip(values, self.typed.operands, strict=True):
            if value is not None:
                numbers += (value.real, value.imag) if dtype.kind == "c" else (value,)
        return numbers

    def kernel(
        self, layouts: Sequence[Any], dtypes: Sequence[str], requests: Sequence[Any], **flags: bool
    ) -> Kernel:
        """Return the kernel of a map over these layouts; see `loop`."""
        set_flags = [name for name, value in flags.items() if value]
        key = (tuple(layouts), tuple(dtypes), tuple(requests), *set_flags)
        code = self.kernels.get(key)
        if code is None:
            from nbgraph.kernels.compiler.kernel import (
                kernel,  # the compiler is loaded when needed
            )

            loop = self.loop(layouts, dtypes, requests, **flags)
            code = self.kernels[key] = kernel(loop, self.name)
        return code

    def loop(
        self,
        layouts: Sequence[Any],
        dtypes: Sequence[str],
        requests: Sequence[Any],
        *,
        disjoint: bool = False,
        streaming: bool = False,
        unordered: bool = False,
        joined: bool = False,
    ) -> Loop:
        """Return the description of a map over these layouts, with outputs of these dtypes.

        An operand of layout "p" is a number in the record, after `uniform`; an output with request
        "null" is omitted. `disjoint`, `streaming`, `joined`: see Loop; `unordered`: not `ordered`.
        """
        from nbgraph.kernels.loops.loop import Loop, Operand, Output

        typed = self.typed
        captured, count = typed.captured, len(typed.operands)
        rows = list(zip(typed.leaves, typed.operands, layouts[:count], strict=True))
        results = list(zip(typed.results, dtypes, layouts[count:], requests, strict=True))
        return Loop(
            self.loop_name,
            "map",
            captured.graph,
            typed.compute,  # type: ignore[arg-type]
            tuple(
                [
                    Operand(nodes[0], name_of(real_dtype(d)), own, imag=(*nodes, None)[1])
                    for nodes, d, own in rows
                    if own != "p"
                ]
            ),
            self.uniform + tuple([node for nodes, _, own in rows if own == "p" for node in nodes]),
            tuple(
                [
                    Output(nodes[0], _PARTS.get(d, d), own, request, imag=(*nodes, None)[1])
                    for nodes, d, own, request in results
                    if request != "null"
                ]
            ),
            fastmath=self.fastmath,
            disjoint=disjoint,
            ordered=not unordered,
            streaming=streaming,
            joined=joined,
        )


def map_call(
    plan: Plan,
    shape: Shape,
    operands: Sequence[Layout | None],
    outputs: Layouts,
    requests: Sequence[str],
    *,
    disjoint: bool = False,
    once: bool = False,
) -> KernelCall:
    """Return the kernel call for operands of these layouts (None: a number), broadcast to `shape`.

    Outputs have that shape; one with request "null" is omitted. `disjoint`: the caller ensures that
    no output shares memory with another, nor with an operand except for identical elements; several
    outputs then need no check at run time. `once`: nothing shares memory with an output, and it is
    not read soon; large outputs then bypass the caches.
    """
    least = threshold() if once else 0
    key = (shape, *operands, *outputs, *requests, disjoint, least)
    call = plan.calls.get(key)
    if call is not None:
        return call
    what, how = (shape, operands, outputs, requests), {"disjoint": disjoint, "once": once}
    if plan.like is not None:
        call = map_call(plan.like, *what, **how).having(plan.words())
    else:
        call = _map_call(plan, *what, **how)
    return keep(plan.calls, key, call, _KEPT)


def _map_call(
    plan: Plan,
    shape: Shape,
    operands: Sequence[Layout | None],
    outputs: Layouts,
    requests: Sequence[str],
    *,
    disjoint: bool,
    once: bool,
) -> KernelCall:
    in_arrays = [o for o in operands if o is not None]
    written = [o for o, r in zip(outputs, requests, strict=True) if r != "null"]
    arrays, sizes = [*in_arrays, *written], [o.dtype.itemsize for o in written]
    strides = [strides_in(a, shape) for a in arrays]
    joined = None
    if all(a.contiguous and a.shape == shape for a in arrays):
        where = Space(arrays[0].size, tuple([a.dtype.itemsize for a in arrays]), ())
        classes = ("c",) * len(arrays)
    else:
        where = space(shape, strides)
        joined = _joined(plan, where, arrays, len(in_arrays))
        if joined is None:
            where = tiled(where)
        elif not where.outer:
            where = where._replace(outer=((1, (0,) * len(arrays)),))
        classes = joined or classes_of(arrays, where, len(in_arrays))
    own_classes = iter(classes)
    layouts = ["p" if o is None else next(own_classes) for o in operands]
    layouts += ["c" if r == "null" else next(own_classes) for r in requests]
    delivered = [r for r in requests if r != "null"]
    code = plan.kernel(
        layouts,
        [name_of(o.dtype) for o in outputs],
        requests,
        disjoint=disjoint and len(written) > 1,  # otherwise not needed
        joined=joined is not None,
        streaming=joined is None
        and once
        and streams(where, sizes, classes[len(in_arrays) :], delivered),
        unordered=bool(plan.typed.captured.graph.raises) and not is_ordered(where, shape, strides),
    )
    nbytes = sum([a.dtype.itemsize for a in arrays])
    cost = max(1, int(where.size * per_element(plan.typed.captured, nbytes)))
    return KernelCall(
        plan.name,
        code,
        order=tuple(range(len(arrays))),
        size=where.size,
        cost=of_kernel(code.loop, cost),
        scalars=plan.scalars(operands),
        writes=len(written),
        **of_space(where, plan.words()),
    )


def _joined(
    plan: Plan, where: Space, arrays: Layouts, operands: int
) -> tuple[Literal["c", "0", "s"], ...] | None:
    """Return the layouts for runs that go on across rows (`Loop.joined`), or None where that is
    not quicker: it is where rows are short, or strided and functions of vectors are called."""
    captured, items = plan.typed.captured, [a.dtype.itemsize for a in arrays]
    extent, far = where.outer[0] if where.outer else (1, (0,) * len(arrays))
    strided = any(s not in (0, n) for s, n in zip(where.steps, items, strict=True))
    if where.size < _FULL or (where.inner >= _FULL and not (strided and tiled(where) == where)):
        return None
    classes: list[Literal["c", "0", "s"]] = []
    for k, (item, step, across) in enumerate(zip(items, where.steps, far, strict=True)):
        if step == item and (extent == 1 or across == item * where.inner):
            classes.append("c")
        else:
            classes.append("0" if k < operands and step == across == 0 else "s")
    if any(a.dtype.kind == "c" for a in arrays) or any(n.regions for n in captured.graph.nodes):
        return None
    worth = per_element(captured, 0) >= _COSTLY or where.inner in _SHORT
    return tuple(classes) if worth and "s" in {*classes} - {*classes[operands:]} else None


def strides_in(a: Layout, shape: Shape) -> tuple[int, ...]:
    """Return strides as of an array broadcast to `shape`."""
    lead = len(shape) - len(a.shape)
    own = [0 if n == 1 else s for n, s in zip(a.shape, a.strides, strict=True)]
    return (*(0,) * lead, *own)
