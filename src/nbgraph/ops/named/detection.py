"""MXNet's operators that train and read detectors of objects (Liu et al., SSD, 2016): a table."""

import importlib
from typing import Any

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.operator.call import carrier_of
from nbgraph.ops.define import as_known, library
from nbgraph.ops.named.calls import define_named
from nbgraph.ops.named.contrib import corners, overlaps, sorted_boxes, survivors

_TABLE = """
MultiBoxTarget(anchor, label, cls_pred, overlap_threshold=0.5, ignore_label=-1.0,
    negative_mining_ratio=-1.0, negative_mining_thresh=0.5, minimum_negative_samples=0,
    variances=(0.1, 0.1, 0.2, 0.2)): The training targets of a detector: an object is matched to the
    anchor with the largest overlap, and to anchors with an overlap above the threshold.
    anchor : array (1, anchors, 4): left, top, right and bottom, as of `MultiBoxPrior`
    label : array (samples, objects, 5 or more): class, left, top, right, bottom; then rows of -1
    cls_pred : array (samples, classes + 1, anchors): scores, for the choice of negatives
    negative_mining_ratio : float, the number of negative anchors for each matched one: those with
        the least probable background and overlaps below negative_mining_thresh; -1 for all
    variances : floats, divisors of offsets and sizes
    minimum_negative_samples : ignored, as in MXNet
    -> three arrays without gradients: offsets (samples, anchors * 4), their mask of 0 and 1 (same
        shape), and classes (samples, anchors): 0 for no object, `ignore_label` if not chosen
    ! ShapeError if shapes do not match.
    >>> anchor, label = [[[0.0, 0.0, 0.5, 0.5], [0.5, 0.5, 1, 1]]], [[[2.0, 0.5, 0.5, 1, 1]]]
    >>> MultiBoxTarget(anchor, label, [[[0.5, 0.5]] * 4])[2]
    array([[0., 3.]])
    = targets(anchor, label, cls_pred, overlap_threshold, ignore_label,
        (negative_mining_ratio, negative_mining_thresh), variances)
MultiBoxDetection(cls_prob, loc_pred, anchor, clip=True, threshold=0.01, background_id=0,
    nms_threshold=0.5, force_suppress=False, variances=(0.1, 0.1, 0.2, 0.2), nms_topk=-1): The
    detected objects by probability, without those that overlap more probable ones.
    cls_prob : array (samples, classes + 1, anchors): probabilities, the background's first
    loc_pred, anchor : arrays (samples, anchors * 4), (1, anchors, 4), as of `MultiBoxTarget`
    clip, background_id : whether boxes end with the picture; ignored, as in MXNet
    threshold : float: less probable objects are left out
    nms_threshold : float: that much overlap suppresses a box of its class, or of all with
        force_suppress; beyond 0 to 1 none, and boxes stay in their order
    nms_topk : int: how many boxes compete; -1 for all
    -> array (samples, anchors, 6) of class, probability, left, top, right, bottom; the class is -1
        where suppressed, all are -1 behind the last object; a constant for derivatives
    ! ShapeError where shapes do not fit.
    >>> MultiBoxDetection([[[0.2], [0.8]]], [[0.0, 0, 0, 0]], [[[0.0, 0.0, 0.5, 0.5]]])
    array([[[0. , 0.8, 0. , 0. , 0.5, 0.5]]])
    = detected(cls_prob, loc_pred, anchor, (clip, threshold), (nms_threshold, nms_topk),
        force_suppress, variances)
"""


def _fitting(name: str, *operands: Any) -> Any:
    """Return anchors, scores and the third operand without gradients; raise ShapeError for shapes
    that do not match."""
    anchor, scores, other = (library.stop_gradient(as_known(name, x)) for x in operands)
    if len(scores.shape) != 3 or anchor.shape != (1, scores.shape[2], 4):
        shapes = f"anchor{anchor.shape}, scores{scores.shape}"
        raise ShapeError(f"{name}: {shapes}; expected (1, anchors, 4), (samples, classes, anchors)")
    return anchor, scores, other


def _match(state: Any, _: Any) -> tuple[Any, None]:
    """Match the anchor and the object of the largest remaining overlap."""
    left, match = state
    anchors, objects = left.shape[1:]
    flat = library.reshape(left, (-1, anchors * objects))
    best = library.argmax(flat, axis=1, keepdims=True)
    valid = library.take_along_axis(flat, best, 1) > 1e-6
    row = (best // objects == np.arange(anchors)) & valid
    column = (best % objects == np.arange(objects)) & valid
    match = library.where(row, best % objects, match)
    return (library.where(row[:, :, None] | column[:, None], -1, left), match), None


def targets(
    anchor: Any, label: Any, scores: Any, threshold: float, ignored: float, mining: Any, scale: Any
) -> Any:
    """Return offsets of boxes, the mask of matched anchors, and classes; see MultiBoxTarget."""
    anchor, scores, label = _fitting("MultiBoxTarget", anchor, scores, label)
    if len(label.shape) != 3 or label.shape[2] < 5:
        raise ShapeError(f"MultiBoxTarget: label{label.shape}; expected (samples, objects, 5)")
    real = library.cumprod(library.astype(label[:, :, 0] != -1, "int32"), 1) > 0
    shared = library.swapaxes(overlaps(label[:, :, 1:5], anchor[0], "corner"), 1, 2)
    shared = library.where(real[:, None], shared, -1)
    most, match = library.max(shared, axis=2), library.full_like(shared[:, :, 0], -1, dtype="int64")
    scan = importlib.import_module("nbgraph.autograd.control.loops").scan  # it lies above
    match = scan(_match, (shared, match), np.arange(label.shape[1]))[0][1]
    match = match.asnumpy() if carrier_of([label]) is None else match
    near = (match < 0) & (most > (threshold if threshold > 0 else 2))
    match = library.where(near, library.argmax(shared, axis=2), match)
    positive = match >= 0
    # symbols have `cls_pred` as an argument even if no negatives are chosen by it
    every = library.ones_like(scores[:, 0], dtype="bool")
    negative = ~positive & real[:, :1] & every
    if mining[0] > 0:
        negative = negative & (most < mining[1])
        order = library.where(negative, library.softmax(scores, axis=1)[:, 0], np.inf)
        count = library.sum(library.astype(positive, "float32"), axis=1, keepdims=True) * mining[0]
        rank = library.argsort(library.argsort(order, 1), 1)
        negative = negative & (rank < library.floor(count))
    place = library.expand_dims(library.maximum(match, 0), 2)
    own = library.take_along_axis(label[:, :, :5], place, 1)
    (a, b), (c, d) = corners(anchor, "corner"), corners(own[:, :, 1:], "corner")
    shifts = ((c + d) - (a + b)) / 2 / (b - a), library.log((d - c) / (b - a))
    shifts = library.concatenate(shifts, 2) / np.array(scale, "float32")
    mask = library.broadcast_to(positive[:, :, None], shifts.shape)
    kind = library.where(negative, 0, library.where(positive, own[:, :, 0] + 1, ignored))
    shifts, mask = library.where(mask, shifts, 0), library.astype(mask, label.dtype)
    return *(library.reshape(x, (x.shape[0], -1)) for x in (shifts, mask)), kind


def detected(
    scores: Any, places: Any, anchor: Any, limits: Any, competing: Any, force: bool, scale: Any
) -> Any:
    """Return classes, probabilities and boxes of detected objects; see MultiBoxDetection."""
    anchor, scores, places = _fitting("MultiBoxDetection", anchor, scores, places)
    (first, last), (clip, least), (overlap, topk) = corners(anchor, "corner"), limits, competing
    moves = library.reshape(places, (-1, *anchor.shape[1:])) * np.array(scale, "float32")
    centre = moves[:, :, :2] * (last - first) + (first + last) / 2
    half = library.exp(moves[:, :, 2:]) * (last - first) / 2
    boxes = library.concatenate([centre - half, centre + half], 2)
    boxes = library.clip(boxes, 0, 1) if clip else boxes
    most, suppresses = library.max(scores[:, 1:], axis=1), 0 < overlap <= 1
    kind = library.astype(library.argmax(scores[:, 1:], axis=1), boxes.dtype)
    x = library.concatenate([kind[:, :, None], most[:, :, None], boxes], 2)
    order = library.where(most >= least, -most if suppresses else 0, np.inf)
    x, alive = sorted_boxes(order, x, most >= least)
    rows = library.where(alive[:, :, None], x, -1)
    if suppresses:
        alive = alive & (np.arange(x.shape[1]) < topk) if topk > 0 else alive
        alive = survivors(alive, x[:, :, 2:], overlap, None if force else x[:, :, 0], equal=True)
    kind = library.where(alive, x[:, :, 0], -1)[:, :, None]
    return library.concatenate([kind, rows[:, :, 1:]], 2)


define_named(_TABLE, globals(), {"MultiBoxTarget": lambda *_, **__: 3, "MultiBoxDetection": None})
