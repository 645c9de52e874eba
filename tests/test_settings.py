"""Settings set by attribute: in force in every thread, or refused."""

import threading

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.operator.scalar import naive
from nbgraph.settings import Settings, read_for_good
from tests.support import run_python

FIXED = {"parking", "cpu_name", "cpu_features", "engine", "gpu"}
OTHER = {
    "compiler": "numba",
    "cache_dir": "",
    "default_float": "float64",
    "storage_pool": "naive",
    "engine": "naive",
    "gpu": "none",
    "parking": "portable",
    "cpu_name": "generic",
    "cpu_features": "+sse2",
}


@pytest.fixture
def session():
    """What is set is taken back."""
    before = ng.config.current
    yield
    for name in NAMES - FIXED:
        setattr(ng.config, name, getattr(before, name))


NAMES = set(Settings.__dataclass_fields__)


def other(name):
    value = getattr(ng.config, name)
    if name in OTHER:
        return OTHER[name]
    return 0 if value == 1 and name != "temp_copies" else value + 1


@pytest.mark.parametrize("name", sorted(NAMES - FIXED))
@pytest.mark.usefixtures("session")
def test_what_is_set_is_in_force_in_every_thread(name):
    value, seen = other(name), []
    setattr(ng.config, name, value)
    thread = threading.Thread(target=lambda: seen.append(getattr(ng.config, name)))
    thread.start()
    thread.join()
    assert [getattr(ng.config, name), getattr(ng.config.current, name), *seen] == [value] * 3
    with ng.config(watchdog=5):
        assert getattr(ng.config, name) == (5 if name == "watchdog" else value)


@pytest.mark.parametrize("name", sorted(FIXED))
def test_what_has_been_read_for_good_is_refused(name):
    ng.engine.current()
    ng.num_gpus()
    value = OTHER[name] if getattr(ng.config, name) != OTHER[name] else "other"
    if value != "other":
        with pytest.raises(AttributeError, match=f"{name}='.*' would have no effect, .*; .*"):
            setattr(ng.config, name, value)
    setattr(ng.config, name, getattr(ng.config, name))  # nothing is asked for


@pytest.mark.parametrize("name, value", [("anomaly", 2), ("compiler", "gcc"), ("cache_dir", 3)])
def test_what_is_not_allowed_is_refused(name, value):
    before = getattr(ng.config, name)
    with pytest.raises(ValueError, match=f"config: {name}={value!r}; expected"):
        setattr(ng.config, name, value)
    assert getattr(ng.config, name) == before


@pytest.mark.parametrize("use", ["set", "read", "block"])
def test_an_unknown_setting_names_the_nearest(use):
    kind = TypeError if use == "block" else AttributeError
    with pytest.raises(kind, match="unknown setting 'anomoly'; did you mean 'anomaly'"):
        if use == "set":
            ng.config.anomoly = 1
        elif use == "read":
            _ = ng.config.anomoly
        else:
            ng.config(anomoly=1)


def test_within_a_block_nothing_is_set():
    with ng.config(anomaly=1), pytest.raises(AttributeError, match="set it outside"):
        ng.config.anomaly = 0
    assert ng.config.anomaly == 0


@pytest.mark.usefixtures("session")
def test_settings_that_are_set_have_their_effect(monkeypatch):
    """Those that calls look at, each by what it changes."""
    ng.config.anomaly = 1
    with pytest.raises(FloatingPointError, match="log"):
        ng.log(ng.array([-1.0])).wait_to_read()
    ng.config.anomaly = 0
    ng.config.default_float = "float64"
    assert ng.zeros(1).dtype == np.float64
    ng.config.engine_pending = 77
    assert ThreadedEngine().limits["pending"] == 77
    ng.config.compiler = "python"
    seen, run = [], naive.call
    monkeypatch.setattr(
        naive, "call", lambda *args, **how: (seen.append(args), run(*args, **how))[1]
    )
    ng.op(lambda x: x + 1)(np.ones(2))
    assert seen


def test_the_engine_may_be_set_before_the_first_push():
    code = (
        "import nbgraph as ng; ng.config.engine = 'naive'; ng.config.gpu = 'none'; "
        "print(ng.engine.current().kind, ng.num_gpus())"
    )
    assert run_python("-c", code).split() == ["naive", "0"]


def test_a_setting_is_read_for_good_once(monkeypatch):
    monkeypatch.setattr("nbgraph.settings._FIXED", {})
    read_for_good("watchdog", "restart")
    with pytest.raises(AttributeError, match="watchdog=3 would have no effect, .* restart"):
        ng.config.watchdog = 3


def test_numbers_are_those_of_compiled_code():
    for value in (10**22, 2**63):
        with pytest.raises(ValueError, match=f"engine_pending={value}; expected .*{2**63 - 1}"):
            ng.config(engine_pending=value)
    message = "NBGRAPH_ENGINE_PENDING=9{22}; expected 1 or more, at most"
    with pytest.raises(AssertionError, match=message):
        run_python("-c", "import nbgraph", NBGRAPH_ENGINE_PENDING="9" * 22)
    with pytest.raises(AssertionError, match="NBGRAPH_ENGINE='fast'; expected one of naive, "):
        run_python("-c", "import nbgraph", NBGRAPH_ENGINE="fast")


@pytest.mark.usefixtures("session")
def test_a_cache_folder_is_a_path(monkeypatch, tmp_path):
    """Of the user's home, where it says so."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NBGRAPH_CACHE_DIR", "~/mine")
    mine = str(tmp_path / "mine")
    assert Settings.from_environment().cache_dir == mine
    ng.config.cache_dir = "~/mine"
    assert ng.config.cache_dir == mine
    with ng.config(cache_dir="~/mine"):
        assert ng.config.cache_dir == mine
    with pytest.raises(ValueError, match="cache_dir='a.*b'; expected a string without null bytes"):
        ng.config.cache_dir = "a\0b"
    assert ng.config.cache_dir == mine


def test_a_variable_that_is_no_setting_is_named():
    code = """
import warnings
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    import nbgraph
print(*[each.message for each in seen])
"""
    known = {"NBGRAPH_ENGINE": "naive", "NBGRAPH_TEST_CACHE": "x", "NBGRAPH_GPU_COUNT": "2"}
    assert not run_python("-c", code, **known).strip()
    warning = run_python("-c", code, NBGRAPH_ENGIN="naive", **known)
    assert warning.startswith("environment: NBGRAPH_ENGIN has no effect; ")
    assert "did you mean 'engine'?" in warning and warning.count("environment") == 1
