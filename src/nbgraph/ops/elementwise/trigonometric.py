"""Angles, circular and hyperbolic functions, element by element.

Angles are in radians. Results are floating: of integers the smallest float that holds them, as
NumPy. Outside the domain the result is NaN; nothing is raised.
"""

from nbgraph.operator.declared import define_scalars

_TABLE = """
sin(x): Sine.
    >>> sin([0.0, np.pi / 2])
    array([0., 1.])
    = np.sin(x)
cos(x): Cosine.
    >>> cos([0.0, np.pi])
    array([ 1., -1.])
    = np.cos(x)
tan(x): Tangent.
    >>> tan([0.0, np.pi / 4])
    array([0., 1.])
    = np.tan(x)
asin arcsin(x): Inverse sine, in [-pi/2, pi/2].
    >>> asin([0.0, 1.0])
    array([0.        , 1.57079633])
    = np.arcsin(x)
acos arccos(x): Inverse cosine, in [0, pi].
    >>> acos([1.0, 0.0])
    array([0.        , 1.57079633])
    = np.arccos(x)
atan arctan(x): Inverse tangent, in [-pi/2, pi/2].
    >>> atan([0.0, np.inf])
    array([0.        , 1.57079633])
    = np.arctan(x)
atan2 arctan2(x1, x2): The angle of the point (x2, x1), in [-pi, pi].
    >>> atan2([0.0, 1.0], [-1.0, 0.0])
    array([3.14159265, 1.57079633])
    = math.atan2(x1, x2)
hypot(x1, x2): sqrt(x1**2 + x2**2) without overflow. Its slope at the origin is 0.
    >>> hypot([3.0, 5.0], [4.0, 12.0])
    array([ 5., 13.])
    = math.hypot(x1, x2)
sinh(x): Hyperbolic sine.
    >>> sinh([0.0, 1.0])
    array([0.        , 1.17520119])
    = np.sinh(x)
cosh(x): Hyperbolic cosine.
    >>> cosh([0.0, 1.0])
    array([1.        , 1.54308063])
    = np.cosh(x)
tanh(x): Hyperbolic tangent.
    >>> tanh([0.0, np.inf])
    array([0., 1.])
    = np.tanh(x)
asinh arcsinh(x): Inverse hyperbolic sine.
    >>> asinh([0.0, 1.0])
    array([0.        , 0.88137359])
    = np.arcsinh(x)
acosh arccosh(x): Inverse hyperbolic cosine.
    >>> acosh([1.0, 2.0])
    array([0.       , 1.3169579])
    = np.arccosh(x)
atanh arctanh(x): Inverse hyperbolic tangent.
    >>> atanh([0.0, 0.5])
    array([0.        , 0.54930614])
    = np.arctanh(x)
degrees rad2deg(x): Radians to degrees.
    >>> degrees([0.0, np.pi])
    array([  0., 180.])
    = np.degrees(x)
radians deg2rad(x): Degrees to radians.
    >>> radians([0.0, 180.0])
    array([0.        , 3.14159265])
    = np.radians(x)
sinc(x): sin(pi x) / (pi x), 1 at 0.
    >>> sinc([0.0, 0.5])
    array([1.        , 0.63661977])
    = np.sinc(x)
"""
define_scalars(_TABLE, globals())
