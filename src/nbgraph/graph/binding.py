"""From symbols to values. Executors lie on a higher floor, so they are imported by name."""

from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.device import Context
from nbgraph.scopes import load


def _bind() -> Any:
    return load("nbgraph.executor.bind")


class Binding:
    """The part of `Symbol` that computes."""

    __slots__ = ()

    def simple_bind(
        self,
        ctx: Context | None = None,
        grad_req: Any = "write",
        type_dict: Mapping[str, Any] | None = None,
        options: Any = None,
        group2ctx: Mapping[str, Context] | None = None,
        **shapes: Sequence[int],
    ) -> Any:
        """Return an Executor with new arrays, from the shapes of some arguments.

        Parameters
        ----------
        ctx : Context, optional
            The device, by default `ng.cpu()`.
        grad_req : "write", "add", "null", or a list or dict of these by argument
            Whether gradients are written, added or not computed.
        type_dict : dict from names to dtypes, optional
        options : ng.executor.Options, optional
            The passes to apply.
        group2ctx : dict from names to devices, optional
            The devices of nodes, with their arrays and gradients, by their attribute `ctx_group`
            (`ng.AttrScope(ctx_group="dev1")`). A node without it is on the device of its first
            operand, else on `ctx`. Values that another device reads are copied there.
        **shapes
            By argument; those of others are inferred. Arrays are filled by `init` of the variable,
            by default with zeros.

        >>> import nbgraph as ng
        >>> exe = (ng.var("x") @ ng.var("w")).simple_bind(x=(2, 3), w=(3, 4))
        >>> exe.outputs[0].shape, sorted(exe.grad_dict)
        ((2, 4), ['w', 'x'])
        """
        return _bind().simple_bind(self, ctx, grad_req, type_dict, options, group2ctx, **shapes)

    def bind(
        self,
        ctx: Context | None = None,
        args: Any = None,
        args_grad: Any = None,
        grad_req: Any = "write",
        aux: Any = None,
        options: Any = None,
        group2ctx: Mapping[str, Context] | None = None,
        aux_states: Any = None,
    ) -> Any:
        """Return an Executor over NDArrays.

        Parameters
        ----------
        ctx : Context, optional: its device, by default that of the first array
        args : NDArrays of all arguments: a dict by name, or a list in the order of
            `list_arguments()`
        args_grad : likewise, the arrays of gradients; without it there is no backward pass, and an
            argument that it lacks has no gradient
        grad_req : "write", "add", "null", or a list or dict of these by argument
        aux, aux_states : NDArrays of states, by name or in the order of `list_auxiliary_states()`;
            the second is MXNet's word
        options : ng.executor.Options, optional: the passes to apply
        group2ctx : like that of `simple_bind`; arrays stay on their devices

        Raises
        ------
        DeviceError for arrays on several devices without `group2ctx`; ShapeError, DTypeError for
            arrays that do not fit;
        ArgumentError for names that are missing or unknown.

        >>> import nbgraph as ng
        >>> x, grad = ng.array([1.0, 2.0]), ng.zeros(2)
        >>> exe = ng.sum(ng.var("x") ** 2).bind(ng.cpu(), {"x": x}, {"x": grad})
        >>> _ = exe.forward_backward()
        >>> grad
        array([2., 4.], dtype=float32)
        """
        aux = aux_states if aux is None else aux
        return _bind().bind(self, ctx, args, args_grad, grad_req, aux, options, group2ctx)

    def eval(self, ctx: Context | None = None, **arrays: Any) -> list[Any]:
        """Return the outputs for these values of the arguments: a list of NDArrays.

        Parameters
        ----------
        ctx : Context, optional: its device, by default that of the first NDArray
        **arrays : by argument: NDArrays, NumPy arrays, lists or numbers

        >>> import nbgraph as ng
        >>> (ng.var("x") + ng.var("y")).eval(x=[1.0, 2.0], y=10.0)
        [array([11., 12.], dtype=float32)]
        """
        return _bind().evaluate(self, ctx, **arrays)
