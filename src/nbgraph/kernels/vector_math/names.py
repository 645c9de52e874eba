"""The functions of the room, and the file of each; reading this needs no Numba."""

from nbgraph.kernels.scalar.functions import FUNCTIONS, named

FAMILY = {name: row.family for name, row in FUNCTIONS.items()}
NAMES = frozenset(FAMILY)
ARITY = {name: row.arity for name, row in FUNCTIONS.items()}
WIDE = frozenset(name for name, row in FUNCTIONS.items() if row.is_special)  # float64 alone
BRANCHING = named("branches")  # not suited to vector code
NARROW = BRANCHING - WIDE

# Largest |x| for the `_small` variants.  n = x * 2/pi is computed with a relative error of one
# unit in the last place, which must not move r by more than the 1 % beyond pi/4 that the
# polynomials allow.
TRIG_BOUND = {"float32": 2.0**17, "float64": 2.0**40}

# Largest |x / y| for `fmod_small`: below a unit in its last place the quotient may be one too many.
FMOD_BOUND = {"float32": 2.0**22, "float64": 2.0**51}
