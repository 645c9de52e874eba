"""Modules, optimizers and fit on GPUs: what is learnt is what is learnt on the host."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import nn
from nbgraph.errors import ArgumentError, DeviceError
from tests.array.gpu import GPU, hurried

RNG = np.random.default_rng(0)
X = RNG.normal(size=(96, 8)).astype(np.float32)
Y = (X.sum(1) > 0).astype(int)


class Reader(nn.Module):
    """Layers whose operators are maps, products and rows; recurrent, too."""

    statistics_named = ("seen",)

    def __init__(self):
        self.first = nn.Dense(12, ng.tanh)
        self.parts = [nn.LSTM(5), {"last": nn.Dense(2, in_features=5)}]
        self.seen = ng.zeros(1)

    def forward(self, x):
        if ng.autograd.is_training():
            nn.state.write(self.seen, self.seen + 1)
        rows = self.first(x)
        found, _ = self.parts[0](ng.stack([rows, rows * 0.5], axis=1))
        return self.parts[1]["last"](found[:, -1])


def fitted(device, optimizer=ng.optim.Adam, model=Reader, data=(X, Y), **options):
    ng.random.seed(0)
    made = model()
    history = nn.fit(
        made,
        data,
        loss=ng.cross_entropy,
        optimizer=optimizer,
        epochs=options.pop("epochs", 2),
        progress=False,
        device=device,
        **options,
    )
    return history, made


def close(found, wanted):
    for name, value in wanted.state_dict().items():
        other = found.state_dict()[name]
        assert other.device == GPU
        np.testing.assert_allclose(other.asnumpy(), value.asnumpy(), rtol=2e-3, atol=2e-5)


def test_sequences_of_several_lengths_go_both_ways_as_on_the_host():
    """Lengths and masks on the device."""
    x, lengths = X.reshape(12, 8, 8), np.arange(12) % 8 + 1
    mask, outs = np.arange(8) < lengths[:, None], []
    for device in (ng.cpu(), GPU):
        ng.random.seed(0)
        net = nn.GRU(3, bidirectional=True).prepare(ng.array(x)).to(device)
        for told in ({"lengths": lengths}, {"mask": mask}):
            given = {name: ng.array(value, device=device) for name, value in told.items()}
            outs.append(net(ng.array(x, device=device), **given)[0].asnumpy())
    for found in outs[1:]:
        np.testing.assert_allclose(found, outs[0], rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("compiled", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_fit_goes_as_on_the_host(compiled):
    """MTE-04, ENG-08: the model and each batch are put on the device; validation, metrics."""
    options = {"compiled": compiled, "metrics": [nn.metrics.cross_entropy], "validation": (X, Y)}
    with hurried(5):
        found, model = fitted(GPU, **options)
    wanted, other = fitted(ng.cpu(), **options)
    close(model, other)
    for name in ("loss", "cross_entropy", "val_loss"):
        np.testing.assert_allclose(found[name], wanted[name], rtol=1e-4)
    assert model.seen.item() == other.seen.item() == 6


OPTIMIZERS = {
    "sgd": lambda m: ng.optim.SGD(m, 0.1, momentum=0.9, clip_value=0.5),
    "norm": lambda m: ng.optim.Adam(m, 0.01, clip_norm=0.1),
    "scaler": lambda m: ng.optim.Adam(m, 0.01, scaler=ng.optim.LossScaler(1024.0)),
    "lamb": lambda m: ng.optim.LAMB(m, 0.01),
    "lars": lambda m: ng.optim.LARS(m, 0.1),
    "noise": lambda m: ng.optim.SGLD(m, 0.01),
    "lion": lambda m: ng.optim.Lion(m, 0.01),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_keep_what_they_keep_on_the_device(name):
    """States, norms of all gradients, scales and draws; a step that overflows is skipped."""

    def run(device):
        ng.random.seed(1)
        weights = {"a": ng.array(X[:5], device=device), "b": ng.array(X[5, :3], device=device)}
        optimizer = OPTIMIZERS[name](weights)
        for k in range(4):
            grads = {key: w * 0.3 + k for key, w in weights.items()}
            if name == "scaler":
                grads = {key: optimizer.scaler.scale(g) for key, g in grads.items()}
                if k == 2:
                    grads["b"] = grads["b"] * float("inf")
            optimizer.step(grads)
        state = optimizer.state_dict()
        fresh = OPTIMIZERS[name](weights)
        fresh.load_state_dict(state)
        fresh.step({key: w * 0.5 for key, w in weights.items()})
        return list(weights.values()), getattr(optimizer.scaler, "skipped", 0)

    found, wanted = run(GPU), run(ng.cpu())
    assert found[1] == wanted[1] == (name == "scaler")
    for a, b in zip(found[0], wanted[0], strict=True):
        assert a.device == GPU
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5, atol=1e-6)


def test_a_module_moves_with_all_its_arrays():
    """Parts in lists and dicts, shared arrays, those made late, how gradients are asked for."""
    made = Reader()
    made.tied = made.first
    made.frozen = ng.ones(3)
    made.frozen.attach_grad("null")
    made.table = ng.arange(4)
    assert made.to(GPU) is made and made.tied is made.first
    made.prepare(ng.zeros((1, 8), device=GPU))
    assert {a.device for a in made.state_dict().values()} == {GPU}
    assert made.table.device == GPU and made.frozen._node.request == "null"
    with ng.autograd.record():
        loss = made(ng.array(X, device=GPU)).sum()
    loss.backward()
    assert made.first.weight.grad.device == GPU
    before = made.first.weight.asnumpy()
    ng.random.seed(0)
    assert made.to(ng.cpu()).first.weight.device == ng.cpu()
    np.testing.assert_array_equal(made.first.weight.asnumpy(), before)
    hybrid = made.to(GPU).hybridize()
    assert hybrid(ng.array(X, device=GPU)).device == GPU
    with pytest.raises(DeviceError, match=r"on gpu\(0\).*on cpu\(0\)|on cpu\(0\).*on gpu\(0\)"):
        hybrid(ng.array(X))


def test_files_and_checkpoints(tmp_path):
    """What was kept on one device goes on where the model is."""
    whole, model = fitted(GPU, epochs=3, checkpoint=tmp_path / "whole.npz")
    _, part = fitted(ng.cpu(), epochs=2, checkpoint=tmp_path / "part.npz")
    assert part.first.weight.device == ng.cpu()
    history, resumed = fitted(GPU, epochs=3, checkpoint=tmp_path / "part.npz")
    assert resumed.first.weight.device == GPU
    np.testing.assert_allclose(history["loss"], whole["loss"], rtol=1e-4)
    model.save(tmp_path / "model.npz")
    again = Reader().to(GPU).load(tmp_path / "model.npz")
    close(again, Reader().load(tmp_path / "model.npz"))
    assert {a.device for a in again.state_dict().values()} == {GPU}


def test_data_may_be_on_the_device():
    data = (ng.array(X, device=GPU), ng.array(Y, device=GPU))
    found, _ = fitted(None, model=lambda: Reader().to(GPU), data=data)
    wanted, _ = fitted(None)
    np.testing.assert_allclose(found["loss"], wanted["loss"], rtol=1e-4)


def test_an_optimizer_is_made_where_the_model_is():
    model = Reader().prepare(ng.array(X))
    with pytest.raises(ArgumentError, match=r"model\.to\(gpu\(0\)\).*before it is made"):
        nn.fit(
            model,
            (X, Y),
            loss=ng.cross_entropy,
            optimizer=ng.optim.Adam(model),
            epochs=1,
            device=GPU,
        )
    assert model.first.weight.device == ng.cpu()
    with pytest.raises(DeviceError, match=r"gpu\(99\) is not there"):
        model.to(ng.gpu(99))


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("outputs", "loss", "names"),
    [
        (1, "mse", ["mae", "rmse", "r2", "pearson", "auc", "precision"]),
        (2, ng.cross_entropy, ["accuracy", "perplexity", "recall", "confusion", "auc"]),
    ],
)
def test_metrics_and_weights_count_where_the_model_is(outputs, loss, names, compiled):
    y = Y[:, None].astype("float32") if outputs == 1 else Y
    data = nn.Batches(X, y, np.arange(96) % 3 + 1.0, batch_size=40)
    options = {"class_weight": {1: 2.0}} if outputs == 2 else {}
    rows = []
    for device in (None, GPU):
        ng.random.seed(0)
        model = nn.Dense(outputs)
        data.load_state_dict({"epoch": 0, "position": 0})
        history = nn.fit(
            model, data, loss=loss, optimizer=ng.optim.SGD, epochs=1, accumulate=2, device=device,
            metrics=names, sample_weight=True, progress=False, compiled=compiled, **options,
            callbacks=nn.callbacks.EarlyStopping("loss"),
        )  # fmt: skip
        assert nn.predict(model, X, compiled=compiled).device == model.bias.device
        rows.append(history.last)
    assert list(rows[1]) == ["loss", *names]
    for name, value in rows[0].items():
        np.testing.assert_allclose(rows[1][name], value, rtol=1e-4, err_msg=name)
