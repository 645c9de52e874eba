"""LLVM text of functions, written as loops and conditions over values.

Values are LLVM's: names, or literals. Variables (`cell`) are stack memory, which LLVM turns into
registers, so that no `phi` is needed here.
"""

import functools
from collections.abc import Generator
from contextlib import contextmanager

from nbgraph.codegen.target import SYMBOL


class Function:
    """A writer of the text of a function with arguments such as "i64 %args"; by default of the
    module's public function.

    >>> clear = Function("i64", "ptr %at, i64 %count")
    >>> with clear.loop(0, "%count") as i:
    ...     clear.put_at("%at", i, "0")
    >>> clear.text().splitlines()[0]
    'define i64 @nbgraph_kernel(ptr %at, i64 %count) {'
    """

    kind = "i64"  # default type of variables

    def __init__(self, result: str, arguments: str, name: str = SYMBOL, marks: str = "") -> None:
        internal = "" if name == SYMBOL else "internal "
        self._head = f"define {internal}{result} @{name}({arguments}) {marks}{{"
        self._lines, self._cells, self._declared = list[str](), list[str](), dict[str, None]()
        self._count = 0

    def text(self, end: str = "ret i64 0") -> str:
        """Return the declarations and the function; `end` is its last instruction."""
        head = [*self._declared, self._head, "entry:", *self._cells]
        return "\n".join([*head, *self._lines, f"  {end}", "}", ""])

    def value(self, text: str) -> str:
        """Return the result of an instruction."""
        self._count += 1
        self._lines.append(f"  %v{self._count} = {text}")
        return f"%v{self._count}"

    def do(self, text: str) -> None:
        """Append an instruction without a result."""
        self._lines.append(f"  {text}")

    def declare(self, text: str) -> None:
        """Add the declaration of a function or a constant that the text uses."""
        self._declared[text] = None

    def number(self, op: str, a: str | int, b: str | int) -> str:
        """Return the result of an instruction on two integers: add, sub, mul, sdiv, srem."""
        return self.value(f"{op} i64 {a}, {b}")

    def product(self, *factors: str | int) -> str:
        """Return the product of integers."""
        return functools.reduce(lambda a, b: self.number("mul", a, b), map(str, factors))

    def sum(self, *terms: str | int) -> str:
        """Return the sum of integers."""
        return functools.reduce(lambda a, b: self.number("add", a, b), map(str, terms))

    def compare(self, test: str, a: str | int, b: str | int, kind: str = "i64") -> str:
        """Return whether two values satisfy a test: eq, ne, slt, sge, ule."""
        return self.value(f"icmp {test} {kind} {a}, {b}")

    def least(self, a: str | int, b: str | int) -> str:
        """Return the smaller of two integers."""
        return self.value(f"select i1 {self.compare('slt', a, b)}, i64 {a}, i64 {b}")

    def all(self, *conditions: str) -> str:
        """Return whether all conditions hold, without short circuit."""
        return functools.reduce(lambda a, b: self.value(f"and i1 {a}, {b}"), conditions)

    def place(self, kind: str, pointer: str, index: str | int) -> str:
        """Return a pointer to an element."""
        return self.value(f"getelementptr {kind}, ptr {pointer}, i64 {index}")

    def read(self, kind: str, pointer: str, index: str | int = 0, *, step: str = "") -> str:
        """Return an element of any alignment; `step` is the type that the index counts."""
        return self.value(f"load {kind}, ptr {self.place(step or kind, pointer, index)}, align 1")

    def words(self, pointer: str, kinds: str) -> list[str]:
        """Return consecutive 64-bit words of the types `kinds`, such as "i64 ptr i64"."""
        return [self.read(kind, pointer, k, step="i64") for k, kind in enumerate(kinds.split())]

    def cell(self, kind: str = "", align: int = 0) -> str:
        """Return a new variable."""
        self._count += 1
        text = f"  %c{self._count} = alloca {kind or self.kind}"
        self._cells.append(f"{text}, align {align}" if align else text)
        return f"%c{self._count}"

    def put(self, cell: str, value: str, kind: str = "") -> None:
        """Set a variable."""
        self._lines.append(f"  store {kind or self.kind} {value}, ptr {cell}")

    def get(self, cell: str, kind: str = "") -> str:
        """Return a variable's value."""
        return self.value(f"load {kind or self.kind}, ptr {cell}")

    def put_at(self, cell: str, index: str | int, value: str) -> None:
        """Set an element of an array of integers."""
        self.put(self.place("i64", cell, index), value, "i64")

    def get_at(self, cell: str, index: str | int) -> str:
        """Return an element of an array of integers."""
        return self.get(self.place("i64", cell, index), "i64")

    @contextmanager
    def loop(self, first: str | int, end: str | int, step: str | int = 1) -> Generator[str]:
        """Write the block's instructions as a loop over [first, end); yield the index."""
        counter = self.cell("i64")
        self._count += 1
        n = self._count
        self.put(counter, str(first), "i64")
        self.label(f"test{n}")
        index = self.get(counter, "i64")
        more = self.value(f"icmp slt i64 {index}, {end}")
        self._lines += [f"  br i1 {more}, label %body{n}, label %done{n}", f"body{n}:"]
        yield index
        self.put(counter, self.number("add", index, step), "i64")
        self._lines += [f"  br label %test{n}", f"done{n}:"]

    @contextmanager
    def when(self, condition: str) -> Generator[None]:
        """Write the block's instructions so that they run if an i1 is 1."""
        self._count += 1
        n = self._count
        self._lines += [f"  br i1 {condition}, label %then{n}, label %after{n}", f"then{n}:"]
        yield
        self.label(f"after{n}")

    @contextmanager
    def unless(self, condition: str) -> Generator[None]:
        """Write the block's instructions so that they run if an i1 is 0."""
        with self.when(self.value(f"xor i1 {condition}, true")):
            yield

    def require(self, condition: str, label: str) -> None:
        """Jump to a label if an i1 is 0."""
        self._count += 1
        n = self._count
        self._lines += [f"  br i1 {condition}, label %well{n}, label %{label}", f"well{n}:"]

    def label(self, name: str) -> None:
        """Begin a labelled block, which the preceding text falls into."""
        self._lines += [f"  br label %{name}", f"{name}:"]

    def go(self, label: str) -> None:
        """Jump to a label; the text that follows is reached only through its labels."""
        self._count += 1
        self._lines += [f"  br label %{label}", f"behind{self._count}:"]
