"""at_point, display in notebooks, help."""

from __future__ import annotations

import json
import math
import pydoc
import time
from xml.etree import ElementTree as ET

import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError
from nbgraph.operator.report import display
from tests.operator.explained import IDS, ZOO, newton_root, positive, smooth_l1

# one point -------------------------------------------------------------------------------------


def test_at_point_shows_the_branch_taken():
    point = smooth_l1.at_point(x=-2.0, sigma=1)
    assert [(c.text, c.holds) for c in point.conditions] == [
        ("x > 1 / s2", False),
        ("x < -1 / s2", True),
    ]
    assert point.conditions[1].line == "if x < -1 / s2:"
    assert (point.value, point.partials) == (1.5, {"x": -1.0})
    assert "explained.py:" in str(point)
    assert json.dumps(point.to_dict()) and "<pre" in point._repr_html_()


def test_at_point_does_not_test_what_is_not_reached():
    assert len(smooth_l1.at_point(5).conditions) == 1


@pytest.mark.parametrize("op", ZOO, ids=IDS)
def test_at_point_agrees_with_calls(op):
    values = [0.7, 1.3][: op.nin]
    point = op.at_point(*values)
    assert point.value == pytest.approx(float(op(*values)), rel=1e-12)
    for name, partial in point.partials.items():
        assert partial == pytest.approx(float(op.derivative(name)(*values)), rel=1e-11)


def test_at_point_shows_only_the_users_own_conditions():
    assert ng.op(lambda x: x // 1).at_point(2.5).conditions == []


def test_at_point_counts_trips():
    (count,) = newton_root.at_point(9.0).trips.values()
    x, wanted = 9.0, 0
    while abs(x * x - 9.0) > 1e-6 * 9.0:
        x, wanted = 0.5 * (x + 9.0 / x), wanted + 1
    assert count == wanted


def test_at_point_outside_the_reals_is_nan_with_a_note():
    point = ng.op(lambda x: math.sqrt(x) + 1).at_point(-1)
    assert math.isnan(point.value) and point.notes
    with pytest.raises(ArgumentError, match="one number"):
        smooth_l1.at_point([1.0, 2.0])
    with pytest.raises(ArgumentError, match="missing"):
        smooth_l1.at_point()


# notebooks and help ----------------------------------------------------------------------------


@pytest.mark.parametrize("op", ZOO, ids=IDS)
def test_display_is_quick_and_drawn(op):
    started = time.perf_counter()
    bundle = op._repr_mimebundle_()
    assert time.perf_counter() - started < 2.0  # 0.3 s is the aim; test machines are shared
    assert bundle["text/plain"].startswith(f"<op {op.__name__}(")
    html = bundle["text/html"]
    svg = ET.fromstring(html[html.index("<svg") : html.index("</svg>") + 6])
    curves = list(svg.iter("{http://www.w3.org/2000/svg}path"))
    assert len(curves) == (1 if op is positive else 2)


def test_display_never_raises(monkeypatch):
    monkeypatch.setattr(display, "plot", lambda op: 1 / 0)
    assert list(smooth_l1._repr_mimebundle_()) == ["text/plain"]
    monkeypatch.setattr(display, "summary", lambda op: 1 / 0)
    assert smooth_l1._repr_mimebundle_() == {"text/plain": repr(smooth_l1)}


def test_a_kink_is_sampled_on_both_sides():
    x, y = display.sample(lambda v: float(v > 0.1234), -1.0, 1.0, [0.1234])
    jump = [b - a for a, b, low, high in zip(x, x[1:], y, y[1:]) if low != high]
    assert max(jump) < 1e-8


def test_help_shows_signature_docstring_formula_and_dependence():
    """NB-04."""
    text = pydoc.render_doc(smooth_l1, renderer=pydoc.plaintext)
    for part in (
        "smooth_l1(x, *, sigma=1.0)",
        "Quadratic near 0",
        "sigma : scalar, default 1.0",
        "s2 = sigma * sigma",
        "T2",
    ):
        assert part in text
    assert ng.Mapper.__doc__.startswith("A scalar function applied to every element")
    assert "The operator" in ng.op(lambda x: x).__doc__
