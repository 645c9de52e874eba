"""Pages of the reference, made of the library's own tables and documentation.

Documentation is written in NumPy's format with Markdown's inline marks; numpydoc takes it apart.
"""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import nbgraph as ng
from docs import operators
from docs.rows import LIBRARIES, blocks, markdown, migration
from nbgraph import errors, foreign, settings
from nbgraph.kernels.capture import table as capture

MODULES: dict[str, str] = vars(ng)["_MODULES"]


def code(text: object) -> str:
    """Return text in backticks, which may hold backticks itself."""
    return f"``{text}``" if "`" in str(text) else f"`{text}`"


# ------------------------------------------------------------------------------------ tables


def settings_table() -> str:
    """Return the settings: name, values, default, meaning."""
    meanings: dict[str, str] = {}
    name = ""
    for line in (settings.__doc__ or "").splitlines():
        if match := re.match(r"\| *(\w*) *\| (.*?) *\|$", line):
            name = match[1] or name
            meanings[name] = f"{meanings.get(name, '')} {match[2]}".strip()
    rows = []
    for field in settings.Settings.__dataclass_fields__.values():
        choices = settings._CHOICES.get(field.name, ())
        least, most = settings._RANGES.get(field.name, (None, None))
        allowed = ", ".join(map(repr, choices)) or ("text" if least is None else f"{least} or more")
        allowed = f"{least} to {most}" if most else allowed
        default = field.default if field.name != "cache_dir" else "the user's cache folder"
        meaning = meanings.get(field.name, "of the processor for which machine code is made")
        rows.append((code(field.name), escaped(meaning), allowed, code(repr(default))))
    return markdown(("setting", "meaning", "values", "default"), rows)


def error_classes() -> list[type]:
    """Return every class of exceptions and warnings that nbgraph declares."""
    kinds = (v for v in vars(errors).values() if isinstance(v, type))
    return [
        k for k in kinds if issubclass(k, Exception | Warning) and k.__module__ == errors.__name__
    ]


def errors_page() -> str:
    """Return a section for every error: what it is, an example with its message, the remedy."""
    texts = blocks("errors.txt")
    return "\n\n".join(_error(kind, texts[kind.__name__]) for kind in error_classes())


def _error(kind: type, text: str) -> str:
    common = object, BaseException, Exception, errors.NbgraphError
    bases = ", ".join(code(b.__name__) for b in kind.__mro__[1:] if b not in common)
    program, _, remedy = f"\n{text}".partition("\nRemedy: ")
    program = program.strip()
    cause = inspect.cleandoc(kind.__doc__ or "").split("\n\n")[0]
    head = (
        f"(errors-{kind.__name__})=\n## {kind.__name__}\n\n{escaped(cause)}"
        + f"\n\nAlso: {bases}." * bool(bases)
    )
    shown = f"```python\n{program}\n```\n```text\n{message(program)}\n```\n" if program else ""
    return f"{head}\n\n{shown}\n**Remedy:** {remedy}"


def raised(program: str) -> BaseException:
    """Return what a program raises or warns; it sees `ng`, `np` and `math`."""
    import linecache
    import math

    import numpy as np

    name = f"<example {abs(hash(program))}>"
    linecache.cache[name] = len(program), None, program.splitlines(keepends=True), name
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            exec(compile(program, name, "exec"), {"ng": ng, "np": np, "math": math})
        except (Exception, Warning) as error:
            return error
    raise AssertionError(f"nothing was raised by\n{program}")


def message(program: str) -> str:
    """Return the last lines of the traceback of a program, without names of its file."""
    error = raised(program)
    text = f"{type(error).__name__}: {error}"
    return re.sub(r"<example \d+>", "example.py", text)


def scalar_page() -> str:
    """Return the forms of Python that scalar functions may have: a heading, a function."""
    return "\n\n".join(f"### {k}\n\n```python\n{v}\n```" for k, v in blocks("scalar.txt").items())


def scalar_functions() -> str:
    """Return the functions that scalar functions may call, by module."""
    found: dict[str, set[str]] = {}
    for target in capture.operations():
        module = getattr(target, "__module__", None) or "numpy"
        name = str(getattr(target, "__name__", target))
        module = {"builtins": "built in", "_operator": "operator", "cmath": "cmath"}.get(
            module, module
        )
        if not module.startswith("nbgraph"):
            found.setdefault(module.split(".")[0] if "numpy" in module else module, set()).add(name)
    rows = [(code(m), ", ".join(map(code, sorted(names)))) for m, names in sorted(found.items())]
    return markdown(("module", "functions"), rows)


def migration_table(library: str) -> str:
    """Return the lines of a migration table, a table for each heading."""
    parts: dict[str, list[tuple[str, ...]]] = {}
    for line in migration(library).lines:
        parts.setdefault(line.heading, []).append((code(line.theirs), code(line.ours)))
    header = LIBRARIES[library], "nbgraph"
    return "\n\n".join(f"## {h}\n\n{markdown(header, rows)}" for h, rows in parts.items())


def foreign_names() -> str:
    """Return the names that messages translate: of modules, of arrays, of parameters."""
    parts = {
        "Names": foreign.NAMES,
        "Methods and attributes of arrays": foreign.METHODS,
        "Keywords": foreign.KEYWORDS,
    }
    header = "elsewhere", "here"
    return "\n\n".join(
        f"## {title}\n\n{markdown(header, [(code(k), escaped(v)) for k, v in rows.items()])}"
        for title, rows in parts.items()
    )


def operator_pages() -> dict[str, str]:
    """Return a page for each room of operators: a table, then what each one does."""
    rooms: dict[str, list[operators.Row]] = {}
    for row in operators.rows():
        rooms.setdefault(row.family.partition(".")[0], []).append(row)
    return {room: _operator_page(room, rows) for room, rows in sorted(rooms.items())}


_TITLES = {
    "composed": "Composed of others",
    "draws": "Random numbers",
    "fft": "Fourier transforms",
    "linalg": "Linear algebra",
    "named": "By MXNet's names",
    "updates": "Steps of optimisers",
    "windows": "Convolutions and pools",
}


def _operator_page(room: str, rows: list[operators.Row]) -> str:
    header = "operator", "elsewhere", "dtypes", "derivatives", "devices"
    table = markdown(header, [_cells(row) for row in rows])
    documented = "\n\n".join(directive("function", place(r.name), _op(r.name)) for r in rows)
    return f"# {_TITLES.get(room, room.capitalize())}\n\n{table}\n\n{documented}\n"


def place(name: str) -> str:
    """Return where an operator is found: on `ng`, or on `ng.nd` where `ng` means something else."""
    return f"ng.nd.{name}" if name in vars(ng)["_PLACES"] else f"ng.{name}"


def _op(name: str) -> Any:
    return operators.registry.find(name)


def _cells(row: operators.Row) -> tuple[str, ...]:
    """Return the operator's cells: its names, those elsewhere, and what its graphs say."""
    names = ", ".join([f"{{py:func}}`{place(row.name)}`", *map(code, row.others)])
    torch = row.torch.replace("torch.nn.functional", "F")
    mxnet = [f"mx.nd.{name}" for name in row.mxnet]
    elsewhere = ", ".join(code(n) for n in (row.numpy, *mxnet, torch) if n)
    return names, elsewhere, *operators.facts(row)


# ------------------------------------------------------------------------------------ modules


def module_pages() -> dict[str, str]:
    """Return a page for the package itself and for each public module."""
    nouns = sorted(set(vars(ng)["_PLACES"]) - {e.__name__ for e in error_classes()})
    pages = {"ng": _page("ng", ng, nouns)}
    for name in sorted(MODULES):
        module = getattr(ng, name)
        pages[f"ng.{name}"] = _page(f"ng.{name}", module, dir(module))
    return pages


def _page(title: str, module: ModuleType, names: list[str]) -> str:
    text = (
        f"# {title}\n\n{prose((module.__doc__ or '').strip())}\n" if module is not ng else "# ng\n"
    )
    return text + "".join(f"\n{part}\n" for part in _members(title, module, names))


def _members(title: str, module: ModuleType, names: list[str]) -> Iterator[str]:
    for name in names:
        value = getattr(module, name)
        if name.startswith("__") or isinstance(value, ModuleType):
            continue
        kind = "class" if inspect.isclass(value) else "function" if callable(value) else "data"
        yield directive(kind, f"{title}.{name}", value)


def directive(kind: str, name: str, value: Any) -> str:
    """Return the entry of an object: signature, documentation, and of a class its methods."""
    signature = "" if kind == "data" else signature_of(value)
    document = inspect.getdoc(value) if kind != "data" else getattr(type(value), "__doc__", "")
    if (
        getattr(value, "__module__", "") == "numpy"
    ):  # a dtype: its first sentence, without Sphinx's roles
        document = re.sub(r":\w+:`", "`", str(document).partition("\n\n")[0])
    inside = documentation(inspect.cleandoc(document or ""))
    if kind == "class" and value.__module__.startswith("nbgraph"):
        inside += "".join(f"\n\n{method(n, m)}" for n, m in methods(value))
    return f":::::{{py:{kind}}} {name}{signature}\n{inside}\n:::::"


def methods(cls: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods that a class documents itself."""
    for name, value in sorted(vars(cls).items()):
        raw = getattr(value, "__func__", value)
        if not name.startswith("_") and inspect.isfunction(raw) and raw.__doc__:
            yield name, raw


def method(name: str, function: Any) -> str:
    """Return the entry of a method within its class."""
    inside = documentation(inspect.cleandoc(function.__doc__))
    return f"::::{{py:method}} {name}{signature_of(function, skip=True)}\n{inside}\n::::"


def signature_of(value: Any, *, skip: bool = False) -> str:
    """Return the parameters of a function with short defaults; `skip` leaves out `self`."""
    try:
        parameters = [*inspect.signature(value).parameters.values()][skip:]
    except (TypeError, ValueError):
        return "(...)"
    parts: list[str] = []
    keyword_only = False
    for p in parameters:
        if (
            p.kind is p.KEYWORD_ONLY
            and not keyword_only
            and "*" not in "".join(q[:1] for q in parts)
        ):
            parts.append("*")
        keyword_only = keyword_only or p.kind is p.KEYWORD_ONLY
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        default = "" if p.default is p.empty else f"={_short(p.default)}"
        parts.append(f"{star}{p.name}{default}")
    return f"({', '.join(parts)})"


def _short(value: object) -> str:
    text = repr(value)
    return text if re.fullmatch(r"[\w.'()\-, \[\]]{1,30}", text) else "..."


# ------------------------------------------------------------------------------------ prose


def documentation(text: str) -> str:
    """Return a docstring in NumPy's format as Markdown."""
    from numpydoc.docscrape import NumpyDocString

    body, rest = _split(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of headings that are not NumPy's: they stay as text
        parsed = NumpyDocString(body)
    parts = ["\n".join(parsed["Summary"]), "\n".join(parsed["Extended Summary"])]
    parts = [prose(part) for part in parts]
    for section in ("Parameters", "Returns", "Yields", "Raises", "Attributes"):
        rows = [_parameter(row) for row in parsed[section]]
        parts += [f"**{section}**", "\n".join(rows)] if rows else []
    parts += [prose("\n".join(parsed[s])) for s in ("Notes", "Examples")] + [prose(rest)]
    return "\n\n".join(part for part in parts if part.strip())


def _split(text: str) -> tuple[str, str]:
    """Return a docstring up to its last section, and the paragraphs that follow sections."""
    body, rest, within = [], [], False
    for part in re.split(r"\n\s*\n", text):
        heading = re.match(r"[A-Z].*\n-{3,}", part) is not None
        row = re.match(r"[\w, *]+ : ", part) is not None
        within = within or heading
        (rest if within and not (heading or row) else body).append(part)
    return "\n\n".join(body), "\n\n".join(rest)


_WRAPPED = 82  # characters of a line and the next word: where a sentence goes on in the next line


def _parameter(row: Any) -> str:
    head = f"**{escaped(row.name)}**" if row.name else ""
    words = " — ".join(filter(None, [head, escaped(" ".join(row.type.split()))]))
    more = " ".join(" ".join(row.desc).split())
    wrapped = len(f"{row.name} : {row.type} {more.partition(' ')[0]}") > _WRAPPED
    return f"- {words}" + (" " if wrapped else ": ") * bool(more) + escaped(more)


def prose(text: str) -> str:
    """Return plain text as Markdown: paragraphs, examples, and drawings as they stand."""
    parts = [part for part in re.split(r"\n\s*\n", text.strip("\n")) if part.strip()]
    return "\n\n".join(_merged([_paragraph(part) for part in parts]))


def _paragraph(part: str) -> str:
    lines = part.split("\n")
    starts = [k for k, line in enumerate(lines) if line.startswith(">>> ")]
    if starts and starts[0] > 0:
        cut = starts[0]
        return _paragraph("\n".join(lines[:cut])) + "\n\n" + _paragraph("\n".join(lines[cut:]))
    if starts:
        return f"```pycon\n{part}\n```"
    if lines[0][:1] in " |-├" or any(re.match(r" {2,}|\||[├└]", line) for line in lines):
        return f"```text\n{textwrap.dedent(part)}\n```"
    return escaped(part)


def _merged(parts: list[str]) -> list[str]:
    """Return parts with examples that follow each other in one block."""
    found: list[str] = []
    for part in parts:
        if (
            found
            and part.startswith("```pycon\n")
            and found[-1].endswith("```")
            and "```pycon" in found[-1]
        ):
            found[-1] = found[-1].removesuffix("```") + "\n" + part.removeprefix("```pycon\n")
        else:
            found.append(part)
    return found


def escaped(text: str) -> str:
    """Return text whose marks are no Markdown, but for code in backticks."""
    pieces = re.split(r"(`+[^`]*`+)", text)
    plain = [re.sub(r"([\\*_<>\[\]~#{}])", r"\\\1", piece) for piece in pieces[::2]]
    plain = [re.sub(r"(?m)^(\s*)([-+:=]|\d+[.)])", r"\1\\\2", piece) for piece in plain]
    plain = [re.sub(r"\\(\d+)", r"\1\\", piece) for piece in plain]
    pieces[::2] = plain
    return "".join(pieces).replace("`" * 4, "")


GENERATED: dict[str, Callable[[], str]] = {
    "settings": settings_table,
    "errors": errors_page,
    "scalar": scalar_page,
    "functions": scalar_functions,
    "names": foreign_names,
    **{f"migration {name}": functools.partial(migration_table, name) for name in LIBRARIES},
}


def filled(page: str) -> str:
    """Return a page with its comments `<!-- generated: NAME -->` replaced."""
    return re.sub(r"<!-- generated: ([\w ]+) -->", lambda m: GENERATED[m[1]](), page)


def write(folder: Path) -> None:
    """Write the pages that are generated whole, with an index of each kind, below a folder."""
    for kind, pages in (("api", module_pages()), ("operators", operator_pages())):
        (folder / kind).mkdir(parents=True, exist_ok=True)
        for name, text in pages.items():
            (folder / kind / f"{name}.md").write_text(text, encoding="utf-8")
