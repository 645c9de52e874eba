"""The inner run of a map in groups of elements that go through loops together; see `lanewise`."""

from __future__ import annotations

from collections.abc import Sequence

from nbgraph.kernels.lanewise import Lanes, lanes, suits
from nbgraph.kernels.writer import Writer


def has_groups(writer: Writer) -> bool:
    """Whether a kernel's elements go through loops whose trips are worth taking together."""
    return suits(writer.loop.graph, writer.roots(), writer.leaves)


def write_run(writer: Writer, *, small: bool) -> None:
    """The inner run; with `small` trigonometry is for moderate arguments and sets `wide`."""
    count = lanes(writer.loop.compute)
    body = writer.lanes(1, writer.roots(), small=small)
    body.lines = writer.lines
    writer.line(0, f"for group in range((m + {count - 1}) // {count}):")
    writer.line(1, f"first = group * {count}")
    writer.line(1, f"count = min({count}, m - first)")
    _load(writer, body, count)
    outputs = list(zip(writer.outputs, writer.roots(), strict=True))
    rooms = [body.room(f"{name}_lanes", node) for name, node in outputs]

    def finish(texts: Sequence[str]) -> None:
        for room, (_, node), text in zip(rooms, outputs, texts, strict=True):
            body.keep(room, node, text)

    body.compute(writer.roots(), finish)
    _store(writer, rooms, count)
    head = [f"{room} = lanes_{kind}()" for room, kind in body.rooms.items()]
    writer.lines[:0] = ["wide = False", *head] if small else head


def _load(writer: Writer, body: Lanes, count: int) -> None:
    """Operands to rooms; what is left of the last group repeats its last element."""
    loop = writer.loop
    named = zip(writer.names, loop.operands, strict=True)
    varying = [(name, operand.node) for name, operand in named if operand.layout != "0"]
    if not varying:
        return
    for name, node in varying:
        body.strips[node.id] = body.room(f"{name}_lanes", node)
    shared = dict(writer.leaves)
    last = "first + min(lane, count - 1)"
    for test, place in ((f"if count == {count}:", "first + lane"), ("else:", last)):
        writer.line(1, test)
        writer.line(2, f"for lane in range({count}):")
        writer.line(3, "straight()")
        writer.line(3, f"i = {place}")
        writer.load_all(3, range(len(loop.operands)), access=loop.access)
        body.indent = 3
        for name, node in varying:
            body.keep(f"{name}_lanes", node, name)
    body.indent, writer.leaves = 1, shared


def _store(writer: Writer, rooms: Sequence[str], count: int) -> None:
    """Rooms to outputs."""
    loop = writer.loop
    for whole in (True, False):
        writer.line(1, f"if count == {count}:" if whole else "else:")
        writer.line(2, f"for lane in range({count if whole else 'count'}):")
        if whole:
            writer.line(3, "straight()")
        writer.line(3, "i = first + lane")
        for name, output, room in zip(writer.outputs, loop.outputs, rooms, strict=True):
            text = f"load({room}, lane)"
            text = f"({text} != 0)" if output.node.kind in ("b", "bool") else text
            writer.store(3, name, output, text, access=loop.access)
