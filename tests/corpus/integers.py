"""Whole numbers: hashes, digits, calendars, number theory."""

import math
from functools import reduce

import numpy as np
from numba import njit

from tests.corpus.samples import sample

MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

OFFSETS = np.array([0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4])

WITNESSES = [2, 3, 5, 7]


@sample("while", "tuple", "whole", a=(0, 5000), b=(0, 5000))
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


@sample("whole", "helper", a=(1, 5000), b=(1, 5000))
def lcm_by_library(a, b):
    return a * b // math.gcd(a, b)


@sample("bits", "while", "whole", n=(0, 100000))
def popcount(n):
    count = 0
    while n:
        n &= n - 1
        count += 1
    return count


@sample("bits", "whole", n=(0, 2**31 - 1))
def popcount_parallel(n):
    n = n - ((n >> 1) & 0x55555555)
    n = (n & 0x33333333) + ((n >> 2) & 0x33333333)
    return (((n + (n >> 4)) & 0x0F0F0F0F) * 0x01010101 & 0xFFFFFFFF) >> 24


@sample("while", "modulo", "whole", n=(1, 3000))
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@sample("while", "whole", "raise", n=(0, 10**9))
def integer_root(n):
    if n < 0:
        raise ValueError("negative")
    if n < 2:
        return n
    x = n
    y = (x + 1) // 2
    while y < x:
        x = y
        y = (x + n // x) // 2
    return x


@sample("bits", "for", "whole", x=(0, 2**31 - 1))
def fnv1a(x):
    h = 2166136261
    for i in range(4):
        h ^= (x >> (8 * i)) & 0xFF
        h = (h * 16777619) & 0xFFFFFFFF
    return h


@sample("bits", "njit", "whole", h=(0, 2**31 - 1))
@njit
def murmur_mix(h):
    h ^= h >> 16
    h = (h * 0x85EBCA6B) & 0xFFFFFFFF
    h ^= h >> 13
    h = (h * 0xC2B2AE35) & 0xFFFFFFFF
    return h ^ (h >> 16)


@sample("bits", "for", "whole", "default", seed=(1, 2**31 - 1))
def xorshift(seed, rounds=3):
    x = seed
    for _ in range(rounds):
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x ^= (x << 5) & 0xFFFFFFFF
    return x


@sample("while", "early", "logic", "whole", n=(0, 20000))
def is_prime(n):
    if n < 2:
        return False
    if n % 2 == 0:
        return n == 2
    i = 3
    while i * i <= n:
        if n % i == 0:
            return False
        i += 2
    return True


@sample("table", "for", "while", "whole", n=(11, 100000), ulps=0)
def is_prime_miller(n):
    if n % 2 == 0:
        return False
    d, s = n - 1, 0
    while d % 2 == 0:
        d //= 2
        s += 1
    for a in WITNESSES:
        x = 1
        base, e = a % n, d
        while e:
            if e & 1:
                x = x * base % n
            base = base * base % n
            e >>= 1
        if x == 1 or x == n - 1:
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


@sample("while", "outputs", "whole", n=(0, 10**9))
def digits(n):
    total, root = 0, n
    while n > 0:
        n, d = divmod(n, 10)
        total += d
    return total, 1 + (root - 1) % 9 if root else 0


@sample("while", "whole", n=(-(10**6), 10**6))
def reversed_digits(n):
    sign = -1 if n < 0 else 1
    n, r = abs(n), 0
    while n:
        r = r * 10 + n % 10
        n //= 10
    return sign * r


@sample("bits", "whole", "outputs", n=(0, 2**30))
def gray_code(n):
    g = n ^ (n >> 1)
    back = g
    for shift in (16, 8, 4, 2, 1):
        back ^= back >> shift
    return g, back


@sample("bits", "whole", x=(0, 65535), y=(0, 65535))
def morton(x, y):
    def spread(v):
        v = (v | (v << 8)) & 0x00FF00FF
        v = (v | (v << 4)) & 0x0F0F0F0F
        v = (v | (v << 2)) & 0x33333333
        return (v | (v << 1)) & 0x55555555

    return spread(x) | (spread(y) << 1)


@sample("bits", "for", "whole", byte=(0, 255), crc=(0, 65535))
def crc16(byte, crc):
    crc ^= byte << 8
    for _ in range(8):
        crc = ((crc << 1) ^ 0x1021) & 0xFFFF if crc & 0x8000 else (crc << 1) & 0xFFFF
    return crc


@sample("dates", "modulo", "table", year=(1600, 2400), month=(1, 12), day=(1, 28))
def weekday(year, month, day):
    """Sakamoto's method; Sunday is 0."""
    if month < 3:
        year -= 1
    return (year + year // 4 - year // 100 + year // 400 + OFFSETS[month - 1] + day) % 7


@sample("dates", "logic", "whole", year=(1, 3000), at=[(1900,), (2000,)])
def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


@sample("dates", "table", "for", "helper", year=(1900, 2100), month=(1, 12), day=(1, 28))
def day_of_year(year, month, day):
    n = day
    for m in range(1, month):
        n += MONTHS[m - 1]
        if m == 2 and is_leap(year):
            n += 1
    return n


@sample("dates", "outputs", "modulo", year=(1600, 2400))
def easter(year):
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    f = (b + 8) // 25
    g = (b - f + 1) // 3
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    l = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * l) // 451
    return (h + l - 7 * m + 114) // 31, (h + l - 7 * m + 114) % 31 + 1


@sample("for", "whole", n=(0, 30), k=(0, 30))
def choose(n, k):
    if k < 0 or k > n:
        return 0
    k = min(k, n - k)
    c = 1
    for i in range(k):
        c = c * (n - i) // (i + 1)
    return c


@sample("while", "whole", "njit", base=(0, 1000), exponent=(0, 60))
@njit
def modular_power(base, exponent):
    modulus, result = 1000003, 1
    base %= modulus
    while exponent > 0:
        if exponent & 1:
            result = result * base % modulus
        exponent >>= 1
        base = base * base % modulus
    return result


@sample("recursion", "whole", a=(0, 400), b=(1, 400), smooth="")
def gcd_recursive(a, b):
    return a if b == 0 else gcd_recursive(b, a % b)


@sample("while", "whole", "bits", n=(1, 10**6))
def next_power_of_two(n):
    p = 1
    while p < n:
        p <<= 1
    return p


@sample("whole", "local", "for", number=(0, 10**9))
def luhn_valid(number):
    digit_list = [0] * 10
    for i in range(10):
        digit_list[i] = number % 10
        number //= 10
    total = 0
    for i in range(10):
        d = digit_list[i]
        if i % 2 == 1:
            d = 2 * d - 9 if d > 4 else 2 * d
        total += d
    return total % 10 == 0


@sample("generator", "lambda", "whole", n=(0, 200))
def sum_of_multiples(n):
    return sum(k for k in (3, 5, 15) if n % k == 0) + reduce(lambda a, b: a * b, (1, 2, 3)) * n


@sample("str", "for", "whole", "power", n=(0, 10**6), at=[(153,), (9474,)], smooth="")
def is_armstrong(n):
    digits = str(n)
    return n == sum(int(d) ** len(digits) for d in digits)


@sample("str", "while", "whole", n=(0, 10**6), at=[(12321,), (10,)], smooth="")
def steps_to_palindrome(n):
    steps = 0
    while str(n) != str(n)[::-1] and steps < 8:
        n += int(str(n)[::-1])
        steps += 1
    return steps


@sample("generator", "whole", "early", n=(0, 10**4), at=[(97,), (9409,)], smooth="")
def is_prime_by_a_range(n):
    if n < 4:
        return n > 1
    odd = range(3, int(math.sqrt(n) + 1), 2)
    return n % 2 == 1 and not any(not n % k for k in odd)


@sample("for", "whole", "generator", n=(0, 10**4), smooth="")
def ranges_as_values(n):
    numbers, total = range(n % 7, n % 500), 0
    for k in reversed(range(n % 50)):
        total = total * 2 % 1009 + k
    some = range(n % 10) if n % 2 else range(2, n % 20)
    return total + len(numbers) + sum(numbers) + sum(some) + (5 in numbers) + 2 * (n in some)


@sample("str", "whole", n=(10, 10**6), at=[(1234,), (4321,), (1324,)], smooth="")
def is_bouncy(n):
    text, squares = str(n), list()  # noqa: C408 - as people write it
    ordered = "".join(sorted(text))
    for d in text:
        squares.append(int(d) ** 2)
    return sum(squares) + 1000 * (text not in {ordered, ordered[::-1]})


@sample("str", "while", "whole", n=(1, 10**6), at=[(999,), (7,)], smooth="")
def multiplicative_persistence(n):
    steps, digits = 0, str(n)
    while len(digits) != 1:
        total = 1
        for d in [int(c) for c in digits]:
            total *= d
        digits = str(total)
        steps += 1
    return steps


@sample("str", "for", "whole", n=(1, 10**4), at=[(6174,), (3524,)], smooth="")
def kaprekar(n):
    for _ in range(7):
        text = str(n).zfill(4)
        n = int("".join(sorted(text, reverse=True))) - int("".join(sorted(text)))
    return n


FACTORIALS = {str(d): math.factorial(d) for d in range(10)}


@sample("str", "dict", "whole", n=(0, 10**6), at=[(145,), (40585,)], smooth="")
def factorion(n):
    return sum(FACTORIALS[c] for c in str(n)) - n


@sample("str", "while", "whole", n=(1, 10**5), smooth="")
def binary_as_decimal(n):
    out = ""
    while n > 0:
        out = str(n % 2) + out
        n //= 2
    return int(out)


@sample("str", "whole", n=(10, 10**6), at=[(1221,), (90,)], smooth="")
def parts_of_digits(n):
    text = str(n)
    turned = text[-1] + text[1:-1] + text[0]
    rises = sum(1 for a, b in zip(text, text[1:]) if a < b)
    return int(turned) + int(text[:2]) + rises + 10 * ("7" in text) + len(set(text))


@sample("str", "whole", a=(1, 10**5), b=(1, 10**5), at=[(1234, 4321)], smooth="")
def same_digits(a, b):
    highest = int(max(str(a))) - int(min(str(b)))
    return highest + 100 * (sorted(str(a)) == sorted(str(b))) + str(a).endswith("1")


@sample("str", "whole", n=(1, 500), smooth="")
def digits_together(n):
    return int(f"{n}{n + 1}") + int(bin(n)[2:], 2) + int(str(n)[::-1], 10)


@sample("str", "bits", "whole", n=(0, 10**6), smooth="")
def odd_digits_and_ones(n):
    odd = 0
    for d in str(n):
        if d == "0":
            continue
        odd += d in "13579"
    return 100 * odd + bin(n).count("1")


@sample("bits", "whole", "modulo", x=(0, 2**40), smooth="")
def splitmix64(x):
    z = (x + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    return (z ^ (z >> 31)) / 2**64


@sample("bits", "for", "whole", a=(0, 255), n=(0, 12), smooth="")
def fnv1a_64(a, n):
    h = 14695981039346656037
    for i in range(n):
        h = ((h ^ ((a + i) & 255)) * 1099511628211) & (2**64 - 1)
    return h % 1000003


@sample("recursion", "tuple", "outputs", a=(0, 500), b=(1, 500), smooth="")
def bezout(a, b):
    if a == 0:
        return b, 0, 1
    g, y, x = bezout(b % a, a)
    return g, x - (b // a) * y, y


@sample("recursion", "tuple", "outputs", n=(0, 40), smooth="")
def fibonacci_pair(n):
    if n == 0:
        return 0, 1
    a, b = fibonacci_pair(n // 2)
    c, d = a * (2 * b - a), a * a + b * b
    return (d, c + d) if n % 2 else (c, d)


@sample("str", "for", "whole", "branches", n=(0, 10**8))
def luhn_sum(n):
    total = 0
    for i, d in enumerate(reversed(str(n))):
        d = int(d)
        if i % 2 == 1:
            d *= 2
            if d > 9:
                d -= 9
        total += d
    return total % 10


@sample("str", "fstring", "bits", "whole", "outputs", n=(0, 255))
def turned_byte(n):
    octal = int(oct(n)[2:])  # its digits, read as decimal ones
    return (
        int(f"{n:08b}"[::-1], 2),
        int("{:08b}".format(n)[4:], 2),
        format(n, "b").count("1"),
        octal,
    )


@sample("str", "whole", "outputs", n=(0, 2**40))
def hexadecimal(n):
    digits = f"{n:x}"
    codes = sum(ord(c) for c in hex(n)[2:])
    values = sum(int(c, 16) for c in digits)
    return len(hex(n)), digits.count("a"), codes, values, int(digits[::-1], 16), int(hex(n), 16)
