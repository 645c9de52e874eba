"""The pages of the site: their examples, tables and links. The site itself is `test_site`."""

import importlib
import re
import tomllib
from types import SimpleNamespace

import numpy as np
import pytest

import nbgraph as ng
from docs import build, rows
from nbgraph.errors import CaptureError
from tests.support import ROOT, Readme, run_python

PAGES = sorted((ROOT / "docs").rglob("*.md"))
RUN = """
import runpy, sys
for path in sys.argv[1:]:
    print("\\x1d", flush=True)
    runpy.run_path(path)
"""


def examples(page):
    """The page's python blocks as a program; cells that the site runs are blocks, too."""
    text = page.read_text(encoding="utf-8").replace("```{code-cell} python", "```python")
    return Readme.of(re.sub(r"(?m)^:tags: .*$", "", text))


@pytest.fixture(scope="module")
def pages():
    """Pages with examples that can run here."""
    found = {page: examples(page) for page in PAGES}
    missing = importlib.util.find_spec("pandas") is None
    return {
        page: each
        for page, each in found.items()
        if each.expected and not (missing and page.stem == "pandas-csv")
    }


def test_examples_run_and_print_what_pages_say(pages, tmp_path):
    """In one process, each page with names of its own."""
    for number, readme in enumerate(pages.values()):
        (tmp_path / f"{number}.py").write_text(readme.program, encoding="utf-8")
    programs = [tmp_path / f"{number}.py" for number in range(len(pages))]
    printed = run_python("-c", RUN, *programs, cwd=tmp_path).split("\x1d\n")[1:]
    for page, readme, part in zip(pages, pages.values(), printed, strict=True):
        try:
            readme.check(part)
        except AssertionError as wrong:
            raise AssertionError(f"{page.relative_to(ROOT)}: {wrong}") from None


def test_extras_to_install_are_those_of_the_package():
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    cells = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {*re.findall(r"`(\w+)`", " ".join(cells)), "all"} == {*project["optional-dependencies"]}


# ---------------------------------------------------------------------------------- migration


def values(result):
    """Numbers of a result of any library."""
    if isinstance(result, (tuple, list)):
        return [values(each) for each in result]
    return np.asarray(result.asnumpy() if isinstance(result, ng.NDArray) else result)


@pytest.mark.parametrize("library", rows.LIBRARIES)
def test_every_line_of_a_migration_table_runs(library, tmp_path):
    """And gives what the other library gives, where that is installed."""
    table = rows.migration(library)
    ours, theirs = {"ng": ng, "folder": tmp_path}, {}
    exec(table.ours, ours)
    peer = importlib.util.find_spec(library) is not None
    if peer:
        exec(table.theirs, theirs)
        if library == "numba":  # what `njit` means, without its compilation
            theirs["numba"] = SimpleNamespace(njit=lambda f: f, vectorize=np.vectorize)
    assert len(table.lines) >= 9
    for line in table.lines:
        result = eval(line.ours, ours)
        if peer:
            wanted, found = values(eval(line.theirs, theirs)), values(result)
            assert np.shape(found) == np.shape(wanted), line
            np.testing.assert_allclose(found, wanted, atol=1e-5, err_msg=line.ours)


def test_a_line_that_is_no_pair_is_refused(tmp_path, monkeypatch):
    (tmp_path / "x.txt").write_text("## Heading\nx = 1\n")
    monkeypatch.setattr(rows, "TABLES", tmp_path)
    with pytest.raises(ValueError, match="'x = 1' is neither a heading nor"):
        rows.migration("x")


# ---------------------------------------------------------------------------------- language


@pytest.mark.parametrize("title, text", rows.blocks("scalar.txt").items())
def test_a_form_of_python_means_what_it_means_in_python(title, text, tmp_path):
    module = tmp_path / "form.py"
    module.write_text(f"import math\nimport numpy as np\n{text}\n")
    spec = importlib.util.spec_from_file_location("form", module)
    form = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(form)
    x = np.array([-2.3, -0.6, 0.3, 1.7])
    np.testing.assert_allclose(ng.op(form.f)(x), [form.f(float(v)) for v in x], rtol=1e-14)


def test_what_the_page_on_the_language_refuses_is_refused():
    with pytest.raises(CaptureError, match="print"):
        ng.op(lambda x: print(x, x))


# ---------------------------------------------------------------------------------- links


def targets(text):
    """What a page refers to: links, cards, entries of tables of contents."""
    yield from re.findall(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)", text)
    yield from (f"{target}.md" for target in re.findall(r"(?m)^:link: (\S+)$", text))
    for tree in re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL):
        entries = [line for line in tree.splitlines() if line and line[0] != ":"]
        yield from (f"{entry}.md" for entry in entries if "*" not in entry)


def exists(page, target):
    """Whether a link of a page leads to a file here, or to a page that is generated."""
    path = target.partition("#")[0]
    if re.match(r"\w+:", target) or not path:
        return True
    home = ROOT if path.startswith("/") else page.parent
    path = path.lstrip("/")
    in_site = build.HERE / path  # tables of contents name pages as they lie in the site
    project = ROOT / path.removeprefix("project/")
    return any(place.exists() for place in (home / path, in_site, project))


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "README.md"], ids=lambda page: str(page.relative_to(ROOT))
)
def test_links_lead_somewhere(page):
    missing = [t for t in targets(page.read_text(encoding="utf-8")) if not exists(page, t)]
    assert missing == []


def test_every_page_is_in_a_table_of_contents():
    trees = "\n".join(
        tree
        for page in PAGES
        for tree in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(), re.DOTALL)
    )
    words = {entry.rpartition("/")[2] for entry in trees.split()}
    indices = {"index"}
    assert {page.stem for page in PAGES} - words - indices == set()


def test_links_of_the_repository_become_links_of_the_site():
    text = (
        "[a](notebooks/01_first_op.py) [b](ARCHITECTURE.md#floors) [c](examples) "
        "[d](https://x.org) [e](/docs/install.md) [f](missing.md)"
    )
    assert build.links(text, ROOT / "README.md") == (
        "[a](/notebooks/01_first_op.ipynb) [b](/project/ARCHITECTURE.md) c "
        "[d](https://x.org) [e](/install.md) [f](missing.md)"
    )


def test_figures_of_the_comparison_are_those_of_the_benchmarks():
    results = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
    table = page.partition("|---|")[2].partition("\n\n")[0].splitlines()[1:]
    cells = [cell for line in table for cell in line.split("|")[2:]]
    figures = [figure for cell in cells for figure in re.findall(r"\d+(?:\.\d+)?", cell)]
    assert len(figures) > 15
    assert [
        f for f in figures if not re.search(rf"(?<![\d.]){re.escape(f)}(?![\d.]*\d)", results)
    ] == []
