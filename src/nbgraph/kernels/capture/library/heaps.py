"""`heapq` and `bisect`: each place of a list holds the item that it has in Python."""

from nbgraph.kernels.capture.vectors import entries_below


def lowered(heap, k, item):
    """Put an item in place of another one, or below it: the smaller items there move up."""
    child = 2 * k + 1
    while child < len(heap):
        if child + 1 < len(heap) and not heap[child] < heap[child + 1]:
            child += 1
        if item < heap[child]:
            break
        heap[k] = heap[child]
        k, child = child, 2 * child + 1
    heap[k] = item


def heapify(heap):
    """Order a list so that no item is below a smaller one."""
    for k in range(len(heap) // 2 - 1, -1, -1):
        lowered(heap, k, heap[k])


def heappush(heap, item):
    """Add an item."""
    k = len(heap)
    heap.append(item)
    while k > 0 and item < heap[(k - 1) // 2]:
        heap[k] = heap[(k - 1) // 2]
        k = (k - 1) // 2
    heap[k] = item


def heappop(heap):
    """Take the least item out."""
    if len(heap) == 0:
        raise IndexError("index out of range")
    last = heap.pop()
    return heapreplace(heap, last) if len(heap) > 0 else last


def heapreplace(heap, item):
    """Take the least item out and add another one."""
    if len(heap) == 0:
        raise IndexError("index out of range")
    least = heap[0]
    lowered(heap, 0, item)
    return least


def heappushpop(heap, item):
    """Add an item and take the least one out."""
    return heapreplace(heap, item) if len(heap) > 0 and heap[0] < item else item


nsmallest = lambda n, iterable, key=None: sorted(iterable, key=key)[:n]
nlargest = lambda n, iterable, key=None: sorted(iterable, key=key, reverse=True)[:n]


def in_part(place, lo, hi):
    """A place among the entries from `lo` to `hi`."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    place = place if hi is None else min(place, hi)
    return place if lo == 0 else max(place, lo)


def first_place(a, lo, hi, is_before):
    """The first of the places, or the end of them, whose item is not before a number."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    hi = len(a) if hi is None else hi
    while lo < hi:
        middle = (lo + hi) // 2
        lo, hi = (middle + 1, hi) if is_before(a[middle]) else (lo, middle)
    return lo


def bisect_left(a, x, lo=0, hi=None, *, key=None):
    """How many items of a sorted list are below a number."""
    if key is None:
        return in_part(entries_below(a, x, False), lo, hi)
    return first_place(a, lo, hi, lambda item: key(item) < x)


def bisect_right(a, x, lo=0, hi=None, *, key=None):
    """How many items of a sorted list are not above a number."""
    if key is None:
        return in_part(entries_below(a, x, True), lo, hi)
    return first_place(a, lo, hi, lambda item: not x < key(item))


insort_left = lambda a, x, lo=0, hi=None, *, key=None: a.insert(
    bisect_left(a, x if key is None else key(x), lo, hi, key=key), x
)
insort_right = lambda a, x, lo=0, hi=None, *, key=None: a.insert(
    bisect_right(a, x if key is None else key(x), lo, hi, key=key), x
)
bisect, insort = bisect_right, insort_right
