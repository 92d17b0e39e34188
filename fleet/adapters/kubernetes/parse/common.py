"""What every kind of object shares: metadata, conditions, containers. All text is bounded here."""

import hashlib
import sys
from datetime import UTC, datetime, timedelta

import msgspec

from fleet.adapters.kubernetes.parse.arguments import arguments_of
from fleet.adapters.kubernetes.parse.shapes import (
    ObjectMeta,
    Owner,
    RawCondition,
    RawContainer,
    Texts,
)
from fleet.domain.records import durations
from fleet.domain.records.common import Condition, Meta
from fleet.domain.records.engine import engine_of, served_names_of
from fleet.domain.records.serving import Container

MESSAGE_LENGTH = 1024
CONTAINERS_AT_MOST = 32
CONDITIONS_AT_MOST = 40
LABELS_AT_MOST = 48
VALUE_LENGTH = 256
MANAGERS_AT_MOST = 16

KSERVE = "serving.kserve.io/"
KNATIVE = "serving.knative.dev/"
AUTOSCALING = "autoscaling.knative.dev/"
MODEL_LABEL = KSERVE + "inferenceservice"
NAME_LABEL = "app.kubernetes.io/name"
PART_OF_LABEL = "app.kubernetes.io/part-of"
COMPONENT_LABEL = "app.kubernetes.io/component"
ROLE_LABEL = "llm-d.ai/role"
LLM_PART_OF = "llminferenceservice"

_NULLS = (b"", b"null")


def bounded(text: str | None, length: int = MESSAGE_LENGTH) -> str:
    """At most `length` characters; "" for null."""
    return (text or "")[:length]


def shared(text: str | None) -> str:
    """A short text that many objects repeat, kept once."""
    return sys.intern((text or "")[:VALUE_LENGTH])


def given(raw: msgspec.Raw) -> bool:
    """Whether an optional part that we do not decode is there."""
    return bytes(raw) not in _NULLS


def utc(moment: datetime | None) -> datetime | None:
    """The API writes UTC; a time without a zone is taken for it."""
    if moment is None or moment.tzinfo is UTC:
        return moment
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def meta_of(raw: ObjectMeta) -> Meta:
    """Identity of an object, without its labels."""
    owner = controller_of(raw.ownerReferences)
    return Meta(
        uid=bounded(raw.uid, VALUE_LENGTH),
        name=bounded(raw.name, VALUE_LENGTH),
        namespace=shared(raw.namespace),
        resource_version=bounded(raw.resourceVersion, VALUE_LENGTH),
        generation=raw.generation,
        created_at=utc(raw.creationTimestamp) or raw.creationTimestamp,
        deleted_at=_deleted_at(raw),
        owner_kind=shared(owner.kind),
        owner_name=shared(owner.name),
        owner_uid=shared(owner.uid),
        managers=_managers(raw),
        changed_by=_changed_by(raw),
    )


def _deleted_at(raw: ObjectMeta) -> datetime | None:
    """When deletion was asked for: deletionTimestamp lies a grace period ahead of it."""
    if raw.deletionTimestamp is None:
        return None
    return utc(raw.deletionTimestamp - timedelta(seconds=raw.deletionGracePeriodSeconds or 0))


def controller_of(owners: list[Owner] | None) -> Owner:
    """The controlling owner, else the first, else an empty one."""
    if not owners:
        return Owner()
    return next((owner for owner in owners if owner.controller), owners[0])


def _managers(raw: ObjectMeta) -> tuple[str, ...]:
    names = {entry.manager for entry in raw.managedFields or ()}
    return tuple(shared(name) for name in sorted(names)[:MANAGERS_AT_MOST])


def _changed_by(raw: ObjectMeta) -> str:
    """Manager of the newest write that was not of the status; the last of those of one second."""
    newest, name = None, ""
    for entry in raw.managedFields or ():
        if entry.subresource != "status" and entry.time and (not newest or entry.time >= newest):
            newest, name = entry.time, entry.manager
    return shared(name)


def conditions_of(raw: list[RawCondition] | None) -> tuple[Condition, ...]:
    """Conditions in the order of the object."""
    return tuple(
        Condition(
            type=shared(item.type),
            status=shared(item.status),
            reason=shared(item.reason),
            message=bounded(item.message),
            changed_at=utc(item.lastTransitionTime),
        )
        for item in (raw or ())[:CONDITIONS_AT_MOST]
    )


def container_of(raw: RawContainer, *, name: str = "") -> Container:
    """A declared container; `name` stands in for an empty one (a model's own container)."""
    line = [*(raw.command or ()), *(raw.args or ())]
    gpus, resource = gpus_of(raw.resources.limits if raw.resources else None)
    ports = [port.containerPort for port in raw.ports or () if port.containerPort]
    return Container(
        name=shared(raw.name or name),
        image=shared(raw.image),
        args=arguments_of(line),
        port=ports[0] if ports else None,
        gpus=gpus,
        gpu_resource=resource,
        engine=engine_of(line),
        served_names=served_names_of(line),
        startup_probe=given(raw.startupProbe),
    )


def containers_of(raw: list[RawContainer] | None) -> tuple[Container, ...]:
    """Declared containers, at most CONTAINERS_AT_MOST."""
    return tuple(container_of(item) for item in (raw or ())[:CONTAINERS_AT_MOST])


def gpus_of(limits: dict[str, str | int | float] | None) -> tuple[int, str]:
    """Count and resource name of the accelerators a container may use: whole devices only."""
    for name, quantity in (limits or {}).items():
        if is_gpu(name):
            return whole(str(quantity)) or 0, shared(name)
    return 0, ""


def is_gpu(resource: str) -> bool:
    """Extended resources of accelerators, such as nvidia.com/gpu, nvidia.com/mig-1g.5gb,
    amd.com/gpu, gpu.intel.com/i915, habana.ai/gaudi, google.com/tpu."""
    domain, _, device = resource.partition("/")
    return "gpu" in domain or device.startswith(("gpu", "mig-", "gaudi", "tpu"))


def whole(text: str | None) -> int | None:
    """A whole number, or None where the text is none."""
    try:
        return int(text or "")
    except ValueError:
        return None


def duration_s(text: str | None) -> float | None:
    """Seconds of a Go duration of the forms that Knative takes, such as 30m, 1h30m or 600s."""
    return durations.duration_s(text) if text else None


def annotated(annotations: Texts, *keys: str) -> int | None:
    """The first of the annotations that is there, as a number; None if absent or no number.
    Kebab case goes first. Source: knative/serving pkg/apis/autoscaling/register.go, KeyPriority."""
    for key in keys:
        if annotations and (AUTOSCALING + key) in annotations:
            return whole(annotations[AUTOSCALING + key])
    return None


def pairs(texts: Texts, *, prefixes: tuple[str, ...] = ("",)) -> tuple[tuple[str, str], ...]:
    """Labels or annotations as sorted pairs, those of the prefixes only, bounded."""
    kept = sorted(key for key in texts or () if key.startswith(prefixes))[:LABELS_AT_MOST]
    return tuple((shared(key), shared((texts or {})[key])) for key in kept)


def fingerprint(*parts: Texts) -> str:
    """A short text that changes with any key or value."""
    text = repr([sorted((part or {}).items()) for part in parts])
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=8).hexdigest()


def model_of(labels: Texts) -> tuple[str, str]:
    """Kind and name of the model that an object belongs to, by its labels; "" where to none.
    Source: kserve pkg/constants/constants.go."""
    mine = labels or {}
    if mine.get(MODEL_LABEL):
        return "InferenceService", shared(mine[MODEL_LABEL])
    if mine.get(PART_OF_LABEL) == LLM_PART_OF and mine.get(NAME_LABEL):
        return "LLMInferenceService", shared(mine[NAME_LABEL])
    return "", ""


def component_of(labels: Texts, kind: str) -> str:
    """predictor, transformer, … of an InferenceService; workload, or the label's own word
    (router-scheduler, …), of an LLMInferenceService; "" where nothing tells.
    Source: kserve pkg/constants/constants.go."""
    if kind == "InferenceService":
        return shared((labels or {}).get("component"))
    word = (labels or {}).get(COMPONENT_LABEL, "").removeprefix("llminferenceservice-")
    return "workload" if word.startswith("workload") else shared(word)


def role_of(labels: Texts) -> str:
    """decode, prefill or both. Source: kserve pkg/constants/constants.go, label llm-d.ai/role."""
    role = (labels or {}).get(ROLE_LABEL, "")
    if role in {"decode", "prefill"}:
        return role
    component = (labels or {}).get(COMPONENT_LABEL, "")
    return "prefill" if component.endswith("-prefill") else "both"
