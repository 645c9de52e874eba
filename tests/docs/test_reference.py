"""The generated tables have a row for everything that they are about, and say what holds."""

import importlib
import inspect

import numpy as np
import pytest

import nbgraph as ng
from docs import operators, reference, rows
from nbgraph import foreign, ops
from nbgraph.errors import NbgraphError
from nbgraph.settings import Settings


def test_every_public_operator_has_one_row():
    found = [n for r in operators.rows() for n in {r.name, *r.others, *r.mxnet}]
    assert sorted(found) == sorted(set(ops.PLACES) - ops.INTERNAL)


def row(name):
    return next(r for r in operators.rows() if name in (r.name, *r.others, *r.mxnet))


@pytest.mark.parametrize(
    "name, numpy, mxnet, torch",
    [
        ("concatenate", "np.concatenate", "Concat", "torch.cat"),
        ("add", "np.add", "elemwise_add", "torch.add"),
        ("linalg_svd", "np.linalg.svd", "", "torch.linalg.svd"),
        ("gelu", "", "", "torch.nn.functional.gelu"),
    ],
)
def test_names_elsewhere(name, numpy, mxnet, torch):
    found = row(name)
    assert found.numpy == numpy and found.torch == torch
    assert not mxnet or mxnet in {*found.mxnet, *row(mxnet).mxnet}


@pytest.mark.parametrize(
    "name, dtypes, gradient, devices",
    [
        ("tanh", "float, int, bool, complex", "any", "CPU, GPU"),
        ("equal", "float, int, bool, complex", "constant", "CPU, GPU"),
        ("bitwise_and", "int, bool", "none", "CPU, GPU"),
        ("argmax", "float, int, bool, complex", "none", "CPU, GPU"),
        ("debug", "float, int, bool, complex", "any", "CPU"),
    ],
)
def test_facts_of_operators(name, dtypes, gradient, devices):
    assert operators.facts(row(name)) == (dtypes, gradient, devices)


def test_torch_has_the_names_that_the_table_says():
    torch = pytest.importorskip("torch")
    for name in rows.pairs("torch_names.txt").values():
        value = torch
        for part in name.split(".")[1:]:
            value = getattr(value, part)


def test_names_of_the_torch_table_are_operators():
    assert set(rows.pairs("torch_names.txt")) <= set(ops.PLACES)


def test_every_setting_has_a_row_with_its_default():
    table = reference.settings_table()
    for name, field in Settings.__dataclass_fields__.items():
        (line,) = (text for text in table.splitlines() if text.startswith(f"| `{name}` |"))
        assert name == "cache_dir" or f"`{field.default!r}`" in line


def test_every_error_has_a_section_with_a_remedy():
    texts = rows.blocks("errors.txt")
    assert set(texts) == {kind.__name__ for kind in reference.error_classes()}
    for name, text in texts.items():
        assert text.startswith("Remedy: ") or "\nRemedy: " in text, name


EXAMPLES = {
    kind: text.partition("\nRemedy: ")[0]
    for kind, text in rows.blocks("errors.txt").items()
    if not text.startswith("Remedy: ")
}


@pytest.mark.parametrize("kind", EXAMPLES)
def test_examples_of_errors_raise_them(kind):
    error = reference.raised(EXAMPLES[kind])
    assert isinstance(error, getattr(ng.errors, kind)), error
    assert isinstance(error, (NbgraphError, Warning))
    assert str(error).strip()


def test_an_example_that_raises_nothing_is_noticed():
    with pytest.raises(AssertionError, match="nothing was raised by"):
        reference.raised("x = 1")


def test_functions_of_scalar_functions_are_listed_by_module():
    table = reference.scalar_functions()
    for module, name in (("math", "hypot"), ("numpy", "tanh"), ("cmath", "phase")):
        (line,) = (text for text in table.splitlines() if text.startswith(f"| `{module}` |"))
        assert f"`{name}`" in line and hasattr(importlib.import_module(module), name)


def test_all_translated_names_are_listed():
    page = reference.foreign_names()
    for name in (*foreign.NAMES, *foreign.METHODS, *foreign.KEYWORDS):
        assert f"| `{name}` |" in page


def test_documentation_becomes_markdown():
    pytest.importorskip("numpydoc")
    text = reference.documentation(
        inspect.cleandoc("""Add <two> numbers, `a_b * 2`.

        Parameters
        ----------
        x : array
            The *first* one.
        y : array of the shape of x, or anything else that broadcasts to the shape that x
            has

        It is kept.

        >>> 1 + 1
        2
        """)
    )
    assert text.startswith(r"Add \<two\> numbers, `a_b * 2`.")
    assert r"- **x** — array: The \*first\* one." in text
    assert "broadcasts to the shape that x has\n" in text, "one sentence of two lines"
    assert text.endswith("It is kept.\n\n```pycon\n>>> 1 + 1\n2\n```")


def test_every_module_and_room_of_operators_has_a_page():
    pytest.importorskip("numpydoc")
    pages = reference.module_pages()
    assert set(pages) == {"ng", *(f"ng.{name}" for name in reference.MODULES)}
    assert ":::::{py:class} ng.nn.Dense(units" in pages["ng.nn"]
    assert "{py:function} ng.op(" in pages["ng"]
    assert ":class:" not in pages["ng"] and "compatible with Python `float`" in pages["ng"]


def test_short_signatures():
    def f(a, b=3, *, c=np.float64, **options):
        """Nothing."""

    assert reference.signature_of(f) == "(a, b=3, *, c=..., **options)"
