"""Everything that a rule needs to know of one model's settings, each with its origin."""

from dataclasses import dataclass, field

from fleet.domain.lint.given import Given, Probe
from fleet.domain.records.keys import Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class Ref:
    """The model's own object."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the server's container stands in the model's own object, as a JSON pointer; "" where it
    has none, because runtime or presets bring it. name: of an entry of a list, "" where the place
    is no list. has: which of its fields are written there. words: its arguments, as written."""

    pointer: str = ""
    name: str = ""
    has: frozenset[str] = frozenset()
    words: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """The container that runs vLLM.

    engine: vllm-serve, vllm-module, huggingfaceserver, "" = not told. served: the first name it
    answers to. api_key: whether it asks for one. complete: whether all of it was read, so that what
    is not there is absent. env: names of variables with their values; None = not shown.
    """

    engine: str = ""
    image: str = ""
    port: int | None = None
    api_key: bool = False
    complete: bool = False
    tensor_parallel: int = 1
    max_seqs: int | None = None
    model: str = ""
    served: str = ""
    env: dict[str, str | None] = field(default_factory=dict, hash=False)
    pre_stop: Given[bool] = Given()
    place: Place = Place()

    @property
    def plain(self) -> bool:
        """vLLM's own server, not KServe's around it."""
        return self.engine in ("vllm-serve", "vllm-module")


@dataclass(frozen=True, slots=True, kw_only=True)
class Probes:
    startup: Given[Probe] = Given()
    readiness: Given[Probe] = Given()
    liveness: Given[Probe] = Given()


@dataclass(frozen=True, slots=True, kw_only=True)
class Inert:
    """A scaling annotation that does nothing. field: what counts in its stead. count: what its
    author wanted, None if no number. of_predictor: under spec.predictor, not on the object."""

    key: str
    field: str
    of_predictor: bool = False
    count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """asked: the minimum of the model's own object; min: as it takes effect, which differs where it
    was raised in place. max: 0 = no limit, as asked for. class_: kpa, hpa, keda, none, external.
    target: requests in flight for each replica; utilisation: share of it that is aimed at, 0..1.
    window_s, grace_s, retention_s: how long after its last request a model sleeps (Knative).
    sleeps: False where the cluster lets nothing scale to zero. wants_scaling: whether a target or a
    metric is asked for."""

    asked: Given[int] = Given()
    min: Given[int] = Given()
    max: Given[int] = Given()
    activation: Given[int] = Given()
    limit: Given[int] = Given()
    class_: Given[str] = Given()
    metric: Given[str] = Given()
    target: Given[float] = Given()
    utilisation: Given[float] = Given()
    concurrency: Given[int] = Given()
    window_s: Given[float] = Given()
    grace_s: Given[float] = Given()
    retention_s: Given[float] = Given()
    sleeps: bool = True
    wants_scaling: bool = False
    inert: tuple[Inert, ...] = ()

    @property
    def until_sleep_s(self) -> float | None:
        """From the last request to zero replicas. Source: knative/serving
        pkg/reconciler/autoscaling/kpa/scaler.go."""
        if self.window_s.value is None or self.grace_s.value is None:
            return None
        return self.window_s.value + max(self.grace_s.value, self.retention_s.value or 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Time limits on the way of a request and of a rollout. timeout_s: as it takes effect;
    asked_s: as the model's own object asks. route_s: of the HTTPRoute (Standard); 0 = none.
    ingress_s: of a load balancer in front, which no object tells. most_s: the longest timeout that
    the cluster accepts."""

    asked_s: Given[float] = Given()
    ingress_s: Given[float] = Given()
    timeout_s: Given[float] = Given()
    response_start_s: Given[float] = Given()
    route_s: Given[float] = Given()
    most_s: Given[float] = Given()
    deadline_s: Given[float] = Given()


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """weights_from: storage-initializer, modelcar, local-cache, pvc, app-download, baked, "" = not
    told. cache_kept: whether vLLM's compile cache outlives the pod. hub_kept: whether what the
    server downloads does. shm: whether /dev/shm is a memory volume."""

    weights_from: str = ""
    uri: str = ""
    cache_kept: Given[bool] = Given()
    hub_kept: Given[bool] = Given()
    shm: Given[bool] = Given()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """max_surge, max_unavailable: replicas more and fewer while an update runs, of one replica.
    gpus: of one replica, in all its pods; None = not told."""

    max_surge: Given[int] = Given()
    max_unavailable: Given[int] = Given()
    gpus: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Telemetry:
    """request_metrics, control_metrics: the protocols of Knative's config-observability; "none" =
    off. Not known where it was not read or where the version decides and is not told."""

    request_metrics: Given[str] = Given()
    control_metrics: Given[str] = Given()
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmUps:
    """A CronJob that asks the model now and then. every_s: the longest pause between two runs
    within the hours in which it runs."""

    every_s: Given[float] = Given()
    namespace: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One model.

    mode_stated: False if nothing given names the mode: it is then taken for a default.
    stop: value of the annotation serving.kserve.io/stop, None = absent. frozen: whether the
    annotation serving.kserve.io/disable-auto-update keeps changes from it. has: what the part of
    the object that holds the pod has written in it, such as volumes. profile: what its team wants
    (docs/lint.md), "" = not said.
    """

    ref: Ref
    mode: Mode = Mode.KNATIVE
    mode_stated: bool = True
    server: Server = Server()
    probes: Probes = Probes()
    scaling: Scaling = Scaling()
    limits: Limits = Limits()
    storage: Storage = Storage()
    rollout: Rollout = Rollout()
    telemetry: Telemetry = Telemetry()
    warm_ups: WarmUps = WarmUps()
    stop: str | None = None
    frozen: bool = False
    has: frozenset[str] = frozenset()
    profile: str = ""
    team: str = ""

    @property
    def is_vllm(self) -> bool:
        """Whether what was given shows that it serves vLLM."""
        return bool(self.server.engine)
