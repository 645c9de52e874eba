"""The mathematical functions as LLVM text, as the package carries them.

    python scripts/vector_math_texts.py            writes texts.ll, special.ll and evex.ll there
    python scripts/vector_math_texts.py --check    fails where one is not up to date

The functions of kernels/vector_math are the source; this takes some seconds.
"""

import sys
from pathlib import Path

from nbgraph.kernels.vector_math import generate, texts

FILES = ((texts.SHIPPED, "usual"), (texts.SPECIAL, "special"), (texts.EVEX, "evex"))


def outdated(path: Path, text: str) -> bool:
    """Whether a file holds something else than `text`."""
    return not path.exists() or path.read_text(encoding="utf-8") != text


def main() -> int:
    """Write or check."""
    late = False
    for path, kind in FILES:
        text = generate.whole(texts.header(), kind)
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8", newline="\n")
        elif outdated(path, text):
            print(f"{path} is not up to date: run python scripts/vector_math_texts.py")
            late = True
    return int(late)


if __name__ == "__main__":
    sys.exit(main())
