"""The start-up log of a vLLM server, worded as its version words it.

Source: vLLM's own log templates, 0.8 to 0.33. Whole-second in-line clock without year or zone;
uvicorn's closing lines have none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from simulator.world.profiles import Profile, Runtime
from simulator.world.programs import LogLines
from simulator.world.stages import EngineStages

CYAN = "\x1b[1;36m"
PLAIN = "\x1b[0;0m"

Version = tuple[int, int, int]


@dataclass(slots=True)
class Writer:
    """Lines in order, each at the moment the writer stands at."""

    version: Version
    at: datetime
    speed: float
    lines: LogLines = field(default_factory=list)

    def pass_time(self, stage_s: float) -> None:
        self.at += timedelta(seconds=stage_s / self.speed)

    def raw(self, text: str) -> None:
        self.lines.append((self.at, text))

    def say(self, process: str, where: str, text: str, *, level: str = "INFO") -> None:
        stamp = f"{self.at:%m-%d %H:%M:%S}"
        self.raw(f"{self._prefix(process)}{level} {stamp} [{where}] {text}")

    def _prefix(self, process: str) -> str:
        """0.10.2 to 0.16 colour the process name even when nobody watches."""
        if self.version < (0, 10, 1):
            return ""
        engine = "EngineCore_DP0" if self.version < (0, 17, 0) else "EngineCore"
        name = "APIServer pid=1" if process == "api" else f"{engine} pid=151"
        if self.version < (0, 18, 0):
            return f"{CYAN}({name}){PLAIN} "
        return f"({name}) "


def dotted(version: Version) -> str:
    return ".".join(str(part) for part in version)


def startup(
    profile: Profile, stages: EngineStages, *, speed: float
) -> Callable[[datetime], LogLines]:
    """The log of one start that ends well; stage lengths are divided by speed."""

    def lines(started_at: datetime) -> LogLines:
        writer = Writer(profile.vllm, started_at, speed)
        write_boot(writer, profile, stages)
        write_load(writer, profile, stages)
        write_engine(writer, profile, stages)
        write_listen(writer, profile, stages)
        return writer.lines

    return lines


def write_boot(writer: Writer, profile: Profile, stages: EngineStages) -> None:
    writer.pass_time(stages.boot)
    version = dotted(profile.vllm)
    if profile.vllm < (0, 14, 0):
        writer.say("api", "api_server.py:1896", f"vLLM API server version {version}")
    else:
        text = f"vLLM server version {version}, serving model {profile.weights_path}"
        writer.say("api", "startup.py:38", text)
    arguments = f"{{'model': '{profile.weights_path}', 'served_model_name': ['{profile.name}']}}"
    writer.say("api", "utils.py:301", f"non-default args: {arguments}")
    writer.pass_time(stages.config)
    text = f"Initializing a V1 LLM engine (v{version}) with config: model='{profile.weights_path}'"
    writer.say("engine", "core.py:109", text)


def write_load(writer: Writer, profile: Profile, stages: EngineStages) -> None:
    writer.pass_time(stages.spawn)
    model = profile.weights_path
    writer.say("engine", "gpu_model_runner.py:4777", f"Starting to load model {model}...")
    if stages.download:
        writer.pass_time(stages.download)
        text = f"Time spent downloading weights for {model}: {stages.download:.6f} seconds"
        writer.say("engine", "weight_utils.py:281", text)
    _write_shards(writer, stages)
    seconds = f"{stages.read:.2f} seconds"
    writer.say("engine", "default_loader.py:268", f"Loading weights took {seconds}")
    writer.pass_time(stages.post)
    took = "GiB memory and" if profile.vllm >= (0, 11, 1) else "GiB and"
    gib = profile.weights_gb / 1.073741824 / max(1, profile.gpus)
    text = f"Model loading took {gib:.4f} {took} {stages.model_load:.6f} seconds"
    writer.say("engine", "gpu_model_runner.py:4879", text)


def _write_shards(writer: Writer, stages: EngineStages) -> None:
    for done in (0, 2, 4):
        spent = stages.read * done / 4
        text = f"Completed | {done}/4 [{int(spent) // 60:02d}:{int(spent) % 60:02d}<00:00]"
        writer.raw(f"Loading safetensors checkpoint shards: {done * 25:3d}% {text}")
        if done < 4:
            writer.pass_time(stages.read / 2)


def write_engine(writer: Writer, profile: Profile, stages: EngineStages) -> None:
    if stages.compile:
        _write_compile(writer, profile, stages)
    writer.pass_time(stages.profile)
    gib = max(4.0, 72.0 - profile.weights_gb / max(1, profile.gpus))
    writer.say("engine", "gpu_worker.py:298", f"Available KV cache memory: {gib:.2f} GiB")
    _write_kv(writer, int(gib * 8192))
    if stages.capture:
        writer.pass_time(stages.capture)
        text = f"Graph capturing finished in {stages.capture:.0f} secs, took 0.71 GiB"
        writer.say("engine", "gpu_model_runner.py:3118", text)
    unit = "seconds" if profile.vllm < (0, 19, 0) else f"s (compilation: {stages.compile:.2f} s)"
    text = "init engine (profile, create kv cache, warmup model) took"
    writer.say("engine", "core.py:218", f"{text} {stages.engine_init:.2f} {unit}")


def _write_kv(writer: Writer, tokens: int) -> None:
    size = f"GPU KV cache size: {tokens:,} tokens"
    most = f"Maximum concurrency for 8,192 tokens per request: {tokens / 8192:.2f}x"
    if writer.version >= (0, 29, 0):
        writer.say("engine", "kv_cache_utils.py:1148", f"{size}, {most}")
        return
    writer.say("engine", "kv_cache_utils.py:864", size)
    writer.say("engine", "kv_cache_utils.py:868", most)


def _write_compile(writer: Writer, profile: Profile, stages: EngineStages) -> None:
    tag = "[backbone] " if profile.vllm >= (0, 33, 0) else ""
    writer.pass_time(stages.dynamo)
    text = f"{tag}Dynamo bytecode transform time: {stages.dynamo:.2f} s"
    writer.say("engine", "backends.py:550", text)
    writer.pass_time(stages.graph)
    what = "dynamic shape" if profile.vllm < (0, 13, 0) else "compile range (1, 8192)"
    if profile.compile_cached:
        text = f"Directly load the compiled graph(s) for {what} from the cache, took"
        writer.say("engine", "backends.py:172", f"{tag}{text} {stages.graph:.3f} s")
    else:
        text = f"{tag}Compiling a graph for {what} takes {stages.graph:.2f} s"
        writer.say("engine", "backends.py:215", text)
    verb = "takes" if profile.vllm < (0, 17, 0) else "took"
    text = f"{tag}torch.compile {verb} {stages.compile:.2f} s in total"
    writer.say("engine", "monitor.py:34", text)


def write_listen(writer: Writer, profile: Profile, stages: EngineStages) -> None:
    writer.pass_time(stages.api)
    port = 8000 if profile.runtime is Runtime.LLMISVC else 8080
    address = f"http://0.0.0.0:{port}"
    if profile.vllm < (0, 17, 0):
        text = f"Starting vLLM API server 0 on {address}"
    else:
        text = f"Starting vLLM server on {address}"
    writer.say("api", "api_server.py:1971", text)
    for text in ("Started server process [1]", "Waiting for application startup."):
        writer.raw(f"INFO:     {text}")
    writer.raw("INFO:     Application startup complete.")
