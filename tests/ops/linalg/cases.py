"""Calls of `ng.linalg` that tests make in every world: name -> (function, operands)."""

import numpy as np

import nbgraph as ng

RNG = np.random.default_rng(3)
A, B = RNG.normal(size=(2, 3, 3)) + 3 * np.eye(3), RNG.normal(size=(2, 3, 2))
TALL, WIDE = RNG.normal(size=(4, 3)), RNG.normal(size=(2, 2, 4))
V, W = RNG.normal(size=(3,)), RNG.normal(size=(3,))
L = ng.linalg


def positive(x):
    return x @ ng.matrix_transpose(ng.conj(x)) + 2 * np.eye(3)


def symmetric(x):
    return x + ng.matrix_transpose(ng.conj(x))


def sizes(x):
    """What does not depend on the phases, or signs, of vectors."""
    return ng.abs(x)


# in the order of the operands; each is differentiable in all of them
CASES = {
    "solve": (L.solve, A, B),
    "solve vector": (L.solve, A, V),
    "solve broadcast": (L.solve, A[0], B),
    "inv": (L.inv, A),
    "det": (L.det, A),
    "slogdet": (lambda x: L.slogdet(x).logabsdet, A),
    "cholesky": (lambda x: L.cholesky(positive(x)), A),
    "cholesky upper": (lambda x: L.cholesky(positive(x), upper=True), A),
    "qr tall": (lambda x: L.qr(x).Q * 2 + L.qr(x).R[0], TALL),
    "qr wide": (lambda x: ng.concatenate(list(L.qr(x)), -1), WIDE),
    "qr r": (lambda x: L.qr(x, "r"), A),
    "qr complete": (lambda x: L.qr(x, "complete").Q, A),
    "svd": (lambda x: sizes(L.svd(x, full_matrices=False).U) + L.svd(x).Vh.shape[0], TALL),
    "svd vectors": (lambda x: sizes(L.svd(x, full_matrices=False).Vh), WIDE),
    "svd all": (lambda x: sum(sizes(v).sum(-1).sum(-1) for v in L.svd(x)[::2]), A),
    "svd values": (lambda x: L.svd(x).S, WIDE),
    "svdvals": (L.svdvals, A),
    "eigh": (lambda x: sizes(L.eigh(symmetric(x)).eigenvectors), A),
    "eigh upper": (lambda x: L.eigh(symmetric(x), "U").eigenvalues, A),
    "eigvalsh": (lambda x: L.eigvalsh(symmetric(x)), A),
    "eigvals": (lambda x: ng.abs(L.eigvals(x)).sum(-1), A),
    "pinv": (L.pinv, TALL),
    "pinv wide": (L.pinv, WIDE),
    "lstsq": (lambda a, b: L.lstsq(a, b)[0], TALL, RNG.normal(size=(4, 2))),
    "lstsq vector": (lambda a, b: L.lstsq(a, b)[1], TALL, RNG.normal(size=(4,))),
    "matrix_power": (lambda x: L.matrix_power(x, 5), A / 3),
    "matrix_power negative": (lambda x: L.matrix_power(x, -2), A),
    "expm": (L.expm, A / 4),
    "matrix_norm": (L.matrix_norm, TALL),
    "matrix_norm nuc": (lambda x: L.matrix_norm(x, ord="nuc"), WIDE),
    "matrix_norm 2": (lambda x: L.matrix_norm(x, ord=2, keepdims=True), TALL),
    "matrix_norm -1": (lambda x: L.matrix_norm(x, ord=-1), TALL),
    "matrix_norm inf": (lambda x: L.matrix_norm(x, ord=np.inf), TALL),
    "vector_norm": (lambda x: L.vector_norm(x, axis=0, ord=3), TALL),
    "norm axes": (lambda x: L.norm(x, 1, (0, 2), keepdims=True), A),
    "cond": (L.cond, A),
    "cond 1": (lambda x: L.cond(x, 1), A),
    "cross": (L.cross, V, A),
    "diagonal": (lambda x: L.diagonal(x, offset=1), A),
    "trace": (L.trace, A),
    "outer": (L.outer, V, W),
    "multi_dot": (lambda *x: L.multi_dot(x), V, A[0], A[1], TALL.T),
    "tensorinv": (lambda x: L.tensorinv(x, 1), RNG.normal(size=(4, 2, 2))),
    "tensorsolve": (L.tensorsolve, RNG.normal(size=(2, 2, 4)), RNG.normal(size=(2, 2))),
    "vecdot": (L.vecdot, V, A),
    "tensordot": (L.tensordot, A, RNG.normal(size=(3, 3, 2))),
}
_REAL_ONLY = "vector_norm"  # of the parts of complex numbers others are tested
COMPLEX = {name: case for name, case in CASES.items() if "matrix_norm -1" not in name}
