"""The same starts, however their messages were cut, doubled, crossed or batched on the way."""

import random
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fleet.domain.coldstart.start import ColdStart
from fleet.domain.records.change import Change
from fleet.domain.records.keys import Resource
from tests.fleet.domain.streams import Kept, Message, follow, messages, named, recorded

STREAMS = tuple(named(number) for number in ("05", "11", "13", "19", "21"))
FEW = settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def same_starts(name: str, kept: Kept) -> None:
    """Every start says the same, and none is more or less."""
    assert _starts(kept) == _starts(recorded(name))


def _starts(kept: Kept) -> dict[tuple[str, int], ColdStart]:
    return kept.starts


@pytest.mark.parametrize("name", STREAMS)
@given(data=st.data())
@FEW
def test_a_follower_that_ends_anywhere_is_taken_over(name: str, data: st.DataObject) -> None:
    stream, last = messages(name)
    cuts = data.draw(st.frozensets(st.integers(1, len(stream) - 1), min_size=1, max_size=4))
    same_starts(name, follow(stream, last, restart_at=cuts))


@pytest.mark.parametrize("name", STREAMS)
def test_every_message_twice(name: str) -> None:
    stream, last = messages(name)
    same_starts(name, follow([m for message in stream for m in (message, message)], last))


@pytest.mark.parametrize("name", STREAMS)
def test_all_changes_replayed_at_the_end(name: str) -> None:
    stream, last = messages(name)
    again = [replace(m, received_at=last) for m in stream if isinstance(m, Change)]
    same_starts(name, follow([*stream, *again], last))


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("batch_s", [0.0, 5.0], ids=["each message settled", "settled every 5 s"])
def test_batches_of_any_size(name: str, batch_s: float) -> None:
    stream, last = messages(name)
    same_starts(name, follow(stream, last, batch=timedelta(seconds=batch_s)))


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("seed", range(4))
def test_watches_that_cross_each_other(name: str, seed: int) -> None:
    stream, last = messages(name)
    same_starts(name, follow(crossed(stream, random.Random(seed)), last))


def crossed(stream: list[Message], chance: random.Random) -> list[Message]:
    """Messages up to 50 ms out of order among watches; each watch stays in its own order."""
    delayed = sorted(
        (message.received_at.timestamp() + chance.uniform(0, 0.05), at)
        for at, message in enumerate(stream)
    )
    queues: dict[Resource, list[Message]] = {}
    for message in stream:
        queues.setdefault(message.resource, []).append(message)
    return [queues[stream[at].resource].pop(0) for _, at in delayed]


def test_rows_are_said_only_when_they_differ() -> None:
    kept = recorded(named("01"))
    for part in ("models", "revisions", "replicas", "starts", "probe_failures"):
        said = list(kept.all_of(part))
        assert said
        by_key: dict[object, object] = {}
        for row in said:
            key = getattr(row, "event_uid", None) or getattr(row, "uid", None) or row.replica_uid
            assert by_key.get((part, key)) != row
            by_key[part, key] = row


def test_kept_objects_are_the_newest_of_those_that_live() -> None:
    kept = recorded(named("23"))
    live = {item.resource: item.name for item in kept.objects.values() if item.record is not None}
    assert live[Resource.INFERENCE_SERVICES] == "flan"
    assert Resource.PODS not in live
    assert Resource.EVENTS not in live
