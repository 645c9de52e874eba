"""Registration of a property: a callable by the operator's name, for arrays of every kind.

>>> import numpy as np, nbgraph as ng
>>> class Scaling(ng.Operator):
...     def __init__(self, factor):
...         self.factor = factor
...
...     def forward(self, ctx, in_data, req, out_data, aux_states):
...         self.assign(out_data[0], req[0], self.factor * in_data[0])
...
...     def backward(self, ctx, out_grad, in_data, out_data, req, in_grad, aux_states):
...         self.assign(in_grad[0], req[0], self.factor * out_grad[0])
>>> @register_operator("scale_of_the_manual")
... class Scale(ng.OperatorProperty):
...     '''Multiply by a factor.'''
...
...     class Param(ng.Param):
...         factor: float = ng.field(2.0, doc="What elements are multiplied by.")
...
...     def infer_shape(self, in_shapes, out_shapes, aux_shapes):
...         return in_shapes, in_shapes, []
...
...     def declare_backward_dependency(self, out_grad, in_data, out_data):
...         return [out_grad[0]]
...
...     def create_operator(self, ctx, in_shapes, in_dtypes):
...         return Scaling(self.param.factor)
>>> scale = registry.find("scale_of_the_manual")
>>> scale(np.array([1.0, 2.0]), factor="0.5")
array([0.5, 1. ])
>>> exe = ng.sum(scale(ng.var("x"))).simple_bind(x=(2,))
>>> exe.forward_backward(x=[1.0, 2.0]), exe.grad_dict["x"]
([array(6., dtype=float32)], array([2., 2.], dtype=float32))
>>> registry.remove("scale_of_the_manual")
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any, TypeVar

from nbgraph.errors import ArgumentError, NbgraphError
from nbgraph.operator import registry
from nbgraph.operator.call import call, carrier_of, outputs_of, sources
from nbgraph.operator.full.choosing import Measured, Tuner
from nbgraph.operator.full.facts import content, facts_of
from nbgraph.operator.full.handles import Facts
from nbgraph.operator.full.op import PropertyOp
from nbgraph.operator.full.operator import Operator
from nbgraph.operator.full.property import OperatorProperty
from nbgraph.operator.layout import keep
from nbgraph.operator.parameters import Param, refuse_marks

_Property = TypeVar("_Property", bound=type[OperatorProperty])
_KEPT = 256  # sets of parameters cached
_PLAIN = (bool, int, float, str, type(None))


class RegisteredOperator:
    """The callable of a registered property.

    Arrays are positional or named, parameters named, as values or text. On symbols, missing
    arguments and states become variables, named by the node's `name` and their own.

    Attributes
    ----------
    property : type
        The OperatorProperty.
    operands : tuple of str
        Arguments and states, for the default parameters.
    """

    def __init__(self, name: str, prop: type[OperatorProperty]) -> None:
        self.__name__ = self.__qualname__ = name
        self.__module__ = prop.__module__
        self.property, self.tuner = prop, Tuner()
        self._known: dict[Param, PropertyOp] = {}
        self._asked: dict[Any, PropertyOp] = {}  # by the parameters of a call
        sample = example(prop)
        facts = None if sample is None else facts_of(name, sample, prop.Param.__fields__)
        self.operands = () if facts is None else (*facts.arguments, *facts.states)
        self.__signature__ = signature(prop, facts)
        self.__doc__ = described(name, prop, facts)

    # operators --------------------------------------------------------------------------------

    def of(self, parameters: Mapping[str, Any]) -> PropertyOp:
        """Return the operator for these parameters, values or text; a new one if it is stateful."""
        op = self._cached_op(parameters)
        return op.another() if op.stateful else op

    def _cached_op(self, parameters: Mapping[str, Any]) -> PropertyOp:
        if not all(type(value) in _PLAIN for value in parameters.values()):
            return self._read(parameters)
        key = tuple([(name, type(value), value) for name, value in parameters.items()])
        op = self._asked.get(key)
        if op is None:
            op = keep(self._asked, key, self._read(parameters), _KEPT)
        return op

    def _read(self, parameters: Mapping[str, Any]) -> PropertyOp:
        try:
            prop = self.property(**parameters)
        except ArgumentError as error:
            message = str(error).removeprefix(f"{self.property.__name__}: ")
            raise ArgumentError(f"{self.__name__}: {message}") from None
        op = self._known.get(prop.param)
        if op is None:
            facts = facts_of(self.__name__, prop, prop.Param.__fields__)
            if len(self._known) >= _KEPT:
                self._known.clear()
            op = self._known.setdefault(prop.param, PropertyOp(self, prop, facts))
        return op

    # calls ------------------------------------------------------------------------------------

    def __call__(
        self, *operands: Any, out: Any = None, name: str | None = None, **options: Any
    ) -> Any:
        """Apply the operator; the result is of the operands' kind. Returns the visible outputs, a
        tuple if there are several.

        Raises ArgumentError for arguments that are unknown, missing or repeated; ShapeError and
        DTypeError if arrays do not fit.
        """
        fields = self.property.Param.__fields__
        op = self.of({k: v for k, v in options.items() if k in fields})
        named = {k: v for k, v in options.items() if k not in fields}
        values = self._values(op, operands, named)
        carrier: Any = carrier_of(values) or sources.get()
        compose = getattr(carrier, "__nbgraph_compose__", None)
        if compose is not None and out is None:
            return _visible(op, compose(op, values, name))
        if name is not None:
            refuse_marks(self.__name__, {"name": name}, tuple(fields))
        _require_all(op, values)
        return _visible(op, call(op, values, op.parameters, _outs(op, out)))

    def _values(
        self, op: PropertyOp, operands: Sequence[Any], named: Mapping[str, Any]
    ) -> list[Any]:
        """Return the arrays in order, None for missing ones."""
        names = op.operands
        if len(operands) > len(names):
            raise ArgumentError(
                f"{self.__name__}: {len(operands)} arrays are given; it takes {len(names)}: "
                f"{', '.join(names)}"
            )
        values = [*operands, *[None] * (len(names) - len(operands))]
        for label, value in named.items():
            if label not in names:
                allowed = [*names, *self.property.Param.__fields__]
                refuse_marks(self.__name__, {label: value}, allowed)
                raise ArgumentError(
                    f"{self.__name__}: there is no argument or parameter {label!r}; "
                    f"{registry.suggestion(label, allowed)} (it takes {', '.join(allowed)})"
                )
            place = names.index(label)
            if values[place] is not None:
                raise ArgumentError(f"{self.__name__}: {label!r} is given twice; give it once")
            values[place] = value
        return values

    # what it is -------------------------------------------------------------------------------

    def measured(self) -> list[Measured]:
        """Return measurements and choices, if `create_operator` returns several operators."""
        return self.tuner.measured()

    def choose(self, implementation: int | None) -> None:
        """Fix the implementation, by its index in the list of `create_operator`, so that results do
        not depend on timing. None: measure."""
        self.tuner.fixed = implementation

    def content(self) -> str:
        """Return a hash of the texts of the property and its operators."""
        return content_of_property(self.property)

    __reduce__ = registry.by_name

    def __repr__(self) -> str:
        return f"<operator {self.__name__}{self.__signature__}>"


def _require_all(op: PropertyOp, values: Sequence[Any]) -> None:
    missing = [name for name, value in zip(op.operands, values, strict=True) if value is None]
    if missing:
        raise ArgumentError(
            f"{op.__name__}: no array is given for {', '.join(missing)}; give {missing[0]}=array "
            "(on symbols, what is not given becomes a variable)"
        )


def _outs(op: PropertyOp, out: Any) -> Any:
    """Return `out` extended to all outputs: hidden ones are new arrays."""
    if out is None:
        return None
    count = op.facts.visible
    return (*outputs_of(op, out, count), *[None] * (op.nout - count))


def _visible(op: PropertyOp, results: Any) -> Any:
    outputs = results if isinstance(results, tuple) else (results,)
    return outputs[0] if op.facts.visible == 1 else outputs[: op.facts.visible]


def register_operator(name: str) -> Callable[[_Property], _Property]:
    """Return a class decorator that registers an OperatorProperty under a name: in `ng.nd`,
    `ng.sym` and, if the name is free, in `ng`.

    Repeated, as in a notebook cell, it replaces what the same module registered; a name of another
    module is refused. ArgumentError says what the class lacks.

    >>> @register_operator("nameless")
    ... class Empty(OperatorProperty): ...
    Traceback (most recent call last):
        ...
    nbgraph.errors.ArgumentError: register_operator 'nameless': Empty lacks create_operator, \
infer_shape; write them as methods
    """
    if not isinstance(name, str):
        raise ArgumentError(f"register_operator: {name!r} is not a name; give one: @...('scale')")

    def decorate(prop: _Property) -> _Property:
        where = f"register_operator {name!r}"
        if not isinstance(prop, type) or not issubclass(prop, OperatorProperty):
            raise ArgumentError(
                f"{where}: {prop!r} is not a subclass of ng.OperatorProperty; give one"
            )
        lacking = sorted(prop.__abstractmethods__)
        if lacking:
            raise ArgumentError(
                f"{where}: {prop.__name__} lacks {', '.join(lacking)}; write them as methods"
            )
        if not isinstance(prop.Param, type) or not issubclass(prop.Param, Param):
            raise ArgumentError(
                f"{where}: {prop.__name__}.Param is {prop.Param!r}; give a subclass of ng.Param"
            )
        registry.register(RegisteredOperator(name, prop), name, owner=prop)
        return prop

    return decorate


# what people see, and what files compare --------------------------------------------------------


def example(prop: type[OperatorProperty]) -> OperatorProperty | None:
    """Return the property with default parameters, and examples of required ones, or None if those
    do not fit together: it supplies names before any call."""
    required = {
        name: f.choices[0] if f.choices else f.kind.example
        for name, f in prop.Param.__fields__.items()
        if f.required and f.kind is not None
    }
    try:
        return prop(**{k: v.strip("'") if isinstance(v, str) else v for k, v in required.items()})
    except NbgraphError:
        return None


def signature(prop: type[OperatorProperty], facts: Facts | None) -> inspect.Signature:
    """Return the signature: arrays positional or by name, `out`, `name`, parameters by name."""
    P = inspect.Parameter
    if facts is None:
        arrays = [P("arrays", P.VAR_POSITIONAL)]
    else:
        names = (*facts.arguments, *facts.states)
        arrays = [P(n, P.POSITIONAL_OR_KEYWORD, default=None) for n in names]
    own = inspect.signature(prop.Param).parameters.values()
    last = [P(n, P.KEYWORD_ONLY, default=None) for n in ("out", "name")]
    return inspect.Signature([*arrays, *own, *last])


def described(name: str, prop: type[OperatorProperty], facts: Facts | None) -> str:
    """Return the text for help(): the property's, arrays, parameters, outputs, facts."""
    own = prop.__dict__.get("__doc__")
    lines = [inspect.cleandoc(own) if own else f"The operator {name}.", ""]
    rows = [] if facts is None else [f"{n} : array" for n in facts.arguments]
    if facts is not None:
        rows += [f"{n} : array, auxiliary state: written in training" for n in facts.states]
    rows += [f.describe() for f in prop.Param.__fields__.values()]
    if rows:
        lines += ["Parameters", "----------", *rows, ""]
    if facts is not None:
        lines += ["Returns", "-------", *(f"{n} : array" for n in facts.outputs[: facts.visible])]
        lines += ["", *_notes(facts)]
    return "\n".join(lines)


def _notes(facts: Facts) -> list[str]:
    hidden = facts.outputs[facts.visible :]
    notes = [f"Backward reads {_listed(facts.reads)}."]
    if hidden:
        notes.append(f"Hidden outputs: {', '.join(hidden)}.")
    pairs = [f"{a!r} by {b!r}" for a, b in (*facts.forward_pairs, *facts.backward_pairs)]
    if pairs:
        notes.append(f"May be overwritten: {', '.join(pairs)}.")
    return notes


def _listed(handles: tuple[Any, ...]) -> str:
    return ", ".join(map(repr, handles)) or "nothing"


def content_of_property(prop: type[OperatorProperty]) -> str:
    """Return a hash of the texts of its methods and of the operators it names."""
    functions = dict(_methods(prop, OperatorProperty))
    create = functions["create_operator"]
    for name in sorted(set(create.__code__.co_names)):
        named = create.__globals__.get(name)
        if isinstance(named, type) and issubclass(named, Operator):
            functions |= {f"{name}.{key}": fn for key, fn in _methods(named, Operator)}
    parameters = sorted(prop.Param.__fields__)
    return content({**functions, f"parameters {parameters}": _nothing})


def _methods(cls: type, base: type) -> Iterator[tuple[str, FunctionType]]:
    """Yield the functions of a class and of its bases below `base`, nearest first."""
    for owner in reversed(cls.__mro__):
        if issubclass(owner, base) and owner is not base:
            for name, value in vars(owner).items():
                plain: Any = getattr(value, "__func__", value)
                if isinstance(plain, FunctionType):
                    yield name, plain


def _nothing() -> None:
    """Stand for a text that is in its name alone."""
