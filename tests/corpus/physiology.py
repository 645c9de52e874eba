"""Physiology: cells, blood, the body's measures."""

import math
from math import exp

import numpy as np
from numba import njit

from tests.corpus.samples import sample

BMI_NAMES = (18.5, 25.0, 30.0, 35.0, 40.0)


@sample("elif", "whole", weight=(40.0, 150.0), height=(1.4, 2.1), smooth="")
def bmi_class(weight, height):
    bmi = weight / height**2
    if bmi < 18.5:
        return 0
    elif bmi < 25:
        return 1
    elif bmi < 30:
        return 2
    else:
        return 3


@sample("table", "for", "whole", bmi=(10.0, 50.0), smooth="", at=[(18.5,), (40.0,)])
def bmi_class_by_table(bmi):
    for i, limit in enumerate(BMI_NAMES):
        if bmi < limit:
            return i
    return len(BMI_NAMES)


@sample(
    "bool",
    "static",
    "default",
    weight=(40.0, 120.0),
    height=(140.0, 200.0),
    age=(18, 90),
    options={"male": False},
)
def basal_metabolic_rate(weight, height, age, male=True):
    """Mifflin and St Jeor."""
    base = 10 * weight + 6.25 * height - 5 * age
    return base + 5 if male else base - 161


@sample("str", "static", "dict", "minmax", creatinine=(0.4, 4.0), age=(18.0, 90.0), ulps=64)
def egfr_ckd_epi(creatinine, age, sex="female"):
    """CKD-EPI of 2021."""
    kappa, alpha = {"female": (0.7, -0.241), "male": (0.9, -0.302)}[sex]
    ratio = creatinine / kappa
    value = 142 * min(ratio, 1) ** alpha * max(ratio, 1) ** -1.2 * 0.9938**age
    if sex == "female":
        value *= 1.012
    return value


@sample("early", "branches", v=(-100.0, 50.0), at=[(-40.0,)], ulps=1e3)
def alpha_m(v):
    """The rate of sodium's gate, with its limit at -40 mV."""
    if abs(v + 40) < 1e-7:
        return 1.0
    return 0.1 * (v + 40) / (1 - exp(-(v + 40) / 10))


@sample("njit", "helper", "for", current=(0.0, 20.0), ulps=2e6)
@njit
def nagumo_after(current, steps=200):
    v, w = -1.2, -0.6
    for _ in range(200):
        dv = v - v**3 / 3 - w + 0.1 * current
        dw = 0.08 * (v + 0.7 - 0.8 * w)
        v, w = v + 0.05 * dv, w + 0.05 * dw
    return v


@sample("power", "branches", po2=(0.5, 150.0), at=[(0.0,)])
def severinghaus(po2):
    if po2 <= 0:
        return 0.0
    return 1 / (23400 / (po2**3 + 150 * po2) + 1)


@sample("power", "default", po2=(1.0, 120.0), ph=(7.0, 7.8))
def hill_saturation(po2, ph, n=2.7, temperature=37.0):
    p50 = 26.8 * 10 ** (0.48 * (7.4 - ph)) * 10 ** (0.024 * (temperature - 37))
    return po2**n / (po2**n + p50**n)


@sample(
    "match",
    "str",
    "static",
    "raise",
    qt=(300.0, 480.0),
    rr=(0.4, 1.5),
    options={"formula": "fridericia"},
)
def corrected_qt(qt, rr, formula="bazett"):
    match formula:
        case "bazett":
            return qt / math.sqrt(rr)
        case "fridericia":
            return qt / np.cbrt(rr)
        case "framingham":
            return qt + 154 * (1 - rr)
        case _:
            raise ValueError(formula)


@sample(
    "dict",
    "str",
    "static",
    "power",
    "lambda",
    weight=(3.0, 120.0),
    height=(50.0, 200.0),
    options={"method": "haycock"},
    ulps=64,
)
def body_surface(weight, height, method="mosteller"):
    formulas = {
        "mosteller": lambda w, h: math.sqrt(w * h / 3600),
        "dubois": lambda w, h: 0.007184 * w**0.425 * h**0.725,
        "haycock": lambda w, h: 0.024265 * w**0.5378 * h**0.3964,
    }
    return formulas[method](weight, height)


@sample("assert", "power", age=(20.0, 80.0), at=[(-3.0,)], decorated={"on_invalid": "nan"})
def maximum_heart_rate(age):
    assert age > 0, f"age {age}"
    return 208 - 0.7 * age


@sample("while", "mixed", lactate=(1.0, 20.0), smooth="")
def minutes_to_recover(lactate):
    minutes = 0
    while lactate > 2 and minutes < 240:
        lactate -= 0.035 * lactate
        minutes += 1
    return minutes


@sample("plain", K_out=(2.0, 10.0), K_in=(100.0, 160.0))
def goldman_potential(K_out, K_in, Na_out=145.0, Na_in=12.0, p=0.04, T=310.15):
    return 1e3 * 8.314 * T / 96485 * math.log((K_out + p * Na_out) / (K_in + p * Na_in))


@sample("logic", "walrus", pulse=(40.0, 200.0), systolic=(70.0, 200.0), smooth="")
def shock_alarm(pulse, systolic):
    if (index := pulse / systolic) > 0.9 and systolic < 110:
        return index
    return 0.0


@sample("plain", "minmax", skin=(20.0, 36.0), v=(0.0, 5.0), at=[(30.0, 0.0)])
def evaporative_loss(skin, v):
    pressure = math.exp(18.956 - 4030.18 / (skin + 235))
    coefficient = max(3.1, 8.3 * v**0.6) if v > 0.1 else 3.1
    return 16.5 * coefficient * 0.06 * (pressure * 0.1 - 1.5)
