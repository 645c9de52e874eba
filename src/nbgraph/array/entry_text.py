"""The entry of routes as LLVM text: the layout of its words, its functions, and the method.

The words are the constants of a route that `entry` passes.
"""

from __future__ import annotations

from nbgraph.codegen.python_text import PythonFunction
from nbgraph.engine.core.codes import FIXED
from nbgraph.engine.sites import OURS
from nbgraph.kernels.compiler.entry import unboxed
from nbgraph.kernels.scalar.kinds import Word

MOST = 512  # words of a push, record and variables included
MOST_OUTPUTS = 32
LINES = 8  # of user code that a route remembers; a power of two
# the kind of an operand that is not a number; those of numbers are `kernels.scalar.kinds.Word`
ARRAY = 0
# Words that are the same for all routes, and those of a route. Behind these lie the lines of user
# code seen last (key and number of each), the `FIXED` words of the push, five words for each
# output, two for each operand (its kind, its place in the record), and the record.
SHARED = (
    "kind frame none no zero closely recorder inside get set a_chunk a_address a_layout a_holder "
    "a_node a_output a_stamp c_device c_core c_variable c_address"
).split()
OWN = "submit in_use operands outputs record over core gate device sites place_of attach".split()
AT = {name: i for words in (SHARED, OWN) for i, name in enumerate(words)}
OUTPUT, OPERAND = 5, 2  # words of each
VARIABLES = FIXED + 1  # of a push, before its variables


class _Part(PythonFunction):
    """A function with access to the words of all routes and of the current one."""

    shared, own = "%s", "%d"

    def known(self, name: str, kind: str = "ptr") -> str:
        """Return a word that all routes share, or one of this route."""
        words = self.shared if name in SHARED else self.own
        return self.read(kind, words, AT[name], step="i64")

    def of_slot(self, kind: str, part: str, slot: str, thing: str) -> str:
        """Return the result of `got`, `seen` or `number` for a slot of an object."""
        return self.call(kind, f"@{part}", self.shared, f"i64 {AT[slot]}", thing)


_SLOT = "ptr %s, i64 %slot, ptr %object"


def _by_descriptor(kind: str, name: str, word: str, *more: str) -> str:
    """Write a function that calls the getter or setter of a slot's descriptor."""
    t = _Part(kind, ", ".join([_SLOT, *(f"ptr {each}" for each in more if each != "null")]), name)
    descriptor = t.read("ptr", "%s", "%slot", step="i64")
    answer = t.call(kind, t.known(word), descriptor, "%object", *more)
    return t.text(f"ret {kind} {answer}")


def _seen() -> str:
    """Write `got` with a borrowed reference: the object keeps the value alive."""
    t = _Part("ptr", _SLOT, "seen")
    seen = t.call("ptr", "@got", _SLOT)
    with t.when(t.is_some(seen)):
        t.drop(seen)
    return t.text(f"ret ptr {seen}")


def _number() -> str:
    """Write a function that returns a slot's integer, or -1 with an error."""
    t = _Part("i64", _SLOT, "number")
    number, seen = t.cell(), t.call("ptr", "@seen", _SLOT)
    t.put(number, "-1")
    with t.when(t.is_some(seen)):
        t.put(number, t.integer(seen))
    return t.text(f"ret i64 {t.get(number)}")


def _site() -> str:
    """Write a function that returns the site of the nearest frame outside the package, or -1."""
    t = _Part("i64", "ptr %d, ptr %place, i1 %is_frame", "site")
    number, at = t.cell(), t.cell("ptr")
    t.put(number, "-1")
    t.put(at, "%place", "ptr")
    with t.unless("%is_frame"):
        t.put(number, t.integer("%place"))
        t.go("done")
    t.label("level")
    frame = t.get(at, "ptr")
    code = t.drop(t.call("ptr", "@PyFrame_GetCode", frame))
    last = t.value(f"sext i32 {t.call('i32', '@PyFrame_GetLasti', frame)} to i64")
    word = t.sum(t.value(f"ptrtoint ptr {code} to i64"), t.number("shl", last, 48))
    which = t.number("and", t.number("lshr", last, 1), LINES - 1)
    line = t.place("[2 x i64]", t.place("i64", "%d", len(OWN)), which)
    with t.when(t.compare("eq", t.read("i64", line), word)):
        t.put(number, t.read("i64", line, 1))
        t.go("done")
    key = t.call("ptr", "@PyLong_FromLongLong", f"i64 {word}")
    listed = t.call("ptr", "@PyDict_GetItemWithError", t.known("sites"), key)
    t.drop(key)
    t.require(t.is_some(listed), "ask")
    known = t.integer(listed)
    with t.when(t.compare("eq", known, OURS)):
        outer = t.call("ptr", "@PyFrame_GetBack", frame)
        t.require(t.is_some(outer), "ask")
        t.put(at, t.drop(outer), "ptr")  # it runs, so it stays
        t.go("level")
    t.do(f"store i64 {word}, ptr {line}, align 1")
    t.do(f"store i64 {known}, ptr {t.place('i64', line, 1)}, align 1")
    t.put(number, known)
    t.go("done")
    t.label("ask")
    answer = t.asked(t.known("place_of"), "%place")
    with t.when(t.is_some(answer)):
        t.put(number, t.integer(answer))
        t.drop(answer)
    t.label("done")
    return t.text(f"ret i64 {t.get(number)}")


def _attached() -> str:
    """Write a function that registers a chunk's variable with the core; false with an error."""
    t = _Part("i1", "ptr %s, ptr %d, ptr %chunk", "attached")
    core, well = t.of_slot("ptr", "seen", "c_core", "%chunk"), t.cell("i1")
    t.put(well, "false", "i1")
    with t.unless(t.is_same(core, t.known("core"))):
        t.require(t.is_some(core), "done")
        done = t.asked(t.known("attach"), "%chunk")
        t.require(t.is_some(done), "done")
        t.drop(done)
    t.put(well, "true", "i1")
    t.label("done")
    return t.text(f"ret i1 {t.get(well, 'i1')}")


def _array() -> str:
    """Write a function that reads an array's address and adds its variable to the %count words at
    %variables if it is missing; it returns whether the array suits the route."""
    arrays = "ptr %variables, ptr %count.at, ptr %record"
    t = _Part("i1", f"ptr %s, ptr %d, ptr %object, {arrays}", "array")
    well = t.cell("i1")
    t.put(well, "false", "i1")
    chunk = t.of_slot("ptr", "seen", "a_chunk", "%object")
    t.require(t.is_some(chunk), "done")
    t.require(t.call("i1", "@attached", "%s", "%d", chunk), "done")
    device = t.of_slot("ptr", "seen", "c_device", chunk)
    t.require(t.is_same(device, t.known("device")), "done")
    address = t.of_slot("i64", "number", "a_address", "%object")
    variable = t.of_slot("i64", "number", "c_variable", chunk)
    t.put("%record", address)
    for number in (address, variable):
        t.require(t.compare("ne", number, -1), "done")
    t.put(well, "true", "i1")
    word, count = t.number("shl", variable, 2), t.get("%count.at")
    with t.loop(0, count) as k:
        t.require(t.compare("ne", t.get_at("%variables", k), word), "done")
    t.put_at("%variables", count, word)
    t.put("%count.at", t.sum(count, 1))
    t.label("done")
    return t.text(f"ret i1 {t.get(well, 'i1')}")


def _idle() -> str:
    """Write a function that returns whether a free chunk is idle; an unregistered one is."""
    t = _Part("i1", "ptr %s, ptr %d, ptr %chunk", "idle")
    result = t.cell("i1")
    t.put(result, "true", "i1")
    core = t.of_slot("ptr", "seen", "c_core", "%chunk")
    t.require(t.is_same(core, t.known("core")), "done")
    number = t.of_slot("i64", "number", "c_variable", "%chunk")
    t.require(t.compare("ne", number, -1), "done")
    words = t.cell()
    t.put(words, number)
    used = t.call("i64", t.known("in_use"), t.address(words), "i64 1")
    t.put(result, t.compare("eq", used, 0), "i1")
    t.label("done")
    return t.text(f"ret i1 {t.get(result, 'i1')}")


def _scalar() -> str:
    """Write a function that converts a number to a word of the record; false if it has none."""
    t = _Part("i1", "ptr %object, i64 %kind, ptr %record", "scalar")
    well = t.cell("i1")
    t.put(well, "false", "i1")
    is_pair = t.compare("ne", t.number("and", "%kind", int(Word.PAIR)), 0)
    with t.when(is_pair):
        kind = t.number("xor", "%kind", int(Word.PAIR))
        for k, part in enumerate(("Real", "Imag")):
            word = unboxed(t, "%object", kind, "done", f"Complex_{part}As")
            t.put_at("%record", k, word)
    with t.unless(is_pair):
        t.put("%record", unboxed(t, "%object", "%kind", "done"))
    t.put(well, "true", "i1")
    t.label("done")
    return t.text(f"ret i1 {t.get(well, 'i1')}")


def _block() -> str:
    """Write a function that returns a block for an output: a new reference, or null with an
    error."""
    t = _Part("ptr", "ptr %s, ptr %d, ptr %output, ptr %operands", "block")
    block = t.cell("ptr")
    _, free, takes, take = t.words("%output", "ptr ptr ptr ptr")
    t.put(block, "null", "ptr")
    size = t.call("i64", "@PyList_Size", free)
    with t.when(t.compare("sgt", size, 0)):
        last = t.number("sub", size, 1)
        chunk = t.call("ptr", "@PyList_GetItem", free, f"i64 {last}")
        with t.when(t.call("i1", "@idle", "%s", "%d", chunk)):
            t.keep(chunk)
            t.call("i32", "@PyList_SetSlice", free, f"i64 {last}", f"i64 {size}", "null")
            t.drop(t.call("ptr", "@PyIter_Next", takes))
            t.put(block, chunk, "ptr")
    with t.unless(t.is_some(t.get(block, "ptr"))):
        fresh = t.call("ptr", "@PyObject_CallObject", take, "%operands")
        t.put(block, fresh, "ptr")
        t.require(t.is_some(fresh), "done")
    chosen = t.get(block, "ptr")
    with t.unless(t.call("i1", "@attached", "%s", "%d", chosen)):
        t.drop(chosen)
        t.put(block, "null", "ptr")
    t.label("done")
    return t.text(f"ret ptr {t.get(block, 'ptr')}")


def _over() -> str:
    """Write a function that creates an array over a block and steals its reference; null with an
    error."""
    places = "ptr %variable.at, ptr %record"
    t = _Part("ptr", f"ptr %s, ptr %output, ptr %chunk, {places}", "over")
    array = t.call("ptr", "@PyType_GenericAlloc", t.known("kind"), "i64 0")
    with t.when(t.is_some(array)):
        layout, none, zero = t.read("ptr", "%output"), t.known("none"), t.known("zero")
        address = t.of_slot("ptr", "got", "c_address", "%chunk")
        t.put("%record", t.integer(address))
        for slot, value in (
            *(("a_holder", none), ("a_node", none), ("a_output", zero), ("a_stamp", zero)),
            *(("a_address", address), ("a_layout", layout), ("a_chunk", "%chunk")),
        ):
            t.call("i32", "@put", "%s", f"i64 {AT[slot]}", array, value)
        t.drop(address)
        variable = t.of_slot("i64", "number", "c_variable", "%chunk")
        t.put("%variable.at", t.number("shl", variable, 2))
    t.drop("%chunk")
    return t.text(f"ret ptr {array}")


def _entry() -> str:
    t = _Part()
    answer, route = t.cell("ptr"), t.cell("ptr")
    for cell in (answer, route):
        t.put(cell, "null", "ptr")
    shared = t.item("%self", 0)
    t.shared = t.call("ptr", "@PyBytes_AsString", shared)
    t.require(t.compare("sge", "%nargs", 2), "decline")
    line, operands = (t.read("ptr", "%args", k) for k in range(2))
    is_frame = _require_plain(t, line)
    walked = t.keep(_walked(t, operands))
    t.put(route, walked, "ptr")
    own = t.item(walked, 0)
    t.require(t.is_some(own), "decline")
    t.own = t.call("ptr", "@PyByteArray_AsString", own)
    opened = t.call("ptr", "@PyList_GetItem", t.known("gate"), "i64 0")
    t.require(t.is_same(opened, t.known("core")), "decline")
    _push(t, line, operands, is_frame, answer)
    t.label("decline")
    t.do("call void @PyErr_Clear()")
    t.put(answer, t.keep(t.known("none")), "ptr")
    t.label("leave")
    walked = t.get(route, "ptr")
    with t.when(t.is_some(walked)):
        t.drop(walked)
    return t.text(f"ret ptr {t.get(answer, 'ptr')}")


def _require_plain(t: _Part, line: str) -> str:
    """Require that no observer is active, no function of an engine runs and, with a frame and the
    operands as the only arguments, no recorder is active. Return whether the place is a frame."""
    close = t.call("ptr", "@PyList_GetItem", t.known("closely"), "i64 0")
    t.require(t.is_same(close, t.known("no")), "decline")
    value = t.cell("ptr")

    def require_none(variable: str) -> None:
        none = t.known("none")
        t.call("i32", "@PyContextVar_Get", t.known(variable), none, value)
        t.require(t.is_same(t.drop(t.get(value, "ptr")), none), "decline")

    require_none("inside")
    is_frame = t.is_same(t.type_of(line), t.known("frame"))
    alone = t.compare("eq", "%nargs", 2)
    with t.when(t.value(f"and i1 {is_frame}, {alone}")):
        require_none("recorder")
    return is_frame


def _walked(t: _Part, operands: str) -> str:
    """Return the route of the operands in the table."""
    level, key = t.cell("ptr"), t.cell("ptr")
    t.put(level, t.item("%self", 1), "ptr")
    with t.loop(0, t.call("i64", "@PyTuple_Size", operands)) as w:
        asked = t.item(operands, w)
        kind = t.type_of(asked)
        t.put(key, kind, "ptr")
        with t.when(t.is_same(kind, t.known("kind"))):
            layout = t.of_slot("ptr", "seen", "a_layout", asked)
            t.require(t.is_some(layout), "decline")
            t.put(key, layout, "ptr")
        own = t.get(level, "ptr"), t.get(key, "ptr")
        below = t.call("ptr", "@PyDict_GetItemWithError", *own)
        t.require(t.is_some(below), "decline")
        t.put(level, below, "ptr")
    return t.get(level, "ptr")


def _push(t: _Part, line: str, operands: str, is_frame: str, answer: str) -> None:
    """Push over the operands by the route; continue at "leave", or after this where it declines."""
    push, record = (t.cell(f"[{MOST} x i64]", 16) for _ in range(2))
    arrays, count_at, so_far = t.cell(f"[{MOST_OUTPUTS} x ptr]", 16), t.cell(), t.cell()
    t.put(count_at, "0")
    t.put(so_far, "0")
    n, m, words = (t.known(name, "i64") for name in ("operands", "outputs", "record"))
    fixed = t.place("i64", t.own, len(OWN) + 2 * LINES)
    outputs = t.place("i64", fixed, FIXED)
    forms = t.place("i64", outputs, t.product(m, OUTPUT))
    nbytes = t.product(words, 8)
    t.copy(push, fixed, str(8 * FIXED))
    t.copy(record, t.place("i64", forms, t.product(n, OPERAND)), nbytes)
    variables = t.place("i64", push, VARIABLES)
    with t.loop(0, n) as i:
        form, place = t.words(t.place(f"[{OPERAND} x i64]", forms, i), "i64 i64")
        _operand(t, t.item(operands, i), form, variables, count_at, t.place("i64", record, place))
    site = t.call("i64", "@site", t.own, line, f"i1 {is_frame}")
    t.put_at(push, FIXED - 1, site)
    t.require(t.compare("ne", site, -1), "leave")
    with t.loop(0, m) as j:
        out = t.place(f"[{OUTPUT} x i64]", outputs, j)
        chunk = t.call("ptr", "@block", t.shared, t.own, out, operands)
        t.require(t.is_some(chunk), "stop")
        count = t.get(count_at)
        t.put(count_at, t.sum(count, 1))
        places = t.place("i64", variables, count), t.place("i64", record, t.read("i64", out, 4))
        array = t.call("ptr", "@over", t.shared, out, chunk, *places)
        t.require(t.is_some(array), "stop")
        t.put(t.place("ptr", arrays, j), array, "ptr")
        t.put(so_far, t.sum(j, 1))
    used, written = t.get(count_at), t.sum(m, t.known("over", "i64"))
    t.put_at(push, FIXED, t.number("or", used, t.number("shl", written, 32)))
    t.copy(t.place("i64", variables, used), record, nbytes)
    call = t.address(push), f"i64 {t.sum(used, VARIABLES, words)}"
    t.require(t.compare("sgt", t.call("i64", t.known("submit"), *call), 0), "stop")
    with t.when(t.compare("eq", m, 0)):
        last = t.item(operands, t.number("sub", n, 1))
        t.put(answer, t.keep(last), "ptr")
        t.go("leave")
    _return_arrays(t, arrays, m, answer)
    t.go("leave")
    t.label("stop")
    with t.loop(0, t.get(so_far)) as r:
        t.drop(t.read("ptr", arrays, r))
    t.require_no_error("leave")


def _operand(t: _Part, arg: str, form: str, variables: str, count: str, word: str) -> None:
    """Write an operand's word to the record and add the variable of an array."""
    is_array = t.compare("eq", form, ARRAY)
    with t.when(is_array):
        words = t.shared, t.own, arg, variables, count, word
        t.require(t.call("i1", "@array", *words), "decline")
    with t.unless(is_array):
        t.require(t.call("i1", "@scalar", arg, f"i64 {form}", word), "decline")


def _return_arrays(t: _Part, arrays: str, count: str, answer: str) -> None:
    """Return the new array, or a tuple of several."""
    t.put(answer, t.read("ptr", arrays), "ptr")
    with t.unless(t.compare("eq", count, 1)):
        several = t.call("ptr", "@PyTuple_New", f"i64 {count}")
        with t.loop(0, count) as q:
            item = t.read("ptr", arrays, q)
            t.call("i32", "@PyTuple_SetItem", several, f"i64 {q}", item)
        t.put(answer, several, "ptr")


_PARTS = (
    # what a slot holds, a new reference, or null with an error; what sets a slot
    lambda: _by_descriptor("ptr", "got", "get", "null"),
    lambda: _by_descriptor("i32", "put", "set", "%value"),
    *(_seen, _number, _site, _attached, _array, _idle, _scalar, _block, _over, _entry),
)


def text() -> str:
    """Return the text of the module."""
    return "\n".join(part() for part in _PARTS)
