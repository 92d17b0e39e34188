"""What a platform team would apply: namespaces, runtimes, control planes, and the models."""

from __future__ import annotations

from typing import Any

from simulator.store.json_values import JsonObject
from simulator.world.cluster import Settings
from simulator.world.knative import names as knative
from simulator.world.kserve import names
from simulator.world.profiles import Profile, Runtime, Trouble

PORT = 8080


def inference_service(profile: Profile) -> JsonObject:
    """An InferenceService, or for its runtime an LLMInferenceService."""
    meta: JsonObject = {
        "name": profile.name,
        "namespace": profile.namespace,
        "labels": {"team": profile.team, "environment": profile.environment},
    }
    if profile.runtime is Runtime.LLMISVC:
        return {"metadata": meta, "spec": _llm_spec(profile)}
    annotations = _annotations(profile)
    if annotations:
        meta["annotations"] = annotations
    if profile.local_cache:
        _note_local_cache(meta, profile)
    return {"metadata": meta, "spec": {"predictor": _predictor(profile)}}


def _annotations(profile: Profile) -> JsonObject:
    wanted = {
        names.AUTOSCALER_CLASS: profile.autoscaler,
        knative.BURST_CAPACITY: profile.burst_capacity,
        knative.PROGRESS_DEADLINE: (
            f"{profile.progress_deadline_s}s" if profile.progress_deadline_s else None
        ),
    }
    return {key: str(value) for key, value in wanted.items() if value not in (None, "")}


def _note_local_cache(meta: JsonObject, profile: Profile) -> None:
    """As KServe's admission notes the cache that holds the weights.

    Source: kserve/kserve pkg/apis/serving/v1beta1/local_model_cache_defaults.go.
    """
    cache = profile.storage.rpartition("/")[2]
    meta["labels"] |= {names.LOCAL_MODEL: cache}
    meta["annotations"] = meta.get("annotations", {}) | {
        names.LOCAL_MODEL_URI: profile.storage,
        names.LOCAL_MODEL_CLAIM: f"{cache}-gpu-nodes",
    }


def _predictor(profile: Profile) -> JsonObject:
    predictor: JsonObject = {
        "minReplicas": profile.min_replicas,
        "maxReplicas": max(1, profile.max_replicas),
    }
    if profile.runtime.is_vllm and not profile.autoscaler:
        predictor |= {"scaleMetric": "concurrency", "scaleTarget": profile.target}
    if profile.timeout_s is not None:
        predictor["timeout"] = profile.timeout_s
    if profile.concurrency:
        predictor["containerConcurrency"] = profile.concurrency
    if profile.runtime is Runtime.CUSTOM:
        predictor["containers"] = [_custom_container(profile)]
    else:
        predictor["model"] = _model(profile)
    return predictor | _placement(profile)


def _placement(profile: Profile) -> JsonObject:
    if not profile.pool:
        return {}
    toleration = {"key": "reserved", "operator": "Equal", "value": profile.pool}
    return {
        "nodeSelector": {"pool": profile.pool},
        "tolerations": [toleration | {"effect": "NoSchedule"}],
    }


def _resources(profile: Profile) -> JsonObject:
    amounts = {"cpu": "4", "memory": "32Gi"} if profile.gpus else {"cpu": "1", "memory": "2Gi"}
    if profile.gpus:
        amounts["nvidia.com/gpu"] = str(profile.gpus)
    return {"limits": dict(amounts), "requests": dict(amounts)}


def _model(profile: Profile) -> JsonObject:
    formats = {Runtime.VLLMSERVER: "vLLM", Runtime.HUGGINGFACESERVER: "huggingface"}
    model: JsonObject = {
        "modelFormat": {"name": formats.get(profile.runtime, "sklearn")},
        "name": "",
        "protocolVersion": "v2" if profile.runtime.is_vllm else "v1",
        "runtime": profile.runtime.value,
        "resources": _resources(profile),
        "storageUri": profile.storage,
    }
    if profile.runtime.is_vllm:
        model["image"] = profile.image
        model |= _probes(profile, port=PORT)
        model["args"] = _arguments(profile)
    return model


def _arguments(profile: Profile) -> list[str]:
    arguments = ["--max-model-len=8192"]
    if profile.gpus > 1:
        arguments.append(f"--tensor-parallel-size={profile.gpus}")
    if profile.eager:
        arguments.append("--enforce-eager")
    if profile.api_key:
        arguments.append("--api-key=$(API_KEY)")
    return arguments


def _custom_container(profile: Profile) -> JsonObject:
    """A server of one's own, as it was usual before KServe shipped a runtime for vLLM."""
    arguments = [
        "serve",
        profile.weights_path,
        f"--served-model-name={profile.name}",
        f"--port={PORT}",
    ]
    container: JsonObject = {
        "name": "kserve-container",
        "image": profile.image,
        "command": ["vllm"],
        "args": [*arguments, *_arguments(profile)],
        "ports": [{"containerPort": PORT, "protocol": "TCP"}],
        "resources": _resources(profile),
    }
    if profile.storage:
        container["env"] = [{"name": "STORAGE_URI", "value": profile.storage}]
    return container | _probes(profile, port=PORT)


def _probes(profile: Profile, *, port: int) -> JsonObject:
    """A liveness probe without a startup probe is what kills a model while it loads."""
    path = "/v2/health/ready" if profile.runtime is Runtime.HUGGINGFACESERVER else "/health"
    target = {"httpGet": {"path": path, "port": port}}
    period = profile.probe_period_s or 10
    readiness: JsonObject = target | {
        "periodSeconds": min(10, period),
        "timeoutSeconds": 5,
        "failureThreshold": 3,
        "successThreshold": 1,
    }
    if profile.liveness or profile.trouble is Trouble.LIVENESS_KILL:
        killer = {"initialDelaySeconds": 15, "periodSeconds": 10, "failureThreshold": 3}
        return {"readinessProbe": readiness, "livenessProbe": target | killer}
    startup = {"periodSeconds": period, "timeoutSeconds": 5}
    startup["failureThreshold"] = profile.startup_failures
    return {"readinessProbe": readiness, "startupProbe": target | startup | {"successThreshold": 1}}


def _llm_spec(profile: Profile) -> JsonObject:
    container = {"name": "main", "image": profile.image, "resources": _resources(profile)}
    template = {"containers": [container]} | _placement(profile)
    spec: JsonObject = {
        "model": {"name": profile.name, "uri": profile.storage},
        "replicas": profile.min_replicas,
        "template": template,
    }
    if profile.prefill:
        spec["prefill"] = {"replicas": profile.prefill, "template": template}
    if profile.nodes > 1:
        spec["worker"] = template
        spec["parallelism"] = {"data": profile.nodes * profile.gpus, "dataLocal": profile.gpus}
    return spec


def namespace(name: str, labels: dict[str, str]) -> JsonObject:
    return {"metadata": {"name": name, "labels": labels}, "status": {"phase": "Active"}}


def _runtime(name: str, server: str, container: JsonObject, formats: list[str]) -> JsonObject:
    annotations = {"serving.kserve.io/server-type": server} if server else {}
    return {
        "metadata": {"name": name, "annotations": annotations},
        "spec": {
            "annotations": {"prometheus.kserve.io/path": "/metrics"},
            "containers": [{"name": "kserve-container"} | container],
            "supportedModelFormats": [{"name": each, "autoSelect": True} for each in formats],
        },
    }


def runtimes(settings: Settings) -> list[JsonObject]:
    """ClusterServingRuntimes that this version of KServe ships; vLLM's own came with 0.20."""
    huggingface: JsonObject = {
        "image": "docker.io/kserve/huggingfaceserver:v0.16.0",
        "args": ["--model_name={{.Name}}", "--model_dir=/mnt/models"],
    }
    sklearn: JsonObject = {
        "image": f"docker.io/kserve/sklearnserver:{settings.kserve}",
        "args": ["--model_name={{.Name}}", "--model_dir=/mnt/models", f"--http_port={PORT}"],
    }
    shipped = [
        _runtime(
            Runtime.HUGGINGFACESERVER.value, "huggingfaceserver", huggingface, ["huggingface"]
        ),
        _runtime(Runtime.SKLEARN.value, "", sklearn, ["sklearn"]),
    ]
    if settings.kserve >= "v0.20":
        shipped.append(_runtime(Runtime.VLLMSERVER.value, "vllmserver", _vllm_runtime(), ["vLLM"]))
    return shipped


def _vllm_runtime() -> JsonObject:
    """Source: kserve/kserve config/runtimes/kserve-vllmserver.yaml."""
    check = {"httpGet": {"path": "/v1/models", "port": PORT}, "successThreshold": 1}
    env = {"HF_HOME": "/tmp", "VLLM_CONFIG_ROOT": "/tmp", "VLLM_WORKER_MULTIPROC_METHOD": "spawn"}  # noqa: S108
    return {
        "image": "docker.io/vllm/vllm-openai:v0.11.0",
        "command": ["python", "-m", "vllm.entrypoints.openai.api_server"],
        "args": [f"--port={PORT}", "--served-model-name={{.Name}}", f"--model={names.MOUNT}"],
        "env": [{"name": key, "value": value} for key, value in env.items()],
        "readinessProbe": check | {"periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 3},
        "startupProbe": check
        | {
            "initialDelaySeconds": 30,
            "periodSeconds": 30,
            "timeoutSeconds": 10,
            "failureThreshold": 60,
        },
    }


def control_planes(settings: Settings) -> list[JsonObject]:
    """Deployments that tell the versions of KServe and Knative by label and image."""
    made = [
        _controller(
            "kserve", "kserve-controller-manager", "kserve/kserve-controller", settings.kserve
        )
    ]
    if settings.knative is None:
        name = "llmisvc-controller-manager"
        return [*made, _controller("kserve", name, "kserve/llmisvc-controller", settings.kserve)]
    version = f"v{settings.knative[0]}.{settings.knative[1]}.0"
    base = "gcr.io/knative-releases/knative.dev/serving/cmd"
    for name in ("controller", "autoscaler", "activator", "webhook"):
        made.append(_controller("knative-serving", name, f"{base}/{name}", version))
    return made


def _controller(namespace: str, name: str, image: str, version: str) -> JsonObject:
    labels = {
        "app": name,
        "app.kubernetes.io/component": name,
        "app.kubernetes.io/name": namespace,
        "app.kubernetes.io/version": version.removeprefix("v"),
    }
    pod: dict[str, Any] = {"containers": [{"name": name, "image": f"{image}:{version}"}]}
    return {
        "metadata": {"name": name, "namespace": namespace, "labels": dict(labels)},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": labels}, "spec": pod},
            "strategy": {"type": "RollingUpdate"},
            "revisionHistoryLimit": 10,
            "progressDeadlineSeconds": 600,
        },
        "status": {},
    }


def definition(plural: str, group: str, kind: str, version: str) -> JsonObject:
    """As much of a CustomResourceDefinition as a feature probe looks at."""
    return {
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"plural": plural, "kind": kind},
            "scope": "Namespaced",
            "versions": [{"name": version, "served": True, "storage": True}],
        },
        "status": {"conditions": [{"type": "Established", "status": "True"}]},
    }
