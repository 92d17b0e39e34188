"""What was counted of requests, for the pages of the browser tests."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fleet.domain.requests.records import Hop, Tally

# Half an hour that was quiet, then not read for three minutes, then busy.
BUSY: list[Any] = [[60, 0]] * 12 + [None] * 3 + [[80, 0]] * 15
RISING: list[Any] = [[90, 0]] * 18 + [[90, n * n // 3] for n in range(12)]
WAKING: list[Any] = [[0, 0]] * 26 + [[3, 0], [4, 2], [4, 4], [3, 3]]


def fill_requests(now: datetime) -> None:
    """A model in each state of being counted; those on demo-c are not measured."""
    from tests.factories import told_errors

    dark = {"ingress": None, "endpoint-picker": None}
    held = {"activator": 9, "container": 1, "ingress": None}
    told: dict[str, tuple[dict[str, Any], list[Any]]] = {
        "llama-3-8b": (
            told_errors({"container": 17, "queue-proxy": 4, **dark}, requests=512),
            RISING,
        ),
        "llama-3-70b": (told_errors(held, requests=14, at_least=["activator"]), WAKING),
        "mixtral": (told_errors({"ingress": 31}, requests=33), [[0, 0]] * 25 + [[7, 6]] * 5),
        "gemma": (told_errors({"queue-proxy": 1}, requests=2400, client_gone=3), BUSY),
        "seasoned": (told_errors(), BUSY),
        "qwen": (told_errors(requests=0), [[0, 0]] * 30),
        "w" * 120: (told_errors({"container": 2}, requests=None), []),
    }
    _tell(told, now)
    _connect(now)
    for name in ("gemma", "llama-3-8b"):
        _windows(name, now)


def _tell(told: dict[str, tuple[dict[str, Any], list[Any]]], now: datetime) -> None:
    from fleet.models import ServedModel

    for name, (errors, spark) in told.items():
        rows = ServedModel.objects.filter(name=name)
        rows.update(errors=errors, errors_spark=spark, errors_at=now)


def _connect(now: datetime) -> None:
    """demo-a is read by a Prometheus, demo-b tells little, demo-c nothing."""
    from fleet.models import Cluster, Gap

    pages = {**FOUND, "source": "pages", "version": "", "told": ["activator"], "advice": LACKING}
    old = {**pages, "era": "opencensus", "queue_proxy": "", "ingress": "", "kube_state": False}
    trouble = {"code": "refused", "text": "GET /metrics answered 403", "at": now.isoformat()}
    read_to = now - timedelta(seconds=40)
    a = Cluster.objects.filter(name="demo-a")
    a.update(
        metrics_url="http://prometheus:9090",
        metrics=FOUND,
        metrics_read_to=read_to,
        metric_era=FOUND["era"],
    )
    b = Cluster.objects.filter(name="demo-b")
    b.update(metrics_pages=True, metrics=old, metrics_read_to=read_to, metrics_trouble=trouble)
    gap = now - timedelta(minutes=95)
    dark = {"resource": "metrics", "since": gap, "until": gap + timedelta(minutes=45)}
    Gap.objects.create(cluster=a.get(), why="unreachable", **dark)


FOUND: dict[str, Any] = {
    "source": "prometheus",
    "asked_at": "2026-11-30T12:00:00Z",
    "version": "3.1.0",
    "era": "opentelemetry",
    "queue_proxy": "relabelled",
    "ingress": "kourier",
    "vllm": "vllm:",
    "kube_state": True,
    "told": ["ingress", "activator", "queue-proxy", "container"],
    "jobs": {
        "ingress": ["kourier-gateway"],
        "activator": ["knative-activator"],
        "activator-client": ["knative-activator"],
        "queue-proxy": ["knative-queue-proxy"],
        "queue-proxy-client": ["knative-queue-proxy"],
        "app": ["knative-queue-proxy"],
    },
    "advice": [],
}
LACKING: list[dict[str, Any]] = [
    {"code": "request-metrics-off", "params": {}, "rolls_pods": True},
    {"code": "no-ingress-metrics", "params": {}},
]


def _windows(name: str, now: datetime) -> None:
    """Five hours of windows: quiet, a burst at a cold start, a model server that errs, a gap."""
    from fleet.models import ServedModel
    from tests.factories import make_incident, make_windows

    model = ServedModel.objects.get(name=name)
    first = (now - timedelta(hours=5)).replace(second=0, microsecond=0)
    moments = [first + timedelta(seconds=30 * n) for n in range(600)]
    dark = now - timedelta(minutes=96), now - timedelta(minutes=50)
    tallies = {at: _tally(n) for n, at in enumerate(moments) if not dark[0] <= at <= dark[1]}
    make_windows(model, tallies)
    began = first + timedelta(seconds=30 * 200)
    ended = first + timedelta(seconds=30 * 221)
    make_incident(model, started_at=began, last_error_at=ended, ended_at=ended, at_least=True)


def _tally(n: int) -> Tally:
    from fleet.domain.requests.records import Hop
    from tests.factories import told_tally

    told = frozenset({Hop.INGRESS, Hop.ACTIVATOR, Hop.QUEUE_PROXY, Hop.CONTAINER})
    made: dict[tuple[Hop, int], int] = {}
    if 200 <= n < 221:
        made = {
            (Hop.ACTIVATOR, 504): 3 + n % 4,
            (Hop.INGRESS, 503): n % 3,
            (Hop.QUEUE_PROXY, 502): 1,
        }
    elif n % 90 == 7:
        made = {(Hop.CONTAINER, 500): 2}
    bound = frozenset({Hop.ACTIVATOR}) if 200 <= n < 221 else frozenset()
    counts = {key: count for key, count in made.items() if count}
    beside = {
        "client_gone": int(n % 50 == 0),
        "broken": int(n % 70 == 0),
        "cut": 0,
        "in_flight": 4.0,
    }
    return told_tally(counts, requests=20 + n % 13, told=told, at_least=bound, **beside)
