"""Seeded mutations of the source, one at a time, and whether the tests see them.

    python scripts/mutants.py --count 100 --rooms kernels executor

A mutation changes one thing in one function, in a copy of the tree: a comparison, an operator, a
constant, a condition, an element of a tuple, a statement. The tests of that file are run there,
those that name its module or function first, until one fails. Printed is what became of each
(killed, survived, timeout), and survivors as a diff: what no test sees is not needed, or lacks a
test. Tests that fail without a mutation are left out.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import itertools
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOMS = ["kernels", "graph", "autograd", "array", "executor"]
QUICK = 4  # test files that are run before the others
_SILENT = re.compile(r"__repr__|__str__|_repr_html_|__reduce")  # texts for people
_PAIRS = "Lt LtE, Gt GtE, Eq NotEq, Is IsNot, In NotIn, And Or, Add Sub, Mult FloorDiv"
_TWO = [[getattr(ast, name) for name in pair.split()] for pair in _PAIRS.split(", ")]
_OTHER: dict[type, type] = {a: b for pair in _TWO for a, b in (pair, pair[::-1])}


class Mutant(NamedTuple):
    """A change of one stretch of a file."""

    path: Path  # below the root
    function: str
    line: int
    start: int  # bytes of the file
    end: int
    text: str  # what stands there instead

    def applied(self, source: str) -> str:
        """The file's text with the change."""
        data = source.encode()
        return (data[: self.start] + self.text.encode() + data[self.end :]).decode()


# mutations --------------------------------------------------------------------------------------


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in the place of a node."""
    match node:
        case ast.Compare(ops=[op, *rest]) if type(op) in _OTHER:
            yield ast.Compare(node.left, [_OTHER[type(op)](), *rest], node.comparators)
        case ast.BinOp(op=op) if type(op) in _OTHER:
            yield ast.BinOp(node.left, _OTHER[type(op)](), node.right)
        case ast.BoolOp(op=op):
            yield ast.BoolOp(_OTHER[type(op)](), node.values)
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Tuple(ctx=ast.Load()) | ast.List(ctx=ast.Load()):
            for k in range(len(node.elts)):
                yield type(node)([*node.elts[:k], *node.elts[k + 1 :]], ast.Load())
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield ast.Return(ast.Constant(None))
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is below it; no messages, annotations or claims."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "type_params"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            skipped = (ast.Raise, ast.Assert, ast.JoinedStr, ast.FunctionDef, ast.ClassDef)
            if isinstance(child, ast.AST) and not isinstance(child, skipped):
                yield from _inside(child)


def functions(tree: ast.AST, above: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """All functions by their names, those in classes and functions as "Class.method"."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            name = f"{above}{node.name}"
            if isinstance(node, ast.FunctionDef) and not _SILENT.search(node.name):
                yield name, node
            yield from functions(node, f"{name}.")
        else:
            yield from functions(node, above)


def mutants(path: Path, source: str, name: str, function: ast.FunctionDef) -> list[Mutant]:
    """All mutations of a function."""
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: list[Mutant] = []
    for node in _inside(function):
        pairs: list[tuple[Any, ast.AST]] = [(node, new) for new in changes(node)]
        if isinstance(node, (ast.If, ast.IfExp)):
            pairs += [(node.test, ast.Constant(value)) for value in (True, False)]
        for old, new in pairs:
            text = ast.unparse(ast.fix_missing_locations(new))
            if isinstance(new, ast.expr) and not isinstance(new, (ast.Tuple, ast.List)):
                text = f"({text})"
            start = starts[old.lineno - 1] + old.col_offset
            end = starts[old.end_lineno - 1] + old.end_col_offset
            found.append(Mutant(path, name, old.lineno, start, end, text))
    return found


def chosen(root: Path, given: argparse.Namespace) -> list[Mutant]:
    """Mutations of seeded functions: each room has its share, and each function one at most."""
    rng, found = random.Random(given.seed), list[Mutant]()
    for k, room in enumerate(given.rooms):
        named: list[tuple[Path, str, str, ast.FunctionDef]] = []
        for file in sorted((root / "src" / given.package / room).rglob("*.py")):
            source, path = file.read_text(encoding="utf-8"), file.relative_to(root)
            for name, function in functions(ast.parse(source)):
                if given.only in f"{path}:{name}":
                    named.append((path, source, name, function))
        rng.shuffle(named)
        share = given.count // len(given.rooms) + (k < given.count % len(given.rooms))
        made = (rng.choice(m) for m in (mutants(*each) for each in named) if m)
        found += itertools.islice(made, share)
    return found


# tests ------------------------------------------------------------------------------------------


def tests_of(root: Path, mutant: Mutant) -> list[list[str]]:
    """The test files that mirror a file's folder: the few that name most of it, and the rest."""
    below = mutant.path.relative_to("src").parts[1:]
    folder = root / "tests" / Path(*below[:-1])
    while not any(folder.glob("test_*.py")) and folder != root / "tests":
        folder = folder.parent
    stem = Path(below[-1]).stem
    words = [rf"(?:import.*\b|\.){stem}\b", *(rf"\b{w}\b" for w in mutant.function.split("."))]

    def score(path: Path) -> tuple[int, int]:
        text = path.read_text(encoding="utf-8")
        named = sum(bool(re.search(word, text)) for word in words)
        return -named - 4 * (path.stem == f"test_{stem}"), path.stat().st_size

    names = [str(path.relative_to(root)) for path in sorted(folder.rglob("test_*.py"), key=score)]
    return [batch for batch in (names[:QUICK], names[QUICK:]) if batch]


class Tree:
    """A copy of the tree in which tests are run, with compiled code that they share."""

    def __init__(self, root: Path, place: Path, limit: float) -> None:
        self.root, self.place, self.limit = root, place / "tree", limit
        self.warm, self.cache = place / "warm", place / "cache"
        self.known: dict[tuple[str, ...], tuple[list[str], float]] = {}
        self.place.mkdir()
        self.warm.mkdir()
        for each in root.iterdir():
            if each.name in {"src", "tests"}:
                skipped = shutil.ignore_patterns("__pycache__")
                shutil.copytree(each, self.place / each.name, ignore=skipped)
            elif not each.name.startswith(".git"):
                (self.place / each.name).symlink_to(each)

    def run(self, tests: list[str], cache: Path, seconds: float) -> tuple[str, str]:
        """What became of a run (passed, failed, timeout), and what pytest said."""
        paths = f"{self.place / 'src'}{os.pathsep}{self.place}"
        env = {**os.environ, "NBGRAPH_CACHE_DIR": str(cache), "PYTHONPATH": paths}
        env["PYTEST_XDIST_WORKER"] = "mutants"  # the cache is ours, not one of the run
        command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no"]
        command += tests if cache == self.warm else ["-x", *tests]
        how: dict[str, Any] = {"cwd": self.place, "env": env, "start_new_session": True}
        how |= {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        child = subprocess.Popen(command, **how)
        try:
            out, _ = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 9)
            return "timeout", child.communicate()[0]
        return "passed" if child.returncode in {0, 5} else "failed", out

    def sound(self, tests: list[str]) -> tuple[list[str], float]:
        """What pytest is told, without tests that fail unmutated, and how many seconds it has."""
        if tuple(tests) not in self.known:
            begun = time.monotonic()
            _, out = self.run(tests, self.warm, self.limit)
            seconds = min(self.limit, max(60.0, 5 * (time.monotonic() - begun)))
            failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", out, re.MULTILINE)
            self.known[tuple(tests)] = [*tests, *(f"--deselect={t}" for t in failed)], seconds
        return self.known[tuple(tests)]

    def fate(self, mutant: Mutant, batches: int) -> str:
        """killed, survived or timeout."""
        sound = [self.sound(tests) for tests in tests_of(self.root, mutant)[:batches]]
        file, found = self.place / mutant.path, "passed"
        source = file.read_text(encoding="utf-8")
        file.write_text(mutant.applied(source), encoding="utf-8")
        try:
            for tests, seconds in sound:
                shutil.rmtree(self.cache, ignore_errors=True)
                shutil.copytree(self.warm, self.cache)
                if found == "passed":
                    found, _ = self.run(tests, self.cache, seconds)
        finally:
            file.write_text(source, encoding="utf-8")
        return {"passed": "survived", "failed": "killed"}.get(found, found)


def main(arguments: list[str] | None = None) -> dict[Mutant, str]:
    """Run the mutations that the command line asks for; what became of each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    defaults = {"count": 100, "seed": 0, "only": "", "limit": 600.0, "package": "nbgraph"}
    for name, value in defaults.items():  # only: part of path:function; limit: seconds of a run
        parser.add_argument(f"--{name}", type=type(value), default=value)
    parser.add_argument("--rooms", nargs="+", default=ROOMS)
    parser.add_argument("--quick", action="store_true", help=f"the first {QUICK} test files alone")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    given = parser.parse_args(arguments)
    asked = chosen(given.root, given)
    fates: dict[Mutant, str] = {}
    with tempfile.TemporaryDirectory(prefix="mutants-") as place:
        tree = Tree(given.root, Path(place), given.limit)
        for mutant in asked:
            fates[mutant] = tree.fate(mutant, 1 if given.quick else 2)
            print(f"{fates[mutant]:<9} {mutant.path}:{mutant.line} {mutant.function}", flush=True)
    for mutant in (m for m, fate in fates.items() if fate == "survived"):
        source = (given.root / mutant.path).read_text(encoding="utf-8")
        texts = source.splitlines(), mutant.applied(source).splitlines()
        print(
            f"\n{mutant.path}", *list(difflib.unified_diff(*texts, n=2, lineterm=""))[2:], sep="\n"
        )
    counts = {fate: [*fates.values()].count(fate) for fate in ("killed", "survived", "timeout")}
    print("\n" + ", ".join(f"{n} {fate}" for fate, n in counts.items()))
    return fates


if __name__ == "__main__":
    main()
