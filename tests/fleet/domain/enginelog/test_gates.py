"""The quick ways into a line say what the slow ones say: lines that nobody would write included."""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from fleet.domain.enginelog import parser
from fleet.domain.enginelog.catalogue import SERVING, STARTING
from fleet.domain.enginelog.failures import QUOTES, SIGNATURES, failure_in
from fleet.domain.enginelog.lines import words_of
from fleet.domain.enginelog.parser import EngineLog
from fleet.domain.enginelog.witness import Witness

SAMPLES = json.loads(Path("tests/fixtures/vllm_logs/samples.json").read_text())["samples"]
LINES = [line for sample in SAMPLES for line in sample["lines"]]
ROUNDS = 12
AT_ONCE = 60
NOISE = "0179azAZ :.,-_/'\"()[]{}=|%\x1b\r"
NEVER = re.compile(r"(?!)")


def mutated(line: str, chance: random.Random) -> str:
    """A line with a few letters lost, doubled, exchanged or put in."""
    letters = list(line)
    for _ in range(chance.randint(0, 4)):
        at = chance.randrange(len(letters) or 1)
        how = chance.randrange(4)
        if how == 0:
            del letters[at : at + chance.randint(1, 3)]
        elif how == 1:
            letters[at:at] = letters[at : at + chance.randint(1, 8)]
        elif how == 2:
            letters[at : at + 1] = [chance.choice(NOISE)]
        else:
            letters.insert(at, chance.choice(NOISE))
    return "".join(letters)


def logs(seed: int) -> Iterator[list[str]]:
    """Logs of mutated lines; every other line is as it was."""
    chance = random.Random(seed)  # noqa: S311
    for _ in range(ROUNDS):
        lines = chance.choices(LINES, k=AT_ONCE)
        yield [line if chance.random() < 0.5 else mutated(line, chance) for line in lines]


def read(lines: list[str]) -> Witness:
    log = EngineLog(started_at=1_763_629_200.0)
    log.feed_all(lines)
    return log.witness()


SEEDS = pytest.mark.parametrize("seed", range(8))


@SEEDS
def test_records_of_the_usual_shape_are_found_as_others_are(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = [read(lines) for lines in logs(seed)]
    monkeypatch.setattr(parser, "USUAL", NEVER)
    assert [read(lines) for lines in logs(seed)] == quick


@SEEDS
def test_a_line_that_begins_as_a_milestone_is_what_its_words_say(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = [read(lines) for lines in logs(seed)]
    monkeypatch.setattr(parser, "BEGINNINGS", {})
    assert [read(lines) for lines in logs(seed)] == quick


@SEEDS
def test_words_leave_no_milestone_out(seed: int) -> None:
    for lines in logs(seed):
        for line in lines:
            words = set(words_of(line))
            for row in (*STARTING, *SERVING):
                if row.pattern.search(line) is not None:
                    assert row.word in words, (row.name, line)


@SEEDS
def test_words_leave_no_failure_out(seed: int) -> None:
    def slowly(text: str) -> str | None:
        for each in SIGNATURES:
            signs = any(sign in text for sign in each.signs)
            if signs and (each.pattern is None or each.pattern.search(text) is not None):
                return None if text.startswith(QUOTES) else each.class_
        return None

    found = [(text, slowly(text)) for lines in logs(seed) for text in lines]
    told = [(text, failure_in(text, words_of(text))) for text, _ in found]
    missed = [pair for pair, other in zip(found, told, strict=True) if pair != other]
    assert missed == []


@pytest.mark.parametrize(
    "line",
    [
        "Available KV cache memory: 1.2.3 GiB",
        "Available KV cache memory: ... GiB",
        "GPU KV cache size: ,,, tokens",
        "Maximum concurrency for ,,, tokens per request: 1.2.3x",
        "# GPU blocks: ,",
        "init engine (profile) took 1.2.3 s",
    ],
)
def test_what_only_looks_like_a_number_states_nothing(line: str) -> None:
    log = EngineLog()
    log.feed(f"INFO 11-30 09:00:00 [worker.py:1] {line}")
    assert log.witness().facts == {}
