"""Refused values: the function, what the message says is wrong, and what to write."""

# ruff: noqa: C416, E501, PLE0643 - refused code

import functools
import itertools
import math

import numpy as np

BIG = np.zeros(70_000)
TEXTS = np.array(["new", "full"])
FAR = {k * 1000: 1.0 for k in range(300)}
MIXED = {0: 1.0, 1: "a"}
NUMBERS = [1.0, 2.0]


def changes_global(x):
    NUMBERS[0] = x
    return NUMBERS[0]


def too_many_indices(x):
    a = [x]
    a[0][0] = 1.0
    return a[0]


def splice_count(x):
    a = np.zeros(3)
    a[0:3] = np.array([x, x])
    return a[0]


def becomes_text(n):
    kind = 0
    for k in range(n):
        kind = "odd" if k % 2 else "even"
    return 1 if kind == "odd" else 2


def marks(counts, k, n):
    counts[k] = 1
    for j in range(2, 4):
        if k * j > n:
            break
        marks(counts, k * j, n)


def marks_in_recursion(n):
    counts = [0] * (n + 1)
    marks(counts, 1, n)
    return sum(counts)


def stores_other(x):
    a = [x, 1.0]
    a[int(x)] = "a"
    return a[0]


def store_outside(x):
    a = [x]
    a[3] = 1.0
    return a[0]


def store_many(x):
    a = [0.0] * 300
    a[int(x)] = 1.0
    return a[3]


def splice_more(x):
    a = [x, 1.0]
    a[::2] = [x, x]
    return a[0]


def splice_number(x):
    a = [x, 1.0]
    a[0:1] = 3.0
    return a[0]


def pops_empty(x):
    a = []
    a.pop()
    return x


def append_none(x):
    a = []
    a.append()
    return x


def dict_get(x):
    d = {"a": x}
    return d.keys(1)[0]


def undefined_number(x):
    a = (x, 1.0)[int(x) :]
    return a


def store_three(x):
    a = np.zeros(3)
    a[0, 0] = x
    return a[0]


def list_item_sorts(x):
    if x > 0:
        a = [x, "s"]
    else:
        a = [x, 1.0]
    return a[1]


def reshape_order(x):
    a = np.array([x, 1.0])
    return a.reshape(2, 1, order="C")[0, 0]


def list_sort_args(x):
    a = [x, 1.0]
    a.pop(7)
    return a[0]


def sized(n):
    """A list whose length depends on n."""
    return [1.0 * k for k in range(n)]


def divides_list(n):
    return len([v for v in sized(n)] / [1.0])


def changes_what_it_goes_over(n):
    values = sized(n)
    for v in values:
        values.append(v)
    return len(values)


def assigns_slice(n):
    values = sized(n)
    values[0:1] = [2.0]
    return len(values)


def appends_pair(n):
    values = sized(n)
    values.append((1.0, 2.0))
    return len(values)


def appends_named(n):
    values, rest = [(1.0, 2.0) for k in range(n)], [1.0, 2.0]
    values.append(rest)
    return len(values)


def appends_lists(n):
    values = []
    for k in range(n):
        if k % 2:
            values.append([1.0, k])
    return len(values)


def list_item_sum(x):
    if x > 0:
        a = [x, "s"]
    else:
        a = [x, 1.0]
    return a[1] + x


LONG = (*range(20), 10**20, 3)
REFUSALS = [
    (
        lambda n: sum(reversed(range(0, 10, max(n, 1)))),
        "a range whose step is a value is turned",
        "write its bounds the other way",
    ),
    (
        lambda n: LONG[n],
        "the integer 100000000000000000000 does not fit into int64",
        "write the literal as a float, or give operands of 64 bits, as by int(x)",
    ),
    (
        lambda n: 10**20 if n > 2 else 3,
        "the value cannot be used here: the integer 100000000000000000000 does not fit into int64",
        "give both branches one type",
    ),
    (
        lambda x: 10**20,
        "the integer 100000000000000000000 does not fit into int64",
        "write the literal as a float",
    ),
    (
        lambda x: np.array([x, 1.0]) @ np.array([x, 1.0, 2.0]),
        "vectors of 2 and 3 entries are multiplied",
        "use equal lengths",
    ),
    (
        lambda x: np.sort(np.array([[x, 1.0], [2.0, 3.0]]))[0][0],
        "what is sorted is not up to 64 numbers",
        "sort before the call",
    ),
    (
        lambda x: np.arange(x)[0],
        "a bound of arange() is not constant",
        "use constants, so that it is known",
    ),
    (
        lambda x: (np.array([x, 1.0]) + np.array([x, 1.0, 2.0]))[0],
        "arrays of 2 and 3 entries meet",
        "use arrays of one shape",
    ),
    (
        lambda n: np.zeros(n)[0],
        "the shape of an array is not a constant integer",
        "use a constant, so that it is known",
    ),
    (
        lambda x: np.zeros(3, dtype=np.float32)[0] + x,
        "an array of dtype float32 is made",
        "leave out dtype=: the precision is that of the operands",
    ),
    (
        lambda x: np.array([x, "a"])[0],
        "this is not an array of up to 1024 numbers",
        "give a tuple, a list or an array of numbers",
    ),
    (
        lambda x: np.zeros(100_000)[0] + x,
        "an array of more than 1024 entries is made",
        "use fewer entries",
    ),
    (
        lambda x: np.sum(np.zeros((2, 2, 2)), axis=0)[0] + x,
        "a reduction along an axis of more than two",
        "reduce matrices",
    ),
    (
        lambda x: np.array([x, 1.0]).reshape(3)[0],
        "cannot reshape array of size 2 into shape (3,)",
        "use a shape with as many entries",
    ),
    (
        lambda x: np.array([[x, 1.0], [2.0]])[0][0],
        "the rows of an array have different lengths",
        "give rows of one",
    ),
    (
        lambda x: 1.0 if any((k := i * j) > x for i in range(3) for j in range(3)) else k,
        "`:=` inside of any() over several loops is not understood",
        "write the loops",
    ),
    (
        lambda x: ([x] - [1.0])[0],
        "this operator of tuples is not understood",
        "use NumPy arrays, numbers or sets",
    ),
    (
        changes_global,
        "a list or an array that is not made here would be changed",
        "change a copy, e.g. list(values) or values.copy()",
    ),
    (too_many_indices, "an item of a number is assigned", "leave the last index out"),
    (splice_count, "2 numbers are assigned to 3", "assign as many"),
    (
        becomes_text,
        "the loop variable 'kind' changes its form",
        "keep it a number, or a tuple of one length",
    ),
    (
        marks_in_recursion,
        "marks() calls itself in a way that is not a loop (line N: marks() calls itself and changes a list)",
        "write a `while` loop; recursion is understood where the calls lower one operand by constants, where one call is made on each path, or where no cache keeps results, and where some path makes no call",
    ),
    (
        stores_other,
        "the value has values of different types on the paths that reach this line",
        "assign a value like the one before",
    ),
    (lambda x: ([x] * 100_000)[0], "a list of more than 1024 items is made", "use fewer items"),
    (
        lambda x: (x, (x, 2.0)),
        "the result holds a tuple or an array",
        "return numbers as one tuple, e.g. `return x, *others`",
    ),
    (store_outside, "assignment index out of range", "use an index within the list"),
    (
        store_many,
        "an index that depends on values changes one of 300 items",
        "use a list of at most 256 items",
    ),
    (
        splice_number,
        "this assigns no list to a slice",
        "assign a list of known length",
    ),
    (
        splice_more,
        "2 items are assigned to the 1 of a slice",
        "assign as many",
    ),
    (pops_empty, "pop() of a list: pop from empty list", "give what it takes"),
    (
        append_none,
        "append() of a list: list.append() takes exactly one argument (0 given)",
        "give what it takes",
    ),
    (
        lambda i: BIG[i],
        "70000 entries are read from outside the function, more than 65536",
        "take the entries before the call, e.g. by ng.take(table, index), and pass them as an operand",
    ),
    (
        lambda x: x * TEXTS[0],
        "an array of dtype <U4 is read from outside the function",
        "use an array of numbers, or a tuple",
    ),
    (dict_get, "keys() of a dict with arguments", "leave them out"),
    (
        lambda x: {"a": x}.get("a", default=x),
        "get() of a dict with names of arguments",
        "give them by position",
    ),
    (lambda x: {"a": 1.0}[x], "the key of a dict is neither a number nor constant", "use a number"),
    (
        lambda x: {1: 1.0, 2: 3.0}.get(x, "no"),
        "the value has values of different types on the paths that reach this line",
        "give the default that the others have",
    ),
    (lambda n: MIXED[n], "the values of the dict are not all numbers", "use numbers"),
    (lambda x: {"a": x}["b"], "the dict has no key 'b'", "use a key that it has"),
    (lambda n: FAR[n], "more than 256 keys far apart", "use keys 0, 1, 2, ..."),
    (
        lambda x: math.exp(x) + (x, x),
        "this operator of tuples is not understood",
        "use NumPy arrays, numbers or sets",
    ),
    (
        undefined_number,
        "the result is a list whose length depends on values",
        "return numbers, e.g. sum(values) or len(values)",
    ),
    (
        lambda x: max(*[k for k in (x, 1.0) if k > 0]),
        "what follows * is not a tuple",
        "write the arguments out",
    ),
    (
        lambda x: [k for k in x][0],
        "this is not something to loop over in a scalar function",
        "loop over range(...) or over a constant tuple",
    ),
    (
        lambda x: [a * b for a, b in zip((x, 1.0), (x,), strict=True)][0],
        "the tuples have different lengths",
        "leave out strict=True",
    ),
    (
        lambda x: (x, 1.0).append(2.0),
        "a list or an array that is not made here would be changed",
        "change a copy, e.g. list(values) or values.copy()",
    ),
    (lambda x: min(()) * x, "the tuple is empty", "give at least one number"),
    (
        lambda x: len(str(x + 0.5)),
        "the digits of a floating value, which len() gets, are not understood",
        "make it an integer with int()",
    ),
    (lambda x: sum((x, "a")), "the items are not all numbers", "give a tuple of numbers"),
    (
        lambda n: dict.fromkeys(range(n), 1.0)[0],
        "how many items there are depends on a value",
        "write a `for` loop over them",
    ),
    (
        lambda x: [k * x for k in range(5000)][0],
        "more than 1024 items are listed",
        "write a `for` loop",
    ),
    (
        lambda x: [a for k, a in enumerate((x, 1.0), x)][0],
        "the start of enumerate() is not constant",
        "add it to the number",
    ),
    (
        lambda x: 1.0 if np.array([x, 1.0]) else 0.0,
        "the truth of an array of several entries is not defined: use any()",
        "convert the value first, e.g. with float() or int()",
    ),
    (
        lambda x: math.dist((x, 1.0), (x,)),
        "the tuples have different lengths",
        "leave out strict=True",
    ),
    (
        lambda x: functools.reduce(lambda a, b: a + b, ()) * x,
        "reduce() of an empty tuple",
        "give a start value",
    ),
    (
        lambda x: min((x, 1.0), key=x),
        "a keyword argument is not understood here",
        "leave it out",
    ),
    (
        lambda x: sorted([x + k for k in range(40)], key=abs)[0],
        "more than 32 items are sorted",
        "sort before the call",
    ),
    (
        lambda x: [a * x for a, b in itertools.product(range(100), range(100))][0],
        "more than 1024 items are listed",
        "write a `for` loop",
    ),
    (
        lambda n: [a for a in itertools.combinations((1.0, 2.0, 3.0), n)][0][0],
        "a count is not a constant integer",
        "use a constant, so that it is known",
    ),
    (
        lambda x: [a for a, b in zip((x, 1.0), x)][0],
        "this is not something to loop over in a scalar function",
        "loop over range(...) or over a constant tuple",
    ),
    (
        lambda x: (1.0, 2.0)[1.5 * x],
        "the index of a tuple is not an integer",
        "make it one with int()",
    ),
    (
        lambda x: np.array([x, 1.0])[0, 1],
        "there are more indices than dimensions",
        "leave the last ones out",
    ),
    (
        lambda x: (x, 2.0, 3.0)[:1.5],
        "the bound of a slice is not a constant integer",
        "use a constant, so that it is known",
    ),
    (lambda x: max(*x), "what follows * is not a tuple", "write the arguments out"),
    (
        lambda x: np.zeros(3, foo=1)[0] * x,
        "np.zeros(): got an unexpected keyword argument 'foo'",
        "leave out what it does not take",
    ),
    (lambda x: (x, 1.0)[5], "tuple index out of range", "use an index of its items"),
    (
        lambda x: next(((v, 1.0) for v in (x, -x) if v > 0), 1.0)[0],
        "the value has values of different types on the paths that reach this line",
        "give a default of the same sort",
    ),
    (store_three, "there are more indices than dimensions", "leave the last ones out"),
    (
        list_item_sorts,
        "'a[1]' has values of different types on the paths that reach this line",
        "give it a value, of one length, on every path",
    ),
    (
        reshape_order,
        "reshape() of a tuple or an array is not understood with these arguments",
        "leave them out, or write a loop",
    ),
    (
        lambda n: ("a", "b")[n],
        "the result is a string, not a number",
        "return numbers; make text of them after the call",
    ),
    (
        lambda x: tuple([x + k for k in range(300)])[int(x)],
        "an index that depends on values is understood in constants, and in tuples of 1 to 256 numbers or of tuples of such",
        "pass what is looked up as an operand",
    ),
    (list_sort_args, "pop() of a list: pop index out of range", "give what it takes"),
    (
        list_item_sum,
        "'a[1]' has values of different types on the paths that reach this line",
        "give it a value, of one length, on every path",
    ),
    (
        divides_list,
        "this operator of a list whose length depends on values is not understood",
        "write a loop, or use sets",
    ),
    (
        changes_what_it_goes_over,
        "a list whose length depends on values is changed by the loop that goes over it",
        "go over a copy, e.g. list(values), or write a `while` loop",
    ),
    (
        assigns_slice,
        "part of an item, or a slice, of a list whose length depends on values is assigned",
        "assign an item",
    ),
    (
        appends_pair,
        "a list whose length depends on values has items of several forms",
        "keep numbers, or tuples of one length",
    ),
    (
        appends_named,
        "a list that has a name is put into a list whose length depends on values",
        "put in a tuple of its items",
    ),
    (
        appends_lists,
        "a list of the loop has 1 items on one of the paths that reach this line, 0 on another",
        "append numbers, or tuples: xs.append((x, y))",
    ),
    (
        lambda n: len([1.0, 2.0] * n),
        "as often as a value says only one number is repeated",
        "write a loop",
    ),
    (
        lambda n: np.array([1.0, 2.0])[n:][0],
        "a bound of a slice of an array depends on values",
        "use a list",
    ),
    (
        lambda n: [][:n][0],
        "an entry of a list that is always empty is read",
        "give it items",
    ),
    (
        lambda x: np.linalg.norm(np.array([[x, 1.0], [1.0, x]]), 1),
        "the norm of a matrix has an order or an axis",
        "leave them out",
    ),
]
