"""Games: damage, levels, ratings, luck."""

import math
import random
from enum import IntEnum

import numpy as np

from tests.corpus.samples import sample

THRESHOLDS = [0, 100, 250, 500, 900, 1500, 2500, 4000]

RARITY = {"common": 0.6, "rare": 0.3, "epic": 0.1}

EFFECTIVE = np.array([[1.0, 0.5, 2.0], [2.0, 1.0, 0.5], [0.5, 2.0, 1.0]])


class Element(IntEnum):
    FIRE = 0
    WATER = 1
    GRASS = 2


@sample("plain", "power", a=(800.0, 2600.0), b=(800.0, 2600.0), ulps=200)
def elo_expected(a, b):
    return 1 / (1 + 10 ** ((b - a) / 400))


@sample("elif", "branches", rating=(800.0, 2700.0), score=(0.0, 1.0))
def elo_update(rating, score, opponent=1500.0):
    if rating < 2100:
        k = 32
    elif rating < 2400:
        k = 24
    else:
        k = 16
    return rating + k * (score - elo_expected(rating, opponent))


@sample(
    "minmax",
    "rounding",
    "bool",
    "static",
    attack=(10.0, 200.0),
    defence=(5.0, 150.0),
    options={"critical": True},
    smooth="",
)
def damage(attack, defence, critical=False):
    base = max(1, math.floor(attack * 100 / (100 + defence)))
    return base * 2 if critical else base


@sample("table", "while", "whole", xp=(0, 6000), smooth="", at=[(100,), (4000,)])
def level_of(xp):
    level = 0
    while level < len(THRESHOLDS) and xp >= THRESHOLDS[level]:
        level += 1
    return level


@sample("enum", "static", "table", power=(1.0, 50.0))
def element_damage(power, attacker=Element.FIRE, target=Element.GRASS):
    return power * EFFECTIVE[attacker, target]


@sample("table", "whole", "minmax", power=(1.0, 50.0), a=(0, 2), b=(0, 2))
def matchup(power, a, b):
    return power * EFFECTIVE[a][b]


@sample("dict", "str", "static", luck=(0.0, 2.0), options={"rarity": "epic"})
def drop_chance(luck, rarity="common"):
    return min(1.0, RARITY.get(rarity, 0.0) * (1 + 0.5 * luck))


@sample("for", "whole", "plain", n=(1, 10), target=(1, 60), ulps=200)
def chance_of_at_least(n, target):
    """The chance that n dice show this many points, by a recurrence of the mean."""
    mean, variance = 3.5 * n, 35 / 12 * n
    z = (target - 0.5 - mean) / math.sqrt(variance)
    return 0.5 * math.erfc(z / math.sqrt(2))


@sample("whole", "branches", x=(-500, 500), y=(-500, 500), smooth="")
def cell_key(x, y):
    a = 2 * x if x >= 0 else -2 * x - 1
    b = 2 * y if y >= 0 else -2 * y - 1
    return a * a + a + b if a >= b else a + b * b


@sample("outputs", "plain", x=(-10.0, 10.0), y=(-10.0, 10.0))
def isometric(x, y, tile=64):
    return (x - y) * tile / 2, (x + y) * tile / 4


@sample("random", "early", p=(0.0, 1.0), smooth="")
def attack_roll(p):
    return 1 if random.random() < p else 0


@sample("random", "for", bonus=(-2, 9))
def damage_of_two_weapons(bonus):
    total = bonus
    for dice, sides in ((2, 6), (1, 8)):
        for _ in range(dice):
            total += random.randint(1, sides)
    return max(total, 0)


@sample("none", "static", "early", t=(0.0, 20.0), options={"haste": 0.4})
def cooldown_left(t, cooldown=12.0, haste=None):
    if haste:
        cooldown = cooldown * (1 - haste)
    return max(0.0, cooldown - t)


@sample("for", "early", "tuple", x=(0.0, 1.0), v=(-4.0, 4.0), ulps=64)
def bouncing_height(x, v):
    h = 2.0 + x
    for _ in range(120):
        v -= 9.81 / 60
        h += v / 60
        if h < 0:
            h, v = -h, -0.7 * v
    return h


@sample("for", "whole", n=(0, 20), smooth="")
def fibonacci(n):
    if n < 2:
        return n
    a, b = 0, 1
    for _ in range(n - 1):
        a, b = b, a + b
    return b


@sample("sorted", "lists", "whole", a=(1, 6), b=(1, 6), c=(1, 6), d=(1, 6), smooth="")
def best_three(a, b, c, d):
    rolls = [a, b, c, d]
    rolls.sort()
    return rolls[1] + rolls[2] + rolls[3]


@sample("unbound", "elif", "whole", distance=(0.0, 30.0), smooth="")
def aggression(distance):
    if distance < 5:
        state = 2
    elif distance < 15:
        state = 1
    elif distance >= 15:
        state = 0
    return state
