"""The core on disk: found under what it is made of, without loading that."""

import importlib
import inspect

from nbgraph.engine.core import codes, compiled, stored


def test_the_key_covers_every_file_that_the_core_is_made_of():
    """A file that is left out would leave old object code in force after an edit."""
    made_of = {module.__name__.rpartition(".")[2] for module in compiled.MODULES}
    read = set()
    for module in compiled.MODULES:
        for line in inspect.getsource(module).splitlines():
            if line.startswith("from nbgraph.engine.core."):
                read.add(line.split()[1].rpartition(".")[2])
    assert made_of | read - {"machine"} == set(stored.FILES)
    assert len(stored.FILES) == len(set(stored.FILES))


def test_every_entry_is_a_function_of_two_words():
    functions = compiled.functions()
    for name in codes.ENTRIES:
        assert list(inspect.signature(functions[name]).parameters) == ["argv", "argc"], name
    assert len(set(codes.ENTRIES)) == len(codes.ENTRIES) and codes.BLOCKING <= set(codes.ENTRIES)
    home = {functions[name].__module__ for name in codes.ENTRIES}
    public = {
        name
        for place in home
        for name, value in vars(importlib.import_module(place)).items()
        if inspect.isfunction(value)
        and value.__module__ == place
        and list(inspect.signature(value).parameters) == ["argv", "argc"]
    }
    assert public == set(codes.ENTRIES)
