"""Refused statements: the function, what the message says is wrong, and what to write."""

# ruff: noqa: E501, F401, PTH123 - refused code

import math
import random

import numpy as np

NUMBERS = [1.0, 2.0]


def yields(x):
    yield x


def catches(x):
    try:
        return 1 / x
    except x:
        return 0.0


def final_return(x):
    try:
        y = 1 / x
    finally:
        return 0.0


def pattern(x):
    match x:
        case float():
            return 2.0
    return x


def loops_number(x):
    for v in x:
        return v
    return 0.0


def endless(x):
    while True:
        x += 1


def list_grows(x):
    a = [x, 1.0]
    for v in a:
        a.append(v)
        if len(a) > 5:
            break
    return a[-1]


def range_float(x):
    t = 0.0
    for k in range(0.5 * x):
        t += k
    return t


def none_loop(x):
    y = None
    while x > 1:
        y = "a"
        x = x / 2
    return x if y else 0.0


def nothing_changes(x):
    while x > 0:
        y = x
    return x


def returns_text(x):
    while x > 1:
        x = x / 2
        if x < 3:
            return "a"
    return x


def loop_form(x):
    y = 0.0
    while x > 1:
        y = (x, x)
        x = x / 2
    return x


def imports_beside(x):
    from .nothing import here  # the package of this module has none

    return here(x)


def imports(x):
    import nothing_of_this_name

    return x


def deletes(x):
    a = [x, 1.0]
    del a[:1]
    return a[0]


def global_assigned(x):
    global NUMBERS
    NUMBERS = x
    return x


def opens(x):
    with open("f"):
        return x


def class_statement(x):

    class A:
        pass

    return x


def bare_return(x):
    if x > 0:
        return


def complex_result(x):
    return x * 2j


def returns_string(x):
    return str(x)


def unpacks(x):
    a, b = (x, x, x)
    return a


def binds_attribute(x):
    math.tau = x
    return x


def augments_attribute(x):
    math.tau += x
    return x


def _text_loop(x):
    while x > 1:
        x = x / 2
        if x < 3:
            return math
    return math


def shared(x):
    a = [x, 1.0]
    b = [x, 1.0]
    while x > 1:
        b = a
        b[0] = x
        x = x / 2
    return a[0] + b[0]


def range_zero(n):
    t = 0
    for i in range(0, n, 0):
        t += i
    return t


def nonlocals(x):
    n = 0.0

    def inc():
        nonlocal n
        n = n + 1

    def twice():
        inc()

    twice()
    return x + n


def nonlocal_recursion(n):
    total = 0

    def down(k):
        nonlocal total
        total += k
        return down(k - 1) if k > 0 else 0

    down(n)
    return total


def shuffled(x):
    values = [3.0, x]
    random.shuffle(values)
    return values[0]


def moves_rows(x):
    def exchange(rows, p):
        rows[0], rows[p] = rows[p], rows[0]

    m = [[x, 2.0], [1.0, 3.0]]
    exchange(m, 1 if x > 1 else 0)
    return m[0][0]


class Before:
    def __init__(self):
        self.before = None
        self.total = 0.0

    def push(self, value):
        self.total += value if self.before is None else 0.5 * value
        self.before = value


def none_in_an_object(x):
    state = Before()
    while state.total < 9.0:
        state.push(x * x)
    return state.total


REFUSALS = [
    (
        none_in_an_object,
        "a trip changes a list or an object which holds what is not a number",
        "hold numbers alone, e.g. 0.0 in place of None",
    ),
    (
        moves_rows,
        "an index that depends on values moves a list which others hold, too",
        "change a copy, e.g. list(values) or values.copy()",
    ),
    (
        shuffled,
        "random.shuffle() may change the list, array or object that it gets",
        "use a method of it, an assignment, or sorted(values)",
    ),
    (
        yields,
        "a `yield` or `await` is not understood in a scalar function",
        "write a plain function that returns numbers, several of them as a tuple",
    ),
    (
        catches,
        "what is caught is not a class of exceptions that is known",
        "name the classes, as in `except ZeroDivisionError`",
    ),
    (
        final_return,
        "`finally` leaves the block by itself, which hides an exception",
        "leave it behind the `try` statement",
    ),
    (
        pattern,
        "this pattern is not understood in a scalar function",
        "use numbers, `|`, names, `_`, tuples and objects of these, or if / elif",
    ),
    (
        loops_number,
        "this is not something to loop over in a scalar function",
        "loop over range(...) or over a constant tuple",
    ),
    (endless, "this loop never ends", "leave it by `break` or `return`"),
    (
        list_grows,
        "the list that a loop goes over changes its length",
        "go over a copy, e.g. list(values)",
    ),
    (
        range_float,
        "range() takes integers, here it has a floating value",
        "give the count as a keyword-only integer parameter, or use a while loop",
    ),
    (
        none_loop,
        "the loop variable 'y' is None at first and no number at the end",
        "give it numbers, or start it with math.nan",
    ),
    (
        nothing_changes,
        "a trip of this loop changes no variable, so it would go on for ever",
        "change what its condition reads, or leave it by `break` or `return`",
    ),
    (
        returns_text,
        "the result is a string, not a number",
        "return numbers; make text of them after the call",
    ),
    (
        loop_form,
        "the loop variable 'y' changes its form",
        "keep it a number, or a tuple of one length",
    ),
    (
        imports_beside,
        "No module named 'tests.kernels.refused.nothing'",
        "import what is installed",
    ),
    (imports, "No module named 'nothing_of_this_name'", "import what is installed"),
    (deletes, "only names and items can be deleted", "make a new list"),
    (
        global_assigned,
        "the global 'NUMBERS' is assigned: a scalar function has no effects",
        "return the value as a further result",
    ),
    (
        opens,
        "a `with` statement is not understood in a scalar function, unless it is of np.errstate() or warnings.catch_warnings()",
        "take the body out of the `with` block",
    ),
    (
        class_statement,
        "a `class` statement is not understood in a scalar function",
        "define the class outside; scalar functions work on numbers",
    ),
    (
        bare_return,
        "the result is None: no path returns a number",
        "return a number on every path, e.g. `return 0.0` at the end",
    ),
    (
        complex_result,
        "the result is a complex number; results of operators are real",
        "return both parts: `return z.real, z.imag`",
    ),
    (
        returns_string,
        "the result is a string, not a number",
        "return numbers; make text of them after the call",
    ),
    (unpacks, "2 names are assigned from a tuple of 3", "give 2 values, one for each name"),
    (
        binds_attribute,
        "only names, and items of lists and arrays, can be assigned",
        "assign to a plain name",
    ),
    (
        augments_attribute,
        "only names, and items of lists and arrays, can be assigned",
        "assign to a plain name",
    ),
    (lambda x: 1.0 if _text_loop(x) else x, "the value returned is not a number", "return numbers"),
    (
        shared,
        "a trip changes a list that 'b' and another name mean",
        "copy it, e.g. list(values) or values.copy()",
    ),
    (range_zero, "the step of range() is 0", "use 1, -1 or a larger step"),
    (
        nonlocals,
        "inc(), which has a `nonlocal` statement, is called by another helper",
        "call it in the function around it, or return the new value",
    ),
    (
        nonlocal_recursion,
        "down(), which has a `nonlocal` statement, is called by another helper",
        "call it in the function around it, or return the new value",
    ),
]
