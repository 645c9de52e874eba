"""`heapq`, and what `bisect` puts into a list: each place holds the item that it has in Python."""

from nbgraph.kernels.capture.vectors import bisect_left, bisect_right


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
    last = heap.pop()
    return heapreplace(heap, last) if len(heap) > 0 else last


def heapreplace(heap, item):
    """Take the least item out and add another one."""
    least = heap[0]
    lowered(heap, 0, item)
    return least


def heappushpop(heap, item):
    """Add an item and take the least one out."""
    return heapreplace(heap, item) if len(heap) > 0 and heap[0] < item else item


nsmallest = lambda n, iterable, key=None: sorted(iterable, key=key)[:n]
nlargest = lambda n, iterable, key=None: sorted(iterable, key=key, reverse=True)[:n]
insort_left = lambda a, x, lo=0, hi=None: a.insert(bisect_left(a, x, lo, hi), x)
insort = insort_right = lambda a, x, lo=0, hi=None: a.insert(bisect_right(a, x, lo, hi), x)
