"""The random words of NumPy's Philox, as lines of kernels.

Philox is counter-based: a block of four 64-bit words is a function of a key and of the block's
number in its draw (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"). So any thread can
compute any block. NumPy increments the counter first, so the first block has number 1.
"""

from typing import Literal

from nbgraph.kernels.capture.library.random_draws import MULTIPLIERS, ROUNDS, STEPS
from nbgraph.kernels.compiler.written import Compute, inner, part

DRAW = ("key0", "key1", "number")  # the words of a draw: see `nbgraph.resource.random.Draw`
BLOCK: dict[Compute, int] = {"float32": 8, "float64": 4}  # numbers per block
Form = Literal["number", "word", "pair", "own"]  # which bits of the words an integer has
BITS: dict[Compute, int] = {"float32": 24, "float64": 53}  # of a number


def words(attempt: str = "0") -> list[str]:
    """Return lines that compute the words a, b, c, d of `block`, at an attempt."""
    start = f"a, b, c, d = uint64(block) + uint64(1), uint64({attempt}), uint64(number), uint64(0)"
    return [start, *(line for turn in range(ROUNDS) for line in _round(turn))]


def _round(turn: int) -> list[str]:
    key0, key1 = (f"(uint64(key{k}) + uint64({STEPS[k] * turn % (1 << 64)}))" for k in range(2))
    return [
        f"top0, low0 = wide_product(uint64({MULTIPLIERS[0]}), a)",
        f"top1, low1 = wide_product(uint64({MULTIPLIERS[1]}), c)",
        f"a, b, c, d = top1 ^ b ^ {key0}, low1, top0 ^ d ^ {key1}, low0",
    ]


def integers(compute: Compute, form: Form = "number") -> list[str]:
    """Return lines that compute integers n0, n1, ... from the words. A "number" is such an integer
    times 2^-BITS; a "word" has all bits, and a sign; a "pair" combines two 64-bit words, with l0,
    ... as the low ones. A word has two integers of float32, the low half first."""
    if form == "pair":
        return ["n0, l0, n1, l1 = b, a, d, c"]
    cut = 64 - BITS[compute] if compute == "float64" else 32 - BITS[compute]
    cut = 0 if form == "word" else cut
    lines: list[str] = []
    for k, word in enumerate("abcd"):
        if compute == "float64":
            lines.append(f"n{k} = int64({word} >> uint64({cut}))")
        else:
            lines.append(f"n{2 * k} = int32(uint32({word}) >> uint32({cut}))")
            lines.append(f"n{2 * k + 1} = int32({word} >> uint64({32 + cut}))")
    return lines


def strip(compute: Compute, form: Form = "number") -> tuple[str, list[str]]:
    """Return how a strip of words is read: its pointer, and the lines of the i-th integer, `n_`."""
    if form == "pair":
        lines = ["l_ = load_input(numbers, i * 2)", "n_ = load_input(numbers, i * 2 + 1)"]
        return "words", lines
    width, kind = (64, "int64") if compute == "float64" else (32, "int32")
    cut = 0 if form == "word" else width - BITS[compute]
    pointer = "words" if width == 64 else "uint32_pointer(address(words))"
    return pointer, [f"n_ = {kind}(load_input(numbers, i) >> uint{width}({cut}))"]


def fill_strip() -> str:
    """Return a function that computes the words of `count` blocks from number `first` on."""
    return part(
        f"strip_made(words, first, count, {', '.join(DRAW)})",
        "for k in range(count):",
        "    block = first + k",
        *inner(words()),
        *(f"    store(words, k * 4 + {j}, {word})" for j, word in enumerate("abcd")),
        "return 0",
    )
