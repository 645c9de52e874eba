"""Lists whose length depends on values: as Python runs the same text, with slopes and overflow."""

import bisect
import functools
import heapq
import itertools
import math
import operator
import statistics
from collections import deque

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.kernels.capture import resizable

N, X = np.arange(2, 14), np.linspace(0.3, 1.9, 12)


def prime_factors(n, x):
    factors, d = [], 2
    while d * d <= n:
        while n % d == 0:
            factors.append(d)
            n //= d
        d += 1
    if n > 1:
        factors.append(n)
    return x * len(factors), max(factors), sum(factors), factors[-1] + factors[0]


def digits_at_the_front(n, x):
    digits, n = [], 97 * n
    while n:
        n, digit = divmod(n, 3)
        digits.insert(0, digit)
    first, last = digits.pop(0), digits.pop()
    return x * first + last, sum(d * 10**i for i, d in enumerate(reversed(digits))), len(digits)


def recurrence(n, x):
    values = [1.0, x]
    for k in range(2, n + 1):
        values.append(2 * x * values[-1] - values[k - 2])
    return values[n], values[-2]


def slices(n, x):
    values = [math.sin(x * k) for k in range(n)]
    inner = values[1:-1] + values[n // 2 :]
    return sum(inner) + sum(values[:1]), len(inner), values[::2][-1], values[::-1][0]


def ordered(n, x):
    values = sorted([math.sin(x * k) for k in range(n)], reverse=True)
    return values[n // 2], values[0]


def summaries(n, x):
    values = [x - 0.2 * k for k in range(n) if k % 3]
    best = min(values, key=abs), max(values, default=0.0), math.prod(values), math.fsum(values)
    return (*best, np.mean(values), statistics.mean(values), np.std(values), np.max(values))


def questions(n, x):
    whole = [k for k in range(n) if k % 2]
    found = (3 in whole) + 2 * (7 not in whole) + 4 * (whole == [1, 3]) + 8 * (not whole)
    return found, any(k > 8 for k in whole), all(whole), whole.count(3) + whole.index(1)


second = lambda point: point[1]


def pairs(n, x):
    points = []
    for k in range(n):
        points.append([x * k, k + 1.0])
    area = sum(a * d - b * c for (a, b), (c, d) in zip(points, points[1:]))
    return area, sum(k * p[0] for k, p in enumerate(points)), max(map(second, points))


def stack(n, x):
    todo, total = [(0.0, x, 0)], 0.0
    while todo:
        low, high, depth = todo.pop()
        if depth == n % 4:
            total += (high - low) * math.exp(-((low + high) ** 2))
        else:
            todo.append((low, 0.5 * (low + high), depth + 1))
            todo.append((0.5 * (low + high), high, depth + 1))
    return total


def queue(n, x):
    waiting, steps = deque([(1, 0)]), 0
    while waiting:
        node, steps = waiting.popleft()
        if node >= n:
            return x * node, steps
        waiting.append((2 * node, steps + 1))
        waiting.appendleft((node + 3, steps + 1))
    return x, steps


def table(n, x):
    ways = [1] + [0] * n
    for coin in (1, 2, 5):
        for total in range(coin, n + 1):
            ways[total] += ways[total - coin]
    return ways[n] * x, ways[-1]


def sieve(n, x):
    prime = [True] * (n + 1)
    prime[0] = prime[1] = False
    p = 2
    while p * p <= n:
        if prime[p]:
            for i in range(p * p, n + 1, p):
                prime[i] = False
        p += 1
    return sum(prime), x * prime.count(True), prime[n]


def branches(n, x):
    values = [1.0]
    if n % 2:
        values.append(x)
    if x > 1:
        values += [x * x, 2.0]
    values[0] = x + n
    days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 30]
    return sum(values), len(values), values[-1], sum(days[: n - 1])


def rows_of_pascal(n, x):
    row = [1.0]
    for _ in range(n):
        row = [1.0] + [a + x * b for a, b in zip(row, row[1:])] + [1.0]
    return sum(row)


def sets(n, x):
    seen = {k * k % 7 for k in range(n)}
    grown = set()
    for k in range(n):
        grown.add((n - k) ** 2 % 5)
    same = grown == {4, 1, 0}
    return len({n, 3, 2 * n - 3}), sum({x, x, 1.0}), len(seen), sum(set(range(n))), 4 in seen, same


def helper_list(count, x):
    out = [x]
    while len(out) < count:
        out.append(0.5 * out[-1] + 1.0)
    return out


def from_a_helper(n, x):
    values = helper_list(n, x)
    values.clear() if n % 5 == 0 else values.reverse()
    other = values.copy()
    other.append(1.0)
    return sum(values) + len(helper_list(3, x)) + len(other)


def missing(n, x):
    try:
        return [x * k for k in range(n) if k > 4][0]
    except IndexError:
        return -1.0


def below(n):
    if n <= 2:
        return []
    return [2 * k for k in range(1, n) if k % 3]


def early_empty_list(n, x):
    return x * sum(below(n - 1)) + len(below(n))


def reductions(n, x):
    folded = functools.reduce(lambda v, k: 0.5 * v + x * k, range(n), x)
    digits = functools.reduce(operator.mul, (int(d) for d in str(n + 11)), 1)
    odd = functools.reduce(operator.xor, [k for k in range(n + 2) if k % 3])
    steps = sum(b - a for a, b in itertools.pairwise([k * k * x for k in range(n) if k % 2]))
    return folded, digits, odd, steps, range(n + 3)[2] + sum(range(n)[1:])


def heaps(n, x):
    """The place of each number shows in what follows."""
    values, numbers = [x, 1.0, x * x], []
    heapq.heapify(values)
    for k in range(n):
        heapq.heappush(numbers, -7 * k % 11)
    least = heapq.heappop(numbers), heapq.heapreplace(values, x), heapq.heappushpop(values, n)
    return *least, *values, numbers[1 % len(numbers)], numbers[-1]


def in_order(n, x):
    known, values = [1.0, 2.0, 3.0], [0.5]
    for k in range(n):
        bisect.insort(values, (7 * k) % 5)
    bisect.insort(known, x)
    known.insert(n, 7.0)
    two = heapq.nlargest(2, known)[1], heapq.nsmallest(2, known, key=lambda v: -v)[0]
    return values[n // 2], known[0], known[3], known[-1], *two


def renewed(n, x):
    """A trip of a loop puts another list in the place of one."""
    ones, window, turned = [1] * n, [0] * n, [0] * 100
    for k in range(3):
        ones = [v + k for v in ones]
        window = window[1:] + [k]
        turned[k] = k + 1
        turned.reverse()
    return sum(ones), sum(window[-2:]), turned[1], turned[-2], len(turned[:n:-3])


def neighbours(n, x):
    place = bisect.bisect(KNOTS, x) - 1
    left, right = KNOTS[place : place + 2]
    tens, ones = str(10 + n)
    odd = [k for k in range(n) if k % 2]
    steps = max(sum(odd[k : k + 2]) for k in range(n))
    return (x - left) / (right - left), int(tens) * int(ones), steps, sum(KNOTS[n - 1 : n + 2])


def running(n, x):
    values = [x * k for k in range(n)]
    sums = list(itertools.accumulate(values))
    return sums[-1], sum(itertools.accumulate((k % 5 for k in range(n)), max, initial=2)), len(sums)


def counted_out(n, x):
    people = deque(range(1, n + 1))
    while len(people) > 1:
        people.rotate(-2)
        people.popleft()
    return people[0] * x


def unpacked(n, x):
    even = [k for k in range(n) if k % 2 == 0]
    row = [x, *even, *range(n % 3), 7.0]
    first, *rest = [*(n, 3), x]
    parts = len({*even, 0, 1}), max([*str(10 + n)]) == "1", first + len(rest), (*even, n)[-1]
    return sum(row), len(row), *parts, isinstance(even, list), np.log10([10, 100])[n % 2]


def primes(n, x):
    """LLVM counts the trips of the inner loop with 128 bits."""
    marks = [False] * 2 + [True] * (n - 1)
    for i in range(2, int(n**0.5) + 1):
        if marks[i]:
            for j in range(i * i, n + 1, i):
                marks[j] = False
    return sum(marks)


def stepped(n, x):
    odd = 0
    for k in range(n, 60, n % 4 + 1 if x > 0 else n):
        odd += k % 2
    return odd, sum(range(3, 40, n)), len(range(0, 7 * n, n)), [k * x for k in range(0, 20, n)][0]


KNOTS = (0.0, 0.7, 1.0, 1.6, 2.5)
TEXTS = (
    renewed, neighbours, running, counted_out, unpacked, primes, stepped,
    reductions, heaps, in_order,
    prime_factors, digits_at_the_front, recurrence, slices, ordered, summaries, questions, pairs,
    stack, queue, sieve, table, branches, rows_of_pascal, sets, from_a_helper, missing,
    early_empty_list,
)  # fmt: skip
SMOOTH = (
    neighbours,
    running,
    recurrence,
    slices,
    stack,
    pairs,
    table,
    rows_of_pascal,
    from_a_helper,
)


def outputs(value):
    return np.stack(
        [np.asarray(v, float) for v in (value if isinstance(value, tuple) else [value])]
    )


def by_python(fn, x=X):
    rows = [outputs(fn(int(n), float(v))) for n, v in zip(N, x, strict=True)]
    return np.stack(rows, axis=-1)


@pytest.mark.parametrize("fn", TEXTS, ids=lambda fn: fn.__name__)
def test_a_value_is_that_of_the_text(fn):
    """SMP-39: lists are appended to, popped, cut and summed, whatever their length."""
    np.testing.assert_allclose(outputs(ng.op(fn)(N, X)), by_python(fn), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("fn", SMOOTH, ids=lambda fn: fn.__name__)
def test_a_slope_is_that_of_differences(fn):
    got = outputs(ng.op(fn).derivative("x")(N, X))
    h = 1e-6
    wanted = (by_python(fn, X + h) - by_python(fn, X - h)) / (2 * h)
    np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-6)


def test_a_step_that_is_not_positive_raises():
    op = ng.op(lambda n, k: sum(range(n, 9, k)))
    assert op(np.array([1, 2]), np.array([3, 10])).tolist() == [12, 2]
    for step in (0, -1):
        with pytest.raises(ValueError, match=r"range\(\).*not positive: use a while.*element 1"):
            op(np.array([1, 1]), np.array([2, step]))


def test_the_reference_compiler_and_the_text_agree():
    wanted = outputs(ng.op(branches)(N, X))
    for compiler in ("numba", "python"):
        with ng.config(compiler=compiler):
            np.testing.assert_allclose(outputs(ng.op(branches)(N, X)), wanted, rtol=1e-13)


def halvings(x):
    sizes = [abs(x)]
    while sizes[-1] > 1.0:
        sizes.append(0.5 * sizes[-1])
    return sum(sizes)


def test_code_for_gpus():
    assert ".entry" in ng.op(halvings).ptx("float32")


def counted(n):
    values = []
    while len(values) < n:
        values.append(1)
    return sum(values)


def test_a_list_that_gets_too_long_is_an_error_of_the_element():
    op = ng.op(counted)
    assert op(resizable.PLACES) == resizable.PLACES
    with pytest.raises(MemoryError, match=rf"more than the {resizable.PLACES} items .*element 1"):
        op(np.array([3, resizable.PLACES + 1]))
    with pytest.raises(MemoryError):
        ng.op(lambda n: sum([1] * n))(resizable.TABLE + 1)


def taken(n):
    values = list(range(n))
    return values.pop()


@pytest.mark.parametrize("fold", [max, min, next])
def test_what_has_no_items_is_an_error_of_the_element(fold):
    op = ng.op(lambda n: fold(k * k for k in range(n) if k % 7 == 6) if n else -1)
    np.testing.assert_array_equal(op(np.array([0, 7])), [-1, 36])
    with pytest.raises(StopIteration if fold is next else ValueError, match="empty"):
        op(np.array([7, 5]))


def test_an_item_that_is_not_there_is_an_error_of_the_element():
    with pytest.raises(IndexError, match="pop from empty list"):
        ng.op(taken)(np.array([2, 0]))
    with pytest.raises(IndexError, match="list index out of range"):
        ng.op(lambda n: [1.0 for k in range(n)][3])(np.array([9, 3]))
    with pytest.raises(ValueError, match="not in the list"):
        ng.op(lambda n: list(range(n)).index(n))(3)


def measured(x):
    table = []
    for k in range(200):
        table.append(x * k if k % 2 else 1.0)
    return table[199] + len(table)


def test_a_loop_of_known_trips_measures_the_places():
    np.testing.assert_allclose(ng.op(measured)(X), 199 * X + 200)
