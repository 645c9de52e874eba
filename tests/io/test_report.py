"""Where the time of a step goes."""

import time

import numpy as np
import pytest

from nbgraph.io import NDArrayIter, PrefetchingIter, SourceIter
from nbgraph.io.report import collecting, counted
from tests.io.sources import Numbers


class Working(Numbers):
    """Reads for 1 ms and decodes for 3 ms."""

    def read(self, block, rows):
        time.sleep(0.001)
        with counted("decoding"):
            time.sleep(0.003)
        return super().read(block, rows)


def changed(columns, draws):
    time.sleep(0.002)
    return columns


@pytest.mark.parametrize("depth", [0, 2])
def test_work_is_told_apart(engine, depth):
    it = SourceIter(Working([64]), 8, prefetch=depth, transforms=[changed])
    assert len(list(it)) == 8
    report = it.report()
    work = report.work
    assert report.batches == 8 and list(work)[:3] == ["reading", "decoding", "transforms"]
    assert work["decoding"] >= 8 * 0.003 and work["transforms"] >= 8 * 0.002
    assert work["reading"] >= 8 * 0.001


def test_who_waits_for_whom():
    it = SourceIter(Working([64]), 8)
    list(it)
    assert it.report().bottleneck == "data" and "prefetch=2" in str(it.report())
    quick = NDArrayIter(np.zeros((64, 2)), batch_size=8)
    for _ in quick:
        time.sleep(0.02)
    report = quick.report()
    assert report.bottleneck == "model" and report.steps >= 7 * 0.02
    assert "the model is the bottleneck" in str(report)


def test_a_report_is_text_html_and_data():
    it = PrefetchingIter(NDArrayIter(np.zeros((64, 2)), batch_size=8))
    assert "no batch was asked for" in str(it.report())
    list(it)
    report = it.report()
    assert "NDArrayIter: 8 batches, prefetch=2" in str(report)
    assert "waiting for data" in report._repr_html_()
    assert report.to_dict()["batches"] == 8


def test_time_inside_of_other_work_counts_once():
    seconds = {}
    with collecting(seconds), counted("reading"):
        time.sleep(0.002)
        with counted("decoding"):
            time.sleep(0.004)
        with counted("decoding"):
            pass
    assert seconds["decoding"] >= 0.004 and seconds["reading"] >= 0.002
    with counted("reading"):  # outside of an iterator nothing is counted
        pass
    assert len(seconds) == 2
