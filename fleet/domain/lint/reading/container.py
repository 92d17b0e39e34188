"""The container that runs vLLM: out of runtime and model, or of a pod template."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fleet.domain.lint.given import Given, Origin, Probe
from fleet.domain.lint.reading.raw import Raw, listed, mapping, number, text, under, whole, words

SERVER_NAMES = ("kserve-container", "main")
# Everything else may hold a secret.
READ = frozenset({"HOME", "HF_HOME", "HF_HUB_CACHE", "VLLM_CACHE_ROOT"})
_HOW = (("httpGet", "http"), ("tcpSocket", "tcp"), ("grpc", "grpc"), ("exec", "exec"))


@dataclass(frozen=True, slots=True)
class Template:
    """The server's container and its pod's volumes. complete: all that will run was read. moved:
    Knative has taken the readiness probe off this container."""

    container: Raw
    volumes: Sequence[Raw]
    complete: bool
    origin: Origin
    at: str = ""
    moved: bool = False


def of_pod(spec: Raw, at: str, *, moved: bool = False) -> Template | None:
    """From a pod's spec as it runs; None without containers."""
    container = server_among(listed(spec.get("containers")))
    if container is None:
        return None
    volumes = listed(spec.get("volumes"))
    return Template(container, volumes, True, Origin.OBJECT, at, moved)


def server_among(containers: Sequence[Raw]) -> Raw | None:
    """The one that KServe names so, else the first."""
    named = [each for each in containers if text(each.get("name")) in SERVER_NAMES]
    return next(iter((*named, *containers)), None)


def merged(runtime: Raw, own: Raw) -> dict[str, Any]:
    """What KServe makes of a runtime's container and the model's own: arguments one after the
    other, environment by name, the rest by field.
    Source: kserve utils/utils.go MergeRuntimeContainers."""
    result = _over(runtime, own)
    result["args"] = [*words(runtime.get("args")), *words(own.get("args"))]
    for key, by in (("env", "name"), ("volumeMounts", "mountPath")):
        by_key = {text(each.get(by)): each for each in listed(runtime.get(key))}
        by_key.update({text(each.get(by)): each for each in listed(own.get(key))})
        result[key] = list(by_key.values())
    return result


def _over(below: Raw, above: Raw, depth: int = 6) -> dict[str, Any]:
    result = dict(below)
    for key, value in above.items():
        lower = result.get(key)
        deep = depth and isinstance(lower, Mapping) and isinstance(value, Mapping)
        result[key] = _over(mapping(lower), mapping(value), depth - 1) if deep else value
    return result


def probe_of(template: Template, name: str) -> Given[Probe]:
    """A probe by its field's name; absent only where all of the container was read."""
    raw = template.container.get(name)
    if isinstance(raw, Mapping) and raw:
        return Given(probe(raw), template.origin, template.at)
    hidden = template.moved and name == "readinessProbe"
    return (
        Given(None, template.origin, template.at) if template.complete and not hidden else Given()
    )


def probe(raw: Raw) -> Probe:
    """Without an action of its own it is what Knative takes for a TCP check."""
    how = next((how for key, how in _HOW if isinstance(raw.get(key), Mapping)), "tcp")
    action = under(raw, next((key for key, each in _HOW if each == how), ""))
    headers = {text(each.get("name")).lower() for each in listed(action.get("httpHeaders"))}
    return Probe(
        how=how,
        path=text(action.get("path")),
        port=str(action.get("port", ""))[:64],
        initial_delay_s=number(raw.get("initialDelaySeconds")) or 0.0,
        # 0 is Knative's: asked without pause; the kubelet's own period is then the default.
        period_s=number(raw.get("periodSeconds")) or 10.0,
        timeout_s=number(raw.get("timeoutSeconds")) or 1.0,
        failures=whole(raw.get("failureThreshold")) or 3,
        authorised="authorization" in headers,
    )


def environment(container: Raw) -> dict[str, str | None]:
    """Names of all; values of those that rules read alone, None where they were taken out or stand
    elsewhere."""
    found: dict[str, str | None] = {}
    for each in listed(container.get("env")):
        name, value = text(each.get("name")), each.get("value")
        found[name] = text(value) if name in READ and isinstance(value, str) else None
    return found


def gpus_of(container: Raw) -> int:
    """Of all resources that are GPUs or parts of one, by limits."""
    limits = under(container, "resources", "limits") or under(container, "resources", "requests")
    counts = [whole(count) or 0 for key, count in limits.items() if _is_gpu(str(key))]
    return sum(count for count in counts if count > 0)


def _is_gpu(resource: str) -> bool:
    last = resource.rpartition("/")[2]
    return "/" in resource and (last == "gpu" or last.startswith("mig-"))
