"""Plain English: forms that CONTRIBUTING lists are in no docstring, message, README or notebook."""

import ast
import inspect
import re

import pytest

import nbgraph as ng
from tests.support import ROOT

PAGES = ["README.md", "ARCHITECTURE.md", "docs/**/*.md", "examples/**/*.md", "src/nbgraph/**/*.md"]
PAGES += ["docs/tables/*.txt"]
EXCEPTIONS: dict[str, tuple[str, ...]] = {}  # file: matches that are what they say there


def forms():
    """The regular expressions of CONTRIBUTING."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = text.partition("## Words")[2].partition("\n## ")[0].splitlines()
    cells = [re.split(r"(?<!\\)\|", row)[1].strip() for row in rows if row.startswith("| `")]
    return [cell[1:-1].replace(r"\|", "|") for cell in cells]


def texts(path):
    """Line and text of each string of a program, of each paragraph of a page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.lineno, node.value
        text = "\n".join(line[2:] if line.startswith("# ") else "" for line in text.splitlines())
    line = 1
    for paragraph in re.split(r"(\n\s*\n)", text):
        yield line, paragraph
        line += paragraph.count("\n")


def found(path, wanted):
    form = re.compile("|".join(f"(?:{each})" for each in wanted))
    for line, text in texts(path):
        plain = " ".join(text.split())
        match = form.search(plain)
        if match and match[0] not in EXCEPTIONS.get(path.name, ()):
            yield f"{path.relative_to(ROOT)}:{line}: {plain[max(0, match.start() - 30) :][:90]}"


def bound_names(path):
    """Line and word of each name that a program binds: variables, parameters, classes, imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield node.lineno, name
            case ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name


def test_names_are_nouns_of_the_field():
    """`options`, `operands`, `buffer` say what a thing is, participles what was done to it."""
    refused = {"told", "found", "made", "given", "held"}
    assert not [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in ROOT.glob("src/**/*.py")
        for line, name in bound_names(path)
        if refused & set(name.lower().split("_"))
    ]


def test_texts_have_none_of_the_forms():
    wanted = forms()
    files = [
        *ROOT.glob("src/**/*.py"),
        *ROOT.glob("notebooks/*.py"),
        *ROOT.glob("examples/**/*.py"),
    ]
    files += [path for page in PAGES for path in ROOT.glob(page)]
    assert len(wanted) >= 7 and len(files) > 500
    assert not [line for path in files for line in found(path, wanted)]


@pytest.mark.parametrize(
    "text",
    [
        "3 is no number",
        "labels that\nare no classes",
        "Who forgets to declare a read finds out by name.",
        "x: a row. Who calls it waits.",
        "the result, and the gradient of that.",
        "what it is told of them",
        "this takes {package}",
        "As `RNN`, of LSTM cells.",
        "Whoever calls it waits.",
    ],
)
def test_each_form_is_noticed(text):
    plain = re.sub(r"\s+", " ", text)
    assert sum(bool(re.search(form, plain)) for form in forms()) == 1


@pytest.mark.parametrize(
    "text", ["there is no array", "it is no longer its own", "Who is it?", "draws are told apart"]
)
def test_plain_text_is_left_alone(text):
    assert not any(re.search(form, text) for form in forms())


def test_messages_name_the_kind_of_a_value_by_its_article():
    """`errors.noun`: "an int", "None", not "a int" and "a NoneType"."""
    files = ROOT.glob("src/**/*.py")
    assert not [p for p in files if re.search(r"\b[Aa] \{type\(", p.read_text(encoding="utf-8"))]


def test_public_layers_and_optimisers_document_their_own_parameters():
    """In their own docstrings; options that all optimisers share are those of Optimizer."""
    shared = inspect.signature(ng.optim.Optimizer).parameters
    lacking, seen = {}, 0
    for module, base in ((ng.nn, ng.nn.Module), (ng.optim, ng.optim.Optimizer)):
        known = {"self", "args", "kwargs", "options"}
        if base is ng.optim.Optimizer:
            known |= set(shared) - {"params", "lr"}
        for name in dir(module):
            cls = getattr(module, name)
            if inspect.isclass(cls) and issubclass(cls, base) and cls is not base:
                seen += 1
                names = set(inspect.signature(cls).parameters) - known
                text = vars(cls)["__doc__"]
                lacking[name] = [n for n in names if not re.search(rf"\b{n}\b", text)]
    assert seen > 30 and not {name: each for name, each in lacking.items() if each}
