"""Emitted kernels on Numba's simulator of CUDA: the text is run as the Python it is.

Numba gives the grid, a thread of this process for each thread of a block, and the barrier; what the
text's words mean is said here. So is what must not happen: access beside an array, a read of shared
memory that nobody wrote, a race, threads of a block at different barriers or exchanges. Exchanges
within a warp are made by all threads of a block, as all our kernels make them.

The simulator is chosen when numba.cuda is imported (NUMBA_ENABLE_CUDASIM=1), so this module is for
processes of its own; see `simulated`.
"""

import ast
import ctypes
import functools
import sys
import threading

import numpy as np
from numba import config, cuda

from nbgraph.codegen import optimise, target
from nbgraph.kernels.cuda import grid as grids
from nbgraph.kernels.cuda.emit import emit
from nbgraph.kernels.llvm import helpers
from nbgraph.kernels.llvm.vocabulary import RUNTIME
from nbgraph.kernels.scalar.kinds import INTEGERS, STORED
from nbgraph.kernels.vector_math.texts import signature, symbol, texts
from tests.kernels.cuda.memory import Book, Fault, Memory
from tests.kernels.cuda.numbers import FLOATS, Number, bits, cast, extreme, kind_of

assert config.ENABLE_CUDASIM, "set NUMBA_ENABLE_CUDASIM=1 before Numba is imported"
_C = {"float": ctypes.c_float, "double": ctypes.c_double, "i16": ctypes.c_uint16}
_KIND = {"float": "float32", "double": "float64", "i16": "uint16"}
_CALL = """
define {result} @nbgraph_kernel({parameters}) {{
  %made = call {result} @{name}({parameters})
  ret {result} %made
}}
"""
sys.setswitchinterval(1e-4)  # the simulator's own thread asks all the time what others do
_HERE = threading.local()  # the thread of the simulated grid that this thread is


class Pointer:
    """Where elements of a kind lie."""

    __slots__ = ("at", "kind", "shared")

    def __init__(self, kind, at, shared=None):
        self.kind, self.at, self.shared = kind, int(at), shared


class Block:
    """What the threads of a block share."""

    def __init__(self, number, threads):
        self.number, self.threads = number, threads
        self.boards = {}
        self.values = {}
        self.book = Book()

    def meet(self, value=None):
        """All threads come to the same place of the text, each with a value."""
        board = self.boards.setdefault(_HERE.steps, {})
        board[_HERE.thread] = _site(), value
        _HERE.steps += 1
        cuda.syncthreads()
        if len(board) < self.threads or len({site for site, _ in board.values()}) > 1:
            raise Fault(f"block {self.number}: threads wait for each other at different places")
        return {thread: value for thread, (_, value) in board.items()}


def _site():
    """The lines of the text that this thread is at, from the kernel on."""
    frame, found = sys._getframe(2), []
    while frame is not None:
        if frame.f_code.co_filename == "<kernel>":
            found.append((frame.f_code.co_name, frame.f_lineno))
        frame = frame.f_back
    return tuple(found)


@cuda.jit
def _thread(run):
    run(cuda.blockIdx.x, cuda.gridDim.x, cuda.threadIdx.x, cuda.blockDim.x)


class Launch:
    """One launch of a text over memory; the third to so many words of its record are addresses.
    `by_block`: units are blocks of threads."""

    def __init__(self, text, words, pointers, threads, memory, names, *, by_block):
        self.text, self.threads, self.by_block = text, threads, by_block
        self.memory = Memory(memory, names)
        self.words = [int(word) for word in words]
        for k in range(pointers):
            self.words[2 + k] = self.memory.place(self.words[2 + k])
        self.blocks = {}
        self.errors = []

    @classmethod
    def of(cls, loop, grid, words, memory, names):
        """Of a loop's kernel."""
        made = emit(loop, grid), words, loop.pointers, grid.threads, memory, names
        return cls(*made, by_block=loop.form in grids.BLOCKS)

    def run(self, blocks, change=lambda text: text):
        """Run it; `change` makes another text of the kernel's, for tests of this simulator."""
        space = _space(self, self.text)
        exec(compile(change(self.text.text), "<kernel>", "exec"), space)
        body = space[self.text.name]

        def run(block, count, thread, threads):
            _HERE.thread, _HERE.epoch, _HERE.steps = thread, 0, 0
            _HERE.block = self.blocks.setdefault(block, Block(block, threads))
            start, step = block, count
            if not self.by_block:
                start, step = block * threads + thread, count * threads
            try:
                with np.errstate(all="ignore"):
                    body(0, Number("int64", start), Number("int64", step))
            except Exception as error:  # others of the block stop because of it: the first counts
                self.errors.append(error)
                raise

        try:
            _thread[blocks, self.threads](run)
        except Exception as error:
            raise self.errors[0] if self.errors else error

    # words --------------------------------------------------------------------------------------

    def word(self, kind, index):
        """A word of the record."""
        index = int(index)
        if not 0 <= index < len(self.words):
            raise Fault(f"word {index} of a record of {len(self.words)}")
        if kind == "int64":
            return Number(kind, self.words[index])
        raw = np.array([self.words[index]], np.int64).view(kind)[0]
        return Number(kind, raw)

    def load(self, count, pointer, index):
        """Elements from memory."""
        block, who = _HERE.block, (_HERE.block.number, _HERE.thread)
        if pointer.shared is None:
            step = np.dtype(pointer.kind).itemsize * count
            at = pointer.at + int(index) * step
            found = self.memory.load(pointer.kind, at, count, who, _HERE.epoch)
            return found[0] if count == 1 else found
        place = self._shared(pointer, index, writes=False)
        if place not in block.values:
            raise Fault(f"{pointer.shared}[{int(index)}] is read, and nobody wrote it")
        return block.values[place]

    def store(self, count, pointer, index, *values):
        """Elements to memory."""
        who = _HERE.block.number, _HERE.thread
        assert len(values) == count, (len(values), count)
        if pointer.shared is None:
            step = np.dtype(pointer.kind).itemsize * count
            at = pointer.at + int(index) * step
            self.memory.store(pointer.kind, at, values, who, _HERE.epoch)
        else:
            place = self._shared(pointer, index, writes=True)
            _HERE.block.values[place] = cast(values[0], pointer.kind)

    def _shared(self, pointer, index, *, writes):
        place, block = (pointer.shared, int(index)), _HERE.block
        if not 0 <= place[1] < self.threads // 32:
            raise Fault(f"{place[0]}[{place[1]}], which has a place for each warp")
        block.book.note(place, (block.number, _HERE.thread), _HERE.epoch, place[0], writes=writes)
        return place

    def barrier(self):
        """All threads of the block are here."""
        _HERE.block.meet()
        _HERE.epoch += 1

    def traded(self, value, distance):
        """The value of the thread whose number differs in a bit."""
        return _HERE.block.meet(value)[_HERE.thread ^ distance]


def _space(launch, source):
    """What the names of a text mean."""
    space = {name: lambda: None for name in ("inlined", "separate", "interleaved")}
    space["part"] = lambda function: function
    for name, kind in [("word", "int64"), *((f"{k}_word", k) for k in ("int64", *FLOATS))]:
        space[name] = lambda args, index, kind=kind: launch.word(kind, index)
    for count in (1, 2, 4, 8, 16):
        end = count if count > 1 else ""
        space[f"load{end}"] = functools.partial(launch.load, count)
        space[f"store{end}"] = functools.partial(launch.store, count)
    space["load_input"] = space["load_element"] = space["load"]
    space["store_output"] = space["store_element"] = space["store"]
    for dtype in (*INTEGERS, *FLOATS, *STORED):
        kind = STORED.get(dtype, dtype)
        space[f"{dtype}_pointer"] = functools.partial(Pointer, kind)
    for kind in (*INTEGERS, *FLOATS):
        space[kind] = functools.partial(cast, kind=kind)
        space[f"shared_{kind}"] = functools.partial(Pointer, kind, 0, f"shared_{kind}")
    for kind in INTEGERS:
        low = 0 if kind[0] == "u" else -(1 << (bits(kind) - 1))
        space[f"max_start_{kind}"] = Number(kind, low)
        space[f"min_start_{kind}"] = Number(kind, low + (1 << bits(kind)) - 1)
    space |= {
        "thread": lambda: Number("int64", _HERE.thread),
        "barrier": launch.barrier,
        "traded": launch.traded,
        "shifted": lambda p, offset: Pointer(p.kind, p.at + int(offset)),
        "select": lambda condition, a, b: a if condition else b,
        "acc_add": lambda total, value: _kept(total, total + value),
        "acc_multiply": lambda total, value: _kept(total, total * value),
        "acc_max": functools.partial(extreme, "max"),
        "acc_min": functools.partial(extreme, "min"),
    }
    for name in helpers.NAMES - helpers.SHARED:
        exec(_undecorated(name), space)
    with np.errstate(over="ignore"):
        for name, (kind, value) in source.namespace.constants.items():
            space[name] = Number(kind, FLOATS[kind](value) if kind in FLOATS else int(value))
    for name, function in source.namespace.functions.items():
        space[name] = library(symbol(function, source.namespace.compute))
    for name in RUNTIME:
        if name in source.text:
            space[name] = library(symbol(name))
    return space


def _kept(total, made):
    """Totals keep their kind."""
    return cast(made, kind_of(total))


def _undecorated(name):
    definition = helpers.helper(name)
    bare = ast.FunctionDef(name, definition.args, definition.body, [], lineno=1, col_offset=0)
    return compile(ast.Module([ast.fix_missing_locations(bare)], []), "<helper>", "exec")


@functools.cache
def library(name):
    """A function of the library for numbers, from the text that kernels are linked with."""
    result, takes = signature(name)
    parameters = ", ".join(f"{each} %a{k}" for k, each in enumerate(takes))
    prefix, _, rest = name.partition("_")
    text = texts([], [rest]) if prefix == "r" else texts([rest.rpartition("_")[::2]])
    module = optimise.optimised(
        text + _CALL.format(name=name, result=result, parameters=parameters), name
    )
    code = target.machine().emit_object(module)
    loaded = target.LoadedCode(bytes(code), target.externals(module))
    call = ctypes.CFUNCTYPE(_C[result], *(_C[each] for each in takes))(loaded.address)
    kinds = [_KIND[each] for each in takes]

    def function(*args):
        given = [cast(a, kind).value for a, kind in zip(args, kinds, strict=True)]
        return _number(_KIND[result], call(*given))

    function.code = loaded  # in memory as long as the function
    return function


def _number(kind, value):
    return Number(kind, FLOATS.get(kind, int)(value))
