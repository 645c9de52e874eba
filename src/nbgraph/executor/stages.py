"""Every pass that changed a graph of an executor, program by program."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nbgraph.executor.pipeline import Stage
from nbgraph.picture import sections


class Stages(Sequence[Stage]):
    """The passes in order, of one program after the other; `by_program` keeps them apart.

    Printed, the difference that each made; displayed, both graphs as pictures.
    """

    def __init__(self, by_program: Mapping[str, Sequence[Stage]]) -> None:
        self.by_program = {name: tuple(stages) for name, stages in by_program.items()}
        self._all = [stage for stages in self.by_program.values() for stage in stages]

    def __getitem__(self, index: Any) -> Any:
        return self._all[index]

    def __len__(self) -> int:
        return len(self._all)

    def to_dict(self) -> dict[str, list[dict[str, str]]]:
        """Return, for each program, its passes: name, listing before, listing after."""
        return {
            program: [
                {"name": s.name, "before": str(s.before), "after": str(s.after)} for s in stages
            ]
            for program, stages in self.by_program.items()
        }

    def _named(self) -> Iterator[tuple[str, Stage]]:
        for program, stages in self.by_program.items():
            for k, stage in enumerate(stages, 1):
                yield f"{program}: pass {k}, {stage.name}", stage

    def __str__(self) -> str:
        parts = [(head, stage.diff()) for head, stage in self._named()]
        return sections(parts) or "no pass changed anything"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        named = list(self._named())
        parts = [
            f"<details{' open' * (k == len(named))}><summary>{html.escape(head)}</summary>"
            f"{stage._repr_html_()}</details>"
            for k, (head, stage) in enumerate(named, 1)
        ]
        return "".join(parts) or "<div>no pass changed anything</div>"
