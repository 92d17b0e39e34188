"""Weights, caches and shared memory."""

from collections.abc import Sequence
from typing import Any

from fleet.domain.lint import patches
from fleet.domain.lint.measured import Measured
from fleet.domain.lint.records import Severity
from fleet.domain.lint.rules.rule import Found, retemplated
from fleet.domain.lint.settings import Settings
from fleet.domain.records.keys import Mode

# Fetching that takes less of a start, or fewer seconds, is not worth a volume.
SHARE = 0.3
FETCH_S = 30.0
COMPILE_S = 10.0
WEIGHTS_SIZE, CACHE_SIZE = "200Gi", "20Gi"
CACHE_PATH = "/mnt/vllm-cache"
CACHE_VARIABLE = "VLLM_CACHE_ROOT"
MODEL_FLAGS = ("--model", "--model_id", "--model-id")
# Source: kserve python/storage-initializer.Dockerfile; it runs as user 1000.
INITIALIZER = "kserve/storage-initializer:v0.20.0"
ENTRYPOINT = "/storage-initializer/scripts/initializer-entrypoint"
# Off unless switched on. Source: knative/serving config/core/configmaps/features.yaml.
FEATURES = (
    "kubernetes.podspec-init-containers",
    "kubernetes.podspec-persistent-volume-claim",
    "kubernetes.podspec-persistent-volume-write",
)


def no_model_cache(settings: Settings, measured: Measured) -> Found | None:
    """Each new pod fetches the weights again."""
    fetch, share = measured.fetch, measured.fetch_share
    fetched = (measured.weights_from or settings.storage.weights_from) == "storage-initializer"
    if not fetched or fetch is None or fetch.p50_s is None or share is None:
        return None
    if fetch.p50_s < FETCH_S or share < SHARE:
        return None
    return retemplated(
        settings,
        Severity.WARNING,
        field="spec.model.uri" if settings.mode is Mode.LLM else "storageUri",
        params={
            "fetch_s": round(fetch.p50_s, 1),
            "share_percent": round(100 * share),
            "uri": settings.storage.uri,
        },
        measured={"fetch_p50_s": round(fetch.p50_s, 1), "share": round(share, 2), "n": fetch.n},
        patch=_prefetch(settings),
    )


def _prefetch(settings: Settings) -> str:
    """An init container that fills a claim once, and the model read from there."""
    uri, claim = settings.storage.uri, f"{settings.ref.name}-weights"
    place, llm = settings.server.place, settings.mode is Mode.LLM
    if not uri or not (llm or (place.pointer and not place.name)):
        return ""
    field = "/spec/model/uri" if llm else f"{place.pointer}/storageUri"
    done = "/weights/model/.complete"
    prefetch = {
        "name": "prefetch",
        "image": INITIALIZER,
        "command": ["sh", "-c"],
        "args": [
            f'test -e {done} || {{ {ENTRYPOINT} "$0" /weights/model && touch {done}; }}',
            uri,
        ],
        "volumeMounts": [{"name": "kept-weights", "mountPath": "/weights"}],
    }
    ops = patches.pod_appended(
        settings, {"volumes": _volume("kept-weights", claim), "initContainers": prefetch}
    )
    ops.append({"op": "replace", "path": field, "value": f"pvc://{claim}/model"})
    return patches.several(
        _features(settings, FEATURES) + _claim(settings, claim, WEIGHTS_SIZE),
        patches.operations(settings, ops),
    )


def _features(settings: Settings, names: Sequence[str]) -> str:
    if settings.mode is not Mode.KNATIVE:
        return ""
    return "".join(f"# config-features must have {name}: enabled\n" for name in names)


def _volume(name: str, claim: str) -> dict[str, Any]:
    return {"name": name, "persistentVolumeClaim": {"claimName": claim}}


def _claim(settings: Settings, name: str, size: str) -> str:
    """The size is a guess, for nothing tells how large the weights are."""
    return patches.manifest(
        settings,
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "namespace": settings.ref.namespace},
            "spec": {
                "accessModes": ["ReadWriteMany"],
                "resources": {"requests": {"storage": size}},
            },
        },
    )


def compile_cache(settings: Settings, measured: Measured) -> Found | None:
    """Graphs are compiled at each start, for nothing keeps them."""
    compile_ = measured.compile
    lost = settings.storage.cache_kept.value is False
    if not lost or compile_ is None or compile_.p50_s is None or compile_.p50_s < COMPILE_S:
        return None
    claim = f"{settings.ref.name}-vllm-cache"
    ops = patches.appended(
        settings,
        {
            "env": {"name": CACHE_VARIABLE, "value": CACHE_PATH},
            "volumeMounts": {"name": "vllm-cache", "mountPath": CACHE_PATH},
        },
    )
    if ops:
        ops += patches.pod_appended(settings, {"volumes": _volume("vllm-cache", claim)})
    return retemplated(
        settings,
        Severity.ADVICE,
        field=f"env[{CACHE_VARIABLE}]",
        params={"compile_s": round(compile_.p50_s, 1)},
        measured={"compile_p50_s": round(compile_.p50_s, 1), "n": compile_.n},
        patch=patches.several(
            _features(settings, FEATURES[1:]) + _claim(settings, claim, CACHE_SIZE),
            patches.operations(settings, ops),
        ),
    )


def app_downloads(settings: Settings, measured: Measured) -> Found | None:
    """The server itself asks the hub at each start."""
    kept = settings.storage.hub_kept
    downloads = settings.storage.weights_from == "app-download"
    if not downloads or kept.value:
        return None
    download = measured.fetch
    return retemplated(
        settings,
        Severity.WARNING if kept.known else Severity.ADVICE,
        field="spec.predictor.model.storageUri",
        params={"model": settings.server.model},
        measured={"n": download.n} if download else {},
        patch=patches.operations(settings, _by_uri(settings)),
    )


def _by_uri(settings: Settings) -> list[dict[str, Any]]:
    """Names the weights where KServe fetches them, and takes the argument away: what is left serves
    /mnt/models. A container of one's own is told so by hand."""
    place, model = settings.server.place, settings.server.model
    found = _argument(place.words, model)
    if not place.pointer or place.name or not found:
        return []
    ops = [
        {"op": op, "path": f"{place.pointer}/args/{at}", **({"value": word} if word else {})}
        for at, word in reversed(found)
        for op, word in (("test", word), ("remove", ""))
    ]
    return [*ops, {"op": "add", "path": f"{place.pointer}/storageUri", "value": f"hf://{model}"}]


def _argument(words: tuple[str, ...], model: str) -> list[tuple[int, str]]:
    """Where the arguments name the model: one word or two."""
    for at, word in enumerate(words):
        if word in [f"{flag}={model}" for flag in MODEL_FLAGS]:
            return [(at, word)]
        if word in MODEL_FLAGS and words[at + 1 : at + 2] == (model,):
            return [(at, word), (at + 1, model)]
    return []


def shared_memory(settings: Settings, _: Measured) -> Found | None:
    """Workers of several GPUs speak through /dev/shm, which has 64 MiB of its own."""
    if settings.server.tensor_parallel < 2 or settings.storage.shm.value is not False:
        return None
    ops = patches.appended(settings, {"volumeMounts": {"name": "devshm", "mountPath": "/dev/shm"}})
    if ops:
        memory = {"name": "devshm", "emptyDir": {"medium": "Memory"}}
        ops += patches.pod_appended(settings, {"volumes": memory})
    return retemplated(
        settings,
        Severity.WARNING,
        field="volumeMounts[/dev/shm]",
        params={"tensor_parallel": settings.server.tensor_parallel},
        patch=patches.operations(settings, ops),
    )
