"""Functions that users compile themselves: lazily, without the GIL, usable in one another."""

import numba
import numpy as np
import pytest

from nbgraph.errors import ArgumentError
from nbgraph.kernels.compiler.handwritten import (
    Compiled,
    compiled,
    is_cuda,
    is_dispatcher,
    python_function,
    without_gil,
)
from tests.support import run_python


@compiled
def half(x):
    """Half."""
    return x / 2


@compiled
def halves(x, out):
    for i in range(x.size):
        out[i] = half(x[i])


def test_compiled_functions_call_each_other_and_are_called_by_the_users_own():
    out = np.empty(3)
    halves(np.arange(3.0), out)
    assert out.tolist() == [0, 0.5, 1]
    assert numba.njit(lambda x: half(x) + 1)(4.0) == 3.0
    assert (half.__name__, half.__doc__) == ("half", "Half.")
    assert half.dispatcher.targetoptions["nogil"]


def test_numba_is_loaded_by_the_first_call_alone():
    code = (
        "import sys; from nbgraph.kernels.compiler.handwritten import compiled; "
        "f = compiled(lambda x: x + 1); print('numba' in sys.modules); "
        "print(f(1), 'numba' in sys.modules)"
    )
    assert run_python("-c", code).split() == ["False", "2", "True"]


def test_what_is_compiled_is_told_by_its_looks():
    plain = lambda x: x  # noqa: E731
    assert [is_dispatcher(f) for f in (plain, half, numba.njit(plain), 3)] == [
        False,
        True,
        True,
        False,
    ]
    assert not any(is_cuda(f) for f in (plain, half, numba.njit(plain), 3))
    assert python_function(numba.njit(plain)) is plain
    assert python_function(plain) is None


def test_options_of_the_user_are_kept_and_parallel_is_refused():
    given = numba.njit(fastmath=True)(lambda x: x + 1)
    made = without_gil("f", given)
    assert isinstance(made, Compiled)
    assert made.dispatcher.targetoptions["fastmath"]
    ready = numba.njit(nogil=True)(lambda x: x + 1)
    assert without_gil("f", ready) is ready
    assert without_gil("f", half) is half
    with pytest.raises(ArgumentError, match="f: .* parallel=True"):
        without_gil("f", numba.njit(parallel=True)(lambda x: x))
