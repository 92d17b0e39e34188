"""How long the stages of a start take.

Fitted to published start-up times: image and weights by size, engine phases by model size.
Source: measured vLLM start-ups collected from reports between 0.6 and 0.33.
"""

from __future__ import annotations

from dataclasses import dataclass

from simulator.world.draws import Draws
from simulator.world.profiles import Profile, Trouble

# Gigabytes a second, by where the weights come from.
FETCH_GB_PER_S = {"hf": 0.65, "s3": 1.0, "pvc": 3.0, "": 0.65}
READ_GB_PER_S = 3.0
PULL_MB_PER_S = 90.0
UNPACK_MB_PER_S = 150.0
# Unpacked bytes of a compressed image.
UNPACK_FACTOR = 1.9

# More than usual, where something slows the loading down.
SLOW_S = {Trouble.LOAD_SLOW: 240.0}

# Compressed sizes; what is not named is small.
IMAGE_BYTES = {
    "models/modelcar": 3_456_789_012,
    "models/baked": 13_210_987_654,
    "routing-sidecar": 51_234_567,
    "vllm/vllm-openai": 9_876_543_210,
    "huggingfaceserver": 8_654_321_098,
    "llm-d-cuda": 10_123_456_789,
    "storage-initializer": 412_345_678,
    "sklearnserver": 345_678_901,
    "knative": 21_345_678,
}
SMALL_IMAGE_BYTES = 38_765_432


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStages:
    """Seconds of each stage of one server start, in order; a stage that is not passed is 0."""

    boot: float
    config: float
    spawn: float
    download: float
    read: float
    post: float
    dynamo: float
    graph: float
    profile: float
    capture: float
    api: float

    @property
    def compile(self) -> float:
        return self.dynamo + self.graph

    @property
    def model_load(self) -> float:
        return self.download + self.read + self.post

    @property
    def engine_init(self) -> float:
        return self.compile + self.profile + self.capture

    @property
    def total(self) -> float:
        """Container start to the first answer."""
        return self.boot + self.config + self.spawn + self.model_load + self.engine_init + self.api


def image_bytes(image: str) -> int:
    return next((size for part, size in IMAGE_BYTES.items() if part in image), SMALL_IMAGE_BYTES)


def pull_seconds(image: str, draws: Draws) -> float:
    """Download and unpacking of one image that is not on the node."""
    megabytes = image_bytes(image) / 1e6
    middle = megabytes / PULL_MB_PER_S + megabytes * UNPACK_FACTOR / UNPACK_MB_PER_S
    return draws.around(f"pull/{image}", middle)


def fetch_seconds(profile: Profile, draws: Draws) -> float:
    """The storage-initializer's run."""
    scheme = profile.storage.partition("://")[0]
    rate = FETCH_GB_PER_S.get(scheme, FETCH_GB_PER_S["hf"])
    return draws.around(
        f"fetch/{profile.namespace}/{profile.name}", 1.5 + profile.weights_gb / rate
    )


def engine_stages(profile: Profile, draws: Draws) -> EngineStages:
    """One start of a model's server."""
    size = profile.weights_gb
    share = size / max(1, profile.gpus)

    def about(stage: str, middle: float) -> float:
        return draws.around(f"{stage}/{profile.namespace}/{profile.name}", middle, sigma=0.12)

    compiles = not profile.eager
    own_download = profile.downloads_itself and profile.trouble is not Trouble.DOWNLOAD_DENIED
    return EngineStages(
        boot=about("boot", 8.0 if profile.eager else 14.0),
        config=about("config", 1.2 if profile.eager else 3.0),
        spawn=about("spawn", 2.5 if profile.gpus == 1 else 5.0 + 4.0 * profile.gpus),
        download=about("download", size / FETCH_GB_PER_S[""]) if own_download else 0.0,
        read=about("read", 0.4 + share / READ_GB_PER_S + SLOW_S.get(profile.trouble, 0.0)),
        post=about("post", 0.4),
        dynamo=about("dynamo", 5.0 + size / 20) if compiles else 0.0,
        graph=about("graph", 4.0 if profile.compile_cached else 15.0 + size / 4)
        if compiles
        else 0.0,
        profile=about("profile", 1.2),
        capture=about("capture", 10.0 + size / 20) if compiles else 0.0,
        api=about("api", 1.5),
    )
