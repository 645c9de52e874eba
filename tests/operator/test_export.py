"""op.export: a C library of an operator's kernels, that gives the bits that Python gives."""

import ctypes
import math
import shutil
import subprocess

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.codegen import target

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
X = np.linspace(-2.0, 2.0, 1003)
Y = np.cos(X) + 2.0


@ng.op
def bump(x, y, *, sigma=1.5, n=2):
    return math.exp(-x * x * sigma) + y**n if x > 0 else math.sin(x) * y


@ng.op
def parts(x):
    return math.sinh(x), x * x


def function(exported, name, arguments, by="library"):
    """A function of the library; of the object file, where no compiler has made one."""
    if by == "library" and exported.library is not None:
        found = ctypes.CDLL(str(exported.library))[name]
        found.argtypes, found.restype = arguments, ctypes.c_int
        return found
    loaded = target.load_forever(exported.object.read_bytes(), (), [name])
    return ctypes.CFUNCTYPE(ctypes.c_int, *arguments)(loaded[name])


def run(exported, name, arrays, scalars=(), outputs=1, by="library"):
    """What a function writes."""
    out = [np.empty_like(arrays[0]) for _ in range(outputs)]
    kinds = [ctypes.c_double if isinstance(s, float) else ctypes.c_int64 for s in scalars]
    pointers = [ctypes.c_void_p] * len(arrays)
    types = [ctypes.c_int64, *pointers, *kinds, *[ctypes.c_void_p] * outputs]
    addresses = [a.ctypes.data for a in arrays], [o.ctypes.data for o in out]
    call = function(exported, name, types, by)
    assert call(arrays[0].size, *addresses[0], *scalars, *addresses[1]) == 0
    return out


@pytest.mark.parametrize("by", ["library", "object"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_and_partials_have_the_bits_of_the_operator(dtype, by, tmp_path):
    exported = bump.export(tmp_path / "lib" / "bump")
    x, y = X.astype(dtype), Y.astype(dtype)
    cases = {"bump": bump, "bump_dx": bump.derivative("x"), "bump_dy": bump.derivative("y")}
    assert set(exported.functions) == {f"{c}_{d}" for c in cases for d in ("float32", "float64")}
    for name, op in cases.items():
        for sigma, n in ((1.5, 2), (0.25, 3)):
            (found,) = run(exported, f"{name}_{dtype}", [x, y], (sigma, n), by=by)
            np.testing.assert_array_equal(found, op(x, y, sigma=sigma, n=n))


def test_several_outputs_and_integers(tmp_path):
    exported = parts.export(tmp_path / "parts", ["float64"])
    assert exported.functions == ("parts_float64",)
    for found, expected in zip(run(exported, "parts_float64", [X], outputs=2), parts(X)):
        np.testing.assert_array_equal(found, expected)
    mixed = ng.op(lambda a, b: (a * 3) ^ b, name="mixed")
    whole = mixed.export(tmp_path / "mixed", ["int32"])
    a = np.arange(50, dtype="int32")
    np.testing.assert_array_equal(
        run(whole, "mixed_int32", [a, a[::-1].copy()])[0], mixed(a, a[::-1])
    )
    assert "const int32_t *a" in whole.header.read_text()


PROGRAM = """
#include "bump.h"
#include <stdio.h>
int main(void) {
    double x[5] = {-1.0, -0.5, 0.25, 1.0, 3.0}, y[5] = {1.0, 2.0, 3.0, 4.0, 5.0}, out[5];
    if (bump_float64(5, x, y, 1.5, 2, out)) return 1;
    for (int i = 0; i < 5; i++) printf("%.17g ", out[i]);
    if (bump_dx_float64(5, x, y, 1.5, 2, x)) return 1;
    for (int i = 0; i < 5; i++) printf("%.17g ", x[i]);
    return 0;
}
"""


@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
@pytest.mark.parametrize("linked", ["object", "library"])
def test_a_c_program_needs_no_python(linked, tmp_path):
    exported = bump.export(tmp_path / "bump")
    source, program = tmp_path / "main.c", tmp_path / "main"
    source.write_text(PROGRAM)
    file = getattr(exported, linked)
    command = [COMPILER, "-Wall", "-Werror", "-std=c99", source, file, "-lm", "-o", program]
    subprocess.run(command, check=True)
    told = subprocess.run([program], capture_output=True, text=True, check=True, env={})
    x, y = np.array([-1.0, -0.5, 0.25, 1.0, 3.0]), np.arange(1.0, 6.0)
    expected = [*bump(x, y), *bump.derivative("x")(x, y)]
    np.testing.assert_array_equal([float(word) for word in told.stdout.split()], expected)
    needs = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    assert "python" not in needs and "LLVM" not in needs


def test_names_that_c_uses_are_changed(tmp_path):
    op = ng.op(lambda double, out: double * out, name="product")
    text = op.export(tmp_path / "product", ["float64"], partials=False).header.read_text()
    assert "const double *double_, const double *out_, double *out" in text


def test_what_c_cannot_have_is_refused(tmp_path):
    with pytest.raises(ng.errors.ArgumentError, match="not a name in C"):
        ng.op(lambda x: x + 1, name="a b").export(tmp_path / "a")

    @ng.op
    def noisy(x):
        import random

        return x + random.random()

    with pytest.raises(ng.errors.ArgumentError, match="draws random numbers"):
        noisy.export(tmp_path / "b")
