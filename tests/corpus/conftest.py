"""Which rows of the corpus a test takes: a seeded selection every day, all with --full."""

import random

import pytest

from tests.corpus.table import ROWS

COUNTS = {  # rows of the everyday run, by the name of the test
    "test_values": 60,
    "test_the_text_itself_agrees": 40,
    "test_slopes": 24,
    "test_other_worlds_give_the_same_bits": 20,
    "test_both_compilers_agree": 6,
    "test_code_for_gpus": 10,
}


def pytest_generate_tests(metafunc):
    if "row" not in metafunc.fixturenames:
        return
    rows = metafunc.module.suited(metafunc.definition.originalname, ROWS)
    if not metafunc.config.getoption("--full"):
        chosen = random.Random(metafunc.definition.originalname)
        rows = chosen.sample(rows, min(COUNTS[metafunc.definition.originalname], len(rows)))
    metafunc.parametrize("row", rows, ids=[row.id for row in rows])
