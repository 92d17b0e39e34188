"""From which series exist to what can be told, and what to switch on."""

from datetime import UTC, datetime
from typing import Any

import pytest

from fleet.domain.requests import eras
from fleet.domain.requests.facts import facts_of
from fleet.domain.requests.found import ENGINE_LAST, Found
from fleet.domain.requests.moves import Role, sight_of
from fleet.domain.requests.records import Era, Hop, MetricsFacts

NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
ACTIVATOR = {
    f"{eras.SERVER}_count": {"activator"},
    f"{eras.CLIENT}_count": {"activator"},
    "kn_activator_stats_conn_reachable": {"activator"},
    "kn_revision_pods_count": {"autoscaler"},
}
QUEUE = {
    f"{eras.SERVER}_count": {"activator", "queue"},
    f"{eras.CLIENT}_count": {"activator", "queue"},
    "kn_serving_invocation_duration_seconds_count": {"queue"},
}
WHOLE = ACTIVATOR | QUEUE
OLD = {
    "activator_request_count": {"activator"},
    "revision_request_count": {"pods"},
    "revision_app_request_count": {"pods"},
    "autoscaler_actual_pods": {"autoscaler"},
}
AROUND = {"up": {"x"}, "istio_requests_total": {"istio"}, "vllm:num_requests_running": {"vllm"}}


def told(jobs: dict[str, set[str]], **more: Any) -> MetricsFacts:
    given: dict[str, Any] = {"activator_named": True, "identities": ("relabelled",)}
    return facts_of(Found(source="prometheus", asked_at=NOW, jobs=jobs, **given | more))


def codes(facts: MetricsFacts) -> list[str]:
    return [advice.code for advice in facts.advice]


@pytest.mark.parametrize(
    ("jobs", "era"),
    [
        pytest.param(WHOLE, Era.OPENTELEMETRY, id="from 1.21"),
        pytest.param(ACTIVATOR, Era.OPENTELEMETRY, id="the activator alone"),
        pytest.param(
            ACTIVATOR | {"kn_queueproxy_app_duration_seconds_count": {"queue"}},
            Era.TRANSITION,
            id="1.19 to 1.20",
        ),
        pytest.param(OLD, Era.OPENCENSUS, id="up to 1.18"),
        pytest.param(OLD | WHOLE, Era.OPENTELEMETRY, id="after an upgrade old names linger"),
        pytest.param({}, Era.NONE, id="no Knative"),
    ],
)
def test_the_era_is_found_by_names(jobs: dict[str, set[str]], era: Era) -> None:
    assert told(jobs).era is era


def test_a_role_is_there_where_its_name_has_samples_in_its_program() -> None:
    facts = told(WHOLE | AROUND)
    assert facts.jobs[Role.ACTIVATOR] == ("activator",)
    assert facts.jobs[Role.ASKED] == ("queue",)
    assert Role.ENGINE not in facts.jobs
    assert sight_of(facts).ingress == "istio"
    assert facts.told == {Hop.INGRESS, Hop.ACTIVATOR, Hop.QUEUE_PROXY, Hop.CONTAINER}


@pytest.mark.parametrize(
    ("identities", "way"),
    [
        pytest.param({"relabelled", "pod", "target-info"}, "relabelled", id="named by the scrape"),
        pytest.param({"pod", "target-info"}, "pod", id="by pod before by a join"),
        pytest.param({"target-info"}, "target-info", id="by a join"),
    ],
)
def test_how_queue_proxy_names_its_revision(identities: set[str], way: str) -> None:
    assert told(WHOLE, identities=identities).queue_proxy == way


@pytest.mark.parametrize(
    ("jobs", "more", "advice"),
    [
        pytest.param(WHOLE | AROUND, {}, [], id="everything is there"),
        pytest.param(AROUND, {"knative": "1.21"}, ["metrics-off"], id="Knative without metrics"),
        pytest.param(AROUND, {}, [], id="no Knative, no advice on it"),
        pytest.param(
            ACTIVATOR | AROUND, {"pods": True}, ["request-metrics-off"], id="pods, but no counts"
        ),
        pytest.param(ACTIVATOR | AROUND, {}, [], id="everybody sleeps: nobody can know"),
        pytest.param(
            WHOLE | AROUND,
            {"identities": ()},
            ["no-queue-proxy-identity"],
            id="counts of nobody",
        ),
        pytest.param(
            WHOLE | AROUND | {f"{eras.CLIENT}_count": {"activator"}},
            {},
            ["client-metrics-dropped"],
            id="the clean witness is dropped",
        ),
        pytest.param(
            {name: jobs for name, jobs in QUEUE.items() if "kn_" in name}
            | {f"{eras.SERVER}_count": {"queue"}, f"{eras.CLIENT}_count": {"queue"}}
            | AROUND,
            {},
            ["no-activator-metrics"],
            id="held calls are not counted",
        ),
        pytest.param(
            WHOLE | AROUND,
            {"activator_named": False, "knative": "1.19.1"},
            ["activator-labels-lost"],
            id="a defect of 1.19.0 to 1.19.2",
        ),
        pytest.param(
            AROUND | {"kn.queueproxy.app.duration_seconds_count": {"queue"}},
            {},
            ["dotted-names"],
            id="names with dots",
        ),
        pytest.param(WHOLE, {}, ["no-ingress-metrics", "no-vllm", "no-up"], id="Knative alone"),
    ],
)
def test_advice(jobs: dict[str, set[str]], more: dict[str, Any], advice: list[str]) -> None:
    assert codes(told(jobs, **more)) == advice


def test_switching_on_request_metrics_restarts_every_pod() -> None:
    facts = told(ACTIVATOR | AROUND, pods=True)
    assert [advice.rolls_pods for advice in facts.advice] == [True]
    assert Hop.QUEUE_PROXY not in facts.told


@pytest.mark.parametrize(
    ("jobs", "more", "found"),
    [
        pytest.param({}, {}, ("", "", ""), id="nothing"),
        pytest.param(
            {"envoy_cluster_upstream_rq": {"k"}},
            {"envoy": {"kourier"}},
            ("kourier", "", ""),
            id="Kourier by its clusters' names",
        ),
        pytest.param(
            {"envoy_cluster_upstream_rq": {"e"}, "inference_pool_ready_pods": {"epp"}},
            {"envoy": {"envoy-gateway"}},
            ("envoy-gateway", "inference_objective", ""),
            id="Envoy Gateway, and a picker that had no error yet",
        ),
        pytest.param(
            {"nginx_ingress_controller_requests": {"n"}, "inference_model_request_total": {"epp"}},
            {},
            ("nginx", "inference_model", ""),
            id="nginx, and a picker of the older names",
        ),
        pytest.param(
            {"vllm_num_requests_running": {"v"}, "http_requests_total": {"v", "web"}},
            {"last_bound": 60.0},
            ("", "", "vllm_"),
            id="vLLM under the other prefix",
        ),
    ],
)
def test_what_stands_around(
    jobs: dict[str, set[str]], more: dict[str, Any], found: tuple[str, str, str]
) -> None:
    facts = told(jobs, **more)
    assert (facts.ingress, facts.picker, facts.vllm) == found


def test_a_servers_own_count_is_that_of_its_jobs_alone() -> None:
    jobs = {"vllm:num_requests_running": {"v"}, "http_requests_total": {"v", "web"}}
    facts = told(jobs, last_bound=60.0)
    assert facts.jobs[Role.ENGINE] == ("v",)
    assert facts.jobs[ENGINE_LAST] == ("60.0",)
