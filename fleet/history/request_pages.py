"""Which metrics pages the replicas of a cluster have, where there is no Prometheus."""

from collections.abc import Iterator
from dataclasses import replace

from fleet.domain.ledger.delta import State
from fleet.domain.records.keys import Mode
from fleet.domain.requests.eras import Program
from fleet.domain.requests.pages import Page
from fleet.models import Replica, ServedModel

# Source: knative/serving pkg/networking (http-usermetric); the ports that KServe's runtimes and
# LLMInferenceService's templates give vLLM.
QUEUE_PROXY_PORT = 9091
ENGINE_PORTS = {Mode.KNATIVE: 8080, Mode.STANDARD: 8080, Mode.LLM: 8000}
TROUBLED = frozenset({State.FAILING, State.DEGRADED, State.STARTING})


def replica_pages(cluster: str) -> Iterator[Page]:
    """Of all living replicas; urgent are those that start, and those of models in trouble."""
    models = ServedModel.objects.present().filter(cluster=cluster)
    known = {uid: (mode, state) for uid, mode, state in models.values_list(*_MODEL)}
    rows = Replica.objects.filter(cluster=cluster).living()
    for namespace, pod, uid, revision, ready, model in rows.values_list(*_REPLICA):
        if model not in known:
            continue
        mode, state = known[model]
        urgent = not ready or state in TROUBLED
        engine = Page(
            program=Program.VLLM,
            namespace=namespace,
            pod=pod,
            uid=uid,
            port=ENGINE_PORTS[Mode(mode)],
            urgent=urgent,
        )
        yield engine
        if mode == Mode.KNATIVE:
            yield replace(
                engine, program=Program.QUEUE_PROXY, port=QUEUE_PROXY_PORT, revision=revision
            )


_MODEL = ("model_uid", "mode", "state")
_REPLICA = ("namespace", "replica", "uid", "revision", "ready", "model_uid")
