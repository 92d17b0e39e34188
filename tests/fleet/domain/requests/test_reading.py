"""From the labels of one series to whose it is and what happened."""

from datetime import UTC, datetime
from typing import Any

import pytest

from fleet.domain.requests import eras
from fleet.domain.requests.eras import KNATIVE, Counted, Program
from fleet.domain.requests.moves import Move, Role, Way
from fleet.domain.requests.reading import fits, move_of, subject_of
from fleet.domain.requests.records import Era, MetricsFacts, Subject, SubjectKind

QUEUE = next(one for one in KNATIVE[Era.OPENTELEMETRY] if one.role is Role.QUEUE_PROXY)
PICKER = eras.PICKERS["inference_objective"][0]
(ISTIO,) = eras.INGRESSES[eras.ISTIO]
REVISION = Subject("chat", SubjectKind.REVISION, "llama-predictor-00001")
STANDARD = Subject("chat", SubjectKind.SERVICE, "llama-predictor")
LLM = Subject("chat", SubjectKind.SERVICE, "llama-kserve-workload-svc")
SCHEDULER = "llama-kserve-router-scheduler-6f9c8d7b5-x2x9z"


def facts(**more: Any) -> MetricsFacts:
    at = datetime(2026, 11, 30, tzinfo=UTC)
    given: dict[str, Any] = {"source": "prometheus", "asked_at": at, "era": Era.OPENTELEMETRY}
    return MetricsFacts(**given | more)


@pytest.mark.parametrize(
    ("program", "labels", "known", "subject"),
    [
        pytest.param(
            Program.QUEUE_PROXY,
            {"k8s_namespace_name": "chat", "kn_revision_name": "llama-predictor-00001"},
            facts(),
            REVISION,
            id="the revision is named",
        ),
        pytest.param(
            Program.QUEUE_PROXY,
            {"namespace": "chat", "pod": "llama-predictor-00001-deployment-77b4d9c67c-49rps"},
            facts(),
            REVISION,
            id="only the pod is named",
        ),
        pytest.param(
            Program.ACTIVATOR,
            {"namespace_name": "chat", "revision_name": "llama-predictor-00001"},
            facts(era=Era.OPENCENSUS),
            REVISION,
            id="the oldest era's names",
        ),
        pytest.param(Program.ACTIVATOR, {"server_address": "x"}, facts(), None, id="of nobody"),
        pytest.param(
            Program.INGRESS,
            {"exported_namespace": "chat", "exported_service": "llama-predictor", "service": "n"},
            facts(ingress=eras.NGINX),
            STANDARD,
            id="nginx, scraped as another",
        ),
        pytest.param(
            Program.INGRESS,
            {"namespace": "chat", "service": "llama-predictor"},
            facts(ingress=eras.NGINX),
            STANDARD,
            id="nginx, labels kept",
        ),
        pytest.param(
            Program.INGRESS,
            {"destination_service_name": "unknown"},
            facts(ingress=eras.ISTIO),
            None,
            id="Istio, no route",
        ),
        pytest.param(
            Program.PICKER, {"namespace": "chat", "pod": SCHEDULER}, facts(), LLM, id="a picker"
        ),
        pytest.param(
            Program.VLLM,
            {"namespace": "chat", "pod": "llama-predictor-klh2t6749s-4mvgp"},
            facts(era=Era.NONE),
            STANDARD,
            id="a server without Knative",
        ),
    ],
)
def test_whose_it_is(
    program: Program, labels: dict[str, str], known: MetricsFacts, subject: Subject | None
) -> None:
    assert subject_of(program, labels, known) == subject


@pytest.mark.parametrize(
    ("counted", "labels", "move"),
    [
        pytest.param(
            QUEUE,
            {"http_response_status_code": "502", "server_port": "8012"},
            Move(Role.QUEUE_PROXY, 502, "", Way.PROXIED),
            id="through the activator",
        ),
        pytest.param(
            QUEUE,
            {"http_response_status_code": "502"},
            Move(Role.QUEUE_PROXY, 502, "", Way.PAST),
            id="past it",
        ),
        pytest.param(
            QUEUE,
            {"http_response_status_code": "x" * 9},
            Move(Role.QUEUE_PROXY, 0, "", Way.PAST),
            id="a code that is none",
        ),
        pytest.param(
            PICKER, {"error_code": "ServiceUnavailable"}, Move(Role.PICKER, 503), id="shed"
        ),
        pytest.param(PICKER, {"error_code": "BadRequest"}, None, id="no 5xx"),
        pytest.param(PICKER, {"error_code": "ModelServerError"}, None, id="the server's own"),
        pytest.param(eras.ENGINE, {"status": "5xx"}, Move(Role.ENGINE, 500), id="a class"),
        pytest.param(
            ISTIO,
            {"response_code": "503", "response_flags": "UH"},
            Move(Role.INGRESS, 503, "UH"),
            id="Istio's flags",
        ),
    ],
)
def test_what_happened(counted: Counted, labels: dict[str, str], move: Move | None) -> None:
    assert move_of(counted, labels) == move


@pytest.mark.parametrize(
    ("labels", "meant"),
    [
        pytest.param({"reporter": "source", "source_workload": "gateway"}, True, id="a gateway"),
        pytest.param({"reporter": "destination"}, False, id="the other end tells it again"),
        pytest.param({"reporter": "source", "source_workload": "activator"}, False, id="in a mesh"),
    ],
)
def test_which_series_are_meant(labels: dict[str, str], meant: bool) -> None:
    assert fits(ISTIO, labels) is meant
