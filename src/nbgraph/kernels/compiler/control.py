"""Loops and branches over kernels, executed as one kernel of the common signature.

A `Table` says which kernels run, how often, and how the addresses in their records change from
step to step. It is the code of a kernel call like any other: to the engine a loop of a hundred
thousand steps is one row of a plan.

The record of the kernel that runs any table holds the table's address, the number of arrays, and
their addresses. The table is immutable: each run copies the records of the rows into working memory
of its own and writes the addresses there, so concurrent runs of one table do not interfere.

A call has the range (0, 1), the whole loop. A loop that ends by its test alone may be called with
(0, 2): after `patience` steps it leaves the rest to a call with (1, 2); see `UNFINISHED`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.kernel_errors import UNFINISHED
from nbgraph.kernels.compiler.kernel import Kernel, Ready
from nbgraph.kernels.compiler.written import function, written

# The words at the front of a table. A slot is the index of an array in the record, or -1. The
# sections follow, each at a word of the table that the front names, with a count (`SECTIONS`).
WORDS = (
    *("length", "count_slot", "reverse", "work_slot", "tests", "test_offset"),
    *("count_out", "choice_slot", "patience"),
)
# The words of an entry of each section. Offsets and steps are bytes.
SECTIONS = {
    "template": ("value",),  # records of the rows, one after the other, with addresses missing
    "begin": ("to", "to_offset", "source", "source_offset", "bytes"),  # copied before step 0
    "clear": ("slot", "offset", "bytes"),  # zeroed before the first step
    "fixed": ("place", "slot", "offset"),  # addresses that are constant in a run
    "moving": ("place", "slot", "offset", "step"),  # addresses that move from step to step
    "turning": ("place", "even", "odd"),  # addresses in working memory, which alternate
    "branch": ("first", "end"),  # a range of rows
    "row": ("function", "size", "record"),  # `record` is a word of the template
    "end": ("to", "to_offset", "even", "odd", "bytes"),  # copied after the last step
}
HEAD = len(WORDS) + 2 * len(SECTIONS)


def _array(slot: str) -> str:
    """Return the text of the address of the array at a slot."""
    return f"word(args, {slot} + 2)"


def _each(
    section: str, *lines: str, prefix: str = "", first: str = "0", end: str = ""
) -> list[str]:
    """Return the lines of a loop over the entries of a section. Each entry's words are read into
    names; `$` in `lines` stands for `prefix`, by default the section's name."""
    names, prefix = SECTIONS[section], prefix or f"{section}_"
    reads = [
        f"${name} = word(table, {section}_at + $i * {len(names)} + {k})"
        for k, name in enumerate(names)
    ]
    head = f"for $i in range({first}, {end or f'{section}_count'}):"
    return [line.replace("$", prefix) for line in (head, *(f"    {x}" for x in (*reads, *lines)))]


def _copy(source: str) -> str:
    target = f"{_array('$to')} + $to_offset"
    return f"copied(uint8_pointer({target}), uint8_pointer({source}), $bytes)"


_CALL = (
    "status = call_kernel($function, work + $record * 8, 0, $size)",
    "if status != 0:",
    "    return status",
)
_FRONT = [*WORDS, *(f"{name}_{part}" for name in SECTIONS for part in ("count", "at"))]
_STEP = (
    "if step == most:",
    "    store(reached, 0, step)",
    f"    return {UNFINISHED}",
    "index = select(reverse != 0, limit - 1 - step, step)",
    *_each("moving", f"store(records, $place, {_array('$slot')} + $offset + index * $step)"),
    *_each("turning", "store(records, $place, work + select(is_odd, $odd, $even))"),
    *_each("row", *_CALL, prefix="test_", end="tests"),
    "if tests > 0:",
    "    if load(uint8_pointer(work + test_offset), 0) == 0:",
    "        break",
    "start = tests",
    "stop = row_count",
    "if choice_slot >= 0:",
    f"    choice = word({_array('choice_slot')}, 0)",
    "    choice = min(max(choice, 0), branch_count - 1)",
    "    start = word(table, branch_at + 2 * choice)",
    "    stop = word(table, branch_at + 2 * choice + 1)",
    *_each("row", *_CALL, first="start", end="stop"),
    "step += 1",
    "is_odd = step % 2 != 0",
)
_BEGIN = (
    "copied(records, int64_pointer(table + template_at * 8), template_count * 8)",
    *_each("begin", _copy(f"{_array('$source')} + $source_offset")),
    *_each(
        "clear",
        f"target = uint8_pointer({_array('$slot')} + $offset)",
        "for k in range($bytes):",
        "    store(target, k, uint8(0))",
    ),
    *_each("fixed", f"store(records, $place, {_array('$slot')} + $offset)"),
)
TEXT = function(
    "def control(args, lo, hi):",
    "table = word(args, 0)",
    *(f"{name} = word(table, {k})" for k, name in enumerate(_FRONT)),
    f"work = {_array('work_slot')}",
    "records = int64_pointer(work)",
    "limit = length",
    "if count_slot >= 0:",
    f"    limit = min(length, word({_array('count_slot')}, 0))",
    "reached = int64_pointer(work + test_offset + 8)",
    "most = -1",
    "step = 0",
    "if lo == 0:",
    *(f"    {line}" for line in _BEGIN),
    "    if hi > 1:",
    "        most = patience",
    "else:",
    "    step = load(reached, 0)",
    "is_odd = step % 2 != 0",
    "while length < 0 or step < limit:",
    *(f"    {line}" for line in _STEP),
    *_each("end", _copy("work + select(is_odd, $odd, $even)")),
    "if count_out >= 0:",
    f"    store(int64_pointer({_array('count_out')}), 0, step)",
    "return 0",
)


def _routine() -> Kernel:
    """Return the kernel that runs any table."""
    return written("control", TEXT, "float64")


class Table(Ready):
    """A loop or a branch over kernels, complete except for its arrays.

    `name`: str. `front`: the words of `WORDS`; omitted ones are -1. `sections`: the entries by
    section; the function of a row is the kernel itself. `keep`: objects that live as long as the
    table, such as constants of the rows.
    """

    def __init__(
        self,
        name: str,
        front: Mapping[str, int],
        sections: Mapping[str, Sequence[Sequence[Any]]],
        keep: Any = None,
    ) -> None:
        self.keep = keep
        self._codes = [row[0] for row in sections["row"]]
        super().__init__(name, TEXT)
        self.origin, self.seconds = "builtin", 0.0
        words, body = [front.get(word, -1) for word in WORDS], list[int]()
        for section in SECTIONS:
            entries = sections.get(section, ())
            words += [len(entries), HEAD + len(body)]
            if section == "row":
                self._rows = HEAD + len(body)
                entries = [(0, *entry[1:]) for entry in entries]
            body += [word for entry in entries for word in entry]
        self.words = np.array([*words, *body], np.int64)
        self.where: int = self.words.__array_interface__["data"][0]
        self._address = 0

    @property
    def address(self) -> int:
        """The address of the code; reading it loads the kernels of all rows."""
        if not self._address:
            width = len(SECTIONS["row"])
            for k, code in enumerate(self._codes):
                self.words[self._rows + k * width] = code.address
            self._address = _routine().address
        return self._address

    @property
    def kernels(self) -> list[Any]:
        """The kernels of all rows, including those of nested loops."""
        return [k for code in self._codes for k in getattr(code, "kernels", (code,))]

    def at_hand(self) -> bool:
        return all(kernel.at_hand() for kernel in self.kernels)

    def load(self) -> None:
        """Load all kernels into memory."""
        for kernel in self.kernels:
            kernel.load()

    def llvm(self) -> str:
        """Return the LLVM text of the kernel that runs tables."""
        return _routine().llvm()
