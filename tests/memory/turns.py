"""Loops that may not grow: each row of TURNS is one iteration of a loop that users write."""

import contextlib
import tempfile
import threading
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import nbgraph as ng

TURNS = {}


class Row(NamedTuple):
    """`make` makes what a loop uses and returns the function of one iteration. A long run has so
    many times fewer iterations as `cost` says; bounded caches are full, but for `bounded` blocks
    of memory, after `warm` iterations."""

    make: Callable
    cost: int = 1
    warm: int = 60
    bounded: int = 500


def turn(make=None, **options):
    """Put a row into the table, under the name of the function."""
    if make is None:
        return partial(turn, **options)
    TURNS[make.__name__] = Row(make, **options)
    return make


def data(*shape):
    return np.random.default_rng(0).random(shape, "float32")


# operators ----------------------------------------------------------------------------------------


@turn
def operators_with_other_constants():
    x = data(4)

    def once(i):
        c = 0.31 + 1e-7 * i
        ng.op(lambda x: c * x)(x)

    return once


@turn
def operators_in_closures():
    x = ng.array(data(4))

    def outer(c):
        def scaled(x):
            return c * x + 0.3 if x > c else x

        return ng.op(scaled)

    return lambda i: outer(0.31 + 1e-7 * i)(x)


@turn
def integer_constants():
    x = np.arange(4)
    return lambda i: ng.op(lambda x: x + i)(x)


@turn(cost=10)
def derivatives_of_closures():
    x = data(4)

    def once(i):
        c = 0.31 + 1e-7 * i
        ng.op(lambda x: c * x * x).derivative("x")(x)

    return once


@turn(cost=10)
def gradients_of_closures():
    x = ng.array(data(4))
    x.attach_grad()

    def once(i):
        c = 0.31 + 1e-7 * i
        scaled = ng.op(lambda x: c * x * x)
        with ng.autograd.record():
            y = scaled(x)
        y.backward()

    return once


@turn(bounded=30_000)
def parameters_of_operators():
    x = ng.array(data(4))
    scaled = ng.op(lambda x, *, c=1.0: c * x)
    return lambda i: scaled(x, c=0.31 + 1e-7 * i)


@turn
def globals_that_change():
    c, x = 0.31, data(4)
    scaled = ng.op(lambda x: c * x)

    def once(i):
        nonlocal c
        c = 0.31 + 1e-7 * i
        scaled(x)

    return once


@turn(cost=200, bounded=1_000)  # times of the last 10,000 certificates are kept
def explanations():
    x = data(4)

    def once(i):
        c = 0.31 + 1e-7 * i
        scaled = ng.op(lambda x: c * x)
        scaled(x)
        str(scaled.explain())

    return once


@turn(cost=10)
def operators_that_are_refused():
    def once(i):
        with contextlib.suppress(ng.errors.NbgraphError):
            ng.op(lambda x: x + unknown_name)  # noqa: F821

    return once


# functions and graphs -----------------------------------------------------------------------------


@turn(cost=10, warm=300)
def functions_traced_anew():
    x = ng.array(data(4))
    return lambda i: ng.jit(lambda x: ng.exp(x) * (0.31 + 1e-7 * i))(x)


@turn
def gradients_traced_anew():
    x = ng.array(data(4))
    return lambda i: ng.grad(lambda x: ng.sum(ng.exp(x) * (0.31 + 1e-7 * i)))(x)


@turn(cost=10, warm=300)
def graphs_bound_and_dropped():
    x = ng.array(data(4, 3))

    def once(i):
        symbol = ng.tanh(ng.var("x") * (0.31 + 1e-7 * i))
        executor = symbol.bind(args={"x": x})
        executor.forward()[0].asnumpy()

    return once


@turn(cost=10)
def graphs_trained_and_dropped():
    x, w = ng.array(data(4, 3)), ng.array(data(3, 2))

    def once(i):
        symbol = ng.sum(ng.tanh(ng.var("x") @ ng.var("w")))
        executor = symbol.bind(args={"x": x, "w": w}, args_grad={"w": ng.zeros((3, 2))})
        executor.forward(is_train=True)
        executor.backward()
        ng.waitall()

    return once


@turn
def executors_reshaped():
    symbol = ng.tanh(ng.var("x"))
    executor = symbol.simple_bind(x=(4, 3))

    def once(i):
        executor.reshape(x=(4 + i % 7, 3)).forward()[0].asnumpy()

    return once


@turn
def graphs_as_json():
    symbol = ng.tanh(ng.var("x") * 0.31)
    return lambda i: ng.load_json(symbol.tojson())


@turn
def symbols_named_by_turn():
    return lambda i: ng.tanh(ng.var(f"x{i}")).named(f"y{i}")


@turn
def recordings():
    x = ng.array(data(4))
    x.attach_grad()

    def once(i):
        with ng.autograd.record():
            y = ng.sum(ng.exp(x) * x)
        y.backward()

    return once


# arrays -------------------------------------------------------------------------------------------


@turn
def exports_by_dlpack():
    def once(i):
        a = ng.ones((8,))
        np.from_dlpack(a)

    return once


@turn
def exports_of_one_array():
    a = ng.ones((8,))
    return lambda i: np.from_dlpack(a)


@turn
def capsules_that_nobody_takes():
    a = ng.ones((8,))
    return lambda i: a.__dlpack__()


@turn
def capsules_of_new_arrays():
    return lambda i: ng.ones((8,)).__dlpack__()


@turn
def exports_to_this_library():
    return lambda i: ng.from_dlpack(np.from_dlpack(ng.ones((8,)))) + 1


@turn
def imports_by_dlpack():
    x = data(8)
    return lambda i: ng.from_dlpack(x) + 1


@turn
def elements_set():
    a = ng.zeros((8, 8))

    def once(i):
        a[i % 8] = i
        a[i % 8, 3] = 0.5 * i

    return once


@turn(bounded=2_000)
def parts_set():
    a, row = ng.zeros((8, 8)), data(8)

    def once(i):
        a[i % 8] = row
        a[:, i % 8] = ng.array(row)

    return once


@turn(bounded=20_000)
def parts_set_at_many_places():
    a = ng.zeros((100_001,))

    def once(i):
        a[i % 100_000] = i

    return once


@turn(bounded=20_000)
def parts_read_at_many_places():
    a = ng.zeros((100_001,))
    return lambda i: a[i % 100_000] + a[i % 90_000 : i % 90_000 + 7].sum()


@turn
def masks():
    a, mask = ng.array(data(64)), data(64) > 0.5

    def once(i):
        a[mask].asnumpy()
        a[a > 0.3 + 1e-7 * i]
        a[mask] = 0.5

    return once


@turn
def rows_by_index():
    a = ng.array(data(64, 3))
    return lambda i: a[ng.array([i % 64, 3, 5])].asnumpy()


@turn(bounded=1_000)
def chains_of_views():
    a = ng.array(data(4, 6))
    return lambda i: a.reshape((6, 4)).T[1:, ::2].reshape((-1,)) + 1


@turn
def copies_to_other_dtypes():
    a = ng.array(data(64))

    def once(i):
        a.astype(("float64", "float16", "int32")[i % 3]).astype("float32").copyto(a)

    return once


@turn
def arrays_of_other_shapes():
    return lambda i: ng.zeros((1 + i % 50,)) + 1


@turn
def random_draws():
    def once(i):
        ng.random.normal(size=(32,))
        ng.random.randint(0, 9, (5,))

    return once


@turn
def seeds():
    def once(i):
        ng.random.seed(i)
        ng.random.uniform(size=(3,))

    return once


@turn(cost=10)
def files():
    a = ng.array(data(64))

    def once(i):
        with tempfile.TemporaryDirectory() as folder:
            ng.save(Path(folder) / "a", {"a": a})
            ng.load(Path(folder) / "a")

    return once


@turn
def text_of_arrays():
    a = ng.array(data(8))
    return lambda i: repr(a)


@turn
def numpy_functions():
    a, x = ng.array(data(8)), data(8)
    return lambda i: np.add(a, x).asnumpy() + np.sum(a).asnumpy()


@turn
def arrays_on_an_emulated_gpu():
    x = data(64)

    def once(i):
        a = ng.array(x, device=ng.gpu(0))
        (a * (0.31 + 1e-7 * i) + 1).asnumpy()

    return once


# engine -------------------------------------------------------------------------------------------


@turn
def variables():
    def once(i):
        v = ng.engine.new_variable()
        ng.engine.push(lambda run_ctx: None, mutate_vars=[v])
        ng.engine.delete_variable(v)

    return once


@turn
def variables_that_are_dropped():
    return lambda i: ng.engine.new_variable()


@turn
def functions_pushed_and_waited_for():
    v = ng.engine.new_variable()

    def once(i):
        ng.engine.push(lambda run_ctx: None, mutate_vars=[v])
        ng.engine.wait_for_var(v)

    return once


@turn
def pushes_that_fail():
    def once(i):
        v = ng.engine.new_variable()

        def fails(run_ctx):
            raise ValueError(f"turn {i}")

        ng.engine.push(fails, mutate_vars=[v])
        with contextlib.suppress(ValueError):
            ng.engine.wait_for_var(v)

    return once


@turn
def failures_that_nobody_looks_at():
    def fails(run_ctx):
        raise ValueError

    def once(i):
        ng.engine.push(fails, mutate_vars=[ng.engine.new_variable()])
        if i % 50 == 0:
            with contextlib.suppress(ValueError):
                ng.waitall()

    return once


@turn
def kernels_that_fail():
    a = ng.array(data(8))

    def once(i):
        with contextlib.suppress(IndexError):
            ng.take(a, ng.array([9 + i]), mode="raise").asnumpy()

    return once


@turn
def calls_that_fail():
    a, b = ng.ones((3,)), ng.ones((4,))

    def once(i):
        with contextlib.suppress(ng.errors.NbgraphError):
            a + b

    return once


@turn
def threads_that_end():
    a = ng.array(data(8))

    def once(i):
        thread = threading.Thread(target=lambda: (a + i).asnumpy() + 1)
        thread.start()
        thread.join()

    return once


@turn
def objects_held_weakly():
    def once(i):
        a = ng.ones((4,))
        weakref.ref(a)
        weakref.ref(ng.op(lambda x: x + 1))

    return once


@turn
def settings_changed():
    def once(i):
        with ng.config(engine_pending=1000 + i % 5):
            pass

    return once


@turn
def functions_of_callbacks():
    v = ng.engine.new_variable()

    def once(i):
        ng.engine.push_async(lambda run_ctx, done: done(), mutate_vars=[v])
        ng.waitall()

    return once
