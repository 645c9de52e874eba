"""Dicts whose keys depend on values, as Python has them; lists whose items are tuples."""

import collections
import math

import numpy as np
import pytest

import nbgraph as ng


def digit_counts(n):
    counts = {}
    for digit in str(n):
        counts[digit] = counts.get(digit, 0) + 1
    return max(counts.values()) * 10 + len(counts)


def factors(n):
    powers = collections.defaultdict(int)
    p = 2
    while p * p <= n:
        while n % p == 0:
            powers[p] += 1
            n //= p
        p += 1
    if n > 1:
        powers[n] += 1
    return sum(k * p for k, p in enumerate(powers)) + math.prod(e + 1 for e in powers.values())


def most_common(n):
    counts = collections.Counter(int(digit) for digit in str(n))
    best = max(counts, key=counts.get)
    return counts.most_common(1)[0][1] * 100 + counts[10] * 10 + best + len(counts)


def anagrams(n):
    return collections.Counter(str(n)) == collections.Counter(str(1024))


def seen_before(n):
    seen, x, k = {}, n % 97, 0
    while x not in seen:
        seen[x] = k
        x, k = (x * x + 1) % 31, k + 1
    return k - seen[x]


def memo(n):
    values = {0: 0, 1: 1}
    for k in range(2, n % 30 + 2):
        values[k] = values[k - 1] + values[k - 2]
    return values[n % 30]


def renamed(n):
    names, total = {}, 0
    for digit in str(n):
        if digit not in names:
            names[digit] = len(names)
        total = total * 10 + names[digit]
    return total


def read_adds(n):
    counts = collections.defaultdict(lambda: 5)
    for digit in str(n):
        counts[digit] += 1
    return counts["3"] * 10 + len(counts)


def taken_out(n):
    counts = {k % 4: k for k in (n, n + 1, n + 2)}
    counts.setdefault(n % 5, 7)
    first = counts.pop(n % 3, -1)
    if 1 in counts:
        del counts[1]
    try:
        return first * 100 + sum(counts) * 10 + counts[2]
    except KeyError:
        return first


def in_one_branch(n):
    counts = {}
    while n % 2 == 0:
        counts[2] = counts.get(2, 0) + 1
        n //= 2
    return counts[2] if counts else n


@pytest.mark.parametrize(
    "fn",
    [
        *(digit_counts, factors, most_common, anagrams, seen_before, memo, renamed, read_adds),
        *(taken_out, in_one_branch),
    ],
    ids=lambda fn: fn.__name__,
)
def test_dicts_whose_keys_depend_on_values(fn):
    numbers = [1, 2, 7, 30, 64, 97, 360, 1024, 2401, 4021, 99991, 1234567]
    assert ng.op(fn)(np.array(numbers)).tolist() == [fn(n) for n in numbers]


def test_a_key_that_is_missing_is_an_error_of_the_element():
    def third(n):
        return {int(digit): 1 for digit in str(n)}[3]

    with pytest.raises(KeyError, match=r"the dict has no such key \(element 1"):
        ng.op(third)(np.array([133, 24]))


def test_a_slope_through_a_dict():
    def squares(x):
        sums = {}
        for k in range(5):
            sums[int(x * k) % 3] = sums.get(int(x * k) % 3, 0.0) + x * k
        return sum(value * value for value in sums.values())

    x, h = np.array([0.3, 1.7, 2.9]), 1e-6
    slopes = [(squares(v + h) - squares(v - h)) / (2 * h) for v in x]
    np.testing.assert_allclose(ng.op(squares).derivative("x")(x), slopes, rtol=1e-8)


def test_items_that_are_tuples_keep_their_values_when_the_list_changes():
    def ranked(n):
        pairs = []
        while n:
            pairs.append((len(pairs), n % 10))
            n //= 10
        for i in range(1, len(pairs)):
            pair, k = pairs[i], i - 1
            while k >= 0 and pairs[k][1] > pair[1]:
                pairs[k + 1] = pairs[k]
                k -= 1
            pairs[k + 1] = pair
        del pairs[len(pairs) // 2]
        pairs.insert(len(pairs) // 2, (7, 7))
        ordered = sorted(pairs, key=lambda pair: pair[1], reverse=True)
        return ordered[0][1] * 100 + pairs[0][1] * 10 + pairs[-1][0]

    numbers = [9, 31, 172, 5544, 918273, 1000000]
    assert ng.op(ranked)(np.array(numbers)).tolist() == [ranked(n) for n in numbers]
