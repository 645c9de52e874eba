"""The command that mutates the source, over a package of two functions."""

import ast
import random
import textwrap

import pytest

from scripts import mutants

SOURCE = textwrap.dedent("""
    def total(a: int, b: int) -> int:
        a = a * b
        return a + b


    def key(a, b):
        return (a, b)
""")
TESTS = textwrap.dedent("""
    from tiny.room.maths import total

    def test_total():
        assert [total(2, 3), total(5, 2)] == [9, 12]
""")


def mutations(source):
    """Every text that a mutation of some function makes of a source."""
    named = mutants.functions(ast.parse(source))
    return [m.applied(source) for name, f in named for m in mutants.mutants("", source, name, f)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a < b", "(a <= b)"),
        ("a is not b", "(a is b)"),
        ("a + b", "(a - b)"),
        ("a and b", "(a or b)"),
        ("not a", "(a)"),
        ("7", "(8)"),
        ("True", "(False)"),
        ("(a, b)", "(a,)"),
        ("[a, b]", "[b]"),
        ("a if b else c", "a if (True) else c"),
    ],
)
def test_an_expression_becomes_another(before, after):
    assert f"def f(a, b, c):\n    x = {after}\n" in mutations(
        f"def f(a, b, c):\n    x = {before}\n"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [("return a", "return None"), ("a.clear()", "pass"), ("if a: b = a", "if (False): b = a")],
)
def test_a_statement_becomes_another(before, after):
    assert f"def f(a):\n    {after}\n" in mutations(f"def f(a):\n    {before}\n")


def test_every_mutation_is_a_program_of_its_own():
    """Letters of several bytes before it move nothing; messages and annotations stay."""
    source = SOURCE.replace("a * b", "a * b  # größer").replace("a + b", 'a + len("ä") - 1')
    found = mutations(source + "def f(a: 1):\n    raise ValueError(2)\n")
    assert len(set(found)) == len(found) >= 8
    for text in found:
        ast.parse(text)
        assert "a: 1" in text and "ValueError(2)" in text


@pytest.fixture
def package(tmp_path):
    for path, text in {
        "src/tiny/__init__.py": "",
        "src/tiny/room/__init__.py": "",
        "src/tiny/room/maths.py": SOURCE,
        "tests/room/test_maths.py": TESTS,
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = ['-p', 'no:randomly']\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


def test_what_tests_see_is_killed_and_the_rest_survives(package, capsys):
    """One mutation of each function; the source stays as it is."""
    arguments = ["--root", str(package), "--package", "tiny", "--rooms", "room"]
    fates = mutants.main([*arguments, "--count", "2", "--seed", "3"])
    assert {m.function: fate for m, fate in fates.items()} == {"total": "killed", "key": "survived"}
    printed = capsys.readouterr().out
    assert "-    return (a, b)" in printed and "1 killed, 1 survived, 0 timeout" in printed
    assert (package / "src/tiny/room/maths.py").read_text(encoding="utf-8") == SOURCE
    assert mutants.main([*arguments, "--count", "0"]) == {}


def test_a_test_that_fails_anyway_is_left_out(package, capsys):
    """Others of its file still see what they see."""
    more = "\ndef test_broken():\n    raise AssertionError('always - so')\n"
    path = package / "tests/room/test_maths.py"
    path.write_text(TESTS + more, encoding="utf-8")
    arguments = ["--root", str(package), "--package", "tiny", "--rooms", "room", "--count", "2"]
    fates = mutants.main([*arguments, "--seed", "3"])
    assert sorted(fates.values()) == ["killed", "survived"]
    capsys.readouterr()


def test_the_same_seed_chooses_the_same_mutations(package):
    given = {"root": package, "package": "tiny", "rooms": ["room"], "only": "", "count": 2}
    asked = [mutants.argparse.Namespace(**given, seed=seed) for seed in (1, 1, *range(2, 9))]
    random.seed(0)
    found = [mutants.chosen(package, each) for each in asked]
    assert found[0] == found[1]
    assert len({tuple(each) for each in found}) > 1
    asked[0].only = ":total"
    assert {m.function for m in mutants.chosen(package, asked[0])} == {"total"}
