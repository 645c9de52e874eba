"""One call of every operator of the library: operands that become variables, and keywords."""

import json
from pathlib import Path

import numpy as np
import scipy.sparse

from nbgraph.operator import registry
from nbgraph.operator.mapper.mapper import Mapper
from tests.ops import array_calls
from tests.ops.array_calls import CALLS
from tests.ops.test_mxnet import operand

M = array_calls.M.copy()  # steps of optimizers write their states

# Results whose shapes depend on values, and what is written in place:
# symbols have none of these.
UNFIT = set(
    "argwhere boolean_mask extract histogram nonzero random_shuffle unique unique_all "
    "unique_counts unique_inverse unique_values".split()
)

V, D, IMAGE = M[0], M[:3, :3] @ M[:3, :3].T + np.eye(3, dtype="float32"), M[None, :2, :, None]
I = np.array([0, 2, 1])
HEADS = np.arange(36, dtype="float32").reshape(3, 1, 12)
SCORES = np.ones((2, 3, 3), "float32") / 3
WHOLE = np.arange(12, dtype="int32").reshape(3, 4)
BITS = set(
    "bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor gcd "
    "lcm".split()
)
HALF = np.float32([0.25, 0.5])
N, STEPS = M.astype("float16"), {"lrs": (0.5, 0.25), "wds": (0.0, 0.0)}
LAYERS = {"mode": "rnn_tanh", "units": 1, "layers": 1, "ways": 1, "p": 0.0, "state_outputs": False}
CSR = [np.float32([1, 2, 3]), np.array([0, 2, 1]), np.array([0, 2, 2, 3])]


def _each(names, *operands, **keywords):
    return dict.fromkeys(names.split(), (operands, keywords))


_TRANSFORMS = (
    "fft ifft fftn ifftn fft2 ifft2 rfft irfft rfftn irfftn rfft2 irfft2 hfft ihfft fftshift "
    "ifftshift"
)
_MATRICES = (
    "linalg_cholesky linalg_cond linalg_diagonal linalg_eig linalg_eigh linalg_eigvals "
    "linalg_eigvalsh linalg_expm linalg_inv linalg_matrix_norm linalg_matrix_rank linalg_norm "
    "linalg_pinv linalg_qr linalg_svd linalg_svdvals linalg_trace linalg_vector_norm"
)
LOSSES = "hinge huber l1 l2 logistic smooth_l1 squared_hinge focal"
FUNCTIONS = {
    **_each("adaptive_avg_pooling adaptive_max_pooling", M[None, None], places=(2, 3)),
    **_each("append", M, M, axis=0),
    **_each("array_split split", M, sections=2, axis=1),
    **_each("atleast_1d atleast_2d atleast_3d ravel matrix_transpose random_permutation", M),
    **_each("batch_norm", M, V, V),
    **_each("layer_norm", M, V, V),
    **_each("rms_norm", M, V),
    **_each("group_norm", M[None], groups=3, gamma=V[:3], beta=V[:3]),
    **_each("instance_norm", M[None], V[:3], V[:3]),
    **_each("binary_cross_entropy", HALF, HALF),
    **_each("binary_cross_entropy_with_logits cosine_similarity kl_divergence outer vecdot", V, V),
    **_each(" ".join(f"{name}_loss" for name in LOSSES.split()), M, M),
    **_each("broadcast_arrays", M, V),
    **_each("meshgrid", V, V[:3]),
    **_each("choose", I % 2, [I, I + 1]),
    **_each("column_stack dstack hstack vstack", [V, V]),
    **_each("cosine_embedding_loss", M, M, np.float32([1, -1, 1])),
    **_each("cross_entropy unlikelihood", M, I),
    **_each("cumprod diff ptp", M, axis=1),
    **_each("debug dropout empty_like rrelu trace", M),
    **_each("dot_csr", M[:2, :3], *CSR, columns=3),
    **_each("softmax_within", M, np.int64([1, 2, 0]), axis=1, temperature=None, out=None),
    **_each("sparse_dot", scipy.sparse.csr_matrix(M), M.T),
    **_each("BatchNorm", M, V, V, V, V),
    **_each("concatenate stack", [M, M], axis=0),
    **_each("einsum", "ij,ij->i", M, M),
    **_each("unstack", M, num=3),
    **_each("random_choice", M, size=2),
    **_each("random_negative_binomial random_generalized_negative_binomial", HALF, HALF),
    **_each("random_unique_zipfian", range_max=9, size=(2, 3)),
    **_each("rand_zipfian", I, num_sampled=3, range_max=9),
    **_each("shuffled", M),
    **_each("reduce_others", M, reduction="sum", axis=0, exclude=True),
    **_each("multi_sgd_update", M, M, V, V, num_weights=2, **STEPS),
    **_each("multi_sgd_mom_update", M, M, M, V, V, V, num_weights=2, momentum=0.5, **STEPS),
    **_each("multi_mp_sgd_update", N, N, M, N, N, M, num_weights=2, **STEPS),
    **_each("multi_mp_sgd_mom_update", N, N, M, M, N, N, M, M, num_weights=2, **STEPS),
    **_each("mp_lamb_update_phase1", N, N, M, M, M, t=1, wd=0.0),
    **_each("mp_lamb_update_phase2", N, M, HALF[:1], HALF[:1], M, lr=0.5),
    **_each("embedding", I, M),
    **_each("fill_element_0index", M, HALF[[0, 0, 1]], I),
    **_each("identity", n=3),
    **_each("index_select", M, indices=I, axis=1),
    **_each("linalg_gelqf", np.cos(M * M)),  # of full rank
    **_each("linalg_syevd", D),
    **_each("conj conjugate angle", M),
    **_each(" ".join(f"fft_{name}" for name in _TRANSFORMS.split()), M),
    **_each("fft_fftfreq fft_rfftfreq", n=4),
    **_each("fft_complex", M, n=None, axis=1, norm="ortho", inverse=True),
    **_each("fft_real fft_hermitian", M, n=None, axis=1, norm="ortho"),
    **_each(_MATRICES, D),
    **_each("linalg_matrix_power", D, n=2),
    **_each("linalg_tensorinv", D, ind=1),
    **_each("linalg_lstsq linalg_solve linalg_tensorsolve", D, V[:3]),
    **_each("linalg_cross linalg_outer", V[:3], V[1:]),
    **_each("linalg_multi_dot", [D, M, V]),
    **_each("ravel_multi_index", np.array([[0, 1], [2, 3]]), shape=(3, 4)),
    **_each("unravel_index", I, shape=(3, 4)),
    **_each("roi_pooling", M[None, None], np.float32([[0, 0, 0, 2, 2]]), pooled_size=(2, 2)),
    **_each("shift", M, offsets=(1, 0)),
    **_each("scaled_dot_product_attention", M, M, M),
    **_each("triplet_margin_loss", M, M * M, M + 1),
    **_each("random_bernoulli random_exponential random_poisson random_geometric", HALF),
    **_each("random_gamma random_standard_gamma", HALF),
    **_each("random_beta", HALF, HALF),
    **_each("random_binomial", I[:2] + 1, HALF),
    **_each("random_integers", I, high=9),
    **_each("random_categorical", M, size=3),
    **_each("random_multinomial", pvals=HALF / HALF.sum(), n=5, size=(3,)),
    **_each(
        "random_gumbel random_laplace random_logistic random_lognormal random_normal "
        "random_truncated_normal",
        *(HALF, HALF),
    ),
    **_each("random_uniform sample_uniform", HALF, HALF + 1),
    **_each("sample_exponential sample_poisson", HALF, shape=(3,)),
    **_each("sample_gamma sample_normal sample_negative_binomial", HALF, HALF, shape=(3,)),
    **_each("index_array", M),
    **_each("box_iou", M[:, :4], M[:2, :4]),
    **_each("box_nms", np.concatenate([M, M], 1)[:, :6]),
    **_each("MultiBoxPrior", np.ones((1, 2, 3, 4), "float32")),
    **_each("interleaved_matmul_selfatt_qk", HEADS, heads=2),
    **_each("interleaved_matmul_selfatt_valatt", HEADS, SCORES, heads=2),
    **_each("interleaved_matmul_encdec_qk", HEADS[..., :4], HEADS[..., :8], heads=2),
    **_each("interleaved_matmul_encdec_valatt", HEADS[..., :8], SCORES, heads=2),
    **_each(
        "random_exponential_like random_gamma_like random_generalized_negative_binomial_like "
        "random_negative_binomial_like random_normal_like random_poisson_like random_uniform_like",
        M,
    ),
    **_each("sample_generalized_negative_binomial", HALF, HALF),
    **_each("rows_like", V[:3], M),
    **_each("rnn_layers", M[None], np.arange(12, dtype="f4") / 12, M[None, :, :1], **LAYERS),
    **_each("sample_multinomial", M, shape=3),
    **_each("random_randn", loc=1.0),
    **_each("random_random random_standard_exponential random_standard_normal", size=(3,)),
}  # fmt: skip


def layers():
    """Calls of MXNet's operators, each once, from the numbers that they are compared with."""
    path = Path(__file__).parents[1] / "data" / "mxnet.json"
    for case in json.loads(path.read_text()):
        if not case["in"] or case.get("keywords"):
            continue
        values = [operand(spec) for spec in case["in"]]
        how = {k: tuple(v) if isinstance(v, list) else v for k, v in case.get("with", {}).items()}
        yield case["op"], ([values] if case.get("list") else values, how)


def calls():
    """By name: operands and keywords of every operator, aliases left out."""
    found: dict = {}
    own: dict = {}
    for name, row in layers():
        own.setdefault(registry.find(name), row)
    for name in sorted(registry.library()):
        entry = registry.entry(name)
        if entry.names[0] != name or name in UNFIT:
            continue
        if isinstance(entry.op, Mapper):
            x = WHOLE if name in BITS else M / 2
            found[name] = [x] * entry.op.nin, {}
        else:
            row = FUNCTIONS.get(name) or own.get(entry.op) or CALLS.get(name)
            if row is not None:
                found[name] = list(row[0]), dict(row[1])
    return found


def missing():
    """Operators without a call here."""
    known = calls()
    return [
        name
        for name in registry.library()
        if registry.entry(name).names[0] not in known and registry.entry(name).names[0] not in UNFIT
    ]
