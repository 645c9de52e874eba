"""The mathematical functions as LLVM text, as the package carries them.

    python scripts/vector_math_texts.py            writes kernels/vector_math/texts.ll
    python scripts/vector_math_texts.py --check    fails where it is not up to date

The functions of kernels/vector_math are the source; this takes some seconds.
"""

import sys
from pathlib import Path

from nbgraph.kernels.vector_math import generate, texts


def outdated(path: Path, text: str) -> bool:
    """Whether a file holds something else than `text`."""
    return not path.exists() or path.read_text(encoding="utf-8") != text


def main() -> int:
    """Write or check."""
    text = generate.whole(texts.header())
    if "--check" in sys.argv[1:]:
        if outdated(texts.SHIPPED, text):
            print(f"{texts.SHIPPED} is not up to date: run python scripts/vector_math_texts.py")
            return 1
        return 0
    texts.SHIPPED.write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
