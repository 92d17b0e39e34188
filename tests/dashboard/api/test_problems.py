"""Every error is a problem, and says what would do."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from dashboard.api.routes import clusters as cluster_routes
from tests.dashboard.api import rows
from tests.dashboard.api.conftest import Get


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        pytest.param("get", "nothing-here", 404, id="no such address"),
        pytest.param("get", "models/demo-a", 404, id="half a key"),
        pytest.param("get", "", 404, id="the root"),
        pytest.param("post", "models", 405, id="a list takes no POST"),
        pytest.param("delete", "actions/x", 405, id="nothing is deleted"),
        pytest.param("get", "models?page_size=0", 422, id="a page of nothing"),
        pytest.param("get", "models?page_size=501", 422, id="too large a page"),
        pytest.param("get", "models?page_size=ten", 422, id="no number"),
        pytest.param("get", "models?state=Sleepy", 422, id="a state that there is not"),
        pytest.param("get", "models?sort=best", 422, id="an order that there is not"),
        pytest.param("get", "models?cluster=a%00b", 422, id="a NUL"),
        pytest.param("get", "models?cluster=" + "&cluster=".join("x" * 51), 422, id="51 values"),
        pytest.param("get", "models?cursor=AAAA", 422, id="a cursor of nobody"),
        pytest.param("get", "cold-starts?since=yesterday", 422, id="no moment"),
        pytest.param("get", "cold-starts?since=2026-11-30T10:00:00", 422, id="no time zone"),
        pytest.param("get", "cold-starts?since=0001-01-01T00:00:00Z", 422, id="too long ago"),
        pytest.param("get", "cold-starts?since=1e308", 422, id="no year has this many seconds"),
        pytest.param(
            "get",
            "cold-starts?since=2026-11-30T10:00:00Z&until=2026-11-30T09:00:00Z",
            422,
            id="ends before it begins",
        ),
        pytest.param("get", "scale-events?model=pilot", 422, id="no key"),
    ],
)
def test_errors_are_problems(client: Client, method: str, path: str, status: int) -> None:
    response = getattr(client, method)(f"/api/v1/{path}")
    assert response["Content-Type"] == "application/problem+json"
    problem = response.json()
    assert response.status_code == problem["status"] == status
    assert problem["title"]
    assert problem["detail"]


def test_a_wrong_method_says_which_are_right(client: Client) -> None:
    assert "GET" in client.post("/api/v1/models")["Allow"]


def test_each_wrong_parameter_is_named(get: Get) -> None:
    _, problem = get("models", page_size=0, sort="best")
    assert [error["where"].split(".")[-1] for error in problem["errors"]] == ["page_size", "sort"]


def test_a_host_that_is_not_ours_is_a_problem_too(client: Client) -> None:
    response = client.get("/api/v1/models", headers={"Host": "evil.example"})
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")


def test_what_breaks_inside_tells_nothing_of_it(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_args: Any, **_more: Any) -> None:
        raise RuntimeError("the password is hunter2")

    monkeypatch.setattr(cluster_routes, "name_page", broken)
    response = client.get("/api/v1/clusters")
    assert response.status_code == 500
    assert "hunter2" not in response.content.decode()
    assert "failed method=GET path=/api/v1/clusters" in caplog.text


def test_pages_outside_the_api_keep_their_own_errors(client: Client) -> None:
    response = client.get("/no-such-page/")
    assert response["Content-Type"].startswith("text/html")


def test_hostile_values_are_cut_in_errors(get: Get) -> None:
    status, problem = get("scale-events", model=rows.HOSTILE * 3)
    assert status == 422
    assert len(problem["detail"]) <= 400
