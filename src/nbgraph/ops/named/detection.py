"""MXNet's operators that train and read detectors of objects (Liu et al., SSD, 2016): a table."""

from __future__ import annotations

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
    variances=(0.1, 0.1, 0.2, 0.2)): What a detector is to predict: each object belongs to the
    anchor that overlaps it most, and to those that overlap it by more than the threshold.
    anchor : array (1, anchors, 4): left, top, right and bottom, as of `MultiBoxPrior`
    label : array (samples, objects, 5 or more): class, left, top, right, bottom; then rows of -1
    cls_pred : array (samples, classes + 1, anchors): scores, which choose negatives
    negative_mining_ratio : float: so many anchors without objects for one with, those of the least
        probable background; -1 for all
    negative_mining_thresh : float: an anchor that overlaps an object that much is none of them
    minimum_negative_samples : ignored, as in MXNet
    variances : floats, by which places and sizes are divided
    -> arrays of places (samples, anchors * 4), of 1 where there is an object (the same shape), and
        of classes (samples, anchors): 0 without object, `ignore_label` where neither; constants
    ! ShapeError where shapes do not fit.
    >>> anchor, label = [[[0.0, 0.0, 0.5, 0.5], [0.5, 0.5, 1, 1]]], [[[2.0, 0.5, 0.5, 1, 1]]]
    >>> MultiBoxTarget(anchor, label, [[[0.5, 0.5]] * 4])[2]
    array([[0., 3.]])
    = targets(anchor, label, cls_pred, overlap_threshold, ignore_label,
        (negative_mining_ratio, negative_mining_thresh), variances)
MultiBoxDetection(cls_prob, loc_pred, anchor, clip=True, threshold=0.01, background_id=0,
    nms_threshold=0.5, force_suppress=False, variances=(0.1, 0.1, 0.2, 0.2), nms_topk=-1): The
    objects that a detector has found, by score, without those that overlap others much.
    cls_prob : array (samples, classes + 1, anchors): probabilities, the background's first
    loc_pred : array (samples, anchors * 4): places and sizes, as `MultiBoxTarget` has them
    anchor : array (1, anchors, 4)
    clip : bool, whether boxes end with the picture
    threshold : float: less probable objects are left out
    background_id : ignored, as in MXNet
    nms_threshold : float: that much overlap suppresses a box of its class, or of all with
        force_suppress; beyond 0 to 1 none, and boxes stay in their order
    nms_topk : int: how many boxes compete; -1 for all
    -> array (samples, anchors, 6) of class, probability, left, top, right, bottom; the class is -1
        where suppressed, all are -1 behind the last object; a constant for derivatives
    ! ShapeError where shapes do not fit.
    >>> MultiBoxDetection([[[0.2], [0.8]]], [[0.0, 0, 0, 0]], [[[0.0, 0.0, 0.5, 0.5]]])
    array([[[0. , 0.8, 0. , 0. , 0.5, 0.5]]])
    = detected(cls_prob, loc_pred, anchor, clip, threshold, nms_threshold, force_suppress,
        variances, nms_topk)
"""


def _fitting(name: str, anchor: Any, *others: Any) -> Any:
    """Return what is known of operands; ShapeError where there are other numbers of anchors."""
    anchor, *others = (as_known(name, x) for x in (anchor, *others))
    count = anchor.shape[1] if len(anchor.shape) == 3 else None
    if anchor.shape[2:] != (4,) or len(others[0].shape) != 3 or others[0].shape[2] != count:
        shapes = f"anchor{anchor.shape}, scores{others[0].shape}"
        raise ShapeError(f"{name}: {shapes}; expected (1, anchors, 4), (samples, classes, anchors)")
    return library.reshape(anchor, (1, -1, 4)), *others


def _match(state: Any, _: Any) -> tuple[Any, None]:
    """Let the largest overlap that is left join its anchor and its object."""
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
    """Return places, where they count, and classes."""
    anchor, scores, label = _fitting("MultiBoxTarget", anchor, scores, label)
    anchor, scores, label = map(library.stop_gradient, (anchor, scores, label))
    if len(label.shape) != 3 or label.shape[2] < 5:
        raise ShapeError(f"MultiBoxTarget: label{label.shape}; expected (samples, objects, 5)")
    count, objects = anchor.shape[1], label.shape[1]
    real = library.cumprod(library.astype(label[:, :, 0] != -1, "int32"), 1) > 0
    shared = library.swapaxes(overlaps(label[:, :, 1:5], anchor[0], "corner"), 1, 2)
    shared = library.where(real[:, None], shared, -1)
    most, match = library.max(shared, axis=2), library.astype(shared[:, :, 0] * 0 - 1, "int64")
    scan = importlib.import_module("nbgraph.autograd.control.loops").scan  # it lies above
    match = scan(_match, (shared, match), np.arange(objects))[0][1]
    match = match.asnumpy() if carrier_of([label]) is None else match
    if threshold > 0:
        near = (match < 0) & (most > threshold)
        match = library.where(near, library.argmax(shared, axis=2), match)
    found = match >= 0
    negative = ~found & real[:, :1]
    if mining[0] > 0:
        free = negative & (most < mining[1])
        order = library.where(free, library.softmax(scores, axis=1)[:, 0], np.inf)
        rank = library.argsort(library.argsort(order, 1), 1)
        wanted = library.sum(library.astype(found, "float32"), axis=1, keepdims=True) * mining[0]
        negative = free & (rank < library.floor(wanted))
    place = library.expand_dims(library.maximum(match, 0), 2)
    own = library.take_along_axis(label[:, :, :5], place, 1)
    (a, b), (c, d) = corners(anchor, "corner"), (own[:, :, 1:3], own[:, :, 3:5])
    shifts = ((c + d) - (a + b)) / 2 / (b - a), library.log((d - c) / (b - a))
    shifts = library.concatenate(shifts, 2) / np.array(scale, "float32")
    mask = library.broadcast_to(found[:, :, None], shifts.shape)
    kind = library.where(found, own[:, :, 0] + 1, library.where(negative, 0, ignored))
    places, mask = library.where(mask, shifts, 0), library.astype(mask, label.dtype)
    return *(library.reshape(x, (-1, count * 4)) for x in (places, mask)), kind


def detected(
    scores: Any, places: Any, anchor: Any, clip: bool, least: float, overlap: float, force: bool,
    scale: Any, topk: int,
) -> Any:  # fmt: skip
    """Return classes, probabilities and boxes of the objects that stay."""
    anchor, scores, places = _fitting("MultiBoxDetection", anchor, scores, places)
    anchor, scores, places = map(library.stop_gradient, (anchor, scores, places))
    (first, last), count = corners(anchor, "corner"), anchor.shape[1]
    moves = library.reshape(places, (-1, count, 4)) * np.array(scale, "float32")
    centre = moves[:, :, :2] * (last - first) + (first + last) / 2
    half = library.exp(moves[:, :, 2:]) * (last - first) / 2
    boxes = library.concatenate([centre - half, centre + half], 2)
    boxes = library.clip(boxes, 0, 1) if clip else boxes
    most = library.max(scores[:, 1:], axis=1)
    kind = library.astype(library.argmax(scores[:, 1:], axis=1), boxes.dtype)
    x = library.concatenate([kind[:, :, None], most[:, :, None], boxes], 2)
    valid, competing = most >= least, 0 < overlap <= 1
    order = library.where(valid, -most if competing else 0, np.inf)
    x, valid = sorted_boxes(order, x, valid)
    alive = valid
    if competing:
        alive = valid & (np.arange(count) < topk) if topk > 0 else valid
        alive = survivors(alive, x[:, :, 2:], overlap, None if force else x[:, :, 0], equal=True)
    kind = library.where(alive, x[:, :, 0], -1)[:, :, None]
    return library.where(valid[:, :, None], library.concatenate([kind, x[:, :, 1:]], 2), -1)


define_named(_TABLE, globals(), {"MultiBoxTarget": lambda *_, **__: 3, "MultiBoxDetection": None})
