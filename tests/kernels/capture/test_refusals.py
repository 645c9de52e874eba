"""Refusals as a table: what is written, what the message says is wrong, what to write instead.

Every place of the capture room that refuses something is reached by a row.
"""

import ast
import contextlib
import importlib.util
import inspect
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError, Obstacle
from nbgraph.kernels import capture
from tests.kernels.refused import expressions, statements, values

ROWS = [*values.REFUSALS, *expressions.REFUSALS, *statements.REFUSALS]
ROOM = Path(capture.__file__).parent
WRAPPERS = ("refuse", "refusal", "of")  # functions that pass a refusal on
# names of the library's own, which say nothing to a user
INTERNAL = re.compile(
    r"Number(Type|Dtype)|UnknownText|LocalFunction|<lambda>\(\)|object at 0x|NoneType"
)


def nests_deep(tmp_path):
    """A function whose helpers call each other fifty levels deep."""
    lines = ["def helper0(x):\n    return x + 1.0\n"]
    lines += [f"def helper{k}(x):\n    return helper{k - 1}(x) * 2.0\n" for k in range(1, 50)]
    path = tmp_path / "nested_helpers.py"
    path.write_text("\n".join(lines))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.helper49


def counts(n):
    if n < 0:
        raise ValueError
    return int(n)


def refusal_of(fn, **options):
    with pytest.raises(CaptureError) as caught:
        ng.op(fn, **options)
    return caught.value


def name_of(row):
    return row[0].__name__ if row[0].__name__ != "<lambda>" else row[1][:40]


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_a_refusal_says_what_is_wrong_and_what_to_write(row):
    fn, problem, remedy = row
    error = refusal_of(fn)
    obstacle = error.obstacles[0]
    assert re.sub(r"\(line \d+:", "(line N:", obstacle.problem) == problem
    assert obstacle.remedy == remedy
    assert len(remedy) > 6
    assert not remedy.endswith((" ", ". "))
    assert not INTERNAL.search(problem + remedy)


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_a_refusal_is_at_a_line_of_the_function(row):
    fn = row[0]
    first = refusal_of(fn).obstacles[0]
    module = sys.modules[fn.__module__]
    assert first.filename == module.__file__
    names = {n for n, f in vars(module).items() if inspect.isfunction(inspect.unwrap(f))}
    names.update(*(vars(cls) for cls in vars(module).values() if inspect.isclass(cls)))
    assert first.function == fn.__name__ or first.function in names  # a helper
    assert first.construct
    if first.function == fn.__name__:
        lines, start = inspect.getsourcelines(fn)
        assert start <= first.line <= start + len(lines)


def sites():
    """The places that refuse something: file, function, lines of the call."""
    for path in sorted(ROOM.rglob("*.py")):
        tree = ast.parse(path.read_text())
        for function in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)):
            if function.name in WRAPPERS:
                continue
            for node in ast.walk(function):
                name = getattr(node, "func", None)
                name = getattr(name, "attr", getattr(name, "id", None))
                if isinstance(node, ast.Call) and name in ("refuse", "refusal"):
                    yield path.name, node.lineno, node.end_lineno


def test_every_place_that_refuses_has_a_row(monkeypatch, tmp_path):
    reached = set()

    def record(obstacles: list[Obstacle], error: type[CaptureError]) -> CaptureError:
        frame = inspect.currentframe()
        while frame.f_code.co_name in (*WRAPPERS, "record", "<lambda>"):
            frame = frame.f_back
        reached.add((Path(frame.f_code.co_filename).name, frame.f_lineno))
        return original(error, obstacles)

    original = CaptureError.of.__func__
    monkeypatch.setattr(
        CaptureError, "of", classmethod(lambda cls, obstacles, operator="": record(obstacles, cls))
    )
    for fn, *_ in ROWS:
        with contextlib.suppress(CaptureError):
            ng.op(fn)
    refusal_of(nests_deep(tmp_path))
    refusal_of(counts, on_invalid="nan")
    missed = [
        f"{name}:{first}"
        for name, first, last in sites()
        if not any(name == file and first <= line <= last for file, line in reached)
    ]
    assert not missed


def test_helpers_that_nest_too_deep(tmp_path):
    with pytest.raises(CaptureError, match="calls nest more than 40 deep"):
        ng.op(nests_deep(tmp_path))


def test_integers_where_nan_is_asked_for():
    with pytest.raises(CaptureError, match="a result is not a floating value"):
        ng.op(counts, on_invalid="nan")


SHIFT = {"shift": 0.5}


def star(*values, scale=1.0, **more):
    return scale * sum(values) + more.get("shift", 0.0) + len(more)


def star_arguments(x):
    return star(x, 1.0, *(2.0, 3.0), scale=2.0, **SHIFT) + star()


def nested_star_arguments(x):
    def inner(y, *rest, k=1.0, **named):
        return y + sum(rest) + k + named.get("m", 7.0)

    return inner(x) + inner(x, 1.0, 2.0, m=x)


def dict_comprehension(x):
    powers = {k: x**k for k in (1, 2, 3)}
    return sum(powers.values()) + powers[2]


def nearest_zero(x):
    return min(x, 1.0, key=abs) + max(x, -1.0, 0.5, key=lambda v: -v)


def among(x):
    return 1.0 if np.isin(x, [0.0, 2.0]) or x in (5.0, -1.5) else 0.0


def window_of_many(x):
    a = b = c = d = e = f = g = h = i = j = k = 0
    n = 0
    while n < 20:
        a, b, c, d, e, f, g, h, i, j, k = b, c, d, e, f, g, h, i, j, k, x
        n += 1
    return a


@pytest.mark.parametrize(
    "fn",
    [
        star_arguments,
        nested_star_arguments,
        dict_comprehension,
        window_of_many,
        nearest_zero,
        among,
    ],
)
def test_what_is_taken_beside_what_is_refused(fn):
    points = np.array([-1.5, 0.0, 2.0])
    np.testing.assert_allclose(ng.op(fn)(points), [fn(x) for x in points.tolist()], rtol=1e-15)
