"""The small parts of following: streams, inbox, waiting, the cluster's word and its proof."""

import threading
from datetime import timedelta

import pytest

from fleet.adapters.kubernetes.resources import PLACES
from fleet.domain.records.change import Listed, OddItem
from fleet.domain.records.keys import ModelKind, Resource
from fleet.errors import (
    ClusterUnreachable,
    CredentialsExpired,
    FleetError,
    Forbidden,
    LeaseLost,
    NotThere,
    TooOld,
)
from fleet.history.streams import Position, Stream
from fleet.observe.account import Account, state_of
from fleet.observe.backoff import LONGEST_S, wait_s
from fleet.observe.board import Board, Pulse
from fleet.observe.inbox import PACE_S, Inbox, Letter
from fleet.observe.plan import BY_MODEL_KIND, WITHOUT_NAMESPACE, streams_for
from fleet.observe.trouble import code_of
from fleet.ports import Bookmark, ClusterFacts, Odd, Served
from tests.fleet.history.samples import NOW, ago

PODS = Stream(Resource.PODS, "", ModelKind.INFERENCE_SERVICE.value)
NODES = Stream(Resource.NODES)
EVENTS = Stream(Resource.EVENTS)


def facts(*resources: Resource, denied: tuple[Resource, ...] = ()) -> ClusterFacts:
    served = [Served(resource=r, api_version="v1", allowed=r not in denied) for r in resources]
    return ClusterFacts(
        kubernetes="1.36.2", kserve="0.20.0", knative=None, served=tuple(served), missing=()
    )


MODELS, LLMS = Resource.INFERENCE_SERVICES, Resource.LLM_INFERENCE_SERVICES


@pytest.mark.parametrize(
    ("seen", "namespaces", "names"),
    [
        pytest.param(facts(Resource.NODES), [], ["nodes@"], id="one stream a resource"),
        pytest.param(
            facts(Resource.PODS, MODELS),
            [],
            ["inferenceservices@", "pods/InferenceService@"],
            id="pods of the one kind that is served",
        ),
        pytest.param(
            facts(MODELS, LLMS, Resource.PODS),
            [],
            [
                "inferenceservices@",
                "llminferenceservices@",
                "pods/InferenceService@",
                "pods/LLMInferenceService@",
            ],
            id="pods of both kinds: no one label selects them",
        ),
        pytest.param(
            facts(MODELS, Resource.NODES),
            ["a", "b"],
            ["inferenceservices@a", "inferenceservices@b", "nodes@"],
            id="namespaces, where a resource has any",
        ),
        pytest.param(
            facts(MODELS, Resource.EVENTS, denied=(Resource.EVENTS,)),
            [],
            ["inferenceservices@"],
            id="what may not be read is not watched",
        ),
    ],
)
def test_streams(seen: ClusterFacts, namespaces: list[str], names: list[str]) -> None:
    streams = streams_for(seen, namespaces=namespaces)
    assert [f"{s.name}@{s.namespace}" for s in streams] == names
    assert [Stream.named(s.name, s.namespace) for s in streams] == list(streams)


def test_streams_and_places_agree() -> None:
    assert {r for r, place in PLACES.items() if not place.namespaced} == WITHOUT_NAMESPACE
    assert {r for r, place in PLACES.items() if len(place.labels) == 2} == BY_MODEL_KIND


@pytest.mark.parametrize(
    ("failures", "asked_s", "least_s", "most_s"),
    [
        pytest.param(1, None, 0.25, 0.5, id="the first"),
        pytest.param(3, None, 1.0, 2.0, id="it doubles"),
        pytest.param(50, None, LONGEST_S / 2, LONGEST_S, id="up to a limit"),
        pytest.param(1, 7.0, 7.0, 7.5, id="what the server asks for, and a little more"),
        pytest.param(1, 9999.0, LONGEST_S, LONGEST_S + 0.5, id="but not for ever"),
    ],
)
def test_waiting(failures: int, asked_s: float | None, least_s: float, most_s: float) -> None:
    assert wait_s(failures, asked_s=asked_s, draw=lambda low, _: low) == least_s
    assert wait_s(failures, asked_s=asked_s, draw=lambda _, high: high) == most_s


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (CredentialsExpired("", status=401), "credentials-expired"),
        (Forbidden("", status=403), "forbidden"),
        (NotThere("", status=404), "not-served"),
        (TooOld("", status=410), "too-old"),
        (ClusterUnreachable(""), "unreachable"),
        (LeaseLost(), "failed"),
    ],
)
def test_codes_of_trouble(error: FleetError, code: str) -> None:
    assert code_of(error) == code


def bookmark(version: str = "7") -> Letter:
    message = Bookmark(resource=Resource.NODES, resource_version=version, received_at=NOW)
    return Letter(NODES, message)


def test_the_first_change_is_given_at_once_and_the_next_ones_together() -> None:
    now, slept, go = [100.0], list[float](), threading.Event()

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if seconds:
            inbox.put(bookmark("3"), stop=go)

    inbox = Inbox(monotonic=lambda: now[0], sleep=sleep)
    inbox.put(bookmark("1"), stop=go)
    assert inbox.take(within_s=1) == [bookmark("1")]
    assert slept == [0.0]
    now[0] += PACE_S / 4
    inbox.put(bookmark("2"), stop=go)
    assert inbox.take(within_s=1) == [bookmark("2"), bookmark("3")]
    assert slept[1:] == [pytest.approx(PACE_S * 3 / 4)]


def test_nothing_came() -> None:
    assert Inbox().take(within_s=0.01) == []


def test_a_reader_waits_while_the_writer_is_behind_and_gives_up_when_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fleet.observe.inbox.CAPACITY", 1)
    inbox, stop = Inbox(), threading.Event()
    inbox.put(bookmark("1"), stop=stop)
    waiting = threading.Thread(target=lambda: inbox.put(bookmark("2"), stop=stop))
    waiting.start()
    waiting.join(0.3)
    assert waiting.is_alive()
    stop.set()
    waiting.join(30)
    assert not waiting.is_alive()
    assert inbox.take(within_s=0.01) == [bookmark("1")]


@pytest.mark.parametrize(
    ("pulse", "in_step", "word"),
    [
        pytest.param(Pulse(), False, "connecting", id="nothing is known yet"),
        pytest.param(Pulse(answered_at=NOW), False, "connecting", id="not every watch is open"),
        pytest.param(Pulse(answered_at=NOW), True, "live", id="in step"),
        pytest.param(Pulse(answered_at=NOW, took_s=3.0), True, "slow", id="answers take long"),
        pytest.param(Pulse(trouble="unreachable"), True, "unreachable", id="no answer"),
    ],
)
def test_the_word_for_a_cluster(pulse: Pulse, in_step: bool, word: str) -> None:
    assert state_of(pulse, in_step=in_step) == word


def board(*, opened: bool = True) -> Board:
    made = Board()
    made.expect([NODES, EVENTS, PODS])
    made.denied(PODS, trouble="forbidden", detail="pods is forbidden")
    made.opened(EVENTS)
    if opened:
        made.opened(NODES)
    return made


def test_in_step_is_every_watch_that_is_not_denied() -> None:
    assert board().in_step()
    assert not board(opened=False).in_step()
    assert not Board().in_step()


@pytest.mark.parametrize(
    ("heard", "answered", "opened", "proof"),
    [
        pytest.param(ago(seconds=1), None, True, ago(seconds=1), id="a message"),
        pytest.param(None, ago(seconds=2), True, ago(seconds=2), id="a heartbeat"),
        pytest.param(ago(seconds=9), ago(seconds=2), True, ago(seconds=2), id="the newer of both"),
        pytest.param(ago(seconds=1), ago(seconds=2), False, None, id="one watch is not open"),
        pytest.param(None, None, True, None, id="nothing yet"),
    ],
)
def test_the_proof_of_being_in_step(
    heard: object, answered: object, opened: bool, proof: object
) -> None:
    account, standing = Account({}), board(opened=opened)
    account.heard_at = heard  # type: ignore[assignment]
    if answered is not None:
        standing.answered(at=answered, took_s=0.1)  # type: ignore[arg-type]
    assert account.columns(standing).get("last_proof_at") == proof


def test_columns_are_written_once() -> None:
    account, standing = Account({}), board()
    account.note_facts(facts(Resource.NODES))
    columns = account.columns(standing)
    assert (columns["kserve"], columns["knative"]) == ("0.20.0", "")
    assert columns["watching"] == ["events", "nodes"]
    assert columns["state_detail"]["denied"] == ["pods/InferenceService"]
    account.written(columns)
    assert account.columns(standing) == {}


def test_positions_move_with_messages_and_with_heartbeats() -> None:
    account = Account({EVENTS: Position(resource_version="5", in_step_at=ago(minutes=9))})
    account.note(bookmark("8"))
    assert account.moved() == {NODES: Position(resource_version="8", in_step_at=NOW)}
    later = NOW + timedelta(seconds=5)
    account.still_in_step(board(), at=later)
    assert account.moved()[EVENTS] == Position(resource_version="5", in_step_at=later)
    account.written({})
    assert account.moved() == {}


@pytest.mark.parametrize(
    ("unseen_since", "gaps"),
    [
        pytest.param(None, 0, id="the first look begins no gap"),
        pytest.param(ago(minutes=2), 1, id="a list after a 410 ends one"),
    ],
)
def test_gaps(unseen_since: object, gaps: int) -> None:
    account = Account({})
    listed = Listed(
        resource=Resource.NODES,
        records=(),
        received_at=NOW,
        resource_version="9",
        unseen_since=unseen_since,  # type: ignore[arg-type]
    )
    account.note(Letter(NODES, listed))
    assert len(account.gaps()) == gaps
    assert account.moved()[NODES].resource_version == "9"


def test_odd_objects_are_shown_bounded_until_a_list_without_them() -> None:
    account = Account({})
    for number in range(50):
        odd = Odd(resource=Resource.NODES, name=f"n{number}", problem="x", received_at=NOW)
        account.note(Letter(NODES, odd))
    assert len(account.columns(board())["state_detail"]["odd"]) == 20
    item = OddItem(uid="u", name="n1", problem="still")
    listed = Listed(resource=Resource.NODES, records=(), received_at=NOW, odd=(item,))
    account.note(Letter(NODES, listed))
    shown = account.columns(board())["state_detail"]["odd"]
    assert shown == [{"name": "nodes/n1", "problem": "still"}]
