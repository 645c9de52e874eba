"""Options for the passes of a compilation; every pass can be switched off."""

from __future__ import annotations

from typing import Literal, NamedTuple

from nbgraph.errors import ArgumentError


class Options(NamedTuple):
    """Options of a compilation. Results are the same bits with and without each of them, except
    that fused sums are added in another order.

    Attributes
    ----------
    share : bool
        Equal nodes become one.
    fold : bool
        What depends on constants alone is computed once.
    simplify : bool
        Rules that are exact in IEEE arithmetic.
    unite : bool
        Passes over rows and their gradients become one.
    fuse : bool
        Scalar operators of one shape become one loop.
    inplace : bool
        Results are written over what nobody needs any more, and sums delivered as kAddTo.
    memory : bool
        Values whose lifetimes do not meet share memory.
    recompute : None, "sqrt" or int
        In `forward_backward`, values of the forward pass are computed again in the backward pass,
        but for about sqrt(n) of n (or one in so many); nodes marked by `ng.checkpoint` are kept in
        any case. `forward` and `backward` as two plans keep what they need.

    >>> Options.of(fuse=False).fuse
    False
    """

    share: bool = True
    fold: bool = True
    simplify: bool = True
    unite: bool = True
    fuse: bool = True
    inplace: bool = True
    memory: bool = True
    recompute: Literal["sqrt"] | int | None = None

    @classmethod
    def of(cls, given: Options | None = None, **changes: object) -> Options:
        """Return options with changes by name; raise ArgumentError for an unknown name."""
        names = cls._fields
        unknown = sorted(set(changes) - set(names))
        if unknown:
            raise ArgumentError(
                f"options: there is no {unknown[0]!r}; there are {', '.join(names)}"
            )
        values = {name: getattr(given or cls(), name) for name in names} | changes
        options = cls(**values)  # type: ignore[arg-type]
        every = options.recompute
        whole = isinstance(every, int) and not isinstance(every, bool) and every > 0
        if every is not None and every != "sqrt" and not whole:
            raise ArgumentError(
                f"options: recompute={every!r}; give None, 'sqrt', or a number of nodes from 1"
            )
        return options

    @classmethod
    def none(cls) -> Options:
        """Return options without any pass: every operator by itself, every value in memory of its
        own; all other options must agree with its results."""
        return cls(**{name: None if name == "recompute" else False for name in cls._fields})  # type: ignore[arg-type]
