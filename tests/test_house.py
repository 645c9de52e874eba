"""The repository keeps its own rules: floors, sizes, start-up, scripts, reasons for exceptions."""

import ast
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tomllib

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

import nbgraph
from tests.support import ROOT, Readme, child, run_python

PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_child_processes_have_the_package_of_this_checkout(tmp_path):
    """Whatever is installed in the environment."""
    code = "import importlib.util as u; print(u.find_spec('nbgraph').origin)"
    wanted = str(ROOT / "src" / "nbgraph" / "__init__.py")
    assert run_python("-c", code, cwd=tmp_path).strip() == nbgraph.__file__ == wanted


# ---------------------------------------------------------------------------------- README


def test_readme_blocks_run_and_print_what_they_say(tmp_path):
    readme = Readme.of((ROOT / "README.md").read_text(encoding="utf-8"))
    program = tmp_path / "readme.py"
    program.write_text(readme.program, encoding="utf-8")
    readme.check(run_python(program, cwd=tmp_path))


def test_a_wrong_readme_is_noticed(tmp_path):
    text = "Look:\n```python\nx = 1\nprint(x)\n```\n```text\n2\n```\n```python\nx / 0\n```\n"
    readme = Readme.of(text)
    assert readme.program.splitlines()[2] == "x = 1"  # line numbers are the text's own
    with pytest.raises(AssertionError, match="block 1 printed"):
        readme.check("1\n\x1e\n\x1e\n")
    program = tmp_path / "readme.py"
    program.write_text(readme.program)
    with pytest.raises(AssertionError, match="line 10"):
        run_python(program)


# ---------------------------------------------------------------------------------- cycles


def imported(tree):
    """Modules and names that a file imports, also lazily and for types alone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def cycles(source):
    """Sets of files below `source` that import each other, by their modules' names."""
    files = {
        ".".join(file.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): file
        for file in source.rglob("*.py")
    }
    number = {name: i for i, name in enumerate(files)}
    edges = set()
    for name, file in files.items():
        for target in imported(ast.parse(file.read_text(encoding="utf-8"))):
            home = target if target in files else target.rpartition(".")[0]
            if home in files:
                edges.add((number[name], number[home]))
    rows, columns = zip(*edges, strict=True)
    graph = csr_array((np.ones(len(edges)), (rows, columns)), shape=(len(files),) * 2)
    _, labels = connected_components(graph, connection="strong")
    groups = {}
    for name, label in zip(files, labels, strict=True):
        groups.setdefault(label, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def test_files_that_name_each_other_are_few():
    """Also for types, where the linter does not look: what knows each other is one subject."""
    wide = [group for group in cycles(ROOT / "src") if len(group) > 3]
    assert not wide


def test_a_cycle_is_noticed(tmp_path):
    for name, text in {
        "a": "import b",
        "b": "def f():\n    from c import x",
        "c": "import a",
    }.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "d.py").write_text("import a")
    assert [sorted(group) for group in cycles(tmp_path)] == [["a", "b", "c"]]


# ---------------------------------------------------------------------------------- floors


def lint(tmp_path, files):
    """Run the project's contracts over a made-up nbgraph of `files` (path -> text)."""
    package = tmp_path / "nbgraph"
    for path, text in {"__init__.py": "", "kernels/__init__.py": "", **files}.items():
        file = package / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        for folder in file.relative_to(tmp_path).parents[:-1]:
            (tmp_path / folder / "__init__.py").touch()
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    run = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    ended = child("-c", run, "--no-logo", "--no-cache", cwd=tmp_path)
    return ended.returncode, " ".join(ended.stdout.split())


def test_floors_hold_for_a_lawful_package(tmp_path):
    lawful = {
        "settings.py": "",
        "dtype.py": "import nbgraph.settings",
        "native/atomics.py": "import numba, llvmlite.ir",
        "kernels/compiler/cpu.py": "import numba\nfrom nbgraph.native import atomics",
        "operator/mapper.py": "def call():\n    from nbgraph.kernels.compiler import cpu",
        "graph/node.py": "from nbgraph.operator.mapper import mapper",
    }
    status, printed = lint(tmp_path, lawful)
    assert status == 0, printed
    assert "4 kept, 0 broken" in printed


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"config.py": "import nbgraph.dtype", "dtype.py": ""}, "Floors"),
        ({"array/a.py": "", "graph/g.py": "from nbgraph.array import a"}, "Floors"),
        (
            {"kernels/k.py": "def f():\n    import nbgraph.operator.o", "operator/o.py": ""},
            "Floors",
        ),
        ({"engine/e.py": "import nbgraph.storage.s", "storage/s.py": ""}, "Floors"),
        ({"cellar.py": ""}, "cellar"),
        ({"graph/g.py": "import numba"}, "numba"),
        ({"operator/o.py": "import llvmlite.binding"}, "llvmlite"),
        (
            {
                "operator/a.py": "from nbgraph.operator import b",
                "operator/b.py": "import nbgraph.operator.a",
            },
            "cycles",
        ),
    ],
)
def test_floors_refuse(tmp_path, files, told):
    status, printed = lint(tmp_path, {"config.py": "", **files})
    assert status != 0, printed
    assert told in printed.partition("Broken contracts")[2] or told in printed


# ---------------------------------------------------------------------------------- start-up


def test_import_loads_nothing_heavy():
    code = "import json, sys, nbgraph; print(json.dumps(sorted(sys.modules)))"
    loaded = set(json.loads(run_python("-c", code)))
    heavy = {"numba.cuda", "scipy", "mpmath", "matplotlib", "IPython", "ml_dtypes", "torch", "jax"}
    assert not heavy & loaded


# ---------------------------------------------------------------------------------- rules


def test_every_ignored_rule_has_a_reason():
    section = re.search(r"\[tool\.ruff\.lint\]\n(.*?)\n\]", PYPROJECT, re.DOTALL).group(1)
    codes = [line for line in section.splitlines() if re.match(r'\s+"', line)]
    assert len(codes) > 20
    assert [line for line in codes if not re.search(r"# \S+", line)] == []


def classes_of(folder):
    """The classes of modules: the file of each, its node, and the names of its bases."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                bases = [ast.unparse(b).partition("[")[0].rpartition(".")[2] for b in node.bases]
                yield path, node, bases


def undocumented(folder):
    """Public methods without a documentation of their own or of what they override."""
    found = {}
    for path, node, bases in classes_of(folder):
        found.setdefault(node.name, []).append((path, node, bases))

    def documented(name, method, seen):
        for _, node, bases in found.get(name, ()):
            texts = [ast.get_docstring(n) for n in node.body if getattr(n, "name", "") == method]
            if any(texts) or any(documented(b, method, {*seen, b}) for b in bases if b not in seen):
                return True
        return False

    for name, rows in found.items():
        for path, node, _ in rows if not name.startswith("_") else ():
            for method in node.body:
                public = isinstance(method, ast.FunctionDef) and not method.name.startswith("_")
                if public and not documented(name, method.name, {name}):
                    yield f"{path.name}: {name}.{method.name}"


def test_public_methods_have_a_documentation(tmp_path):
    """Their own, or that of the method they override, which help() shows."""
    assert list(undocumented(ROOT / "src" / "nbgraph")) == []
    text = (
        'class A:\n    def f(self):\n        """Return 1."""\n\n    def g(self): ...\n'
        "class B(A):\n    def f(self):\n        return 1\n\n    def h(self): ...\n"
    )
    (tmp_path / "a.py").write_text(text)
    assert list(undocumented(tmp_path)) == ["a.py: A.g", "a.py: B.h"]


def test_numba_and_llvmlite_are_pinned_together():
    wanted = tomllib.loads(PYPROJECT)["project"]["dependencies"]
    assert any(re.fullmatch(r"numba>=0\.\d+,<0\.\d+", entry) for entry in wanted)
    assert any(re.fullmatch(r"llvmlite>=0\.\d+,<0\.\d+", entry) for entry in wanted)


def test_size_report_flags_and_fails(tmp_path, capsys):
    size = script("size")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "short.py").write_text("x = 1\n" * 400)
    (tmp_path / "src" / "long.py").write_text("x = 1\n" * 401)
    body = "\n".join(["    x = 1"] * 60)
    (tmp_path / "src" / "wide.py").write_text(
        f'def fits():\n    """Doc.\n\n    More.\n    """\n{body[:-10]}\n\ndef wide():\n{body}\n'
    )
    assert size.main(tmp_path) == 0
    printed = capsys.readouterr().out
    assert "src/long.py: 401 lines" in printed
    assert "wide() has 61 lines" in printed
    assert "short.py:" not in printed
    assert "fits()" not in printed
    (tmp_path / "src" / "huge.py").write_text("x = 1\n" * 601)
    assert size.main(tmp_path) == 1
    assert "TOO LONG: src/huge.py: 601 lines" in capsys.readouterr().out


def test_src_stays_below_its_ceiling(tmp_path, capsys):
    size = script("size")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "short.py").write_text("x = 1\n" * 300)
    project, row = tmp_path / "pyproject.toml", "[[tool.nbgraph.ceilings]]\nlines = {}\n"
    project.write_text(row.format(300))
    assert size.main(tmp_path) == 0
    project.write_text(row.format(400) + row.format(299))
    assert size.main(tmp_path) == 1
    assert "300 lines, more than the ceiling of 299" in capsys.readouterr().out
    project.write_text(row.format(200) + row.format(300))
    assert size.main(tmp_path) == 1
    assert "raised without a `why`" in capsys.readouterr().out
    project.write_text(row.format(200) + row.format(300) + 'why = "a new device"\n')
    assert size.main(tmp_path) == 0


ROOMS = sorted(p for p in (ROOT / "src" / "nbgraph").iterdir() if (p / "__init__.py").exists())


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_pages_of_rooms_name_their_files_and_no_others(room):
    page = (room / "README.md").read_text()
    assert page.startswith(f"# {room.name}\n")
    assert all(f"- **{part}:**" in page for part in ("In", "Out", "Called by", "The naive version"))
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    named = [name for row in rows for name in re.findall(r"`([\w/]+)`", row)]
    missing = [n for n in named if not ((room / f"{n}.py").exists() or (room / n).is_dir())]
    assert not missing, f"{room.name}/README.md names files that are not there: {missing}"
    words = {name.partition("/")[0] for name in re.findall(r"`([\w/]+)`", page)}
    parts = {p.stem for p in room.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()}
    silent = sorted(parts - words - {"__init__"})
    assert not silent, f"{room.name}/README.md says nothing of {silent}"


def test_texts_name_files_that_are_there():
    """`room/file` in pages and docstrings, and the lists of files that packages open with."""
    src, stale = ROOT / "src" / "nbgraph", []
    modules = [path.relative_to(ROOT).with_suffix("") for path in src.rglob("*.py")]
    known = {f"/{place.as_posix()}" for path in modules for place in (path, *path.parents)}
    pages = [p for top in ("src", "design", "docs") for p in (ROOT / top).rglob("*.*")]
    for page in [p for p in pages if p.suffix in {".md", ".py"}]:
        for name in re.findall(
            r"`([a-z_0-9]+(?:/[a-z_0-9]+)+)(?:\.(?:py|md|txt))?`", page.read_text()
        ):
            ends = ("", ".py", ".md", ".txt")
            beside = any(
                (at / f"{name}{end}").exists() for at in (ROOT, page.parent) for end in ends
            )
            if not beside and not any(path.endswith(f"/{name}") for path in known):
                stale.append(f"{page.relative_to(ROOT)}: {name}")
    for package in src.rglob("__init__.py"):
        text = ast.get_docstring(ast.parse(package.read_text())) or ""
        for name in re.findall(r"(?m)^([a-z_0-9]+) {2,}\S", text):
            if not any((package.parent / f"{name}{end}").exists() for end in ("", ".py")):
                stale.append(f"{package.relative_to(ROOT)}: {name}")
    assert not [each for each in stale if each != "docs/build.py: build/docs/source"]


def test_the_map_is_short_and_links_to_every_room():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    assert len(text) <= 12_000
    for link in re.findall(r"\]\((?!http)([^)#]+)\)", text):
        assert (ROOT / link).exists(), link
    assert all(f"src/nbgraph/{room.name}/README.md" in text for room in ROOMS)


# ---------------------------------------------------------------------------------- scripts


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    "path",
    [
        *("scripts/test", "scripts/demo", "scripts/docs", "scripts/conformance"),
        *("scripts/environment.sh", ".ci/run"),
    ],
)
def test_scripts_parse(path):
    checked = subprocess.run(
        ["bash", "-n", ROOT / path], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_an_unfit_python_is_refused_by_name():
    command = "source scripts/environment.sh; PYTHON=/no/such/python find_python"
    child = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert child.returncode == 1
    assert "PYTHON=/no/such/python is not a Python 3.11" in child.stderr


def test_only_what_gets_installed_changes_the_fingerprint():
    fingerprint = script("fingerprint").fingerprint
    same = PYPROJECT.replace("line-length = 100", "line-length = 99")
    other = PYPROJECT.replace('"mpmath>=1.3"', '"mpmath>=1.4"')
    assert same != PYPROJECT
    assert other != PYPROJECT
    assert fingerprint(same) == fingerprint(PYPROJECT)
    assert fingerprint(other) != fingerprint(PYPROJECT)
    assert fingerprint(PYPROJECT, "there") != fingerprint(PYPROJECT, "here")
    assert fingerprint(PYPROJECT, python=(3, 99)) != fingerprint(PYPROJECT)
