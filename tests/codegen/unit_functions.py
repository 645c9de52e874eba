"""Functions as a core's source files hold them, and entries over them; plain Python until moved."""

STEP = 8
LIMIT = 3 * STEP


def load(address):
    """Stands for the intrinsic; in plain Python it gives its argument."""
    return address


def store(address, value):
    raise AssertionError("the simulation's primitive is replaced")


def pause():
    """Stands for the intrinsic."""


def total(argv, argc):
    """Calls what is defined below."""
    result = 0
    for i in range(argc):
        result += word(argv, i)
    return result


def word(argv, i):
    return load(argv + i * STEP)


def limit(argv, argc):
    return LIMIT


def spin(argv, argc):
    """Count in the word whose address is given, until the next word is not zero."""
    state = load(argv)
    while load(state + STEP) == 0:
        store(state, load(state) + 1)
        pause()
    return load(state)


def minus_one(argv, argc):
    return -1


def line(args, lo, hi):
    return args * lo + hi


def add(a, b):
    return a + b


def sums(argv, argc):
    return add(0, 3) + add(1, 2) + add(argc, 0) + add(2, b=argc) + add(argc, argc)


ALL = {f.__name__: f for f in (total, word, limit, spin, minus_one, line, add, sums)}
