"""What a vLLM server that serves writes when its engine ends, or has too much to do.

Source: vLLM v1/engine/core.py, v1/engine/async_llm.py, v1/metrics/loggers.py.
"""

from __future__ import annotations

from simulator.world.kubelet import Kubelet
from simulator.world.profiles import Profile
from simulator.world.vllm_log import Writer

_FAULT = (
    "torch.AcceleratorError: CUDA error: an illegal memory access was encountered",
    "CUDA kernel errors might be asynchronously reported at some other API call.",
)
_DEAD = (
    "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. "
    "See stack trace (above) for the root cause."
)
RUNNING = 4


def write(kubelet: Kubelet, pod_uid: str, profile: Profile) -> None:
    """The engine's last words, and the server's answer to them."""
    writer = Writer(profile.vllm, kubelet.cluster.now(), 1.0)
    text = "EngineCore encountered a fatal error."
    writer.say("engine", "core.py:866", text, level="ERROR")
    for line in _FAULT:
        writer.say("engine", "core.py:866", line, level="ERROR")
    text = "AsyncLLM output_handler failed."
    writer.say("api", "async_llm.py:480", text, level="ERROR")
    writer.say("api", "async_llm.py:480", _DEAD, level="ERROR")
    _note(kubelet, pod_uid, writer)


def write_load(kubelet: Kubelet, pod_uid: str, profile: Profile, waiting: int) -> None:
    """The line of every ten seconds."""
    writer = Writer(profile.vllm, kubelet.cluster.now(), 1.0)
    text = (
        "Engine 000: Avg prompt throughput: 1204.3 tokens/s, "
        f"Avg generation throughput: 1876.5 tokens/s, Running: {RUNNING if waiting else 0} reqs, "
        f"Waiting: {waiting} reqs, GPU KV cache usage: {99.1 if waiting else 0.0}%, "
        "Prefix cache hit rate: 12.4%"
    )
    writer.say("api", "loggers.py:127", text)
    _note(kubelet, pod_uid, writer)


def _note(kubelet: Kubelet, pod_uid: str, writer: Writer) -> None:
    for _, line in writer.lines:
        kubelet.note(pod_uid, line)
