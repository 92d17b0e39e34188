"""Names that series carry, and the one thing that they all speak of."""

import pytest

from fleet.domain.requests import subjects
from fleet.domain.requests.records import Subject, SubjectKind

REVISION = Subject("chat", SubjectKind.REVISION, "llama-predictor-00001")
STANDARD = Subject("chat", SubjectKind.SERVICE, "llama-predictor")
LLM = Subject("chat", SubjectKind.SERVICE, "llama-kserve-workload-svc")


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        pytest.param(
            subjects.of_service("chat", "llama-predictor-00001"),
            REVISION,
            id="a revision's Service",
        ),
        pytest.param(
            subjects.of_service("chat", "llama-predictor-00001-private"),
            REVISION,
            id="its private Service",
        ),
        pytest.param(
            subjects.of_pod("chat", "llama-predictor-00001-deployment-77b4d9c67c-49rps"),
            REVISION,
            id="its pod",
        ),
        pytest.param(
            subjects.of_envoy_cluster("chat/llama-predictor-00001"),
            REVISION,
            id="Kourier's cluster",
        ),
        pytest.param(
            subjects.of_pod("chat", "llama-predictor-klh2t6749s-4mvgp"),
            STANDARD,
            id="a pod without Knative",
        ),
        pytest.param(
            subjects.of_envoy_cluster("httproute/chat/llama/rule/0"),
            STANDARD,
            id="the route of the model",
        ),
        pytest.param(
            subjects.of_envoy_cluster("httproute/chat/llama-predictor/rule/0"),
            STANDARD,
            id="the route of the predictor",
        ),
        pytest.param(
            subjects.of_service("chat", "llama-predictor.chat.svc.cluster.local"),
            STANDARD,
            id="a Service by its whole name",
        ),
        pytest.param(
            subjects.of_envoy_cluster("httproute/chat/llama-kserve-route/rule/2"),
            LLM,
            id="an LLMInferenceService's route",
        ),
        pytest.param(
            subjects.of_pod("chat", "llama-kserve-lgr5zjl4dg-lhsvn"), LLM, id="its workload's pod"
        ),
        pytest.param(
            subjects.of_pod("chat", "llama-kserve-router-scheduler-6f9c8d7b5-x2x9z"),
            LLM,
            id="its scheduler's pod",
        ),
        pytest.param(subjects.of_service("chat", "llama-inference-pool"), LLM, id="its pool"),
        pytest.param(
            subjects.of_pod("chat", "llama-kserve-mn-0-1"),
            Subject("chat", SubjectKind.POD, "llama-kserve-mn-0-1"),
            id="a pod of a group: itself",
        ),
        pytest.param(subjects.of_envoy_cluster("outbound|80||x.y.svc"), None, id="a sidecar's"),
        pytest.param(subjects.of_envoy_cluster("/x"), None, id="a name in parts"),
    ],
)
def test_what_a_name_speaks_of(found: Subject | None, wanted: Subject | None) -> None:
    assert found == wanted
