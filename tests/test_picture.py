"""Pictures: well-formed SVG that shows what it was given, and aligned text."""

import math
import re
from xml.etree import ElementTree as ET

import pytest

from nbgraph.picture import (
    Bar,
    Curve,
    bar_chart,
    columns,
    html_sections,
    line_plot,
    sections,
    ticks,
)

SVG = "{http://www.w3.org/2000/svg}"


def plot(*curves, **options):
    return ET.fromstring(line_plot(curves, **options))


def points(path):
    return [tuple(map(float, p.split())) for p in re.split("[ML]", path.get("d"))[1:]]


def test_a_line_runs_from_corner_to_corner():
    svg = plot(Curve([0, 1, 2], [0, 5, 10], "f"))
    (path,) = svg.iter(f"{SVG}path")
    (x0, y0), _, (x1, y1) = points(path)
    assert x0 < x1 and y0 > y1
    assert [t.text for t in svg.iter(f"{SVG}text")][-1] == "f"


def test_nan_and_infinity_break_the_line():
    y = [0.0, 1.0, math.nan, 2.0, math.inf, 3.0, 1.0]
    (path,) = plot(Curve(range(7), y)).iter(f"{SVG}path")
    assert path.get("d").count("M") == 3


@pytest.mark.parametrize(
    "y", [[math.nan] * 5, [], [1.0], [3.0] * 5, [1e300, -1e300, 0.0], [0.0, 1e-300]]
)
def test_odd_data_still_makes_a_picture(y):
    assert plot(Curve(range(len(y)), y, "a<b")).tag == f"{SVG}svg"


def test_a_pole_does_not_flatten_the_rest():
    x = [i / 100 for i in range(-200, 201)]
    y = [1 / v if v else math.nan for v in x]
    labels = [t.text for t in plot(Curve(x, y)).iter(f"{SVG}text")]
    assert max(float(t) for t in labels if t) <= 20


def test_labels_are_escaped():
    assert "<b>" not in line_plot([Curve([0, 1], [0, 1], "<b>")])
    assert "<b>" not in html_sections("<b>", [("<b>", "<b>")])


@pytest.mark.parametrize("low, high", [(-3.1, 3.1), (0, 1e-7), (-1e9, 5), (0.999, 1.001)])
def test_ticks_are_few_round_and_inside(low, high):
    found = ticks(low, high)
    assert 3 <= len(found) <= 9
    assert low - 1e-9 * abs(low) <= found[0] and found[-1] <= high + 1e-9 * abs(high)
    assert all(len(f"{t:g}") <= 8 for t in found)


def test_text_is_aligned_without_trailing_space():
    text = columns([("a", "b", ""), ("long", "c", "d")])
    assert text.splitlines() == ["a     b", "long  c  d"]
    assert sections([("one", "x\n\ny")]) == "one\n    x\n\n    y"


def test_bars_that_overlap_stand_under_one_another():
    bars = [Bar(0, 4, "a<b", hint="x<y"), Bar(1, 2, "c", marked=True), Bar(4, 5)]
    svg = ET.fromstring(bar_chart([("first", bars), ("second", [Bar(2, 3)])], unit="ms"))
    rects = list(svg.iter(f"{SVG}rect"))
    tops = [float(r.get("y")) for r in rects]
    assert tops[0] == tops[2] < tops[1] < tops[3]
    assert rects[0].find(f"{SVG}title").text == "x<y"
    assert rects[1].get("stroke") and not rects[0].get("stroke")
    left = [float(r.get("x")) for r in rects]
    assert left[0] < left[1] < left[3] < left[2]
    texts = [t.text for t in svg.iter(f"{SVG}text")]
    assert {"first", "second", "a<b", "ms"} <= set(texts)


@pytest.mark.parametrize("rows", [[], [("empty", [])], [("point", [Bar(3, 3)])]])
def test_odd_rows_still_make_a_chart(rows):
    assert ET.fromstring(bar_chart(rows)).tag == f"{SVG}svg"
