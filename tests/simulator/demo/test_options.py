"""What `make demo` may be asked for."""

from __future__ import annotations

import os
import sys

import pytest
from django.core.management import CommandError, call_command


@pytest.mark.parametrize(
    ("name", "given", "bounds"),
    [
        pytest.param("PORT", "abc", "from 0 to 65535", id="a port that is no number"),
        pytest.param("PORT", "70000", "from 0 to 65535", id="a port that does not exist"),
        pytest.param("PORT", "-1", "from 0 to 65535", id="a negative port"),
        pytest.param("CLUSTERS", "0", "from 1 to 26", id="no cluster"),
        pytest.param("CLUSTERS", "27", "from 1 to 26", id="more clusters than letters"),
        pytest.param("MODELS", "-3", "from 1 to 5000", id="fewer models than none"),
        pytest.param("WORLD", "flat", "demo, faulty, healthy", id="a world of no name"),
        pytest.param("HISTORY", "week", "days or hours up to 30d", id="a past of no length"),
    ],
)
def test_refused_with_the_bounds_named(
    monkeypatch: pytest.MonkeyPatch, name: str, given: str, bounds: str
) -> None:
    monkeypatch.setenv(name, given)
    monkeypatch.setattr(os, "execv", lambda *_: pytest.fail("started"))
    with pytest.raises(CommandError, match=bounds):
        call_command("demo")


def test_variables_become_options_of_the_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    variables = {"PORT": "8080", "SEED": "7", "CLUSTERS": "2", "MODELS": "12", "HISTORY": "7d"}
    variables["WORLD"] = "faulty"
    for name, given in variables.items():
        monkeypatch.setenv(name, given)
    monkeypatch.setattr(os, "execv", lambda _, argv: started.extend(argv))
    call_command("demo")
    assert started[0] == sys.executable
    assert "--history 7d --world faulty" in " ".join(started)
    assert " ".join(started).endswith("--port 8080 --seed 7 --clusters 2 --models 12")


@pytest.mark.parametrize("given", [None, ""], ids=["not said", "said empty, as make does"])
def test_no_past_unless_asked_for(monkeypatch: pytest.MonkeyPatch, given: str | None) -> None:
    started: list[str] = []
    if given is None:
        monkeypatch.delenv("HISTORY", raising=False)
    else:
        monkeypatch.setenv("HISTORY", given)
    monkeypatch.setattr(os, "execv", lambda _, argv: started.extend(argv))
    call_command("demo")
    assert "--history 0h" in " ".join(started)
