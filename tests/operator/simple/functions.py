"""Functions of simple operators, as users write them."""

import numpy as np

import nbgraph as ng


def triple(src, env, ret, req, ctx):
    ng.assign(ret.get(), req, 3 * src.get())


def product(lhs, rhs, env, ret, req, ctx):
    ng.assign(ret.get(), req, lhs.get() * rhs.get())


def product_gradient(out_grad, lhs, rhs, env, lhs_grad, rhs_grad, req_lhs, req_rhs, ctx):
    ng.assign(lhs_grad.get(), req_lhs, out_grad.get() * rhs.get())
    ng.assign(rhs_grad.get(), req_rhs, out_grad.get() * lhs.get())


def scaled(src, env, ret, req, ctx):
    ng.assign(ret.get(), req, env.scalar * src.get())


def scaled_gradient(out_grad, env, in_grad, req, ctx):
    ng.assign(in_grad.get(), req, env.scalar * out_grad.get())


def tanh(src, env, ret, req, ctx):
    ng.assign(ret.get(), req, np.tanh(src.get()))


def tanh_gradient(out_grad, out_value, env, in_grad, req, ctx):
    ng.assign(in_grad.get(), req, out_grad.get() * (1 - out_value.get() ** 2))


def square(src, env, ret, req, ctx):
    ng.assign(ret.get(), req, src.get() ** 2)


def square_gradient(out_grad, in_data0, env, in_grad, req, ctx):
    ng.assign(in_grad.get(), req, 2 * in_data0.get() * out_grad.get())


def smooth_l1(src, env, ret, req, ctx):
    x, s2 = src.get(), env.scalar**2
    ng.assign(ret.get(), req, np.where(abs(x) > 1 / s2, abs(x) - 0.5 / s2, 0.5 * s2 * x * x))


def smooth_l1_gradient(out_grad, in_data0, env, in_grad, req, ctx):
    x, s2 = in_data0.get(), env.scalar**2
    ng.assign(in_grad.get(), req, out_grad.get() * np.clip(s2 * x, -1, 1))
