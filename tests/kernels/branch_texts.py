"""Bodies of functions of x that grow with a number: chains of branches, helpers, loops, calls."""

import importlib.util
import re


def _places(n):
    return [round(-3 + 6 * i / n, 4) for i in range(n)]


def _ternary(n, arm="x * {k}.5", test="x < {c}", last="0.5 * x"):
    chain = "".join(
        f"{arm.format(k=k, c=c)} if {test.format(c=c)} else " for k, c in enumerate(_places(n))
    )
    return [f"return {chain}{last}"]


def _each(n, first, line, last):
    lines = [line.format(k=k, c=c) for k, c in enumerate(_places(n))]
    return [*first, *"\n".join(lines).split("\n"), last]


def _nested(n, low=0):
    if n == 1:
        return f"{low}.5 * x"
    half = n // 2
    return f"({_nested(half, low)} if x < {low}.5 else {_nested(n - half, low + half)})"


_MATCH = "    case {k}:\n        {then}"

TEXTS = {
    "ternary": _ternary,
    "calls in a ternary": lambda n: _ternary(n, "math.exp(x * {k}.5)"),
    "equalities": lambda n: _ternary(n, "{k}.5", "x == {c}", "x * x"),
    "nested ternary": lambda n: [f"return {_nested(n)}"],
    "elif": lambda n: ["if x < -4.0:", "    y = x", *_each(
        n, (), "elif x < {c}:\n    y = x * {k}.5", "else:"), "    y = x * x", "return y"],
    "early returns": lambda n: _each(n, (), "if x < {c}:\n    return x * {k}.5", "return x * x"),
    "match": lambda n: _each(
        n, ("y = x", "match int(x * 10.0):"), _MATCH.replace("{then}", "y = x * {k}.5"), "return y"
    ),
    "match returns": lambda n: _each(
        n, ("match int(x * 10.0):",), _MATCH.replace("{then}", "return x * {k}.5"), "return x * x"
    ),
    "updates": lambda n: _each(n, ["y = x"], "if x > {c}:\n    y = y * 1.01 + {k}.5", "return y"),
    "selects": lambda n: _each(n, ["y = x"], "y = math.sin(y) if y > {c} else y + x", "return y"),
    "statements": lambda n: _each(n, ["y = x"], "t = y + {k}.5\ny = math.tanh(t) * t", "return y"),
    "roots": lambda n: _each(n, ["y = x"], "y = math.sqrt(max(y + {k}.5, 0.0))", "return y"),
    "clips": lambda n: _each(n, ["y = x"], "y = min(max(y * 1.1, -{k}.5), {k}.5)", "return y"),
    "sizes": lambda n: _each(n, ["y = x"], "y = abs(y - {c})", "return y"),
    "brackets": lambda n: _each(
        n, ["s = 0.0"], "s = s + (x - {c} if x > {c} else 0.0)", "return math.sqrt(s)"
    ),
    "a sorting network": lambda n: _each(
        n, ["a, b = x, 0.3"], "a, b = min(a, b), max(a, b) + 0.{k}", "return a + math.sqrt(b)"
    ),
    "swaps": lambda n: _each(
        n, ["y, z = x, 0.0"], "if x > {c}:\n    y, z = z, y", "return math.sqrt(y) + math.exp(z)"
    ),
    "conditions": lambda n: [
        "return x if " + " or ".join(f"({c} < x and x < {c}5)" for c in _places(n)) + " else x * x"
    ],
    "guards": lambda n: _each(
        n, ["y = x"], "y = y + (1.0 if x == {c} else math.sin(x - {c}) / (x - {c}))", "return y"
    ),
    "a loop's body": lambda n: _each(
        n, ["y = x", "for i in range(30):"], "    if y > {c}:\n        y = y * 0.9", "return y"
    ),
    "breaks": lambda n: _each(
        n, ["y = x", "while y < 5.0:", "    y = y + 0.5"], "    if y > 1{k}.5:\n        break",
        "return y",
    ),
    "helpers": lambda n: _each(n, ["y = x"], "y = helper(y, {k}.5)", "return y"),
}  # fmt: skip


def function(folder, name, n):
    """The function of a text with so many branches; the module that defines it is in a folder."""
    path = folder / f"branches_{re.sub(r'[^a-z]', '_', name)}_{n}.py"
    body = "\n    ".join("\n".join(TEXTS[name](n)).split("\n"))
    path.write_text(
        "import math\n\n"
        "def helper(a, k):\n    if a > k:\n        return a - k\n    return a * 0.5 + k\n\n"
        f"def f(x):\n    {body}\n"
    )
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f
