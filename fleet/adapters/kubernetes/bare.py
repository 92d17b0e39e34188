"""Objects as they may be kept and shown: without managedFields, values of variables and secrets,
bounded.

What people put into objects goes through here before anything else sees it: a bundle is kept in
the database and downloaded.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from fleet.adapters.kubernetes.parse.arguments import ARGUMENTS_AT_MOST, HIDDEN, arguments_of
from fleet.domain.enginelog.redact import redacted

TEXT_AT_MOST = 4_000
LINES_AT_MOST = 60
ITEMS_AT_MOST = 200
LEVELS = 40
# The object once more, with everything that is dropped from it here.
APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
DROPPED = frozenset({"managedFields", APPLIED})
# Long words of these are digests and addresses, not secrets.
VERBATIM = frozenset({"image", "imageID", "uid", "name", "namespace", "containerID", "nodeName"})
WORDS = frozenset({"args", "command"})
# Of a mapping: whose value is nobody's business. Names of Secrets are not secret.
_SECRET_KEY = re.compile(
    r"(?i)token|passw|api[_-]?key|(?:secret|access|private)[_-]?key|credential|secret$"
)
_NOT_SECRET = frozenset(
    {"automountServiceAccountToken", "serviceAccountToken", "secretKeyRef", "credentials"}
)
# Variables whose values explain a failure and are no secret: of Knative's queue-proxy, of vLLM and
# of what it stands on.
HARMLESS = frozenset(
    {
        "CONTAINER_CONCURRENCY",
        "PORT",
        "QUEUE_SERVING_PORT",
        "USER_PORT",
        "VLLM_CONFIG_ROOT",
        "HF_XET_HIGH_PERFORMANCE",
        "CUDA_VISIBLE_DEVICES",
        "ENABLE_HTTP_FULL_DUPLEX",
        "HF_DATASETS_OFFLINE",
        "HF_HOME",
        "HF_HUB_CACHE",
        "HF_HUB_DISABLE_XET",
        "HF_HUB_DOWNLOAD_TIMEOUT",
        "HF_HUB_ENABLE_HF_TRANSFER",
        "HF_HUB_OFFLINE",
        "NCCL_DEBUG",
        "NCCL_IB_DISABLE",
        "NCCL_P2P_DISABLE",
        "NCCL_SHM_DISABLE",
        "NCCL_SOCKET_IFNAME",
        "NVIDIA_VISIBLE_DEVICES",
        "OMP_NUM_THREADS",
        "PYTORCH_CUDA_ALLOC_CONF",
        "REVISION_IDLE_TIMEOUT_SECONDS",
        "REVISION_RESPONSE_START_TIMEOUT_SECONDS",
        "REVISION_TIMEOUT_SECONDS",
        "SERVING_READINESS_PROBE",
        "TORCHINDUCTOR_CACHE_DIR",
        "TRANSFORMERS_CACHE",
        "TRANSFORMERS_OFFLINE",
        "TRITON_CACHE_DIR",
        "VLLM_ATTENTION_BACKEND",
        "VLLM_CACHE_ROOT",
        "VLLM_CONFIGURE_LOGGING",
        "VLLM_DISABLE_COMPILE_CACHE",
        "VLLM_ENGINE_READY_TIMEOUT_S",
        "VLLM_HOST_IP",
        "VLLM_LOGGING_LEVEL",
        "VLLM_PORT",
        "VLLM_RPC_TIMEOUT",
        "VLLM_USE_V1",
        "VLLM_WORKER_MULTIPROC_METHOD",
        "XDG_CACHE_HOME",
    }
)


def bare(value: Any, *, levels: int = LEVELS) -> Any:
    """Any JSON of an object, fit to be kept."""
    if isinstance(value, Mapping):
        return dict(_members(value, levels)) if levels else {}
    if isinstance(value, list):
        return [bare(each, levels=levels - 1) for each in value[:ITEMS_AT_MOST]] if levels else []
    return told(value) if isinstance(value, str) else value


def told(text: str) -> str:
    """A text of several lines, each without secrets."""
    lines = text[:TEXT_AT_MOST].splitlines()[:LINES_AT_MOST]
    return "\n".join(redacted(line) for line in lines)


def _members(value: Mapping[str, Any], levels: int) -> Iterator[tuple[str, Any]]:
    for key, member in list(value.items())[:ITEMS_AT_MOST]:
        if key not in DROPPED:
            secret = key == "value" and _names_a_secret(value.get("name"))
            yield key, HIDDEN if secret and member else _member(key, member, levels)


def _names_a_secret(name: object) -> bool:
    """Headers of probes, and whatever else comes as a name with a value."""
    if not isinstance(name, str) or name in _NOT_SECRET:
        return False
    return bool(_SECRET_KEY.search(name)) or name.lower() == "authorization"


def _member(key: str, member: Any, levels: int) -> Any:
    if key == "env" and isinstance(member, list):
        return [_variable(each) for each in member[:ITEMS_AT_MOST] if isinstance(each, Mapping)]
    if key in WORDS and isinstance(member, list):
        return _words(member)
    if _SECRET_KEY.search(key) and key not in _NOT_SECRET and member:
        if isinstance(member, str):
            return HIDDEN
        if isinstance(member, list):
            member = [HIDDEN if isinstance(each, str) else each for each in member]
    if not isinstance(member, str):
        return bare(member, levels=levels - 1)
    return member[:TEXT_AT_MOST] if key in VERBATIM else told(member)


def _words(member: list[Any]) -> list[str]:
    """A command line: a secret often is the word after its flag."""
    words = [str(each) for each in member[:ARGUMENTS_AT_MOST]]
    return [told(word) for word in arguments_of(words)]


def _variable(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Its name and where it comes from; its value only where that is known to be harmless."""
    name = str(raw.get("name", ""))[:253]
    kept: dict[str, Any] = {"name": name}
    if isinstance(raw.get("valueFrom"), Mapping):
        kept["valueFrom"] = bare(raw["valueFrom"], levels=5)
    elif name in HARMLESS and isinstance(raw.get("value"), str):
        kept["value"] = told(raw["value"])
    return kept


def bare_settings(raw: Mapping[str, Any]) -> dict[str, Any]:
    """A ConfigMap of a controller: its values are texts, some of them JSON; no examples."""
    data = raw.get("data")
    kept = bare({key: value for key, value in raw.items() if key != "data"})
    values = data.items() if isinstance(data, Mapping) else ()
    kept["data"] = {
        str(key)[:253]: _setting(str(value))
        for key, value in list(values)[:ITEMS_AT_MOST]
        if not str(key).startswith("_")
    }
    return dict(kept)


def _setting(text: str) -> str:
    """A JSON text stays one."""
    try:
        found = json.loads(text[:100_000])
    except (ValueError, RecursionError):
        return told(text)
    return json.dumps(bare(found)) if isinstance(found, Mapping | list) else told(text)
