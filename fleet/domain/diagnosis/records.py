"""What a diagnosis says: causes, phases and remedies are closed lists that others rely on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Cause(StrEnum):
    """Why requests fail or wait, or a start does not end."""

    SCALE_FROM_ZERO = "scale-from-zero"
    NOT_PREPARED = "not-prepared"
    PROBE_TOO_STRICT = "probe-too-strict"
    PROBE_WRONG_TARGET = "probe-wrong-target"
    LIVENESS_KILLS_LOADING = "liveness-kills-loading"
    TIMEOUT_SHORTER_THAN_LOAD = "timeout-shorter-than-load"
    TIMEOUT_SHORTER_THAN_REQUEST = "timeout-shorter-than-request"
    MODEL_DOWNLOAD_SLOW = "model-download-slow"
    MODEL_DOWNLOAD_DENIED = "model-download-denied"
    MODEL_DOWNLOAD_FAILED = "model-download-failed"
    DISK_FULL = "disk-full"
    IMAGE_PULL_SLOW = "image-pull-slow"
    IMAGE_PULL_FAILED = "image-pull-failed"
    UPSTREAM_HUB_RATE_LIMIT = "upstream-hub-rate-limit"
    UNSCHEDULABLE_GPU = "unschedulable-gpu"
    UNSCHEDULABLE_OTHER = "unschedulable-other"
    NODE_PROVISIONING = "node-provisioning"
    GPU_OOM = "gpu-oom"
    HOST_OOM = "host-oom"
    KV_CACHE_TOO_SMALL = "kv-cache-too-small"
    CRASH_LOOP_CONFIG = "crash-loop-config"
    ENGINE_START_HANG = "engine-start-hang"
    ENGINE_LOAD_SLOW = "engine-load-slow"
    ENGINE_DIED = "engine-died"
    OVERLOAD = "overload"
    AUTOSCALER_LAG = "autoscaler-lag"
    AUTOSCALER_MISCONFIGURED = "autoscaler-misconfigured"
    ROLLOUT_CAPACITY_DEADLOCK = "rollout-capacity-deadlock"
    CANARY_SHIFTED_EARLY = "canary-shifted-early"
    PROGRESS_DEADLINE_EXCEEDED = "progress-deadline-exceeded"
    VOLUME_ATTACH = "volume-attach"
    MESH_OR_NETWORK = "mesh-or-network"
    ROUTING_MISCONFIGURED = "routing-misconfigured"
    WRONG_MODEL_NAME = "wrong-model-name"
    CONFIG_CONFLICT = "config-conflict"
    PREEMPTION = "preemption"
    DRAINING = "draining"
    ADMISSION_BLOCKED = "admission-blocked"
    NONE = "none"
    INSUFFICIENT_EVIDENCE = "insufficient-evidence"


class FaultPhase(StrEnum):
    """Where in the life of a replica, or of a request, the cause sits."""

    SCHEDULE = "schedule"
    IMAGE_PULL = "image_pull"
    MODEL_FETCH = "model_fetch"
    ENGINE_LOAD = "engine_load"
    PROBE = "probe"
    SERVING = "serving"
    ROUTING = "routing"
    NONE = "none"


class Remedy(StrEnum):
    """What helps."""

    ACCEPT_MODEL_LICENCE = "accept-model-licence"
    ADD_CAPACITY = "add-capacity"
    ADD_DISRUPTION_BUDGET = "add-disruption-budget"
    ADD_OR_EXTEND_STARTUP_PROBE = "add-or-extend-startup-probe"
    ADD_PRESTOP_AND_GRACE = "add-prestop-and-grace"
    ADD_REPLICAS = "add-replicas"
    CACHE_MODEL_LOCALLY = "cache-model-locally"
    CHANGE_RUNTIME_IMAGE = "change-runtime-image"
    COLLECT_MORE_EVIDENCE = "collect-more-evidence"
    DOWNLOAD_TIMEOUT_AND_RETRY = "download-timeout-and-retry"
    EXEMPT_INITIALIZER_FROM_MESH = "exempt-initializer-from-mesh"
    EXPLAIN_EXPECTED_BEHAVIOUR = "explain-expected-behaviour"
    FASTER_WEIGHT_LOADING = "faster-weight-loading"
    FIX_ADMISSION_WEBHOOK = "fix-admission-webhook"
    FIX_AUTOSCALER_METRIC = "fix-autoscaler-metric"
    FIX_CLIENT_MODEL_NAME = "fix-client-model-name"
    FIX_COLLECTIVE_COMMUNICATION = "fix-collective-communication"
    FIX_DNS_OR_EGRESS = "fix-dns-or-egress"
    FIX_GPU_PARTITIONING = "fix-gpu-partitioning"
    FIX_IMAGE_REFERENCE_OR_PULL_SECRET = "fix-image-reference-or-pull-secret"
    FIX_MESH_OR_NETWORK_POLICY = "fix-mesh-or-network-policy"
    FIX_MODEL_URI = "fix-model-uri"
    FIX_NODE_SELECTOR_OR_TOLERATION = "fix-node-selector-or-toleration"
    FIX_PROBE_TARGET = "fix-probe-target"
    FIX_REGISTRY_ACCESS = "fix-registry-access"
    FIX_RESOURCE_REQUESTS = "fix-resource-requests"
    FIX_ROUTE_BACKEND = "fix-route-backend"
    FIX_RUNTIME_ARGS = "fix-runtime-args"
    FIX_RUNTIME_SELECTION = "fix-runtime-selection"
    FIX_STORAGE_CREDENTIALS = "fix-storage-credentials"
    FREE_OLD_REVISION_FIRST = "free-old-revision-first"
    GATE_TRAFFIC_ON_READINESS = "gate-traffic-on-readiness"
    KEEP_WARM_NODES = "keep-warm-nodes"
    LIVENESS_DETECTS_ENGINE_DEATH = "liveness-detects-engine-death"
    LOWER_GPU_MEMORY_UTILIZATION = "lower-gpu-memory-utilization"
    LOWER_MAX_MODEL_LEN = "lower-max-model-len"
    MORE_OR_LARGER_GPU = "more-or-larger-gpu"
    NO_ACTION = "no-action"
    PASS_HUB_TOKEN_TO_INITIALIZER = "pass-hub-token-to-initializer"
    PERSIST_COMPILE_CACHE = "persist-compile-cache"
    PREPULL_IMAGE = "prepull-image"
    PREWARM_BEFORE_TRAFFIC = "prewarm-before-traffic"
    RAISE_CLIENT_OR_INGRESS_TIMEOUT = "raise-client-or-ingress-timeout"
    RAISE_CONCURRENCY_LIMIT = "raise-concurrency-limit"
    RAISE_CONTAINER_MEMORY = "raise-container-memory"
    RAISE_DISK = "raise-disk"
    RAISE_GPU_MEMORY_UTILIZATION = "raise-gpu-memory-utilization"
    RAISE_MIN_REPLICAS = "raise-min-replicas"
    RAISE_PROGRESS_DEADLINE = "raise-progress-deadline"
    RAISE_QUOTA = "raise-quota"
    RAISE_REVISION_TIMEOUT = "raise-revision-timeout"
    RAISE_SHARED_MEMORY = "raise-shared-memory"
    RAISE_STORAGE_INITIALIZER_MEMORY = "raise-storage-initializer-memory"
    READINESS_CHECKS_MODEL = "readiness-checks-model"
    RELAX_LIVENESS_PROBE = "relax-liveness-probe"
    RELAX_READINESS_PROBE = "relax-readiness-probe"
    RELEASE_VOLUME = "release-volume"
    RENAME_SERVICE_OR_DISABLE_SERVICE_LINKS = "rename-service-or-disable-service-links"
    RESOLVE_CONFIG_CONFLICT = "resolve-config-conflict"
    RESTART_ENGINE = "restart-engine"
    ROLLBACK_TRAFFIC = "rollback-traffic"
    SET_ADMISSION_LIMIT = "set-admission-limit"
    SET_SERVED_MODEL_NAME = "set-served-model-name"
    SKIP_TAG_RESOLUTION = "skip-tag-resolution"
    SLIM_IMAGE_OR_STREAM = "slim-image-or-stream"
    SMALLER_OR_QUANTISED_MODEL = "smaller-or-quantised-model"
    STREAM_RESPONSES = "stream-responses"
    TREAT_PODS_AS_SCHEDULABLE = "treat-pods-as-schedulable"
    TUNE_AUTOSCALER = "tune-autoscaler"
    UPGRADE_GPU_DRIVER = "upgrade-gpu-driver"
    USE_HUB_TOKEN_OR_MIRROR = "use-hub-token-or-mirror"
    USE_NON_PREEMPTIBLE_CAPACITY = "use-non-preemptible-capacity"
    USE_REGISTRY_MIRROR = "use-registry-mirror"
    USE_SHARED_ACCESS_VOLUME = "use-shared-access-volume"
    WAIT = "wait"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One piece of evidence.

    kind: object, event, log, metric, config. ref: what it is of, such as "Pod/chat/name",
    "Event/FailedScheduling/name", "log/kserve-container:17", "metric/name{labels}",
    "config/key". says: the decisive words or figures, bounded and without secrets.
    """

    kind: str
    ref: str
    says: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One cause with what it rests on. rule: the code of the rule that found it; with params it
    is what the sentence is made of. remedies: best first."""

    cause: Cause
    confidence: float
    phase: FaultPhase
    rule: str
    evidence: tuple[Piece, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    params: Mapping[str, object] = field(default_factory=dict)
