"""A past that simulated clusters live through, and what they write down of it."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from simulator.past.rhythm import week_share
from simulator.past.writing import FOLLOWED
from simulator.store.resources import INFERENCESERVICES, NODES, PODS, REVISIONS
from tests.simulator.past.pasts import DAY, STANDARD, UNTIL, Lived, lived


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Lived:
    return lived(tmp_path_factory.mktemp("past"))


@pytest.mark.parametrize(
    ("busier", "quieter"),
    [
        pytest.param("2026-11-30T10:00", "2026-11-30T19:00", id="working hours over evenings"),
        pytest.param("2026-11-30T19:00", "2026-11-30T03:00", id="evenings over nights"),
        pytest.param("2026-11-30T10:00", "2026-11-29T10:00", id="a Monday over a Sunday"),
        pytest.param("2026-11-29T10:00", "2026-11-29T23:00", id="a Sunday's day over its night"),
    ],
)
def test_callers_keep_the_hours_of_people(busier: str, quieter: str) -> None:
    more, fewer = (
        week_share(datetime.fromisoformat(each).replace(tzinfo=UTC)) for each in (busier, quieter)
    )
    assert more > fewer > 0


def test_it_begins_with_whose_it_is_and_the_lists(day: Lived) -> None:
    first, *rest = day.messages()
    assert (first["resource"], first["type"]) == ("past", "BEGIN")
    assert first["object"] == {
        "cluster": "west", "until": "2026-11-30T18:00:00Z", "simulated": True,
    }  # fmt: skip
    assert datetime.fromisoformat(first["t"]) == UNTIL - DAY
    kinds = [each["type"] for each in rest]
    lists = kinds.index("ADDED")
    assert set(kinds[:lists]) == {"LIST"}
    assert "LIST" not in kinds[lists:]


def test_it_ends_with_how_far_it_goes(day: Lived) -> None:
    last = day.messages()[-1]
    assert (last["resource"], last["type"]) == ("past", "END")
    version = str(day.world.store.resource_version)
    assert last["object"] == {"resourceVersion": version, "then": "west.since.jsonl"}


def test_messages_follow_one_another_and_hold_only_what_is_followed(day: Lived) -> None:
    messages = day.messages()
    stamps = [each["t"] for each in messages]
    assert stamps == sorted(stamps)
    assert {each["resource"] for each in messages} <= {*FOLLOWED, "past", "pods/log"}
    objects = [each["object"] for each in messages if each["type"] in ("ADDED", "MODIFIED")]
    assert not any("managedFields" in each["metadata"] for each in objects)


def test_starts_come_by_day_not_by_night(day: Lived) -> None:
    hours = Counter(start.marks["pod_created"].hour in range(7, 18) for start in day.starts)
    assert hours[True] > 3 * hours[False] > 0
    assert {start.trigger for start in day.starts} >= {"rollout", "scale-from-zero"}


def test_every_ready_start_has_the_log_of_its_server(day: Lived) -> None:
    logs = {
        each["object"]["uid"]: each["object"] for each in day.messages() if each["type"] == "LOG"
    }
    ready = {start.pod_uid for start in day.starts if start.outcome == "ready"}
    assert ready <= logs.keys()
    some = next(iter(logs.values()))
    assert some["container"] == "kserve-container"
    assert all(datetime.fromisoformat(line.split(" ")[0]).tzinfo for line in some["lines"])
    assert any("startup complete" in line for line in some["lines"])


def test_the_world_goes_on_from_its_past_as_it_does_without_one(day: Lived) -> None:
    world = day.world
    assert world.timeline.now() == UNTIL
    assert world.autoscaler is not None
    assert (world.autoscaler.idle_tick_s, world.nodes.quiet) == (None, False)
    shown = {
        each["object"]["metadata"]["uid"] for each in day.messages() if each["type"] == "ADDED"
    }
    for resource in (INFERENCESERVICES, REVISIONS, PODS):
        now = {each["metadata"]["uid"] for each in world.store.list(resource)}
        assert now <= shown, f"{resource.plural} that the past does not know"


def test_a_past_has_a_newer_server_a_bad_revision_and_new_nodes(day: Lived) -> None:
    images = Counter(
        each["object"]["spec"]["predictor"]["model"]["image"]
        for each in day.messages()
        if each["resource"] == "inferenceservices" and each["type"] == "MODIFIED"
    )
    assert {image.rpartition(":")[2] for image in images} == {"v0.11.0", "v0.13.0"}
    assert "failed" in {start.outcome for start in day.starts}
    pools = {each["metadata"]["labels"].get("pool") for each in day.world.store.list(NODES)}
    assert "h100-west" in pools


def test_standard_mode_has_jobs_by_the_clock(tmp_path: Path) -> None:
    past = lived(tmp_path, STANDARD, name="south", knative=None)
    jobs = [start for start in past.starts if start.model == "night-batch"]
    assert len(jobs) == 3
    assert {start.trigger for start in jobs} == {"scale-from-zero"}
