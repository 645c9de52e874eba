"""Notebooks are programs under test: paired with text, stored without outputs, run in full.

The four steps of a simple operator are one of them (SMP-45).
"""

import asyncio
import warnings

import jupytext
import nbclient
import nbformat
import pytest

from tests.support import ROOT

FOLDER = ROOT / "notebooks"
NAMES = sorted({path.stem for path in FOLDER.glob("*") if path.suffix in {".py", ".ipynb"}})


def cells(notebook):
    return [(cell.cell_type, cell.source.strip()) for cell in notebook.cells]


def load(name):
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


@pytest.mark.parametrize("name", NAMES)
def test_notebook_and_its_text_agree(name):
    text = jupytext.read(FOLDER / f"{name}.py", fmt="py:percent")
    remedy = (
        f"run: python -m jupytext --to ipynb --output notebooks/{name}.ipynb notebooks/{name}.py"
    )
    assert cells(load(name)) == cells(text), remedy


@pytest.mark.parametrize("name", NAMES)
def test_notebook_is_stored_without_outputs(name):
    for cell in load(name).cells:
        assert not cell.get("outputs"), cell.source
        assert cell.get("execution_count") is None, cell.source


@pytest.mark.parametrize("name", NAMES)
def test_notebook_runs_from_a_fresh_kernel(name, tmp_path):
    notebook = load(name)
    client = nbclient.NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the client's; the kernel is another process
        asyncio.run(client.async_execute())
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")


def test_a_disagreeing_pair_is_noticed():
    text = jupytext.reads("# %% [markdown]\n# One.\n\n# %%\n1 + 1\n", fmt="py:percent")
    other = jupytext.reads("# %% [markdown]\n# One.\n\n# %%\n1 + 2\n", fmt="py:percent")
    assert cells(text) == [("markdown", "One."), ("code", "1 + 1")]
    assert cells(text) != cells(other)


def test_the_core_from_scratch_stays_short():
    """The core is rebuilt in 300 lines of code at most, the comparison included."""
    code = [cell.source for cell in load("10_from_scratch").cells if cell.cell_type == "code"]
    assert sum(len(source.splitlines()) for source in code) <= 300
