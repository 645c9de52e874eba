"""Calls of NumPy's functions by name, as texts: evaluated on NumPy arrays and on NDArrays.

The first call of a function whose gradient is derived is differentiated, too.
"""

import numpy as np

_draw = np.random.default_rng(7)

# what the texts call arrays; floats stand apart from each other, so that orders are smooth
ARRAYS = {
    "x": _draw.permutation(np.linspace(-2.3, 3.1, 12)).reshape(3, 4),
    "y": _draw.permutation(np.linspace(0.4, 2.9, 12)).reshape(3, 4),
    "s": _draw.permutation(np.linspace(-1.9, 2.2, 9)).reshape(3, 3),
    "c": _draw.permutation(np.linspace(-1, 1.3, 24)).reshape(2, 3, 4),
    "v": np.array([0.7, -1.2, 2.4, 0.1, 1.9]),
    "w": np.array([0.3, 1.1, 0.6, 2.0, 0.8]),
    "p": np.array([1.5, -0.5, 2.0]),
    "q": np.array([0.2, 0.9, -1.4]),
    "up": np.array([-2.0, -0.5, 0.25, 1.0, 3.5]),
    "gap": np.array([[0.5, np.nan, -1.0, 2.0], [np.nan, 3.0, 1.5, 0.25], [1.0, 2.5, -3.0, 4.0]]),
    "wild": np.array([1.0, np.nan, np.inf, -np.inf, -2.5]),
    "n": np.array([3, 1, 0, 2, 1]),
    "b": np.array([[True, False, True, True], [False, True, True, False], [True] * 4]),
    "u": np.array([3, 255, 17, 4], "uint8"),
    "f": np.array([1.5, -2.25, 0.5, 4.0], "float32"),
    "k": np.array([1 + 2j, -3j, 2.0, np.nan + 1j, -1 - 1j]),
    "j": np.array([1 + 2j, -3j, 2.0, 0.5j, -1 - 1j]),
    "z": np.array([0.0, 0.0, 1.5, 0.0, 2.0, 0.0]),
}

CALLS = {
    # reductions
    "sum": (
        "np.sum(x); np.sum(x, axis=(0, 1)); np.sum(x, 1, None, None, True); np.sum(f); "
        "np.sum(b); np.sum(x, where=b, initial=3.0); np.sum(n, dtype='float32'); "
        "np.sum(x, axis=0, where=b)"
    ),
    "prod": "np.prod(y, axis=0); np.prod(n, initial=2); np.prod(y, where=b, axis=1)",
    "max": (
        "np.max(x, axis=1); np.max(x, initial=5.0); np.max(n, where=n > 9, initial=-1); np.max(x)"
    ),
    "amax": "np.amax(x, 0); np.amax(x, axis=0, where=b, initial=-9.0)",
    "min": (
        "np.min(x, axis=1, keepdims=True); np.min(u, initial=200); np.min(x, where=b, initial=1.0)"
    ),
    "amin": "np.amin(x, 0)",
    "any": "np.any(b, axis=0); np.any(x, where=b); np.any(b, 1, None, True)",
    "all": "np.all(b, axis=1); np.all(x, where=b, axis=0)",
    "mean": (
        "np.mean(x, axis=0); np.mean(n); np.mean(x, where=b, axis=1); np.mean(f); "
        "np.mean(n, where=n > 0)"
    ),
    "var": (
        "np.var(x, axis=0, ddof=1); np.var(x, where=b, axis=1); np.var(f); "
        "np.var(x, 1, correction=1); np.var(n, dtype='int64'); "
        "np.var(x, axis=1, mean=np.mean(x, axis=1, keepdims=True))"
    ),
    "std": "np.std(x, axis=0); np.std(x, where=b, axis=1, ddof=1); np.std(n)",
    "ptp": "np.ptp(x, axis=0); np.ptp(x)",
    "argmax": "np.argmax(x, axis=1); np.argmax(x, keepdims=True)",
    "argmin": "np.argmin(x); np.argmin(x, 0)",
    "count_nonzero": "np.count_nonzero(x, axis=0); np.count_nonzero(n, axis=0, keepdims=True)",
    "cumsum": "np.cumsum(x, axis=0); np.cumsum(n); np.cumsum(f, 0, 'float64')",
    "cumprod": "np.cumprod(y, axis=1); np.cumprod(n)",
    "cumulative_sum": ("np.cumulative_sum(x, axis=0, include_initial=True); np.cumulative_sum(v)"),
    "cumulative_prod": "np.cumulative_prod(y, axis=1)",
    "trace": "np.trace(s); np.trace(x, 1, 0, 1); np.trace(c, 0, 1, 2, 'float32')",
    "average": (
        "np.average(x, axis=0, weights=y); np.average(x); np.average(x, 1, weights=up[:4]); "
        "np.average(x, 1, y, True); np.average(n, weights=n); "
        "np.average(x, axis=0, keepdims=True)"
    ),
    "apply_over_axes": "np.apply_over_axes(np.sum, c, [0, 2])",
    # NaNs left out
    "nansum": "np.nansum(gap, axis=0); np.nansum(n); np.nansum(gap, where=b)",
    "nanprod": "np.nanprod(gap, axis=1)",
    "nancumsum": "np.nancumsum(gap, axis=0); np.nancumsum(n)",
    "nancumprod": "np.nancumprod(gap, axis=1)",
    "nanmax": "np.nanmax(gap, axis=0); np.nanmax(n); np.nanmax(gap, axis=1, initial=2.0)",
    "nanmin": (
        "np.nanmin(gap, axis=1, keepdims=True); np.nanmin(gap, axis=0, initial=0.5, where=b)"
    ),
    "nanmean": "np.nanmean(gap, axis=0); np.nanmean(n); np.nanmean(gap, where=b, axis=1)",
    "nanvar": "np.nanvar(gap, axis=0, ddof=1); np.nanvar(n); np.nanvar(gap)",
    "nanstd": "np.nanstd(gap, axis=1); np.nanstd(gap, axis=0, correction=1)",
    "nan_to_num": (
        "np.nan_to_num(wild, nan=1.0, posinf=9.0, neginf=-9.0); np.nan_to_num(wild); "
        "np.nan_to_num(n); np.nan_to_num(f)"
    ),
    "nanargmax": "np.nanargmax(gap, axis=0); np.nanargmax(gap, 1, out=np.zeros_like(n[:3]))",
    "nanargmin": "np.nanargmin(gap)",
    # quantiles
    "median": (
        "np.median(x, axis=0); np.median(v); np.median(n); np.median(f); "
        "np.median(gap, axis=1); np.median(c, axis=(0, 2), keepdims=True); np.median(wild); "
        "np.median(wild[[0, 2, 4]]); np.median(wild[[0, 2]]); np.median(wild[2:4]); "
        "np.median(f.astype('float16') * 20000)"
    ),
    "quantile": (
        "np.quantile(x, [0.1, 0.75], axis=1); np.quantile(v, 0.3); np.quantile(n, 0.4); "
        "np.quantile(f, 0.25); np.quantile(f, np.array([0.1, 0.9])); "
        "np.quantile(gap, 0.5, axis=0); np.quantile(c, [[0.2], [0.8]], axis=(0, 1)); "
        "np.quantile(x, 0.37, method='hazen'); np.quantile(n, 0.5, method='lower'); "
        "np.quantile(v, 0.3, method='averaged_inverted_cdf'); "
        "np.quantile(x, 0.6, axis=1, keepdims=True, method='nearest'); "
        "np.quantile(v, 0.5, weights=w, method='inverted_cdf'); np.quantile(x, [0.0, 1.0])"
    ),
    "percentile": (
        "np.percentile(x, 30, axis=0); np.percentile(f, [25, 75]); np.percentile(v, 100)"
    ),
    "nanmedian": (
        "np.nanmedian(gap, axis=0); np.nanmedian(gap); np.nanmedian(n); np.nanmedian(wild)"
    ),
    "nanquantile": (
        "np.nanquantile(gap, [0.2, 0.9], axis=0); np.nanquantile(n, 0.3); "
        "np.nanquantile(gap, 0.5, axis=1, method='lower', keepdims=True)"
    ),
    "nanpercentile": "np.nanpercentile(gap, 60, axis=1, keepdims=True)",
    # shapes
    "reshape": "np.reshape(x, (4, 3)); np.reshape(x, (2, -1), order='F'); np.reshape(x, -1)",
    "ravel": "np.ravel(x); np.ravel(x, order='F')",
    "transpose": "np.transpose(x); np.transpose(c, (2, 0, 1))",
    "permute_dims": "np.permute_dims(c, (1, 2, 0))",
    "matrix_transpose": "np.matrix_transpose(c)",
    "swapaxes": "np.swapaxes(c, 0, 2)",
    "moveaxis": "np.moveaxis(c, 0, -1); np.moveaxis(c, [0, 1], [1, 2])",
    "rollaxis": "np.rollaxis(c, 2); np.rollaxis(c, 0, 3); np.rollaxis(c, -1, 1)",
    "expand_dims": "np.expand_dims(x, (0, 2))",
    "squeeze": "np.squeeze(x[None, :, :1]); np.squeeze(x[:, :1], 1)",
    "broadcast_to": "np.broadcast_to(p[:, None], (3, 4))",
    "broadcast_arrays": "np.broadcast_arrays(p[:, None], x)",
    "diagonal": "np.diagonal(x, 1); np.diagonal(c, 0, 1, 2)",
    "diag": "np.diag(p); np.diag(s, -1)",
    "diagflat": "np.diagflat(x[:2, :2], 1)",
    "flip": "np.flip(x, 0); np.flip(c)",
    "fliplr": "np.fliplr(x)",
    "flipud": "np.flipud(x)",
    "rot90": (
        "np.rot90(x); np.rot90(c, 2, (0, 2)); np.rot90(x, 3); np.rot90(x, 0); np.rot90(x, -1)"
    ),
    "roll": "np.roll(x, 2, axis=1); np.roll(x, (1, 2), (0, 1)); np.roll(v, 1)",
    "tile": "np.tile(p, (2, 2))",
    "repeat": "np.repeat(x, 2, axis=1); np.repeat(p, 3)",
    "pad": (
        "np.pad(p, 2, constant_values=1.5); np.pad(x, ((1, 0), (0, 2))); "
        "np.pad(x, 1, mode='edge'); np.pad(v, (2, 1), 'reflect'); np.pad(x, 2, 'wrap'); "
        "np.pad(x, 2, mode='symmetric')"
    ),
    "tril": "np.tril(s); np.tril(c, 1)",
    "triu": "np.triu(x, -1)",
    "atleast_1d": "np.atleast_1d(x); np.atleast_1d(p, x)",
    "atleast_2d": "np.atleast_2d(p); np.atleast_2d(p, x)",
    "atleast_3d": "np.atleast_3d(x); np.atleast_3d(p, v)",
    "split": "np.split(x, 2, axis=1); np.split(v, [1, 3])",
    "array_split": "np.array_split(v, 3)",
    "hsplit": "np.hsplit(x, 2); np.hsplit(v, [2])",
    "vsplit": "np.vsplit(x, 3)",
    "dsplit": "np.dsplit(c, [1, 2])",
    "unstack": "np.unstack(x, axis=1)",
    "astype": "np.astype(x, 'float32'); np.astype(x, 'int32')",
    "copy": "np.copy(x)",
    "resize": "np.resize(x, (2, 7)); np.resize(x[:0], (2, 2))",
    "delete": (
        "np.delete(x, 1, axis=1); np.delete(x, [0, 5]); np.delete(v, slice(1, 3)); "
        "np.delete(v, n[:2]); np.delete(x, [], axis=0); np.delete(v, v > 0)"
    ),
    "insert": (
        "np.insert(x, 1, v[:3], axis=1); np.insert(v, [0, 2], 9.0); np.insert(v, 2, p); "
        "np.insert(x, [1, 1], [[7.0], [8.0]], axis=0); np.insert(n, 1, 2.7); "
        "np.insert(v, [], []); np.insert(x, [1], v[:4], axis=0); np.insert(s, [1], p, axis=1); "
        "np.insert(v, v > 0, 3)"
    ),
    "append": "np.append(x, y, axis=0); np.append(v, 3.0)",
    "trim_zeros": (
        "np.trim_zeros(v); np.trim_zeros(z); np.trim_zeros(z, 'f'); np.trim_zeros(z * 0); "
        "np.trim_zeros(z, axis=()); np.trim_zeros(np.outer(z, z), 'b', axis=1)"
    ),
    "sliding_window_view": (
        "np.lib.stride_tricks.sliding_window_view(v, 3); "
        "np.lib.stride_tricks.sliding_window_view(x, (2, 2))"
    ),
    # joining and products
    "concatenate": (
        "np.concatenate([x, y], axis=1); np.concatenate([x, n], axis=None); "
        "np.concatenate([n, n], dtype='float32')"
    ),
    "concat": "np.concat([x, y])",
    "stack": "np.stack([x, y], axis=-1); np.stack((n, n), dtype='int8', casting='unsafe')",
    "hstack": "np.hstack([x, y]); np.hstack((p, v))",
    "vstack": "np.vstack([p, q])",
    "dstack": "np.dstack([x, y])",
    "column_stack": "np.column_stack([p, q, s])",
    "block": "np.block([[s, s], [p, q]]); np.block([p, 1.0]); np.block(v)",
    "dot": "np.dot(x, x.T); np.dot(p, q); np.dot(n, n)",
    "vdot": "np.vdot(x, y)",
    "inner": "np.inner(x, y)",
    "outer": "np.outer(p, v)",
    "vecdot": "np.vecdot(x, y)",
    "matvec": "np.matvec(x, v[:4]); np.matvec(c, up[:4])",
    "vecmat": "np.vecmat(p, x); np.vecmat(p, c)",
    "tensordot": (
        "np.tensordot(x, y, 2); np.tensordot(s, x, 1); np.tensordot(c, x, axes=([1, 2], [0, 1]))"
    ),
    "einsum": (
        "np.einsum('ij,kj->ik', x, y); np.einsum('ii', s, optimize=True); "
        "np.einsum(x, [0, 1], y, [0, 1], [1]); np.einsum('i,i', f, f, dtype='float64'); "
        "np.einsum(x, [0, 30])"
    ),
    "kron": "np.kron(p, s); np.kron(x, y[:2, :2])",
    "cross": "np.cross(p, q); np.cross(s, p); np.cross(c, c[::-1], axis=1)",
    "meshgrid": (
        "np.meshgrid(p, v); np.meshgrid(p, v, sparse=True); np.meshgrid(p, v, indexing='ij')"
    ),
    "ix_": "np.ix_(n, b[0, :3]); np.ix_(n, n[:2], b[0])",
    # choosing
    "where": (
        "np.where(b, x, y); np.where(b); np.where(x > 0, x, 0); np.where(w - 0.3, f[:1], 2); "
        "np.where(n[:4], f, f[::-1]); np.where(u, 2, f); np.where(n, j.astype('complex64'), 1)"
    ),
    "clip": (
        "np.clip(x, -1, 1); np.clip(x, None, 1); np.clip(x, 0, None); np.clip(x, min=0.5); "
        "np.clip(x, -y, y); np.clip(n, 1, 2); np.clip(f, -1, 2.5); "
        "np.clip(u, -1, 300); np.clip(u, 5, 255); np.clip(x, -1, y, dtype='float32')"
    ),
    "round": (
        "np.round(x, 2); np.round(x); np.round(n, -1); np.round(f, 1); np.round(j * 17, 1); "
        "np.round(j * 17, -1)"
    ),
    "around": "np.around(x, decimals=1); np.around(f, n[0] - 2)",
    "fix": "np.fix(x)",
    "sinc": "np.sinc(x)",
    "take": (
        "np.take(x, [0, 2], axis=1); np.take(x, n); np.take(x, n + 20, mode='wrap'); "
        "np.take(v, [-1, 9], mode='clip')"
    ),
    "take_along_axis": (
        "np.take_along_axis(x, np.argsort(x, axis=1), axis=1); np.take_along_axis(x, n, None)"
    ),
    "compress": "np.compress([True, False, True], x, axis=0); np.compress(b[0], v)",
    "extract": "np.extract(b, x)",
    "choose": (
        "np.choose(n[:4], [x, y, x * 2, y * 3]); np.choose(n, (v, w), mode='wrap'); "
        "np.choose(b, (x, y))"
    ),
    "select": "np.select([x > 1, x > 0], [x, y * 2], -1.0); np.select([b], [x])",
    "piecewise": (
        "np.piecewise(x, [x < 0, x > 1], [lambda t: -t, lambda t: t * t, 7.0]); "
        "np.piecewise(v, v > 0, [1.0, -1.0])"
    ),
    "apply_along_axis": (
        "np.apply_along_axis(lambda t: t * t.sum(), 0, x); "
        "np.apply_along_axis(np.sum, 1, c); np.apply_along_axis(np.diag, -1, x)"
    ),
    "nonzero": "np.nonzero(x); np.nonzero(n)",
    "argwhere": "np.argwhere(b)",
    "flatnonzero": "np.flatnonzero(b)",
    "sort": "np.sort(x, kind='stable'); np.sort(x, axis=None); np.sort(x, 0); np.sort(wild)",
    "argsort": "np.argsort(x, axis=0); np.argsort(n, kind='stable')",
    "partition": "np.partition(v, 2)[2:3]; np.sort(np.partition(x, 1, axis=0), axis=0)",
    "argpartition": "np.argpartition(v, 2)[2:3]",
    "searchsorted": (
        "np.searchsorted(up, v); np.searchsorted(up, v, side='right'); "
        "np.searchsorted(v, 0.5, sorter=np.argsort(v))"
    ),
    "isin": "np.isin(n, [1, 2]); np.isin(n, n[:2], invert=True)",
    "isclose": (
        "np.isclose(x, x + 1e-9); np.isclose(wild, wild); "
        "np.isclose(wild, wild, equal_nan=True); np.isclose(n, n + 1)"
    ),
    "isposinf": "np.isposinf(wild)",
    "isneginf": "np.isneginf(wild)",
    "isreal": "np.isreal(x)",
    "iscomplex": "np.iscomplex(x)",
    "real": "np.real(x)",
    "real_if_close": "np.real_if_close(x)",
    "imag": "np.imag(x)",
    "angle": "np.angle(x); np.angle(x, deg=True); np.angle(wild); np.angle(u); np.angle(n)",
    "float_power": "np.float_power(y, x); np.float_power(u, 2)",
    "ldexp": "np.ldexp(x, 3); np.ldexp(v, n)",
    "unique": (
        "np.unique(n); "
        "np.unique(n, return_index=True, return_inverse=True, return_counts=True); "
        "np.unique(s, axis=0)"
    ),
    "unique_values": "np.sort(np.unique_values(n))",
    "unique_all": "np.unique_all(n)",
    "unique_counts": "np.unique_counts(n)",
    "unique_inverse": "np.unique_inverse(n)",
    # statistics
    "cov": (
        "np.cov(x); np.cov(x, rowvar=False, ddof=0); np.cov(v, w); np.cov(v); "
        "np.cov(x, bias=True); np.cov(x, aweights=up[1:] + 2); "
        "np.cov(x, fweights=np.array([1, 2, 3, 1]))"
    ),
    "corrcoef": "np.corrcoef(x); np.corrcoef(v, w); np.corrcoef(x, rowvar=False)",
    "bincount": (
        "np.bincount(n, weights=w); np.bincount(n); np.bincount(n, minlength=9); "
        "np.bincount(u, weights=v[:4]); np.bincount(b[0], w[:4])"
    ),
    "digitize": "np.digitize(x, up); np.digitize(v, up[::-1], right=True)",
    "histogram": (
        "np.histogram(v); np.histogram(x, bins=3, range=(-1, 1), density=True); "
        "np.histogram(v, up, weights=w)"
    ),
    "histogram2d": "np.histogram2d(v, w, bins=3)",
    "histogramdd": "np.histogramdd(s, bins=2)",
    "histogram_bin_edges": "np.histogram_bin_edges(v, 'auto')",
    "lexsort": "np.lexsort((v, n))",
    # calculus
    "diff": "np.diff(x); np.diff(x, n=2, axis=0); np.diff(v, prepend=0.0, append=p)",
    "ediff1d": "np.ediff1d(x); np.ediff1d(v, to_begin=9.0, to_end=p)",
    "gradient": (
        "np.gradient(x, axis=1); np.gradient(x); np.gradient(v, up); np.gradient(v, 0.5); "
        "np.gradient(v, edge_order=2); np.gradient(v, up, edge_order=2); "
        "np.gradient(f, 2.0); np.gradient(x, 2.0, up[:4]); np.gradient(n)"
    ),
    "trapezoid": (
        "np.trapezoid(v, up); np.trapezoid(x, dx=0.5, axis=0); np.trapezoid(x); np.trapezoid(n)"
    ),
    "interp": (
        "np.interp(v, up, w); np.interp(x, up, w, left=-1.0, right=9.0); "
        "np.interp(0.3, up, w); np.interp(x, up, w, period=4.0); np.interp(f, up, w); "
        "np.interp([0.5, np.nan], [-np.inf, np.inf], v[[0, 0]]); np.interp(wild, up, w); "
        "np.interp([0.0, 0.5, 1.0, 1.5], [0, 1, 2], wild[[0, 2, 4]])"
    ),
    "unwrap": (
        "np.unwrap(up * 4); np.unwrap(x * 5, axis=0); np.unwrap(v * 9, discont=5.0); "
        "np.unwrap(n * 9, period=10)"
    ),
    "convolve": (
        "np.convolve(v, p); np.convolve(v, p, 'same'); np.convolve(p, v, 'valid'); "
        "np.convolve(n, n); np.convolve(p, v, 'same'); np.convolve(f, f[:2])"
    ),
    "correlate": (
        "np.correlate(v, p); np.correlate(v, p, 'full'); np.correlate(p, v, 'same'); "
        "np.correlate(v, up[:4], 'same'); np.correlate(up[:4], v, 'same'); "
        "np.correlate(p, v); np.correlate(n, n)"
    ),
    # polynomials
    "polyval": "np.polyval(p, x); np.polyval(p, 2.0); np.polyval([1, 2], n)",
    "polyadd": "np.polyadd(p, v)",
    "polysub": "np.polysub(v, p); np.polysub(p, [1.0])",
    "polymul": "np.polymul(p, v)",
    "polyder": "np.polyder(v); np.polyder(v, 2); np.polyder(n)",
    "polyint": "np.polyint(v); np.polyint(v, 2, [1.0, 2.0]); np.polyint(p, k=3.0)",
    "polydiv": "np.polydiv(v, p)",
    "polyfit": "np.polyfit(v, w, 2)",
    "poly": "np.poly(p)",
    "roots": "np.roots([1.0, -3.0, 2.0] * p / p)",
    "vander": "np.vander(p); np.vander(v, 3, increasing=True); np.vander(n)",
    "i0": "np.i0(x)",
    "intersect1d": "np.intersect1d(n, [1, 3, 5])",
    "union1d": "np.union1d(n, u)",
    "setdiff1d": "np.setdiff1d(n, [1])",
    "setxor1d": "np.setxor1d(n, n[:2])",
    "packbits": "np.packbits(b)",
    "unpackbits": "np.unpackbits(u)",
    "ravel_multi_index": "np.ravel_multi_index((n, n), (4, 4))",
    "unravel_index": "np.unravel_index(n, (2, 2))",
    "bitwise_count": "np.bitwise_count(n)",
    "spacing": "np.spacing(x)",
    "frexp": "np.frexp(x)",
    # making
    "zeros_like": "np.zeros_like(x); np.zeros_like(n, dtype='float32', shape=(2,))",
    "ones_like": "np.ones_like(x)",
    "empty_like": "np.ones_like(np.empty_like(x))",
    "full_like": "np.full_like(x, p[:, None]); np.full_like(x, 7); np.full_like(n, 2.5)",
    "linspace": (
        "np.linspace(p, q, 4); np.linspace(0, v, 3, endpoint=False, retstep=True); "
        "np.linspace(p, q, 3, axis=-1); np.linspace(p, 9, 1); np.linspace(n, 9, 4, dtype=int); "
        "np.linspace(f, 9, 3)"
    ),
    "logspace": "np.logspace(p, q, 3); np.logspace(n, 2, 4, base=2.0); np.logspace(f, 2, 3)",
    "geomspace": "np.geomspace(y[0], y[1], 4); np.geomspace(-y[0], -9.0, 3, endpoint=False)",
    "shape": "np.shape(x)",
    "ndim": "np.ndim(x)",
    "size": "np.size(x); np.size(x, 1)",
    "diag_indices_from": "np.diag_indices_from(s)",
    "tril_indices_from": "np.tril_indices_from(s); np.tril_indices_from(x, 1)",
    "triu_indices_from": "np.triu_indices_from(s, -1)",
    # verdicts, texts and types
    "allclose": "np.allclose(x, x + 1e-9)",
    "array_equal": "np.array_equal(x, x); np.array_equal(wild, wild, equal_nan=True)",
    "array_equiv": "np.array_equiv(p, s)",
    "array2string": "np.array2string(v, precision=2)",
    "array_repr": "np.array_repr(v)",
    "array_str": "np.array_str(v)",
    "min_scalar_type": "np.min_scalar_type(n[0])",
    "can_cast": "np.can_cast(x, 'float32')",
    "common_type": "np.common_type(x, f)",
    "einsum_path": "np.einsum_path('ij,jk,kl', x, x.T, x)[0]",
    "iscomplexobj": "np.iscomplexobj(x)",
    "isrealobj": "np.isrealobj(x)",
    "result_type": "np.result_type(x, f, n)",
    "may_share_memory": "np.may_share_memory(x, x[0]); np.may_share_memory(x, y)",
    "shares_memory": "np.shares_memory(x, x[1:]); np.shares_memory(x[0], x[1])",
}
# complex numbers: of functions that look at dtypes, or use conjugates
COMPLEX = """
np.nansum(k); np.nanprod(k); np.nancumsum(k); np.nanmean(k); np.nanvar(k); np.nan_to_num(k)
np.mean(j, where=j.real > 0); np.var(j, where=j.real > 0); np.average(j, weights=w); np.vdot(j, v)
np.cov(j, j * j); np.interp(0.3, up, j); np.float_power(j, 2); np.convolve(j, p); np.correlate(j, v)
np.vecmat(j, np.outer(v, j)); np.matvec(np.outer(v, j), j); np.vecdot(j, v); np.kron(j, p)
np.gradient(j); np.trapezoid(j); np.polyval(p, j); np.diff(j); np.isclose(j, j)
np.isclose(k, k, equal_nan=True); np.linspace(j, 2, 3); np.full_like(j, 2.5); np.clip(v, 0, 1)
np.piecewise(j, [j.real > 0], [lambda t: t * 1j]); np.where(j.real > 0, j, 0); np.roots(p)
np.full_like(j, np.inf); np.nanmax(k, initial=9); np.nanmin(k, where=k.real > 0, initial=9)
np.median(j); np.median(k); np.nanmedian(k); np.real(j); np.imag(j)
np.angle(j); np.isreal(j); np.iscomplex(j); np.sort_complex(v)
""".replace("\n", ";")
# tested apart: they write, or make arrays in a place
WRITERS = "copyto fill_diagonal place put put_along_axis putmask".split()
FILES = "save savetxt savez savez_compressed".split()
