"""Where traffic goes by weight: backends with their share, and the pods behind each.

Source: Knative Route status.traffic; KServe spec.canary and routing groups; HTTPRoute weights.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fleet.domain.diagnosis.case import Case
from fleet.domain.diagnosis.evidence import Pod, Thing
from fleet.domain.diagnosis.podview import is_over, is_ready
from fleet.domain.diagnosis.reading.plain import entries, mapping, name, number, within
from fleet.domain.diagnosis.rules.placing import generation_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """name: of a revision, a Service or a predictor. share: percent or weight, above 0."""

    name: str
    share: float
    ref: str
    pods: tuple[Pod, ...] = ()

    @property
    def ready(self) -> int:
        """Pods that serve."""
        return sum(1 for each in self.pods if is_ready(each))


def backends(case: Case) -> list[Backend]:
    """All that get traffic, as far as told, each once."""
    found: dict[str, Backend] = {}
    for called, share, ref in (*_of_config(case.evidence.config), *_of_model(case)):
        if called and share and called not in found:
            pods = tuple(each for each in case.pods if _is_behind(each, called))
            found[called] = Backend(name=called, share=share, ref=ref, pods=pods)
    return list(found.values())


def _is_behind(pod: Pod, called: str) -> bool:
    labels = pod.labels
    exact = (
        labels.get("serving.knative.dev/revision"),
        labels.get("app", "").removeprefix("isvc."),
        labels.get("app.kubernetes.io/name"),
        labels.get("app"),
    )
    if any(each for each in exact if each == called):
        return True
    known = labels.get("serving.knative.dev/revision") or labels.get("app", "").startswith("isvc.")
    return not known and pod.name.startswith(f"{called}-")


def _of_config(config: Mapping[str, Any]) -> Iterator[tuple[str, float | None, str]]:
    for key, value in config.items():
        low = key.lower()
        if "weight" not in low and "traffic" not in low and "split" not in low:
            continue
        ref = f"config/{key}"
        if isinstance(value, Mapping):
            for called in list(value)[:20]:
                yield name(called), number(value[called]), ref
        for each in entries(value) if isinstance(value, list) else ():
            called = each.get("name") or each.get("backend") or each.get("revisionName")
            share = next((each[k] for k in ("weight", "percent", "share") if k in each), None)
            yield name(called), number(share), ref


def _of_model(case: Case) -> Iterator[tuple[str, float | None, str]]:
    model = case.evidence.model
    traffic = within(model.status, "components", "predictor").get("traffic")
    for each in entries(traffic) if isinstance(traffic, list) else ():
        yield name(each.get("revisionName")), number(each.get("percent")), model.ref
    yield from _canaries(model)
    members = within(model.status, "router", "group").get("members")
    for each in entries(members) if isinstance(members, list) else ():
        yield name(each.get("name")), number(each.get("weight")), model.ref


def _canaries(model: Thing) -> Iterator[tuple[str, float | None, str]]:
    """Of an InferenceService in Standard mode; what they do not get goes to the stable one."""
    canaries = model.spec.get("canary")
    rest = 100.0
    for each in entries(canaries) if isinstance(canaries, list) else ():
        called = name(mapping(each.get("predictor")).get("name"))
        share = number(each.get("trafficPercent"))
        if called and share:
            rest -= share
            yield f"{model.name}-{called}-predictor", share, model.ref
    if 0 < rest < 100:
        yield f"{model.name}-predictor", rest, model.ref


def generations(case: Case) -> dict[str, list[Pod]]:
    """Pods by what tells revisions apart."""
    found: dict[str, list[Pod]] = {}
    for each in case.pods:
        if each.phase not in ("Failed", "Succeeded"):
            found.setdefault(generation_of(each), []).append(each)
    return found


def newest_generation(case: Case) -> list[Pod]:
    """Pods of the youngest revision, [] if there is only one."""
    found = generations(case)
    if len(found) < 2:
        return []
    return max(found.values(), key=_born)


def _born(pods: list[Pod]) -> float:
    times = [each.created_at.timestamp() for each in pods if each.created_at is not None]
    return min(times, default=0.0)


def leaving(case: Case) -> list[Pod]:
    """Pods that are on their way out."""
    return [each for each in case.pods if is_over(each)]
