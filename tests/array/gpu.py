"""What tests of arrays on GPUs share: devices that hurry, and memory that runs out."""

import contextlib

import pytest

import nbgraph as ng
from nbgraph.device import driver, emulated_streams, nvidia_streams

GPU = ng.gpu(0)
emulated_only = pytest.mark.skipif(ng.config.gpu != "emulated", reason="of the emulation alone")


@contextlib.contextmanager
def hurried(seed):
    """Streams of all devices pause at random, so that a missing wait shows."""
    devices = getattr(driver(), "devices", [])
    for number, device in enumerate(devices):
        device.hurry(seed + number)
    try:
        yield
    finally:
        for device in devices:
            device.hurry(None)


@contextlib.contextmanager
def at_most(nbytes):
    """The device has so many bytes more than are in use, no more."""
    room = driver().devices[0].room
    before, room.most = room.most, room.used + nbytes
    try:
        yield
    finally:
        room.most = before


def heard(monkeypatch, names=("launch", "multiply", "captured", "replay", "call")):
    """What streams are asked for from now on, by name; "changed": a launch in a graph."""
    stream = type(driver().stream(0))
    nodes = {emulated_streams.EmulatedStream: emulated_streams.EmulatedNode}
    told = []
    for name, kind, word in (
        *((name, stream, name) for name in names),
        ("launch", nodes.get(stream, nvidia_streams.NvidiaNode), "changed"),
    ):

        def call(self, *given, own=getattr(kind, name), word=word):
            told.append(word)
            return own(self, *given)

        monkeypatch.setattr(kind, name, call)
    return told
