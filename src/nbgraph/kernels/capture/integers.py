"""Functions of whole numbers, written with others: captured like the user's own."""

import math

LARGEST = 9223372036854775807  # an int64
ROOT = 3037000499  # the square of no smaller number is above it


def gcd(a=0, b=0):
    """Return the greatest common divisor, at least 0."""
    while b != 0:
        a, b = b, a % b
    return abs(a)


def lcm(a=1, b=1):
    """Return the least common multiple, at least 0."""
    divisor = gcd(a, b)
    return abs(a // (divisor + (divisor == 0) * 1) * b)


def isqrt(n):
    """Return the integer square root, rounded down; 0 for negative numbers."""
    root = int(math.sqrt(max(n, n * 0)))
    root = root - (root > 0 and root > n // max(root, 1)) * 1
    return root + (root + 1 <= n // (root + 1)) * 1


def factorial(n):
    """Return n! as a float, since 21! exceeds 64 bits; 1 for negative numbers."""
    product = 1.0
    while n > 1:
        product = product * n
        n = n - 1
    return product


def comb(n, k):
    """Return the ways to choose k of n, at most 2**63 - 1; 0 unless 0 <= k <= n."""
    ways, chosen = (0 <= k <= n) * 1, 0
    few = min(k, n - k)
    while chosen < few:
        left, chosen = n - chosen, chosen + 1
        whole, rest = ways // chosen, ways % chosen  # the product itself may be too large
        fits = whole <= (LARGEST - left) // left
        ways = whole * left + rest * left // chosen if fits else LARGEST
    return ways


def perm(n, k=None):
    """Return the ordered ways to choose k of n, at most 2**63 - 1; 0 unless 0 <= k <= n."""
    k = n if k is None else k
    ways, chosen = (0 <= k <= n) * 1, 0
    while chosen < k <= n:
        left, chosen = n - chosen, chosen + 1
        ways = ways * left if ways <= LARGEST // left else LARGEST
    return ways


def ways_in_floats(ways, n, k, ordered):
    """Return the result of `comb` or `perm` as a float, even if it exceeds 64 bits."""
    product, chosen = float(ways), 0
    few = k if ordered else min(k, n - k)
    if ways == LARGEST:
        product = 1.0
        while chosen < few:
            product, chosen = product * ((n - chosen) / (1 if ordered else chosen + 1)), chosen + 1
    return product


def bit_count(n):
    """Return the number of bits of abs(n) that are 1."""
    left, count = abs(n), n * 0
    while left != 0:
        left = left & (left - 1)
        count = count + 1
    return count


def bit_length(n):
    """Return the number of bits of abs(n)."""
    left, count = abs(n), 0
    for step in (32, 16, 8, 4, 2, 1):
        if left >> step > 0:
            left = left >> step
            count = count + step
    return count + (left > 0) * 1


def to_bytes(n, length=1, byteorder="big", *, signed=False):
    """Return the bytes of an integer as a tuple."""
    least = -(1 << min(8 * length - 1, 63)) if signed else 0
    if n < least or (length < 8 and n >> (8 * length - signed) > 0):
        raise OverflowError("the integer does not fit into the bytes")
    parts = tuple((n >> min(8 * k, 63)) & 255 for k in range(length))
    return parts if byteorder == "little" else parts[::-1]


def from_bytes(bytes, byteorder="big", *, signed=False):
    """Return the integer with these bytes."""
    parts = bytes[::-1] if byteorder == "little" else bytes
    number = -1 if signed and parts[0] > 127 else 0
    for part in parts:
        if not -(1 << 55) <= number < 1 << 55:
            raise OverflowError("the integer does not fit into 64 bits")
        number = number * 256 + part
    return number


def power_modulo(a, n, m):
    """Return a ** n % m by squaring; a negative n is a power of the inverse of a."""
    base, left = (inverse(a, m) if n < 0 else a % m), abs(n)
    result = 1 % m
    while left > 0:
        if left % 2 == 1:
            result = product_modulo(result, base, m)
        left = left // 2
        base = product_modulo(base, base, m)
    return result


def product_modulo(a, b, m):
    """Return a * b % m for numbers in [0, m), where m is below 2**62."""
    if abs(m) <= ROOT:
        return a * b % m
    total, left = 0, abs(b)
    step = a if b >= 0 else -a
    while left > 0:
        if left % 2 == 1:
            total = (total + step) % m
        left = left // 2
        step = (step + step) % m
    return total


def inverse(a, m):
    """Return the number whose product with a leaves 1 when divided by m."""
    rest, divisor, before, last = m, a % m, 0, 1
    while divisor != 0:
        times = rest // divisor
        rest, divisor = divisor, rest - times * divisor
        before, last = last, before - times * last
    if abs(rest) != 1:
        raise ValueError("base is not invertible for the given modulus")
    return before % m
