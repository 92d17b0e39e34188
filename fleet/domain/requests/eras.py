"""How each kind of program names what it counts: names are data, nothing else differs.

Sources: knative/serving pkg/activator/handler, pkg/queue (three eras), otelhttp; Istio's standard
metrics; Envoy's statistics; ingress-nginx; gateway-api-inference-extension pkg/epp/metrics; vLLM
vllm/v1/metrics and prometheus-fastapi-instrumentator.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from fleet.domain.requests.moves import Role
from fleet.domain.requests.records import Era


class Program(StrEnum):
    """Whose page a series stands on; also the roles of MetricsFacts.jobs."""

    ACTIVATOR = "activator"
    QUEUE_PROXY = "queue-proxy"
    AUTOSCALER = "autoscaler"
    INGRESS = "ingress"
    PICKER = "picker"
    VLLM = "vllm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A counter, and which labels tell what. "" = it has no such label.

    fixed_code: where the name says the code. only: labels that must have these values; "~…" is a
    pattern, "!…" a value that is not meant (in a mesh the activator's sidecar reports calls again).
    """

    role: Role
    program: Program
    metric: str
    code: str = ""
    error: str = ""
    port: str = ""
    fixed_code: int = 0
    only: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauge:
    """A depth, as of one program."""

    program: Program
    metric: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """A histogram of how long requests took. unit_s: seconds in one unit of its bounds."""

    program: Program
    metric: str
    unit_s: float = 1.0


CODE, ERROR, PORT = "http_response_status_code", "error_type", "server_port"
SERVER = "http_server_request_duration_seconds"
CLIENT = "http_client_request_duration_seconds"
# Ports of queue-proxy that the activator calls. Source: knative/serving pkg/networking.
PROXIED_PORTS = frozenset({"8012", "8112"})


def _opentelemetry(app: str) -> tuple[Counted, ...]:
    activator, queue = Program.ACTIVATOR, Program.QUEUE_PROXY
    named = {"kn_revision_name": "~.+"}
    return (
        Counted(
            role=Role.ACTIVATOR, program=activator, metric=f"{SERVER}_count", code=CODE, only=named
        ),
        Counted(
            role=Role.TRIED,
            program=activator,
            metric=f"{CLIENT}_count",
            code=CODE,
            error=ERROR,
            only=named,
        ),
        Counted(
            role=Role.QUEUE_PROXY, program=queue, metric=f"{SERVER}_count", code=CODE, port=PORT
        ),
        Counted(role=Role.ASKED, program=queue, metric=f"{CLIENT}_count", code=CODE, error=ERROR),
        Counted(role=Role.APP, program=queue, metric=f"{app}_count", code=CODE),
    )


OC_CODE = "response_code"
APP_OF = {
    Era.TRANSITION: "kn_queueproxy_app_duration_seconds",
    Era.OPENTELEMETRY: "kn_serving_invocation_duration_seconds",
    Era.OPENCENSUS: "revision_app_request",
}
KNATIVE: Mapping[Era, tuple[Counted, ...]] = {
    Era.OPENCENSUS: (
        Counted(
            role=Role.ACTIVATOR,
            program=Program.ACTIVATOR,
            metric="activator_request_count",
            code=OC_CODE,
        ),
        Counted(
            role=Role.QUEUE_PROXY,
            program=Program.QUEUE_PROXY,
            metric="revision_request_count",
            code=OC_CODE,
        ),
        Counted(
            role=Role.APP,
            program=Program.QUEUE_PROXY,
            metric="revision_app_request_count",
            code=OC_CODE,
        ),
    ),
    Era.TRANSITION: _opentelemetry(APP_OF[Era.TRANSITION]),
    Era.OPENTELEMETRY: _opentelemetry(APP_OF[Era.OPENTELEMETRY]),
    Era.NONE: (),
}
# Labels of namespace and revision.
REVISION_LABELS: Mapping[Era, tuple[str, str]] = {
    Era.OPENCENSUS: ("namespace_name", "revision_name"),
    Era.TRANSITION: ("k8s_namespace_name", "kn_revision_name"),
    Era.OPENTELEMETRY: ("k8s_namespace_name", "kn_revision_name"),
}
IN_FLIGHT: Mapping[Era, Gauge] = {
    Era.OPENCENSUS: Gauge(program=Program.ACTIVATOR, metric="activator_request_concurrency"),
    Era.TRANSITION: Gauge(program=Program.ACTIVATOR, metric="kn_revision_request_concurrency"),
    Era.OPENTELEMETRY: Gauge(program=Program.ACTIVATOR, metric="kn_revision_request_concurrency"),
}
# From 1.22 on.
QUEUED: Mapping[Era, Gauge] = {
    Era.OPENTELEMETRY: Gauge(program=Program.ACTIVATOR, metric="kn_revision_request_queued"),
}
# The last bounds are 10 s (100 s up to 1.18): longer requests are told to be longer, not how long.
TIMED: Mapping[Era, Timed] = {
    Era.OPENCENSUS: Timed(
        program=Program.QUEUE_PROXY, metric="revision_request_latencies", unit_s=0.001
    ),
    Era.TRANSITION: Timed(program=Program.QUEUE_PROXY, metric=SERVER),
    Era.OPENTELEMETRY: Timed(program=Program.QUEUE_PROXY, metric=SERVER),
}

ISTIO, KOURIER, ENVOY_GATEWAY, NGINX = "istio", "kourier", "envoy-gateway", "nginx"
_ISTIO = (
    Counted(
        role=Role.INGRESS,
        program=Program.INGRESS,
        metric="istio_requests_total",
        code="response_code",
        error="response_flags",
        only={"reporter": "source", "source_workload": "!activator"},
    ),
)
_ENVOY = (
    Counted(
        role=Role.INGRESS,
        program=Program.INGRESS,
        metric="envoy_cluster_upstream_rq",
        code="envoy_response_code",
    ),
    Counted(
        role=Role.INGRESS, program=Program.INGRESS, metric="envoy_cluster_upstream_rq_cancelled"
    ),
    Counted(
        role=Role.HINT,
        program=Program.INGRESS,
        metric="envoy_cluster_upstream_cx_none_healthy",
        fixed_code=503,
    ),
    Counted(
        role=Role.HINT,
        program=Program.INGRESS,
        metric="envoy_cluster_upstream_rq_timeout",
        fixed_code=504,
    ),
)
_NGINX = (
    Counted(
        role=Role.INGRESS,
        program=Program.INGRESS,
        metric="nginx_ingress_controller_requests",
        code="status",
    ),
)
INGRESSES: Mapping[str, tuple[Counted, ...]] = {
    ISTIO: _ISTIO,
    KOURIER: _ENVOY,
    ENVOY_GATEWAY: _ENVOY,
    NGINX: _NGINX,
    "": (),
}
# A picker's errors by the code that the caller gets. ModelServerError is the server's own.
# Source: gateway-api-inference-extension pkg/epp/util/error, pkg/epp/handlers.
PICKER_CODES = {"Internal": 500, "Unknown": 500, "ServiceUnavailable": 503}
PICKERS: Mapping[str, tuple[Counted, ...]] = {
    kind: (
        Counted(
            role=Role.PICKER,
            program=Program.PICKER,
            metric=f"{kind}_request_error_total",
            code="error_code",
        ),
    )
    for kind in ("inference_objective", "inference_model")
} | {"": ()}
# Probes are GETs; the label of the status is its class. Not every vLLM server has it.
ENGINE = Counted(
    role=Role.ENGINE,
    program=Program.VLLM,
    metric="http_requests_total",
    code="status",
    only={"method": "POST"},
)
ENGINE_CLASS_CODES = {"2xx": 200, "3xx": 300, "4xx": 400, "5xx": 500}
ENGINE_RUNNING = "num_requests_running"
ENGINE_WAITING = "num_requests_waiting"
ENGINE_TIMED = "e2e_request_latency_seconds"


def counters_of(*, era: Era, ingress: str, picker: str, vllm: str) -> tuple[Counted, ...]:
    """Everything that is counted on a cluster of this kind."""
    engine = (ENGINE,) if vllm else ()
    return (*KNATIVE[era], *INGRESSES.get(ingress, ()), *PICKERS.get(picker, ()), *engine)
