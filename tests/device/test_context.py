"""Contexts and run contexts."""

import copy
import pickle

import pytest

import nbgraph as ng
from nbgraph.device import run_context
from nbgraph.errors import ArgumentError, DeviceError


def test_a_context_is_a_type_and_a_number():
    """ENG-15: equal, hashable, ordered, frozen, readable."""
    assert ng.cpu() == ng.cpu(0) == ng.Context("cpu", 0) == ng.Context("cpu")
    assert len({ng.cpu(0), ng.cpu(), ng.gpu(0), ng.gpu(1)}) == 3
    assert sorted([ng.gpu(1), ng.cpu(1), ng.gpu(0)]) == [ng.cpu(1), ng.gpu(0), ng.gpu(1)]
    assert repr(ng.gpu(1)) == "gpu(1)" and repr(ng.cpu()) == "cpu(0)"
    assert (ng.gpu(1).device_type, ng.gpu(1).device_id) == ("gpu", 1)
    with pytest.raises(AttributeError, match="'device_id' cannot be set"):
        ng.cpu().device_id = 1
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del ng.cpu().device_id
    assert ng.cpu() != ("cpu", 0) and ng.cpu(1) >= ng.cpu(0) and not ng.cpu() > ng.gpu()
    assert pickle.loads(pickle.dumps(ng.gpu(1))) == copy.deepcopy(ng.gpu(1)) == ng.gpu(1)
    with pytest.raises(TypeError, match="not supported between"):
        _ = ng.cpu() < 1


@pytest.mark.parametrize(
    "make, error, told",
    [
        (lambda: ng.Context("tpu", 0), ArgumentError, "device_type='tpu'; expected 'cpu' or 'gpu'"),
        (lambda: ng.Context("gpu", -1), DeviceError, "device_id=-1"),
        (lambda: ng.gpu("0"), ArgumentError, "device_id='0'"),
        (lambda: ng.gpu(True), ArgumentError, "device_id=True"),
        (lambda: ng.cpu(0.0), ArgumentError, "device_id=0.0"),
    ],
)
def test_bad_contexts_are_refused(make, error, told):
    with pytest.raises(error, match=told):
        make()


def test_a_run_context_tells_device_and_stream():
    """ENG-07, ENG-08, ENG-16."""
    run = run_context(ng.cpu(0))
    assert isinstance(run, ng.RunContext)
    assert run.device == ng.cpu(0) and run.stream is None
    assert run.get_stream("cpu") is None and run.get_stream(ng.cpu(3)) is None
    with pytest.raises(DeviceError, match="a gpu stream was asked for, but this runs on cpu"):
        run.get_stream("gpu")
    with pytest.raises(DeviceError, match="a gpu stream"):
        run.get_stream(ng.gpu(0))
    with pytest.raises(ArgumentError, match="kind='stream'"):
        run.get_stream("stream")
    assert not hasattr(ng.cpu(), "stream")


def test_a_stream_is_handed_out_as_it_is():
    """ENG-07: the handle a device back end gives."""
    handle = object()
    assert ng.RunContext(ng.gpu(1), handle).get_stream("gpu") is handle
    assert "gpu(1)" in repr(ng.RunContext(ng.gpu(1), handle))


def test_contexts_of_contexts_and_blocks():
    """MXNet's `Context(ctx)`, and `with mx.cpu():`, where arrays are made anyhow."""
    assert ng.Context(ng.gpu(2)) == ng.gpu(2)
    with ng.cpu(1) as device:
        assert device == ng.cpu(1)
    with pytest.raises(ng.ArgumentError, match=r"with gpu\(0\): .*device=gpu\(0\)"), ng.gpu(0):
        pass
