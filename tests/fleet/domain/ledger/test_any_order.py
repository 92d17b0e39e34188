"""Whatever order, gap or repeat the messages of a start come in, its phases add up."""

import random
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from fleet.domain.coldstart.start import ColdStart, Outcome, Phase
from fleet.domain.records.change import Change
from fleet.domain.records.keys import Resource
from tests.fleet.domain.streams import (
    Line,
    Message,
    follow,
    lines,
    messages,
    named,
    recorded,
    starts_of,
    with_gap,
)

NAMES = tuple(named(number) for number in ("01", "03", "11", "13", "21"))
AFTER_READY = {Phase.ROUTE, Phase.FIRST_ANSWER}
RESOURCES = ("pods", "deployments", "replicasets", "podautoscalers", "revisions", "nodes")


def adds_up(start: ColdStart) -> bool:
    """Spans follow one another without a hole, none is negative, and they make the total."""
    spans = [span for span in start.phases if span.phase not in AFTER_READY]
    total = sum(span.seconds for span in spans)
    whole = start.total_s is None or abs(total - start.total_s) <= 0.05
    joined = all(one.ended_at == two.started_at for one, two in zip(spans, spans[1:], strict=False))
    positive = all(span.seconds >= 0 and (span.error_s or 0) >= 0 for span in start.phases)
    return whole and joined and positive and start.unexplained_s >= 0


def answers(starts: dict[str, ColdStart]) -> dict[str, tuple[str, str, str, tuple[str, ...]]]:
    """What is said of each start, without its lengths."""
    return {
        uid: (
            s.trigger.value,
            s.outcome.value,
            s.start_mode.value,
            tuple(p.phase for p in s.phases),
        )
        for uid, s in starts.items()
    }


def first_starts(stream: list[Message], last: datetime) -> dict[str, ColdStart]:
    """By replica."""
    found = follow(stream, last).starts
    return {uid: start for (uid, attempt), start in found.items() if attempt == 0}


def known(name: str) -> dict[str, ColdStart]:
    """As recorded."""
    return {uid: start for (uid, n), start in recorded(name).starts.items() if n == 0}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_watches_seconds_out_of_step_and_some_messages_twice(name: str, seed: int) -> None:
    """Each watch stays in its order, as a server sends it; among each other they do not."""
    stream, last = messages(name)
    chance = random.Random(seed)
    late_s = {resource: chance.uniform(0, 4) for resource in Resource}
    due = [m.received_at.timestamp() + late_s[m.resource] for m in stream]
    mixed = [stream[at] for at in sorted(range(len(stream)), key=lambda at: (due[at], at))]
    doubled = [m for message in mixed for m in [message] * chance.choice((1, 1, 2))]
    found = first_starts(doubled, last)
    assert all(adds_up(start) for start in found.values())
    assert found == known(name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_watches_read_late_change_lengths_by_as_much_and_nothing_else(name: str, seed: int) -> None:
    """A follower that is short of time: whole watches are received seconds later than others."""
    stream, last = messages(name)
    chance = random.Random(seed)
    late = {resource: timedelta(seconds=chance.uniform(0, 3)) for resource in Resource}
    moved = [replace(m, received_at=m.received_at + late[m.resource]) for m in stream]
    moved.sort(key=lambda message: message.received_at)
    found = first_starts(moved, last + timedelta(seconds=3))
    assert all(adds_up(start) for start in found.values())
    told = {uid: answer[:3] for uid, answer in answers(found).items()}
    assert told == {uid: answer[:3] for uid, answer in answers(known(name)).items()}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_lists_taken_again_after_gaps_anywhere(name: str, seed: int) -> None:
    chance = random.Random(seed)
    stream = lines(name)
    for resource in chance.sample(RESOURCES, 3):
        stream = _gap(stream, resource, chance)
    found = starts_of(stream)
    assert all(adds_up(start) for start in found.values())
    for uid, start in known(name).items():
        if start.outcome is Outcome.READY:
            assert uid in found


def _gap(stream: list[Line], resource: str, chance: random.Random) -> list[Line]:
    """Up to ten seconds of one watch that nobody read."""
    at = chance.choice([line for line in stream if line["type"] not in {"LIST", "RELIST"}])["t"]
    began = datetime.fromisoformat(at)
    ended = began + timedelta(seconds=chance.uniform(1, 10))
    return with_gap(stream, resource, began.isoformat()[:19], ended.isoformat()[:19])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(2))
def test_changes_in_any_order_at_all(name: str, seed: int) -> None:
    """No server sends this; nothing may break, and what is said still adds up."""
    stream, last = messages(name)
    chance = random.Random(seed)
    changes = [message for message in stream if isinstance(message, Change)]
    chance.shuffle(changes)
    lists = [message for message in stream if not isinstance(message, Change)]
    found = first_starts([*lists, *changes], last)
    assert all(adds_up(start) for start in found.values())
