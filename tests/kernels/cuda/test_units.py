"""Kernels that are written by hand for GPUs, without one: machine code, and the simulated GPU.

An operator's kernels come here by themselves, from its call in `tests.ops.array_calls`; kernels
that no call there asks for are told.
"""

import re

import pytest

from nbgraph.kernels.cuda import machine
from nbgraph.operator.arrays import device_forms
from tests.kernels.cuda import machine_code, units
from tests.kernels.cuda.test_simulator import child

SEED = 11


@pytest.fixture(scope="module")
def found(full):
    """The kernels."""
    return units.noted(SEED, full=full)


def wrong(each, capability):
    """What is wrong with a kernel's text for the device, in words; or nothing."""
    code = each.call.code
    text, said = code.ptx(capability), []
    facts = machine.facts(text, capability)
    if facts.stack or facts.spills:
        said.append(f"{facts}")
    wide = any(a.dtype == "float64" for a in (*each.given, *each.outputs))
    if not wide and re.search(r"\.f64\b", text):
        said.append("float64 in a float32 kernel")
    if re.search(r"\b(?:mul|add|sub)\.f(?:32|64)\b", text):
        said.append("a product and a sum may be contracted")
    if ".extern" in text:
        said.append("a function is not there")
    return f"{each.name} {capability}: {'; '.join(said)}" if said else ""


def test_every_kernel_is_met(found):
    """SMP-39: what has such a kernel is called by these tests."""
    known = {op for op, forms in device_forms._FORMS.items() if device_forms.Unit in forms}
    assert {op.__name__ for op in known} == {each.op.__name__ for each in found}


def test_machine_code(found, full):
    """SMP-39, MSP-01: no stack, no spills, no float64 where none is stored."""
    machine_code.required()
    kernels = {each.call.code.source.text: each for each in found}
    assert len(kernels) > 20
    kernels = list(kernels.values())
    said = [wrong(each, (9, 0)) for each in (kernels if full else kernels[::2])]
    said += [wrong(each, (8, 0)) for each in kernels[1::5]]
    assert [text for text in said if text] == []


def test_simulated(full):
    """SMP-24, SMP-39: bounds, races, and the results of the host."""
    lines = child("units", str(SEED), "0" if full else "6")
    assert [each for each in lines if each["wrong"]] == []
    assert len(lines) > 6


@pytest.mark.slow
def test_mistakes_are_seen():
    """A kernel with a mistake is not passed."""
    lines = child("units", "mutants")
    assert len(lines) == len(units.MUTANTS)
    for each in lines:
        assert any(one in each["said"] for one in each["expected"].split("|")), each
