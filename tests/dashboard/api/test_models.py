"""`GET models` and `models/{key}`: shape, filters, order, pages."""

from __future__ import annotations

from typing import Any

import pytest

from fleet.domain.records.keys import ModelKey
from tests.dashboard.api import rows
from tests.dashboard.api.conftest import Get


def key(name: str, *, cluster: str = "demo-a", namespace: str = "chat") -> ModelKey:
    return ModelKey(cluster, "InferenceService", namespace, name)


def names(body: Any) -> list[str]:
    return [item["name"] for item in body["items"]]


def test_a_model_has_the_contracts_shape(get: Get) -> None:
    rows.cluster(age_s=1.2)
    rows.served_model(
        revision="pilot-00001",
        revision_uid="r1",
        revision_created_at=rows.ago(3600),
        traffic=[{"revision": "pilot-00001", "percent": 100, "tag": "", "latest": True}],
        probe_starting_1h=9,
    )
    status, body = get("models")
    assert (status, body["next"]) == (200, None)
    [model] = body["items"]
    assert model["key"] == "demo-a/InferenceService/chat/pilot"
    assert model["replicas"] == {"ready": 1, "desired": 1, "min": 0, "max": 3}
    assert model["revision"] == {
        "name": "pilot-00001",
        "uid": "r1",
        "traffic_percent": 100,
        "created_at": "2026-11-30T11:00:00Z",
    }
    assert model["probe_failures_1h"] == {"starting": 9, "serving": 0, "at_least": True}
    assert (model["errors"], model["finding"], model["environment"]) == (None, None, None)
    assert model["data_age_s"] == 1.2


def test_a_start_in_flight_is_as_of_now(get: Get) -> None:
    flight = {"id": 91, "phase": "load-engine", "eta_p50_s": 73.0, "eta_p95_s": None}
    kept = {"started_at": rows.ago(31).isoformat(), "elapsed_s": 11.0, "late_after_s": 30.0}
    figures: dict[str, Any] = {"count_7d": 24, "failed_7d": 1, "p50_s": 84.0, "p95_s": 171.0}
    rows.served_model(in_flight=[flight | kept], **figures)
    [model] = get("models")[1]["items"]
    [in_flight] = model["cold_start"].pop("in_flight")
    assert model["cold_start"] == figures | {"last": None}
    told = flight | {"elapsed_s": 31.0, "eta_p50_s": 53.0}
    assert {key: in_flight[key] for key in told} == told
    assert (in_flight["late"], in_flight["late_reason"]) == ("late", "past-p95")
    assert (in_flight["eta_from"], in_flight["eta_confidence"]) == (None, "none")


@pytest.mark.parametrize("path", ["models", f"models/{rows.PILOT}"])
def test_the_last_start_comes_as_it_is_kept(get: Get, path: str) -> None:
    kept = {"id": 7, "total_s": 84.5, "phases": [{"phase": "decide", "seconds": 1.5}], "node": "é"}
    rows.served_model(last_start=kept)
    body = get(path)[1]
    [model] = body.get("items", [body])
    assert model["cold_start"]["last"] == kept


@pytest.mark.parametrize(
    ("query", "found"),
    [
        pytest.param({}, ["a", "b", "c"], id="no filter: all that are present, by key"),
        pytest.param({"cluster": "demo-b"}, ["c"], id="one cluster"),
        pytest.param({"cluster": ["demo-a", "demo-b"]}, ["a", "b", "c"], id="either cluster"),
        pytest.param({"namespace": "rag"}, ["b"], id="one namespace"),
        pytest.param({"team": "search"}, ["a"], id="one team"),
        pytest.param({"environment": "prod"}, ["a"], id="one environment"),
        pytest.param({"mode": "Standard"}, ["b"], id="one mode"),
        pytest.param({"state": "Warm"}, ["a"], id="a state, where data is fresh"),
        pytest.param({"state": "Failing"}, [], id="a state under data that is too old"),
        pytest.param({"state": "Unknown"}, ["c"], id="Unknown is data that is too old"),
        pytest.param({"state": ["Unknown", "Cold"]}, ["b", "c"], id="Unknown or another"),
        pytest.param({"q": "SEAR"}, ["a"], id="text in the team, in any case"),
        pytest.param({"q": "%"}, [], id="a wildcard is only a letter"),
        pytest.param({"q": "c", "namespace": "chat"}, ["a", "c"], id="filters narrow each other"),
    ],
)
def test_models_are_filtered(get: Get, query: dict[str, Any], found: list[str]) -> None:
    rows.cluster("demo-a")
    rows.cluster("demo-b", age_s=61)
    rows.served_model(key("a"), team="search", environment="prod")
    rows.served_model(key("b", namespace="rag"), state="Cold", mode="Standard")
    rows.served_model(key("c", cluster="demo-b"), state="Failing")
    rows.served_model(key("gone"), gone_at=rows.ago(5))
    status, body = get("models", **query)
    assert (status, names(body)) == (200, found)


@pytest.mark.parametrize(
    ("age_s", "state"),
    [
        pytest.param(60, "Warm", id="60 s is not yet too old"),
        pytest.param(60.5, "Unknown", id="over 60 s is"),
        pytest.param(None, "Unknown", id="never in step is"),
    ],
)
def test_old_data_is_unknown_in_word_and_filter(get: Get, age_s: float | None, state: str) -> None:
    rows.cluster(age_s=age_s)
    rows.served_model()
    [model] = get("models")[1]["items"]
    assert (model["state"], model["data_age_s"]) == (state, age_s)
    assert names(get("models", state=state)[1]) == ["pilot"]


def test_a_model_of_a_cluster_that_is_not_there_is_unknown(get: Get) -> None:
    rows.served_model()
    [model] = get("models", state="Unknown")[1]["items"]
    assert (model["state"], model["data_age_s"]) == ("Unknown", None)


@pytest.mark.parametrize("page_size", [1, 2, 3, 7, 8, 500])
def test_pages_give_every_model_once_in_the_order_of_keys(get: Get, page_size: int) -> None:
    rows.cluster()
    keys = [key(f"m{n}", namespace=space) for space in ("chat", "rag") for n in range(3)]
    for one in reversed(keys):
        rows.served_model(one)
    # Two objects that bore one name: both present while the cluster says so.
    rows.served_model(keys[0], model_uid="another")
    seen: list[str] = []
    query: dict[str, Any] = {"page_size": page_size}
    while True:
        status, body = get("models", **query)
        assert status == 200
        seen += [item["key"] for item in body["items"]]
        if body["next"] is None:
            break
        query["cursor"] = body["next"]
    assert seen == [str(keys[0]), *(str(one) for one in keys)]


def test_worst_first_gives_page_one_only(get: Get) -> None:
    rows.cluster()
    rows.served_model(key("fine"))
    rows.served_model(key("bad"), state="Failing", rank=0)
    status, body = get("models", sort="worst", page_size=1)
    assert (status, names(body), body["next"]) == (200, ["bad"], None)
    cursor = get("models", page_size=1)[1]["next"]
    status, problem = get("models", sort="worst", cursor=cursor)
    assert status == 422
    assert "page one only" in problem["detail"]


def test_one_model_has_its_revisions_newest_first(get: Get) -> None:
    rows.cluster()
    rows.served_model()
    rows.revision(number=1, traffic_percent=None, gone_at=rows.ago(10))
    rows.revision(number=2)
    rows.revision(number=3, model_uid="an object of this name before")
    status, body = get("models/demo-a/InferenceService/chat/pilot")
    assert status == 200
    assert [one["name"] for one in body["revisions"]] == ["pilot-00002", "pilot-00001"]
    assert body["revisions"][1]["gone_at"] == "2026-11-30T11:59:50Z"
    assert (body["findings"], body["lint"], body["diagnosed_at"]) == ([], [], None)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("models/demo-a/InferenceService/chat/nobody", id="no such name"),
        pytest.param("models/demo-a/Deployment/chat/pilot", id="no such kind"),
        pytest.param("models/demo-a/InferenceService/chat/gone", id="a model that is gone"),
        pytest.param("models/demo-a/InferenceService/chat/pi%00lot", id="a NUL in the name"),
        pytest.param("models/demo-a/InferenceService/chat/nobody/cold-starts", id="its starts"),
        pytest.param("models/demo-a/InferenceService/chat/nobody/timeline", id="its timeline"),
    ],
)
def test_what_is_not_there_is_404(get: Get, path: str) -> None:
    rows.cluster()
    rows.served_model()
    rows.served_model(key("gone"), gone_at=rows.ago(5))
    status, problem = get(path)
    assert (status, problem["status"]) == (404, 404)


def test_hostile_text_comes_back_as_it_was(get: Get) -> None:
    rows.cluster()
    rows.served_model(state_code=rows.HOSTILE[:60], served_names=[rows.HOSTILE])
    [model] = get("models", q="pilot")[1]["items"]
    assert model["served_names"] == [rows.HOSTILE]
