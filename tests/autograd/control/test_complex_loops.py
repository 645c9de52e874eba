"""Gradients flow through complex values of loops, branches and mapped functions, in every mode."""

import numpy as np
import pytest

import nbgraph as ng

RNG = np.random.default_rng(1)


def numbers(*shape):
    return ng.array(RNG.normal(size=shape) + 1j * RNG.normal(size=shape))


Z, PARTS, W = numbers(3), numbers(4, 3), numbers(3, 3) * 0.4
X, WEIGHTS = ng.array(RNG.normal(size=3)), ng.array([1.0, 2.0, 3.0])


def step(c, part):
    return ng.sin(W @ c) * 0.5 + part


def steps(z, parts):
    for part in parts:
        z = step(z, part)
    return z


def counted(state):
    return state[0] + 1, step(state[1], PARTS[0])


# name -> (with a loop or a branch, the same without)
PAIRS = {
    "scan": (
        lambda z: ng.scan(lambda c, x: (step(c, x), None), z, PARTS)[0],
        lambda z: steps(z, PARTS),
    ),
    "fori_loop": (
        lambda z: ng.fori_loop(0, 3, lambda i, c: step(c, z), z),
        lambda z: steps(z, [z] * 3),
    ),
    "while_loop": (
        lambda z: ng.while_loop(lambda s: s[0] < 2, counted, (0, z), max_iterations=3)[1],
        lambda z: steps(z, [PARTS[0]] * 2),
    ),
    "cond": (
        lambda z: ng.cond(ng.real(z).sum() > -99, lambda z: step(z, z), lambda z: z, z),
        lambda z: step(z, z),
    ),
    "checkpoint": (ng.checkpoint(lambda z: step(z, z)), lambda z: step(z, z)),
    "vmap": (ng.vmap(lambda z: ng.exp(z) * z), lambda z: ng.exp(z) * z),
}


def number(z):
    return (ng.real(z) * WEIGHTS).sum() + (ng.imag(z) ** 2).sum()


FORMS = {
    "gradient": lambda f: ng.grad(lambda z: number(f(z)))(Z),
    "jit": lambda f: ng.jit(ng.grad(lambda z: number(f(z))))(Z),
    "of real operands": lambda f: ng.grad(lambda x: number(f(x * (1 + 0.5j))))(X),
    "hessian": lambda f: ng.hessian(lambda x: number(f(x * (1 + 0.5j))))(X),
    "forward": lambda f: ng.jvp(f, (Z,), (PARTS[0],))[1],
    "examples": lambda f: ng.vmap(ng.grad(lambda z: number(f(z))))(PARTS),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", PAIRS)
def test_gradients_are_those_of_the_unrolled_program(name, form):
    found, wanted = map(FORMS[form], PAIRS[name])
    assert found.dtype == wanted.dtype and np.abs(wanted.asnumpy()).max() > 0.1
    np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), 1e-10, 1e-10)


def test_a_loop_that_ends_by_its_test_has_derivatives_forward():
    looped = lambda z: ng.while_loop(lambda s: s[0] < 2, counted, (0, z))[1]  # noqa: E731
    found, wanted = (ng.jvp(f, (Z,), (PARTS[0],))[1] for f in (looped, PAIRS["while_loop"][1]))
    np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), 1e-10)
