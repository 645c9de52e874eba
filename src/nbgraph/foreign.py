"""What names of PyTorch, JAX, Keras, MXNet and NumPy are called here, for messages.

A row of a table: names of other libraries, and what to write instead.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Never, TypeVar

from nbgraph.errors import ArgumentError, MissingName

C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])


def _table(rows: str) -> dict[str, str]:
    """Return what to write instead by name; a row is "name name = instead"."""
    pairs = (row.split(" = ", 1) for row in rows.strip().splitlines())
    return {name: instead for names, instead in pairs for name in names.split()}


# of modules and functions
NAMES = _table("""
    Linear FullyConnected LazyLinear = ng.nn.Dense(units)
    Conv Convolution Conv2D = ng.nn.Conv2d(features, window)
    Conv1D = ng.nn.Conv1d(features, window)
    Conv3D = ng.nn.Conv3d(features, window)
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
    Identity = ng.nn.Function(lambda x: x)
    GLU = a * ng.sigmoid(b) of a, b = ng.split(x, 2, axis=1)
    ReLU Relu = ng.relu, a function: Dense(8, ng.relu)
    GELU = ng.gelu, a function
    Tanh = ng.tanh, a function
    Sigmoid = ng.sigmoid, a function
    SiLU Swish = ng.silu, a function
    ELU = ng.elu, a function
    LeakyReLU = ng.leaky_relu, a function
    Softplus = ng.softplus, a function
    Softmax LogSoftmax = ng.softmax and ng.log_softmax, functions
    functional F lax = the functions of ng itself: ng.relu, ng.softmax
    HybridSequential HybridBlock Block = ng.nn.Sequential, ng.nn.Module
    ModuleList ModuleDict ParameterList ParameterDict = a list or dict as attribute of a Module
    Parameter = an array as attribute of an ng.nn.Module
    Lambda = ng.nn.Function(function)
    Transformer TransformerEncoderLayer = ng.nn.TransformerBlock
    MultiheadAttention = ng.nn.MultiHeadAttention
    CrossEntropyLoss SoftmaxCrossEntropyLoss = ng.cross_entropy
    NLLLoss nll_loss = ng.cross_entropy of scores
    MSELoss mse_loss mse = ng.l2_loss, or loss='mse' of ng.nn.fit
    L2Loss = ng.l2_loss
    L1Loss = ng.l1_loss
    SmoothL1Loss = ng.smooth_l1_loss
    HuberLoss = ng.huber_loss
    BCELoss = ng.binary_cross_entropy
    BCEWithLogitsLoss SigmoidBinaryCrossEntropyLoss = ng.binary_cross_entropy_with_logits
    KLDivLoss = ng.kl_divergence
    metric metrics = ng.nn.metrics
    gluon keras layers = ng.nn
    module model Model = ng.nn.Module with ng.nn.fit, or symbol.simple_bind
    symbol = ng.sym for operators, ng.var(name) for a variable
    ndarray = ng.nd for MXNet's names, ng.NDArray for the class
    numpy np jnp = the functions of ng itself: ng.sum, ng.where
    optimizer optimizers optax = ng.optim
    initializer initializers = ng.init
    Constant One Zero = ng.init.from_value(2.0), ng.init.ones, ng.init.zeros
    recordio = ng.io.MXRecordIO, ng.io.MXIndexedRecordIO
    current_context = ng.cpu(); a GPU is named where an array is made
    Xavier xavier_uniform_ = ng.init.glorot_uniform()
    xavier_normal_ = ng.init.glorot_normal()
    MSRAPrelu kaiming_normal_ = ng.init.he_normal()
    kaiming_uniform_ = ng.init.he_uniform()
    lr_scheduler LRScheduler = ng.optim.schedules
    StepLR FactorScheduler = ng.optim.schedules.step(rate, every)
    CosineAnnealingLR CosineDecay CosineScheduler = ng.optim.schedules.cosine
    ModelCheckpoint = ng.nn.callbacks.Checkpoint(path)
    ImageRecordIter = ng.io.RecordIter
    ResizeIter = itertools.islice(batches, count)
    MNISTIter = ng.io.NDArrayIter(images, labels, batch_size=32)
    contrib = ng.nd.contrib, ng.sym.contrib
    profiler = ng.profile(), a block
    sparse csr_matrix row_sparse_array = ng.sparse_dot of a matrix of SciPy; other arrays are dense
    npx set_np reset_np = not needed: ng.nd has MXNet's names, ng NumPy's
    cpu_pinned cpu_shared = ng.cpu()
    plot_network visualization = ng.viz.graph(symbol), ng.print_summary(symbol)
    monitor Monitor = executor.set_monitor_callback(function)
    image = ng.io.transforms, ng.io.ImageDecoder
    name NameManager Prefix = ng.name_scope(name)
    allclose isclose array_equal = ng.allclose(a, b)
    MXNetError = ng.errors.NbgraphError
    kvstore = ng.kv.create(kind)
    callback = ng.nn.callbacks
    DataLoader TensorDataset Dataset = ng.io.NDArrayIter(x, y, batch_size=32), or data=(x, y) of fit
    cuda mps device devices = ng.gpu(0), ng.num_gpus(), and x.to_device(ng.gpu(0))
    tensor Tensor as_tensor from_numpy = ng.array(values)
    DeviceArray = ng.NDArray
    randn = ng.random.normal(size=shape)
    rand = ng.random.uniform(size=shape)
    randperm = ng.random.permutation(n)
    manual_seed PRNGKey = ng.random.seed(0)
    default_rng = ng.random.seed(0), and the functions of ng.random
    cat = ng.concatenate
    chunk = ng.array_split(x, n)
    unbind = ng.unstack(x)
    remat = ng.checkpoint(function)
    mm bmm batch_matmul = ng.matmul, or a @ b
    unsqueeze = ng.expand_dims(x, axis)
    permute = ng.transpose(x, axes)
    clamp = ng.clip(x, low, high)
    masked_fill = ng.where(mask, value, x)
    index_select = ng.take(x, indices, axis)
    no_grad inference_mode = not needed: gradients are recorded in ng.autograd.record() only
    enable_grad GradientTape = ng.autograd.record()
    zero_grad = not needed: backward() writes gradients, it does not add them
    pmap shard_map = ng.kv.cluster(...), with an array or store a worker
    compile script function tf_function = ng.jit(function)
    block_until_ready = x.wait_to_read()
    njit vectorize guvectorize = ng.op for a function of numbers
    Variable = ng.var(name)
    Function = ng.autograd.Function
    conv1d conv2d conv3d = ng.convolution(x, weight), or ng.nn.Conv2d
    max_pool2d = ng.max_pooling(x, window)
    linear dense = ng.fully_connected(x, weight, bias)
    set_device set_default_device = device=ng.gpu(0) where an array is made, model.to(ng.gpu(0))
    waitall synchronize = ng.engine.wait_for_all()
    create = the class itself, ng.optim.Adam(model, lr), or its name, optimizer="adam" of ng.nn.fit
    LBFGS = ng.optimize.minimize(f, x0, method='L-BFGS-B')
    clip_grad_norm_ clip_by_global_norm = clip_norm= of the optimizer, or ng.optim.clip_by_norm
    HorizontalFlip RandomHorizontalFlip = RandomFlipLeftRight()
    VerticalFlip RandomVerticalFlip = RandomFlipTopBottom()
""")

# of arrays
METHODS = _table("""
    numpy as_np_ndarray values = x.asnumpy()
    cpu = x.to_device(ng.cpu()), or x.asnumpy()
    cuda = x.to_device(ng.gpu(0))
    requires_grad = x.attach_grad() and ng.autograd.record()
    requires_grad_ = x.attach_grad()
    zero_grad = not needed: backward() writes gradients, it does not add them
    zero_ = x[:] = 0
    fill_ = x.fill(value)
    add_ = x += y
    mul_ = x *= y
    copy_ = x[:] = y
    view = x.reshape(shape)
    reshape_as = x.reshape(y.shape)
    unsqueeze = ng.expand_dims(x, axis)
    permute = x.transpose(axes)
    expand = x.broadcast_to(shape)
    expand_as = x.broadcast_to(y.shape)
    contiguous clone = x.copy()
    clamp = x.clip(low, high)
    float = x.astype('float32')
    double = x.astype('float64')
    half = x.astype('float16')
    long = x.astype('int64')
    int = x.astype('int32')
    bool = x.astype(bool)
    type = x.astype(dtype)
    dim = x.ndim
    numel = x.size
    data = x.detach() without its history, x.asnumpy() for values
    block_until_ready = x.wait_to_read()
    at = ng.index_update(x, value, key=index), or x[index] = value
    mm matmul = x @ y
    masked_fill = ng.where(mask, value, x)
    grad_fn = not needed: what is recorded is a graph of operators (ng.autograd)
    as_nd_ndarray = not needed: it is an NDArray
    tostype = not needed: arrays are dense; ng.sparse_dot multiplies matrices of SciPy
    to_dlpack_for_read to_dlpack_for_write = x.__dlpack__(), or np.from_dlpack(x)
    add = x + y
    sub = x - y
    mul = x * y
    div = x / y
    eq ne lt le gt ge = x == y, x < y
    t = x.T
    chunk split = ng.array_split(x, n)
    append = ng.concatenate([x, y]): an array keeps its size
    resize = x.reshape(shape), or ng.pad(x, width)
    compress = x[mask]
    put = x[index] = value
    ptp = x.max() - x.min()
    partition argpartition = ng.topk(x, k), or x.argsort()
    tobytes tofile dump flags byteswap choose = x.asnumpy(), whose array has it
""")

# of modules of ng.nn
MODULES = _table("""
    cuda = model.to(ng.gpu(0))
    cpu = model.to(ng.cpu())
    half cast bfloat16 = model.to(dtype='float16'), or 'bfloat16'
    double float = model.to(dtype='float64'), or ng.config.default_float before it is made
    eval = ng.autograd.predict_mode(), a block
    train = ng.autograd.train_mode(), a block; ng.autograd.record() trains, too
    zero_grad = not needed: backward() writes gradients, it does not add them
    fit compile train_on_batch = ng.nn.fit(model, (x, y), loss='mse', optimizer='adam', epochs=10)
    predict = ng.nn.predict(model, data)
    evaluate = ng.nn.evaluate(model, data)
    summary = ng.nn.summary(model, x)
    initialize = not needed: the first call makes the arrays, or model.prepare(x)
    collect_params named_parameters get_weights = model.parameters()
    save_parameters save_weights = model.save(path)
    load_parameters load_weights = model.load(path)
    requires_grad_ = not needed: parameters are trained
    children named_children named_modules = model.modules()
    register_buffer buffers = an array as attribute, named in the class's statistics_named
""")

# of operators, for what is a room elsewhere: `ng.mod` is a function here
OPERATORS = _table("""
    Module = ng.nn.Module with ng.nn.fit, or symbol.simple_bind
    BucketingModule = an executor for each shape: symbol.simple_bind
""")

# losses of `fit`
LOSSES = _table("""
    binary_crossentropy bce = loss=ng.binary_cross_entropy
    categorical_crossentropy sparse_categorical_crossentropy nll = loss='cross_entropy'
    mean_squared_error l2 = loss='mse'
    mean_absolute_error l1 = loss='mae'
    huber = loss=ng.huber_loss
""")

# keywords for which something else is written
ADVICE = _table("""
    requires_grad = x.attach_grad(), after the array is made
    num_workers = prefetch=2 of the iterator
    drop_last round_batch = last_batch_handle='discard' of the iterator, or 'pad', 'roll_over'
    batch_size shuffle = data=ng.io.NDArrayIter(x, y, batch_size=64)
    is_ascend = ng.nd.sort, ng.nd.argsort and ng.nd.topk, which take MXNet's arguments
    validation_split = validation=(x, y), arrays of their own
    device = x.to_device(ng.gpu(0)) of the arrays, model.to(ng.gpu(0)) of a model
""")

# keywords
KEYWORDS = _table("""
    dim = axis
    keepdim = keepdims
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
    num_features = channels
    num_parameters = channels
    wrt = argnums
    ctx = device
    verbose = progress
    validation_data = validation
    kernel_initializer weight_initializer = init
""")


def near(name: str, choices: Iterable[str]) -> str:
    """Return "did you mean ...?" of the nearest choices; "" where none is near.

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
    """Return what to write instead of a name that is not there.

    >>> remedy("Linear", [])
    'here that is ng.nn.Dense(units)'
    """
    if name in table:
        return f"here that is {table[name]}"
    return near(name, choices) or otherwise


def missing(shown: str, names: Mapping[str, Any]) -> Callable[[str], Never]:
    """Return `__getattr__` of a module that has `names` and that people know as `shown`."""
    folders = names.get("__path__", ())

    def refuse(name: str) -> Never:
        if any(Path(p, name).exists() or Path(p, f"{name}.py").exists() for p in folders):
            raise MissingName(name, name=name)  # `from ... import name` asks first, then loads it
        hint = "" if name.startswith("_") else remedy(name, [n for n in names if n[0] != "_"])
        raise MissingName(f"{shown} has no {name!r}" + (f"; {hint}" if hint else ""), name=name)

    return refuse


class _Foreign:
    """An attribute that says what it is called here."""

    __slots__ = ("name", "table")

    def __init__(self, name: str, table: Mapping[str, str]) -> None:
        self.name, self.table = name, table

    def __get__(self, owner: Any, kind: type) -> Never:
        text = f"{kind.__name__!r} object has no attribute {self.name!r}; "
        raise MissingName(text + remedy(self.name, (), self.table), name=self.name)


def explain_methods(cls: type, table: Mapping[str, str] = METHODS) -> None:
    """Have objects of a class name the right attribute for one of another library.

    Descriptors, as `__getattr__` would slow every attribute down; `dir` does not list them.
    """
    own = frozenset(table).difference(dir(cls))
    for name in own:
        setattr(cls, name, _Foreign(name, table))
    cls.__dir__ = lambda self: [n for n in object.__dir__(self) if n not in own]  # type: ignore[method-assign]


def checked_init(cls: C) -> C:
    """Have the constructor of a class name the right keyword where it is given an unknown one."""
    init = cls.__init__
    parameters = inspect.signature(init).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return cls  # hands them on to a constructor that is checked

    @functools.wraps(init)
    def checked(self: Any, *args: Any, **kwargs: Any) -> None:
        for name in kwargs:
            if name not in parameters:
                raise ArgumentError(_unknown(type(self), name))
        try:
            init(self, *args, **kwargs)
        except TypeError as error:
            named = dict([*parameters.items()][1:])
            _require_call(type(self).__name__, named, len(args), error)
            raise

    cls.__init__ = checked
    return cls


def _unknown(cls: type, keyword: str) -> str:
    """Return the message for a keyword that the constructor of a class does not have."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = dict.fromkeys(
        name
        for base in cls.__mro__[:-1]
        if "__init__" in vars(base)
        for name, each in [*inspect.signature(vars(base)["__init__"]).parameters.items()][1:]
        if each.kind in kinds
    )
    return unknown_keyword(cls.__name__, keyword, names)


def unknown_keyword(name: str, keyword: str, names: Collection[str]) -> str:
    """Return the message for a keyword that a function of these parameters does not have. It has
    Python's words: Polars looks for them to find out what a function takes.

    >>> unknown_keyword("sum", "dim", ["x", "axis"])
    "sum: unexpected keyword argument 'dim'; here that is axis=; parameters: x, axis"
    """
    right = KEYWORDS.get(keyword)
    hint = f"here that is {right}=" if right in names else ""
    hint = hint or remedy(keyword, names, ADVICE)
    listed = f"parameters: {', '.join(names) or 'none'}"
    return f"{name}: unexpected keyword argument {keyword!r}; {hint + '; ' if hint else ''}{listed}"


_PLACED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _too_many(name: str, parameters: Mapping[str, inspect.Parameter], count: int) -> str:
    """Return the message for more arguments by position than a function has places."""
    placed = [n for n, p in parameters.items() if p.kind in _PLACED]
    named = [f"{n}=" for n in parameters if n not in placed]
    rest = f"; by name: {', '.join(named)}" if named else ""
    listed = f"{len(placed)} at most ({', '.join(placed)})" if placed else "none"
    return f"{name}: {count} arguments by position; expected {listed}{rest}"


def _require_call(name: str, parameters: Mapping[str, Any], count: int, error: TypeError) -> None:
    """Raise ArgumentError where it was the call that Python refused, not what the function does."""
    trace, text = error.__traceback__, str(error)
    if trace is None or trace.tb_next is not None:
        return
    if " takes " in text:
        raise ArgumentError(_too_many(name, parameters, count)) from None
    if " missing " in text or " multiple values " in text:
        text = f"{text.partition(') ')[2]}; parameters: {', '.join(parameters)}"
        raise ArgumentError(f"{name}: {text}") from None


def accepts(function: Callable[..., Any], count: int) -> bool:
    """Return whether a function can be called with so many arguments, as far as is known.

    >>> accepts(lambda out: out, 2)
    False
    """
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # a builtin without a signature
        return True
    return True


def refuse_keywords(function: Callable[..., Any], unknown: Iterable[str]) -> Never:
    """Raise ArgumentError for the first keyword that a public function does not have."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = inspect.signature(function).parameters.values()
    names = [each.name for each in parameters if each.kind in kinds and each.name != "self"]
    raise ArgumentError(unknown_keyword(function.__name__, next(iter(unknown)), names))


def refuse_arguments(
    function: Callable[..., Any], surplus: Sequence[Any], unknown: Iterable[str]
) -> Never:
    """Raise ArgumentError for a keyword that a function lacks, or arguments beyond its places."""
    if unknown:
        refuse_keywords(function, unknown)
    parameters = dict(inspect.signature(function).parameters)
    parameters.pop("self", None)
    count = sum(each.kind in _PLACED for each in parameters.values()) + len(surplus)
    raise ArgumentError(_too_many(function.__name__, parameters, count))


_signature = functools.lru_cache(256)(inspect.signature)  # 20 us


def require_keywords(function: Callable[..., Any], names: Iterable[str]) -> None:
    """Raise ArgumentError where a function does not have one of these keywords."""
    parameters = _signature(function).parameters
    unknown = [name for name in names if name not in parameters]
    if unknown and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        refuse_keywords(function, unknown)


def hide_unknown(function: F) -> F:
    """Leave out of the signature that people see what takes arguments that are refused."""
    if "unknown" in function.__code__.co_varnames:
        seen = inspect.signature(function)
        parameters = [p for p in seen.parameters.values() if p.name not in ("surplus", "unknown")]
        function.__signature__ = seen.replace(parameters=parameters)  # type: ignore[attr-defined]
    return function


def checked(function: F) -> F:
    """Have a function name the right keyword where it is called with an unknown one.

    One that is called at every step takes `**unknown: Never` and hands that to `refuse_keywords`
    itself: a fifth of what a second frame costs.
    """
    if function.__code__.co_flags & inspect.CO_VARKEYWORDS:
        return hide_unknown(function)  # it knows what it takes

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:  # costs nothing where there is none
            require_keywords(function, kwargs)
            parameters = dict(inspect.signature(function).parameters)
            count = len(args) - (parameters.pop("self", None) is not None)
            _require_call(function.__name__, parameters, count, error)
            raise

    return call  # type: ignore[return-value]
