"""Maps by both compilers: every operator of the library, its gradient, and both in one loop.

Layouts, requests, casts, streaming and disjointness are drawn by a seed. Kernel budget: a pair of
kernels takes 0.2 to 0.6 s; the everyday run makes one for each of two fifths of the operators,
--full one for each form and dtype of all of them.
"""

import zlib

import numpy as np
import pytest

from nbgraph import ops
from nbgraph.errors import NbgraphError
from nbgraph.operator.backward import backward, forward_backward
from tests.kernels.llvm.twins import DTYPES, differences, dtype_of
from tests.ops.elementwise import DIFFERENTIABLE, NAMES

FORMS = {"forward": lambda op: op, "backward": backward, "both": forward_backward}


def seed_of(*words):
    """The same number for the same words."""
    return zlib.crc32(" ".join(words).encode())


def forms_of(name):
    """The forms an operator has."""
    return list(FORMS) if name in DIFFERENTIABLE else ["forward"]


def drawn(op, dtype, rng):
    """A map over random layouts with random requests; NbgraphError where op refuses the dtype."""
    plan = op.invoker.plan_of([dtype_of(dtype)] * op.nin, op.parameters_of({}))
    outputs = [o.name for o in plan.typed.outputs]
    if rng.random() < 0.3:  # cast on output
        outputs = [rng.choice(["float16", "float32"]) if "float" in o else o for o in outputs]
    chance = rng.random()
    layouts = [*rng.choice(["c", "c", "0"], op.nin), *["c"] * op.nout]
    if chance < 0.3:
        layouts = ["s" if layout == "c" else layout for layout in layouts]
    if chance > 0.8:
        return plan.loop(layouts, outputs, ["write"] * op.nout, streaming=True)
    requests = list(rng.choice(["write", "add"], op.nout))
    disjoint = bool(rng.integers(2))
    return plan.loop(layouts, outputs, requests, disjoint=disjoint)


def loops(name, full):
    """What is tried of an operator: every form and dtype it takes, or one of them."""
    found = []
    rng = np.random.default_rng(seed_of(name))
    forms = forms_of(name)
    for form in forms if full else [rng.choice(forms)]:
        op = FORMS[form](getattr(ops, name))
        for dtype in rng.permutation(DTYPES):
            try:
                found.append(drawn(op, dtype, rng))
            except NbgraphError:  # no operator of such numbers
                continue
            if not full:
                break
    return found


@pytest.mark.everyday(1 / 8)
@pytest.mark.parametrize("name", NAMES)
def test_maps(name, full):
    """Whatever is stored, and all that is not, has the same bits."""
    tried = loops(name, full)
    assert tried
    for number, loop in enumerate(tried):
        assert not differences(loop, seed_of(name, str(number)))
