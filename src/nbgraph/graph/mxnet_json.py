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
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nbgraph.dtype import MXNET_DTYPES
from nbgraph.errors import FormatError, NbgraphError
from nbgraph.graph.graph import Entry
from nbgraph.graph.namespace import sym
from nbgraph.graph.symbol import Symbol, var
from nbgraph.operator import registry

_WORDS = {"plus": "add", "minus": "sub", "rnn_param_concat": "concat"}
_Run = Callable[[int, Sequence[Symbol]], list[Symbol]]  # calls one of the subgraphs of a node
_TRUTHS = re.compile("(equal|greater|lesser|logical_(and|or|xor|not))$")


def entries_of(text: str | bytes, where: str) -> tuple[Entry, ...]:
    """Return the heads of a text of MXNet's `Symbol.tojson`.

    Errors of operators have a note that names the node; damaged text raises FormatError.
    """
    try:
        return _heads(json.loads(text), where)
    except NbgraphError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(
            f"{where}: MXNet's text is damaged ({type(error).__name__}: {error}); write it again"
        ) from None


def _heads(form: Any, where: str, operands: Sequence[Symbol] = ()) -> tuple[Entry, ...]:
    """Return the heads of a graph; `operands` replace its variables, if it is part of a loop."""
    results: list[Sequence[Entry]] = []
    bound = dict(zip(form["arg_nodes"], operands, strict=True)) if operands else {}
    for number, node in enumerate(form["nodes"]):
        attributes = node.get("attrs", node.get("attr", {}))
        inputs = [Symbol([results[place][index]]) for place, index, *_ in node["inputs"]]
        try:
            if number in bound:
                outputs = bound[number].entries
            elif node["op"] in _CONTROL:
                outputs = _controlled(attributes, node, inputs, where)
            elif node["op"] == "null":
                outputs = _variable(attributes, node).entries
            else:
                outputs = _call(attributes, node, inputs).entries
        except NbgraphError as error:
            error.add_note(f"{where}: at node {node['name']!r}, of operator {node['op']!r}")
            raise
        results.append(outputs)
    return tuple([results[place][index] for place, index, *_ in form["heads"]])


def _controlled(
    attributes: Mapping[str, str], node: Any, inputs: list[Symbol], where: str
) -> list[Entry]:
    """Return the outputs of a loop or branch, whose functions are subgraphs."""
    options = {key: _value(text) for key, text in attributes.items() if not key.startswith("__")}

    def run(part: int, operands: Sequence[Symbol]) -> list[Symbol]:
        heads = _heads(node["subgraphs"][part], where, operands)
        return [Symbol([entry]) for entry in heads]

    return [symbol.entry for symbol in _CONTROL[node["op"]](run, inputs, options)]


def _foreach(run: _Run, inputs: list[Symbol], options: Mapping[str, Any]) -> list[Symbol]:
    along, kept = options["in_data_locs"], options["in_state_locs"]
    places, count = [*along, *kept, *options["remain_locs"]], options["num_out_data"]
    first, second = len(along), len(along) + len(kept)
    data, states, rest = inputs[:first], inputs[first:second], inputs[second:]

    def body(parts: Any, carried: Any) -> Any:
        operands = dict(zip(places, [*parts, *carried, *rest], strict=True))
        heads = run(0, [operands[k] for k in range(len(operands))])
        return heads[:count], heads[count:]

    results, last = sym.contrib.foreach(body, data, states)
    return [*results, *last]


def _while_loop(run: _Run, inputs: list[Symbol], options: Mapping[str, Any]) -> list[Symbol]:
    tested, read = options["cond_input_locs"], options["func_input_locs"]
    carried, count = [read[k] for k in options["func_var_locs"]], options["num_out_data"]

    def applied(part: int, places: Sequence[int], values: Sequence[Symbol]) -> list[Symbol]:
        now = dict(zip(carried, values, strict=True))
        return run(part, [now.get(k, inputs[k]) for k in places])

    def func(*values: Symbol) -> Any:
        heads = applied(1, read, values)
        return heads[:count], heads[count:]

    results, last = sym.contrib.while_loop(
        lambda *values: applied(0, tested, values)[0],
        func,
        [inputs[k] for k in carried],
        options["max_iterations"],
    )
    return [*results, *last]


def _cond(run: _Run, inputs: list[Symbol], options: Mapping[str, Any]) -> list[Symbol]:
    test, then, otherwise = (
        [inputs[k] for k in options[f"{word}_input_locs"]] for word in ("cond", "then", "else")
    )
    (holds,) = run(0, test)
    return list(sym.contrib.cond(holds, lambda: run(1, then), lambda: run(2, otherwise)))


_CONTROL = {"_foreach": _foreach, "_while_loop": _while_loop, "_cond": _cond}


def _variable(attributes: Mapping[str, str], node: Any) -> Symbol:
    shape, dtype = _value(attributes.get("__shape__", "None")), int(attributes.get("__dtype__", -1))
    known = None if shape is None else tuple([n if n > 0 else None for n in shape])
    init = {'["zero", {}]': 0, '["one", {}]': 1}.get(attributes.get("__init__", ""))
    kind = MXNET_DTYPES[dtype] if dtype >= 0 else None
    return var(node["name"], known or None, kind, init, attr=attributes)


def _call(attributes: Mapping[str, str], node: Any, inputs: list[Any]) -> Symbol:
    op, is_old = node["op"], "param" in node  # before version 1 all attributes were the user's
    attr = {key: text for key, text in attributes.items() if is_old or key.startswith("__")}
    parameters = node.get("param", attributes).items()
    options = {key: _value(text) for key, text in parameters if not key.startswith("__")}
    options.pop("num_args", None)
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
    """Return the name in `ng.sym` of an operator; names with a leading `_` are MXNet's internal."""
    word = re.sub(r"^_(contrib_|npi?_)?", "", op)
    broadcast = f"broadcast_{_WORDS.get(word.lower(), word)}"
    return (
        broadcast
        if op.startswith("_") and registry.lookup(broadcast) is not None
        else _WORDS.get(word, word)
    )


def _value(text: str) -> Any:
    """Return the value of a parameter that MXNet wrote as text; words stay strings."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
