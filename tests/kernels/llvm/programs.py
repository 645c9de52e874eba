"""Random programs in the vocabulary of emitted text, for two compilers to read.

A program is a loop over elements: it loads one value of each kind, works on variables whose kinds
never change (arithmetic, conversions, branches, loops that end, calls of a part that gives several
values), and stores all of them. What LLVM leaves undefined is left out: numbers beyond the range of
an integer that they are converted to, and shifts by more bits than there are, but through the
library's helpers.
"""

import numpy as np

from nbgraph.kernels.loops.body import Namespace
from nbgraph.kernels.loops.writer import Source
from nbgraph.kernels.scalar.kinds import INTEGERS

FLOATS = ("float32", "float64")
NUMBERS = (*INTEGERS, *FLOATS)
STORED = {"bool": "uint8"}
KINDS = (*NUMBERS, "bool")
_SIMPLE = ("+", "-", "*", "&", "|", "^")
_ORDERS = ("<", "<=", ">", ">=", "==", "!=")
_DEPTH = 3  # of expressions
CONSTANTS: dict[str, tuple[str, object]] = {
    f"c{k}": (kind, value)
    for k, (kind, value) in enumerate(
        [(kind, 0.1) for kind in FLOATS]
        + [("float32", 1e39), ("float32", float("nan")), ("float64", -0.0)]
        + [(kind, 5) for kind in INTEGERS]
        + [("uint64", (1 << 63) + 5), ("int64", -(1 << 63)), ("int8", -128), ("uint8", 255)]
    )
}


class Program:
    """A program in the making; `source()` is its text."""

    def __init__(self, seed: int, statements: int = 30) -> None:
        self.rng = np.random.default_rng(seed)
        self.lines: list[str] = []
        self.variables: dict[str, list[str]] = {kind: [] for kind in KINDS}
        self.fixed: list[str] = []  # counters of loops: read only
        self.part = _part(np.random.default_rng((seed, 1)))
        for kind in KINDS:
            for _ in range(2):
                self.new(2, kind, f"{kind}_of(load({kind}_in, i + {len(self.lines)}))")
        self.block(2, statements, 0)

    # statements -------------------------------------------------------------------------------

    def new(self, indent: int, kind: str, text: str) -> None:
        name = f"{kind}_{len(self.variables[kind])}"
        text = text.replace(f"{kind}_of(", "(")
        self.line(indent, f"{name} = {text}" + (" != 0" if kind == "bool" else ""))
        self.variables[kind].append(name)

    def line(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def block(self, indent: int, statements: int, depth: int) -> None:
        for _ in range(statements):
            choice = self.rng.random()
            if depth < 2 and choice < 0.1:
                self.branch(indent, depth)
            elif depth < 2 and choice < 0.16:
                self.counted(indent, depth)
            elif depth < 2 and choice < 0.22:
                self.until(indent, depth)
            elif choice < 0.3:
                self.several(indent)
            else:
                self.assign(indent)

    def assign(self, indent: int) -> None:
        kind = self.pick(KINDS)
        name = self.pick(self.variables[kind])
        if kind in FLOATS and self.rng.random() < 0.2:
            self.line(indent, f"{name} {self.pick('+-*')}= {self.expression(kind, 1)}")
        else:
            self.line(indent, f"{name} = {self.expression(kind, _DEPTH)}")

    def branch(self, indent: int, depth: int) -> None:
        self.line(indent, f"if {self.expression('bool', 2)}:")
        self.block(indent + 1, 2, depth + 1)
        if self.rng.random() < 0.6:
            self.line(indent, "else:")
            self.block(indent + 1, 2, depth + 1)

    def counted(self, indent: int, depth: int) -> None:
        name = f"k{depth}"  # again and again, as in emitted text
        least = self.pick(("", "1, ", "-2, "))
        most = self.pick(("3", f"min(4, max(0, {self.one('int64')}))"))
        self.line(indent, f"for {name} in range({least}{most}):")
        self.fixed.append(name)
        self.block(indent + 1, 2, depth + 1)
        self.fixed.remove(name)

    def until(self, indent: int, depth: int) -> None:
        name = f"n{len(self.lines)}"
        self.line(indent, f"{name} = 0")
        self.line(indent, self.pick((f"while {name} < 5:", "while True:")))
        self.line(indent + 1, f"if {name} > 3 or {self.expression('bool', 1)}:")
        self.line(indent + 2, "break")
        self.line(indent + 1, f"{name} += 1")
        self.block(indent + 1, 2, depth + 1)

    def several(self, indent: int) -> None:
        a, b = (self.pick(self.variables[kind]) for kind in ("float32", "int64"))
        self.line(indent, f"{a}, {b} = part0({self.one('float32')}, {self.one('int64')})")

    # expressions ------------------------------------------------------------------------------

    def pick(self, options):
        return options[int(self.rng.integers(len(options)))]

    def one(self, kind: str) -> str:
        if kind == "int64" and self.fixed and self.rng.random() < 0.3:
            return self.pick(self.fixed)
        return self.pick(self.variables[kind])

    def expression(self, kind: str, depth: int) -> str:
        """The text of a value of a kind."""
        if depth == 0 or self.rng.random() < 0.15:
            return self.leaf(kind)
        if kind == "bool":
            return self.boolean(depth - 1)
        if self.rng.random() < 0.15:
            a, b = (self.expression(kind, depth - 1) for _ in range(2))
            return f"select({self.expression('bool', depth - 1)}, {a}, {b})"
        if kind in FLOATS:
            return self.floating(kind, depth - 1)
        return self.integer(kind, depth - 1)

    def leaf(self, kind: str) -> str:
        chance = self.rng.random()
        if chance < 0.7:
            return self.one(kind)
        if chance < 0.85 and kind != "bool":
            return self.pick([name for name, (of, _) in CONSTANTS.items() if of == kind])
        if kind == "bool":
            return self.pick(("True", "False"))
        if kind in FLOATS:
            return f"{kind}({self.pick(('0.5', '-2.0', '1.0', '0.0', '3', '0.1'))})"
        return f"{kind}({self.pick(('0', '1', '3', '100', '7'))})"

    def floating(self, kind: str, depth: int) -> str:
        a = self.expression(kind, depth)
        choice = int(self.rng.integers(7))
        if choice == 0:
            return f"(-{a})"
        if choice == 1:
            return f"abs({a})"
        if choice == 2:
            source = self.pick(NUMBERS)
            return f"{kind}({self.expression(source, depth)})"
        if choice == 3:
            other = self.pick((*FLOATS, *INTEGERS))  # computed in float64
            return f"{kind}({a} {self.pick('+-*/')} {self.expression(other, depth)})"
        return f"({a} {self.pick('+-*/')} {self.expression(kind, depth)})"

    def integer(self, kind: str, depth: int) -> str:
        a, b = (self.expression(kind, depth) for _ in range(2))
        bits = int(kind.lstrip("uint"))
        sign = "u" if kind.startswith("u") else ""
        choice = int(self.rng.integers(10))
        if choice == 0:
            return f"{kind}({self.pick('-~')}{a})"
        if choice == 1:
            return f"{kind}(abs({a}))"
        if choice == 2:
            return f"{kind}({sign}int_{self.pick(('floordiv', 'mod'))}({a}, {b}))"
        if choice == 3:
            shift = self.pick((b, "3", "0"))
            return f"{kind}(int_{self.pick(('shl', 'shr'))}({a}, {shift}, {bits}))"
        if choice == 4:
            return f"{kind}({self.converted(depth)})"
        if choice == 5 and kind == "int64":
            return f"{self.pick(('min', 'max'))}({a}, {self.pick((b, '3'))})"
        if choice == 6:
            other = self.near(kind)
            return f"{kind}({a} {self.pick(_SIMPLE)} {self.expression(other, depth)})"
        if choice == 7 and kind == "int64":  # as indices are cut
            return f"(({a} & 1023) {self.pick(('//', '%'))} (({b} & 15) + 1))"
        if choice == 8:
            number = int(self.rng.choice([0, 1, 3, 200, 70000]))
            sign = "" if kind.startswith("u") else self.pick(("", "-"))
            return f"{kind}({a} {self.pick(_SIMPLE)} {sign}{number})"
        return f"{kind}({a} {self.pick(_SIMPLE)} {b})"

    def converted(self, depth: int) -> str:
        """A value of another kind that any integer kind is made of."""
        source = self.pick((*INTEGERS, "bool", "float64"))
        text = self.expression(source, depth)
        if source == "float64":  # beyond an int64's range no result is defined
            text = f"int64(select(abs({text}) < 1e18, {text}, 3.5))"
        return text

    def near(self, kind: str) -> str:
        """Another integer kind with which there is a common one."""
        unsigned = kind.startswith("u")
        options = [k for k in INTEGERS if k.startswith("u") == unsigned]
        return self.pick(options if "64" in kind and unsigned else [*options, "int32"])

    def boolean(self, depth: int) -> str:
        choice = int(self.rng.integers(6))
        if choice == 0:
            return f"(not {self.expression('bool', depth)})"
        if choice in (1, 2):
            a, b = (self.expression("bool", depth) for _ in range(2))
            return f"({a} {self.pick(('&', '|', '^', 'and', 'or', '==', '!='))} {b})"
        kind = self.pick(NUMBERS)
        a, b = (self.expression(kind, depth) for _ in range(2))
        b = self.pick((b, b, "3" if kind.startswith("u") else "-1"))
        text = f"{a} {self.pick(_ORDERS)} {b}"
        return f"(0 {self.pick(_ORDERS)} {text})" if choice == 5 else f"({text})"

    # the whole --------------------------------------------------------------------------------

    def source(self) -> Source:
        """The kernel: word 0 is the address of what is read, word 1 of what is written."""
        head, tail = [], []
        for k, kind in enumerate(KINDS):
            stored = STORED.get(kind, kind)
            head.append(f"    {kind}_in = {kind}_pointer(word(args, {2 * k}))")
            head.append(f"    {kind}_out = {kind}_pointer(word(args, {2 * k + 1}))")
            names = self.variables[kind]
            for j, name in enumerate(names):
                value = f"{stored}({name})" if kind == "bool" else name
                tail.append(f"        store({kind}_out, i * {len(names)} + {j}, {value})")
        lines = ["@part", *self.part, "", ""]
        lines += ["def program(args, lo, hi):", *head, "    for i in range(lo, hi):"]
        lines += [*self.lines, *tail, "    return 0", ""]
        namespace = Namespace("float64")
        namespace.constants.update(CONSTANTS)
        return Source("program", "\n".join(lines), namespace, fastmath=False)


def _part(rng) -> list[str]:
    """A function that gives two values."""
    return [
        "def part0(x, n):",
        f"    total = x * float32({float(rng.integers(1, 5))})",
        "    for k in range(n & 3):",
        "        total = total + float32(k)",
        "        if total > x:",
        f"            n = n * {int(rng.integers(2, 9))}",
        "    return total, n",
    ]
