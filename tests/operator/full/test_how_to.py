"""'How to add an operator' of operator/README.md, followed step by step."""

import numba
import numpy as np

import nbgraph as ng
from tests.operator.full.worlds import WORLDS, differences


@numba.njit
def scale_rows(x, gain, out):
    for i in range(x.shape[0]):
        norm = np.sqrt((x[i] * x[i]).sum())
        for j in range(x.shape[1]):
            out[i, j] = x[i, j] / norm * gain[j]


class PlainRows(ng.Operator):
    """Step 4: over NumPy arrays."""

    def forward(self, ctx, in_data, req, out_data, aux_states):
        x, gain = in_data
        norm = np.sqrt((x * x).sum(axis=1, keepdims=True))
        self.assign(out_data[1], req[1], norm[:, 0])
        self.assign(out_data[0], req[0], x / norm * gain)
        if ctx.is_train:
            aux_states[0] += len(x)

    def backward(self, ctx, out_grad, in_data, out_data, req, in_grad, aux_states):
        x, gain = in_data
        norm = out_data[1][:, None]
        unit, slope = x / norm, out_grad[0] * gain
        inner = (slope * unit).sum(axis=1, keepdims=True)
        self.assign(in_grad[0], req[0], (slope - unit * inner) / norm)
        self.assign(in_grad[1], req[1], (out_grad[0] * unit).sum(axis=0))


class CompiledRows(PlainRows):
    """Step 4 again, with a compiled function; step 6: a second implementation."""

    def forward(self, ctx, in_data, req, out_data, aux_states):
        out = np.empty_like(out_data[0])
        scale_rows(*in_data, out)
        self.assign(out_data[0], req[0], out)
        self.assign(out_data[1], req[1], np.sqrt((in_data[0] ** 2).sum(axis=1)))
        if ctx.is_train:
            aux_states[0] += len(out)


def registered():
    """Steps 1 to 6."""

    @ng.register_operator("mx_unit_rows")
    class UnitRows(ng.OperatorProperty):
        """Rows of length one, times a gain for each column."""

        stateful = False  # step 5

        class Param(ng.Param):
            compiled: bool = ng.field(False, doc="Whether the loops are compiled.")

        # step 1: names
        def list_arguments(self):
            return ["data", "gain"]

        def list_outputs(self):
            return ["output", "norm"]

        def num_visible_outputs(self):
            return 1

        def list_auxiliary_states(self):
            return ["rows_seen"]

        # step 2: shapes
        def infer_shape(self, in_shapes, out_shapes, aux_shapes):
            rows, columns = in_shapes[0]
            return [(rows, columns), (columns,)], [(rows, columns), (rows,)], [(1,)]

        # step 3: what is read, what may be overwritten
        def declare_backward_dependency(self, out_grad, in_data, out_data):
            return [out_grad[0], *in_data, out_data[1]]

        def backward_inplace_option(self, out_grad, in_data, out_data, in_grad):
            return []  # the gradient of a row reads all of it

        # step 6: the implementation
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return CompiledRows() if self.param.compiled else PlainRows()

    return ng.mx_unit_rows


def test_the_steps_lead_to_an_operator():
    """OPP-23, OPR-16: parameters, semantics, implementation, registration; then the template."""
    op = registered()
    x = np.float32([[3, 4, 0], [1, 2, 2]])
    gain, seed = np.float32([1, 2, 3]), np.float32([[1, -1, 2], [0.5, 1, 1]])
    want = x / np.float32([[5], [3]]) * gain
    for compiled in (False, True):
        seen = ng.zeros(1)

        def applied(data, gain, state=seen, compiled=compiled):
            if isinstance(data, np.ndarray):
                state = np.zeros(1, data.dtype)
            return op(data, gain, state, compiled=compiled)

        for world in ("numpy", "tape", "jit"):  # step 7
            (value,), slopes = WORLDS[world](applied, [x, gain], [seed], {})
            np.testing.assert_allclose(value, want, rtol=1e-6)
            for k, slope in enumerate(slopes or ()):
                found = differences(applied, [x, gain], [seed], {}, k)
                np.testing.assert_allclose(slope, found, atol=1e-4)
        assert seen.tolist() == [4]  # two passes that trained, of two rows each
        net = ng.sym.mx_unit_rows(ng.var("x"), compiled=compiled, name="unit")
        exe = net.simple_bind(x=(2, 3), unit_gain=(3,))
        exe.arg_dict["unit_gain"][...] = gain
        for _ in range(3):
            exe.forward_backward(ng.array(seed), x=x)
        np.testing.assert_allclose(exe.outputs[0].asnumpy(), want, rtol=1e-6)
        assert exe.aux_dict["unit_rows_seen"].tolist() == [6]
