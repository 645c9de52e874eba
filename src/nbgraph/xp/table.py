"""The functions of the standard as rows: signatures, and where they differ from the operators."""

_FUNCTIONS = """
arange(start, /, stop=None, step=1, *, dtype=None, device=None): Numbers from `start` (0 if `stop`
    is not given), excluding `stop`.
    >>> arange(2, 8, 3)
    array([2, 5])
empty(shape, *, dtype=None, device=None): An array with undefined values.
zeros(shape, *, dtype=None, device=None): An array of zeros.
ones(shape, *, dtype=None, device=None): An array of ones.
full(shape, fill_value, *, dtype=None, device=None): An array of one value; its dtype follows the
    value's type unless given.
eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None): Ones on diagonal `k`, zeros elsewhere.
linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True): `num` numbers at equal
    distances from `start` to `stop`, which may be excluded.
empty_like(x, /, *, dtype=None, device=None): Undefined values in the shape, and by default dtype
    and device, of `x`.
    = ops.empty(x.shape, dtype=dtype or x.dtype, device=device or x.device)
zeros_like(x, /, *, dtype=None, device=None): Zeros in the shape, and by default dtype and device,
    of `x`.
    = ops.zeros(x.shape, dtype=dtype or x.dtype, device=device or x.device)
ones_like(x, /, *, dtype=None, device=None): Ones in the shape, and by default dtype and device, of
    `x`.
    = ops.ones(x.shape, dtype=dtype or x.dtype, device=device or x.device)
full_like(x, /, fill_value, *, dtype=None, device=None): One value in the shape, and by default
    dtype and device, of `x`.
    = ops.full(x.shape, fill_value, dtype=dtype or x.dtype, device=device or x.device)
meshgrid(*arrays, indexing="xy") -> tuple[NDArray, ...]: Coordinates of a grid, one array for each
    axis.
    = tuple(ops.copy(x) for x in ops.meshgrid(*arrays, indexing=indexing))
tril(x, /, *, k=0): Zeros above diagonal `k` of the last two axes.
triu(x, /, *, k=0): Zeros below diagonal `k` of the last two axes.
from_dlpack(x: Any, /, *, device=None, copy=None): An array of another library, by DLPack; see
    `ng.from_dlpack`.
    = dlpack.from_dlpack(x, device=device, copy=copy)

matmul(x1, x2, /): The matrix product over the last axes; leading axes broadcast.
matrix_transpose(x, /): The array with its last two axes exchanged.
tensordot(x1, x2, /, *, axes=2): Products summed over pairs of axes: the last and first `axes`, or
    those named.
vecdot(x1, x2, /, *, axis=-1): Products summed along one axis.
    >>> vecdot(asarray([1, 2]), asarray([3, 4]))
    array(11)

broadcast_arrays(*arrays) -> tuple[NDArray, ...]: The arrays, broadcast to one shape.
    = tuple(ops.broadcast_arrays(*arrays))
broadcast_to(x, /, shape): The array repeated along axes of size 1 and new ones.
concat(arrays, /, *, axis=0): Arrays one after another along an axis; flattened first for None.
expand_dims(x, /, axis): The array with new axes of size 1.
flip(x, /, *, axis=None): Elements in reverse order along axes, by default all.
moveaxis(x, source, destination, /): The array with axes moved.
permute_dims(x, /, axes): The array with its axes reordered.
repeat(x, repeats, /, *, axis=None): Each element (or slice along an axis) several times; counts in
    an array are waited for.
roll(x, /, shift, *, axis=None): Elements moved along axes; what leaves at one end comes in at the
    other.
squeeze(x, /, axis): The array without these axes of size 1.
stack(arrays, /, *, axis=0): Arrays of one shape side by side along a new axis.
tile(x, repetitions, /): The whole array several times along each axis.
unstack(x, /, *, axis=0) -> tuple[NDArray, ...]: The slices along an axis.

all(x, /, *, axis=None, keepdims=False, out=None): Whether no element is zero.
any(x, /, *, axis=None, keepdims=False, out=None): Whether any element is not zero.
max(x, /, *, axis=None, keepdims=False): The largest element; NaN where there is one.
min(x, /, *, axis=None, keepdims=False): The smallest element; NaN where there is one.
mean(x, /, *, axis=None, keepdims=False): The mean.
prod(x, /, *, axis=None, dtype=None, keepdims=False): The product; of integers in 64 bits.
std(x, /, *, axis=None, correction=0.0, keepdims=False): The standard deviation, with divisor n -
    `correction`.
sum(x, /, *, axis=None, dtype=None, keepdims=False): The sum; of integers in 64 bits.
    >>> sum(asarray([[1, 2], [3, 4]]), axis=0)
    array([4, 6])
var(x, /, *, axis=None, correction=0.0, keepdims=False): The variance, with divisor n -
    `correction`.
cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False): Products of the elements so
    far along an axis; with `include_initial` from 1 on.
cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False): Sums of the elements so far
    along an axis; with `include_initial` from 0 on.
diff(x, /, *, axis=-1, n=1, prepend=None, append=None): Differences of neighbours along an axis, `n`
    times.

argmax(x, /, *, axis=None, keepdims=False): The index of the largest element, the first of equals.
argmin(x, /, *, axis=None, keepdims=False): The index of the smallest element, the first of equals.
count_nonzero(x, /, *, axis=None, keepdims=False): The number of elements that are not zero.
nonzero(x, /) -> tuple[NDArray, ...]: Indices of the elements that are not zero, an array for each
    axis.
    = tuple(ops.nonzero(x))
searchsorted(x1, x2, /, *, side="left", sorter=None): Indices at which `x2` would be inserted in
    `x1`, sorted itself or by `sorter`.
where(condition, x1, x2, /): Elements of `x1` where the condition holds, else of `x2`.
argsort(x, /, *, axis=-1, descending=False, stable=True): Indices that sort along an axis; equal
    elements keep their order.
sort(x, /, *, axis=-1, descending=False, stable=True): The elements in order along an axis.
unique_all(x, /) -> UniqueAll: The distinct values in order, their first indices, the index of each
    element's value, counts.
    = UniqueAll(*ops.unique_all(x))
unique_counts(x, /) -> UniqueCounts: The distinct values in order, and their counts.
    = UniqueCounts(*ops.unique_counts(x))
unique_inverse(x, /) -> UniqueInverse: The distinct values in order, and the index of each element's
    value.
    >>> unique_inverse(asarray([7, 5, 7])).inverse_indices
    array([1, 0, 1])
    = UniqueInverse(*ops.unique_inverse(x))
unique_values(x, /): The distinct values in order.
take_along_axis(x, indices, /, *, axis=-1): Elements along an axis, each at its own index.

conj(x, /): The complex conjugate; real numbers are unchanged.
imag(x, /): The imaginary part.
real(x, /): The real part.
"""
_EACH = "`nbgraph.{}`, element by element; operands broadcast and promote."
_UNARY = """
abs acos acosh asin asinh atan atanh bitwise_invert ceil cos cosh exp expm1 floor isfinite isinf
isnan log log1p log2 log10 logical_not negative positive reciprocal round sign signbit sin sinh sqrt
square tan tanh trunc
"""
_BINARY = """
add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide
equal floor_divide greater greater_equal hypot less less_equal logaddexp logical_and logical_or
logical_xor maximum minimum multiply nextafter not_equal pow remainder subtract
"""
_EACH_UNARY = (f"{name}(x, /): {_EACH.format(name)}\n" for name in _UNARY.split())
_EACH_BINARY = (f"{name}(x1, x2, /): {_EACH.format(name)}\n" for name in _BINARY.split())
FUNCTIONS = "".join([_FUNCTIONS, *_EACH_UNARY, *_EACH_BINARY])
