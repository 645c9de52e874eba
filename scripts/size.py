"""Lines per file of src and tests; what is too long is named.

    python scripts/size.py            a line per folder, the longest files, and every offence
    python scripts/size.py --all      a line per file

A file over 400 lines or a function over 60 is flagged; a file over 600 lines fails, and so does
`src` when it has more lines than its ceiling, the last row of `tool.nbgraph.ceilings` in
pyproject.toml. A row that raises the ceiling says in `why` what the lines are for.
"""

import ast
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

FILE_FLAG, FILE_LIMIT, FUNCTION_FLAG = 400, 600, 60
FOLDERS = ("src", "tests", "benchmarks", "scripts", "notebooks")


@dataclass(frozen=True, slots=True)
class Report:
    """Lines of each file, and what stands out."""

    lines: dict[str, int]
    flagged: list[str]
    failed: list[str]

    def total(self, folder: str) -> int:
        """Lines of all files below `folder`."""
        return sum(n for path, n in self.lines.items() if path.startswith(folder + "/"))


def long_functions(text: str) -> Iterator[tuple[str, int, int]]:
    """(name, line, length) of every function longer than the flag; docstrings do not count."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            first = node.body[0]
            if ast.get_docstring(node, clean=False) is not None:
                length -= (first.end_lineno or first.lineno) - first.lineno + 1
            if length > FUNCTION_FLAG:
                yield node.name, node.lineno, length


def measure(root: Path, folders: tuple[str, ...] = FOLDERS) -> Report:
    """Measure every Python file below `folders` of `root`."""
    report = Report({}, [], [])
    for folder in folders:
        for file in sorted((root / folder).rglob("*.py")):
            path, text = file.relative_to(root).as_posix(), file.read_text(encoding="utf-8")
            report.lines[path] = count = len(text.splitlines())
            if count > FILE_LIMIT:
                report.failed.append(f"{path}: {count} lines, more than {FILE_LIMIT}: divide it")
            elif count > FILE_FLAG:
                report.flagged.append(f"{path}: {count} lines, more than {FILE_FLAG}")
            report.flagged.extend(
                f"{path}:{line}: {name}() has {length} lines, more than {FUNCTION_FLAG}"
                for name, line, length in long_functions(text)
            )
    report.failed.extend(over_ceiling(root, report.total("src")))
    return report


def over_ceiling(root: Path, count: int) -> Iterator[str]:
    """Yield what is wrong with the ceilings of `src`, and whether `count` lines exceed the last."""
    project = root / "pyproject.toml"
    if not project.exists():
        return
    rows = tomllib.loads(project.read_text(encoding="utf-8"))
    ceilings = rows.get("tool", {}).get("nbgraph", {}).get("ceilings", [])
    for before, row in pairwise(ceilings):
        if row["lines"] > before["lines"] and not row.get("why"):
            yield f"pyproject.toml: the ceiling {row['lines']} is raised without a `why`"
    if ceilings and count > ceilings[-1]["lines"]:
        yield (
            f"src: {count} lines, more than the ceiling of {ceilings[-1]['lines']}: remove some, "
            "or add a row with a `why` to tool.nbgraph.ceilings in pyproject.toml"
        )


def main(root: Path, *, everything: bool = False) -> int:
    """Print the report; the exit status."""
    report = measure(root)
    shown = sorted(report.lines.items(), key=lambda item: -item[1])
    for path, count in sorted(shown) if everything else shown[:8]:
        print(f"{count:7}  {path}")
    print("  lines:", ", ".join(f"{folder} {report.total(folder)}" for folder in FOLDERS))
    for note in report.flagged:
        print("  long:", note)
    for note in report.failed:
        print("  TOO LONG:", note)
    return 1 if report.failed else 0


if __name__ == "__main__":
    here = Path(__file__).resolve().parent.parent
    sys.exit(main(here, everything="--all" in sys.argv[1:]))
