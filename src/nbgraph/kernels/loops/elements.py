"""Texts that address, load, convert and store the elements of a loop's arrays."""

from nbgraph.kernels.loops.body import cut
from nbgraph.kernels.loops.loop import Access, Loop, Operand, Output
from nbgraph.kernels.scalar.graph import Node
from nbgraph.kernels.scalar.kinds import INTEGERS, ITEMSIZE, SHORT, narrowed, widened

LOAD: dict[Access, str] = {"plain": "load", "scoped": "load_input", "element": "load_element"}
STORE: dict[Access, str] = {"plain": "store", "scoped": "store_output", "element": "store_element"}


class Elements:
    """Texts of the elements of a loop's arrays, in the precision of its computation."""

    loop: Loop

    def stride(self, name: str, array: Operand | Output) -> str:
        """Return the bytes between elements of the inner run."""
        return f"{name}_step" if array.layout == "s" else str(self.item(array))

    def item(self, array: Operand | Output) -> int:
        """Return the bytes of an element."""
        return ITEMSIZE[array.dtype] * len(array.nodes)

    def place(
        self, name: str, array: Operand | Output, index: str, part: int = 0
    ) -> tuple[str, str]:
        """Return pointer and index of an element of the inner run, or of its imaginary part (1)."""
        if array.layout == "s":
            return f"shifted({name}_p, {index} * {name}_step)", str(part)
        return f"{name}_p", index if array.imag is None else f"2 * {index} + {part}"

    def loaded(self, pointer: str, index: str, dtype: str, *, access: Access = "plain") -> str:
        """Return the text of a load, converted to what the body computes with."""
        return _read(f"{LOAD[access]}({pointer}, {index})", dtype)

    def widened(self, array: Operand, pointer: str, index: str, *, access: Access = "plain") -> str:
        """Return the text of an operand's load, in the precision that the body computes in."""
        return self.computed(array, f"{LOAD[access]}({pointer}, {index})")

    def computed(self, array: Operand, text: str) -> str:
        """Return the text of an operand's stored element in the precision of the body."""
        text = _read(text, array.dtype)
        stored = "float32" if array.dtype in SHORT else array.dtype
        if array.node.kind != "f" or stored == self.loop.compute:
            return text
        return f"{self.loop.compute}({text})"

    def converted(self, text: str, node: Node, dtype: str) -> str:
        """Return the text of a node's value converted for storage as a dtype."""
        if dtype == "bool":
            return f"uint8({text})"
        kind = self.loop.compute if node.kind == "f" else node.kind
        if dtype in SHORT:
            return _shortened(text, kind, dtype)
        if node.kind == "f" and dtype in INTEGERS:
            return cut(dtype, text)
        return text if kind == dtype else f"{dtype}({text})"

    def stored_text(self, output: Output, text: str, old: str) -> str:
        """Return the text to store for a value; `old` is the text of the element's old value."""
        if output.request == "write":
            return self.converted(text, output.node, output.dtype)
        old = _read(old, output.dtype)
        if output.dtype == "bool":
            return self.converted(f"({old} | {text})", output.node, output.dtype)
        kind = self.loop.compute if output.node.kind == "f" else output.dtype
        text = f"{kind}({old}) + {kind}({text})"
        if output.node.kind != "f":
            return f"{output.dtype}({text})"
        return self.converted(text, output.node, output.dtype)

    def delivered(
        self,
        pointer: str,
        index: str,
        output: Output,
        text: str,
        kind: str,
        *,
        access: Access = "plain",
    ) -> str:
        """Return the text to store for a result of dtype `kind`: rounded first, then added."""
        dtype = output.dtype
        if dtype == "bool":
            value = f"{text} != 0"
            if output.request == "add":
                value = f"{self.loaded(pointer, index, dtype, access=access)} | ({value})"
            return f"uint8({value})"
        short = dtype in SHORT
        value = text if kind == ("float32" if short else dtype) else f"{dtype}({text})"
        if short:
            value = _shortened(text, kind, dtype)
        if output.request == "write":
            return value
        old = self.loaded(pointer, index, dtype, access=access)
        if short:
            return narrowed(f"{old} + {widened(value, dtype)}", dtype)
        return f"{dtype}({old} + {value})"


def _read(text: str, dtype: str) -> str:
    """Return the text of a stored value of a dtype as the body computes with it."""
    return f"({text} != 0)" if dtype == "bool" else widened(text, dtype)


def _shortened(text: str, kind: str, dtype: str) -> str:
    """Return the text of a number as a 16-bit float: floats are rounded once."""
    if kind not in ("float32", "float64"):
        text, kind = f"float32({text})", "float32"
    return f"{kind}_to_{dtype}({text})"
