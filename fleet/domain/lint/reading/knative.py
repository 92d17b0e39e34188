"""What Knative reads: annotations, the Revision, and the cluster's ConfigMaps."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from fleet.domain.lint.given import Given, Origin
from fleet.domain.lint.reading.raw import (
    Raw,
    duration_s,
    mapping,
    number,
    text,
    texts,
    under,
    whole,
)
from fleet.domain.lint.reading.world import World, name_of
from fleet.domain.lint.settings import Inert, Limits, Scaling, Telemetry

T = TypeVar("T")

AUTOSCALING = "autoscaling.knative.dev/"
DEADLINE = "serving.knative.dev/progress-deadline"
AUTOSCALER, DEFAULTS = "config-autoscaler", "config-defaults"
DEPLOYMENT, OBSERVABILITY = "config-deployment", "config-observability"
VERSION_LABEL = "app.kubernetes.io/version"
# What Knative ships with. Source: knative/serving config/core/configmaps.
TIMEOUT_S, MOST_S, DEADLINE_S = 300.0, 600.0, 600.0
WINDOW_S, GRACE_S, TARGET, UTILISATION = 60.0, 30.0, 100.0, 0.7
# Metrics are off unless asked for since 1.19. Source: knative/serving config-observability.
OFF_SINCE = (1, 19)


@dataclass(frozen=True, slots=True)
class Notes:
    """Annotations that reach the Revision: the model's own, else those of the Revision itself."""

    own: Mapping[str, str]
    revision: Mapping[str, str]
    autoscaler: Mapping[str, str]
    at: str = ""

    def find(self, *keys: str) -> tuple[str, str] | None:
        """Value and key of the first that is there."""
        for notes in (self.own, self.revision):
            for key in keys:
                if key in notes:
                    return notes[key], key
        return None

    def scale(self, key: str) -> Given[int]:
        """A whole number of the autoscaler's; absent where no annotation says it."""
        found = self.find(AUTOSCALING + key)
        if found is None:
            return Given(None, Origin.DEFAULT)
        value = whole(found[0])
        return Given() if value is None else Given(value, Origin.ANNOTATION, found[1])


def notes_of(model: Raw, predictor: Raw, revision: Raw | None, world: World) -> Notes:
    own = {
        **texts(under(model, "metadata", "annotations")),
        **texts(predictor.get("annotations")),
    }
    of_revision = texts(under(revision, "metadata", "annotations"))
    autoscaler = world.autoscaler(revision) if revision else None
    of_autoscaler = texts(under(autoscaler, "metadata", "annotations"))
    return Notes(own, of_revision, of_autoscaler, name_of(revision or {}))


def scaling_of(model: Raw, predictor: Raw, notes: Notes, world: World) -> Scaling:
    """Of an InferenceService in Knative mode. A floor that stands on the PodAutoscaler (up to 1.20)
    or the Revision counts: it may have been raised in place."""
    config = world.config(AUTOSCALER)
    class_ = notes.find(AUTOSCALING + "class")
    target = number(predictor.get("scaleTarget"))
    return Scaling(
        asked=_count(predictor, "minReplicas", otherwise=1),
        min=_floor(predictor, notes),
        max=_count(predictor, "maxReplicas", otherwise=0),
        activation=notes.scale("activation-scale"),
        limit=_configured(config, "max-scale-limit", 0, whole),
        class_=Given((class_[0] if class_ else "kpa").partition(".")[0], Origin.DEFAULT),
        metric=Given(text(predictor.get("scaleMetric")) or "concurrency", Origin.OBJECT),
        target=Given(target, Origin.OBJECT, "spec.predictor.scaleTarget")
        if target
        else _annotated(notes, "target", number)
        or _configured(config, "container-concurrency-target-default", TARGET, number),
        utilisation=_utilisation(notes, config),
        concurrency=_count(predictor, "containerConcurrency", otherwise=0),
        window_s=_annotated(notes, "window", duration_s)
        or _configured(config, "stable-window", WINDOW_S, duration_s),
        grace_s=_configured(config, "scale-to-zero-grace-period", GRACE_S, duration_s),
        retention_s=_annotated(notes, "scale-to-zero-pod-retention-period", duration_s)
        or _configured(config, "scale-to-zero-pod-retention-period", 0.0, duration_s),
        sleeps=text((config or {}).get("enable-scale-to-zero")).lower() != "false",
        inert=inert_of(model, predictor, knative=True),
    )


def _floor(predictor: Raw, notes: Notes) -> Given[int]:
    key = AUTOSCALING + "min-scale"
    raised = whole(notes.autoscaler.get(key, notes.revision.get(key)))
    if raised is not None:
        return Given(raised, Origin.ANNOTATION, notes.at)
    return _count(predictor, "minReplicas", otherwise=1)


def _count(predictor: Raw, key: str, *, otherwise: int) -> Given[int]:
    """A field that KServe reads as `otherwise` where it is absent."""
    value = whole(predictor.get(key))
    if value is None:
        return Given(otherwise, Origin.DEFAULT)
    return Given(value, Origin.OBJECT, f"spec.predictor.{key}")


def _annotated(
    notes: Notes, key: str, read: Callable[[object], float | None]
) -> Given[float] | None:
    found = notes.find(AUTOSCALING + key)
    value = read(found[0]) if found else None
    return None if found is None or value is None else Given(value, Origin.ANNOTATION, found[1])


def _configured(
    config: Raw | None, key: str, shipped: T, read: Callable[[object], T | None]
) -> Given[T]:
    """A key of a ConfigMap; what Knative ships with where it is silent or was not read."""
    if config is None:
        return Given(shipped, Origin.ASSUMED)
    value = read(config.get(key))
    return Given(shipped, Origin.DEFAULT) if value is None else Given(value, Origin.CONFIG_MAP, key)


def _utilisation(notes: Notes, config: Raw | None) -> Given[float]:
    """Percent in the annotation; percent or a share in the ConfigMap."""
    own = _annotated(notes, "target-utilization-percentage", number)
    key = "container-concurrency-target-percentage"
    found = own or _configured(config, key, UTILISATION, number)
    share = found.value or UTILISATION
    return Given(share / 100.0 if share > 1.0 else share, found.origin, found.at)


def inert_of(model: Raw, predictor: Raw, *, knative: bool) -> tuple[Inert, ...]:
    """Floors and ceilings in annotations of an InferenceService that nothing reads. KServe strips
    min-scale and max-scale and writes the fields; minScale and maxScale reach the Revision, where
    Knative looks the other spelling up first: maxScale works as long as maxReplicas writes none.
    Sources: kserve pkg/constants/constants.go ServiceAnnotationDisallowedList;
    knative/serving pkg/apis/autoscaling/register.go."""
    keys = [("minScale", "minReplicas"), ("min-scale", "minReplicas"), ("max-scale", "maxReplicas")]
    if not knative or whole(predictor.get("maxReplicas")):
        keys.append(("maxScale", "maxReplicas"))
    places = (
        (texts(under(model, "metadata", "annotations")), False),
        (texts(predictor.get("annotations")), True),
    )
    return tuple(
        Inert(
            key=AUTOSCALING + key,
            field=field,
            count=whole(notes[AUTOSCALING + key]),
            of_predictor=of_predictor,
        )
        for notes, of_predictor in places
        for key, field in keys
        if AUTOSCALING + key in notes
    )


def limits_of(
    predictor: Raw, notes: Notes, world: World, *, revision: Raw | None, deployment: Raw | None
) -> Limits:
    """KServe writes spec.predictor.timeout into both limits of the Revision (since 0.13)."""
    config = world.config(DEFAULTS)
    return Limits(
        asked_s=_seconds(predictor, "timeout", "spec.predictor.timeout") or Given(),
        timeout_s=_timeout(predictor, revision, config),
        response_start_s=_response_start(predictor, revision, config),
        most_s=_configured(config, "max-revision-timeout-seconds", MOST_S, number),
        deadline_s=_deadline(notes, world, deployment),
    )


def _timeout(predictor: Raw, revision: Raw | None, config: Raw | None) -> Given[float]:
    own = _seconds(predictor, "timeout", "spec.predictor.timeout")
    live = _seconds(under(revision, "spec"), "timeoutSeconds", "timeoutSeconds")
    return live or own or _configured(config, "revision-timeout-seconds", TIMEOUT_S, number)


def _response_start(predictor: Raw, revision: Raw | None, config: Raw | None) -> Given[float]:
    """A Revision without one has no limit but its timeout."""
    key = "responseStartTimeoutSeconds"
    if revision is not None:
        return _seconds(under(revision, "spec"), key, key) or Given(None, Origin.OBJECT)
    own = _seconds(predictor, "timeout", "spec.predictor.timeout")
    key = "revision-response-start-timeout-seconds"
    return own or _configured(config, key, TIMEOUT_S, number)


def _seconds(raw: Raw, key: str, at: str) -> Given[float] | None:
    value = number(raw.get(key))
    return None if value is None else Given(value, Origin.OBJECT, at)


def _deadline(notes: Notes, world: World, deployment: Raw | None) -> Given[float]:
    found = notes.find(DEADLINE)
    noted = duration_s(found[0]) if found else None
    if noted is not None:
        return Given(noted, Origin.ANNOTATION, DEADLINE)
    live = _seconds(under(deployment, "spec"), "progressDeadlineSeconds", "progressDeadlineSeconds")
    return live or _configured(
        world.config(DEPLOYMENT), "progress-deadline", DEADLINE_S, duration_s
    )


def telemetry_of(world: World) -> Telemetry:
    """Up to 1.18 request metrics are on unless switched off; which default holds is not known where
    the version is not told."""
    raw = world.config_map(OBSERVABILITY)
    if raw is None:
        return Telemetry()
    data = texts(raw.get("data"))
    off = _off_by_default(raw)
    return Telemetry(
        request_metrics=_protocol(data, "request-metrics-protocol", off=off),
        control_metrics=_protocol(data, "metrics-protocol", off=off),
        at=f"ConfigMap/{text(under(raw, 'metadata').get('namespace')) or 'knative-serving'}"
        f"/{OBSERVABILITY}",
    )


def _protocol(data: Mapping[str, str], key: str, *, off: bool | None) -> Given[str]:
    if key in data:
        return Given(data[key], Origin.CONFIG_MAP, key)
    if off is None or not off:
        return Given()
    return Given("none", Origin.DEFAULT, key)


def _off_by_default(raw: Raw) -> bool | None:
    version = text(mapping(under(raw, "metadata", "labels")).get(VERSION_LABEL)).lstrip("v")
    numbers = [whole(part) for part in version.split(".")[:2]]
    if len(numbers) != 2 or None in numbers:
        return None
    return (numbers[0] or 0, numbers[1] or 0) >= OFF_SINCE
