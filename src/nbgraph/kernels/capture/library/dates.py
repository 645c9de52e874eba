"""Dates of `datetime` as plain classes, which are captured like the user's own.

Fliegel and van Flandern, Communications of the ACM 11, 1968, in years that begin in March. `| 0`
refuses floats, as Python does.
"""

# ruff: noqa: PYI024, SLOT002 - their fields need no types, and are many

from collections import namedtuple
from typing import NamedTuple

EPOCH, ERA = -305, 146097  # the number of the first of March of year 0, the days of 400 years


def ordinal(year, month, day):
    """Return the number of a day, 1 for the first of January of year 1."""
    since_march, year = (month + 9) % 12, year - (month <= 2)
    days = 365 * year + year // 4 - year // 100 + year // 400
    return EPOCH + days + (153 * since_march + 2) // 5 + day - 1


def fromordinal(n):
    """Return the value of `date.fromordinal`."""
    if not 1 <= n <= 3652059:
        raise ValueError("the number of the day is out of range")
    eras, day = divmod((n | 0) - EPOCH, ERA)
    years = (day - day // 1460 + day // 36524 - day // (ERA - 1)) // 365
    day = day - (365 * years + years // 4 - years // 100)
    since_march = (5 * day + 2) // 153
    month = (since_march + 2) % 12 + 1
    return date(400 * eras + years + (month <= 2), month, day - (153 * since_march + 2) // 5 + 1)


def timedelta(days=0, seconds=0, *, minutes=0, hours=0, weeks=0):
    """Return the value of `datetime.timedelta`, of whole seconds."""
    total = (seconds | 0) + 60 * (minutes | 0) + 3600 * (hours | 0)
    return Span((days | 0) + 7 * (weeks | 0) + total // 86400, total % 86400)


class Span(NamedTuple):
    """A `timedelta` as a tuple, whose order is that of its fields."""

    days: int
    seconds: int
    number = lambda self: self.days * 86400 + self.seconds
    total_seconds = lambda self: float(self.number())
    __add__ = lambda a, b: (
        b + a if isinstance(b, (Date, Moment)) else timedelta(0, a.number() + b.number())
    )
    __mul__ = lambda self, times: timedelta(self.days * times, self.seconds * times)
    __rmul__ = __mul__


def date(year, month, day):
    """Return the value of `datetime.date`."""
    if not (1 <= year <= 9999 and 1 <= month <= 12):
        raise ValueError("year must be in 1..9999 and month in 1..12")
    if not 1 <= day <= ordinal(year + month // 12, month % 12 + 1, 1) - ordinal(year, month, 1):
        raise ValueError("day is out of range for month")
    return Date(year | 0, month | 0, day | 0)


def datetime(year, month, day, hour=0, minute=0, second=0):
    """Return the value of `datetime.datetime`, without a time zone."""
    if not (0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60):
        raise ValueError("hour must be in 0..23, minute and second in 0..59")
    return Moment(*date(year, month, day), hour | 0, minute | 0, second | 0)


def moment(seconds):
    """Return the moment some seconds after the day before the first one."""
    rest = seconds % 86400
    return Moment(*fromordinal(seconds // 86400), rest // 3600, rest // 60 % 60, rest % 60)


def isocalendar(day):
    """Return the value of `date.isocalendar`: a week belongs to the year of its Thursday."""
    number = day.toordinal()
    thursday = fromordinal(number - (number + 6) % 7 + 3)
    week = (thursday.toordinal() - ordinal(thursday.year, 1, 1)) // 7 + 1
    return Week(thursday.year, week, day.isoweekday())


Week = namedtuple("Week", "year week weekday")
Day = namedtuple("Day", "tm_year tm_mon tm_mday tm_yday")
number = lambda day: ordinal(day.year, day.month, day.day)
weekday = lambda day: (day.toordinal() + 6) % 7
isoweekday = lambda day: day.weekday() + 1
timetuple = lambda day: Day(*day[:3], day.toordinal() - ordinal(day.year, 1, 1) + 1)


class Date(namedtuple("Date", "year month day")):
    """A `date` as a tuple, whose order is that of its fields."""

    number, toordinal, weekday, isoweekday = number, number, weekday, isoweekday
    isocalendar, timetuple = isocalendar, timetuple
    __add__ = lambda self, other: fromordinal(self.number() + other.days)

    def replace(self, year=None, month=None, day=None):
        """Return the value of `date.replace`."""
        parts = zip((year, month, day), self, strict=True)
        return date(*(old if new is None else new for new, old in parts))

    def __sub__(self, other):
        if isinstance(other, Span):
            return fromordinal(self.number() - other.days)
        return Span(self.number() - other.number(), 0)


class Moment(namedtuple("Moment", "year month day hour minute second")):
    """A `datetime` as a tuple, whose order is that of its fields."""

    toordinal, weekday, isoweekday = number, weekday, isoweekday
    isocalendar, timetuple = isocalendar, timetuple
    date = lambda self: Date(*self[:3])
    seconds = lambda self: self.hour * 3600 + self.minute * 60 + self.second
    number = lambda self: self.toordinal() * 86400 + self.seconds()
    __add__ = lambda self, other: moment(self.number() + other.number())

    def replace(self, year=None, month=None, day=None, hour=None, minute=None, second=None):
        """Return the value of `datetime.replace`."""
        parts = zip((year, month, day, hour, minute, second), self, strict=True)
        return datetime(*(old if new is None else new for new, old in parts))

    def __sub__(self, other):
        if isinstance(other, Span):
            return moment(self.number() - other.number())
        return timedelta(0, self.number() - other.number())
