"""Functions of SciPy inside scalar functions: known by name, with SciPy's values and slopes."""

# ruff: noqa: PLW0108 - lambdas are the operators

import linecache

import numpy as np
import pytest
import scipy.special as sp

import nbgraph as ng
from nbgraph.errors import CaptureError

# x real, y positive, u between 0 and 1, a and b shapes, n whole
X = np.array([-6.3, -1.7, -0.4, 0.3, 1.2, 2.9, 4.8])
Y = np.array([0.07, 0.6, 1.3, 2.2, 3.9, 7.5, 13.0])
U = np.array([0.003, 0.11, 0.35, 0.52, 0.71, 0.9, 0.9997])
A = np.array([0.6, 1.0, 2.4, 3.3, 8.0, 11.0, 30.0])
B = np.array([5.0, 0.7, 1.0, 2.6, 14.0, 6.0, 22.0])
N = np.array([0, 1, 2, 3, 4, 5, 8])
SPACE = {"x": X, "y": Y, "u": U, "a": A, "b": B, "n": N, "sp": sp, "np": np}
FUNCTIONS = {
    "normal": "ndtr(x) log_ndtr(x) ndtri(u) erfcx(x) erfcinv(u) erfinv(u) erfi(y/4) erf(x) erfc(x)",
    "logistic": "expit(x) logit(u) log_expit(x) softplus(x) xlogy(y,u) xlog1py(y,u) sinc(x)",
    "entropy": "entr(y) rel_entr(y,a) kl_div(y,a) huber(1.5,x) pseudo_huber(1.5,x) cosm1(x)",
    "powers": "boxcox(y,u) boxcox1p(y,u) inv_boxcox(y,u) inv_boxcox1p(y,u) exprel(x) exp10(x)",
    "gamma": "gamma(y) gammaln(y) rgamma(x) loggamma(y) gammasgn(x) psi(y) polygamma(2,y)",
    "incomplete gamma": "gammainc(a,y) gammaincc(a,y) gammaincinv(a,u) gammainccinv(a,u) poch(a,y)",
    "beta": "beta(a,b) betaln(a,b) betainc(a,b,u) betaincc(a,b,u) betaincinv(a,b,u) binom(a,b/9)",
    "counts": "factorial(y) comb(n+3,n) perm(n+3,n) binom(n+3,n) factorial(n) comb(9.5,y)",
    "Bessel": "j0(x) j1(x) y0(y) y1(y) i0(x) i1(x) i0e(x) i1e(x) k0(y) k1(y) k0e(y) k1e(y)",
    "Bessel of orders": "jv(u,y) jn(n,x) yv(a,y) yn(n,y) iv(a,y) ive(a,y) kv(a,y) kn(n,y) kve(a,y)",
    "spherical": "spherical_jn(n,y) spherical_yn(n,y) spherical_in(n,y) spherical_kn(n,y) "
    "spherical_jn(a,x) spherical_yn(1.7,y) spherical_in(a,y)",
    "integrals": "expi(x) exp1(y) expn(n,y) dawsn(x) spence(y) sici(y)[0] sici(y)[1]",
    "waves": "fresnel(x)[0] fresnel(x)[1] airy(x)[0] airy(x)[1] airy(x)[2] airy(x)[3]",
    "elliptic": "ellipk(u) ellipe(u) ellipkm1(u) ellipkinc(x,u) ellipeinc(x,u) agm(a,b)",
    "zeta": "zeta(1+y) zeta(1+y,a) lambertw(y).real lambertw(-u/3,-1).real",
    "degrees": "sindg(x*90) cosdg(x*90) tandg(x*90) cbrt(x) expm1(x) log1p(y) exp2(x)",
    "polynomials": "eval_legendre(n,u) eval_chebyt(n,u) eval_chebyu(n,u) eval_hermite(n,u) "
    "eval_hermitenorm(n,u) eval_laguerre(n,u) eval_genlaguerre(n,2,u) eval_gegenbauer(n,2,u)",
    "Student": "stdtr(a,x) stdtrit(a,u) chdtr(a,y) chdtrc(a,y) chdtri(a,u) gdtr(a,b,u)",
    "F": "fdtr(a,b,y) fdtrc(a,b,y) pdtr(n,y) pdtrc(n,y) bdtr(n,9,u) bdtrc(n,9,u) nbdtr(n,4,u)",
}


def written(expressions, returned="({},)", names="x, y, u, a, b, n", space=None):
    """A function of `names` that returns the values of expressions."""
    text = f"def f({names}):\n    return " + returned.format(", ".join(expressions)) + "\n"
    filename = f"<{text}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    space = space or {"sp": sp}
    exec(compile(text, filename, "exec"), space)
    return space["f"]


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("family", FUNCTIONS)
def test_values_are_those_of_scipy(family):
    expressions = [f"sp.{call}" for call in FUNCTIONS[family].split()]
    got = ng.op(written(expressions))(*(SPACE[name] for name in "xyuabn"))
    for expression, values in zip(expressions, got, strict=True):
        want = eval(expression, dict(SPACE))
        assert values.dtype == np.float64
        np.testing.assert_allclose(
            values, np.real(want), rtol=4e-13, atol=1e-14, err_msg=expression
        )


SLOPES = (
    "log_ndtr(x) erfi(x) erfcx(x) ndtri(u) gammainc(2.5,y) gammaincinv(2.5,u) betainc(2.0,3.5,u) "
    "j0(x) y1(y) i1e(x) k0(y) jv(1.5,y) kv(0.3,y) sici(y)[1] fresnel(x)[0] airy(x)[2] dawsn(x) "
    "spence(y) ellipk(u) ellipeinc(x,0.4) lambertw(y).real expi(y) expn(3,y) stdtr(4.5,x) "
    "pdtr(3,y) bdtr(2,9,u) fdtr(3.0,5.0,y) comb(9.5,y) huber(1.5,x) boxcox(y,0.7) "
    "eval_legendre(4,u) spherical_jn(2,y) zeta(2.5,y) binom(6.0,u)"
).split()


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("call", SLOPES)
def test_slopes_are_those_of_differences(call):
    """By the variable of the call; the certificate has judged the formula before."""
    name = next(n for n in "xyu" if f"{n})" in call or f"({n}," in call)
    op = ng.op(written([f"sp.{call}"], "{}"))
    middle = {"x": 1.15, "y": 2.3, "u": 0.37, "a": 1.0, "b": 1.0, "n": 1}

    def value(at):
        return np.real(eval(f"sp.{call}", {**SPACE, **middle, name: at}))

    slope = ng.grad(lambda at: op(*({**middle, name: at}[k] for k in "xyuabn")))(
        np.float64(middle[name])
    )
    h = 1e-4
    near, far = ((value(middle[name] + k * h) - value(middle[name] - k * h)) for k in (1, 2))
    assert slope == pytest.approx((8 * near - far) / (12 * h), rel=2e-9)


def test_float32_stays_float32():
    got = ng.op(lambda x: sp.j0(x) + sp.gammainc(2.5, x))(np.float32([0.5, 3.0]))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, sp.j0([0.5, 3.0]) + sp.gammainc(2.5, [0.5, 3.0]), 1e-6)


def test_the_text_itself_gives_the_same():
    """`compiler="python"` runs SciPy's own functions."""
    op = ng.op(lambda x: sp.k0(x) * sp.expi(x))
    with ng.config(compiler="python"):
        want = op(Y)
    np.testing.assert_allclose(op(Y), want, 1e-13)


def test_a_bound_name_is_pickled_by_name():
    import pickle

    from scipy.special import j0

    op = ng.op(lambda x: j0(x))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(op))(Y), op(Y))


def test_degrees_that_are_not_whole_have_no_value():
    op = ng.op(lambda n, x: sp.eval_legendre(n, x))
    assert np.isnan(op(2.5, 0.3)) and np.isnan(op(-1.0, 0.3)) and op(2.0, 0.3) == -0.365


def test_what_is_not_there_is_refused():
    with pytest.raises(CaptureError, match="struve"):
        ng.op(lambda x: sp.struve(0, x))(1.0)


def test_binomial_coefficients_of_any_k():
    """Beyond 0 <= k <= n, where they are of either sign, and 0 of whole numbers."""
    n = np.array([5.0, 5.0, 5.0, 0.5, 2.5, -0.5, 0.0, 6.0, -0.3])
    k = np.array([-7.3, -1.0, 8.0, -3.2, 7.7, 0.2, -4.5, 7.0, 9.4])
    op = ng.op(lambda n, k: sp.binom(n, k))
    np.testing.assert_allclose(op(n, k), sp.binom(n, k), rtol=1e-12, atol=1e-300)
    near = (sp.binom(n, k + 1e-5) - sp.binom(n, k - 1e-5)) / 2e-5
    np.testing.assert_allclose(op.derivative("k")(n, k), near, rtol=1e-6)
    assert np.isnan(op(-1.5, 0.3))
