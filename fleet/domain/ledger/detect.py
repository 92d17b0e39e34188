"""Is this vLLM, and under which names does it answer? Rules in order; the first hit decides.

Source of the order and of the marks: kserve config/runtimes, config/llmisvcconfig,
pkg/controller/v1beta1/inferenceservice/utils/utils.go.
"""

from collections.abc import Iterable

from fleet.domain.ledger.codes import NotTakenRule
from fleet.domain.ledger.group import Group
from fleet.domain.records.engine import image_is_vllm
from fleet.domain.records.keys import Mode
from fleet.domain.records.serving import Container, ModelRecord, RuntimeRecord

VLLM_SERVERS = frozenset({"vllmserver", "huggingfaceserver"})
STOCK_RUNTIMES = (
    "kserve-vllmserver",
    "kserve-huggingfaceserver",
    "kserve-huggingfaceserver-multinode",
)
DETAIL_LENGTH = 200

Verdict = tuple[NotTakenRule, str] | None


def verdict(group: Group, runtime: RuntimeRecord | None) -> Verdict:
    """None if the model is taken for vLLM, else the rule that failed and its detail."""
    record = group.record
    if record is None:
        return NotTakenRule.NOTHING_SEEN, ""
    seen = containers_of(group, record, runtime)
    if group.mode is Mode.LLM:
        return _llm(record)
    if _other_backend(seen):
        return NotTakenRule.OTHER_BACKEND, "--backend=huggingface"
    if runtime is not None and runtime.server_type:
        if runtime.server_type in VLLM_SERVERS:
            return None
        return NotTakenRule.OTHER_RUNTIME, f"{record.runtime}: {runtime.server_type}"
    if record.runtime in STOCK_RUNTIMES:
        return None
    return _by_containers(seen, record.runtime)


def _by_containers(seen: tuple[Container, ...], runtime: str) -> Verdict:
    """By image repository or command line, whatever the runtime is called."""
    if any(image_is_vllm(item.image) or item.engine for item in seen):
        return None
    images = sorted({item.image for item in seen if item.image})
    if not images:
        return NotTakenRule.NOTHING_SEEN, runtime[:DETAIL_LENGTH]
    return NotTakenRule.NO_SIGN, ", ".join(images)[:DETAIL_LENGTH]


def containers_of(
    group: Group, record: ModelRecord, runtime: RuntimeRecord | None
) -> tuple[Container, ...]:
    """All containers that speak for a model: its own, its runtime's, and those that were made."""
    made: list[Container] = list(group.pod_containers)
    for revision in group.revisions.values():
        made.extend(revision.containers)
    for workload in group.workloads.values():
        made.extend(workload.containers)
    return (*record.containers, *(runtime.containers if runtime else ()), *made)


def _llm(record: ModelRecord) -> Verdict:
    """vLLM by preset, unless its own main container says otherwise."""
    main = next((item for item in record.containers if item.name == "main"), None)
    if main is None or (not main.args and not main.image) or main.engine:
        return None
    if main.args and _replaces_command(main):
        return NotTakenRule.COMMAND_OVERRIDDEN, " ".join(main.args)[:DETAIL_LENGTH]
    if main.image and not image_is_vllm(main.image) and main.args:
        return NotTakenRule.COMMAND_OVERRIDDEN, main.image[:DETAIL_LENGTH]
    return None


def _replaces_command(main: Container) -> bool:
    """Flags only add to the preset's command; a first word replaces it."""
    return not main.args[0].startswith("-") and not image_is_vllm(main.image)


def _other_backend(seen: Iterable[Container]) -> bool:
    for container in seen:
        joined = " ".join(container.args).replace("=", " ")
        if container.engine == "huggingfaceserver" and "--backend huggingface" in joined:
            return True
    return False


def served_names(group: Group) -> tuple[str, ...]:
    """Names that the server answers to: of the made containers, since runtime and model arguments
    are joined there; else what the kind makes of the object's name."""
    record = group.record
    if record is None:
        return ()
    if group.mode is Mode.LLM:
        name = record.model_name or record.meta.name
        return name, f"publishers/{record.meta.namespace}/models/{name}"
    for containers in (group.pod_containers, *_newest_first(group), record.containers):
        named = next((item.served_names for item in containers if item.served_names), ())
        if named and "{{" not in named[0]:
            return named
    return (record.meta.name,)


def _newest_first(group: Group) -> Iterable[tuple[Container, ...]]:
    parts = [(part.meta.created_at, part.containers) for part in group.revisions.values()]
    parts += [(part.meta.created_at, part.containers) for part in group.tops()]
    return [containers for _, containers in sorted(parts, key=lambda part: part[0], reverse=True)]
