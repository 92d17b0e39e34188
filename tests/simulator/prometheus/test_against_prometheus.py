"""The simulated Prometheus answers as a real one does that was given the same samples."""

from __future__ import annotations

import json
import math
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from fleet.adapters.prometheus.queries import queries_of
from fleet.domain.requests.found import ENGINE_LAST
from fleet.domain.requests.records import Era, MetricsFacts
from simulator.prometheus.answers import instant, matrix
from simulator.prometheus.scraping import Scraper
from simulator.promql.evaluating import Evaluation
from simulator.promql.parsing import parsed
from simulator.world.cluster import Ingress
from tests.simulator.prometheus.lived import lived
from tests.simulator.prometheus.remote_write import write
from tests.simulator.world.worlds import START

pytestmark = pytest.mark.prometheus
CONFIG = "global: {scrape_interval: 10s}\n"
JOBS = {
    "activator": ("activator",),
    "queue-proxy": ("queue-proxy",),
    "autoscaler": ("autoscaler",),
    "vllm": ("vllm",),
    "engine": ("vllm",),
    "picker": ("endpoint-picker",),
    ENGINE_LAST: ("7680",),
}
WORLDS = {
    "OpenTelemetry behind Istio": ((1, 22), Ingress.ISTIO, Era.OPENTELEMETRY),
    "transition behind Kourier": ((1, 20), Ingress.KOURIER, Era.TRANSITION),
    "OpenCensus behind Kourier": ((1, 18), Ingress.KOURIER, Era.OPENCENSUS),
    "LLM behind Envoy Gateway": (None, Ingress.ENVOY_GATEWAY, Era.NONE),
}
R = "k8s_namespace_name,kn_revision_name"
S = "http_server_request_duration_seconds"
OTHERS = (
    "up",
    "count by (__name__)({__name__=~'.+'})",
    f"sum by ({R})(rate({S}_count{{job='queue-proxy',http_response_status_code=~'5..'}}[5m]))",
    f"sum by (kn_revision_name)(increase({S}_count[1m]))",
    f"histogram_quantile(0.95, sum by (le,{R})(rate({S}_bucket{{job='activator'}}[5m])))",
    f"histogram_quantile(0.5, {S}_bucket)",
    f"sum by ({R})((clamp_min({S}_count - {S}_count offset 1m, 0)) or {S}_count)",
    f"(sum by ({R})(rate({S}_count{{http_response_status_code=~'5..'}}[5m])) or "
    f"0 * sum by ({R})(rate({S}_count[5m]))) / (sum by ({R})(rate({S}_count[5m])) > 0)",
    "sum by (kn_revision_name)(rate(kn_serving_invocation_duration_seconds_count[2m]) "
    "* on (job, instance) group_left (exported_kn_revision_name) target_info)",
    "kn_revision_request_queued > 0 and on (kn_revision_name) (kn_revision_pods_count == 0)",
    "sum by (revision_name,response_code)(rate(revision_request_count[5m]))",
    "clamp_min(sum by (revision_name)(increase(revision_request_count[5m])) - "
    "sum by (revision_name)(increase(revision_app_request_count[5m])), 0)",
    "sum by (destination_service_name,response_code,response_flags)(istio_requests_total)",
    "rate(envoy_cluster_upstream_rq_xx[1m])",
    "vllm:kv_cache_usage_perc or vllm:gpu_cache_usage_perc",
    "time() - process_start_time_seconds < 900",
    "max by (pod)(kube_pod_container_status_restarts_total) or vector(0)",
    "changes(process_start_time_seconds[1h]) + resets(http_requests_total[10m])",
    "topk(1, sum(up)) + bottomk(1, count(up))",
    "quantile(0.9, up) - avg(up) ^ 2 % 3",
    "absent(nothing{a='b'}) or absent(up)",
    "label_replace(up, 'short', '$1', 'job', '(.).*')",
    "count without (instance, pod)(up == bool 1)",
    "avg_over_time(up[1m]) + max_over_time(up[90s] offset 30s) - min_over_time(up[1m])",
    "irate(http_requests_total[1m]) unless on (pod) kube_pod_status_ready_time",
    "up / 0 != 0",
    "-up{job!~'vllm|queue.*'}",
    "scalar(sum(up)) * 2",
    "timestamp(up) - time()",
    "round(sum(rate(http_requests_total[3m])) * 1000, 0.5)",
)


def facts(era: Era, ingress: Ingress) -> MetricsFacts:
    knative = era is not Era.NONE
    return MetricsFacts(
        source="prometheus",
        asked_at=START,
        era=era,
        queue_proxy="relabelled" if knative else "",
        ingress=ingress.value,
        picker="" if knative else "inference_objective",
        vllm="vllm:",
        jobs=JOBS if knative else {name: JOBS[name] for name in JOBS if name not in KNATIVE},
    )


KNATIVE = ("activator", "queue-proxy", "autoscaler")


def questions(era: Era, ingress: Ingress) -> list[str]:
    return [each.promql for each in queries_of(facts(era, ingress))] + list(OTHERS)


@pytest.fixture(scope="module", params=list(WORLDS.values()), ids=list(WORLDS))
def world(request: pytest.FixtureRequest) -> tuple[Scraper, list[str]]:
    knative, ingress, era = request.param
    return lived(knative, ingress), questions(era, ingress)


def test_every_query_gets_the_same_answer(
    world: tuple[Scraper, list[str]], prometheus: Callable[[str], str]
) -> None:
    scraper, asked = world
    url = prometheus(CONFIG)
    write(url, scraper.history.all())
    last = int(scraper.timeline.now().timestamp())
    told = 0
    for text in asked:
        for at in range(last - 1500, last, 187):
            ours, theirs = _instant(scraper, text, at), _ask(url, "query", query=text, time=at)
            _same(text, _elements(ours), _elements(theirs))
            told += len(_elements(ours))
        span = {"start": last - 1200, "end": last, "step": 30}
        theirs = _ask(url, "query_range", query=text, **span)
        ours = _range(scraper, text, range(last - 1200, last + 1, 30))
        _same(text, _elements(ours), _elements(theirs))
    assert told > 500


def _instant(scraper: Scraper, text: str, at_s: int) -> Any:
    return instant(Evaluation(scraper.history).at(parsed(text), at_s * 1000), at_s * 1000)


def _range(scraper: Scraper, text: str, moments_s: Sequence[int]) -> Any:
    found = Evaluation(scraper.history).steps(parsed(text), [each * 1000 for each in moments_s])
    return matrix(found)


def _ask(url: str, path: str, **parameters: Any) -> Any:
    asked = f"{url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
    with urllib.request.urlopen(asked, timeout=30) as answer:
        return json.load(answer)["data"]


def _elements(data: Any) -> dict[tuple[Any, ...], list[list[Any]]]:
    if data["resultType"] == "scalar":
        return {(): [data["result"]]}
    return {
        tuple(sorted(each["metric"].items())): each.get("values") or [each["value"]]
        for each in data["result"]
    }


def _same(text: str, ours: Any, theirs: Any) -> None:
    assert ours.keys() == theirs.keys(), text
    for key, points in theirs.items():
        assert [at for at, _ in ours[key]] == [at for at, _ in points], (text, key)
        pairs = zip(ours[key], points, strict=True)
        wrong = [(a, b) for a, b in pairs if not _alike(float(a[1]), float(b[1]))]
        assert wrong == [], (text, key)


def _alike(ours: float, theirs: float) -> bool:
    if math.isnan(ours) or math.isnan(theirs):
        return math.isnan(ours) and math.isnan(theirs)
    return ours == theirs or math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9)


def test_the_world_has_every_hop(world: tuple[Scraper, list[str]]) -> None:
    names = world[0].history.by_name
    assert len(list(_hops(names))) >= 2


def _hops(names: dict[str, Any]) -> Iterator[str]:
    for part in ("istio_requests_total", "envoy_cluster_upstream_rq", f"{S}_count"):
        if part in names:
            yield part
    yield from (name for name in names if name.startswith(("revision_", "inference_")))
