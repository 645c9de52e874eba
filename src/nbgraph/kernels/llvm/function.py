"""The text of one LLVM function during lowering.

Variables assigned more than once have a place on the stack, which LLVM turns into registers; all
others are SSA values.
"""

from collections.abc import Sequence

from nbgraph.kernels.llvm.values import Value, llvm_type

RECORD = "tuple"  # the kind of several results


class Function:
    """A collector of instructions; each method that creates a value returns it."""

    def __init__(
        self,
        name: str,
        parameters: Sequence[Value],
        *,
        fast: bool = False,
        exact: bool = False,
        wide: int = 0,
    ) -> None:
        self.name, self.parameters = name, tuple(parameters)
        self.fast = "fast " if fast else ""  # flags of floating-point instructions
        self.exact = exact  # divisions are of users' integers, not of indices
        self.wide = wide  # elements for which mathematics is called at once; 0: it is inlined
        self.seldom = False  # rarely runs: mathematics is called, for one vector at once
        self.separate = False
        self.inlined = False
        self.inlines = False  # it inlines mathematics of more than a few instructions
        self.interleaved = False
        self.straight = False  # the current loop becomes straight vector code
        self.scalar = False  # the current loop is not vectorised
        self.convergent = False  # threads synchronise here: calls keep their conditions
        self.grouped = False  # some access marks elements as independent
        self.returns: tuple[str, ...] = ()  # kinds of the results, known at the first return
        self.declared: dict[str, None] = {}  # declarations that the module needs for it
        self._entry: list[str] = []  # stack places: LLVM expects them in the first block
        self._lines: list[str] = []
        self._count = 0
        self._ended = False

    def value(self, kind: str, instruction: str) -> Value:
        """Return the new value of an instruction."""
        name = f"%t{self._count}"
        self._count += 1
        self.line(f"{name} = {instruction}")
        return Value(kind, name)

    def line(self, text: str) -> None:
        """Append an instruction without a value; ignored after the end of a block."""
        if not self._ended:
            self._lines.append("  " + text)

    def needs(self, declaration: str) -> None:
        """Add a declaration or a global to the module."""
        self.declared[declaration] = None

    def label(self, hint: str) -> str:
        """Return a new block label."""
        self._count += 1
        return f"{hint}{self._count}"

    def block(self, label: str) -> None:
        """Begin a block; the previous one falls through to it."""
        self.jump(label)
        self._lines.append(f"{label}:")
        self._ended = False

    def jump(self, label: str, metadata: str = "") -> None:
        """End the block with a jump."""
        self.line(f"br label %{label}{metadata}")
        self._ended = True

    def branch(self, condition: Value, yes: str, no: str) -> None:
        """End the block with a conditional branch."""
        self.line(f"br i1 {condition.text}, label %{yes}, label %{no}")
        self._ended = True

    def place(self, kind: str) -> str:
        """Return a place on the stack for one value."""
        return self.room(llvm_type(kind))

    def room(self, llvm: str, align: int = 0) -> str:
        """Return a place on the stack for an LLVM type."""
        name = f"%p{self._count}"
        self._count += 1
        self._entry.append(f"  {name} = alloca {llvm}" + (f", align {align}" if align else ""))
        return name

    def put(self, place: str, value: Value) -> None:
        """Store a value in a place."""
        self.line(f"store {value.typed}, ptr {place}")

    def get(self, place: str, kind: str) -> Value:
        """Load the value of a place."""
        return self.value(kind, f"load {llvm_type(kind)}, ptr {place}")

    @property
    def result(self) -> str:
        """The LLVM type of the function's result."""
        types = [llvm_type(kind) for kind in self.returns]
        return types[0] if len(types) == 1 else f"{{ {', '.join(types)} }}"

    @property
    def declaration(self) -> str:
        """The declaration for another module."""
        kinds = ", ".join(llvm_type(p.kind) for p in self.parameters)
        return f"declare {self.result} @{self.name}({kinds}) nounwind"

    def give(self, values: Sequence[Value]) -> None:
        """Return values from the function."""
        self.returns = tuple(v.kind for v in values)
        if len(values) == 1:
            self.line(f"ret {values[0].typed}")
        else:
            whole = "poison"
            for i, value in enumerate(values):
                text = f"insertvalue {self.result} {whole}, {value.typed}, {i}"
                whole = self.value(RECORD, text).text
            self.line(f"ret {self.result} {whole}")
        self._ended = True

    def text(self, linkage: str, attribute: str = "") -> str:
        """Return the complete function."""
        listed = ", ".join(p.typed for p in self.parameters)
        inlining = "noinline" if self.separate else "alwaysinline" if self.inlined else attribute
        attributes = f"nounwind {inlining}" + " convergent" * self.convergent
        head = f"define {linkage}{self.result} @{self.name}({listed}) {attributes} {{"
        last = [] if self._ended else ["  unreachable"]
        return "\n".join([head, "entry:", *self._entry, *self._lines, *last, "}", ""])
