"""Recorded streams for tests: read without the recorder's own annotations, edited, and measured."""

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from fleet.adapters.kubernetes.parse.stream import Recording
from fleet.domain.coldstart.start import ColdStart
from fleet.domain.ledger.delta import Delta, KeptObject, ReplicaRow
from fleet.domain.ledger.ledger import Ledger
from fleet.domain.records.change import Change, Listed

STREAMS = Path(__file__).parents[2] / "fixtures" / "streams"
NAMES = tuple(sorted(path.name.removesuffix(".jsonl.gz") for path in STREAMS.glob("*.jsonl.gz")))

Line = dict[str, Any]
Message = Change | Listed


def named(number: str) -> str:
    """The full name of a stream by its number."""
    return next(name for name in NAMES if name.startswith(number))


def truth(name: str) -> dict[str, Any]:
    """What really happened."""
    read: dict[str, Any] = json.loads((STREAMS / f"{name}.truth.json").read_text())
    return read


@cache
def _text(name: str) -> tuple[bytes, ...]:
    with gzip.open(STREAMS / f"{name}.jsonl.gz") as file:
        return tuple(json.dumps(clean(json.loads(line))).encode() for line in file)


def clean(value: Any) -> Any:
    """Without the annotations that were orders to the recorder's stand-in kubelet."""
    if isinstance(value, dict):
        return {k: clean(v) for k, v in value.items() if not k.startswith("bed.test/")}
    return [clean(item) for item in value] if isinstance(value, list) else value


def lines(name: str) -> list[Line]:
    """The lines of a stream, to be edited."""
    return [json.loads(text) for text in _text(name)]


def messages(edited: Iterable[Line] | str) -> tuple[list[Message], datetime]:
    """Messages of a stream, and the last time of receipt."""
    texts = _text(edited) if isinstance(edited, str) else [json.dumps(x).encode() for x in edited]
    recording = Recording()
    found = list(recording.messages(texts))
    assert recording.last is not None
    assert recording.odd == []
    return found, recording.last


@dataclass
class Kept:
    """What a history would hold: the newest of everything that deltas said."""

    objects: dict[str, KeptObject] = field(default_factory=dict)
    replicas: dict[str, ReplicaRow] = field(default_factory=dict)
    starts: dict[tuple[str, int], ColdStart] = field(default_factory=dict)
    deltas: list[Delta] = field(default_factory=list)

    def take(self, delta: Delta) -> None:
        """Keep a delta; facts pass through JSON, as they would through a database."""
        self.deltas.append(delta)
        self.objects |= {item.uid: item for item in delta.objects}
        for row in delta.replicas:
            self.replicas[row.uid] = replace(row, facts=json.loads(json.dumps(row.facts)))
        self.starts |= {(item.replica_uid, item.attempt): item for item in delta.starts}

    def restored(self) -> Ledger:
        """The next follower's ledger."""
        return Ledger.restore(
            "demo", objects=self.objects.values(), replicas=self.replicas.values()
        )

    def all_of(self, part: str) -> Iterator[Any]:
        """Every row of one part, in the order it was said."""
        for delta in self.deltas:
            yield from getattr(delta, part)


def follow(
    stream: Sequence[Message],
    last: datetime,
    *,
    batch: timedelta = timedelta(seconds=0.25),
    restart_at: frozenset[int] = frozenset(),
) -> Kept:
    """Feed messages as a follower does, starting anew from what was kept at given messages."""
    kept, ledger = Kept(), Ledger("demo")
    settled: datetime | None = None
    for at, message in enumerate(stream):
        if at in restart_at:
            kept.take(ledger.settle(now=message.received_at))
            ledger = kept.restored()
        ledger.apply(message)
        if settled is None or message.received_at - settled >= batch:
            settled = message.received_at
            kept.take(ledger.settle(now=settled))
    kept.take(ledger.settle_all(now=last))
    return kept


@cache
def recorded(name: str) -> Kept:
    """What following a whole stream says."""
    return follow(*messages(name))


def starts_of(stream: Sequence[Line] | str) -> dict[str, ColdStart]:
    """First starts of a stream by replica uid."""
    kept = recorded(stream) if isinstance(stream, str) else follow(*messages(stream))
    return {uid: start for (uid, attempt), start in kept.starts.items() if attempt == 0}


def edit(name: str, change: Callable[[Line], Line | None]) -> list[Line]:
    """A stream with every line changed, or left out (None)."""
    changed = (change(line) for line in lines(name))
    return [line for line in changed if line is not None]


def objects_of(line: Line) -> list[dict[str, Any]]:
    """The objects of a line: of a list all its items."""
    if line["type"] in {"LIST", "RELIST"}:
        return list(line["object"]["items"] or [])
    return [line["object"]]


def seconds(start: ColdStart) -> dict[str, float]:
    """Seconds by phase, summed where a phase comes twice."""
    found: dict[str, float] = {}
    for span in start.phases:
        found[span.phase.value] = round(found.get(span.phase.value, 0.0) + span.seconds, 3)
    return found


def cut_in(name: str, moment: str) -> list[Line]:
    """A stream as one sees it who connects at a moment: lists of what is there, then the rest."""
    stream = lines(name)
    state: dict[str, dict[str, Line]] = {}
    for line in (line for line in stream if line["t"] < moment):
        _remember(state, line)
    lists = [
        {"t": moment + ".000Z", "resource": resource, "type": "LIST", "object": _list(items)}
        for resource, items in state.items()
    ]
    return [*lists, *(line for line in stream if line["t"] >= moment)]


def with_gap(stream: list[Line], resource: str, begin: str, end: str) -> list[Line]:
    """One watch that breaks and is listed again."""
    state: dict[str, dict[str, Line]] = {resource: {}}
    before = [line for line in stream if line["t"] < begin]
    blind = [line for line in stream if begin <= line["t"] < end]
    after = [line for line in stream if line["t"] >= end]
    for line in (*before, *blind):
        if line["resource"] == resource:
            _remember(state, line)
    status = {"kind": "Status", "code": 410, "reason": "Expired"}
    listed = _list(state[resource])
    return [
        *before,
        {"t": begin + ".000Z", "resource": resource, "type": "ERROR", "object": status},
        *(line for line in blind if line["resource"] != resource),
        {"t": end + ".000Z", "resource": resource, "type": "RELIST", "object": listed},
        *after,
    ]


def _remember(state: dict[str, dict[str, Line]], line: Line) -> None:
    items = state.setdefault(line["resource"], {})
    if line["type"] in {"ADDED", "MODIFIED", "LIST", "RELIST"}:
        items |= {item["metadata"]["uid"]: item for item in objects_of(line)}
    elif line["type"] == "DELETED":
        items.pop(line["object"]["metadata"]["uid"], None)


def _list(items: dict[str, Line]) -> Line:
    return {"metadata": {"resourceVersion": "1"}, "items": list(items.values())}
