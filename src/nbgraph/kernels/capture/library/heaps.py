"""The texts of `heapq` and `bisect`, which give lists the same order of items as Python."""

from nbgraph.kernels.capture.vectors import entries_below


def lowered(heap, k, item):
    """Put an item in place of another one, or below it; smaller items below move up."""
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
    """Remove and return the least item."""
    if len(heap) == 0:
        raise IndexError("index out of range")
    last = heap.pop()
    return heapreplace(heap, last) if len(heap) > 0 else last


def heapreplace(heap, item):
    """Remove and return the least item, then add another one."""
    if len(heap) == 0:
        raise IndexError("index out of range")
    least = heap[0]
    lowered(heap, 0, item)
    return least


def heappushpop(heap, item):
    """Add an item, then remove and return the least one."""
    return heapreplace(heap, item) if len(heap) > 0 and heap[0] < item else item


nsmallest = lambda n, iterable, key=None: sorted(iterable, key=key)[:n]
nlargest = lambda n, iterable, key=None: sorted(iterable, key=key, reverse=True)[:n]


def searched(a, x, lo, hi, key, above):
    """Return how many items of a sorted list are below x, or (`above`) at most x."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if key is None:
        place = entries_below(a, x, above)
        place = place if hi is None else min(place, hi)
        return place if lo == 0 else max(place, lo)
    hi = len(a) if hi is None else hi
    while lo < hi:
        middle = (lo + hi) // 2
        rank = key(a[middle])
        lo, hi = (middle + 1, hi) if (not x < rank if above else rank < x) else (lo, middle)
    return lo


def put(a, x, lo, hi, key, above):
    """Add an item to a sorted list."""
    a.insert(searched(a, x if key is None else key(x), lo, hi, key, above), x)


bisect_left = lambda a, x, lo=0, hi=None, *, key=None: searched(a, x, lo, hi, key, False)
bisect_right = lambda a, x, lo=0, hi=None, *, key=None: searched(a, x, lo, hi, key, True)
insort_left = lambda a, x, lo=0, hi=None, *, key=None: put(a, x, lo, hi, key, False)
insort_right = lambda a, x, lo=0, hi=None, *, key=None: put(a, x, lo, hi, key, True)
bisect, insort = bisect_right, insort_right
