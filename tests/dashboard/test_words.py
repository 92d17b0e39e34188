"""Every member of a closed set has words, and every code a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import pytest

from dashboard.reasons import NOT_TAKEN_REASONS, STATE_REASONS, reason_text, reason_with_age
from dashboard.words import (
    DOING_NOW,
    MODE_LABELS,
    OUTCOME_LABELS,
    PART_LABELS,
    PHASE_LABELS,
    START_MODE_LABELS,
    STATE_LABELS,
    TRIGGER_LABELS,
)
from fleet.domain.coldstart.start import Outcome, Phase, StartMode, Trigger
from fleet.domain.enginelog.phases import ORDER
from fleet.domain.ledger.codes import NotTakenRule, StateCode
from fleet.domain.ledger.delta import State
from fleet.domain.records.keys import Mode

TABLES: list[tuple[type[StrEnum], Mapping[Any, Any]]] = [
    (State, STATE_LABELS),
    (Mode, MODE_LABELS),
    (Phase, PHASE_LABELS),
    (Phase, DOING_NOW),
    (StartMode, START_MODE_LABELS),
    (Trigger, TRIGGER_LABELS),
    (Outcome, OUTCOME_LABELS),
    (StateCode, STATE_REASONS),
    (NotTakenRule, NOT_TAKEN_REASONS),
]


def test_every_sub_phase_has_words() -> None:
    assert tuple(PART_LABELS) == ORDER


@pytest.mark.parametrize(("members", "table"), TABLES)
def test_every_member_has_words(members: type[StrEnum], table: Mapping[Any, Any]) -> None:
    assert {member for member in members if not str(table.get(member, "")).strip()} == set()
    assert set(table) == set(members)


@pytest.mark.parametrize(
    ("code", "params", "text"),
    [
        pytest.param("asleep", {}, "Asleep; a request wakes it", id="no parameters"),
        pytest.param(
            "start-failed",
            {"phase": "pull-image", "class": "image-pull", "reason": "manifest unknown"},
            "Cannot start: the image cannot be pulled: manifest unknown",
            id="the cluster's own words after ours",
        ),
        pytest.param(
            "start-failed",
            {"phase": "load-engine", "class": "out-of-memory", "reason": ""},
            "Cannot start: out of memory",
            id="without words, the class",
        ),
        pytest.param(
            "start-failed",
            {
                "class": "unschedulable",
                "reason": "0/8 nodes are available: 1 Insufficient nvidia.com/gpu",
            },
            "Cannot start: no node has room: 1 Insufficient nvidia.com/gpu",
            id="the scheduler's opening is left out",
        ),
        pytest.param(
            "failed-start-beside",
            {"class": "bad-luck", "reason": ""},
            "Serving, and a further start fails: bad luck",
            id="an unknown class as words",
        ),
        pytest.param(
            "starting",
            {"trigger": "unknown", "phase": "load-engine"},
            "Loading the engine",
            id="an unknown trigger is not told",
        ),
        pytest.param(
            "starting",
            {"trigger": "scale-from-zero", "phase": "load-engine", "replicas": 1},
            "Woken from zero, loading the engine",
            id="what it does now",
        ),
        pytest.param(
            "ready", {"ready": 2, "desired": 3}, "Serving with 2 of 3 replicas", id="some missing"
        ),
        pytest.param("ready", {"ready": 3, "desired": 3}, "Serving", id="all there"),
        pytest.param(
            "revision-failed", {}, "Revision ? cannot serve: ?", id="missing parameters read ?"
        ),
        pytest.param("out-of-luck", {}, "out of luck", id="an unknown code as words"),
        pytest.param(
            "past-deadline",
            {"reason": "100%(x)s"},
            "Past its deadline and given up: 100%(x)s",
            id="a per cent sign in a message is only text",
        ),
    ],
)
def test_reason_text(code: str, params: dict[str, Any], text: str) -> None:
    assert reason_text(code, params) == text


def test_on_a_stale_cluster_the_reason_is_what_was_last_seen() -> None:
    assert reason_with_age("ready", {}, stale=True) == "Last seen: Serving"
