"""Functions written as loops and conditions do what they say."""

import ctypes

from nbgraph.codegen import builtin
from nbgraph.codegen.text import Function


def total_until_negative():
    """The text of the sum of some words up to the first negative one; odd ones count twice."""
    t = Function("i64", "ptr %words, i64 %count")
    total = t.cell()
    t.put(total, "0")
    with t.loop(0, "%count") as i:
        word = t.read("i64", "%words", i)
        t.require(t.compare("sge", word, 0), "done")
        is_odd = t.compare("ne", t.number("and", word, 1), 0)
        with t.when(is_odd):
            t.put(total, t.sum(t.get(total), t.product(word, 2)))
        with t.unless(is_odd):
            t.put(total, t.sum(t.get(total), word))
    t.go("done")
    t.label("done")
    return t.text(f"ret i64 {t.get(total)}")


def test_loops_conditions_and_exits():
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)
    run = kind(builtin.address(total_until_negative(), name="total"))
    for words, wanted in (([], 0), ([2, 4], 6), ([1, 2, 3], 10), ([5, -1, 100], 10), ([-1], 0)):
        given = (ctypes.c_int64 * max(1, len(words)))(*words)
        assert run(ctypes.addressof(given), len(words)) == wanted, words


def test_labels_and_values_are_written_once():
    lines = total_until_negative().splitlines()
    names = [line.split(" = ")[0] for line in lines if " = " in line]
    labels = [line for line in lines if line.endswith(":")]
    assert len(names) == len(set(names)) and len(labels) == len(set(labels))
