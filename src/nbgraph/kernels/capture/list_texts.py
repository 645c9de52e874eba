"""Texts of lists whose length depends on values: their functions and methods, sets, recursion.

Each is captured like a user's own function.
"""

MAX_LEVELS = 1000  # of calls of a function within each other, Python's limit

# an index from 0, and whether there is such an item
place_in = lambda k, n: (k + n if k < 0 else k, k >= -n and k < n)
place_within = lambda k, n: min(max(k + n if k < 0 else k, 0), n)  # the bound of a slice
# the same of a slice that goes backwards, which may end before the first place
place_below = lambda k, n: min(max(k + n if k < 0 else k, -1), n - 1)
place_after = lambda k, more, n: min(k + more, n - 1)
span = lambda start, stop: max(stop - start, 0)  # how many places are between two
mapped = lambda f, rows: [f(*row) for row in rows]  # map(f, ...)
folded = lambda fold, a: fold(x for x in a)  # sum(a) and its like
folded_from = lambda fold, a, start: fold((x for x in a), start=start)
folded_by = lambda fold, a, key: fold((x for x in a), key=key)
folded_or = lambda fold, a, default: fold((x for x in a), default=default)
reduced = lambda f, a: reduced_from(f, a[1:], a[0])  # functools.reduce(f, a)
copied = lambda a: a[:]  # a.copy() of a list
count_of = lambda a, x: sum(1 for value in a if value == x)  # how often a number is in a list


def between_places(a, i, j, step):
    """Return `a[i:j:step]`, with the capacity of the list."""
    items, count = list(a), 0
    for k in range(i, j, step):
        items[count] = a[k]
        count += 1
    return items[:count]


def reduced_from(f, a, total):
    """Return the reduction of all items by a function of two arguments, starting with `total`."""
    for x in a:
        total = f(total, x)
    return total


some_between = lambda a, i, j, step: [a[k] for k in range(i, j, step)]  # of a long list


def accumulated(a, f):
    """Return the partial reductions of the items by a function of two arguments."""
    items = list(a)
    for k in range(1, len(items)):
        items[k] = f(items[k - 1], items[k])
    return items


def from_below(needs, value, window):
    """Return the depth of nested calls and the value, computed from the innermost call."""
    levels = 0
    while levels < MAX_LEVELS and needs(levels):
        levels += 1
    for level in range(levels + len(window) - 1, -1, -1):
        window = (value(level, levels, window), *window[:-1])
    return levels, window[0]


def descended(inner, numbers, most):
    """Return the depth of nested calls and the operands of the last one."""
    levels = 0
    while levels < most and inner(numbers)[0]:
        numbers = inner(numbers)[1]
        levels += 1
    return levels, numbers


def down_and_up(inner, value, numbers, result, as_last):
    """Return the depth and the value, computed from the last call back to the first."""
    levels, last = descended(inner, numbers, MAX_LEVELS)
    result = value(last, result)
    for level in range(-1 if as_last else levels - 1, -1, -1):
        result = value(descended(inner, numbers, level)[1], result)
    return levels, result


def depth_first(step, this, value):
    """Return the value of a recursive function; a list is the stack of waiting calls."""
    calls, trips, ends = [], 0, False
    while trips >= 0 and not ends:  # what counts its trips is not asked whether they repeat
        trips += 1
        waits, this, inner, value = step(this, value, len(calls))
        if waits:
            calls.append(this)
            this = inner
        elif calls:
            this = calls.pop()
        else:
            ends = True
    return value


# how many numbers a range has
count_between = lambda start, stop, step: max(
    0, (stop - start + step - (1 if step > 0 else -1)) // step
)
# the numbers of a range, as a list
numbers_between = lambda start, stop, step: [k for k in range(start, stop, step)]  # noqa: C416


def is_between(k, start, stop, step):
    """Return whether a number is in a range."""
    inside = start <= k < stop if step > 0 else stop < k <= start
    return inside and (k - start) % step == 0


def joined_lists(a, b):
    """Return the concatenation of two lists."""
    items = list(a)
    for k in range(len(b)):
        items.append(b[k])
    return items


def rotated(a, count=1):
    """Return the items rotated to the right; the last ones come to the front."""
    first = -count % max(len(a), 1)
    return joined_lists(a[first:], a[:first])


def distinct(a):
    """Return the different items in ascending order, so that equal sets are equal lists."""
    return union(set(), a)


def union(a, b):
    """Return the union of a set and other items."""
    items = a.copy()
    for x in b:
        items.add(x)
    return items


intersection = lambda a, b: [x for x in a if x in b]
difference = lambda a, b: [x for x in a if x not in b]
symmetric_difference = lambda a, b: union(difference(a, b), difference(b, a))
issubset = lambda a, b: all(x in b for x in a)
issuperset = lambda a, b: issubset(b, a)
isdisjoint = lambda a, b: all(x not in b for x in a)


def precedes(a, b, otherwise):
    """Return whether a list precedes another one in order; `otherwise` if no item differs."""
    for x, y in zip(a, b, strict=False):
        if x != y:
            return x < y
    return otherwise


def dict_of_pairs(pairs):
    """Return the dict of pairs of a key and a value."""
    entries = {}
    for key, value in pairs:
        entries[key] = value  # noqa: PERF403 - a comprehension is this text
    return entries


def counted(items):
    """Return the count of each item, as a dict."""
    counts = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1
    return counts


# the pairs of a dict of counts, the largest first
by_count = lambda pairs: sorted_list(pairs, key=lambda pair: pair[1], reverse=True)


def place_of(a, x, start=0, stop=None):
    """Return the first index of an item in a list, between two places."""
    first, end = place_within(start, len(a)), len(a) if stop is None else place_within(stop, len(a))
    for k, value in enumerate(a):
        if value == x and k >= first and k < end:
            return k
    raise ValueError("the value is not in the list")


def first_refused(predicate, a):
    """Return the first index of an item for which `predicate` is false."""
    for k, x in enumerate(a):
        if not predicate(x):
            return k
    return len(a)


compress = lambda a, tests: [x for x, test in zip(a, tests, strict=False) if test]
takewhile = lambda predicate, a: a[: first_refused(predicate, a)]
dropwhile = lambda predicate, a: a[first_refused(predicate, a) :]


# methods of strings of digits
def text_place(text, part, start=0):
    """Return the first place, from `start` on, of a string in another one, or -1."""
    for k in range(start, len(text) - len(part) + 1):
        if text[k : k + len(part)] == part:
            return k
    return -1


def split(text, part):
    """Return the parts between the occurrences of a string."""
    pieces, start, place = [], 0, text_place(text, part)
    while place >= 0:
        pieces.append(text[start:place])
        start = place + len(part)
        place = text_place(text, part, start)
    pieces.append(text[start:])
    return pieces


def replaced(text, part, other, most=-1):
    """Return the string with another part in place of one, at most `most` times."""
    result, start, place = text[:0], 0, text_place(text, part)
    while place >= 0 and most != 0:
        result, start, most = result + text[start:place] + other, place + len(part), most - 1
        place = text_place(text, part, start)
    return result + text[start:]


def lstrip(text, ends):
    """Return the string without leading characters of a set."""
    while len(text) > 0 and text[0] in ends:
        text = text[1:]
    return text


def rstrip(text, ends):
    """Return the string without trailing characters of a set."""
    while len(text) > 0 and text[-1] in ends:
        text = text[:-1]
    return text


TEXTS = {
    "startswith": lambda text, part: text[: len(part)] == part,
    "endswith": lambda text, part: text[max(len(text) - len(part), 0) :] == part,
    "count": lambda text, part: len(split(text, part)) - 1,
    "find": text_place,
    "index": place_of,
    "split": split,
    "replace": replaced,
    "lstrip": lstrip,
    "rstrip": rstrip,
    "strip": lambda text, ends: rstrip(lstrip(text, ends), ends),
}


def sorted_list(a, key=None, reverse=False):
    """Return a stable sort of the items, by their keys."""
    rank = (lambda x: x) if key is None else key
    items = list(a)
    for i in range(1, len(items)):
        x, k = items[i], i - 1
        while k >= 0 and (rank(items[k]) < rank(x) if reverse else rank(items[k]) > rank(x)):
            items[k + 1] = items[k]
            k -= 1
        items[k + 1] = x
    return items


# methods of sets, those of them that make a set, and operators
SETS = {
    "union": union,
    "intersection": intersection,
    "difference": difference,
    "symmetric_difference": symmetric_difference,
    "issubset": issubset,
    "issuperset": issuperset,
    "isdisjoint": isdisjoint,
}
NEW_SETS = ("union", "intersection", "difference", "symmetric_difference")
SET_OPERATORS = {
    "bor": union,
    "band": intersection,
    "bxor": symmetric_difference,
    "sub": difference,
}
