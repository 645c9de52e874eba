"""SVG plots and bar charts, tables of aligned columns, and HTML for notebooks.

Independent of operators. The colours of Okabe and Ito suit colour-blind readers; lines and letters
have the colour of the page, so dark pages work.

>>> print(columns([("x", "T2"), ("sigma", "scalar")]))
x      T2
sigma  scalar
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 12, 12, 24
_FONT = 'font-family="sans-serif" font-size="11"'
_CHARACTER = 6.2  # width of a letter in the legend


def escape(text: str) -> str:
    """Escape a text for HTML and SVG."""
    import html  # takes a millisecond

    return html.escape(text)


class Curve(NamedTuple):
    """A line through points; NaN and infinity interrupt it, and are crosses if `marked`."""

    x: Sequence[float]
    y: Sequence[float]
    label: str = ""
    dashed: bool = False
    colour: str = ""  # by default different for each curve
    marked: bool = False


def line_plot(
    curves: Sequence[Curve],
    *,
    width: int = 420,
    height: int = 240,
    title: str = "",
    whole: bool = False,
) -> str:
    """Return an SVG line plot with axes, ticks and a legend; an isolated point is a dot.

    The vertical range excludes a few outliers, so that poles do not flatten the rest. `whole`:
    whether ticks of the horizontal axis are whole numbers only.

    >>> line_plot([Curve([0.0, 1.0], [0.0, 2.0], "f")])[:4]
    '<svg'
    """
    frame = _Frame.around(curves, width, height)
    key = hashlib.sha256(repr((curves, width, height)).encode()).hexdigest()[:10]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {_FONT} viewBox="0 0 {width} {height}"',
        f' width="{width}" height="{height}" role="img">',
        f"<title>{escape(title or ', '.join(c.label for c in curves))}</title>",
        f'<clipPath id="p{key}"><rect x="{_LEFT}" y="{_TOP}"',
        f' width="{frame.right - _LEFT:g}" height="{frame.bottom - _TOP:g}"/></clipPath>',
        *_axes(frame, whole),
    ]
    curves = [
        c._replace(colour=c.colour or COLOURS[i % len(COLOURS)]) for i, c in enumerate(curves)
    ]
    for curve in curves:
        path = " ".join(_path(frame, curve))
        if path:
            parts.append(
                f'<path d="{path}" fill="none" stroke="{curve.colour}" stroke-width="1.6" '
                f'stroke-linejoin="round"{_dash(curve)} clip-path="url(#p{key})"/>'
            )
        parts += _points(frame, curve)
    parts += _legend(frame, [c for c in curves if c.label])
    return "".join([*parts, "</svg>"])


def line_plots(panels: Sequence[Sequence[Curve]], *, title: str = "", whole: bool = False) -> str:
    """Return an SVG of plots side by side, each with its own axes.

    >>> line_plots([[Curve([0, 1], [0, 1], "a")], [Curve([0, 1], [5, 9], "b")]]).count("<svg")
    3
    """
    width, height = 420, 240
    plots = [
        line_plot(curves, width=width, height=height, whole=whole).replace(
            "<svg ", f'<svg x="{k * width}" ', 1
        )
        for k, curves in enumerate(panels)
    ]
    return document(plots, width * max(1, len(plots)), height, title)


def _dash(curve: Curve) -> str:
    return ' stroke-dasharray="5 3"' if curve.dashed else ""


class _Frame(NamedTuple):
    """The mapping from data coordinates to pixels."""

    x: tuple[float, float]
    y: tuple[float, float]
    right: float
    bottom: float

    @classmethod
    def around(cls, curves: Sequence[Curve], width: int, height: int) -> _Frame:
        xs = sorted(x for c in curves for x in c.x if math.isfinite(x))
        ys = sorted(y for c in curves for y in c.y if math.isfinite(y))
        return cls(
            _widened((xs[0], xs[-1]) if xs else (0.0, 1.0), 0.0),
            _widened(_core(ys), 0.06),
            width - _RIGHT,
            height - _BOTTOM,
        )

    def at(self, x: float, y: float) -> tuple[float, float]:
        left, top = float(_LEFT), float(_TOP)
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return left + across * (self.right - left), self.bottom - up * (self.bottom - top)


def _core(ys: Sequence[float]) -> tuple[float, float]:
    """Return the range of sorted values without outliers."""
    if not ys:
        return (0.0, 1.0)
    low, high = ys[len(ys) // 12], ys[-1 - len(ys) // 12]
    reach = 4 * (high - low)
    inside = [y for y in ys if low - reach <= y <= high + reach] if reach else ys
    return (inside[0], inside[-1])


def _widened(ends: tuple[float, float], share: float) -> tuple[float, float]:
    low, high = ends
    extra = share * (high - low) if high > low else 0.5 * max(abs(low), 1.0)
    return (low - extra, high + extra)


def ticks(low: float, high: float, count: int = 6) -> list[float]:
    """Return round numbers between two ends: multiples of 1, 2 or 5 times a power of ten.

    >>> ticks(-3.1, 3.1)
    [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]
    """
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= 0.9 * rough)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


def _axes(frame: _Frame, whole: bool) -> Iterator[str]:
    quiet = 'stroke="currentColor" stroke-opacity="0.15"'
    for x in [x for x in ticks(*frame.x) if not whole or x == int(x)]:
        px, _ = frame.at(x, frame.y[0])
        yield f'<line x1="{px:.1f}" y1="{_TOP}" x2="{px:.1f}" y2="{frame.bottom:g}" {quiet}/>'
        yield text_at(px, frame.bottom + 15, f"{x:g}", "middle")
    for y in ticks(*frame.y, count=5):
        _, py = frame.at(frame.x[0], y)
        strong = quiet if y else 'stroke="currentColor" stroke-opacity="0.5"'
        yield f'<line x1="{_LEFT}" y1="{py:.1f}" x2="{frame.right:g}" y2="{py:.1f}" {strong}/>'
        yield text_at(_LEFT - 5, py + 4, f"{y:g}", "end")


def text_at(x: float, y: float, text: str, anchor: str = "middle") -> str:
    """Return a line of SVG text whose `anchor` ("start", "middle" or "end") is at (x, y)."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor">'
        f"{escape(text)}</text>"
    )


def _path(frame: _Frame, curve: Curve) -> Iterator[str]:
    """Yield the path commands of a curve; outliers are clipped, outside of the visible range."""
    joined = False
    tall = 20 * (frame.y[1] - frame.y[0])
    for x, y in zip(curve.x, curve.y, strict=True):
        if not (math.isfinite(x) and math.isfinite(y)):
            joined = False
            continue
        px, py = frame.at(x, min(max(y, frame.y[0] - tall), frame.y[1] + tall))
        yield f"{'L' if joined else 'M'}{px:.1f} {py:.1f}"
        joined = True


def _points(frame: _Frame, curve: Curve) -> Iterator[str]:
    """Yield dots for isolated points, and crosses on the axis for values that are not finite."""
    known = [math.isfinite(x) and math.isfinite(y) for x, y in zip(curve.x, curve.y, strict=True)]
    for k, (x, y) in enumerate(zip(curve.x, curve.y, strict=True)):
        if known[k]:
            if not any(known[max(k - 1, 0) : k] + known[k + 1 : k + 2]):
                px, py = frame.at(x, y)
                yield f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{curve.colour}"/>'
        elif curve.marked and math.isfinite(x):
            px, py = frame.at(x, frame.y[0])[0], frame.bottom - 6
            yield (
                f'<path d="M{px - 4:.1f} {py - 4:g}l8 8m0 -8l-8 8" stroke="{curve.colour}" '
                f'stroke-width="2"><title>{escape(curve.label)} at {x:g}: {y}</title></path>'
            )


def _legend(frame: _Frame, curves: Sequence[Curve]) -> Iterator[str]:
    x = _LEFT + 8.0
    for curve in curves:
        yield (
            f'<line x1="{x:.0f}" y1="{_TOP + 8}" x2="{x + 18:.0f}" y2="{_TOP + 8}" '
            f'stroke="{curve.colour}" stroke-width="2"{_dash(curve)}/>'
        )
        yield text_at(x + 22, _TOP + 12, curve.label, "start")
        x += 36 + _CHARACTER * len(curve.label)


def document(parts: Sequence[str], width: float, height: float, title: str = "") -> str:
    """Return SVG elements as a document of this size in pixels.

    >>> document([text_at(5, 5, "a < b")], 10, 10)[-22:]
    '>a &lt; b</text></svg>'
    """
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {_FONT} viewBox="0 0 {width:g} {height:g}"',
            f' width="{width:g}" height="{height:g}" role="img">',
            f"<title>{escape(title)}</title>",
            *parts,
            "</svg>",
        ]
    )


# bars ------------------------------------------------------------------------------------------

_THICK = 16  # height of a bar


class Bar(NamedTuple):
    """A span in a row of a chart; `hint` is its tooltip."""

    start: float
    end: float
    label: str = ""
    colour: str = COLOURS[0]
    hint: str = ""
    marked: bool = False


def packed(spans: Sequence[tuple[float, float]]) -> list[int]:
    """Assign a layer to each span, sorted by starts, so that spans in a layer do not overlap.

    >>> packed([(0, 5), (1, 2), (3, 4), (5, 6)])
    [0, 1, 1, 0]
    """
    ends: list[float] = []
    layers: list[int] = []
    for start, end in spans:
        free = next((i for i, last in enumerate(ends) if last <= start), len(ends))
        ends[free : free + 1] = [end]
        layers.append(free)
    return layers


def bar_chart(
    rows: Sequence[tuple[str, Sequence[Bar]]], *, width: int = 760, title: str = "", unit: str = ""
) -> str:
    """Return an SVG chart of labelled rows of spans, overlapping ones below each other.

    >>> bar_chart([("worker", [Bar(0.0, 1.0, "load")])])[:4]
    '<svg'
    """
    layers = [packed([(b.start, b.end) for b in bars]) for _, bars in rows]
    left = 16 + _CHARACTER * max((len(label) for label, _ in rows), default=0)
    ends = [x for _, bars in rows for b in bars for x in (b.start, b.end)]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    scale = (width - _RIGHT - left) / ((high - low) or 1.0)
    parts: list[str] = []
    y = float(_TOP)
    for (label, bars), layer in zip(rows, layers, strict=True):
        parts.append(text_at(left - 8, y + 12, label, "end"))
        for bar, depth in zip(bars, layer, strict=True):
            parts.append(_bar(bar, left + (bar.start - low) * scale, y + depth * _THICK, scale))
        y += (max(layer, default=0) + 1) * _THICK + 6
    axis = [
        f'<line x1="{left + (t - low) * scale:.1f}" y1="{_TOP}" '
        f'x2="{left + (t - low) * scale:.1f}" y2="{y:g}" stroke="currentColor" '
        f'stroke-opacity="0.15"/>' + text_at(left + (t - low) * scale, y + 12, f"{t:g}", "middle")
        for t in (ticks(low, high) if high > low else [])
    ]
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {_FONT} viewBox="0 0 {width} {y + 20:g}"',
            f' width="{width}" height="{y + 20:g}" role="img">',
            f"<title>{escape(title)}</title>",
            *axis,
            *parts,
            text_at(width - _RIGHT, y + 12, unit, "end"),
            "</svg>",
        ]
    )


def _bar(bar: Bar, x: float, y: float, scale: float) -> str:
    wide = max((bar.end - bar.start) * scale, 1.0)
    edge = ' stroke="currentColor" stroke-width="2"' if bar.marked else ""
    drawn = (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{_THICK - 2}" '
        f'fill="{bar.colour}"{edge}><title>{escape(bar.hint or bar.label)}</title></rect>'
    )
    if _CHARACTER * len(bar.label) > wide - 4:
        return drawn
    return (
        f'{drawn}<text x="{x + 3:.1f}" y="{y + 11:.1f}" fill="white" pointer-events="none">'
        f"{escape(bar.label)}</text>"
    )


# text ------------------------------------------------------------------------------------------


def columns(rows: Sequence[Sequence[str]], *, gap: str = "  ") -> str:
    """Return rows of cells as text with aligned columns; the last column is not padded."""
    if not rows:
        return ""
    count = max(len(row) for row in rows)
    widths = [max((len(r[i]) for r in rows if len(r) > i + 1), default=0) for i in range(count)]
    lines = [gap.join(cell.ljust(widths[i]) for i, cell in enumerate(row)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


class Text(str):
    """A text of several lines, whose repr is the text itself."""

    __slots__ = ()
    __repr__ = str.__str__


def sections(parts: Sequence[tuple[str, str]]) -> str:
    """Return headings, each over its indented text."""
    return "\n\n".join(f"{head}\n{indented(body)}" for head, body in parts)


def indented(text: str, by: int = 4) -> str:
    """Return a text with its lines indented."""
    return "\n".join(" " * by + line if line else line for line in text.splitlines())


class Report:
    """The base of reports that are displayed as headings over texts, in notebooks with a title.

    A subclass defines `title` and `sections()`; `_headed`: whether the title is printed, too.
    `to_dict` suits dataclasses.
    """

    __slots__ = ()

    title: Any  # a text, or a property that returns one
    _headed = False

    def sections(self) -> list[tuple[str, str]]:
        """Return pairs of a heading and a text, in order."""
        raise NotImplementedError

    def __str__(self) -> str:
        text = sections(self.sections())
        return f"{self.title}\n\n{text}" if self._headed else text

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return html_sections(self.title, self.sections())

    def to_dict(self) -> dict[str, Any]:
        """Return all values as a dict of plain values."""
        return dataclasses.asdict(self)  # type: ignore[call-overload]


def html_sections(title: str, parts: Sequence[tuple[str, str]]) -> str:
    """Return HTML of headings over preformatted texts."""
    body = "".join(
        f'<div style="margin-top:.6em;font-weight:600">{escape(head)}</div>'
        f'<pre style="margin:.2em 0 0 1em">{escape(text)}</pre>'
        for head, text in parts
    )
    return f'<div class="nbgraph"><code>{escape(title)}</code>{body}</div>'


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return an HTML table of texts.

    >>> html_table(["a"], [["<1>"]])[-35:]
    '&lt;1&gt;</td></tr></tbody></table>'
    """

    def cells(texts: Sequence[str], tag: str) -> str:
        inner = [f'<{tag} style="text-align:left">{escape(text)}</{tag}>' for text in texts]
        return f"<tr>{''.join(inner)}</tr>"

    body = "".join([cells(row, "td") for row in rows])
    return f"<table><thead>{cells(head, 'th')}</thead><tbody>{body}</tbody></table>"
