"""What a scalar function may not use is refused with function, file, line, construct, remedy."""

# ruff: noqa: PTH123, PLW0602 - refused code

import inspect
import math
import re
import textwrap
import types

import numpy as np
import pytest
from scipy import optimize

import nbgraph as ng
from nbgraph.errors import CaptureError

PHASES = np.array(["new", "full"])
LIST = [1.0, 2.0]


def comprehension(x):
    return [k for k in (x, 1.0) if k > 0] - 1.0  # here


def generator(x, n):
    return dict.fromkeys(range(n), x)[0]  # here


def unknown_function(x):
    return sorted(x)  # here


def undefined_name(x):
    return x * undefined_thing  # noqa: F821  # here


def defined_in_a_loop(x):
    n = x
    while n > 1:
        n = n / 2 if n > 4 else n - last  # noqa: F821  # here
        last = n
    return n


def bare_return(x):
    return  # here


def array_global(x):
    return x * PHASES[0]  # here


def indexes_operand(x):
    return x[0] + x[1]  # here


def string_arithmetic(x):
    return x + "1"  # here


def formats(x):
    return f"{x}"  # here


def recursion(m, n):
    return recursion(m - 1, recursion(m, n - 1))  # here


def yields(x):
    yield x  # here


def complex_result(x):
    return x * 2j  # here


def attribute_of_operand(x):
    return x.sum()  # here


def assigns_subscript(x):
    LIST[0] = x  # here
    return x


def adds_to_subscript(x):
    LIST[0] += x  # here
    return x


def assigns_attribute(x):
    math.tau = x  # here
    return x


def opens(x):
    with open("f"):  # here
        return x


def nested_function(x):
    @np.vectorize  # here
    def inner(y):
        return y

    return inner(x)


def appends(x):
    LIST.append(x)  # here
    return LIST[0]


def gcd_of_floats(x):
    return math.gcd(int(x), 2.0)  # here


def outer_names(x):
    return max(map(lambda y: y * unknown_scale, (x, 1.0)))  # noqa: F821, C417  # here


def changes_nothing(x):
    while x > 0:  # here
        y = x  # noqa: F841
    return x


def never_ends(x):
    while True:  # here
        x += 1


def reduces(x):
    return np.sum(x)  # here


def draws(x):
    return x + np.random.vonmises(0.0, x)  # noqa: NPY002  # here


def uses_global(x):
    global LIST  # here
    LIST = x
    return x


def matches(x):
    match x:
        case float():  # here
            return 2.0
    return x


def matmul(x, y):
    return x @ y  # here


def float_range(x):
    total = 0.0
    for k in range(0.5 * x):  # here
        total += k
    return total


def loops_over_operand(x):
    for v in x:  # here
        return v
    return 0.0


def loop_changes_type(x):
    y = 0.0
    while x > 1:  # here
        y = (x, x)
        x = x / 2
    return x


def star_call(x):
    return max(*x)  # here


def keyword_of_function(x):
    return np.exp(x, dtype=float)  # here


def too_many_arguments(x):
    return math.exp(x, x)  # here


def bits_of_float(x):
    return x * 1.5 & 3  # here


def mixed_types(x):
    return x if x > 0 else "none"  # here


def dict_literal(x):
    return {x: "a"}[0]  # here


def tuple_index(x):
    return (1.0, 2.0)[1.5 * x]  # here


def calls_number(x):
    return x(2)  # here


def returns_module(x):
    return math


def star_args(*xs):
    return xs[0]


async def waits(x):
    return x


def helper_that_opens(y):
    return open(y)  # here, not at the call


def calls_bad_helper(x):
    return helper_that_opens(2 * x)


HERE = {  # function -> what the message says about the construct
    comprehension: "length depends", generator: "how many",
    unknown_function: "'sorted'", undefined_name: "'undefined_thing' is not defined",
    defined_in_a_loop: "'last'", bare_return: "no path returns", array_global: "<U4",
    indexes_operand: "indexed", string_arithmetic: "'1'", formats: "string",
    recursion: "recursion() calls itself", yields: "plain function",
    complex_result: "z.real, z.imag",
    attribute_of_operand: "'sum'", assigns_subscript: "not made here",
    adds_to_subscript: "not made here",
    assigns_attribute: "names", opens: "with",
    nested_function: "nested function", appends: "not made here",
    gcd_of_floats: "integers", outer_names: "'unknown_scale'",
    changes_nothing: "changes no variable",
    never_ends: "never ends",
    reduces: "of whole arrays", draws: "ng.random",
    uses_global: "global", matches: "pattern",
    matmul: "matrix", float_range: "range", loops_over_operand: "loop",
    loop_changes_type: "'y'", star_call: "*", keyword_of_function: "keyword",
    too_many_arguments: "argument", bits_of_float: "floating", mixed_types: "paths",
    dict_literal: "holds what is not a number", tuple_index: "index", calls_number: "called",
}  # fmt: skip


def marked_line(fn):
    lines, first = inspect.getsourcelines(fn)
    (line,) = [first + i for i, text in enumerate(lines) if "# here" in text]
    return line


@pytest.mark.parametrize("fn", HERE, ids=lambda fn: fn.__name__)
def test_a_refusal_names_place_construct_and_remedy(fn):
    with pytest.raises(CaptureError) as caught:
        ng.op(fn)
    message = str(caught.value)
    assert message.startswith(f"{fn.__name__}: ")
    assert f'File "{__file__}", line {marked_line(fn)}' in message, message
    assert HERE[fn] in message, message
    assert re.search(r"\nInstead: .{8,}\.$", message), message


def test_a_refusal_in_a_helper_names_the_helper():
    with pytest.raises(CaptureError, match="helper_that_opens") as caught:
        ng.op(calls_bad_helper)
    assert f"line {marked_line(helper_that_opens)}" in str(caught.value)


def finds_minimum(x):
    return optimize.minimize_scalar(lambda t: (t - x) ** 2).x  # here


def finds_golden_minimum(x):
    return optimize.golden(lambda t: (t - x) ** 2)  # here


def finds_fixed_point(x):
    start = math.sqrt(x)
    return optimize.fixed_point(lambda t: math.cos(t * x), start)  # here


def evaluates_polynomial(x):
    return np.polynomial.chebyshev.chebval2d(x, x, [[1.0, 2.0]])  # here


def wraps_text(x):
    if x > 0:
        return len(textwrap.wrap(x, 2))  # here
    return x


def helper_with_minimum(y):
    return 2.0 * optimize.golden(lambda t: t * y)  # here


def callback(t):
    return hash(t)  # here


LIBRARY = {  # function -> the library's function that its message names, and of which module
    finds_minimum: ("minimize_scalar", "scipy.optimize"),
    finds_golden_minimum: ("golden", "scipy.optimize"),
    finds_fixed_point: ("fixed_point", "scipy.optimize"),
    evaluates_polynomial: ("chebval2d", "numpy.polynomial.chebyshev"),
    wraps_text: ("wrap", "textwrap"),
}


@pytest.mark.parametrize("fn", LIBRARY, ids=lambda fn: fn.__name__)
def test_a_refusal_in_another_library_names_the_users_call(fn):
    name, module = LIBRARY[fn]
    with pytest.raises(CaptureError) as caught:
        ng.op(fn)
    message = str(caught.value)
    expected = f"{fn.__name__}: the function {name!r} of {module} cannot be captured here (line "
    assert message.startswith(expected)
    assert re.findall(r'File "(.*)", line (\d+)', message) == [(__file__, str(marked_line(fn)))]
    assert re.search(r"\nInstead: .{8,}\.$", message), message
    assert ("use one of bisect" in message) == (module == "scipy.optimize")


def test_a_library_called_by_a_helper_names_the_helpers_line():
    with pytest.raises(CaptureError, match=r"^helper_with_minimum: .*'golden'") as caught:
        ng.op(lambda x: helper_with_minimum(x) + 1.0)
    assert f'"{__file__}", line {marked_line(helper_with_minimum)}' in str(caught.value)


def test_a_callback_of_a_library_keeps_its_own_line():
    def root(x):
        return optimize.brentq(callback, 0.0, x)

    with pytest.raises(CaptureError, match="^callback: ") as caught:
        ng.op(root)
    assert f'"{__file__}", line {marked_line(callback)}' in str(caught.value)


def test_what_is_wrong_beside_a_range_is_told():
    def sums(x, n):
        total = 0.0
        for k in range(n):
            total += k * x.missing
        return total

    with pytest.raises(CaptureError, match="'missing'"):
        ng.op(sums)


def test_refusals_without_a_line():
    with pytest.raises(CaptureError, match="returns_module: the result is <module 'math'"):
        ng.op(returns_module)
    with pytest.raises(CaptureError, match=r"\*xs .*not understood(.|\n)*line \d+"):
        ng.op(star_args)
    with pytest.raises(CaptureError, match="an async function gives no number"):
        ng.op(waits)
    with pytest.raises(CaptureError, match="at least one operand"):
        ng.op(lambda: 1.0)
    with pytest.raises(CaptureError, match=r"default of operand 'y' is \[1\], neither a number"):
        ng.op(lambda x, y=[1]: x)  # noqa: B006
    with pytest.raises(CaptureError, match="default of operand 'y' is namespace.* from the module"):
        ng.op(lambda x, y=types.SimpleNamespace(a=1): x)
    with pytest.raises(CaptureError, match="a Python function is needed, not int"):
        ng.op(3)


def test_a_capture_error_is_a_type_error():
    assert issubclass(CaptureError, TypeError)
    assert issubclass(CaptureError, ng.errors.NbgraphError)


@pytest.mark.parametrize("name", ["out", "where", "dtype", "casting", "order", "self"])
def test_a_parameter_whose_name_calls_take_is_refused(name):
    home = {}
    exec(f"def scaled(x, *, {name}=2.0):\n    return x\n", home)
    with pytest.raises(CaptureError, match=rf"parameter '{name}' another name"):
        ng.op(home["scaled"])
