"""More of the same: waves, integers, bools, and the corners of Python people use."""

import math

from tests.zoo import functions as f

GAIN = 2.5


def wrap_angle(a):
    return (a + math.pi) % (2 * math.pi) - math.pi


def sawtooth(t):
    return 2 * (t - math.floor(t + 0.5))


def triangle_wave(t):
    return 2 * abs(2 * (t - math.floor(t + 0.5))) - 1


def floor_steps(x, step=0.75):
    return x // step * step


def popcount(n):
    count = 0
    while n:
        count += n & 1
        n >>= 1
    return count


def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return abs(a)


def gray_code(n):
    return n ^ (n >> 1)


def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def disagree(a, b):
    return a ^ b


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def in_window(x, *, lo=-0.5, hi=1.5):
    return lo < x <= hi and not x == 0


def first_true(x, y):
    """and/or give operands, not bools."""
    return (x and y) or 0.25


def signed_power(x, p):
    return math.copysign(abs(x) ** p, x)


def uses_global(x):
    return GAIN * math.atan(x)


def make_scaled(scale, offset):
    def scaled(x):
        return scale * x * x + offset

    return scaled


closure = make_scaled(3.0, -1.0)


def default_operand(x, power=1.5, *, bias=0.0):
    return abs(x) ** power + bias


def walrus(x):
    if (y := x * x) > 1 and (z := math.log(y)) > 0.5:
        return y + z
    return y


def log_mean(a, b):
    """Logarithmic mean, a series near a == b."""
    r = b / a
    if abs(r - 1) < 1e-3:
        u = r - 1
        return a * (1 + u / 2 - u * u / 12 + u**3 / 24 - 19 * u**4 / 720)
    return (b - a) / math.log(r)


def entropy_term(p):
    return -p * math.log(p) if p > 0 else 0.0


def safe_sqrt(x):
    return math.sqrt(x) if x > 0 else 0.0


def bump(x):
    if not -1 < x < 1:
        return 0.0
    return math.exp(-1 / (1 - x * x))


def logit_mixed(p, *, eps=1e-6):
    q = min(max(p, eps), 1 - eps)
    return math.log(q / (1 - q))


def gauss_mixture(x, w):
    total, k = 0.0, 0
    while True:
        total += w**k * math.exp(-((x - k) ** 2))
        k += 1
        if k >= 4:
            break
    else:
        total = math.nan
    return total


def norm3(x, y, z):
    return math.hypot(math.hypot(x, y), z)


def bearing(dx, dy):
    return math.atan2(dy, dx)


def michaelis_hill(s, k, n):
    return s**n / (k**n + s**n)


def chain_of_helpers(x):
    return f.swish(f.gelu_tanh(x) + f.smooth_l1(x, sigma=2.0))
