"""`Trainer`: parameters whose gradients are summed in a store before each step."""

from typing import Any

from nbgraph.errors import ArgumentError, noun
from nbgraph.kvstore import KVStore, create
from nbgraph.optim.optimizer import Optimizer
from nbgraph.optim.parameters import gradients_for, named

_NAME = "Trainer"


class Trainer:
    """Steps of parameters by gradients of every worker of a store.

    Parameters
    ----------
    params : dict, list or object with parameters()
        NDArrays by name. They take the store's first values: those of worker 0.
    optimizer : Optimizer, or callable that makes one of `params`
        Its rule runs in the store, which keeps the states as well.
    kvstore : KVStore, str or None
        A store, or the kind of a new one; None: one worker, and no store between. A store of one
        process keeps the parameters themselves, without a copy.

    >>> import nbgraph as ng
    >>> params = {"w": ng.array([3.0, -2.0])}
    >>> trainer = ng.optim.Trainer(params, ng.optim.SGD(lr=0.5), kvstore="local")
    >>> trainer.step({"w": ng.array([2.0, 2.0])}, batch_size=2)
    >>> params["w"]
    array([ 2.5, -2.5], dtype=float32)
    """

    def __init__(self, params: Any, optimizer: Any, kvstore: KVStore | str | None = None) -> None:
        self._params = params
        if not isinstance(optimizer, Optimizer) and not callable(optimizer):
            raise ArgumentError(
                f"{_NAME}: optimizer={optimizer!r}; expected an optimizer such as "
                "ng.optim.Adam(lr=0.001), or what makes one of the parameters"
            )
        rule: Any = optimizer if isinstance(optimizer, Optimizer) else optimizer(params)
        self.optimizer = rule
        if not isinstance(self.optimizer, Optimizer):
            raise ArgumentError(
                f"{_NAME}: optimizer made {noun(self.optimizer)}; expected an ng.optim.Optimizer"
            )
        if kvstore is not None and not isinstance(kvstore, (str, KVStore)):
            raise ArgumentError(
                f"{_NAME}: kvstore is {noun(kvstore)}; expected a store, such as "
                "ng.kv.create('local'), the kind of one, or None"
            )
        self.count = 0  # steps so far
        self.kvstore = create(kvstore) if isinstance(kvstore, str) else kvstore
        weights = self.parameters
        if self.kvstore is not None:
            self.kvstore.init([*weights], [*weights.values()], copy=False)
            self.kvstore.pull([*weights], [*weights.values()])
            self.kvstore.set_optimizer(self.optimizer)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name, as they are now."""
        return named(_NAME, self._params)

    def step(self, grads: Any = None, *, batch_size: int = 1) -> None:
        """Take one step of all parameters that have a gradient.

        Parameters
        ----------
        grads : as those of `Optimizer.step`; a whole number is the batch size, as in MXNet
        batch_size : int
            Samples of all workers together: the sum of gradients is divided by it.

        Parameters are updated in their order, as the next pass reads the first ones first.
        """
        if isinstance(grads, int):
            grads, batch_size = None, grads
        if batch_size < 1:
            raise ArgumentError(f"{_NAME}.step: batch_size={batch_size!r}; expected at least 1")
        weights = self.parameters
        gradients = gradients_for(_NAME, weights, grads)
        self.optimizer.rescale, rescale = (
            self.optimizer.rescale / batch_size,
            self.optimizer.rescale,
        )
        try:
            self._apply(weights, gradients)
            self.count += 1
        finally:
            self.optimizer.rescale = rescale

    def _apply(self, weights: dict[str, Any], grads: dict[str, Any]) -> None:
        keys = [*grads]
        if self.kvstore is None:
            self.optimizer.update(keys, [weights[key] for key in keys], [*grads.values()])
            return
        self.kvstore.pushpull(keys, [*grads.values()], [weights[key] for key in keys])

    def save_states(self, path: Any) -> None:
        """Write the optimizer's states to a file, as `Optimizer.save` does."""
        kv = self.kvstore
        (self.optimizer.save if kv is None else kv.save_optimizer_states)(path)

    def load_states(self, path: Any) -> None:
        """Load the states from a file that `save_states` wrote."""
        kv = self.kvstore
        (self.optimizer.load if kv is None else kv.load_optimizer_states)(path)
