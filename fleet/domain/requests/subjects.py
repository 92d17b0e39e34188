"""From the names that series carry to what they speak of, so that all hops of one model meet."""

import re

from fleet.domain.requests.records import Subject, SubjectKind

# Knative numbers revisions with five digits. Source: knative/serving pkg/reconciler/configuration.
REVISION = re.compile(r"-\d{5}$")
# A pod of a Deployment: the template's hash, then five letters. Source: kubernetes pkg/controller.
OF_DEPLOYMENT = re.compile(r"^(?P<owner>.+)-[0-9a-z]{6,10}-[0-9a-z]{5}$")
KNATIVE_DEPLOYMENT = "-deployment"
# Source: kserve/kserve pkg/constants; pkg/controller/v1alpha2/llmisvc.
PREDICTOR = "-predictor"
LLM_WORKLOAD = "-kserve"
LLM_SERVICE = "-kserve-workload-svc"
LLM_OTHERS = ("-kserve-router-scheduler", "-kserve-route", "-inference-pool", "-epp-service")
# Envoy Gateway: route kind, namespace, name, then its rule.
ROUTE_KINDS = frozenset({"httproute", "grpcroute"})


def of_service(namespace: str, name: str) -> Subject:
    """A Service of Kubernetes; that of a Knative Revision has the revision's name."""
    short = name.partition(".")[0].removesuffix("-private")
    if REVISION.search(short):
        return of_revision(namespace, short)
    return Subject(namespace, SubjectKind.SERVICE, _llm(short))


def of_revision(namespace: str, name: str) -> Subject:
    """A Knative Revision."""
    return Subject(namespace, SubjectKind.REVISION, name)


def of_route(namespace: str, name: str) -> Subject:
    """An HTTPRoute is named after its InferenceService, or after that one's predictor."""
    if name.endswith((PREDICTOR, *LLM_OTHERS)):
        return of_service(namespace, name)
    return Subject(namespace, SubjectKind.SERVICE, f"{name}{PREDICTOR}")


def of_pod(namespace: str, name: str) -> Subject:
    """What the pod's Deployment serves, by its name; else the pod itself."""
    found = OF_DEPLOYMENT.match(name)
    owner = found["owner"] if found else ""
    if owner.endswith(KNATIVE_DEPLOYMENT):
        return of_revision(namespace, owner.removesuffix(KNATIVE_DEPLOYMENT))
    if owner.endswith((PREDICTOR, *LLM_OTHERS)):
        return of_service(namespace, owner)
    if owner.endswith(LLM_WORKLOAD):
        return of_service(namespace, owner.removesuffix(LLM_WORKLOAD) + LLM_SERVICE)
    return Subject(namespace, SubjectKind.POD, name)


def of_envoy_cluster(name: str) -> Subject | None:
    """Kourier: "namespace/revision"; Envoy Gateway: "httproute/namespace/name/rule/n"."""
    parts = name.split("/")
    if len(parts) == 2 and all(parts):
        return of_service(*parts)
    if len(parts) >= 3 and parts[0] in ROUTE_KINDS:
        return of_route(parts[1], parts[2])
    return None


def _llm(name: str) -> str:
    """Scheduler, route and pool of an LLMInferenceService: the Service of its workload."""
    for suffix in LLM_OTHERS:
        if name.endswith(suffix):
            return name.removesuffix(suffix) + LLM_SERVICE
    return name
