"""Dates of `datetime` as plain classes, which are captured like the user's own.

Fliegel and van Flandern, Communications of the ACM 11, 1968, in years that begin in March. `| 0`
asks for integers, as Python does.
"""

from typing import NamedTuple

EPOCH, ERA = -305, 146097  # the number of the first of March of year 0, the days of 400 years


def ordinal(year, month, day):
    """The number of a day, 1 for the first of January of year 1."""
    since_march, year = (month + 9) % 12, year - (month <= 2)
    days = 365 * year + year // 4 - year // 100 + year // 400
    return EPOCH + days + (153 * since_march + 2) // 5 + day - 1


def fromordinal(n):
    """`date.fromordinal`."""
    if not 1 <= n <= 3652059:
        raise ValueError("the number of the day is out of range")
    eras, day = divmod((n | 0) - EPOCH, ERA)
    years = (day - day // 1460 + day // 36524 - day // (ERA - 1)) // 365
    day = day - (365 * years + years // 4 - years // 100)
    since_march = (5 * day + 2) // 153
    month = (since_march + 2) % 12 + 1
    return date(400 * eras + years + (month <= 2), month, day - (153 * since_march + 2) // 5 + 1)


def timedelta(days=0, seconds=0, *, minutes=0, hours=0, weeks=0):
    """`datetime.timedelta` of whole seconds."""
    total = (seconds | 0) + 60 * (minutes | 0) + 3600 * (hours | 0)
    return Span((days | 0) + 7 * (weeks | 0) + total // 86400, total % 86400)


class Span(NamedTuple):
    """A `timedelta`: as a tuple it is ordered."""

    days: int
    seconds: int
    number = lambda self: self.days * 86400 + self.seconds
    total_seconds = lambda self: float(self.number())
    __add__ = lambda a, b: b + a if isinstance(b, Date) else timedelta(0, a.number() + b.number())
    __mul__ = lambda self, times: timedelta(self.days * times, self.seconds * times)
    __rmul__ = __mul__


def date(year, month, day):
    """`datetime.date`."""
    if not (1 <= year <= 9999 and 1 <= month <= 12):
        raise ValueError("year must be in 1..9999 and month in 1..12")
    if not 1 <= day <= ordinal(year + month // 12, month % 12 + 1, 1) - ordinal(year, month, 1):
        raise ValueError("day is out of range for month")
    return Date(year | 0, month | 0, day | 0)


class Date(NamedTuple):
    """A `date`: as a tuple it is ordered."""

    year: int
    month: int
    day: int
    number = lambda self: ordinal(self.year, self.month, self.day)
    toordinal = number
    weekday = lambda self: (self.number() + 6) % 7
    isoweekday = lambda self: self.weekday() + 1
    __add__ = lambda self, other: fromordinal(self.number() + other.days)

    def __sub__(self, other):
        if isinstance(other, Span):
            return fromordinal(self.number() - other.days)
        return Span(self.number() - other.number(), 0)
