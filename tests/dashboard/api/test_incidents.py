"""Incidents through the API."""

from __future__ import annotations

from typing import Any

import pytest

from fleet.domain.records.keys import ModelKey
from tests.dashboard.api import rows
from tests.dashboard.api.conftest import Get

OTHER = ModelKey("demo-b", "InferenceService", "rag", "reader")


def test_an_incident_has_the_contracts_shape(get: Get) -> None:
    started = rows.ago(590).isoformat()
    around = {
        "starts": [
            {"id": 91, "at": started, "ended_at": None},
            {"id": 90, "at": rows.ago(900).isoformat(), "ended_at": rows.ago(700).isoformat()},
        ],
        "actions": [{"id": "ac-1", "at": started}],
    }
    rows.incident(id=7, cause="gpu-oom", confidence=0.8, at_least=True, around=around)
    [item] = get("incidents")[1]["items"]
    assert (item["id"], item["model"], item["requests_lost"]) == (7, str(rows.PILOT), 9)
    assert item["by_hop"] == {"ingress": 0, "activator": 9, "container": None}
    assert (item["cause"], item["confidence"], item["at_least"]) == ("gpu-oom", 0.8, True)
    assert (item["cold_starts"], item["actions"]) == ([91], ["ac-1"])
    assert (item["started_at"], item["ended_at"]) == (
        "2026-11-30T11:50:00Z",
        "2026-11-30T11:52:00Z",
    )


def test_what_goes_on_tells_its_starts_and_actions_too(get: Get) -> None:
    start = rows.cold_start(at_s=580, outcome="running", ended_at=None, ready_at=None)
    rows.action(at_s=400)
    rows.incident(id=7, ended_at=None, around={"errors": {"activator/503": 9}})
    status, item = get("incidents/7")
    assert (status, item["ended_at"], item["cause"]) == (200, None, None)
    assert (item["cold_starts"], item["actions"]) == ([start.pk], ["action-pilot-1"])
    assert [each["id"] for each in item["around"]["starts"]] == [start.pk]
    assert (item["findings"], item["unread"]) == ([], [])


@pytest.mark.parametrize(
    ("query", "found"),
    [
        pytest.param({}, [3, 2, 1], id="newest first"),
        pytest.param({"ongoing": "true"}, [2], id="those that go on"),
        pytest.param({"ongoing": "false"}, [3, 1], id="those that are over"),
        pytest.param({"cluster": "demo-b"}, [3], id="one cluster"),
        pytest.param({"namespace": "chat"}, [2, 1], id="one namespace"),
        pytest.param({"model": str(rows.PILOT)}, [2, 1], id="one model"),
        pytest.param({"since": "2026-11-30T11:50:00Z"}, [3, 2], id="since is included"),
        pytest.param({"until": "2026-11-30T11:50:00Z"}, [1], id="until is not"),
    ],
)
def test_incidents_are_filtered(get: Get, query: dict[str, Any], found: list[int]) -> None:
    rows.incident(id=1, at_s=900)
    rows.incident(id=2, at_s=600, ended_at=None)
    rows.incident(OTHER, id=3, at_s=300)
    status, body = get("incidents", **query)
    assert (status, [item["id"] for item in body["items"]]) == (200, found)


def test_pages_give_each_incident_once(get: Get) -> None:
    for number in range(1, 8):
        rows.incident(id=number, at_s=600)
    seen: list[int] = []
    query: dict[str, Any] = {"page_size": 3}
    while query.get("cursor", "") is not None:
        _, body = get("incidents", **query)
        seen += [item["id"] for item in body["items"]]
        query["cursor"] = body["next"]
    assert seen == [7, 6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("scope", "found"),
    [
        pytest.param({"clusters": ["demo-b"]}, [3], id="by cluster"),
        pytest.param({"namespaces": ["chat"]}, [1], id="by namespace"),
    ],
)
def test_what_is_out_of_scope_does_not_exist(
    get: Get, client: Any, scope: dict[str, Any], found: list[int]
) -> None:
    rows.incident(id=1, at_s=900)
    rows.incident(OTHER, id=3, at_s=300)
    text = rows.token(rows.user(**scope), text="token-of-vera", role="viewer")
    headers = {"Authorization": f"Bearer {text}"}
    listed = client.get("/api/v1/incidents", headers=headers).json()["items"]
    assert [item["id"] for item in listed] == found
    hidden = {1, 3} - set(found)
    for number in hidden:
        assert client.get(f"/api/v1/incidents/{number}", headers=headers).status_code == 404


@pytest.mark.parametrize("number", ["0", "-1", "99999999999999999999", "8"])
def test_a_number_that_names_none(get: Get, number: str) -> None:
    rows.incident(id=7)
    assert get(f"incidents/{number}")[0] == 404
