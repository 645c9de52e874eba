"""What LLVM may assume of loops: that their elements are independent, that interleaving pays.

A load or store of an independent loop is in the access group ELEMENTS; here the group becomes what
LLVM wants of one, and the loop says that accesses of the group may be carried out for several
elements at once. Nothing is said about the accesses of one element: they keep their order, so that
a loop that writes over what it reads, element by element, stays right and is vectorised all the
same. A module marked INTERLEAVE asks for several vectors in turn.

llvmlite writes neither distinct nor self-referential metadata, so this works on text. Numba calls
the blocks of a function after places in its byte code, which tells backward branches.
"""

from __future__ import annotations

import re

from nbgraph.native.memory import ELEMENTS, GROUP, INTERLEAVE

VECTORS = 4  # that are worked on in turn

_NODE = re.compile(r"^!(\d+) = (.*)$", re.MULTILINE)
_FUNCTION = re.compile(r"^define .*?^}$", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^\"?B(\d+)[\w.]*\"?:")
_JUMP = re.compile(r"^ +br label %\"?B(\d+)\"?$")


def described(ir: str) -> str:
    """LLVM text whose loops say what the marks in it ask for."""
    nodes = {int(number): text for number, text in _NODE.findall(ir)}
    group = next((n for n, text in nodes.items() if text == f'!{{ !"{ELEMENTS}" }}'), None)
    interleaved = f"!{INTERLEAVE} =" in ir
    if group is None and not interleaved:
        return ir
    says: list[str] = []
    marked = ""
    if group is not None:
        ir = ir.replace(f"!{group} = {nodes[group]}", f"!{group} = distinct !{{}}")
        marked = f"!{GROUP} !{group}"
        says.append(f'!{{ !"llvm.loop.parallel_accesses", !{group} }}')
    if interleaved:
        says.append(f'!{{ !"llvm.loop.interleave.count", i32 {VECTORS} }}')
    loop = max(nodes) + 1
    ir = _FUNCTION.sub(lambda m: _told(m[0], loop) if marked in m[0] else m[0], ir)
    listed = ", ".join(f"!{loop + k}" for k in range(len(says) + 1))
    lines = [f"!{loop} = distinct !{{ {listed} }}"]
    lines += [f"!{loop + k} = {text}" for k, text in enumerate(says, start=1)]
    return "\n".join([ir, *lines, ""])


def _told(function: str, loop: int) -> str:
    """The function with the backward jumps of its outermost loop marked."""
    lines = function.split("\n")
    jumps: list[tuple[int, int]] = []  # where a loop begins, and the line that goes back there
    here = -1
    for k, line in enumerate(lines):
        block, jump = _BLOCK.match(line), _JUMP.match(line)
        if block:
            here = int(block[1])
        elif jump and int(jump[1]) <= here:
            jumps.append((int(jump[1]), k))
    outermost = min((start for start, _ in jumps), default=-1)
    for start, k in jumps:
        if start == outermost:
            lines[k] += f", !llvm.loop !{loop}"
    return "\n".join(lines)
