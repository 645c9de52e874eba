"""Optimizers as their papers have them, in NumPy and float64: what ours are compared with.

Each is a class with the options of ours; `step(w, g)` gives the new weight.
"""

import numpy as np


class Reference:
    def __init__(self, lr, **options):
        self.lr, self.t, self.s = lr, 0, {}
        self.o = {**self.defaults, **options}
        self.decay = self.o.pop("weight_decay", 0.0)

    defaults = {}

    def state(self, name, like, value=0.0):
        return self.s.setdefault(name, np.full_like(like, value))

    def step(self, w, g):
        self.t += 1
        w, g = np.asarray(w, np.float64), np.asarray(g, np.float64)
        return self.rule(w, g, self.lr, **self.o)


class SGD(Reference):
    defaults = {"momentum": 0.0, "dampening": 0.0, "nesterov": False}

    def rule(self, w, g, lr, momentum, dampening, nesterov):
        g = g + self.decay * w
        if momentum:
            v = self.state("v", w)
            v = momentum * v + (g if self.t == 1 else (1 - dampening) * g)
            self.s["v"] = v
            g = g + momentum * v if nesterov else v
        return w - lr * g


class NAG(SGD):
    defaults = {"momentum": 0.9, "dampening": 0.0, "nesterov": True}


class Signum(Reference):
    defaults = {"momentum": 0.9, "shrink": 0.0}

    def rule(self, w, g, lr, momentum, shrink):
        g = g + self.decay * w
        self.s["v"] = momentum * self.state("v", w) + (1 - momentum) * g
        return (1 - lr * shrink) * w - lr * np.sign(self.s["v"])


class Lion(Reference):
    defaults = {"betas": (0.9, 0.99)}

    def rule(self, w, g, lr, betas):
        m = self.state("m", w)
        update = np.sign(betas[0] * m + (1 - betas[0]) * g)
        self.s["m"] = betas[1] * m + (1 - betas[1]) * g
        return w - lr * (update + self.decay * w)


class LARS(Reference):
    defaults = {"momentum": 0.9, "trust": 1e-3, "eps": 1e-9}

    def rule(self, w, g, lr, momentum, trust, eps):
        own, slope = np.linalg.norm(w), np.linalg.norm(g)
        local = trust * own / (slope + self.decay * own + eps) if own and slope else 1.0
        self.s["v"] = momentum * self.state("v", w) + lr * local * (g + self.decay * w)
        return w - self.s["v"]


class Adagrad(Reference):
    defaults = {"lr_decay": 0.0, "initial": 0.0, "eps": 1e-10}

    def rule(self, w, g, lr, lr_decay, initial, eps):
        g = g + self.decay * w
        self.s["h"] = self.state("h", w, initial) + g * g
        return w - lr / (1 + (self.t - 1) * lr_decay) * g / (np.sqrt(self.s["h"]) + eps)


class RMSProp(Reference):
    defaults = {
        "alpha": 0.99,
        "eps": 1e-8,
        "momentum": 0.0,
        "centered": False,
        "clip_weights": None,
    }

    def rule(self, w, g, lr, alpha, eps, momentum, centered, clip_weights):
        g = g + self.decay * w
        self.s["s"] = alpha * self.state("s", w) + (1 - alpha) * g * g
        square = self.s["s"]
        if centered:
            self.s["m"] = alpha * self.state("m", w) + (1 - alpha) * g
            square = square - self.s["m"] ** 2
        self.s["v"] = momentum * self.state("v", w) + g / (np.sqrt(square) + eps)
        most = clip_weights or np.inf
        return np.clip(w - lr * self.s["v"], -most, most)


class Adadelta(Reference):
    defaults = {"rho": 0.9, "eps": 1e-6}

    def rule(self, w, g, lr, rho, eps):
        g = g + self.decay * w
        self.s["s"] = rho * self.state("s", w) + (1 - rho) * g * g
        step = np.sqrt(self.state("u", w) + eps) / np.sqrt(self.s["s"] + eps) * g
        self.s["u"] = rho * self.s["u"] + (1 - rho) * step * step
        return w - lr * step


class Ftrl(Reference):
    defaults = {"lasso": 0.01, "beta": 1.0}

    def rule(self, w, g, lr, lasso, beta):
        n = self.state("n", w)
        sigma = (np.sqrt(n + g * g) - np.sqrt(n)) / lr
        self.s["z"] = z = self.state("z", w) + g - sigma * w
        self.s["n"] = n = n + g * g
        new = -(z - np.sign(z) * lasso) / ((beta + np.sqrt(n)) / lr + self.decay)
        return np.where(np.abs(z) <= lasso, 0.0, new)


class Adam(Reference):
    defaults = {"betas": (0.9, 0.999), "eps": 1e-8, "amsgrad": False}
    decoupled = False

    def moments(self, g, betas):
        self.s["m"] = betas[0] * self.state("m", g) + (1 - betas[0]) * g
        self.s["v"] = betas[1] * self.state("v", g) + (1 - betas[1]) * g * g
        return self.s["m"] / (1 - betas[0] ** self.t), self.s["v"] / (1 - betas[1] ** self.t)

    def rule(self, w, g, lr, betas, eps, amsgrad):
        g = g if self.decoupled else g + self.decay * w
        m, v = self.moments(g, betas)
        if amsgrad:
            self.s["most"] = np.maximum(self.state("most", w), self.s["v"])
            v = self.s["most"] / (1 - betas[1] ** self.t)
        kept = (1 - lr * self.decay) * w if self.decoupled else w
        return kept - lr * m / (np.sqrt(v) + eps)


class AdamW(Adam):
    decoupled = True
    defaults = {**Adam.defaults, "weight_decay": 0.01}


class Adamax(Adam):
    defaults = {"betas": (0.9, 0.999), "eps": 1e-8}

    def rule(self, w, g, lr, betas, eps):
        g = g + self.decay * w
        m, _ = self.moments(g, betas)
        self.s["u"] = np.maximum(betas[1] * self.state("u", w), np.abs(g) + eps)
        return w - lr * m / self.s["u"]


class AdaBelief(Reference):
    defaults = {"betas": (0.9, 0.999), "eps": 1e-16}

    def rule(self, w, g, lr, betas, eps):
        self.s["m"] = m = betas[0] * self.state("m", w) + (1 - betas[0]) * g
        self.s["s"] = betas[1] * self.state("s", w) + (1 - betas[1]) * (g - m) ** 2 + eps
        m, s = m / (1 - betas[0] ** self.t), self.s["s"] / (1 - betas[1] ** self.t)
        return (1 - lr * self.decay) * w - lr * m / (np.sqrt(s) + eps)


class RAdam(Adam):
    defaults = {"betas": (0.9, 0.999), "eps": 1e-8}

    def rule(self, w, g, lr, betas, eps):
        g = g + self.decay * w
        m, _ = self.moments(g, betas)
        most = 2 / (1 - betas[1]) - 1
        left = 1 - betas[1] ** self.t
        length = most - 2 * self.t * betas[1] ** self.t / left
        if length <= 5:
            return w - lr * m
        top = (length - 4) * (length - 2) * most
        over = np.sqrt(left) / (np.sqrt(self.s["v"]) + eps)
        return w - lr * m * np.sqrt(top / ((most - 4) * (most - 2) * length)) * over


class FTML(Reference):
    defaults = {"betas": (0.6, 0.999), "eps": 1e-8}

    def rule(self, w, g, lr, betas, eps):
        g = g + self.decay * w
        self.s["v"] = v = betas[1] * self.state("v", w) + (1 - betas[1]) * g * g
        root = np.sqrt(v / (1 - betas[1] ** self.t)) + eps
        d = (1 - betas[0] ** self.t) / lr * root
        sigma = d - betas[0] * self.state("d", w)
        self.s["z"] = z = betas[0] * self.state("z", w) + (1 - betas[0]) * g - sigma * w
        self.s["d"] = d
        return -z / d


class LAMB(Adam):
    defaults = {"betas": (0.9, 0.999), "eps": 1e-6, "lower": None, "upper": None}

    def rule(self, w, g, lr, betas, eps, lower, upper):
        m, v = self.moments(g, betas)
        step = m / (np.sqrt(v) + eps) + self.decay * w
        own, size = np.linalg.norm(w), np.linalg.norm(step)
        own = np.clip(own, lower or 0.0, upper or np.inf)
        return w - lr * (own / size if own and size else 1.0) * step


CASES = [
    ("SGD", {}),
    ("SGD", {"weight_decay": 0.1}),
    ("SGD", {"momentum": 0.9, "dampening": 0.2, "weight_decay": 0.05}),
    ("SGD", {"momentum": 0.9, "nesterov": True}),
    ("NAG", {"weight_decay": 0.1}),
    ("NAG", {"momentum": 0.0}),
    ("NAG", {"nesterov": True}),
    ("Signum", {"momentum": 0.8, "shrink": 0.1, "weight_decay": 0.02}),
    ("Lion", {"weight_decay": 0.1}),
    ("LARS", {"weight_decay": 0.1, "trust": 0.02}),
    ("Adagrad", {"lr_decay": 0.1, "initial": 0.1}),
    ("RMSProp", {"weight_decay": 0.1}),
    ("RMSProp", {"momentum": 0.9, "alpha": 0.9}),
    ("RMSProp", {"momentum": 0.5, "centered": True, "alpha": 0.9}),
    ("Adadelta", {"weight_decay": 0.01}),
    ("Ftrl", {"lasso": 0.3, "weight_decay": 0.1}),
    ("Adam", {}),
    ("Adam", {"weight_decay": 0.1, "betas": (0.8, 0.9)}),
    ("Adam", {"amsgrad": True, "betas": (0.5, 0.6)}),
    ("AdamW", {}),
    ("Adamax", {"weight_decay": 0.1}),
    ("AdaBelief", {"weight_decay": 0.1, "eps": 1e-8}),
    ("RAdam", {"weight_decay": 0.1, "betas": (0.9, 0.97)}),
    ("LAMB", {"weight_decay": 0.1}),
    ("LAMB", {"lower": 2.0, "upper": 2.5}),
    ("RMSProp", {"clip_weights": 0.8}),
    ("RMSProp", {"momentum": 0.5, "clip_weights": 0.7}),
    ("FTML", {"weight_decay": 0.1}),
]
