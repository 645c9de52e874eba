"""Random smooth functions of x and y, with constants from 1e-60 to 1e60."""

import importlib.util
import random

CALLS = (
    "exp log sin cos tan tanh sinh cosh sqrt atan asinh erf erfc expm1 log1p gamma lgamma asin "
    "acosh cbrt exp2 log2"
).split()


def number(draw):
    """A literal: of the size of 1, or of any size."""
    if draw.random() < 0.4:
        return repr(round(draw.uniform(0.1, 4), 2))
    return repr(draw.choice((1, -1)) * float(f"{draw.uniform(1, 10):.2f}e{draw.randint(-60, 60)}"))


def expression(draw, depth):
    """A text of x and y. No difference is 0 everywhere: roots have no slope there."""
    if depth == 0 or draw.random() < 0.1:
        return draw.choice(["x", "x", "y", number(draw)])
    a, b = expression(draw, depth - 1), expression(draw, depth - 1)
    kind = draw.random()
    if kind < 0.45:
        return f"({a} {'+' if a == b else draw.choice('+-*/')} {b})"
    if kind < 0.8:
        return f"math.{draw.choice(CALLS)}({a})"
    if kind < 0.88:
        return f"({a})**{draw.choice(['2', '3', '0.5', '-1', '1.7', '-2.5', number(draw)])}"
    if kind < 0.92:
        return f"({a})**({b})"
    if kind < 0.94:
        return f"abs({a})"
    c = number(draw)
    return f"({a} if {draw.choice('xy')} {draw.choice('<>')} {c} else {b})"


def functions(folder, count, seed):
    """So many functions, by their texts; the module that defines them is written to a folder."""
    draw = random.Random(seed)
    chosen = {}
    while len(chosen) < count:
        text = expression(draw, draw.randint(2, 5))
        if "x" in text.replace("exp", ""):
            chosen[text] = None
    path = folder / f"smooth{seed}.py"
    bodies = [f"def f{i}(x, y):\n    return {text}\n" for i, text in enumerate(chosen)]
    path.write_text("\n\n".join(["import math", *bodies]))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {text: getattr(module, f"f{i}") for i, text in enumerate(chosen)}
