"""Start-up logs: every milestone of a version in its own words, and times that add up."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from simulator.world.draws import Draws
from simulator.world.stages import engine_stages
from simulator.world.vllm_log import startup
from tests.simulator.world.worlds import MODEL, START

# Milestones as the published templates word them, each with the versions that print it.
MILESTONES = (
    ("banner", r"vLLM (?:API )?server version \S+"),
    ("args", r"non-default args: "),
    ("engine_start", r"Initializing a V1 LLM engine \(v[^)]+\)"),
    ("load_start", r"Starting to load model .+?\.\.\."),
    ("shards", r"Loading safetensors checkpoint shards:\s+100% Completed \| 4/4"),
    ("weights_load", r"Loading weights took [\d.]+ seconds"),
    ("model_load", r"Model loading took [\d.]+ GiB(?: memory)? and [\d.]+ seconds"),
    ("dynamo", r"Dynamo bytecode transform time: [\d.]+ s"),
    ("compile", r"torch\.compile t(?:akes|ook) [\d.]+ s in total"),
    ("kv", r"GPU KV cache size: [\d,]+ tokens"),
    ("capture", r"Graph capturing finished in \d+ secs, took"),
    ("engine_init", r"init engine \(profile, create kv cache, warmup model\) took [\d.]+ s"),
    ("server_start", r"Starting vLLM (?:API )?server(?: \d+)? on http"),
    ("complete", r"^INFO:\s+Application startup complete\.$"),
)
VERSIONS = [(0, 11, 0), (0, 13, 0), (0, 20, 2), (0, 33, 0)]


@pytest.mark.parametrize("version", VERSIONS, ids=lambda each: ".".join(map(str, each)))
def test_every_milestone_is_there_in_order(version: tuple[int, int, int]) -> None:
    profile = replace(MODEL, vllm=version, eager=False, weights_gb=16.0)
    lines = startup(profile, engine_stages(profile, Draws(1, "t")), speed=1.0)(START)
    found = [
        next(index for index, (_, text) in enumerate(lines) if re.search(pattern, text))
        for _, pattern in MILESTONES
    ]
    assert found == sorted(found)


@pytest.mark.parametrize(
    ("version", "text"),
    [
        pytest.param((0, 11, 0), "torch.compile takes", id="takes, up to 0.16"),
        pytest.param((0, 20, 2), "torch.compile took", id="took, from 0.18"),
        pytest.param((0, 33, 0), "[backbone] Dynamo", id="tagged, from 0.33"),
        pytest.param((0, 11, 0), "\x1b[1;36m(EngineCore_DP0 pid=151)", id="coloured, up to 0.16"),
        pytest.param((0, 20, 2), "(EngineCore pid=151) INFO", id="plain, without rank"),
        pytest.param((0, 33, 0), "tokens, Maximum concurrency", id="one merged line, from 0.29"),
    ],
)
def test_a_version_has_its_own_words(version: tuple[int, int, int], text: str) -> None:
    profile = replace(MODEL, vllm=version, eager=False)
    lines = startup(profile, engine_stages(profile, Draws(1, "t")), speed=1.0)(START)
    assert any(text in line for _, line in lines)


def test_the_last_line_is_the_moment_the_server_answers() -> None:
    stages = engine_stages(MODEL, Draws(1, "t"))
    lines = startup(MODEL, stages, speed=1.0)(START)
    assert abs(lines[-1][0] - START - timedelta(seconds=stages.total)) < timedelta(milliseconds=1)
    assert [moment for moment, _ in lines] == sorted(moment for moment, _ in lines)
