"""Symbols of MXNet's JSON (`net-symbol.json`): each node is the call of its operator in `ng.sym`.

>>> node = {"op": "sin", "name": "wave", "inputs": [[0, 0, 0]]}
>>> variable = {"op": "null", "name": "x", "attrs": {"__shape__": "(2, 0)"}, "inputs": []}
>>> text = json.dumps({"nodes": [variable, node], "arg_nodes": [0], "heads": [[1, 0, 0]]})
>>> Symbol(entries_of(text, "here")).list_outputs()
['wave_output']
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.dtype import MXNET_DTYPES
from nbgraph.errors import FormatError, NbgraphError
from nbgraph.graph.graph import Entry
from nbgraph.graph.namespace import sym
from nbgraph.graph.symbol import Symbol, var
from nbgraph.operator import registry

_WORDS = {"plus": "add", "minus": "sub", "rnn_param_concat": "concat"}
_UNSET = "lstm_state_clip_min lstm_state_clip_max lstm_state_clip_nan projection_size".split()
_TRUTHS = re.compile("(equal|greater|lesser|logical_(and|or|xor|not))$")


def entries_of(text: str | bytes, where: str) -> tuple[Entry, ...]:
    """Return the heads of what MXNet's `Symbol.tojson` wrote.

    The error of an operator has a note that says at which node; FormatError for damaged text.
    """
    results: list[Sequence[Entry]] = []
    at = ""
    try:
        form = json.loads(text)
        for node in form["nodes"]:
            at = f"{where}: at node {node['name']!r}, of operator {node['op']!r}"
            attributes = node.get("attrs", node.get("attr", {}))
            inputs = [Symbol([results[place][index]]) for place, index, *_ in node["inputs"]]
            if node["op"] == "null":
                symbol = _variable(attributes, node)
            else:
                symbol = _call(attributes, node, inputs)
            results.append(symbol.entries)
        return tuple([results[place][index] for place, index, *_ in form["heads"]])
    except NbgraphError as error:
        error.add_note(at)
        raise
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(
            f"{where}: MXNet's text is damaged ({type(error).__name__}: {error}); write it again"
        ) from None


def _variable(attributes: Mapping[str, str], node: Any) -> Symbol:
    shape, dtype = _value(attributes.get("__shape__", "None")), int(attributes.get("__dtype__", -1))
    known = None if shape is None else tuple([n if n > 0 else None for n in shape])
    init = {'["zero", {}]': 0, '["one", {}]': 1}.get(attributes.get("__init__", ""))
    kind = MXNET_DTYPES[dtype] if dtype >= 0 else None
    return var(node["name"], known or None, kind, init, attr=attributes)


def _call(attributes: Mapping[str, str], node: Any, inputs: list[Any]) -> Symbol:
    op, is_old = node["op"], "param" in node  # before version 1, attributes were the user's alone
    attr = {key: text for key, text in attributes.items() if is_old or key.startswith("__")}
    parameters = node.get("param", attributes).items()
    options = {key: _value(text) for key, text in parameters if not key.startswith("__")}
    for key in ["num_args", *(k for k in _UNSET if options.get(k) is None or options[k] is False)]:
        options.pop(key, None)
    with_number = re.fullmatch(r"_(r?)(\w+)_scalar", op)
    if with_number:
        options.pop("is_int", None)
        inputs = [*inputs, options.pop("scalar")][:: -1 if with_number[1] else 1]
        op = f"_{with_number[2]}"
    result = getattr(sym, _spelt(op))(*inputs, **options, name=node["name"], attr=attr)
    if not _TRUTHS.search(op):
        return result
    like = sym.ones_like(next(x for x in inputs if isinstance(x, Symbol)))
    # MXNet's truth is a number
    return sym.broadcast_mul(like, result, name=node["name"], attr=attr)


def _spelt(op: str) -> str:
    """Return the name in `ng.sym` of an operator; those that begin with `_` are MXNet's own."""
    word = re.sub(r"^_(contrib_|npi?_)?", "", op)
    broadcast = f"broadcast_{_WORDS.get(word.lower(), word)}"
    return (
        broadcast
        if op.startswith("_") and registry.lookup(broadcast) is not None
        else _WORDS.get(word, word)
    )


def _value(text: str) -> Any:
    """Return a parameter that MXNet wrote as text; words stay text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
