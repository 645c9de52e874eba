"""Functions that are written by tables of text."""

import builtins
import dis
import importlib
import inspect
import typing

import pytest

from nbgraph.engine.sites import is_ours
from nbgraph.errors import ArgumentError
from nbgraph.operator import registry
from nbgraph.operator.declared import TYPES, define, parse

TABLE = """
total(x, /, *more, keepdims=False): Add everything.
    x : number
    -> number
    >>> total(1, 2)
    3
    = (x, more, keepdims)
again(x, y: float = 2.0, *, name=None) -> str: Call the target of this name.
"""


def made():
    scope = {"__name__": "tables", "library": typing.NamedTuple("Library", [("again", object)])}
    scope["library"] = scope["library"](lambda *args, **options: (args, options))
    assert define(parse(TABLE, "library"), scope) == ["total", "again"]
    return scope


def test_a_row_is_a_function_with_signature_documentation_and_types():
    scope = made()
    total, again = scope["total"], scope["again"]
    assert total(1, 2, 3, keepdims=True) == (1, (2, 3), True)
    assert again(1, name="n") == ((1, 2.0), {"name": "n"})
    assert total.__doc__ == (
        "Add everything.\n\nParameters\n----------\nx : number\nkeepdims : whether these axes "
        "stay, with size 1\n\nReturns\n-------\nnumber\n\n>>> total(1, 2)\n3\n"
    )
    assert (total.__module__, total.__qualname__) == ("tables", "total")
    assert inspect.signature(again).return_annotation == "str"
    assert again.__annotations__["y"] == "float"
    assert total.__annotations__["keepdims"] == TYPES["keepdims"] == "bool"


def test_an_unknown_keyword_is_answered_by_those_that_are_there():
    with pytest.raises(
        ArgumentError, match="again: unexpected keyword argument 'nam'; did you mean 'name'?"
    ):
        made()["again"](1, nam=0)
    assert "unknown" not in inspect.signature(made()["again"]).parameters


@pytest.mark.parametrize("module", sorted(set(registry.library().values())))
def test_names_within_rows_exist_and_their_lines_count_as_lines_of_the_library(module):
    importlib.import_module(module)
    for name in (n for n, place in registry.library().items() if place == module):
        function = inspect.unwrap(registry.find(name))
        if not inspect.isfunction(function):
            continue
        assert is_ours(function.__code__), name
        loads = (i for i in dis.get_instructions(function) if i.opname == "LOAD_GLOBAL")
        names = {i.argval for i in loads} - set(vars(builtins)) - set(function.__globals__)
        assert not names, f"{name}: {names}"


def test_sources_of_rows_are_found():
    """What help with source shows is the function, not the head of its file."""
    for function in (importlib.import_module("nbgraph").softmax, registry.find("sum")):
        assert inspect.getsource(function).startswith(f"def {function.__name__}(")
