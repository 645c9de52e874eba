"""What executors say of themselves: passes, memory, steps, explanations."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError
from nbgraph.executor import Options


def layer(**options):
    x, w = ng.var("x", shape=(64, 32)), ng.var("w", shape=(32, 16))
    hidden = ng.tanh(x @ w + 1.0).named("hidden")
    loss = ng.sum(hidden * ng.sigmoid(hidden))
    exe = loss.simple_bind(options=Options.of(**options))
    exe.forward_backward()
    exe.forward(is_train=True)
    exe.backward()
    return exe


@pytest.fixture(scope="module")
def exe():
    return layer()


def test_stages(exe):
    """X-SYM-06: every pass of every program, as a difference and as pictures."""
    stages = exe.passes()
    assert set(stages.by_program) == {"forward, training", "backward", "forward_backward"}
    assert [s.name for s in stages.by_program["backward"]][-1] == "fuse"
    assert len(stages) == sum(map(len, stages.by_program.values()))
    assert stages[0].name in stages.to_dict()["forward, training"][0]["name"]
    assert "backward: pass 1" in str(stages)
    shown = stages._repr_html_()
    assert shown.count("<svg") == 2 * len(stages)
    assert shown.count("<details open>") == 1 and "<details>" not in shown.partition(" open>")[2]
    untouched = layer(share=False, fold=False, simplify=False, fuse=False)
    assert str(untouched.passes()) == "no pass changed anything"


def test_a_difference_keeps_both_graphs(exe):
    """Lines without + are the graph before, lines without - the graph after."""
    for stage in exe.passes():
        lines = stage.diff().splitlines()
        assert [x[1:] for x in lines if x[0] != "+"] == str(stage.before).splitlines()
        assert [x[1:] for x in lines if x[0] != "-"] == str(stage.after).splitlines()


def test_memory_of_a_chain():
    """SYS-05: of five operators in a chain the plan needs less than five values, and that much
    is held."""
    y = ng.var("x", shape=(1000,))
    for _ in range(5):
        y = ng.sort(y)
    exe = y.simple_bind(grad_req="null")
    exe.forward()
    found = exe.memory()
    (program,) = found.programs
    assert program.naive > program.planned >= program.peak >= 4000
    assert program.allocated >= program.planned
    assert (found.naive, found.planned) == (program.naive, program.planned)
    assert found.arrays["arguments"] >= 4000
    assert found.arrays["outputs"] == 0  # they lie in the program's memory
    assert found.arrays["gradients"] == 0
    assert found.allocated == program.allocated + sum(found.arrays.values())


def test_memory_of_training(exe):
    """What is kept for backward, gradients and their seeds are counted; as text and in HTML."""
    found = exe.memory()
    assert {p.program for p in found.programs} == {
        "forward, training",
        "backward",
        "forward_backward",
    }
    rows = {p.program: p for p in found.programs}
    assert rows["forward, training"].planned >= 64 * 16 * 4
    assert rows["backward"].shares == "forward, training"
    both = max(rows[name].planned for name in ("forward, training", "backward"))
    assert found.planned == both + rows["forward_backward"].planned
    assert found.arrays["outputs"] > 0
    assert found.arrays["gradients"] >= (64 * 32 + 32 * 16) * 4
    assert found.to_dict()["allocated"] == found.allocated
    assert f"{found.allocated:,}" in str(found)
    assert "forward_backward" in found._repr_html_()


def test_nothing_is_counted_twice():
    """Two results that are one array, and constants of two programs, are held once."""
    x = ng.array(np.ones(1000, "float32"))
    a, b = ng.var("a"), ng.var("b")
    exe = (a + b).bind(args={"a": x, "b": x})
    exe.forward()
    assert exe.memory().arrays["arguments"] == x._chunk.capacity


def test_plan(exe):
    """Steps with kernel or function, requests, chunks and estimates, as they are pushed."""
    rows = exe.plan().by_program["forward_backward"]
    program = exe.programs()["forward_backward"]
    assert [row.name for row in rows] == [step.label for step in program.plan.steps]
    assert {row.does.split()[0] for row in rows} == {"kernel"}
    other = (
        ng.linalg.expm(ng.var("x")).simple_bind(ng.cpu(), x=(40, 40)).plan().by_program["forward"]
    )
    assert [row.does.split()[0] for row in other] == ["function"]
    for row, step in zip(rows, program.plan.steps, strict=True):
        assert row.estimate == getattr(step.run, "cost", 0)
        assert all(number < row.number for number in row.after)
        assert all("(kWrite" in text or "(kAddTo)" in text for text in row.writes)
    assert any("kWriteInplace" in text and " over " in text for row in rows for text in row.writes)
    assert "estimated ns" in str(exe.plan())
    shown = exe.plan()._repr_html_()
    assert "kernel fused" in shown and shown.count("<table>") == len(exe.plan().by_program)
    assert exe.plan().to_dict()["backward"][0]["number"] == 0


def test_plan_adds_and_cuts():
    """grad_req="add" is kAddTo in the plan; a long kernel may be cut into chunks."""
    x = ng.var("x", shape=(1 << 16,))
    exe = ng.exp(ng.sin(x)).simple_bind(grad_req="add")
    exe.forward_backward(ng.ones(1 << 16))
    (row,) = exe.plan().by_program["forward_backward, gradients of 0 given"]
    assert [text.rsplit(" ", 1)[1] for text in row.writes] == ["(kWriteTo)", "(kAddTo)"]
    assert row.chunks > 1


# explain ----------------------------------------------------------------------------------------


def test_explain_what_became_part_of_a_loop(exe):
    """X-MEM-04: which kernel a node went to, with whom; where its value lies, or that it never
    reaches memory; the kernel's text."""
    found = exe.explain("hidden")
    fates = {fate.program: fate for fate in found.fates}
    assert set(fates) == {"forward, training", "forward_backward"}
    joint, half = fates["forward_backward"], fates["forward, training"]
    assert "hidden" in joint.members
    assert joint.loop.startswith("fused")
    assert joint.places == ()
    assert "never reaches memory" in str(joint)
    (place,) = half.places  # kept for the backward program, in the memory that both have
    assert place.offset is not None
    assert "m_tanh" in found.source("forward_backward")
    assert "test_reports.py" in found.about
    assert found.to_dict()["programs"]["forward_backward"]["loop"] == joint.loop
    assert "m_tanh" in found._repr_html_()


def test_explain_what_stayed_alone(exe):
    """Where it lives, who reads it, who takes its memory over, and BLAS computes it."""
    found = exe.explain("matmul0_output")
    fate = found.fates[-1]
    assert not fate.loop
    assert not fate.gone
    (place,) = fate.places
    assert place.offset is not None
    assert place.together
    assert "gemm(" in found.source()
    other = ng.linalg.expm(ng.var("x")).simple_bind(ng.cpu(), x=(40, 40))
    found = other.explain("linalg_expm0_output")
    with pytest.raises(ArgumentError, match="programs with one: none: a function computes it"):
        found.source()
    with pytest.raises(ArgumentError, match="no kernel in program 'backward'"):
        exe.explain("hidden").source("backward")


def test_explain_tells_why_neighbours_stayed_apart():
    """X-SYM-05: a reader of another shape, one that reduces other axes, one that works on whole
    arrays: each with its reason, from both sides."""
    y = ng.sin(ng.var("x", shape=(8, 1000)))
    rows = ng.cos(ng.sum(y, axis=1))
    exe = ng.Group([rows, ng.prod(y, axis=0), ng.sort(y)]).simple_bind()
    exe.forward()
    (fate,) = exe.explain("sin0").fates
    assert set(fate.apart) == {
        "prod0, which reads it, did not join: reduces other axes than the last ones",
        "sort0, which reads it, did not join: works on whole arrays",
    }
    assert "sum0" in fate.members
    (fate,) = exe.explain("cos0").fates
    assert fate.apart == ("sum0, which it reads, did not join: has another shape",)
    (fate,) = exe.explain("sort0").fates
    assert fate.apart == ("in no loop with others, as it works on whole arrays",)


def test_explain_what_is_gone():
    """Equal nodes become one; of the other it is said which pass took it."""
    x = ng.var("x", shape=(3,))
    named = ng.sin(x).named("twin")
    both = ng.Group([ng.sin(x), named * 2.0]).simple_bind()
    both.forward()
    (fate,) = both.explain("twin").fates
    assert fate.gone == "share"
    assert "no node of its own after pass 'share'" in str(fate)


def test_explain_backward_nodes_and_variables(exe):
    (fate,) = exe.explain("tanh_backward0").fates[:1]
    assert "tanh_backward0" in fate.members
    assert exe.explain("x").about == "a variable: float32[64, 32]"


def test_explain_unknown_names(exe):
    with pytest.raises(ArgumentError, match="no 'hiden' in this executor; did you mean 'hidden'"):
        exe.explain("hiden")


def test_asked_before_anything_has_run():
    """The forward program is compiled to be told of."""
    exe = ng.exp(ng.sin(ng.var("x", shape=(3,)))).simple_bind()
    assert list(exe.programs()) == ["forward"]
    assert exe.explain("sin0").fates[0].program == "forward"
    assert len(exe.plan().by_program["forward"]) == 1


@pytest.mark.parametrize(
    ("pattern", "told"), [(3, "is an int"), ("(", "is not a regular expression")]
)
def test_a_pattern_that_is_none(pattern, told):
    """X-SYM-08: refused at once, and nobody looks on."""
    exe = ng.sin(ng.var("x")).simple_bind(x=(2,))
    with pytest.raises(ArgumentError, match=rf"monitor: pattern=.*{told}.*; give a text"):
        exe.monitor(pattern)
    assert not exe._watched()
