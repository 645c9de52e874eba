"""Symbols as text, in files and in pickles.

>>> import nbgraph as ng
>>> x = ng.var("x")
>>> y = ng.exp(x) * 2.0
>>> ng.load_json(y.tojson()).entries == y.entries  # equal nodes are the same nodes
True
"""

import os
from collections.abc import Sequence
from typing import Any, Self

from nbgraph.atomic_write import atomic_write
from nbgraph.graph.graph import Entry

# Reading and writing import twenty modules on all kinds of operators, so only when needed.


class Saved:
    """The part of `Symbol` that writes files and pickles."""

    __slots__ = ()

    entries: tuple[Entry, ...]

    def tojson(self) -> str:
        """Return the graph as JSON text for `ng.load_json`.

        Operators that users wrote are included with their source text. Raises ArgumentError for
        an operator without source text, or an attribute that is an arbitrary object.
        """
        from nbgraph.graph import serial

        return serial.to_text(self.entries)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `tojson()` to a file, which appears whole or not at all; see `ng.load_symbol`.

        >>> import tempfile, nbgraph as ng
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ng.tanh(ng.var("x")).save(f"{folder}/net.json")
        ...     ng.load_symbol(f"{folder}/net.json")
        <Symbol tanh0_output>
        """
        text = self.tojson()
        with atomic_write(path) as file:
            file.write_text(text, encoding="utf-8")

    def __copy__(self) -> Self:
        return self  # a graph does not change

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        from nbgraph.graph import serial

        objects: list[Any] = []
        text = serial.to_text(self.entries, objects)
        return _unpickled, (type(self), text, objects)


def _unpickled(kind: type[Any], text: str, objects: Sequence[Any]) -> Any:
    """Return a symbol from a pickle, which may run code like any pickle."""
    from nbgraph.graph import serial
    from nbgraph.graph.recipe_reader import Trust

    return kind(serial.from_text(text, "unpickling", Trust(allow_code=True), objects))
