"""What an array library does on the device's stream as NumPy does it on the host: the same text.

A factorisation that fails is told, as on the host, for which the library waits for its end.
"""

from __future__ import annotations

from nbgraph.operator.elsewhere import by_library
from nbgraph.ops.losses import alignments
from nbgraph.ops.named import factors, matrices

for op, run in (
    (matrices.linalg_trsm, matrices.trsm),
    (matrices.linalg_potrf, matrices.potrf),
    (matrices.linalg_inverse, matrices.inverse),
    (matrices.linalg_det, matrices.det),
    (matrices.linalg_slogdet, matrices.slogdet),
    (factors.linalg_syevd, factors.syevd),
    (factors.linalg_gelqf, factors.gelqf),
    (alignments.CTCLoss, alignments.alignments),
):
    by_library(op)(run)
