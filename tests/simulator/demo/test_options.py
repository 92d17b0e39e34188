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
    for name, given in {"PORT": "8080", "SEED": "7", "CLUSTERS": "2", "MODELS": "12"}.items():
        monkeypatch.setenv(name, given)
    monkeypatch.setattr(os, "execv", lambda _, argv: started.extend(argv))
    call_command("demo")
    assert started[0] == sys.executable
    assert " ".join(started).endswith("--port 8080 --seed 7 --clusters 2 --models 12")
