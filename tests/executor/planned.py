"""Graphs whose memory two libraries plan, in the words that both have.

The table has the arguments whose shapes do not follow, and what MXNet 1.9.1 plans for the same
graph on its CPU, with MXNET_SUBGRAPH_BACKEND=NONE, so that it plans that graph and no other: whole
MB of "Total ... MB allocated" of `debug_str()`, in which outputs are, arguments and gradients are
not, of executors with `grad_req` "null", "write" and "add".
"""


def mlp(S):
    x = S.var("data")
    for k in range(6):
        x = S.FullyConnected(x, num_hidden=2048, name=f"fc{k}")
        x = S.Activation(x, act_type="relu", name=f"relu{k}")
    x = S.FullyConnected(x, num_hidden=1000, name="last")
    return S.SoftmaxOutput(x, S.var("label"), name="softmax")


def mlp_tanh(S):
    x = S.var("data")
    for k in range(8):
        x = S.tanh(S.FullyConnected(x, num_hidden=1024, name=f"fc{k}"))
    return S.LinearRegressionOutput(x, S.var("label"), name="out")


def lenet(S):
    x = S.var("data")
    for k, features in enumerate((20, 50)):
        x = S.Convolution(x, kernel=(5, 5), num_filter=features, name=f"conv{k}")
        x = S.Activation(x, act_type="tanh", name=f"tanh{k}")
        x = S.Pooling(x, pool_type="max", kernel=(2, 2), stride=(2, 2), name=f"pool{k}")
    x = S.FullyConnected(S.Flatten(x), num_hidden=500, name="fc0")
    x = S.Activation(x, act_type="tanh", name="tanh2")
    x = S.FullyConnected(x, num_hidden=10, name="fc1")
    return S.SoftmaxOutput(x, S.var("label"), name="softmax")


def vgg(S):
    x, k = S.var("data"), 0
    for features, repeats in ((16, 2), (32, 2), (64, 3)):
        for _ in range(repeats):
            x = S.Convolution(x, kernel=(3, 3), pad=(1, 1), num_filter=features, name=f"conv{k}")
            x = S.Activation(x, act_type="relu", name=f"relu{k}")
            k += 1
        x = S.Pooling(x, pool_type="max", kernel=(2, 2), stride=(2, 2), name=f"pool{k}")
    x = S.FullyConnected(S.Flatten(x), num_hidden=256, name="fc")
    return S.SoftmaxOutput(x, S.var("label"), name="softmax")


def convolved(S, x, features, kernel, name, *, act=True, stride=1):
    pad = (kernel - 1) // 2
    x = S.Convolution(
        x,
        kernel=(kernel, kernel),
        stride=(stride, stride),
        pad=(pad, pad),
        num_filter=features,
        no_bias=True,
        name=f"{name}_conv",
    )
    x = S.BatchNorm(x, fix_gamma=False, name=f"{name}_bn")
    return S.Activation(x, act_type="relu", name=f"{name}_relu") if act else x


def resnet(S):
    x = convolved(S, S.var("data"), 32, 3, "first")
    for k in range(4):
        y = convolved(S, x, 32, 3, f"block{k}a")
        y = convolved(S, y, 32, 3, f"block{k}b", act=False)
        x = S.Activation(x + y, act_type="relu", name=f"sum{k}")
    x = S.Pooling(x, pool_type="avg", kernel=(16, 16), global_pool=True, name="pool")
    x = S.FullyConnected(S.Flatten(x), num_hidden=10, name="fc")
    return S.SoftmaxOutput(x, S.var("label"), name="softmax")


def bottleneck(S):
    x = S.var("data")
    for k in range(3):
        y = convolved(S, x, 16, 1, f"b{k}a")
        y = convolved(S, y, 16, 3, f"b{k}b")
        y = convolved(S, y, 64, 1, f"b{k}c", act=False)
        x = S.Activation(y + x if k else y, act_type="relu", name=f"sum{k}")
    return S.MakeLoss(S.mean(x), name="loss")


def inception(S):
    x = convolved(S, S.var("data"), 32, 3, "first")
    for k in range(2):
        a = convolved(S, x, 16, 1, f"i{k}a")
        b = convolved(S, convolved(S, x, 16, 1, f"i{k}b1"), 24, 3, f"i{k}b3")
        c = convolved(S, convolved(S, x, 8, 1, f"i{k}c1"), 8, 5, f"i{k}c5")
        d = S.Pooling(x, pool_type="max", kernel=(3, 3), pad=(1, 1), stride=(1, 1), name=f"i{k}p")
        d = convolved(S, d, 16, 1, f"i{k}d")
        x = S.Concat(a, b, c, d, dim=1, name=f"i{k}cat")
    x = S.Pooling(x, pool_type="avg", kernel=(16, 16), global_pool=True, name="pool")
    x = S.FullyConnected(S.Flatten(x), num_hidden=10, name="fc")
    return S.SoftmaxOutput(x, S.var("label"), name="softmax")


def lstm(S):
    steps, hidden = 8, 256
    data = S.SliceChannel(S.var("data"), num_outputs=steps, axis=1, squeeze_axis=True)
    wx, bx, wh, bh = (S.var(n) for n in ("wx", "bx", "wh", "bh"))
    h, c = S.var("h"), S.var("c")
    for t in range(steps):
        gates = S.FullyConnected(data[t], wx, bx, num_hidden=4 * hidden, name=f"x{t}")
        gates = gates + S.FullyConnected(h, wh, bh, num_hidden=4 * hidden, name=f"h{t}")
        i, f, g, o = S.SliceChannel(gates, num_outputs=4)
        c = S.sigmoid(f) * c + S.sigmoid(i) * S.tanh(g)
        h = S.sigmoid(o) * S.tanh(c)
    x = S.FullyConnected(h, num_hidden=10, name="fc")
    return S.SoftmaxOutput(x, S.var("label"), name="softmax")


def attention(S):
    x = S.var("data")  # (batch, length, width)
    q, k, v = (
        S.FullyConnected(x, num_hidden=128, flatten=False, no_bias=True, name=n) for n in "qkv"
    )
    weights = S.softmax(S.batch_dot(q, k, transpose_b=True) * 0.1, axis=-1)
    y = S.FullyConnected(S.batch_dot(weights, v), num_hidden=128, flatten=False, name="o")
    return S.MakeLoss(S.mean(S.square(y + x)), name="loss")


def transformer(S):
    x = S.var("data")
    for k in range(2):
        q, key, v = (
            S.FullyConnected(x, num_hidden=128, flatten=False, no_bias=True, name=f"{n}{k}")
            for n in "qkv"
        )
        weights = S.softmax(S.batch_dot(q, key, transpose_b=True) * 0.1, axis=-1)
        y = S.FullyConnected(S.batch_dot(weights, v), num_hidden=128, flatten=False, name=f"o{k}")
        x = S.LayerNorm(x + y, S.var(f"g{k}"), S.var(f"s{k}"), name=f"norm{k}")
        y = S.FullyConnected(x, num_hidden=512, flatten=False, name=f"up{k}")
        y = S.Activation(y, act_type="relu", name=f"relu{k}")
        x = x + S.FullyConnected(y, num_hidden=128, flatten=False, name=f"down{k}")
    return S.MakeLoss(S.mean(S.square(x)), name="loss")


def elementwise(S):
    x = S.var("data")
    for _ in range(6):
        x = S.sigmoid(S.tanh(S.exp(x * 0.5) + 1.0))
    return x


def branches(S):
    x = S.var("data")
    return S.tanh(x) * S.sigmoid(x) + S.exp(x) * S.tanh(x * 2.0)


def box_loss(S):
    data, label = S.var("data"), S.var("label")
    inside, outside = S.var("inside"), S.var("outside")
    d = inside * (data - label)
    far = S.abs(d)
    return S.MakeLoss(outside * S.where(far < 1.0, S.square(d) * 0.5, far - 0.5), name="loss")


def autoencoder(S):
    x = data = S.var("data")
    for k, width in enumerate((1024, 256, 64, 256, 1024)):
        x = S.FullyConnected(x, num_hidden=width, name=f"fc{k}")
        x = S.Activation(x, act_type="sigmoid", name=f"act{k}")
    x = S.FullyConnected(x, num_hidden=2048, name="out")
    return S.LinearRegressionOutput(x, S.var("label"), name="loss")


def dense_block(S):
    x = S.var("data")
    for k in range(4):
        y = convolved(S, x, 16, 3, f"layer{k}")
        x = S.Concat(x, y, dim=1, name=f"cat{k}")
    return S.MakeLoss(S.mean(x), name="loss")


def two_heads(S):
    x = S.FullyConnected(S.var("data"), num_hidden=2048, name="shared")
    x = S.Activation(x, act_type="relu", name="relu")
    a = S.FullyConnected(x, num_hidden=2048, name="a")
    b = S.tanh(S.FullyConnected(x, num_hidden=2048, name="b"))
    label = S.var("label")
    heads = (
        S.LinearRegressionOutput(a, label, name="la"),
        S.MAERegressionOutput(b, label, name="lb"),
    )
    return S.Group(list(heads))


def deconvolved(S):
    x = S.Convolution(
        S.var("data"), kernel=(4, 4), stride=(2, 2), pad=(1, 1), num_filter=16, name="c0"
    )
    x = S.Activation(x, act_type="relu", name="r0")
    x = S.Deconvolution(x, kernel=(4, 4), stride=(2, 2), pad=(1, 1), num_filter=8, name="d0")
    x = S.Activation(x, act_type="relu", name="r1")
    x = S.Convolution(x, kernel=(3, 3), pad=(1, 1), num_filter=1, name="c1")
    return S.LogisticRegressionOutput(x, S.var("label"), name="out")


def factorised(S):
    w = S.dot(S.var("u"), S.var("v"))
    return S.MakeLoss(S.mean(S.square(S.dot(S.var("data"), w) - S.var("label"))), name="loss")


GRAPHS = {  # the graph, shapes, MB without gradients, with "write", with "add"
    "mlp": (mlp, {"data": (2048, 2048), "label": (2048,)}, (32, 127, 127)),
    "mlp of tanh": (mlp_tanh, {"data": (4096, 1024), "label": (4096, 1024)}, (32, 160, 160)),
    "lenet": (lenet, {"data": (1024, 1, 28, 28), "label": (1024,)}, (67, 195, 195)),
    "vgg": (vgg, {"data": (64, 3, 64, 64), "label": (64,)}, (36, 92, 92)),
    "resnet": (resnet, {"data": (32, 3, 64, 64), "label": (32,)}, (48, 304, 304)),
    "bottleneck": (bottleneck, {"data": (32, 64, 32, 32)}, (24, 80, 80)),
    "inception": (inception, {"data": (32, 3, 64, 64), "label": (32,)}, (132, 444, 444)),
    "lstm": (
        lstm,
        {
            "data": (1024, 8, 256),
            "label": (1024,),
            "h": (1024, 256),
            "c": (1024, 256),
            "wx": (1024, 256),
            "bx": (1024,),
            "wh": (1024, 256),
            "bh": (1024,),
        },
        (39, 113, 113),
    ),
    "attention": (attention, {"data": (64, 256, 128)}, (32, 80, 80)),
    "transformer": (transformer, {"data": (64, 256, 128)}, (64, 240, 240)),
    "elementwise": (elementwise, {"data": (4096, 4096)}, (64, 1216, 1216)),
    "branches": (branches, {"data": (4096, 4096)}, (192, 512, 512)),
    "box loss": (
        box_loss,
        dict.fromkeys(("data", "label", "inside", "outside"), (4096, 4096)),
        (256, 448, 448),
    ),
    "autoencoder": (autoencoder, {"data": (4096, 2048), "label": (4096, 2048)}, (48, 162, 162)),
    "dense block": (dense_block, {"data": (32, 16, 64, 64)}, (96, 216, 216)),
    "two heads": (two_heads, {"data": (4096, 2048), "label": (4096, 2048)}, (96, 256, 256)),
    "deconvolution": (
        deconvolved,
        {"data": (64, 1, 64, 64), "label": (64, 1, 64, 64)},
        (12, 22, 22),
    ),
    "factorised": (
        factorised,
        {"u": (2048, 512), "v": (512, 4096), "data": (1024, 2048), "label": (1024, 4096)},
        (48, 80, 80),
    ),
}
