"""Finance: options, bonds, loans, taxes."""

import enum
import logging
import math
from functools import partial
from math import erf, exp, log, sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from tests.corpus.samples import sample

logger = logging.getLogger(__name__)

BRACKETS = [(11000.0, 0.10), (44725.0, 0.12), (95375.0, 0.22), (182100.0, 0.24), (1e9, 0.32)]

FREQUENCY = {"annual": 1, "semiannual": 2, "quarterly": 4, "monthly": 12}

SPREADS = np.array([0.0003, 0.0008, 0.0021, 0.0051, 0.0123, 0.0407])


class Right(enum.Enum):
    CALL = 1
    PUT = -1


def cdf(x):
    return 0.5 * (1 + erf(x / sqrt(2)))


@sample("helper", "plain", S=(50.0, 150.0), K=(60.0, 140.0), T=(0.1, 3.0), ulps=200, size=100.0)
def call_price(S, K, T, r=0.03, sigma=0.25):
    d1 = (log(S / K) + (r + sigma**2 / 2) * T) / (sigma * sqrt(T))
    d2 = d1 - sigma * sqrt(T)
    return S * cdf(d1) - K * exp(-r * T) * cdf(d2)


@sample(
    "str",
    "static",
    "stats",
    "raise",
    S=(50.0, 150.0),
    K=(60.0, 140.0),
    ulps=200,
    options={"option": "put"},
)
def option_price(S, K, T=1.0, r=0.02, sigma=0.3, option="call"):
    d1 = (np.log(S / K) + (r + 0.5 * sigma**2) * T) / (sigma * np.sqrt(T))
    d2 = d1 - sigma * np.sqrt(T)
    if option == "call":
        return S * norm.cdf(d1) - K * np.exp(-r * T) * norm.cdf(d2)
    elif option == "put":
        return K * np.exp(-r * T) * norm.cdf(-d2) - S * norm.cdf(-d1)
    else:
        raise ValueError("option must be 'call' or 'put'")


@sample("enum", "static", "helper", S=(50.0, 150.0), vol=(0.1, 0.6), size=1.0)
def delta(S, vol, K=100.0, T=0.5, r=0.01, right=Right.CALL):
    d1 = (log(S / K) + (r + vol * vol / 2) * T) / (vol * sqrt(T))
    if right is Right.CALL:
        return cdf(d1)
    return cdf(d1) - 1


@sample("for", "convergence", "helper", price=(8.0, 40.0), ulps=1e4)
def implied_volatility(price, S=100.0, K=100.0, T=1.0, r=0.02):
    sigma = sqrt(2 * math.pi / T) * price / S
    for _ in range(50):
        d1 = (log(S / K) + (r + 0.5 * sigma**2) * T) / (sigma * sqrt(T))
        value = S * cdf(d1) - K * exp(-r * T) * cdf(d1 - sigma * sqrt(T))
        vega = S * sqrt(T) * exp(-0.5 * d1 * d1) / sqrt(2 * math.pi)
        step = (value - price) / vega
        sigma -= step
        if abs(step) < 1e-10:
            break
    return sigma


@sample("solver", "nested", "helper", price=(5.0, 40.0), ulps=1e6)
def implied_volatility_brent(price, S=100.0, K=105.0, T=1.0, r=0.02):
    def difference(sigma):
        d1 = (log(S / K) + (r + 0.5 * sigma**2) * T) / (sigma * sqrt(T))
        return S * cdf(d1) - K * exp(-r * T) * cdf(d1 - sigma * sqrt(T)) - price

    return brentq(difference, 1e-4, 5.0, xtol=1e-12)


@sample("early", "effect", rate=(0.0, 0.12), n=(12, 360), at=[(0.0, 120)], ulps=2e4)
def monthly_payment(rate, n, principal=200000.0):
    i = rate / 12
    if i == 0:
        print("no interest")
        return principal / n
    return principal * i / (1 - (1 + i) ** -n)


@sample("for", "power", y=(-0.05, 0.3))
def bond_price(y, coupon=0.05, years=10, face=100.0):
    price = 0.0
    for t in range(1, 11):
        price += coupon * face / (1 + y) ** t
    return price + face / (1 + y) ** years


@sample("while", "convergence", price=(60.0, 140.0), smooth="", ulps=1e5)
def yield_to_maturity(price):
    lo, hi = -0.5, 1.0
    while hi - lo > 1e-6:
        mid = (lo + hi) / 2
        value = sum(6.0 / (1 + mid) ** t for t in range(1, 9)) + 100 / (1 + mid) ** 8
        if value > price:
            lo = mid
        else:
            hi = mid
    return (lo + hi) / 2


@sample("generator", "power", rate=(-0.5, 1.0), first=(-500.0, 100.0))
def net_present_value(rate, first):
    flows = (first, 120.0, 140.0, 90.0, 60.0)
    return sum(c / (1 + rate) ** t for t, c in enumerate(flows))


@sample("table", "for", "tuple", "minmax", income=(0.0, 400000.0), at=[(11000.0,), (-5.0,)])
def income_tax(income):
    tax, low = 0.0, 0.0
    for high, rate in BRACKETS:
        if income <= low:
            break
        tax += (min(income, high) - low) * rate
        low = high
    return tax


@sample("elif", "branches", kwh=(0.0, 900.0), at=[(100.0,), (300.0,)])
def electricity_bill(kwh):
    if kwh < 0:
        raise ValueError(f"negative consumption: {kwh}")
    if kwh <= 100:
        cost = kwh * 0.08
    elif kwh <= 300:
        cost = 8.0 + (kwh - 100) * 0.12
    elif kwh <= 500:
        cost = 32.0 + (kwh - 300) * 0.19
    else:
        cost = 70.0 + (kwh - 500) * 0.27
    return round(cost * 1.19, 2)


@sample(
    "dict",
    "str",
    "static",
    "power",
    rate=(0.0, 0.2),
    years=(0.0, 30.0),
    options={"compounding": "monthly"},
    ulps=200,
)
def future_value(rate, years, principal=1000.0, *, compounding="annual"):
    n = FREQUENCY[compounding]
    return principal * (1 + rate / n) ** (n * years)


@sample("dates", "whole", "minmax", y1=(2000, 2020), m1=(1, 12), d1=(1, 31), d2=(1, 31))
def day_count_30_360(y1, m1, d1, d2, y2=2024, m2=6):
    if d1 == 31:
        d1 = 30
    if d2 == 31 and d1 == 30:
        d2 = 30
    return (360 * (y2 - y1) + 30 * (m2 - m1) + (d2 - d1)) / 360


@sample("local", "for", "minmax", S=(60.0, 140.0), sigma=(0.1, 0.5), ulps=400)
def american_put(S, sigma, K=100.0, r=0.05, T=1.0):
    """A binomial tree of 24 steps."""
    n = 24
    dt = T / n
    u = np.exp(sigma * np.sqrt(dt))
    p = (np.exp(r * dt) - 1 / u) / (u - 1 / u)
    values = np.zeros(n + 1)
    for i in range(n + 1):
        values[i] = max(K - S * u ** (2 * i - n), 0.0)
    for step in range(n - 1, -1, -1):
        for i in range(step + 1):
            hold = np.exp(-r * dt) * (p * values[i + 1] + (1 - p) * values[i])
            values[i] = max(hold, K - S * u ** (2 * i - step))
    return values[0]


@sample("table", "whole", "minmax", score=(0.0, 100.0), amount=(0.0, 1e6), smooth="amount")
def expected_loss(score, amount):
    grade = min(int(score / 20), 5)
    return amount * SPREADS[grade] * 0.6


@sample("partial", "lambda", b=(0.1, 5.0), p=(0.0, 1.0))
def kelly(b, p):
    edge = lambda win, odds: win * odds - (1 - win)
    at_odds = partial(edge, odds=b)
    return max(0.0, at_odds(p) / b)


@sample("plain", "effect", r=(-0.02, 0.1), T=(0.01, 30.0), ulps=2e4)
def vasicek_bond(r, T, a=0.2, b=0.05, sigma=0.01):
    B = (1 - math.exp(-a * T)) / a
    A = (B - T) * (a * a * b - sigma**2 / 2) / a**2 - (sigma * B) ** 2 / (4 * a)
    logger.debug("A=%s B=%s", A, B)
    return math.exp(A - B * r)


@sample(
    "bool", "static", "branches", spot=(50.0, 150.0), barrier=(60.0, 90.0), options={"rebate": True}
)
def barrier_payoff(spot, barrier, strike=100.0, rebate=False):
    if spot <= barrier:
        return 2.5 if rebate else 0.0
    return max(spot - strike, 0.0)


@sample("match", "static", "str", rate=(0.0, 0.2), days=(1.0, 365.0), options={"basis": "act/365"})
def accrued(rate, days, basis="act/360"):
    match basis:
        case "act/360":
            year = 360
        case "act/365" | "act/365f":
            year = 365
        case _:
            year = 365.25
    return rate * days / year


@sample("plain", S1=(50.0, 150.0), S2=(50.0, 150.0), ulps=400, size=100.0)
def margrabe(S1, S2, v1=0.2, v2=0.3, rho=0.4, T=1.0):
    v = math.sqrt(v1**2 + v2**2 - 2 * rho * v1 * v2)
    d1 = math.log(S1 / S2) / (v * math.sqrt(T)) + v * math.sqrt(T) / 2
    return S1 * cdf(d1) - S2 * cdf(d1 - v * math.sqrt(T))
