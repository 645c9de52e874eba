"""Counterparts of names of PyTorch, JAX, Keras, MXNet and NumPy, for error messages.

A row of a table has names of other libraries, and what to write instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Never

from nbgraph._listing import public_names
from nbgraph._version import files
from nbgraph.errors import MissingName


def _table(rows: str) -> dict[str, str]:
    """Return a dict of rows "name name = what to write instead", in which {} is the name and {:l}
    the name in lower case."""
    pairs = (row.split(" = ", 1) for row in rows.strip().splitlines())
    each = ((name, how) for names, how in pairs for name in names.split())
    return {name: how.replace("{}", name).replace("{:l}", name.lower()) for name, how in each}


# for modules and functions
NAMES = _table("""
    Linear FullyConnected LazyLinear = ng.nn.Dense(units)
    Conv Convolution Conv2D = ng.nn.Conv2d(features, window)
    MaxPool1d MaxPool2d MaxPool2D MaxPooling2D = ng.nn.MaxPool(window)
    AvgPool1d AvgPool2d AvgPool2D AveragePooling2D = ng.nn.AvgPool(window)
    GlobalAveragePooling2D GlobalAvgPool2D = ng.nn.GlobalPool()
    AdaptiveAvgPool2d = ng.nn.GlobalPool(), or ng.adaptive_avg_pooling(x, places)
    UpSampling2D Upsampling interpolate resize = ng.nn.Upsample(scale), ng.nd.BilinearResize2D
    BatchNorm1d BatchNorm2d BatchNorm3d BatchNormalization = ng.nn.BatchNorm()
    LayerNormalization = ng.nn.LayerNorm()
    InstanceNorm1d InstanceNorm2d InstanceNorm3d = ng.nn.InstanceNorm()
    SyncBatchNorm SyncBatchNormalization = ng.nn.BatchNorm(), whose statistics are a worker's own
    Dropout1d Dropout3d SpatialDropout2D = ng.nn.Dropout2d(p)
    LocalResponseNorm = ng.nd.LRN
    ZeroPad2d ReflectionPad2d ReplicationPad2d = ng.pad(x, width, mode)
    Identity Lambda = ng.nn.Function(lambda x: x)
    GLU glu = a * ng.sigmoid(b) of a, b = ng.split(x, 2, axis=1)
    ReLU Relu GELU Tanh Sigmoid SiLU ELU Softplus Softmax = ng.{:l}, a function: Dense(8, ng.{:l})
    Swish LeakyReLU LogSoftmax = ng.silu, ng.leaky_relu and ng.log_softmax, functions
    functional F lax = the functions of ng itself: ng.relu, ng.softmax
    HybridSequential HybridBlock Block = ng.nn.Sequential, ng.nn.Module
    ModuleList ModuleDict ParameterList ParameterDict = a list or dict as attribute of a Module
    Parameter = an array as attribute of an ng.nn.Module
    Transformer TransformerEncoderLayer = ng.nn.TransformerBlock
    CrossEntropyLoss SoftmaxCrossEntropyLoss = ng.cross_entropy
    NLLLoss nll_loss = ng.cross_entropy of scores
    MSELoss mse_loss mse = ((x - y) ** 2).mean(), twice ng.l2_loss(x, y); loss='mse' of ng.nn.fit
    L1Loss L2Loss = ng.l1_loss, ng.l2_loss
    SmoothL1Loss HuberLoss = ng.smooth_l1_loss, ng.huber_loss
    BCELoss = ng.binary_cross_entropy
    BCEWithLogitsLoss SigmoidBinaryCrossEntropyLoss = ng.binary_cross_entropy_with_logits
    KLDivLoss = ng.kl_divergence
    metric metrics = ng.nn.metrics
    CompositeEvalMetric EvalMetric = ng.nn.metrics.Meter([metric]), of one or several
    TopKAccuracy = ng.nn.metrics.top_k(k)
    MCC PCC = ng.nn.metrics.Confusion(), a table from which it follows
    gluon keras layers = ng.nn
    module model Model Module FeedForward = ng.nn.Module with ng.nn.fit, or symbol.simple_bind
    BucketingModule = an executor for each shape: symbol.simple_bind
    save_checkpoint load_checkpoint do_checkpoint = ng.save, ng.load, ng.nn.callbacks.Checkpoint
    gradcheck check_grads check_numeric_gradient = not needed: derivatives are certified
    symbol = ng.sym for operators, ng.var(name) for a variable
    ndarray DeviceArray = ng.nd for MXNet's names, ng.NDArray for the class
    numpy np jnp = the functions of ng itself: ng.sum, ng.where
    optimizer optimizers optax = ng.optim
    init initializer initializers = ng.init
    Constant One Zero = ng.init.from_value(2.0), ng.init.ones, ng.init.zeros
    recordio = ng.io.MXRecordIO, ng.io.MXIndexedRecordIO
    current_context cpu_pinned cpu_shared = ng.cpu(); a GPU is named where an array is created
    Xavier xavier_uniform_ xavier_normal_ = ng.init.glorot_uniform(), ng.init.glorot_normal()
    MSRAPrelu kaiming_normal_ kaiming_uniform_ = ng.init.he_normal(), ng.init.he_uniform()
    lr_scheduler LRScheduler = ng.optim.schedules
    StepLR FactorScheduler = ng.optim.schedules.step(rate, every)
    CosineAnnealingLR CosineDecay CosineScheduler = ng.optim.schedules.cosine
    PolyScheduler PolynomialLR = ng.optim.schedules.poly
    MultiFactorScheduler MultiStepLR = ng.optim.schedules.multifactor
    ModelCheckpoint = ng.nn.callbacks.Checkpoint(path)
    ImageRecordIter = ng.io.RecordIter
    ResizeIter = itertools.islice(itertools.cycle(batches), count)
    MNISTIter = ng.io.NDArrayIter(images, labels, batch_size=32)
    contrib = ng.nd.contrib, ng.sym.contrib
    ROIAlign RROIAlign PSROIPooling = ng.nd.ROIPooling, ng.nd.BilinearSampler
    SparseEmbedding = ng.nd.Embedding, whose gradient is dense
    reset_arrays = x[:] = 0, for each array
    profiler = ng.profile(), a block
    sparse csr_matrix row_sparse_array = ng.sparse_dot of a matrix of SciPy; other arrays are dense
    npx set_np reset_np = not needed: ng.nd has MXNet's names, ng NumPy's
    plot_network visualization = ng.viz.graph(symbol), ng.print_summary(symbol)
    monitor Monitor = executor.set_monitor_callback(function)
    image = ng.io.transforms, ng.io.ImageDecoder
    name NameManager Prefix = ng.name_scope(name)
    allclose isclose array_equal = ng.allclose(a, b)
    MXNetError = ng.errors.NbgraphError
    kvstore = ng.kv.create(kind)
    callback = ng.nn.callbacks
    DataLoader TensorDataset Dataset = ng.io.NDArrayIter(x, y, batch_size=32), or data=(x, y) of fit
    cuda mps device devices = ng.gpu(0), ng.cpu(), ng.num_gpus(), and x.to_device(ng.gpu(0))
    tensor Tensor as_tensor from_numpy = ng.array(values)
    randn = ng.random.normal(size=shape)
    rand = ng.random.uniform(size=shape)
    randperm = ng.random.permutation(n)
    manual_seed PRNGKey = ng.random.seed(0)
    default_rng = ng.random.seed(0), and the functions of ng.random
    cat = ng.concatenate
    chunk = ng.array_split(x, n)
    unbind = ng.unstack(x)
    remat = ng.checkpoint(function)
    mm bmm mv matmul batch_matmul = ng.matmul, or a @ b
    unsqueeze = ng.expand_dims(x, axis)
    permute = ng.transpose(x, axes)
    clamp = ng.clip(x, low, high)
    masked_fill = ng.where(mask, value, x)
    index_select = ng.take(x, indices, axis)
    no_grad inference_mode = not needed: gradients are recorded in ng.autograd.record() only
    enable_grad set_grad_enabled GradientTape = ng.autograd.record()
    zero_grad = not needed: backward() writes gradients, it does not add them
    pmap shard_map = ng.kv.cluster(...), with an array or store a worker
    compile script function tf_function = ng.jit(function)
    block_until_ready = x.wait_to_read()
    njit vectorize guvectorize = ng.op for a function of numbers
    Variable = ng.var(name)
    Function = ng.autograd.Function
    conv1d conv2d conv3d conv_general_dilated = ng.convolution(x, weight), or ng.nn.Conv2d
    max_pool2d reduce_window = ng.max_pooling(x, window)
    linear dense = ng.fully_connected(x, weight, bias)
    set_device set_default_device = device=ng.gpu(0) where an array is made, model.to(ng.gpu(0))
    waitall synchronize = ng.engine.wait_for_all()
    create = the class itself, ng.optim.Adam(model, lr), or its name, optimizer="adam" of ng.nn.fit
    LBFGS = ng.optimize.minimize(f, x0, method='L-BFGS-B')
    clip_grad_norm_ clip_by_global_norm = clip_norm= of the optimizer, or ng.optim.clip_by_norm
    HorizontalFlip RandomHorizontalFlip = RandomFlipLeftRight()
    VerticalFlip RandomVerticalFlip = RandomFlipTopBottom()
    add mul sub div rem neg = x + y, x * y, x - y, x / y, x % y, -x
    eq ne lt le gt ge = x == y, x < y
    float double half int long short bool bfloat16 = a dtype by its name: 'float64', 'bfloat16'
    enable_x64 set_default_dtype = ng.config.default_float = 'float64'
    set_num_threads = ng.engine.set('threaded', workers=n)
    repeat_interleave = ng.repeat(x, count, axis)
    cdist pdist pairwise_distance = ng.linalg.norm(x[:, None] - y, axis=-1)
    normalize = x / ng.linalg.norm(x, axis=-1, keepdims=True), or ng.io.transforms.Normalize
    scatter = x[index] = value, or ng.index_update(x, value, key=index)
    conv_transpose1d conv_transpose2d Conv2DTranspose = ng.nn.ConvTranspose2d, ng.nd.Deconvolution
    split key fold_in = rng=seed of a draw: ng.random.normal(size=3, rng=1)
    tree tree_util tree_map = dicts, lists and tuples as they are: ng.grad and ng.jit take them
    inverse pinverse matrix_exp logdet = ng.linalg.inv, pinv, expm, slogdet
    bucketize histc trapz movedim = ng.searchsorted, ng.histogram, ng.trapezoid, ng.moveaxis
    func = ng.grad, ng.vmap, ng.jacobian
    utils = ng.io, whose iterators take a DataLoader of torch, too
""")

# for attributes of arrays
_SHARED = (
    "zero_grad unsqueeze permute block_until_ready masked_fill index_select chunk unbind "
    "add sub mul div neg eq ne lt le gt ge mm bmm mv matmul cuda repeat_interleave"
)
METHODS = {name: NAMES[name] for name in _SHARED.split()} | _table("""
    numpy as_np_ndarray values = x.asnumpy()
    cpu = x.to_device(ng.cpu()), or x.asnumpy()
    requires_grad requires_grad_ = x.attach_grad() and ng.autograd.record()
    add_ sub_ mul_ div_ = x += y, x -= y, x *= y, x /= y
    fill_ zero_ copy_ = x[:] = value
    scatter scatter_ index_fill_ masked_fill_ put = x[index] = value
    scatter_add_ index_add_ = ng.index_add(x, y, key=index)
    gather take_along_dim = ng.take_along_axis(x, indices, axis)
    ptp median quantile nanmean unique diff outer inner cov corrcoef bincount where = ng.{}(x)
    det inverse svd qr cholesky slogdet lstsq solve = the functions of ng.linalg
    view reshape_as view_as = x.reshape(shape)
    expand expand_as = x.broadcast_to(shape)
    contiguous clone = x.copy()
    clamp clamp_ = x.clip(low, high)
    float double half long int bool type = x.astype(dtype), as 'float32', 'int64' or bool
    dim = x.ndim
    numel nelement element_size = x.size, x.itemsize
    devices get_device is_cuda = x.device
    new_zeros new_ones new_full = ng.zeros(shape, dtype=x.dtype), ng.ones, ng.full
    data = x.detach() without its history, x.asnumpy() for values
    at = ng.index_update(x, value, key=index), or x[index] = value
    grad_fn = not needed: what is recorded is a graph of operators (ng.autograd)
    retain_grad is_leaf register_hook = ng.grad(f)(x), with respect to any value
    as_nd_ndarray pin_memory share_memory_ = not needed: an NDArray does without
    tostype = not needed: arrays are dense; ng.sparse_dot multiplies matrices of SciPy
    to_dlpack_for_read to_dlpack_for_write = x.__dlpack__(), or np.from_dlpack(x)
    t = x.T
    split = ng.array_split(x, n)
    append = ng.concatenate([x, y]): an array keeps its size
    resize = x.reshape(shape), or ng.pad(x, width)
    compress masked_select = x[mask]
    partition argpartition = ng.topk(x, k), or x.argsort()
    tobytes tofile dump flags byteswap choose = x.asnumpy(), whose array has it
""")

# for attributes of modules of ng.nn
MODULES = _table("""
    cuda cpu reset_ctx = model.to(ng.gpu(0)), model.to(ng.cpu())
    half cast bfloat16 = model.to(dtype='float16'), or 'bfloat16'
    double float = model.to(dtype='float64'), or ng.config.default_float, set before it is built
    eval = ng.autograd.predict_mode(), a block
    train = ng.autograd.train_mode(), a block; ng.autograd.record() trains, too
    zero_grad = not needed: backward() writes gradients, it does not add them
    fit compile train_on_batch = ng.nn.fit(model, (x, y), loss='mse', optimizer='adam', epochs=10)
    predict evaluate = ng.nn.{}(model, data)
    summary = ng.nn.summary(model, x)
    initialize = not needed: the first call makes the arrays, or model.prepare(x)
    collect_params named_parameters get_weights params = model.parameters()
    add append extend insert = ng.nn.Sequential(*layers), of all layers at once
    register_forward_hook = a module whose forward calls the other
    save_parameters save_weights = model.save(path)
    load_parameters load_weights = model.load(path)
    requires_grad_ = not needed: parameters are trained
    apply children named_children named_modules = model.modules()
    register_buffer buffers = an array as attribute, named in the class's statistics_named
""")

# for attributes of operators that are modules elsewhere: `ng.mod` is a function here
OPERATORS = {name: NAMES[name] for name in ("Module", "BucketingModule")} | _table("""
    grad backward = f.derivative('x'), an operator, or ng.grad of a function that returns one number
""")

# for attributes of metrics
METRICS = _table("""
    update get reset = ng.nn.metrics.Meter([metric]), whose update takes outputs, then targets
""")

# for losses of `fit`
LOSSES = _table("""
    binary_crossentropy bce = loss=ng.binary_cross_entropy
    categorical_crossentropy sparse_categorical_crossentropy nll = loss='cross_entropy'
    mean_squared_error l2 = loss='mse'
    mean_absolute_error l1 = loss='mae'
    huber = loss=ng.huber_loss
    acc = 'accuracy'
    ce = 'cross_entropy'
    top_k_accuracy = 'top_k'
""")

# for keywords that have no counterpart
ADVICE = _table("""
    requires_grad = x.attach_grad(), after the array is made
    num_workers = prefetch=2 of the iterator
    drop_last round_batch = last_batch_handle='discard' of the iterator, or 'pad', 'roll_over'
    batch_size shuffle = data=ng.io.NDArrayIter(x, y, batch_size=64)
    is_ascend = ng.nd.sort, ng.nd.argsort and ng.nd.topk, which take MXNet's arguments
    validation_split = validation=(x, y), arrays of their own
    lr_scheduler = lr=ng.optim.schedules.cosine(0.1, 100)
    device = x.to_device(ng.gpu(0)) of the arrays, model.to(ng.gpu(0)) of a model
    training = ng.autograd.train_mode(), a block
    inplace = out=x, or x = f(x)
    unbiased = ddof=1, or 0 for the biased one
    donate_argnums donate_argnames = not needed: memory is planned
    lr learning_rate = optimizer=lambda model: ng.optim.Adam(model, lr=0.01)
""")

# for keywords with another name here
KEYWORDS = _table("""
    dim = axis
    keepdim = keepdims
    input = x
    in_dims = in_axes
    num_classes = depth
    steps = num
    learning_rate = lr
    wd = weight_decay
    beta1 beta2 beta_1 beta_2 = betas
    mean = loc
    std = scale
    shape = size
    epsilon = eps
    num_hidden out_features embedding_dim hidden_size = units
    use_bias = bias
    kernel_size kernel filter_shape = window
    filters out_channels channels = features
    strides = stride
    padding = pad
    num_heads = heads
    num_embeddings = count
    padding_idx = padding_index
    rate = p
    scale_factor = scale
    num_features num_parameters = channels
    wrt = argnums
    ctx = device
    verbose = progress
    validation_data = validation
    kernel_initializer weight_initializer = init
""")


def near(name: str, choices: Iterable[str]) -> str:
    """Return "did you mean ...?" with the choices most similar to `name`, or "".

    >>> near("maximun", ["maximum", "minimum"])
    "did you mean 'maximum'?"
    """
    import difflib  # loads when a name is missing, not with the library

    known = sorted(set(choices))
    names = difflib.get_close_matches(name, known, n=3, cutoff=0.8)
    names = names or difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return f"did you mean {' or '.join(map(repr, names))}?" if names else ""


def remedy(
    name: str, choices: Iterable[str], table: Mapping[str, str] = NAMES, otherwise: str = ""
) -> str:
    """Return a hint what to write instead of a missing name.

    >>> remedy("Linear", [])
    'here that is ng.nn.Dense(units)'
    """
    if name in table:
        return f"here that is {table[name]}"
    choices = set(choices)
    places = [f"ng.{room}.{name}" for room in ("linalg", "random") if f"{room}_{name}" in choices]
    places = places or (elsewhere(name) if table is NAMES else [])
    return f"here that is {' or '.join(places)}" if places else near(name, choices) or otherwise


_ROOMS = "nn nn/callbacks nn/metrics optim io io/transforms".split()


def elsewhere(name: str) -> list[str]:
    """Return the public modules' spellings of a name, ignoring case. Their sources are searched as
    text, because a mistake should not import them.

    >>> elsewhere("Adam"), elsewhere("ndarrayiter"), elsewhere("nothing")
    (['ng.optim.Adam'], ['ng.io.NDArrayIter'], [])
    """
    pattern = re.compile(rf"(?mi)^from nbgraph.* import \w+ as ({re.escape(name)})$")
    places: list[str] = []
    for room in _ROOMS:
        for file in files(room, ("__init__.py", "__init__.pyi")):
            own = pattern.findall(file.read_text("utf-8"))
            places += [f"ng.{room.replace('/', '.')}.{each}" for each in own]
    return places


def missing(shown: str, names: Mapping[str, Any]) -> Callable[[str], Never]:
    """Return `__getattr__` of a module with globals `names` and public name `shown`."""
    folders = names.get("__path__", ())

    def refuse(name: str) -> Never:
        if any(Path(p, name).exists() or Path(p, f"{name}.py").exists() for p in folders):
            raise MissingName(name, name=name)  # `from ... import name` then imports the submodule
        hint = "" if name.startswith("_") else remedy(name, [n for n in names if n[0] != "_"])
        raise MissingName(f"{shown} has no {name!r}" + (f"; {hint}" if hint else ""), name=name)

    return refuse


def published(
    shown: str, names: Mapping[str, Any], also: str = ""
) -> tuple[Callable[[], list[str]], Callable[[str], Never]]:
    """Return `__dir__` and `__getattr__` of a public module: see `public_names` and `missing`."""
    return public_names(names, also), missing(shown, names)


class _Foreign:
    """A descriptor that raises an error with the counterpart of a foreign attribute."""

    __slots__ = ("name", "table")

    def __init__(self, name: str, table: Mapping[str, str]) -> None:
        self.name, self.table = name, table

    def __get__(self, owner: Any, kind: type) -> Never:
        text = f"{kind.__name__!r} object has no attribute {self.name!r}; "
        raise MissingName(text + remedy(self.name, (), self.table), name=self.name)


def explain_methods(cls: type, table: Mapping[str, str] = METHODS) -> None:
    """Let missing attributes in `table` raise an error that names the right attribute.

    They are descriptors, because `__getattr__` would slow down every attribute; `dir` omits them.
    """
    own = frozenset(table).difference(dir(cls))
    for name in own:
        setattr(cls, name, _Foreign(name, table))
    cls.__dir__ = lambda self: [n for n in object.__dir__(self) if n not in own]  # type: ignore[method-assign]
