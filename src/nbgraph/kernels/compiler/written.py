"""Kernels whose text is written by hand, in the vocabulary of emitted text.

So both compilers accept them, like all kernels. The text reads its record by names, which `Record`
assigns to words.
"""

import functools
import re
from collections.abc import Sequence
from typing import Literal

from nbgraph.kernels.compiler.kernel import Kernel, of_source
from nbgraph.kernels.loops.body import Namespace
from nbgraph.kernels.loops.loop import Loop
from nbgraph.kernels.loops.writer import Source
from nbgraph.kernels.scalar.graph import Graph
from nbgraph.settings import config

_MATHEMATICS = re.compile(r"\bm_(\w+)\(")  # calls of `vector_math`
Compute = Literal["float32", "float64"]


class Record:
    """The names of a record's words: two at its head, the addresses, then the rest.

    >>> Record(("images", "groups"), ("x", "out"), ("size",)).reading("size", "x")
    ['size = word(args, 4)', 'x = word(args, 2)']
    """

    def __init__(self, head: Sequence[str], addresses: Sequence[str], rest: Sequence[str]) -> None:
        self.names = (*head, *addresses, *rest)
        self._places = {name: k for k, name in enumerate(self.names)}

    def reading(self, *names: str) -> list[str]:
        """Return the lines that read the words of these names, by default all."""
        return [f"{name} = word(args, {self._places[name]})" for name in names or self.names]

    def place(self, name: str) -> int:
        """Return the index of a word."""
        return self._places[name]


def function(head: str, *lines: str) -> str:
    """Return the text of a function; the lines are indented one level."""
    body = "\n".join("    " + line for text in lines for line in text.split("\n"))
    return f"{head}\n{body}\n\n\n"


def inner(lines: Sequence[str], by: int = 1) -> list[str]:
    """Return the lines indented by more levels."""
    return ["    " * by + line for each in lines for line in each.split("\n")]


def part(head: str, *lines: str) -> str:
    """Return the text of a function that a kernel calls and that is not inlined."""
    return "@part\n" + function(f"def {head}:", "separate()", *lines)


def run(head: str, *lines: str) -> str:
    """Return the text of a part that runs the lines for each `i` below `m`."""
    return part(head, "for i in range(m):", *(f"    {line}" for line in lines), "return 0")


def written(name: str, text: str, compute: Compute) -> Kernel:
    """Return the kernel of a text whose last function is `name(args, lo, hi)`."""
    return _written(name, text, compute, str(config.compiler))


def source(name: str, text: str, compute: Compute) -> Source:
    """Return the text as a Source for compilers."""
    namespace = Namespace(compute)
    for function in sorted(set(_MATHEMATICS.findall(text))):
        namespace.function(function)
    return Source(name, text, namespace, fastmath=False)


@functools.lru_cache(maxsize=256)
def _written(name: str, text: str, compute: Compute, compiler: str) -> Kernel:
    loop = Loop(name, "map", Graph(), compute, (), (), ())  # carries the name alone
    return of_source(source(name, text, compute), loop, name)
