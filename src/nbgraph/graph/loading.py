"""`ng.load_json` and `ng.load_symbol`: symbols from texts and files."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nbgraph.errors import ArgumentError, noun
from nbgraph.graph import mxnet_json, serial
from nbgraph.graph.recipe_reader import Trust, ops_by_name
from nbgraph.graph.symbol import Symbol
from nbgraph.signatures import checked

Operators = Mapping[str, Any] | Iterable[Any]


def load_json(
    text: str | bytes, *, ops: Operators = (), allow_code: bool = False, allow_changed: bool = False
) -> Symbol:
    """Return the symbol from a text of `Symbol.tojson`, or of MXNet (`net-symbol.json`).

    No code in the text is run: operators of the library are looked up by name, and those of users
    must be registered or passed, and compute the same as the ones that were written.

    Parameters
    ----------
    text : str or bytes
    ops : mapping of name to operator, or sequence of operators
        The users' operators.
    allow_code : bool
        Create missing operators from their source text in `text`: this runs the text, and imports
        the modules that it needs. For texts of people you trust.
    allow_changed : bool
        Accept operators of the right name that compute something else.

    Raises ArgumentError if an operator is missing or computes something else, FormatError if the
    text is damaged or not one of a symbol.

    >>> import nbgraph as ng
    >>> @ng.op
    ... def cube(x):
    ...     return x * x * x
    >>> text = cube(ng.var("x")).tojson()
    >>> load_json(text, ops=[cube])
    <Symbol cube0_output>
    >>> load_json(text)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    nbgraph.errors.ArgumentError: load_json: the operator 'cube' of ... is not registered here; ...
    """
    return _load("load_json", text, ops, allow_code, allow_changed)


@checked
def load_symbol(
    path: str | os.PathLike[str],
    *,
    ops: Operators = (),
    allow_code: bool = False,
    allow_changed: bool = False,
) -> Symbol:
    """Return the symbol from a file of `Symbol.save`, or of MXNet (`net-symbol.json`).

    Parameters
    ----------
    path : str or path
    ops : mapping of name to operator, or sequence of operators of users
    allow_code : bool, create missing operators from their text, which runs it: for files you trust
    allow_changed : bool, accept operators of the right name that compute something else

    >>> import tempfile, nbgraph as ng
    >>> x = ng.var("x", shape=(2, 3))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ng.sum(x, axis=0).save(f"{folder}/net.json")
    ...     load_symbol(f"{folder}/net.json").shape
    (3,)
    """
    return _load("load_symbol", Path(path).read_bytes(), ops, allow_code, allow_changed)


def _load(where: str, text: Any, ops: Any, allow_code: bool, allow_changed: bool) -> Symbol:
    if not isinstance(text, (str, bytes)):
        raise ArgumentError(
            f"{where}: text is {noun(text)}; give the text that Symbol.tojson returned"
        )
    if '"arg_nodes"' in (text if isinstance(text, str) else text.decode(errors="replace")):
        return Symbol(mxnet_json.entries_of(text, where))
    trust = Trust(ops_by_name(where, ops), bool(allow_code), bool(allow_changed))
    return Symbol(serial.from_text(text, where, trust))
