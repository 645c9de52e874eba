"""What goes over the network while layers compute, and what goes first (X-KVS-05): by the order of
events, whatever the clock says."""

from __future__ import annotations

import asyncio
import threading
import time

import nbgraph as ng
from tests.kvstore.here import run

LAYERS = 4
SIZE = 1 << 15  # elements: each layer has a message of its own
WINDOW = 4  # pushes under way at a time
PATIENCE = 60.0  # seconds; what does not overlap ends after them


def hold(kv, before):
    """Let each push of a worker await `before(key)` when it is its turn to be sent."""
    exchange = kv._exchange

    def held(parcel, *args):
        send = exchange(parcel, *args)

        async def later():
            await before(parcel.places[0][0])
            await send()

        return later

    kv._exchange = held


async def until(seen):
    end = time.monotonic() + PATIENCE
    while not seen() and time.monotonic() < end:  # noqa: ASYNC110 - what other threads do
        await asyncio.sleep(0.001)


def backward(rank):
    """Gradients from the last layer to the first; each layer ends only when the message of the one
    before it is under way, and each message only when the next layer computes."""
    kv = ng.kv.create("dist_sync")
    keys = range(LAYERS)
    kv.init([*keys], [ng.zeros(SIZE)] * LAYERS)
    gradients, weights = ([ng.ones(SIZE) for _ in keys] for _ in range(2))
    ng.waitall()
    computes, sends = ([threading.Event() for _ in keys] for _ in range(2))

    async def before(key):
        sends[key].set()
        await until(lambda: key == 0 or computes[key - 1].is_set())

    def layer(key):
        def compute(run_ctx):
            computes[key].set()
            if key + 1 < LAYERS:
                sends[key + 1].wait(PATIENCE)

        return compute

    hold(kv, before)
    with ng.profile() as profile:
        for key in reversed(keys):
            ng.engine.push(layer(key), mutate_vars=[gradients[key].variable], name=f"layer {key}")
            kv.pushpull(key, gradients[key], weights[key], priority=-key)
    return {event.name: event for event in profile.events}


def test_a_layer_is_sent_while_the_next_computes():
    (events,) = run(1, backward, timeout=2 * PATIENCE, silent="nothing")
    for key in range(1, LAYERS):
        sent, computed = events[f"kv.push {key}"], events[f"layer {key - 1}"]
        assert sent.started_ns < computed.ended_ns
        assert computed.started_ns < sent.ended_ns
        assert sent.ended_ns - sent.started_ns < PATIENCE * 1e9  # nobody waited in vain


def urgent(rank, count):
    """Return the order in which keys were sent: the first `WINDOW` fill the window while the
    network takes none, then the others come, the last layer first."""
    kv = ng.kv.create("dist_sync")
    kv.init([*range(count)], [ng.zeros(SIZE)] * count)
    order = []

    async def before(key):
        order.append(key)
        await until(lambda: len(order) + len(kv._sender._heap) == count)

    hold(kv, before)
    for key in reversed(range(count)):
        kv.push(key, ng.ones(SIZE), priority=-key)
        if key == count - WINDOW:  # else the engine may hand over a later and more urgent push
            end = time.monotonic() + PATIENCE
            while len(order) < WINDOW and time.monotonic() < end:
                time.sleep(0.001)
    ng.waitall()
    return order


def test_layers_needed_first_go_first():
    """A window is under way; of what waits for it the first layer goes first, not who came."""
    (order,) = run(1, urgent, 10, timeout=2 * PATIENCE, silent="nothing")
    assert sorted(order[:WINDOW]) == [6, 7, 8, 9]  # those that came first did not wait
    assert order[WINDOW:] == [0, 1, 2, 3, 4, 5]
