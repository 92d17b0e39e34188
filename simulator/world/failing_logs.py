"""The logs of starts that end badly.

Source: vLLM's own messages (v1/worker/gpu_model_runner.py, v1/engine/utils.py), those of KServe's
storage-initializer, and of the hub library.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from simulator.world.profiles import Profile
from simulator.world.programs import LogLines
from simulator.world.stages import EngineStages
from simulator.world.vllm_log import Writer, write_boot

OOM_MESSAGE = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. "
    "GPU 0 has a total capacity of 79.11 GiB of which 1.20 GiB is free.\n"
)


def out_of_memory(
    profile: Profile, stages: EngineStages, *, speed: float
) -> Callable[[datetime], LogLines]:
    """The weights do not fit: the engine dies while it loads."""

    def lines(started_at: datetime) -> LogLines:
        writer = Writer(profile.vllm, started_at, speed)
        write_boot(writer, profile, stages)
        writer.pass_time(stages.spawn)
        model = "/mnt/models" if profile.storage else profile.name
        writer.say("engine", "gpu_model_runner.py:2338", f"Starting to load model {model}...")
        writer.pass_time(stages.read)
        for text in ("EngineCore failed to start.", OOM_MESSAGE.strip()):
            writer.say("engine", "core.py:866", text, level="ERROR")
        text = "RuntimeError: Engine core initialization failed. See root cause above."
        writer.raw(f"(APIServer pid=1) {text} Failed core proc(s): {{'EngineCore_DP0': 1}}")
        return writer.lines

    return lines


def fetched(profile: Profile, seconds: float, *, speed: float) -> Callable[[datetime], LogLines]:
    """The storage-initializer's log of a download that ends well."""

    def lines(started_at: datetime) -> LogLines:
        end = started_at + timedelta(seconds=seconds / speed)
        uri = profile.storage
        arguments = f"Initializing, args: src_uri [{uri}] dest_path [/mnt/models]"
        return [
            (started_at, arguments),
            (started_at, f"Copying contents of {uri} to local"),
            (end, f"Successfully copied {uri} to /mnt/models"),
            (end, f"Model downloaded in {seconds:.2f} seconds."),
        ]

    return lines


def denied_message(profile: Profile) -> str:
    repository = profile.storage.removeprefix("hf://")
    return (
        "Storage initialization failed: 401 Client Error: Unauthorized for url: "
        f"https://huggingface.co/api/models/{repository}/revision/main. "
        "Access to this gated repo is restricted. "
        "You must have access to it and be authenticated.\n"
    )


def hub_busy_message(profile: Profile) -> str:
    repository = profile.storage.removeprefix("hf://")
    return (
        "Storage initialization failed: 429 Client Error: Too Many Requests for url: "
        f"https://huggingface.co/api/models/{repository}/revision/main. "
        "We had to rate limit your IP. To continue using our service, create a HF account or "
        "login to your existing account, and make sure you pass a HF_TOKEN.\n"
    )


def _asked(profile: Profile, started_at: datetime) -> LogLines:
    """The storage-initializer's first lines."""
    arguments = f"Initializing, args: src_uri [{profile.storage}] dest_path [/mnt/models]"
    return [
        (started_at, arguments),
        (started_at, f"Copying contents of {profile.storage} to local"),
    ]


def refused(
    profile: Profile, message: str, seconds: float, *, speed: float
) -> Callable[[datetime], LogLines]:
    """The storage-initializer's log of a download that ends badly."""

    def lines(started_at: datetime) -> LogLines:
        end = started_at + timedelta(seconds=seconds / speed)
        return [*_asked(profile, started_at), (end, message.strip())]

    return lines


def crawling(profile: Profile, seconds: float, *, speed: float) -> Callable[[datetime], LogLines]:
    """The storage-initializer's log of a download that moves a little every minute."""

    def lines(started_at: datetime) -> LogLines:
        files = max(2, int(seconds / 60))
        said = [
            (
                started_at + timedelta(seconds=60 * number / speed),
                f"Fetching {files} files: {100 * number // files:3d}%|"
                f"{'#' * (10 * number // files):10s}| {number}/{files} "
                f"[{number:02d}:00<{files - number:02d}:00, 60.0s/it]",
            )
            for number in range(1, files)
        ]
        return [*_asked(profile, started_at), *said]

    return lines
