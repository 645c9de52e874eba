"""Functions that are written by tables of text."""

import builtins
import dis
import importlib
import importlib.util
import inspect
import subprocess
import sys
import types
import typing
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from nbgraph.engine.sites import is_ours
from nbgraph.errors import ArgumentError
from nbgraph.operator import declared, registry
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


def _codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


@pytest.mark.parametrize("module", sorted(set(registry.library().values())))
def test_no_family_reads_functions_of_its_own_table(module):
    """They may not be made yet; a builtin of that name would be called in their place."""
    file = importlib.util.find_spec(module).origin
    whole = compile(Path(file).read_text(encoding="utf-8"), file, "exec")
    own = {name for name, place in registry.library().items() if place == module}
    own -= {i.argval for i in dis.get_instructions(whole) if i.opname == "STORE_NAME"}
    for code in _codes(whole):
        loads = (i for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL")
        assert not own & {i.argval for i in loads}, code.co_name


@pytest.fixture
def lazy(monkeypatch):
    """A module with postponed rows, and which have been made."""
    module, calls = types.ModuleType("lazy_tables"), []
    module.stops = []

    def make(row):
        if module.stops:
            raise module.stops.pop()
        calls.append(row.name)
        return {row.name: lambda: row.doc}

    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(declared, "_COMPLETE", [])
    monkeypatch.setattr(declared, "_TABLES", [])
    text = "one(x): 1.\n    = two(x)\ntwo also(x): 2.\n    = a.three(x)\nthree(x): 3.\nkept(x): 4."
    module.kept = None
    declared.postpone(parse(text), vars(module), make)
    return module, calls


def test_rows_are_made_when_they_are_asked_for_with_those_they_name(lazy):
    module, calls = lazy
    assert calls == ["kept"]  # the module had something of that name
    assert module.also().strip() == "2." and calls == ["kept", "two"]
    assert module.one is module.one and calls == ["kept", "two", "one"]
    with pytest.raises(AttributeError, match="'lazy_tables' has no attribute 'four'"):
        _ = module.four
    declared.complete()
    assert calls == ["kept", "two", "one", "three"] and "three" in vars(module)


def test_a_row_whose_making_was_stopped_is_made_again(lazy):
    module, calls = lazy
    module.stops.append(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        _ = module.two
    assert calls == ["kept"] and module.two().strip() == "2."


def test_threads_get_one_function(lazy):
    module, calls = lazy
    with ThreadPoolExecutor(8) as pool:
        functions = set(pool.map(lambda _: module.three, range(64)))
    assert len(functions) == 1 and calls == ["kept", "three"]


def test_a_new_process_makes_no_operators_but_those_it_uses():
    code = """
import sys, nbgraph as ng
ng.add
family = vars(sys.modules["nbgraph.ops.elementwise.arithmetic"])
print("add" in family, "multiply" in family, ng.sqrt(4.0) * ng.multiply(2, 3))
print("sum" in vars(sys.modules["nbgraph.ops.carrier.reductions"].Reductions) if
      ng.ones(3).sum().item() == 3 else 0)
"""
    ended = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ended.stdout.split() == ["True", "False", "12.0", "True"]


def test_sources_of_rows_are_found():
    """What help with source shows is the function, not the head of its file. Its file has a name
    of texts without one, which tools that count lines pass over: `coverage`, `trace`."""
    for function in (importlib.import_module("nbgraph").softmax, registry.find("sum")):
        assert inspect.getsource(function).startswith(f"def {function.__name__}(")
    name = inspect.unwrap(importlib.import_module("nbgraph").softmax).__code__.co_filename
    assert name.startswith("<nbgraph.") and name.endswith("(table of softmax)>"), name
