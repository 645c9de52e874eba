"""Functions of whole numbers, written with others: captured like the user's own."""

from __future__ import annotations

import math

LARGEST = 9223372036854775807  # an int64


def gcd(a, b):
    """The greatest common divisor, at least 0."""
    while b != 0:
        a, b = b, a % b
    return abs(a)


def lcm(a, b):
    """The least common multiple, at least 0."""
    divisor = gcd(a, b)
    return abs(a // (divisor + (divisor == 0) * 1) * b)


def isqrt(n):
    """The root of an integer, rounded down; 0 of negative ones."""
    root = int(math.sqrt(max(n, n * 0)))
    root = root - (root > 0 and root > n // max(root, 1)) * 1
    return root + (root + 1 <= n // (root + 1)) * 1


def factorial(n):
    """n! as a floating value, as no integer holds 21! and more; 1 of negative numbers."""
    product = 1.0
    while n > 1:
        product = product * n
        n = n - 1
    return product


def comb(n, k):
    """Ways to choose k of n, 2**63 - 1 where they are more; 0 where k is no number of 0 to n."""
    ways, chosen = (0 <= k <= n) * 1, 0
    few = min(k, n - k)
    while chosen < few:
        left, chosen = n - chosen, chosen + 1
        whole, rest = ways // chosen, ways % chosen  # the product itself may be too large
        fits = whole <= (LARGEST - left) // left
        ways = whole * left + rest * left // chosen if fits else LARGEST
    return ways


def perm(n, k):
    """Ordered ways to choose k of n, 2**63 - 1 where they are more; 0 where k is no number of 0 to
    n."""
    ways, chosen = (0 <= k <= n) * 1, 0
    while chosen < k <= n:
        left, chosen = n - chosen, chosen + 1
        ways = ways * left if ways <= LARGEST // left else LARGEST
    return ways


def bit_count(n):
    """How many bits of abs(n) are 1."""
    left, count = abs(n), n * 0
    while left != 0:
        left = left & (left - 1)
        count = count + 1
    return count
