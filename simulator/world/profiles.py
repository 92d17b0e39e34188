"""What one model is like: how big, how it is started, what goes wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Trouble(StrEnum):
    """A seeded fault of one model."""

    NONE = "none"
    COLD_IMAGE = "cold image on a new node"
    NO_GPU = "another model holds the GPUs of its node"
    HOLDS_GPUS = "came later and took the GPUs of a node for itself"
    DOWNLOAD_DENIED = "the weights may not be downloaded"
    LIVENESS_KILL = "the liveness probe kills it while it loads"
    CRASH_LOOP = "out of GPU memory at every start"
    CRASH_ONCE = "out of GPU memory at the first try, fine at the second"
    STUCK_ROLLOUT = "the new revision waits for the GPU of the old one"
    DOWNLOAD_SLOW = "the weights come very slowly"
    HUB_BUSY = "the hub answers that there are too many requests"
    LOAD_SLOW = "the engine loads for minutes longer than usual"


class Runtime(StrEnum):
    """How the server is run; it decides paths, probes and log lines."""

    VLLMSERVER = "kserve-vllmserver"
    HUGGINGFACESERVER = "kserve-huggingfaceserver"
    CUSTOM = "custom"
    LLMISVC = "llmisvc"
    SKLEARN = "kserve-sklearnserver"

    @property
    def is_vllm(self) -> bool:
        return self is not Runtime.SKLEARN


class Rhythm(StrEnum):
    """How callers come."""

    NEVER = "never"
    BUSY = "busy"
    RARE = "rare"
    BURSTS = "bursts"
    STEADY = "steady"


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One model as it is planned.

    weights_gb: bytes of the checkpoint / 1e9. storage: hf:// and s3:// are fetched by the
    storage-initializer, pvc:// is mounted, oci:// is an image beside the server; empty means that
    the server downloads by itself. baked: the server's own image holds the weights. local_cache:
    the node holds them, by a LocalModelCache.
    nodes: pods of a group that serves as one. prefill: replicas of a workload of its own that only
    reads prompts; the others then have a routing sidecar.
    compile_cached: torch.compile finds its cache. probe_period_s: of the startup probe; None
    leaves the runtime's own probe; startup_failures: how often it may fail.
    liveness: a liveness probe stands instead of it. pool: nodeSelector,
    empty for any node. timeout_s: of a request, None for the cluster's. concurrency: requests that
    one pod takes at once, 0 for any. burst_capacity: 0 takes the activator out of the path while
    there are pods, None leaves it to Knative. progress_deadline_s: None for the cluster's.
    """

    name: str
    namespace: str
    runtime: Runtime
    image: str
    vllm: tuple[int, int, int]
    weights_gb: float
    storage: str
    gpus: int = 1
    min_replicas: int = 0
    max_replicas: int = 2
    target: int = 10
    pool: str = ""
    team: str = "platform"
    environment: str = "prod"
    rhythm: Rhythm = Rhythm.RARE
    trouble: Trouble = Trouble.NONE
    compile_cached: bool = True
    eager: bool = False
    probe_period_s: int | None = 10
    startup_failures: int = 240
    liveness: bool = False
    timeout_s: int | None = None
    concurrency: int = 0
    burst_capacity: int | None = None
    progress_deadline_s: int | None = None
    api_key: str = ""
    baked: bool = False
    local_cache: bool = False
    nodes: int = 1
    prefill: int = 0
    autoscaler: str = ""

    @property
    def served_name(self) -> str:
        return self.name

    @property
    def model_image(self) -> str:
        """The image that holds only the weights; empty where there is none."""
        scheme, _, image = self.storage.partition("://")
        return image if scheme == "oci" else ""

    @property
    def downloads_itself(self) -> bool:
        """The server fetches its weights from the hub."""
        return not self.storage and not self.baked

    @property
    def weights_path(self) -> str:
        """Where the server finds them, or which repository it fetches."""
        if self.baked:
            return f"/models/{self.name}"
        return "/mnt/models" if self.storage else f"models/{self.name}"

    @property
    def key(self) -> tuple[str, str]:
        return self.namespace, self.name
