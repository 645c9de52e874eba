"""Small programs as people write them, each one text for ng and for jax.numpy, under jit.

    python -m benchmarks.programs [words of names]

Each is a function of a namespace and of what transforms functions there, of float64 arrays of some
ten to a thousand numbers: filters, transport, alignments, mixtures, integration in time, meta
learning, transforms. Results are compared first. Seconds are wall time of a call whose results are
waited for, the quickest of many turns in alternation; the process is pinned to one core. Single
calls are rows of `benchmarks.calls`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.graphs import quickest
from benchmarks.harness import Factor, peer, report

RNG = np.random.default_rng(0)
PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {}


def program(*arrays: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a function of a namespace and these arrays."""

    def enter(f: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[f.__name__] = f, arrays
        return f

    return enter


@program(RNG.normal(size=(30, 2)), np.eye(2) * 0.9, np.eye(2) * 0.1)
def kalman_filter(t, ys, f, q):
    one = np.eye(2)

    def loss(f):
        def step(carry, y):
            mean, cov = f @ carry[0], f @ carry[1] @ f.T + q
            total = cov + 0.5 * one
            gain, rest = t.solve(total, cov).T, y - mean
            value = rest @ t.solve(total, rest) + t.logdet(total)
            return (mean + gain @ rest, cov - gain @ cov), value

        return t.np.sum(t.scan(step, (t.np.asarray(np.zeros(2)), t.np.asarray(one)), ys)[1])

    return t.value_and_grad(loss)(f)


@program(RNG.normal(size=(6, 7)) ** 2)
def optimal_transport(t, costs):
    def loss(costs):
        f, g = t.np.zeros_like(costs[:, 0]), t.np.zeros_like(costs[0])
        for _ in range(20):
            f = -0.1 * t.logsumexp((g[None, :] - costs) / 0.1, axis=1)
            g = -0.1 * t.logsumexp((f[:, None] - costs) / 0.1, axis=0)
        return t.np.sum(t.np.exp((f[:, None] + g[None, :] - costs) / 0.1) * costs)

    return t.value_and_grad(loss)(costs)


@program(RNG.normal(size=(200, 4)), RNG.integers(0, 9, 200))
def sums_of_segments(t, x, places):
    def loss(x):
        return t.np.sum(t.index_add(t.np.asarray(np.zeros((9, 4))), places, x) ** 2)

    return t.value_and_grad(loss)(x)


@program(RNG.normal(size=(50, 3)), RNG.normal(size=50) > 0, RNG.normal(size=3))
def newton_steps_of_a_logistic_model(t, x, y, w):
    def loss(w):
        z = x @ w
        return t.np.mean(t.np.logaddexp(0, z) - y * z) + 0.01 * t.np.sum(w * w)

    for _ in range(4):
        w = w - t.solve(t.jacobian(t.grad(loss))(w), t.grad(loss)(w))
    return w, loss(w)


@program(RNG.normal(size=(10, 2)), RNG.normal(size=(3, 2)))
def mixture_of_gaussians(t, x, means):
    def squares(means):
        return t.np.sum((x[:, None] - means[None]) ** 2, -1)

    for _ in range(3):
        shares = t.softmax(-0.5 * squares(means), axis=1)
        means = (shares.T @ x) / t.np.sum(shares, axis=0)[:, None]
    nll = t.value_and_grad(lambda m: -t.np.sum(t.logsumexp(-0.5 * squares(m), axis=1)))
    return means, nll(means)


@program(np.array([1.0, 0.0]), np.array([2.0, 0.1]))
def pendulum_by_runge_kutta(t, start, parameters):
    def loss(parameters):
        def slope(y):
            return t.np.stack([y[1], -parameters[0] * t.np.sin(y[0]) - parameters[1] * y[1]])

        def step(y, _):
            k1 = slope(y)
            k2 = slope(y + 0.05 * k1)
            k3 = slope(y + 0.05 * k2)
            k4 = slope(y + 0.1 * k3)
            y = y + (k1 + 2 * k2 + 2 * k3 + k4) * (0.1 / 6)
            return y, y[0]

        return t.np.sum(t.scan(step, t.np.asarray(start), None, length=50)[1] ** 2)

    return t.value_and_grad(loss)(parameters)


@program(RNG.normal(size=12))
def steps_of_a_wave(t, u):
    def step(u):
        near = t.np.roll(u, 1) - 2 * u + t.np.roll(u, -1)
        return u + 0.1 * near - 0.05 * u * (t.np.roll(u, -1) - t.np.roll(u, 1))

    def loss(u):
        for _ in range(5):
            u = step(u)
        return t.np.sum(u[::2] ** 2)

    return t.value_and_grad(loss)(u), t.jacobian(step)(u)


@program(RNG.normal(size=(16, 8)), RNG.normal(size=(16, 8)))
def contrastive_loss(t, a, b):
    places = np.arange(16)

    def loss(a, b):
        rows = [x / t.np.sqrt(t.np.sum(x * x, axis=-1, keepdims=True)) for x in (a, b)]
        z = rows[0] @ rows[1].T / 0.07
        parts = [z - t.logsumexp(z, axis=k, keepdims=True) for k in (0, 1)]
        return -t.np.mean(parts[0][places, places] + parts[1][places, places])

    return t.value_and_grad(loss, argnums=(0, 1))(a, b)


@program(RNG.normal(size=(20, 5)), RNG.normal(size=20), RNG.normal(size=5))
def gradients_of_each_sample(t, x, y, w):
    loss = lambda w, x, y: (t.np.tanh(t.np.dot(x, w)) - y) ** 2
    return t.vmap(t.grad(loss), in_axes=(None, 0, 0))(w, x, y)


@program(RNG.normal(size=(400,)), np.array([0.1, 0.2, 0.1]), np.array([-0.5, 0.3]))
def filter_by_recurrence(t, signal, b, a):
    def loss(b, a):
        def step(z, x):
            y = b[0] * x + z[0]
            return t.np.stack([b[1] * x - a[0] * y + z[1], b[2] * x - a[1] * y]), y

        return t.np.mean(t.scan(step, t.np.asarray(np.zeros(2)), signal)[1] ** 2)

    return t.value_and_grad(loss, argnums=(0, 1))(b, a)


@program(RNG.normal(size=(32, 20)), RNG.normal(size=(20, 9)), RNG.integers(0, 9, 32, np.int32))
def classes_of_a_linear_model(t, x, w, labels):
    def loss(w):
        z = x @ w
        z = z - t.logsumexp(z, axis=1, keepdims=True)
        return -t.np.mean(z[t.np.arange(32), labels])

    return t.value_and_grad(loss)(w)


@program(RNG.normal(size=4), RNG.normal(size=(4, 4)) * 0.2)
def fixed_point_with_its_implicit_derivative(t, b, w):
    def loop(b):
        def step(c):
            return t.np.tanh(w @ c[0] + b), c[0]

        start = t.np.zeros_like(b), t.np.ones_like(b)
        return t.while_loop(lambda c: t.np.max(t.np.abs(c[0] - c[1])) > 1e-12, step, start)[0]

    def forward(b):
        z = loop(b)
        return z, (z, b)

    def backward(kept, g):
        z, b = kept
        slope = 1 - t.np.tanh(w @ z + b) ** 2
        return (slope * t.solve((t.np.eye(4, dtype="float64") - slope[:, None] * w).T, g),)

    solved = t.custom_vjp(loop)
    solved.defvjp(forward, backward)
    return t.value_and_grad(lambda b: t.np.sum(solved(b) ** 2))(b)


def _layer(inputs: int, outputs: int) -> dict[str, Any]:
    return {"w": RNG.normal(size=(inputs, outputs)) * 0.3, "b": np.zeros(outputs)}


@program({"in": _layer(8, 16), "out": _layer(16, 4)}, RNG.normal(size=(32, 8)), np.ones((32, 4)))
def training_step_of_parameters_in_dicts(t, parameters, x, y):
    def loss(p):
        h = t.np.tanh(x @ p["in"]["w"] + p["in"]["b"])
        return t.np.mean((h @ p["out"]["w"] + p["out"]["b"] - y) ** 2)

    value, slopes = t.value_and_grad(loss)(parameters)
    moved = {
        layer: {name: p - 0.1 * slopes[layer][name] for name, p in own.items()}
        for layer, own in parameters.items()
    }
    return value, moved


@program({"x": RNG.normal(size=16), "v": RNG.normal(size=16)}, RNG.normal(size=16))
def state_in_a_dict(t, state, force):
    v = state["v"] + 0.1 * force
    return {"x": state["x"] + 0.1 * v, "v": v}


@program(RNG.normal(size=(3, 96, 80)))
def channels_last(t, image):
    return (t.np.transpose(image, (1, 2, 0)) * 2,)


@program(RNG.normal(size=1000), RNG.normal(size=1000))
def filter_by_fft(t, x, kernel):
    def loss(x, kernel):
        spectrum = t.fft.rfft(x) * t.fft.rfft(kernel)
        return t.np.sum(t.fft.irfft(spectrum, n=1000) ** 2)

    return t.value_and_grad(loss, argnums=(0, 1))(x, kernel)


@program(RNG.normal(size=(32, 32)))
def spectrum_of_an_image(t, x):
    return (t.np.abs(t.fft.fft2(x)) ** 2,)


@program(RNG.normal(size=16))
def hessian_of_a_sum(t, x):
    return (t.jacobian(t.grad(lambda x: t.np.sum(t.np.exp(-x * x)) * t.np.sum(t.np.sin(x))))(x),)


@program(RNG.normal(size=16) + 1j * RNG.normal(size=16))
def chain_of_complex_numbers(t, z):
    return (t.np.abs(z * t.np.conj(z) / (1 + z)) + t.np.real(t.np.exp(1j * t.np.real(z)) * z),)


@program(RNG.normal(size=(100, 10)))
def running_sums_of_exponentials(t, x):
    return t.value_and_grad(lambda x: t.np.sum(t.cumlogsumexp(x, axis=0)))(x)


@program(*(RNG.normal(size=(2, 16, 8)) for _ in range(3)))
def attention_of_two_heads(t, q, k, v):
    def loss(q, k, v):
        shares = t.softmax(q @ t.np.swapaxes(k, 1, 2) / 8**0.5, axis=-1)
        return t.np.sum((shares @ v) ** 2)

    return t.value_and_grad(loss, argnums=(0, 1, 2))(q, k, v)


def _here() -> SimpleNamespace:
    names = "scan while_loop grad value_and_grad vmap jacobian custom_vjp softmax logsumexp fft"
    return SimpleNamespace(
        np=ng,
        cumlogsumexp=ng.logcumsumexp,
        solve=ng.linalg.solve,
        logdet=lambda a: ng.linalg.slogdet(a)[1],
        index_add=lambda x, places, value: ng.index_add(x, value, key=places),
        **{name: getattr(ng, name) for name in names.split()},
    )


def _there(jax: Any) -> SimpleNamespace:
    names = "grad value_and_grad vmap jacobian custom_vjp"
    return SimpleNamespace(
        np=jax.numpy,
        fft=jax.numpy.fft,
        cumlogsumexp=jax.lax.cumlogsumexp,
        scan=jax.lax.scan,
        while_loop=jax.lax.while_loop,
        solve=jax.numpy.linalg.solve,
        logdet=lambda a: jax.numpy.linalg.slogdet(a)[1],
        softmax=jax.nn.softmax,
        logsumexp=jax.nn.logsumexp,
        index_add=lambda x, places, value: x.at[places].add(value),
        **{name: getattr(jax, name) for name in names.split()},
    )


def leaves(value: Any) -> list[Any]:
    """The arrays of a result."""
    if isinstance(value, dict):
        value = tuple(value[name] for name in sorted(value))
    return [x for v in value for x in leaves(v)] if isinstance(value, tuple) else [value]


def converted(to: Callable[[Any], Any], value: Any) -> Any:
    """An array, or a dict of such, as arrays of a library."""
    if isinstance(value, dict):
        return {name: converted(to, part) for name, part in value.items()}
    return to(value)


def rows(words: list[str]) -> list[Factor]:
    """How many times quicker each program is than by jax.jit."""
    jax = peer("jax")
    if jax is None:
        return []
    jax.config.update("jax_enable_x64", True)
    results: list[Factor] = []
    for name, (f, arrays) in PROGRAMS.items():
        if words and not any(word in name for word in words):
            continue
        ours, here = (
            ng.jit(lambda *xs, f=f: f(_here(), *xs)),
            [converted(ng.array, x) for x in arrays],
        )
        theirs = jax.jit(lambda *xs, f=f: f(_there(jax), *xs))
        there = [converted(jax.numpy.asarray, x) for x in arrays]
        for a, b in zip(leaves(ours(*here)), leaves(theirs(*there)), strict=True):
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), 1e-9, 1e-9)

        def run(ours: Any = ours, here: Any = here) -> None:
            for x in leaves(ours(*here)):
                x.wait_to_read()

        def run_theirs(theirs: Any = theirs, there: Any = there) -> None:
            jax.block_until_ready(theirs(*there))

        best = quickest({"": run, "jax.jit": run_theirs}, 100)
        label = f"{name.replace('_', ' ')} ({best[''] * 1e6:.1f} us) / jax.jit"
        results.append(Factor(label, best["jax.jit"] / best[""], 1.0))
    return results


if __name__ == "__main__":
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    raise SystemExit(report(rows(sys.argv[1:])))
