"""Refused expressions: the function, what the message says is wrong, and what to write."""

# ruff: noqa: E501, F821, NPY002, PIE804, PLW0108 - refused code

import cmath
import collections
import dataclasses
import functools
import math
import operator
import random
from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats

import nbgraph as ng

FROZEN = stats.norm(0.0, 1.0)

SINE = ng.op(lambda x: math.sin(x))


class Above:
    def __init__(self, value):
        self.value = value

    @property
    def missing(self):
        return super().nothing


def keeps_an_exception(x):
    error = ValueError("negative")
    if x < 0:
        raise error
    return x


def joined_lists(x):
    if x > 0:
        a = np.array([x])
    else:
        a = np.array([x, x])
    return a[0]


def shorter_lists(x, n=3):
    def last(values):
        return values[0] if len(values) < 2 else last(values[1:])

    return last([x * k for k in range(n)])


@functools.cache
def cached_paths(m, n):
    return 1 if m < 1 or n < 1 else cached_paths(m - 1, n) + cached_paths(m, n - 1)


def paths_kept(m, n):
    return cached_paths(m, n)


def _helper(y):
    return y


def _rec_list(a, n):
    if n < 1:
        return 0.0
    a[0] = a[0] + n
    return _rec_list(a, n - 1) + 1.0


def recursive_list(x):
    a = [x]
    return _rec_list(a, x) + a[0]


def list_attribute(x):
    a = [x]
    return a.foo


def one_path(x):
    if x > 0:
        y = (x, 1.0)
    else:
        y = x
    return y + 1.0


def local_name(x):
    x = x + y
    y = 1.0
    return x + y


def nested_decorated(x):

    @functools.singledispatch
    def inner(y):
        return y

    return inner(x)


def awaits(x):
    return (yield x) + 1


@dataclass(eq=False)
class Itself:
    value: float


def sets_key(x):
    entries = {"a": 1.0}
    entries[x] = 2.0
    return x


def sets_another(x):
    entries = {1: 1.0, "a": "b"}
    entries[int(x)] = "a"
    return x


def pops_key(x):
    entries = {"a": x}
    entries.setdefault(x, 2.0)
    return x


REFUSALS = [
    (sets_key, "a key of the dict depends on values", "use a list, or constant keys"),
    (
        sets_another,
        "the value has values of different types on the paths that reach this line",
        "assign a value like the one before",
    ),
    (pops_key, "setdefault() of a dict with these arguments", "write the assignments"),
    (
        lambda x: dataclasses.replace(x, value=1.0),
        "replace() takes an object and new values of its attributes",
        "name them",
    ),
    (
        lambda x: {"a": x} == {"a": 1.0},
        "this comparison is not understood",
        "compare numbers, sets, tuples or lists with <, <= or ==",
    ),
    (lambda x: {"value": x}, "the result is a dict, not a number", "return its values as a tuple"),
    (
        lambda x: Itself(x) == Itself(x),
        "objects of Itself are equal to themselves alone",
        "compare their attributes",
    ),
    (
        lambda x: np.exp(x, dtype=float),
        "np.exp() knows no keyword 'dtype' here",
        "give numbers by position; dtype= and out= belong to the call of the operator",
    ),
    (
        lambda x: math.exp((x, x)),
        "math.exp() takes numbers, and not all arguments are",
        "give numbers",
    ),
    (
        lambda x: min(x),
        "min() takes at least 2 arguments, not 1",
        "give as many numbers, or min() and max() a tuple",
    ),
    (lambda x: np.finfo(x).eps, "np.finfo() needs constants", "compute it before the call"),
    (lambda x: math.exp(x, x), "math.exp() takes 1 argument, 2 were given", "give as many numbers"),
    (lambda x: math.gcd(int(x), 2.0), "gcd() is for integers", "make them integers with int()"),
    (
        lambda x: float("one") * x,
        "float('one'): could not convert string to float: 'one'",
        "check the arguments",
    ),
    (
        lambda x: math.floor(x * 1j),
        "math.floor() is called with a complex number",
        "use z.real, z.imag or abs(z) where one number is needed, and cmath for functions of z",
    ),
    (
        lambda x: cmath.exp("a") * x,
        "cmath.exp() is called with what is not a number",
        "use z.real, z.imag or abs(z) where one number is needed, and cmath for functions of z",
    ),
    (
        lambda x: operator.add(x * 1j),
        "operator.add() takes 2 numbers, not 1",
        "give as many numbers",
    ),
    (
        lambda x: complex(x, (x, x)).real,
        "complex() takes a real and an imaginary part",
        "give two numbers",
    ),
    (
        lambda x: cmath.exp(x, y=1.0).real,
        "cmath.exp(): got an unexpected keyword argument 'y'",
        "give the arguments that it takes",
    ),
    (lambda x: complex("a").real * x, "'a' is not a complex number", "give two numbers"),
    (lambda x: stats.norm.pdf() * x, "a method of a distribution takes a number", "give x, k or q"),
    (lambda x: FROZEN(0.0).pdf(x), "norm has its parameters already", "call one of its methods"),
    (
        lambda x: stats.norm.fit(x),
        "the function 'fit' of scipy.stats cannot be captured here (line 463 of its text in fit(), `kwds.pop('floc', None)`: a list or an array that is not made here would be changed)",
        "write its formula as a plain Python helper, or compute it before the call and pass the result as an operand",
    ),
    (lambda x: stats.norm.pdf((x, x)), "the arguments are not all numbers", "give numbers"),
    (
        lambda x: stats.gamma.pdf(x),
        "the distribution takes a, loc, scale; a is missing",
        "give its shapes, then loc and scale",
    ),
    (
        joined_lists,
        "'a' has 1 items on one of the paths that reach this line, 2 on another",
        "give 'a' a value on every path",
    ),
    (
        lambda x: x if "a" - "b" else 0.0,
        "this operation of strings is not understood",
        "join strings with +",
    ),
    (
        lambda x: x if "abc".index("z") else 0.0,
        "'abc'.index('z'): substring not found",
        "check the arguments",
    ),
    (
        lambda x: x if "a" * "b" else 0.0,
        "can't multiply sequence by non-int of type 'str'",
        "check the types",
    ),
    (lambda x: "a" + x, "a number is needed here, this is 'a'", "use a number"),
    (
        paths_kept,
        "cached_paths() calls itself in a way that is not a loop",
        "write a `while` loop; recursion is understood where the calls lower one operand by constants, where one call is made on each path, or where no cache keeps results, and where some path makes no call",
    ),
    (
        shorter_lists,
        "last() calls itself in a way that is not a loop",
        "write a `while` loop; recursion is understood where the calls lower one operand by constants, where one call is made on each path, or where no cache keeps results, and where some path makes no call",
    ),
    (
        lambda x: np.interp(x),
        "the function 'np.interp' is known for a tuple, a list or an array only",
        "use if / elif / else; constants to choose from may stand in a tuple",
    ),
    (lambda n: math.gcd(n, 1.5), "gcd() is for integers", "make them integers with int()"),
    (
        lambda n: math.comb(n),
        "math.comb(): missing a required argument: 'k'",
        "give the arguments that it takes",
    ),
    (lambda x: np.asarray(x, dtype=str), "the dtype str is not one of real numbers", "use float"),
    (
        lambda x: 1.0 if isinstance((x, x), list) else x,
        "whether a sequence is a tuple or a list is not kept here",
        "ask for both: isinstance(x, (tuple, list))",
    ),
    (
        keeps_an_exception,
        "the function 'ValueError' is not known to scalar functions",
        "use math, NumPy's scalar functions, another operator, or write a plain Python helper",
    ),
    (
        lambda x: hash(x),
        "the function 'hash' is not known to scalar functions",
        "use math, NumPy's scalar functions, another operator, or write a plain Python helper",
    ),
    (
        lambda x: np.linalg.eigvals(x),
        "the function 'np.linalg.eigvals' is not known to scalar functions",
        "an operand is one number here: write the formula of one element, and apply functions of whole arrays to the operator's result",
    ),
    (
        lambda x: x + random.gammavariate(x, 1.0),
        "random.gammavariate() cannot be drawn here",
        "use random, uniform, normal, exponential, lognormal, triangular, choice or integers, or draw before the call, by ng.random, and give the numbers as an operand",
    ),
    (
        lambda x: x + np.random.normal(0.0, 1.0, 3)[0],
        "np.random.normal() draws one number for each element here",
        "leave the size out; draw several numbers in a loop",
    ),
    (
        lambda x: x + np.random.randint(x * 1.5),
        "np.random.randint() takes integers, here it has a floating value",
        "give integers, e.g. int(n)",
    ),
    (
        lambda x: SINE.derivative(x)(x),
        "SINE.derivative() takes constants here",
        "make the operator before",
    ),
    (
        lambda x: SINE.derivative("y")(x),
        "SINE.derivative(): function.derivative: there is no operand or parameter 'y'; choose one of x or an index below 1",
        "make the operator before",
    ),
    (lambda x: SINE.explain() * x, "SINE.explain() makes no operator", "call it outside"),
    (
        lambda x: math.exp(**{"x": x}),
        "math.exp() knows no keyword 'x' here",
        "give numbers by position; dtype= and out= belong to the call of the operator",
    ),
    (lambda x: x(2), "a number is called like a function", "check the name"),
    (
        lambda x: functools.partial(x, 1)(),
        "the first argument of partial() is not a function",
        "write partial(function, value)",
    ),
    (
        lambda x: _helper(x, 1.0, 2.0),
        "_helper(): too many positional arguments",
        "match the helper's signature",
    ),
    (
        recursive_list,
        "_rec_list() calls itself in a way that is not a loop (line N: _rec_list() calls itself and changes a list)",
        "write a `while` loop; recursion is understood where the calls lower one operand by constants, where one call is made on each path, or where no cache keeps results, and where some path makes no call",
    ),
    (
        lambda x: 1.0 if x in x else 0.0,
        "this comparison is not understood",
        "compare numbers, sets, tuples or lists with <, <= or ==",
    ),
    (
        lambda x: 1.0 if (x, 1.0) < [1.0, x] else 0.0,
        "this comparison is not understood",
        "compare numbers, sets, tuples or lists with <, <= or ==",
    ),
    (
        lambda x: len({x} + {1.0}),
        "{x} + {1.0}: Python has no such operator of sets",
        "use list(values)",
    ),
    (
        lambda x, y: 1.0 if x * 1.5 is y * 1.5 else 0.0,
        "which values are one object is not defined",
        "compare with ==",
    ),
    (
        lambda x: 1.0 if x < "a" else 0.0,
        "this comparison of a number with 'a' is not understood",
        "give numbers, or use == or !=",
    ),
    (
        lambda x: 1.0 if x * 1j < 2j else 0.0,
        "complex numbers have no order",
        "compare z.real, z.imag or abs(z)",
    ),
    (lambda x: x + None, "a number is needed here, this is None", "use a number"),
    (
        lambda x: x // 1j,
        "floordiv is not defined for complex numbers (as in Python)",
        "convert the value first, e.g. with float() or int()",
    ),
    (lambda x, y: x @ y, "a matrix product of numbers", "multiply them by *"),
    (
        lambda x: (int(x) * 2**63 ^ 5) >> 3,
        "int(x) * 2 ** 63 has more than 64 bits",
        "write `& (2**64 - 1)` behind it for the lower 64 bits, or use float(x)",
    ),
    (
        list_attribute,
        "a tuple of values has no attribute 'foo' here (a list is one, too)",
        "name each value, or build the tuple at once",
    ),
    (
        lambda x: x.foo,
        "an operand is one number and has no attribute 'foo' here",
        "write the scalar formula; the loop over the array is made for you",
    ),
    (
        lambda x: x if x > 0 else "none",
        "the value has values of different types on the paths that reach this line",
        "give both branches one type",
    ),
    (
        lambda x: x[0],
        "x is one number here and cannot be indexed",
        "write the scalar formula; neighbouring elements are reached by passing shifted views as further operands",
    ),
    (
        lambda x: {x: "a"}[0],
        "a dict whose keys depend on values holds what is not a number",
        "use numbers, digits, or tuples of these as keys and as values",
    ),
    (
        lambda x: {x: 1.0}.update({1: x}),
        "update() of a dict whose keys depend on values",
        "write the assignments",
    ),
    (
        lambda x: collections.defaultdict(list)[x],
        "the values of a defaultdict are not numbers",
        "write defaultdict(int)",
    ),
    (
        one_path,
        "'y' has values of different types on the paths that reach this line",
        "give 'y' a value on every path",
    ),
    (
        lambda x: x * undefined_name,
        "the name 'undefined_name' is not defined",
        "define it before it is used",
    ),
    (local_name, "the name 'y' is not defined", "give 'y' a value first"),
    (lambda x: math.sqroot(x), "module 'math' has no attribute 'sqroot'", "check the spelling"),
    (
        lambda x: (x, 1.0)[0][0] if False else ((x, 1.0), 2.0)[1][0],
        "((x, 1.0), 2.0)[1] is one number here and cannot be indexed",
        "write the scalar formula; neighbouring elements are reached by passing shifted views as further operands",
    ),
    *(
        (
            function,
            f"the function {name!r} is not known to scalar functions",
            "an operand is one number here: write the formula of one element, and apply functions of whole arrays to the operator's result",
        )
        for function, name in (
            (lambda x: ng.sum(x), "ng.sum"),
            (lambda x: ng.softmax(x, axis=0) * 2, "ng.softmax"),
            (lambda x: ng.concatenate([x, x]), "ng.concatenate"),
        )
    ),
    (lambda x: np.gcd(x, 2.0), "gcd() is for integers", "make them integers with int()"),
    (
        lambda x: np.iinfo(float).max + x,
        "np.iinfo(float): Invalid integer data type 'f'.",
        "check the arguments",
    ),
    (
        lambda x: stats.poisson.ppf(x, 2.0),
        "poisson.ppf() is not known to scalar functions",
        "use cdf, sf, logcdf, logsf, pmf, logpmf",
    ),
    (
        lambda x: stats.norm.pmf(x),
        "norm.pmf() is not known to scalar functions",
        "use pdf, logpdf, cdf, sf, logcdf, logsf, ppf, isf",
    ),
    (lambda x: stats.gamma.pdf(x, (x, x)), "the arguments are not all numbers", "give numbers"),
    (
        lambda x: (x > 0 and (x, 1.0))[0],
        "the value has values of different types on the paths that reach this line",
        "write `a if condition else b`",
    ),
    (
        lambda x: optimize.newton(lambda t: (t, t), x),
        "the function gives no number",
        "return one number",
    ),
    (
        lambda x: x.dtype.foo,
        "the dtype of a number has no attribute 'foo' here",
        "check the spelling",
    ),
    (
        lambda x: type(x).foo,
        "the type of a number has no attribute 'foo' here",
        "check the spelling",
    ),
    (
        lambda n: bin(n).title,
        "a string of digits has no attribute 'title' here",
        "write a loop over them",
    ),
    (
        lambda n: str(int(n)).rjust(9),
        "rjust() of digits with these arguments",
        "write a loop over them",
    ),
    (
        lambda x: Above(x).missing,
        "'super' object has no attribute 'nothing'",
        "check the spelling",
    ),
    (
        lambda n: int(bin(int(n))[1]),
        "the sign and the prefix of bin(), oct() and hex() are characters",
        "use bin(n)[2:]",
    ),
    (
        lambda x: int(str(x + 0.5)[0]),
        "the digits of a floating value are not understood",
        "make it an integer with int()",
    ),
    (
        lambda x: sum(int(c) for c in str(x + 0.5)),
        "the digits of a floating value are not understood",
        "make it an integer with int()",
    ),
    (
        lambda n: n + list(range(3000))[5],
        "more than 1024 items are listed",
        "write a `for` loop",
    ),
    (lambda x: {"a": 1.0} + x, "a number is needed here, this is a dict", "use a number"),
    (
        lambda x: x + x.dtype,
        "a number is needed here, this is the dtype of a number",
        "use a number",
    ),
    (
        nested_decorated,
        "a decorator of a nested function is not understood",
        "leave it out, or define the function outside",
    ),
    (
        lambda x: math.exp(**x),
        "what follows ** is not a dict whose keys are names",
        "write the arguments out",
    ),
    (lambda x: {**x, "a": 1.0}["a"], "what follows ** is not a dict", "write the items out"),
    (
        awaits,
        "this expression is not understood in a scalar function",
        "write a plain function that returns numbers, several of them as a tuple",
    ),
    (
        lambda x: np.iinfo(3.5).max + x,
        "Invalid integer data type 'f'.",
        "give a number, or text such as 'inf' or 'nan'",
    ),
    (lambda x: stats.norm.pdf("a") + x, "the arguments are not all numbers", "give numbers"),
]
