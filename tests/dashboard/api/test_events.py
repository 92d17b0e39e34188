"""Lists by time: cold starts, scale events, probe failures, actions, clusters."""

from __future__ import annotations

from typing import Any

import pytest

from fleet.domain.records.keys import ModelKey
from tests.dashboard.api import rows
from tests.dashboard.api.conftest import Get

OTHER = ModelKey("demo-b", "InferenceService", "rag", "reader")


def test_a_start_has_the_contracts_shape(get: Get) -> None:
    rows.cold_start(outcome="failed", failure_class="crash", failure_reason="exit 1", node="")
    [start] = get("cold-starts")[1]["items"]
    assert start["model"] == str(rows.PILOT)
    assert start["failure"] == {"class": "crash", "reason": "exit 1"}
    assert (start["node"], start["first_answer_at"], start["requests_lost"]) == (None, None, None)
    assert [phase["phase"] for phase in start["phases"]] == ["load-engine"]
    assert start["total_s"] == 84.0


@pytest.mark.parametrize(
    ("query", "found"),
    [
        pytest.param({}, [3, 2, 1], id="newest first"),
        pytest.param({"outcome": "ready"}, [3, 1], id="one outcome"),
        pytest.param({"outcome": ["ready", "failed"]}, [3, 2, 1], id="either outcome"),
        pytest.param({"trigger": "rollout"}, [2], id="one trigger"),
        pytest.param({"start_mode": "cold"}, [3], id="one start mode"),
        pytest.param({"node": "gpu-9"}, [1], id="one node"),
        pytest.param({"revision": "reader-00001"}, [3], id="one revision"),
        pytest.param({"cluster": "demo-b"}, [3], id="one cluster"),
        pytest.param({"namespace": "chat"}, [2, 1], id="one namespace"),
        pytest.param({"since": "2026-11-30T11:58:20Z"}, [3, 2], id="since is included"),
        pytest.param({"until": "2026-11-30T11:58:20Z"}, [1], id="until is not"),
        pytest.param({"since": "2026-11-30T12:58:20+01:00"}, [3, 2], id="another zone"),
    ],
)
def test_starts_are_filtered(get: Get, query: dict[str, Any], found: list[int]) -> None:
    rows.cold_start(id=1, at_s=200, node="gpu-9")
    rows.cold_start(id=2, at_s=100, outcome="failed", trigger="rollout")
    rows.cold_start(OTHER, id=3, at_s=50, start_mode="cold")
    status, body = get("cold-starts", **query)
    assert (status, [item["id"] for item in body["items"]]) == (200, found)


def test_a_models_starts_are_its_own(get: Get) -> None:
    rows.served_model(gone_at=rows.ago(1))
    rows.cold_start(id=1)
    rows.cold_start(OTHER, id=2)
    status, body = get(f"models/{rows.PILOT}/cold-starts", outcome="ready")
    assert (status, [item["id"] for item in body["items"]]) == (200, [1])


def test_pages_by_time_give_each_row_once_even_at_one_moment(get: Get) -> None:
    for number in range(1, 8):
        rows.cold_start(id=number, at_s=100, replica_uid=f"pod-{number}")
    seen: list[int] = []
    query: dict[str, Any] = {"page_size": 3}
    while query.get("cursor", "") is not None:
        _, body = get("cold-starts", **query)
        seen += [item["id"] for item in body["items"]]
        query["cursor"] = body["next"]
    assert seen == [7, 6, 5, 4, 3, 2, 1]


def test_a_cursor_keeps_to_its_filters_place(get: Get) -> None:
    for number in range(1, 4):
        rows.cold_start(id=number, at_s=100 * number, replica_uid=f"pod-{number}")
    cursor = get("cold-starts", page_size=1)[1]["next"]
    assert get("scale-events", cursor=cursor)[0] == 422
    assert [s["id"] for s in get("cold-starts", cursor=cursor)[1]["items"]] == [2, 3]


def test_a_scale_event_has_the_contracts_shape(get: Get) -> None:
    rows.scale_event(at_s=60)
    [event] = get("scale-events")[1]["items"]
    assert event == {
        "at": "2026-11-30T11:59:00Z",
        "model": str(rows.PILOT),
        "revision": "pilot-00001",
        "from": 0,
        "to": 1,
        "desired": 1,
        "kind": "from-zero",
        "source": "podautoscaler",
        "cause": "demand",
        "actor": None,
    }


def test_a_probe_failure_has_the_contracts_shape(get: Get) -> None:
    rows.probe_failure(at_s=60, message=rows.HOSTILE)
    [failure] = get("probe-failures")[1]["items"]
    assert failure == {
        "at": "2026-11-30T11:59:00Z",
        "first_at": "2026-11-30T11:58:00Z",
        "model": str(rows.PILOT),
        "replica": "pilot-abcde",
        "container": "queue-proxy",
        "about": "kserve-container",
        "probe": "readiness",
        "while": "starting",
        "count": 9,
        "message": rows.HOSTILE,
    }


@pytest.mark.parametrize("path", ["scale-events", "probe-failures"])
def test_events_can_be_asked_of_one_model(get: Get, path: str) -> None:
    for key in (rows.PILOT, OTHER):
        rows.scale_event(key)
        rows.probe_failure(key)
    status, body = get(path, model=str(OTHER), since="2026-11-30T00:00:00Z")
    assert (status, [item["model"] for item in body["items"]]) == (200, [str(OTHER)])


def test_actions_come_with_their_steps(get: Get) -> None:
    for number in range(1, 4):
        rows.action(number=number, at_s=100 - number)
    status, body = get("actions", page_size=2)
    assert (status, [a["id"] for a in body["items"]]) == (200, ["action-pilot-3", "action-pilot-2"])
    assert body["items"][0]["steps"] == [
        {"state": "queued", "at": "2026-11-30T11:58:23Z", "evidence": "asked for"}
    ]
    _, rest = get("actions", page_size=2, cursor=body["next"])
    assert ([a["id"] for a in rest["items"]], rest["next"]) == (["action-pilot-1"], None)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        pytest.param("actions/action-pilot-1", 200, id="by its id"),
        pytest.param("actions/none", 404, id="no such action"),
        pytest.param("actions/a%00b", 404, id="a NUL"),
        pytest.param("actions/" + "x" * 3000, 404, id="a very long id"),
    ],
)
def test_one_action(get: Get, path: str, status: int) -> None:
    rows.action()
    assert get(path)[0] == status


def test_a_cluster_has_the_contracts_shape(get: Get) -> None:
    rows.cluster(
        age_s=0.8, knative="1.21", missing=[{"permission": "pods/log", "costs": "engine phases"}]
    )
    rows.cluster("demo-z", removed_at=rows.ago(5))
    rows.served_model()
    rows.served_model(OTHER)
    assert get("clusters")[1] == {
        "items": [
            {
                "name": "demo-a",
                "state": "live",
                "data_age_s": 0.8,
                "kubernetes": "1.36",
                "kserve": None,
                "knative": "1.21",
                "metric_era": None,
                "missing": [{"permission": "pods/log", "costs": "engine phases"}],
                "models": 1,
                "not_taken_for_vllm": 0,
                "read_only": False,
            }
        ],
        "next": None,
    }


def test_clusters_are_paged_by_name(get: Get) -> None:
    for name in ("c", "a", "b"):
        rows.cluster(name)
    _, first = get("clusters", page_size=2)
    _, second = get("clusters", page_size=2, cursor=first["next"])
    assert [item["name"] for item in first["items"] + second["items"]] == ["a", "b", "c"]
