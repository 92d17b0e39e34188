"""`settings_from_objects`: what was given, as one Settings for each model in it."""

from collections.abc import Iterable
from dataclasses import replace

from fleet.domain.lint.given import Given, Origin
from fleet.domain.lint.reading import knative, standard
from fleet.domain.lint.reading.container import (
    Template,
    gpus_of,
    merged,
    of_pod,
    probe_of,
    server_among,
)
from fleet.domain.lint.reading.cron import warm_ups_of
from fleet.domain.lint.reading.raw import Raw, listed, mapping, text, texts, truth, under, words
from fleet.domain.lint.reading.server import engine_told, server_of
from fleet.domain.lint.reading.storage import storage_of
from fleet.domain.lint.reading.world import World, label_of, name_of, namespace_of
from fleet.domain.lint.settings import Place, Probes, Ref, Rollout, Server, Settings
from fleet.domain.records.keys import Mode, ModelKind

STOP = "serving.kserve.io/stop"
FROZEN = "serving.kserve.io/disable-auto-update"
MODE = "serving.kserve.io/deploymentMode"
# Source: kserve pkg/constants/constants.go; the last two were written up to 0.15.
MODES = {
    "Knative": Mode.KNATIVE,
    "Standard": Mode.STANDARD,
    "Serverless": Mode.KNATIVE,
    "RawDeployment": Mode.STANDARD,
}
PROFILE_LABEL = "pilotlight.dev/profile"


def settings_from_objects(
    objects: Iterable[object],
    *,
    default_mode: Mode = Mode.KNATIVE,
    profile_label: str = PROFILE_LABEL,
    ingress_s: float | None = None,
) -> list[Settings]:
    """One for each InferenceService and LLMInferenceService, in the order given, whether or not it
    serves vLLM (`Settings.is_vllm`).

    objects: raw Kubernetes objects of any kind, lists of them, or bundles; ServingRuntimes,
    Revisions, Deployments, HTTPRoutes, CronJobs, Namespaces and ConfigMaps among them tell more.
    default_mode: for an InferenceService whose mode neither it nor inferenceservice-config says.
    profile_label: on the model, else on its namespace; "" = off. ingress_s: after how long
    without a byte a load balancer in front gives up; None = not known.
    """
    world = World(objects)
    ingress: Given[float] = Given(ingress_s, Origin.OBJECT) if ingress_s else Given()
    found = [_settings(raw, world, default_mode=default_mode) for raw in world.models()]
    return [
        replace(
            each,
            profile=_label(profile_label, raw, world),
            limits=replace(each.limits, ingress_s=ingress),
        )
        for each, raw in zip(found, world.models(), strict=True)
    ]


def _settings(raw: Raw, world: World, *, default_mode: Mode) -> Settings:
    if text(raw.get("kind")) == ModelKind.LLM_INFERENCE_SERVICE:
        return _of_llm(raw, world)
    stated = _mode(raw, world)
    return _of_isvc(raw, world, mode=stated or default_mode, stated=stated is not None)


def _mode(raw: Raw, world: World) -> Mode | None:
    """A status keeps its mode, whatever the annotation or the cluster says later."""
    deploy = world.config_part(standard.KSERVE_CONFIG, "deploy") or {}
    said = (
        under(raw, "status").get("deploymentMode"),
        under(raw, "metadata", "annotations").get(MODE),
        deploy.get("defaultDeploymentMode"),
    )
    modes = (MODES.get(text(each)) for each in said)
    return next((mode for mode in modes if mode), None)


def _of_isvc(raw: Raw, world: World, *, mode: Mode, stated: bool) -> Settings:
    predictor = under(raw, "spec", "predictor")
    revision = world.revision(raw) if mode is Mode.KNATIVE else None
    deployment = world.deployment(raw, revision)
    runtime = world.runtime(_runtime_name(raw, predictor), namespace_of(raw)) or {}
    template = _isvc_template(predictor, runtime, revision, deployment)
    told = {**_own_part(predictor), "runtime": _runtime_name(raw, predictor)}
    server = server_of(
        template, _isvc_place(predictor), engine=engine_told(runtime, told), name=name_of(raw)
    )
    settings = replace(
        _shared(raw, world, template, server, uri=_uri(predictor)), mode=mode, mode_stated=stated
    )
    if mode is Mode.STANDARD:
        return _standard(settings, raw, world, deployment=deployment)
    notes = knative.notes_of(raw, predictor, revision, world)
    return replace(
        settings,
        scaling=knative.scaling_of(raw, predictor, notes, world),
        limits=knative.limits_of(predictor, notes, world, revision=revision, deployment=deployment),
        telemetry=knative.telemetry_of(world),
    )


def _standard(settings: Settings, raw: Raw, world: World, *, deployment: Raw | None) -> Settings:
    predictor = under(raw, "spec", "predictor")
    scaling = standard.scaling_of(raw, predictor)
    return replace(
        settings,
        scaling=scaling,
        limits=standard.limits_of(raw, predictor, world, deployment=deployment),
        rollout=standard.rollout_of(
            predictor,
            deployment,
            replicas=max(scaling.min.value or 1, 1),
            gpus=settings.rollout.gpus,
        ),
    )


def _of_llm(raw: Raw, world: World) -> Settings:
    spec = under(raw, "spec")
    deployment = world.deployment(raw, None)
    listed_ = listed(under(spec, "template").get("containers"))
    own = server_among(listed_) or {}
    volumes = listed(under(spec, "template").get("volumes"))
    template = _of_deployment(deployment) or Template(own, volumes, False, Origin.OBJECT)
    place = _place_among(listed_, own, "/spec/template")
    server = server_of(template, place, engine="vllm-serve", name=name_of(raw))
    settings = _shared(raw, world, template, server, uri=text(under(spec, "model").get("uri")))
    scaling = standard.llm_scaling_of(spec)
    return replace(
        settings,
        mode=Mode.LLM,
        scaling=scaling,
        limits=standard.llm_limits_of(deployment),
        rollout=standard.rollout_of(
            {}, deployment, replicas=max(scaling.min.value or 1, 1), gpus=settings.rollout.gpus
        ),
    )


def _shared(raw: Raw, world: World, template: Template, server: Server, *, uri: str) -> Settings:
    """What is read alike in every mode."""
    notes = texts(under(raw, "metadata", "annotations"))
    ref = Ref(
        api_version=text(raw.get("apiVersion")),
        kind=text(raw.get("kind")),
        namespace=namespace_of(raw),
        name=name_of(raw),
    )
    return Settings(
        ref=ref,
        server=server,
        probes=Probes(
            startup=probe_of(template, "startupProbe"),
            readiness=probe_of(template, "readinessProbe"),
            liveness=probe_of(template, "livenessProbe"),
        ),
        storage=storage_of(raw, template, server, uri=uri),
        rollout=Rollout(gpus=_gpus(raw, template)),
        warm_ups=warm_ups_of(ref, world.cron_jobs()),
        stop=notes.get(STOP),
        frozen=truth(notes.get(FROZEN)),
        has=_written(raw),
    )


def _gpus(raw: Raw, template: Template) -> int | None:
    """Of one replica; None where workers on other nodes have some too, whose number is not here."""
    spec = under(raw, "spec")
    several = under(spec, "predictor", "workerSpec") or mapping(spec.get("worker"))
    gpus = gpus_of(template.container)
    known = (gpus or template.complete) and not several
    return gpus if known else None


def _written(raw: Raw) -> frozenset[str]:
    """Keys of the part that holds the pod, and of metadata that patches add to."""
    part = under(raw, "spec", "predictor") or under(raw, "spec", "template")
    return frozenset(map(str, part))


def _label(key: str, raw: Raw, world: World) -> str:
    return (label_of(raw, key) or label_of(world.namespace(namespace_of(raw)), key)) if key else ""


def _own_part(predictor: Raw) -> Raw:
    """The webhook makes `model` of the older `huggingface`.
    Source: kserve pkg/apis/serving/v1beta1/inference_service_defaults.go."""
    old = mapping(predictor.get("huggingface"))
    return mapping(predictor.get("model")) or (
        {"modelFormat": {"name": "huggingface"}, **old} if "huggingface" in predictor else {}
    )


def _runtime_name(raw: Raw, predictor: Raw) -> str:
    status = under(raw, "status")
    named = status.get("servingRuntimeName") or status.get("clusterServingRuntimeName")
    return text(named) or text(_own_part(predictor).get("runtime"))


def _isvc_template(
    predictor: Raw, runtime: Raw, revision: Raw | None, deployment: Raw | None
) -> Template:
    """As it runs, else as it will: custom containers are whole, a model's part lacks its runtime's
    unless that was given."""
    running = of_pod(under(revision, "spec"), "Revision") or _of_deployment(deployment)
    if running is not None:
        return running
    own, below = _own_part(predictor), under(runtime, "spec")
    volumes = [*listed(below.get("volumes")), *listed(predictor.get("volumes"))]
    base = server_among(listed(below.get("containers")))
    if base is not None:
        return Template(merged(base, own), volumes, True, Origin.RUNTIME, name_of(runtime))
    custom = None if own else server_among(listed(predictor.get("containers")))
    return Template(own if custom is None else custom, volumes, custom is not None, Origin.OBJECT)


def _of_deployment(deployment: Raw | None) -> Template | None:
    """Beside a queue-proxy, which asks the readiness in the server's stead."""
    spec = under(deployment, "spec", "template", "spec")
    names = {text(each.get("name")) for each in listed(spec.get("containers"))}
    return of_pod(spec, "Deployment", moved="queue-proxy" in names)


def _isvc_place(predictor: Raw) -> Place:
    for key in ("model", "huggingface"):
        if isinstance(predictor.get(key), dict):
            own = mapping(predictor[key])
            return Place(
                pointer=f"/spec/predictor/{key}",
                has=frozenset(map(str, own)),
                words=tuple(words(own.get("args"))),
            )
    listed_ = listed(predictor.get("containers"))
    return _place_among(listed_, server_among(listed_) or {}, "/spec/predictor")


def _place_among(all_: list[Raw], one: Raw, above: str) -> Place:
    at = next((at for at, each in enumerate(all_) if each is one), None)
    if at is None or not text(one.get("name")):
        return Place()
    return Place(
        pointer=f"{above}/containers/{at}",
        name=text(one.get("name")),
        has=frozenset(map(str, one)),
        words=tuple(words(one.get("args"))),
    )


def _uri(predictor: Raw) -> str:
    own = _own_part(predictor)
    several = [text(each.get("uri")) for each in listed(own.get("storageUris"))]
    return text(own.get("storageUri")) or next(iter(several), "")
