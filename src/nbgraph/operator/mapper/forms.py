"""The forms of an operator: one for each set of values of its static parameters.

`def f(x, scale=None, method="exact")` has a kernel for each `method`, one without `scale`, one with
`scale` as a number, one with `scale` as an operand. Each form is an operator of its own, from the
same text with names in other roles (`nbgraph.kernels.function.signature`), so derivatives, graphs
and kernels see ordinary functions. A call selects its form here, before anything else.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from nbgraph.errors import ArgumentError
from nbgraph.kernels.capture.draws import KEY
from nbgraph.kernels.capture.results import AlwaysRaises
from nbgraph.kernels.function.derived import Derivative
from nbgraph.kernels.function.scalar_function import WrittenFunction
from nbgraph.kernels.function.signature import Choice, Signature, choices_of, is_static

if TYPE_CHECKING:
    from nbgraph.operator.scalar.elementwise import Elementwise

MAX_FORMS = 256  # forms cached per operator


class Specialized(NamedTuple):
    """The origin of a form: the operator with the text's roles, and the roles that differ."""

    parent: Elementwise
    choices: tuple[Choice, ...]


class Forms:
    """The cache of one operator's forms."""

    def __init__(self, op: Elementwise) -> None:
        self._op = op
        self._forms: dict[tuple[Any, ...], Elementwise] = {}
        # by name: whether values never select a form; None: numbers do not
        self._numbers: dict[str, bool | None] | None = None

    def clear(self) -> None:
        """Drop the forms: the operator has changed."""
        self._forms.clear()

    @property
    def direct(self) -> int:
        """The number of leading positional arguments that are certainly operands."""
        signature, count = self._signature(), 0
        for name, operand in zip(signature.places, signature.operands, strict=False):
            if name != operand or name in signature.chosen:
                break
            count += 1
        return count

    def bind(
        self, args: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """Return the form for a call, its operands by position, and other arguments.

        Raises ArgumentError for an array passed for a parameter that cannot be an operand.
        """
        op, signature = self._op, self._signature()
        if len(args) <= op._direct and self._only_numbers(options):
            return op, args, options
        places = signature.places
        if len(args) > len(places) or any(name in options for name in places[: len(args)]):
            return op, args, dict(options)  # which raises
        arguments = {**dict(zip(places, args, strict=False)), **options}
        form = self.form(arguments)
        fixed = [p.name for p in form.scalar.parameters if p.is_static]
        operands: list[Any] = []
        for name in form.scalar.operands:
            if name not in arguments or (name == KEY and form.scalar.draws):  # `split` makes them
                break
            operands.append(arguments.pop(name))
        rest = {name: value for name, value in arguments.items() if name not in fixed}
        return form, tuple(operands), rest

    def _only_numbers(self, options: dict[str, Any]) -> bool:
        """Return whether options select no form: they are numbers for numbers, or operands."""
        numbers = self._numbers
        if numbers is None:
            signature = self._signature()
            own = {p.name for p in signature.parameters}
            text = signature.text.parameters
            numbers = dict[str, bool | None]()
            numbers.update((n, n not in own and n not in signature.chosen) for n in text)
            for name in own:
                default = text[name].default
                if default is not inspect.Parameter.empty and not is_static(default):
                    numbers[name] = None
            self._numbers = numbers
        for name, value in options.items():
            is_number = numbers.get(name, True)
            if is_number is False or (is_number is None and type(value) not in (float, int)):
                return False
        return True

    def form(self, arguments: Mapping[str, Any]) -> Any:
        """Return the form for these values by name; those of operands do not matter."""
        own = {choice.name: choice for choice in self._op.scalar.choices}
        return self.choose(
            choices_of(self._op.__name__, self._signature(), arguments, own).values()
        )

    def with_number(self, name: str) -> Any:
        """Return the form in which a name is a number that derivatives can be taken by."""
        signature = self._signature()
        static = any(p.name == name and p.is_static for p in signature.parameters)
        p = signature.text.parameters[name]
        if not static or not (p.default is None or isinstance(p.default, bool)):
            return self._op
        choice = Choice(name, "operand")
        if p.kind is p.KEYWORD_ONLY:
            choice = Choice(name, "number", 1.0)
        return self.choose([*(c for c in self._op.scalar.choices if c.name != name), choice])

    def choose(self, choices: Iterable[Choice]) -> Any:
        """Return the form with these roles."""
        op = self._op
        chosen = tuple(sorted(choices, key=lambda choice: choice.name))
        key = _key(chosen)
        if key == _key(op.scalar.choices):
            return op
        if isinstance(op.scalar, Derivative):
            parent, wrt, order = op.origin  # type: ignore[misc]
            return parent.forms.choose(chosen).derivative(wrt, order=order)
        if isinstance(op.origin, Specialized):
            return specialized(op.origin.parent, chosen)
        if op.refresh_needed():
            op.refresh()
            return specialized(op, chosen)
        try:
            form = self._forms.get(key)
        except TypeError:
            listed = ", ".join(f"{c.name}={c.value!r}" for c in chosen)
            raise ArgumentError(
                f"{op.__name__}: {listed} cannot be static: the value may change; give a number, "
                "a string, None or a tuple of these"
            ) from None
        if form is None:
            while len(self._forms) >= MAX_FORMS:
                self._forms.pop(next(iter(self._forms)), None)
            form = self._forms.setdefault(key, self._make(chosen))
        return form

    def _make(self, choices: tuple[Choice, ...]) -> Any:
        op, scalar = self._op, self._op.scalar
        assert isinstance(scalar, WrittenFunction), op
        definition = WrittenFunction(scalar.fn, choices, scalar)
        definition.name = scalar.name
        try:
            kind: Any = type(op)
            form = kind(
                definition,
                fastmath=op.fastmath,
                prefer=op.prefer,
                certify=op.certify,
                origin=Specialized(op, choices),
            )
            _ = form.nout  # captures now
        except AlwaysRaises as problem:
            raise problem.error from None
        if op.hand_gradient is not None:
            form.gradient(op.hand_gradient.scalar.fn)  # type: ignore[attr-defined]
        return form

    def _signature(self) -> Signature:
        signature = self._op.scalar.signature
        assert signature is not None, self._op
        return signature


def _key(choices: Iterable[Choice]) -> tuple[Any, ...]:
    return tuple(choice.key() for choice in choices)


def specialized(parent: Elementwise, choices: tuple[Choice, ...]) -> Any:
    """Return the form of an operator with these roles."""
    assert parent.forms is not None, parent
    return parent.forms.choose(choices)


class Derived(NamedTuple):
    """The origin of an operator that a function of this package derives from another one."""

    make: Callable[..., Any]
    arguments: tuple[Any, ...]
