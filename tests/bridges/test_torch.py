"""ng.to_torch: values and gradients of operators and functions, within torch's autograd."""

import math

import pytest

import nbgraph as ng

torch = pytest.importorskip("torch")


@ng.op
def wave(x, y, *, s=2.0):
    return math.sin(x) * y + s * x * x


def pair(a, b):
    return ng.exp(a @ b), (a * 2.0).sum()


def tensors(*shapes):
    torch.manual_seed(0)
    return [torch.rand(s, dtype=torch.float64, requires_grad=True) for s in shapes]


@pytest.mark.parametrize(
    "f, shapes", [(wave, (5, 5)), (pair, ((3, 2), 2)), (ng.jit(pair), ((3, 2), 2))]
)
def test_gradients_of_both_orders_agree_with_differences(f, shapes):
    given = tensors(*shapes)
    function = ng.to_torch(f)
    assert torch.autograd.gradcheck(function, given)
    assert torch.autograd.gradgradcheck(function, given)


def test_values_options_and_other_arguments():
    x, y = tensors(4, 4)
    function = ng.to_torch(wave)
    torch.testing.assert_close(function(x, y, s=3.0), torch.sin(x) * y + 3 * x * x)
    torch.testing.assert_close(function(x, 2.0), torch.sin(x) * 2 + 2 * x * x)
    assert not function(x.detach(), y.detach()).requires_grad
    assert function(x.detach().float(), y.detach().float()).dtype == torch.float32
    with pytest.raises(ng.errors.ArgumentError, match="no tensor"):
        function(1.0, 2.0)


def test_whole_numbers_have_no_gradient():
    weight = torch.ones(3, 2, requires_grad=True)
    index = torch.tensor([2, 0])
    rows = ng.to_torch(lambda w, i: ng.take(w, i, axis=0))
    rows(weight, index).sum().backward()
    torch.testing.assert_close(weight.grad, torch.tensor([[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]))


def test_a_module_of_torch_is_trained_through_an_operator():
    torch.manual_seed(0)
    layer, soft = torch.nn.Linear(3, 1), ng.to_torch(ng.softplus)
    x, optimiser = torch.randn(32, 3), torch.optim.SGD(layer.parameters(), lr=0.1)
    losses = []
    for _ in range(20):
        optimiser.zero_grad()
        loss = soft(layer(x)).mean()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < losses[0]


# tensors as input ---------------------------------------------------------------------------------

CALLS = {
    "op": lambda t: wave(t, t),
    "array": ng.array,
    "reduction": ng.sum,
    "where": lambda t: ng.where(t > 1, t, 0.0),
    "beside an array": lambda t: ng.array([1.0, 2.0, 3.0]) * t,
    "first": lambda t: t * ng.array([1.0, 2.0, 3.0]),
    "joined": lambda t: ng.concatenate([ng.ones(2), t]),
    "gradient": ng.grad(lambda x: (x * x).sum()),
    "jit": ng.jit(lambda x: (x * x).sum()),
    "graph": lambda t: (ng.var("x") * 2.0).simple_bind(x=(3,)).forward(x=t)[0],
    "index": lambda t: ng.arange(9)[t.astype("int64") if hasattr(t, "astype") else t.long()],
}


@pytest.mark.parametrize("name", CALLS)
def test_tensors_are_taken_as_arrays(name):
    t = torch.tensor([0.0, 1.0, 2.0])
    found, expected = CALLS[name](t), CALLS[name](t.numpy())
    torch.testing.assert_close(torch.tensor(found.tolist()), torch.tensor(expected.tolist()))
    assert not isinstance(found, torch.Tensor)


def test_batches_of_a_data_loader_train_a_module():
    x = torch.arange(24.0).reshape(12, 2) / 24
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x.sum(1)), batch_size=4)
    w = ng.zeros(2)
    w.attach_grad()
    losses = []
    for _ in range(60):
        for values, labels in loader:
            with ng.autograd.record():
                loss = ((ng.array(values) @ w - labels) ** 2).mean()
            loss.backward()
            w -= 0.3 * w.grad
        losses.append(loss.item())
    assert losses[-1] < 0.01 * losses[0]


def test_what_torch_differentiates_is_not_taken_in_silence():
    with pytest.raises(ng.errors.ArgumentError, match=r"requires grad.*ng.to_torch"):
        ng.sum(torch.ones(2, requires_grad=True))
    assert ng.array(torch.ones(2, dtype=torch.bfloat16)).dtype.name == "bfloat16"


def test_the_transforms_of_torch_take_it():
    x, y = (t.detach() for t in tensors((3, 4), 4))
    function, plain = ng.to_torch(wave), lambda x, y: torch.sin(x) * y + 2 * x * x
    for change in (
        lambda f: torch.func.vmap(f, in_dims=(0, None)),
        lambda f: torch.func.vmap(torch.func.grad(lambda x, y: f(x, y).sum()), in_dims=(0, None)),
        lambda f: torch.func.grad(lambda x, y: torch.func.vmap(f, (0, None))(x, y).sum(), 1),
        lambda f: torch.func.jacrev(torch.func.grad(lambda x, y: f(x, y).sum())),
    ):
        torch.testing.assert_close(change(function)(x, y), change(plain)(x, y))
    both = torch.func.vmap(ng.to_torch(pair))(x[None], y[None])
    torch.testing.assert_close(both[0][0], torch.exp(x @ y))


@pytest.mark.parametrize("op", [wave, ng.add, ng.hypot])
def test_scalar_operators_take_tensors_as_input(op):
    x, y = (t.detach() for t in tensors(4, 4))
    result = op(x, y)
    assert result.tolist() == op(x.numpy(), y.numpy()).tolist()
    assert op(x.float(), 1.0).dtype == "float32"


@pytest.mark.filterwarnings("ignore:The .grad attribute")  # torch's compiler looks at it
def test_a_compiled_function_takes_it():
    """torch's compiler leaves the call as it is, gradients included."""
    soft = ng.to_torch(ng.softplus)
    x = torch.linspace(-1, 1, 5, requires_grad=True)
    torch.compile(lambda v: soft(v) * 2, backend="eager")(x).sum().backward()
    assert torch.allclose(x.grad, 2 * torch.sigmoid(x.detach()))
    assert torch.equal(torch.compile(soft, backend="eager")(x), soft(x))
