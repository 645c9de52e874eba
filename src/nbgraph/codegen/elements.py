"""Loops over elements of which none depends on another, said to LLVM.

A load or store of such a loop is in the access group ELEMENTS; here the group becomes what LLVM
wants of one, and the loop says that accesses of the group may be carried out for several elements
at once. Nothing is said about the accesses of one element: they keep their order, so that a loop
that writes over what it reads, element by element, stays right and is vectorised all the same.

llvmlite writes neither distinct nor self-referential metadata, so this works on text. Numba calls
the blocks of a function after places in its byte code, which tells backward branches.
"""

from __future__ import annotations

import re

from nbgraph.native.memory import ELEMENTS, GROUP

_NODE = re.compile(r"^!(\d+) = (.*)$", re.MULTILINE)
_FUNCTION = re.compile(r"^define .*?^}$", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^\"?B(\d+)[\w.]*\"?:")
_JUMP = re.compile(r"^ +br label %\"?B(\d+)\"?$")


def independent(ir: str) -> str:
    """LLVM text in which loops around marked accesses are said to be free of dependences."""
    nodes = {int(number): text for number, text in _NODE.findall(ir)}
    group = next((n for n, text in nodes.items() if text == f'!{{ !"{ELEMENTS}" }}'), None)
    if group is None:
        return ir
    loop = max(nodes) + 1
    ir = ir.replace(f"!{group} = {nodes[group]}", f"!{group} = distinct !{{}}")
    marked = f"!{GROUP} !{group}"
    ir = _FUNCTION.sub(lambda m: _told(m[0], loop) if marked in m[0] else m[0], ir)
    says = f'!{loop + 1} = !{{ !"llvm.loop.parallel_accesses", !{group} }}'
    return f"{ir}\n!{loop} = distinct !{{ !{loop}, !{loop + 1} }}\n{says}\n"


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
    outermost = min(start for start, _ in jumps)
    for start, k in jumps:
        if start == outermost:
            lines[k] += f", !llvm.loop !{loop}"
    return "\n".join(lines)
