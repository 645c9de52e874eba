"""The effect of a pass: the graph before and after it, side by side.

>>> import nbgraph as ng
>>> x = ng.var("x", shape=(3,))
>>> exe = (ng.sin(x) * 2.0).simple_bind()
>>> _ = exe.forward()
>>> print(before_and_after(exe.passes()[0]))
fuse
 %0 = x: float32[3]
-%1 = sin(%0): float32[3]
-%2 = multiply(%1, 2.0): float32[3]
-return %2
+%1 = fused_sin_multiply(%0, 2.0): float32[3]
+return %1
"""

import html
from typing import Any

from nbgraph.viz.boxes import of_graph
from nbgraph.viz.drawing import Picture


class Change:
    """A pass with pictures of both graphs."""

    def __init__(self, stage: Any) -> None:
        self.stage = stage
        self.before = Picture(of_graph(stage.before), str(stage.before), title="before")
        self.after = Picture(of_graph(stage.after), str(stage.after), title="after")

    def to_dict(self) -> dict[str, Any]:
        """Return the name of the pass, and both pictures as plain values."""
        return {
            "name": self.stage.name,
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
        }

    def __str__(self) -> str:
        return f"{self.stage.name}\n{self.stage.diff()}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        cells = "".join(
            f'<div><div style="font-weight:600">{picture.title}</div>{picture.svg}</div>'
            for picture in (self.before, self.after)
        )
        return (
            f"<div><code>{html.escape(self.stage.name)}</code>"
            f'<div style="display:flex;gap:2em;overflow:auto">{cells}</div></div>'
        )


def before_and_after(stage: Any) -> Change:
    """Return a pass of an executor (one of `exe.passes()`) as two pictures; printed, it is a
    difference of two listings."""
    return Change(stage)
