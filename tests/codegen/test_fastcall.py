"""Calls of entries: arguments, errors, the GIL, threads, references."""

from __future__ import annotations

import sys
import threading
import time

import numpy as np
import pytest

from nbgraph.codegen import fastcall
from tests.codegen.support import shared


@pytest.fixture(scope="module")
def total():
    return shared().address("total")


def test_bound_words_come_first(total):
    assert fastcall.bind(total)() == 0
    assert fastcall.bind(total, 1, 2)() == 3
    assert fastcall.bind(total, 1, 2)(30, 400) == 433


@pytest.mark.parametrize("value", [0, 1, -1, 2**31, -(2**31), 2**63 - 1, -(2**63), True])
def test_numbers_of_64_bits_pass_unchanged(total, value):
    assert fastcall.bind(total)(value) == value
    assert fastcall.bind(total, int(value))() == value


def test_minus_one_is_a_value_like_another(total):
    """C functions of Python also say "error" with -1."""
    assert fastcall.bind(shared().address("minus_one"))() == -1
    assert fastcall.bind(total)(-1, -1) == -2


def test_objects_that_stand_for_integers(total):
    assert fastcall.bind(total)(np.int64(7), np.int8(-3)) == 4


@pytest.mark.parametrize("value", [1.5, "1", None, b"1", [1]])
def test_other_types_are_a_type_error(total, value):
    with pytest.raises(TypeError, match="integer"):
        fastcall.bind(total, 1)(2, value)


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**40])
def test_too_large_numbers_are_an_overflow_error(total, value):
    with pytest.raises(OverflowError):
        fastcall.bind(total)(value)


def test_errors_of_conversions_pass_through(total):
    class Odd:
        def __index__(self):
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        fastcall.bind(total)(1, Odd(), 3)


def test_many_arguments(total):
    call = fastcall.bind(total, 1, 2)
    assert call(*range(62)) == 3 + sum(range(62))
    for count in (63, 64, 1000):
        with pytest.raises(TypeError, match="at most 64 words"):
            call(*range(count))
    assert fastcall.bind(total, *range(64))() == sum(range(64))
    with pytest.raises(TypeError, match="mine: too many"):
        fastcall.bind(total, *range(65), name="mine")
    with pytest.raises(TypeError, match="keyword"):
        call(word=1)


def test_it_is_a_builtin_function_with_a_name(total):
    call = fastcall.bind(total, name="push")
    assert call.__name__ == "push" and type(call) is type(len)
    assert fastcall.bind(total, name="other").__name__ == "other"
    assert call.__name__ == "push"


def test_other_threads_run_while_the_gil_is_released():
    memory = np.zeros(2, np.int64)
    spin = fastcall.bind(shared().address("spin"), memory.ctypes.data, release_gil=True)
    results = []
    thread = threading.Thread(target=lambda: results.append(spin()), daemon=True)
    thread.start()
    deadline = time.monotonic() + 30
    while memory[0] == 0 and time.monotonic() < deadline:
        time.sleep(0.001)
    # this line runs while the thread is inside: with the GIL held it would never come
    memory[1] = 1
    thread.join(30)
    assert len(results) == 1 and results[0] > 0


@pytest.mark.parametrize("release_gil", [False, True])
def test_four_threads_at_once(total, release_gil):
    call = fastcall.bind(total, 5, release_gil=release_gil)
    wrong = []

    def work(start):
        for i in range(start, start + 5_000):
            if call(i, -1) != i + 4:
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(n * 10**6,), daemon=True) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert not wrong


def test_references_do_not_leak(total):
    number = 10**15 + 7
    call = fastcall.bind(total, 1, release_gil=True)
    words = call.__self__
    before = sys.getrefcount(number), sys.getrefcount(call), sys.getrefcount(words)
    blocks = sys.getallocatedblocks()
    for _ in range(10_000):
        call(number)
        try:
            call(number, "text")
        except TypeError:
            pass
    assert (sys.getrefcount(number), sys.getrefcount(call), sys.getrefcount(words)) == before
    assert sys.getallocatedblocks() - blocks < 500
    for _ in range(10_000):
        fastcall.bind(total, 1, 2)
    assert sys.getallocatedblocks() - blocks < 500


def test_what_is_bound_lives_with_the_function(total):
    calls = [fastcall.bind(total, n, 10**12 + n) for n in range(1_000)]
    assert [call() for call in calls] == [10**12 + 2 * n for n in range(1_000)]
