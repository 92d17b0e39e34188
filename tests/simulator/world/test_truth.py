"""Some sixty starts of every form in virtual time, measured as they were: the quick part of
`make truth`, which looks at ten times as many."""

from __future__ import annotations

import json

import pytest

from benchmarks.truth_virtual import lived, report
from simulator.world.busy import busy_plans

HOURS = 0.09
STARTS_AT_LEAST = 40


@pytest.mark.timeout(600)
def test_starts_of_busy_clusters_are_measured_as_they_were(
    capsys: pytest.CaptureFixture[str],
) -> None:
    clusters = [lived(plan, HOURS) for plan in busy_plans(seed=7)]
    report(clusters, at_least=STARTS_AT_LEAST)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line["name"] for line in lines if line["ok"] is False} == set()
