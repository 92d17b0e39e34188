"""The table of queries, by what is found on a cluster. Whether they answer rightly is for a real
Prometheus to say (test_prometheus.py)."""

from datetime import UTC, datetime
from typing import Any

import pytest

from fleet.adapters.prometheus.queries import queries_of
from fleet.domain.requests import eras
from fleet.domain.requests.eras import Program
from fleet.domain.requests.found import ENGINE_LAST
from fleet.domain.requests.moves import Role
from fleet.domain.requests.records import Era, MetricsFacts

KNATIVE = {
    Role.ACTIVATOR: ("activator",),
    Role.TRIED: ("activator",),
    Role.QUEUE_PROXY: ("queue",),
    Role.ASKED: ("queue",),
    Role.APP: ("queue",),
}
OLD = {Role.ACTIVATOR: ("a",), Role.QUEUE_PROXY: ("q",), Role.APP: ("q",)}
ENGINE = {Program.VLLM: ("vllm",), Role.ENGINE: ("vllm",), ENGINE_LAST: ("7680.0",)}
AROUND = {Program.INGRESS: ("i",), Program.PICKER: ("p",)}


def asked(**known: Any) -> dict[str, str]:
    """Queries by what they ask for."""
    at = datetime(2026, 11, 30, tzinfo=UTC)
    facts = MetricsFacts(source="prometheus", asked_at=at, **known)
    return {query.about: query.promql for query in queries_of(facts)}


EVERYTHING: dict[str, Any] = {
    "era": Era.OPENTELEMETRY,
    "queue_proxy": "relabelled",
    "ingress": eras.ENVOY_GATEWAY,
    "picker": "inference_objective",
    "vllm": "vllm:",
    "jobs": KNATIVE | ENGINE | AROUND,
}


@pytest.mark.parametrize("ingress", [eras.ISTIO, eras.KOURIER, eras.ENVOY_GATEWAY, eras.NGINX])
@pytest.mark.parametrize(
    ("era", "jobs"),
    [(Era.OPENCENSUS, OLD), (Era.TRANSITION, KNATIVE), (Era.OPENTELEMETRY, KNATIVE)],
)
def test_never_more_than_twelve(ingress: str, era: Era, jobs: dict[str, tuple[str, ...]]) -> None:
    found = asked(**EVERYTHING | {"ingress": ingress, "era": era, "jobs": jobs | ENGINE | AROUND})
    assert 10 <= len(found) <= 12


def test_nothing_found_nothing_asked() -> None:
    assert asked() == {}


@pytest.mark.parametrize(
    ("about", "parts"),
    [
        pytest.param(
            "activator counts",
            ['job=~"activator"', 'kn_revision_name=~".+"', "http_response_status_code)"],
            id="only series of revisions: the rest are calls to the API server",
        ),
        pytest.param("queue-proxy counts", ["server_port)", 'job=~"queue"'], id="the way it came"),
        pytest.param("app counts", ["kn_serving_invocation_duration_seconds_count"], id="its era"),
        pytest.param(
            "envoy-gateway counts",
            [
                '"figure", "ingress-code"',
                '"figure", "ingress-left"',
                '"figure", "ingress-hint-504"',
            ],
            id="several figures in one question are told apart",
        ),
        pytest.param("vLLM counts", ['method="POST"', 'job=~"vllm"'], id="probes are GETs"),
        pytest.param("requests in vLLM", ["max_over_time(vllm:num_requests_waiting"], id="depths"),
    ],
)
def test_what_is_asked(about: str, parts: list[str]) -> None:
    query = asked(**EVERYTHING)[about]
    assert [part for part in parts if part not in query] == []


def test_one_job_for_activator_and_queue_proxies_is_told_apart_by_the_routes_tag() -> None:
    jobs = dict.fromkeys(KNATIVE, ("pods",))
    found = asked(era=Era.OPENTELEMETRY, queue_proxy="relabelled", jobs=jobs)
    assert 'kn_route_tag=""' in found["activator counts"]
    assert 'kn_route_tag!=""' in found["queue-proxy counts"]


def test_the_oldest_eras_names_are_nobody_elses() -> None:
    query = asked(era=Era.OPENCENSUS, queue_proxy="relabelled", jobs=OLD)["queue-proxy counts"]
    assert "last_over_time(revision_request_count[30s])" in query
    assert "sum by (namespace_name, revision_name, response_code)" in query


def test_a_join_only_where_nothing_else_tells_the_revision() -> None:
    known = EVERYTHING | {"queue_proxy": "target-info"}
    assert "group_left" in asked(**known)["queue-proxy counts"]
    assert "group_left" not in asked(**known)["activator counts"]
    assert "group_left" not in asked(**EVERYTHING)["queue-proxy counts"]
