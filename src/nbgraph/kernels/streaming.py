"""Writing past the cache: outputs that are large and not read soon.

An ordinary store first reads the line it is to change; a large output pays for that, and drives
out what others would find in the cache. LLVM knows stores around it, "nontemporal", but vectorises
none, as it asks for aligned places and those of elements are not. So the emitted text says where
lines begin (`forms.Map`), LLVM concludes which vectors are stored at aligned places, and these are
marked here, when everything else is done. Nothing is said that is not so: a store that is not
known to be aligned stays as it is.
"""

from __future__ import annotations

import re

from nbgraph.native.processor import LINE

VERSION = 1  # of what is done here to LLVM text, for the keys of caches

_LEAST = 16  # bytes of the shortest vector that processors store so
_BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
_STORE = re.compile(
    rf"^  store <(\d+) x (i\d+|{'|'.join(_BITS)})> [^\n]*, align (\d+)[^\n]*$", re.MULTILINE
)
_NODE = re.compile(r"^!(\d+) = ", re.MULTILINE)


def marked(text: str) -> str:
    """Optimised LLVM text of a streaming loop with its aligned vector stores marked.

    >>> print(marked("  store <4 x float> %v, ptr %p, align 16"))
      store <4 x float> %v, ptr %p, align 16, !nontemporal !0
    !0 = !{i32 1}
    <BLANKLINE>
    """
    node = max((int(n) for n in _NODE.findall(text)), default=-1) + 1

    def mark(store: re.Match[str]) -> str:
        count, element, align = store.groups()
        bits = _BITS.get(element) or int(element[1:])
        nbytes = int(count) * bits // 8
        aligned = nbytes >= _LEAST and int(align) >= min(nbytes, LINE)
        return f"{store[0]}, !nontemporal !{node}" if aligned else store[0]

    return f"{_STORE.sub(mark, text)}\n!{node} = !{{i32 1}}\n"
