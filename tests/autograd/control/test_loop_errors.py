"""Errors of loops and branches: what is wrong, and what to do."""

import pytest

import nbgraph as ng

E = ng.errors
WRONG = {
    "shape": (
        lambda: ng.scan(lambda h, x: (ng.stack([h, x]), None), 0.0, ng.ones(3)),
        E.ShapeError,
        r"carry after a step is float32\[2\], but float32\[\] is expected",
    ),
    "dtype": (
        lambda: ng.scan(lambda h, x: (h.astype("int32"), None), ng.ones(2), ng.ones(3)),
        E.DTypeError,
        "carry after a step is int32",
    ),
    "structure": (
        lambda: ng.scan(lambda h, x: ((h, h), None), 0.0, ng.ones(3)),
        E.ArgumentError,
        "carry that the body returns has the structure",
    ),
    "pair": (lambda: ng.scan(lambda h, x: h, 0.0, ng.ones(3)), E.ArgumentError, "return a pair"),
    "length": (
        lambda: ng.scan(lambda h, x: (h, x), 0.0, ng.ones(3), length=4),
        E.ShapeError,
        "3 parts along its first axis; expected 4",
    ),
    "lengths": (
        lambda: ng.scan(lambda h, x: (h, None), 0.0, (ng.ones(3), ng.ones(2))),
        E.ShapeError,
        r"xs\[1\] has 2 parts",
    ),
    "no length": (lambda: ng.scan(lambda h, x: (h, x), 0.0), E.ArgumentError, "give length="),
    "negative": (
        lambda: ng.scan(lambda h, x: (h, x), 0.0, length=-1),
        E.ArgumentError,
        "a whole number from 0 on",
    ),
    "no axes": (lambda: ng.scan(lambda h, x: (h, x), 0.0, 1.0), E.ShapeError, "xs has no axes"),
    "no array": (
        lambda: ng.scan(lambda h, x: (h, x), "a", ng.ones(3)),
        E.ArgumentError,
        "init is a str",
    ),
    "expression": (
        lambda: ng.while_loop(ng.any, ng.sin, ng.nodes.ExpressionGraph().param("x", (3,))),
        E.ArgumentError,
        "init_val is an Expr; choose by ng.where, repeat by ng.scan, or read its value",
    ),
    "random": (
        lambda: ng.while_loop(lambda x: x < 3, lambda x: x + ng.random.normal(size=()), 0.0),
        E.ArgumentError,
        "draw before the loop",
    ),
    "test": (
        lambda: ng.while_loop(lambda x: x, lambda x: x, ng.ones(2)),
        E.ArgumentError,
        "has to return one bool",
    ),
    "branches' shapes": (
        lambda: ng.cond(True, lambda x: x, lambda x: x[0], ng.ones(2)),
        E.ShapeError,
        r"result 0 of <lambda> is float32\[2\], but float32\[\] is expected",
    ),
    "branches' dtypes": (
        lambda: ng.cond(True, lambda x: x, lambda x: x > 0, ng.ones(2)),
        E.DTypeError,
        "is expected",
    ),
    "branches' structures": (
        lambda: ng.cond(True, lambda x: (x, x), lambda x: x, ng.ones(2)),
        E.ArgumentError,
        "return the same structure",
    ),
    "pred": (
        lambda: ng.cond(ng.ones(2), lambda: 1.0, lambda: 2.0),
        E.ArgumentError,
        r"pred is float32\[2\]; give one bool",
    ),
    "index": (lambda: ng.switch(0.5, [lambda: 1.0]), E.ArgumentError, "give one integer"),
    "no branches": (lambda: ng.switch(0, []), E.ArgumentError, "give one function or more"),
    "no function": (lambda: ng.scan(3, 0.0, ng.ones(3)), E.ArgumentError, "int is not a function"),
    "fori_loop's arguments": (
        lambda: ng.fori_loop(0, 3, lambda x: x, ng.ones(3)),
        E.ArgumentError,
        r"fori_loop: body_fun\(i, value\) is called, but the function takes \(x\)",
    ),
    "while_loop's arguments": (
        lambda: ng.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x), (0, 1.0)),
        E.ArgumentError,
        r"cond_fun\(value\) is called, .* \(i, x\); values that belong together are one argument",
    ),
    "scan's arguments": (
        lambda: ng.scan(lambda carry: carry, 0.0, ng.ones(3)),
        E.ArgumentError,
        r"scan: f\(carry, x\) is called, but the function takes \(carry\)",
    ),
    "a branch's arguments": (
        lambda: ng.cond(True, lambda: 1.0, lambda x: x, ng.ones(3)),
        E.ArgumentError,
        r"cond: true_fun\(operand\) is called, but the function takes \(\)",
    ),
    "traced function": (
        lambda: ng.jit(lambda x: ng.cond(x > 0, x, x))(ng.ones(())),
        E.ArgumentError,
        "cond: an array is not a function; give the function itself",
    ),
    # an array of two elements is not a pair
    "MXNet's pair": (
        lambda: ng.nd.contrib.foreach(lambda x, h: x + h, ng.ones((3, 2)), ng.array(0.0)),
        E.ArgumentError,
        "foreach: body returned one array; return a pair: the result of the step",
    ),
    "MXNet's triple": (
        lambda: ng.nd.contrib.foreach(lambda x, h: (x, h, h), ng.ones(3), ng.array(0.0)),
        E.ArgumentError,
        "foreach: body returned 3 values; return a pair",
    ),
    "MXNet's lengths": (
        lambda: ng.nd.contrib.foreach(lambda x, h: (x, h), [ng.ones(3), ng.ones(2)], ng.ones(2)),
        E.ShapeError,
        r"foreach: data\[1\] has 2 parts along its first axis; expected 3",
    ),
    "MXNet's body": (
        lambda: ng.nd.contrib.foreach(3, ng.ones(3), ng.ones(2)),
        E.ArgumentError,
        "foreach: int is not a function",
    ),
    "MXNet's limit": (
        lambda: ng.nd.contrib.while_loop(lambda i: i < 3, lambda i: (i, [i]), [ng.ones(1)], None),
        E.ArgumentError,
        "while_loop: max_iterations=None; expected a whole number",
    ),
    "MXNet's step": (
        lambda: ng.nd.contrib.while_loop(lambda i: i < 3, lambda i: i, [ng.ones(1)], 2),
        E.ArgumentError,
        "while_loop: func returned one array; return a pair",
    ),
    "unknown steps": (
        lambda: ng.sym.contrib.foreach(lambda x, h: (ng.dropout(x), h), ng.var("x"), ng.ones(1)),
        E.ArgumentError,
        "applies dropout.*name the number of steps by a shape",
    ),
}


@pytest.mark.parametrize(
    "f", [lambda i, x: x, lambda *both: both[1], lambda i, x, k=1: x, lambda i, x, *, k=1: x]
)
def test_functions_that_take_the_arguments_are_called(f):
    assert float(ng.fori_loop(0, 3, f, ng.array(5.0))) == 5


@pytest.mark.parametrize("name", WRONG)
def test_errors_say_what_is_wrong_and_what_to_do(name):
    call, kind, words = WRONG[name]
    with pytest.raises(kind, match=words):
        call()
