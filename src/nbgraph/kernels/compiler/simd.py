"""The SIMD report of a kernel: packed registers and calls in its innermost loops.

The report is read off the machine code, not off the compiler's intentions: the loops are found in
the control flow, and an innermost loop counts as vectorised if it does packed arithmetic and stores
packed results, or keeps them in registers that scalar code does not use.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import llvmlite.binding as llvm

from nbgraph.codegen import cache
from nbgraph.dtype import as_dtype
from nbgraph.kernels.compiler.kernel import Kernel
from nbgraph.kernels.loops.loop import Loop
from nbgraph.kernels.scalar.graph import Node
from nbgraph.kernels.scalar.wording import place
from nbgraph.kernels.vector_math.names import BRANCHING, FAMILY

_VERSION = 3  # of the analysis below; cached claims of another version are ignored
_REGISTER_BITS = {"x": 128, "y": 256, "z": 512}
_PACKED = re.compile(  # packed arithmetic of x86; moves, shuffles and conversions do not count
    r"^v?(?:(?:add|sub|mul|div|sqrt|max|min|and|andn|or|xor|cmp\w*?|round|rndscale|scalef|"
    r"fn?m(?:add|sub)\d*|blendv?|rsqrt\w*|rcp\w*)p[sdh]"
    r"|p(?:add|sub|mul|madd|max|min|and|or|xor|cmp|sll|srl|sra|abs|blend|avg|ternlog)\w*)$"
)
_LOGIC = re.compile(r"^v?p?(?:and|or|xor|blend|tern|cmp)")  # scalar code uses these on xmm, too
_NEON = re.compile(r"\bv\d+\.(?:16b|8h|4s|2d)\b")
_LABEL = re.compile(r"^(\.?[\w$.]+):")
_TARGET = re.compile(r"^\s+(?:j\w+|b(?:\.\w+)?|cbn?z\s.*,|tbn?z\s.*,)\s+(\.L\w+)\s*$")
_ADDRESS = re.compile(r"^\s+movabsq\s+\$([\w.$]+),\s*%(\w+)")
_CALL = re.compile(r"^\s+(?:callq?|bl|blr)\s+\*?%?([\w.$@]+)")
_ENDS = re.compile(r"^\s+(?:jmpq?|b|retq?|ret|br)\b")


@dataclass(frozen=True, slots=True)
class Simd:
    """The widest registers of a vectorised loop, or the reason why no loop is vectorised."""

    vectorised: bool
    width: int  # bits of the registers; 0 if nothing is packed
    lanes: int  # elements of the loop's dtype in one register
    calls: tuple[str, ...] = ()  # functions of other libraries called inside innermost loops
    reason: str = ""  # why no loop is vectorised
    cpu: str = field(default="", compare=False)

    def __str__(self) -> str:
        if self.vectorised:
            return f"vectorised, {self.lanes} lanes in {self.width}-bit registers"
        return f"not vectorised: {self.reason}"


def of(kernel: Kernel) -> Simd:
    """Return the claim about a kernel; it is kept in the disk cache."""
    key = hashlib.sha256(f"simd {_VERSION} {kernel.key}".encode()).hexdigest()
    entry = cache.load(key)
    if entry is not None:
        stored = json.loads(entry.code)
        return _claim(kernel.loop, stored["width"], tuple(stored["calls"]))
    claim = analyse(kernel.assembly(), kernel.loop)
    data = json.dumps({"width": claim.width, "calls": claim.calls}).encode()
    cache.store(key, cache.Entry(data, (), 0.0, "compiled"))
    return claim


def analyse(assembly: str, loop: Loop) -> Simd:
    """Return the claim that assembly text supports; `loop` has the dtype and the user's lines."""
    width = 0
    calls: set[str] = set()
    for body in innermost_loops(assembly):
        width = max(width, _packed_width(body))
        calls.update(_called(body))
    own = {label[1] for line in assembly.splitlines() if (label := _LABEL.match(line))}
    return _claim(loop, width, tuple(sorted(calls - own)))


def _claim(loop: Loop, width: int, calls: tuple[str, ...]) -> Simd:
    cpu = str(llvm.get_host_cpu_name())
    itemsize = as_dtype(loop.compute).itemsize
    arrays = (*loop.operands, *loop.outputs)
    if all(a.node.kind != "f" for a in arrays):
        itemsize = max(as_dtype(a.dtype).itemsize for a in arrays)
    if width:
        return Simd(True, width, width // (8 * itemsize), calls, cpu=cpu)
    return Simd(False, 0, 1, calls, why_not(loop, calls), cpu)


def why_not(loop: Loop, calls: Sequence[str] = ()) -> str:
    """Return why a kernel has no vector loop, in terms of the user's text."""
    nodes = loop.graph.reachable(loop.results)
    for node in nodes:
        if node.op == "extern":
            return f"{node.data.fn.__name__}() has no source text: compiled as it is, per element"
    for node in nodes:
        if node.op == "call" and (node.data in BRANCHING or node.data in calls):
            library = f" (it calls the C library's {', '.join(calls)})" if calls else ""
            return f"{node.data}(){library} has no vector form{_where(node)}"
    for node in nodes:
        if node.op == "final":
            cond = loop.graph.regions[node.data[0]].cond
            return f"a loop whose number of trips depends on the data{_where(cond)}"
    if not any(n.args for n in nodes):
        return "nothing is computed: values are copied or filled in"
    if calls:
        return f"a call of {', '.join(calls)} is left in the loop"
    if any(n.op == "call" and n.data in FAMILY for n in nodes):
        return "LLVM judged the vector form of this text not worth its cost"
    return "LLVM left the loop scalar"


def _where(node: Node) -> str:
    filename, _, line = node.line.rpartition(":")
    return f", {place(filename, line)}" if line else ""


# the control flow ------------------------------------------------------------------------------


def innermost_loops(assembly: str) -> list[list[str]]:
    """Return the instructions of each loop that contains no other loop."""
    blocks, edges = _blocks(assembly)
    loops: list[list[str]] = []
    todo = [set(range(len(blocks)))]
    while todo:
        inside = todo.pop()
        for component in _components(inside, edges):
            if len(component) == 1 and not (component & edges[min(component)]):
                continue
            entered = {
                b for a in range(len(blocks)) if a not in component for b in edges[a] & component
            }
            rest = component - (entered or {min(component)})
            if any(len(c) > 1 or c & edges[min(c)] for c in _components(rest, edges)):
                todo.append(rest)
            else:
                loops.append([line for b in sorted(component) for line in blocks[b]])
    return loops


def _blocks(assembly: str) -> tuple[list[list[str]], list[set[int]]]:
    """Return the basic blocks as lines, and the successors of each block."""
    blocks: list[list[str]] = [[]]
    places: dict[str, int] = {}
    for line in _with_names(assembly):
        label = _LABEL.match(line)
        if label:
            if blocks[-1]:  # a jump ends a block
                blocks.append([])
            places[label[1]] = len(blocks) - 1
        elif line.startswith("\t") and not line.startswith("\t."):
            blocks[-1].append(line)
            if _TARGET.match(line) or _ENDS.match(line):
                blocks.append([])
    edges: list[set[int]] = []
    for i, lines in enumerate(blocks):
        target = _TARGET.match(lines[-1]) if lines else None
        goes = {places[target[1]]} if target and target[1] in places else set()
        if i + 1 < len(blocks) and not (lines and _ENDS.match(lines[-1])):
            goes.add(i + 1)
        edges.append(goes)
    return blocks, edges


def _components(inside: set[int], edges: Sequence[set[int]]) -> Iterator[set[int]]:
    """Return the strongly connected components of a subgraph (Tarjan, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    path: list[int] = []
    on_path: set[int] = set()
    for root in sorted(inside):
        if root in index:
            continue
        work = [(root, iter(sorted(edges[root] & inside)))]
        index[root] = low[root] = len(index)
        path.append(root)
        on_path.add(root)
        while work:
            node, goes = work[-1]
            for other in goes:
                if other not in index:
                    index[other] = low[other] = len(index)
                    path.append(other)
                    on_path.add(other)
                    work.append((other, iter(sorted(edges[other] & inside))))
                    break
                if other in on_path:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = path.index(node)
                    yield set(path[at:])
                    on_path -= set(path[at:])
                    del path[at:]


# one loop --------------------------------------------------------------------------------------


def _packed_width(body: Sequence[str]) -> int:
    """Return the bits of the widest registers with packed arithmetic in a loop, if it also stores
    packed or the registers are wider than those of scalar code."""
    widest, stores = 0, False
    for line in body:
        name, _, operands = line.strip().partition("\t")
        stores = stores or _is_packed_store(name, operands)
        if _PACKED.match(name):
            sizes = [_REGISTER_BITS[r] for r in re.findall(r"%([xyz])mm\d+", operands)]
            bits = max(sizes, default=0)
            if bits > 128 or not _LOGIC.match(name):
                widest = max(widest, bits)
            stores = stores or (bits > 128 and not _LOGIC.match(name))
        elif _NEON.search(operands) and not name.startswith(("ld", "st", "mov", "dup")):
            widest = max(widest, 128)
    return widest if stores else 0


def _is_packed_store(name: str, operands: str) -> bool:
    if "(%rsp" in operands or "(%rbp" in operands:
        return False  # a spilled register
    if name.startswith(("st1", "stp", "str")):
        return bool(re.match(r"[qv]\d", operands))
    packed = re.match(
        r"v?(mov[ua]p[sd]|movdq[ua]\d*|movntp[sd]|pmov\w*|cvtps2ph|extract\w*)$", name
    )
    half = re.match(r"v?(movq|movd|movlp[sd]|movhp[sd])$", name)
    return bool((packed or half) and operands.endswith(")") and "%" in operands)


def _called(body: Sequence[str]) -> set[str]:
    """Return the functions that a loop calls; calls through an address are the kernel's own."""
    named = (line for line in body if "*%" not in line)
    return {call[1].partition("@")[0] for line in named if (call := _CALL.match(line))}


def _with_names(assembly: str) -> Iterator[str]:
    """Return the lines; a call through a register names the function last moved there."""
    addresses: dict[str, str] = {}
    for line in assembly.splitlines():
        if ",@function" in line:
            addresses = {}
        address, call = _ADDRESS.match(line), _CALL.match(line)
        if address:
            addresses[address[2]] = address[1]
        if call and call[1] in addresses:
            yield f"\tcallq\t{addresses[call[1]]}"
        else:
            yield line
