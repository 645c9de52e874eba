"""Arithmetic, element by element, with NumPy's dtypes (NEP 50).

Operands are arrays, lists or numbers that broadcast against each other. Integers wrap, and an
integer divided by 0 is 0. bool is added and multiplied as logic; it has no difference, sign or
negative (TypeError).
"""

from nbgraph.operator.declared import define_scalars

_TABLE = """
add(x1, x2): Sum.
    >>> add([1, 2], 3)
    array([4, 5])
    = x1 + x2
subtract(x1, x2): Difference.
    >>> subtract([1, 2], 3)
    array([-2, -1])
    = x1 - x2
multiply(x1, x2): Product.
    >>> multiply([1, 2], 3)
    array([3, 6])
    = x1 * x2
divide true_divide(x1, x2): Quotient, in float64 for integers.
    >>> divide([1, 2], 4)
    array([0.25, 0.5 ])
    = x1 / x2
floor_divide(x1, x2): Quotient rounded down. Its slope is 0.
    >>> floor_divide([7, -7], 2)
    array([ 3, -4])
    = x1 // x2
remainder mod(x1, x2): The remainder of `floor_divide`, with the sign of x2.
    >>> remainder([7, -7], 3)
    array([1, 2])
    = x1 % x2
fmod(x1, x2): The remainder of division rounded towards zero, with the sign of x1.
    >>> fmod([7, -7], 3)
    array([ 1, -1])
    = np.fmod(x1, x2)
divmod(x1, x2): `floor_divide` and `remainder` in one pass.
    >>> divmod([7, -7], 2)
    (array([ 3, -4]), array([1, 1]))
    = x1 // x2, x1 % x2
negative(x): The value with the other sign; unsigned integers wrap.
    >>> negative([1, -2])
    array([-1,  2])
    = -x
positive(x): The value itself, as a new array.
    >>> positive([1, -2])
    array([ 1, -2])
    = +x
absolute abs(x): Absolute value; the smallest signed integer wraps to itself. Its slope at 0 is 0.
    >>> absolute([1, -2])
    array([1, 2])
    = np.absolute(x)
conjugate conj(x): The complex conjugate; of arrays that are not complex a copy.
    >>> conjugate([1 + 2j])
    array([1.-2.j])
    = np.conjugate(x)
fabs(x): Absolute value as a float.
    >>> fabs([1, -2])
    array([1., 2.])
    = np.fabs(x)
sign(x): -1, 0 or 1; NaN where x is NaN. Its slope is 0.
    >>> sign([2, 0, -3])
    array([ 1,  0, -1])
    = np.sign(x)
power pow(x1, x2): x1 to the power x2; an integer to a negative integer power is 0, unless it is 1
    or -1.
    >>> power([1, 2, 3], 2)
    array([1, 4, 9])
    = x1**x2
square(x): x times x.
    >>> square([1, -2])
    array([1, 4])
    = np.square(x)
third_power(x): x times x times x.
    >>> float(third_power(2.0))
    8.0
    = x * x * x
reciprocal(x): 1 / x; of an integer rounded towards zero, 0 for 0.
    >>> reciprocal([2.0, -4.0])
    array([ 0.5 , -0.25])
    = np.reciprocal(x)
"""
define_scalars(_TABLE, globals())
