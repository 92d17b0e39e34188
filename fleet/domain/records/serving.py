"""Models and revisions as KServe and Knative describe them."""

from dataclasses import dataclass

from fleet.domain.records.common import Condition, Meta, Moved
from fleet.domain.records.keys import Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """A container as declared. `args` is command and args joined in order, bounded; env values are
    never read.

    engine: how the whole command line starts vLLM: "vllm-serve", "vllm-module",
    "huggingfaceserver"; "" if it shows none. served_names: from the whole command line, in order.
    startup_probe: whether one is declared (then `started` of the state means the server answered).
    """

    name: str
    image: str = ""
    args: tuple[str, ...] = ()
    port: int | None = None
    gpus: int = 0
    gpu_resource: str = ""
    engine: str = ""
    served_names: tuple[str, ...] = ()
    startup_probe: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficTarget:
    """One entry of the effective split. `percent` is None for a tag-only entry."""

    revision: str
    percent: int | None = None
    tag: str = ""
    latest: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRecord:
    """An InferenceService or LLMInferenceService.

    min_replicas, max_replicas: as written in the spec (None = absent; an absent minReplicas means
    1).
    replicas: LLMInferenceService `spec.replicas` (None = absent). scaling: True if `spec.scaling`
    is used instead.
    runtime: status.servingRuntimeName or clusterServingRuntimeName, else the one named in the spec.
    labels, annotations: only keys that we read (team, environment, autoscalerClass, stop,
    disable-auto-update, GitOps marks).
    prefill_replicas: LLMInferenceService `spec.prefill.replicas`; None = no prefill part.
    mode_stated: False if neither status nor annotation names the mode: `mode` is then the default.
    fingerprint: changes with labels and annotations, which roll the pods of an InferenceService
    though no generation moves. Source: kserve pkg/controller/v1beta1/inferenceservice/components.
    """

    meta: Meta
    kind: str
    mode: Mode
    api_version: str = ""
    stopped: bool = False
    min_replicas: int | None = None
    max_replicas: int | None = None
    replicas: int | None = None
    scaling: bool = False
    prefill_replicas: int | None = None
    autoscaler_class: str = ""
    auto_update_disabled: bool = False
    url: str = ""
    runtime: str = ""
    model_format: str = ""
    model_name: str = ""
    storage_uri: str = ""
    containers: tuple[Container, ...] = ()
    container_concurrency: int = 0
    timeout_s: float | None = None
    latest_ready_revision: str = ""
    latest_created_revision: str = ""
    traffic: tuple[TrafficTarget, ...] = ()
    conditions: tuple[Condition, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    annotations: tuple[tuple[str, str], ...] = ()
    gitops: str = ""
    mode_stated: bool = True
    fingerprint: str = ""
    moves: tuple[Moved, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeRecord:
    """A ServingRuntime or ClusterServingRuntime: what tells whether it runs vLLM."""

    meta: Meta
    kind: str
    server_type: str = ""
    containers: tuple[Container, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionRecord:
    """A Knative Revision. Scales are the annotations `autoscaling.knative.dev/*` read as numbers,
    None where absent or unreadable.

    model: label serving.kserve.io/inferenceservice, "" where it has none. routing_state: active,
    reserve, pending.
    """

    meta: Meta
    model: str = ""
    configuration: str = ""
    routing_state: str = ""
    min_scale: int | None = None
    max_scale: int | None = None
    initial_scale: int | None = None
    activation_scale: int | None = None
    progress_deadline_s: float | None = None
    timeout_s: float | None = None
    container_concurrency: int = 0
    containers: tuple[Container, ...] = ()
    desired_replicas: int | None = None
    actual_replicas: int | None = None
    conditions: tuple[Condition, ...] = ()
    component: str = ""
    moves: tuple[Moved, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoscalerRecord:
    """A Knative PodAutoscaler. desired_scale is None before its first decision (-1 or no status
    at all)."""

    meta: Meta
    revision: str = ""
    model: str = ""
    scaler_class: str = ""
    min_scale: int | None = None
    max_scale: int | None = None
    reachability: str = ""
    desired_scale: int | None = None
    actual_scale: int | None = None
    conditions: tuple[Condition, ...] = ()
    component: str = ""
    moves: tuple[Moved, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HorizontalAutoscalerRecord:
    """An HPA of a Standard or LLM model."""

    meta: Meta
    target_kind: str = ""
    target_name: str = ""
    min_replicas: int | None = None
    max_replicas: int | None = None
    desired_replicas: int | None = None
    current_replicas: int | None = None
