"""The kernel of loops and branches: rows of kernel calls, run as a table says.

Its record is the table's address, the number of arrays, and their addresses. The table never
changes: the records of the rows are copied into working memory of the run, and addresses are
written there, so that runs of one table do not meet.
"""

from __future__ import annotations

from nbgraph.kernels.written import function

# The words at the front of a table. A slot is the place of an array in the record; -1 stands for
# none. Sections follow, each at its own word of the table, with a count before it (`SECTIONS`).
WORDS = (
    *("length", "count_slot", "reverse", "work_slot", "tests", "test_offset"),
    *("count_out", "choice_slot"),
)
# What each entry of a section says, in words. Offsets and steps are bytes.
SECTIONS = {
    "template": ("value",),  # records of the rows, one behind the other, with addresses missing
    "begin": ("to", "to_offset", "source", "source_offset", "bytes"),  # copied before
    "clear": ("slot", "offset", "bytes"),  # set to zero before
    "fixed": ("place", "slot", "offset"),  # addresses that stay the same in a run
    "moving": ("place", "slot", "offset", "step"),  # that move from step to step
    "turning": ("place", "even", "odd"),  # in working memory, that alternate
    "branch": ("first", "end"),  # rows
    "row": ("function", "size", "record"),  # record: a word of the template
    "end": ("to", "to_offset", "even", "odd", "bytes"),  # copied after
}
HEAD = len(WORDS) + 2 * len(SECTIONS)


def _array(slot: str) -> str:
    """Return the text of the address of an array."""
    return f"word(args, {slot} + 2)"


def _each(
    section: str, *lines: str, prefix: str = "", first: str = "0", end: str = ""
) -> list[str]:
    """Return the lines of a loop over the entries of a section, whose words are read by name; `$`
    is the prefix of names, by default the section's."""
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
TEXT = function(
    "def control(args, lo, hi):",
    "table = word(args, 0)",
    *(f"{name} = word(table, {k})" for k, name in enumerate(_FRONT)),
    f"work = {_array('work_slot')}",
    "records = int64_pointer(work)",
    "copied(records, int64_pointer(table + template_at * 8), template_count * 8)",
    "limit = length",
    "if count_slot >= 0:",
    f"    limit = min(length, word({_array('count_slot')}, 0))",
    *_each("begin", _copy(f"{_array('$source')} + $source_offset")),
    *_each(
        "clear",
        f"target = uint8_pointer({_array('$slot')} + $offset)",
        "for k in range($bytes):",
        "    store(target, k, uint8(0))",
    ),
    *_each("fixed", f"store(records, $place, {_array('$slot')} + $offset)"),
    "step = 0",
    "is_odd = False",
    "while length < 0 or step < limit:",
    *(f"    {line}" for line in _STEP),
    *_each("end", _copy("work + select(is_odd, $odd, $even)")),
    "if count_out >= 0:",
    f"    store(int64_pointer({_array('count_out')}), 0, step)",
    "return 0",
)
