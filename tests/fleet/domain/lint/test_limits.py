"""Time limits against starts: PL001, PL003, PL007, PL021, PL023, PL027, PL028."""

from __future__ import annotations

import pytest

from fleet.domain.lint.measured import Lengths, Measured
from fleet.domain.lint.reading.settings_of import settings_from_objects
from fleet.domain.lint.table import lint
from tests.fleet.domain.lint.objects import (
    DEADLINE,
    STARTUP,
    Raw,
    config,
    deployment,
    few,
    isvc,
    linted,
    llm,
    revision,
    severity,
    took,
)

LIMITS = config("config-deployment", progress_deadline="600s")
TIMES = config("config-defaults", revision_timeout_seconds="300")
ASLEEP = isvc(minReplicas=0)


@pytest.mark.parametrize(
    ("objects", "total", "says"),
    [
        pytest.param([isvc(), LIMITS], took(700), "error", id="longer than the cluster's deadline"),
        pytest.param([isvc()], took(700), "warning", id="the cluster's deadline was not read"),
        pytest.param([isvc(), LIMITS], took(600), None, id="as long as the deadline"),
        pytest.param([isvc(), LIMITS], few(700), "error", id="the longest of three"),
        pytest.param([isvc(), LIMITS], None, None, id="not measured"),
        pytest.param(
            [isvc(notes={DEADLINE: "30m"}), LIMITS], took(700), None, id="a longer one is set"
        ),
        pytest.param([isvc(notes={DEADLINE: "5m"})], took(400), "error", id="a shorter one is set"),
        pytest.param([isvc(mode="Standard")], took(700), "warning", id="Standard: fixed"),
        pytest.param([llm()], took(700), "warning", id="LLMInferenceService: fixed"),
        pytest.param(
            [llm(), deployment({"name": "main"}, progressDeadlineSeconds=900)],
            took(700),
            None,
            id="the Deployment says more",
        ),
    ],
)
def test_progress_deadline(objects: list[Raw], total: Lengths | None, says: str | None) -> None:
    assert severity("PL001", objects, Measured(total=total)) == says


def test_a_deadline_is_proposed_at_twice_a_start_where_it_can_be_set() -> None:
    found = linted([isvc(), LIMITS], Measured(total=took(700)))["PL001"]
    assert 'serving.knative.dev/progress-deadline: "24m"' in found.patch
    assert (found.effect, found.extra_gpus) == ("new-revision", 1)
    assert found.measured == {"p95_s": 700, "n": 24}
    fixed = linted([isvc(mode="Standard")], Measured(total=few(700)))["PL001"]
    assert (fixed.patch, fixed.effect, fixed.measured) == ("", "none", {"longest_s": 700, "n": 3})


@pytest.mark.parametrize(
    ("objects", "total", "says"),
    [
        pytest.param([isvc(), LIMITS], took(300), "warning", id="half of ten minutes"),
        pytest.param([isvc(), LIMITS], took(299), None, id="less than half"),
        pytest.param([isvc(), LIMITS], took(601), None, id="beyond it PL001 speaks"),
        pytest.param([isvc(notes={DEADLINE: "20m"})], took(400), None, id="somebody chose"),
        pytest.param(
            [isvc({"startupProbe": STARTUP | {"failureThreshold": 180}})],
            None,
            "advice",
            id="not measured, but the probe waits longer",
        ),
        pytest.param([isvc({"startupProbe": STARTUP})], None, None, id="the probe waits as long"),
        pytest.param([isvc()], None, None, id="not measured, no probe"),
    ],
)
def test_ten_minutes(objects: list[Raw], total: Lengths | None, says: str | None) -> None:
    assert severity("PL007", objects, Measured(total=total)) == says


@pytest.mark.parametrize(
    ("objects", "total", "says"),
    [
        pytest.param([ASLEEP, TIMES], took(400), "error", id="asleep, and slower than 300 s"),
        pytest.param([ASLEEP], took(400), "warning", id="the cluster's limit was not read"),
        pytest.param([ASLEEP, TIMES], took(300), None, id="just in time"),
        pytest.param([ASLEEP, TIMES], None, None, id="not measured"),
        pytest.param([isvc(minReplicas=1), TIMES], took(400), None, id="never asleep"),
        pytest.param([isvc(), TIMES], took(400), None, id="no minimum said: 1"),
        pytest.param([isvc(minReplicas=0, timeout=600)], took(400), None, id="a longer timeout"),
        pytest.param(
            [ASLEEP, config("config-autoscaler", enable_scale_to_zero="false"), TIMES],
            took(400),
            None,
            id="nothing sleeps in this cluster",
        ),
        pytest.param(
            [isvc(minReplicas=0, mode="Standard")], took(400), None, id="Standard holds nobody"
        ),
        pytest.param(
            [ASLEEP, revision(notes={"autoscaling.knative.dev/min-scale": "1"}), TIMES],
            took(400),
            None,
            id="kept awake in place",
        ),
    ],
)
def test_timeout(objects: list[Raw], total: Lengths | None, says: str | None) -> None:
    assert severity("PL003", objects, Measured(total=total)) == says


@pytest.mark.parametrize(
    ("objects", "ingress_s", "layer", "limit_s"),
    [
        pytest.param([ASLEEP, TIMES], None, "response-start", 300, id="equal: the first byte"),
        pytest.param(
            [ASLEEP, revision(timeoutSeconds=300)], None, "request", 300, id="no limit of its own"
        ),
        pytest.param(
            [ASLEEP, revision(timeoutSeconds=1800, responseStartTimeoutSeconds=300)],
            None,
            "response-start",
            300,
            id="a raised timeout alone",
        ),
        pytest.param([ASLEEP, TIMES], 60.0, "ingress", 60, id="the load balancer gives up first"),
    ],
)
def test_the_layer_that_binds_is_named(
    objects: list[Raw], ingress_s: float | None, layer: str, limit_s: float
) -> None:
    (settings,) = settings_from_objects(objects, ingress_s=ingress_s)
    found = {each.code: each for each in lint(settings, Measured(total=took(400)))}["PL003"]
    assert (found.params["layer"], found.params["limit_s"]) == (layer, limit_s)
    assert bool(found.patch) is (layer != "ingress")


def test_a_timeout_above_the_clusters_limit_raises_that_first() -> None:
    patch = linted([ASLEEP, TIMES], Measured(total=took(700)))["PL003"].patch
    first, second = patch.split("---")
    assert 'max-revision-timeout-seconds: "1080"' in first
    assert "timeout: 1080" in second


@pytest.mark.parametrize(
    ("objects", "says"),
    [
        pytest.param(
            [isvc(timeout=900), config("config-defaults")], "error", id="above 600 s as shipped"
        ),
        pytest.param([isvc(timeout=900)], "warning", id="the cluster's limit was not read"),
        pytest.param([isvc(timeout=600)], None, id="at the limit"),
        pytest.param(
            [isvc(timeout=900), config("config-defaults", max_revision_timeout_seconds="1800")],
            None,
            id="a raised limit",
        ),
        pytest.param([isvc(timeout=900), revision(timeoutSeconds=900)], None, id="accepted"),
        pytest.param([isvc(timeout=900, mode="Standard")], None, id="Standard"),
    ],
)
def test_timeout_above_the_clusters_limit(objects: list[Raw], says: str | None) -> None:
    assert severity("PL027", objects) == says


def kserve(ingress: str) -> Raw:
    return config("inferenceservice-config", ingress=ingress)


def route(request: str | None) -> Raw:
    rule = {"timeouts": {"request": request}} if request else {}
    return {
        "kind": "HTTPRoute",
        "metadata": {"name": "llama", "namespace": "chat"},
        "spec": {"rules": [rule]},
    }


GATEWAY = kserve('{"enableGatewayApi": true}')
STANDARD = isvc(mode="Standard")


@pytest.mark.parametrize(
    ("objects", "says"),
    [
        pytest.param([STANDARD, GATEWAY], "warning", id="KServe's default of a minute"),
        pytest.param([STANDARD, route("60s")], "warning", id="the route says a minute"),
        pytest.param([STANDARD, route("10m")], None, id="the route says more"),
        pytest.param([STANDARD, route(None)], None, id="the route has no limit"),
        pytest.param([STANDARD], None, id="how it is routed is not known"),
        pytest.param([STANDARD, kserve("{}")], None, id="an Ingress"),
        pytest.param([STANDARD, kserve("no JSON")], None, id="a config that cannot be read"),
        pytest.param(
            [isvc(mode="Standard", timeout=60), GATEWAY], None, id="somebody chose a minute"
        ),
        pytest.param(
            [STANDARD, kserve('{"enableGatewayApi": true, "disableHTTPRouteTimeout": true}')],
            None,
            id="switched off",
        ),
        pytest.param([isvc(), GATEWAY], None, id="Knative"),
    ],
)
def test_route_cuts_answers(objects: list[Raw], says: str | None) -> None:
    assert severity("PL028", objects) == says


KEPT_ALIVE = {"env": [{"name": "VLLM_HTTP_TIMEOUT_KEEP_ALIVE", "value": "75"}]}


@pytest.mark.parametrize(
    ("raw", "broken", "says"),
    [
        pytest.param(isvc(), 3, "warning", id="broken answers at queue-proxy"),
        pytest.param(isvc(), 0, None, id="none"),
        pytest.param(isvc(), None, None, id="not measured"),
        pytest.param(isvc(KEPT_ALIVE), 3, None, id="already set"),
        pytest.param(isvc(mode="Standard"), 3, None, id="Standard has no queue-proxy"),
        pytest.param(isvc(model={"modelFormat": {"name": "vLLM"}}), 3, None, id="env not read"),
    ],
)
def test_keep_alive(raw: Raw, broken: int | None, says: str | None) -> None:
    assert severity("PL023", [raw], Measured(broken_answers=broken)) == says


@pytest.mark.parametrize(
    ("objects", "keys"),
    [
        pytest.param(
            [isvc(), config("config-observability", version="1.21.0")],
            ["request-metrics-protocol", "metrics-protocol"],
            id="off by default since 1.19",
        ),
        pytest.param(
            [
                isvc(),
                config(
                    "config-observability",
                    metrics_protocol="prometheus",
                    request_metrics_protocol="none",
                ),
            ],
            ["request-metrics-protocol"],
            id="those of requests alone",
        ),
        pytest.param(
            [isvc(), config("config-observability", version="v1.18.2")], None, id="1.18: on"
        ),
        pytest.param(
            [isvc(), config("config-observability", version="devel")], None, id="no version"
        ),
        pytest.param([isvc()], None, id="not read"),
        pytest.param(
            [isvc(mode="Standard"), config("config-observability", version="1.21.0")],
            None,
            id="Standard",
        ),
        pytest.param(
            [
                isvc(),
                config(
                    "config-observability",
                    metrics_protocol="prometheus",
                    request_metrics_protocol="grpc",
                ),
            ],
            None,
            id="to a collector",
        ),
    ],
)
def test_metrics_off(objects: list[Raw], keys: list[str] | None) -> None:
    found = linted(objects).get("PL021")
    assert (found.params["keys"] if found else None) == keys


def test_metrics_of_requests_roll_every_model() -> None:
    found = linted([isvc(), config("config-observability", version="1.21.0")])["PL021"]
    assert found.effect == "rolls-all-models"
    assert found.object_ref == "ConfigMap/knative-serving/config-observability"
    assert "kubectl -n knative-serving patch configmap config-observability" in found.patch
