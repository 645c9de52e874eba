"""All rows of the corpus: importing the functions fills the table."""

from tests.corpus import (  # noqa: F401
    astronomy,
    chemistry,
    finance,
    games,
    geometry,
    hydrology,
    integers,
    navigation,
    numerics,
    optics,
    pharmacology,
    physiology,
    shaders,
    signals,
    statistics,
    thermodynamics,
)  # fmt: skip
from tests.corpus.samples import ROWS as ROWS
