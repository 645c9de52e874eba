"""Build the documentation site: `python -m docs.build`, or `bash scripts/docs`, which installs.

Sources are put together in `build/docs/source`: the pages of this folder, those that are
generated, the notebooks, and the repository's own pages. Sphinx makes HTML of them; a warning is an
error, and a link within the site that leads nowhere is a warning.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PROJECT = ("ARCHITECTURE.md", "CONTRIBUTING.md", "benchmarks", "design")


def links(text: str, page: Path) -> str:
    """Return a page of the repository whose links hold within the site.

    A notebook's text becomes its page, a page's path is relative to the page that it stands on,
    and what the site has no page for (a program, a folder) stays as words.
    """

    def place(match: re.Match[str]) -> str:
        words, target = match.groups()
        if re.match(r"\w+:|#", target):
            return match[0]
        path, _, anchor = target.partition("#")
        base = ROOT if path.startswith("/") else page.parent
        found = (base / path.lstrip("/")).resolve()
        if found.parent.name == "notebooks":
            return f"[{words}](/notebooks/{found.stem}.ipynb)"
        if found.is_relative_to(HERE) and found.suffix == ".md":
            return f"[{words}](/{found.relative_to(HERE)}{'#' * bool(anchor)}{anchor})"
        if found.suffix == ".md" and found.relative_to(ROOT).parts[0] in PROJECT:
            return f"[{words}](/project/{found.relative_to(ROOT)})"
        return words if found.exists() else match[0]

    return re.sub(r"(?<!!)\[([^\]\n]+)\]\(([^)\s]+)\)", place, text)


def readme() -> tuple[str, str]:
    """Return the first part of the README, and its examples."""
    text = links((ROOT / "README.md").read_text(encoding="utf-8"), ROOT / "README.md")
    first, mark, rest = text.partition("\n## ")
    return first, mark + rest


def stage(source: Path) -> None:
    """Put the sources of the site together in a folder."""
    from docs import reference

    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    shutil.copy(HERE / "conf.py", source)
    shutil.copytree(HERE / "static", source / "static")
    for page in HERE.rglob("*.md"):
        target = source / page.relative_to(HERE)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = reference.filled(links(page.read_text(encoding="utf-8"), page))
        first, example = readme()
        text = text.replace("<!-- README: start -->", first.partition("\n")[2])
        target.write_text(text.replace("<!-- README: examples -->", example), encoding="utf-8")
    reference.write(source / "reference")
    shutil.copytree(ROOT / "notebooks", source / "notebooks", ignore=shutil.ignore_patterns("*.py"))
    for entry in PROJECT:
        for page in [ROOT / entry, *(ROOT / entry).rglob("*.md")]:
            if page.suffix == ".md":
                target = source / "project" / page.relative_to(ROOT)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(links(page.read_text(encoding="utf-8"), page), encoding="utf-8")


def build(out: Path, *, execute: bool = True) -> int:
    """Stage the sources and make HTML of them; returns Sphinx's exit status."""
    source = out.parent / "source"
    stage(source)
    mode = "cache" if execute else "off"
    options = ["-W", "--keep-going", "-q", "-j", "auto", "-D", f"nb_execution_mode={mode}"]
    cache = ["-D", f"nb_execution_cache_path={out.parent / 'executed'}"]
    command = [sys.executable, "-m", "sphinx", *options, *cache, str(source), str(out)]
    return subprocess.run(command, check=False).returncode


def main() -> int:
    """Build as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m docs.build", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "docs" / "html")
    parser.add_argument("--no-execute", action="store_true", help="do not run the notebooks")
    options = parser.parse_args()
    status = build(options.out.resolve(), execute=not options.no_execute)
    if status == 0:
        print(f"docs: {options.out / 'index.html'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
