"""Two models of the characters in Python's own docstrings: python -m examples.characters.

A long short-term memory and a small transformer guess each next character from those before it.
"""

import importlib
from collections.abc import Sequence

import numpy as np

import nbgraph as ng
from nbgraph import nn

MODULES = "argparse collections datetime decimal heapq inspect random statistics string textwrap"


def text() -> str:
    """Docstrings of some modules of the standard library."""
    modules = [importlib.import_module(name) for name in MODULES.split()]
    found = [m.__doc__ or "" for m in modules]
    for module in modules:
        members = [getattr(module, name) for name in sorted(vars(module)) if name[0] != "_"]
        own = [m for m in members if getattr(m, "__module__", "") == module.__name__]
        found += [m.__doc__ or "" for m in own if callable(m)]
    return "".join(c for c in "\n".join(found) if c.isascii())


class Recurrent(nn.Module):
    """A character's vector, an LSTM, scores of the next character."""

    def __init__(self, characters: int, units: int = 96) -> None:
        self.vectors = nn.Embedding(characters, 32)
        self.memory = nn.LSTM(units, in_features=32)
        self.scores = nn.Dense(characters, in_features=units)

    def forward(self, x: ng.NDArray) -> ng.NDArray:
        """Characters of shape (samples, steps); scores have an axis more."""
        return self.scores(self.memory(self.vectors(x))[0])


class Transformer(nn.Module):
    """Vectors of a character and of its place, blocks of attention, scores of the next one."""

    def __init__(self, characters: int, steps: int, units: int = 64) -> None:
        self.vectors = nn.Embedding(characters, units)
        self.places = nn.Embedding(steps, units)
        self.blocks = [nn.TransformerBlock(units, heads=4, causal=True) for _ in range(2)]
        self.norm = nn.LayerNorm(units)
        self.scores = nn.Dense(characters, in_features=units)

    def forward(self, x: ng.NDArray) -> ng.NDArray:
        """As `Recurrent`."""
        x = self.vectors(x) + self.places(ng.arange(x.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.scores(self.norm(x))


def windows(codes: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Stretches of so many characters, and each one's next characters."""
    count = (len(codes) - 1) // steps
    cut = slice(0, count * steps)
    return codes[cut].reshape(count, steps), codes[1:][cut].reshape(count, steps)


def entropy_of_counts(codes: np.ndarray) -> float:
    """What the shares of single characters alone would cost, in nats a character."""
    shares = np.bincount(codes) / len(codes)
    shares = shares[shares > 0]
    return float(-(shares * np.log(shares)).sum())


def main(names: Sequence[str] = ("lstm", "transformer"), epochs: int = 4) -> dict[str, float]:
    """Train, and give what a character of the last tenth costs, in nats, by model."""
    written, steps = text(), 32
    alphabet = sorted(set(written))
    codes = np.array([alphabet.index(c) for c in written], np.int64)
    border = len(codes) * 9 // 10
    found = {"counts": entropy_of_counts(codes)}
    for name in names:
        ng.random.seed(0)
        count = len(alphabet)
        model = Recurrent(count) if name == "lstm" else Transformer(count, steps)
        history = nn.fit(
            model,
            nn.Batches(*windows(codes[:border], steps), batch_size=32, last="drop"),
            loss=ng.cross_entropy,
            optimizer=lambda m: ng.optim.Adam(m, 4e-3, clip_norm=1.0),
            epochs=epochs,
            validation=nn.Batches(*windows(codes[border:], steps), batch_size=32, last="drop"),
        )
        print(f"{name}\n{history}")
        found[name] = history["val_loss"][-1]
    print(", ".join(f"{name}: {value:.2f} nats a character" for name, value in found.items()))
    return found


if __name__ == "__main__":
    main()
