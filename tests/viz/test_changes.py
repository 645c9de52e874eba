"""Before and after a pass."""

import nbgraph as ng


def test_both_sides_of_a_pass():
    """X-SYM-06, X-SYM-08: two pictures and a difference of listings."""
    x = ng.var("x", shape=(3,))
    exe = (ng.sin(x) + ng.sin(x).named("again")).simple_bind()
    share = exe.passes()[0]
    change = ng.viz.before_and_after(share)
    assert share.name == "share"
    assert (len(change.before.boxes), len(change.after.boxes)) == (4, 3)
    lines = str(change).splitlines()
    assert lines[0] == "share"
    assert any(line.startswith("-") and "again" in line for line in lines)
    assert " %0 = x: float32[3]" in lines
    assert change._repr_html_().count("<svg") == 2
    assert share._repr_html_() == change._repr_html_()
    assert change.to_dict()["before"]["boxes"][0]["name"] == "x"
