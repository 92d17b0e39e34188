"""Events as client-go's recorder writes them: counted, aggregated, limited.

Source: client-go tools/record/events_cache.go (aggregator, logger, spam filter) and, for the
scheduler, tools/events (series).
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from simulator.store.errors import StatusError
from simulator.store.json_values import JsonObject
from simulator.store.resources import EVENTS
from simulator.store.store import Store
from simulator.world.shapes import micro_stamp, stamp
from simulator.world.timeline import Timeline

# Source: client-go tools/record/events_cache.go, defaults.
SIMILAR_MAX = 10
SIMILAR_WINDOW_S = 600.0
SPAM_BURST = 25
SPAM_REFILL_S = 300.0
REMEMBERED_MAX = 4096

# Source: kube-apiserver --event-ttl.
EVENT_TTL_S = 3600.0

Key = tuple[str, ...]
V = TypeVar("V")


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: datetime


@dataclass(slots=True)
class _Similar:
    messages: set[str]
    at: datetime


@dataclass(frozen=True, slots=True)
class Source:
    """Who writes: component, and the node for a kubelet."""

    component: str
    host: str = ""

    def as_json(self) -> JsonObject:
        return {"component": self.component} | ({"host": self.host} if self.host else {})


class _Bounded(OrderedDict[Key, V]):
    """Forgets the oldest entry above REMEMBERED_MAX."""

    def keep(self, key: Key, value: V) -> None:
        self[key] = value
        if len(self) > REMEMBERED_MAX:
            self.popitem(last=False)


@dataclass(slots=True)
class Recorder:
    """Writes the Events of one cluster into its store and lets them expire after an hour."""

    store: Store
    timeline: Timeline
    _written: int = 0
    _seen: _Bounded[tuple[str, str]] = field(default_factory=_Bounded)
    _similar: _Bounded[_Similar] = field(default_factory=_Bounded)
    _spam: _Bounded[_Bucket] = field(default_factory=_Bounded)
    _series: _Bounded[tuple[str, str]] = field(default_factory=_Bounded)

    def event(
        self,
        obj: Mapping[str, Any],
        reason: str,
        message: str,
        *,
        source: Source,
        field_path: str = "",
        kind: str = "Normal",
    ) -> None:
        """An Event about obj; a repeat moves count and lastTimestamp of the one that is there."""
        about = _reference(obj, field_path)
        who: Key = (source.component, source.host, about["uid"])
        if not self._let_through(who):
            return
        same: Key = (*who, field_path, kind, reason)
        message = self._aggregated(same, message)
        key: Key = (*same, message)
        if key in self._seen and self._repeat(self._seen[key]):
            return
        written = self._write(about, reason, message, source=source, kind=kind)
        self._seen.keep(key, (written["metadata"]["namespace"], written["metadata"]["name"]))

    def scheduler_event(
        self, obj: Mapping[str, Any], reason: str, message: str, *, kind: str, action: str
    ) -> None:
        """An Event of the scheduler: eventTime only; the second repeat begins a series."""
        about = _reference(obj, "")
        key: Key = (about["uid"], reason, message)
        if key in self._series and self._repeat_series(self._series[key]):
            return
        event = self._new(about, reason, message, kind=kind)
        event |= {
            "source": {},
            "firstTimestamp": None,
            "lastTimestamp": None,
            "eventTime": micro_stamp(self.timeline.now()),
            "action": action,
            "reportingComponent": "default-scheduler",
            "reportingInstance": "default-scheduler-control-plane-1",
        }
        written = self._create(event)
        if reason == "FailedScheduling":
            self._series.keep(key, (written["metadata"]["namespace"], written["metadata"]["name"]))

    def _let_through(self, who: Key) -> bool:
        now = self.timeline.now()
        bucket = self._spam.get(who) or _Bucket(SPAM_BURST, now)
        refill = (now - bucket.at).total_seconds() / SPAM_REFILL_S
        bucket.tokens, bucket.at = min(SPAM_BURST, bucket.tokens + refill), now
        self._spam.keep(who, bucket)
        if bucket.tokens < 1:
            return False
        bucket.tokens -= 1
        return True

    def _aggregated(self, same: Key, message: str) -> str:
        now = self.timeline.now()
        similar = self._similar.get(same)
        if similar is None or now - similar.at > timedelta(seconds=SIMILAR_WINDOW_S):
            similar = _Similar(set(), now)
        similar.messages.add(message)
        similar.at = now
        self._similar.keep(same, similar)
        if len(similar.messages) < SIMILAR_MAX:
            return message
        return f"(combined from similar events): {message}"

    def _repeat(self, where: tuple[str, str]) -> bool:
        def edit(event: JsonObject) -> None:
            event["count"] += 1
            event["lastTimestamp"] = stamp(self.timeline.now())

        return self._changed(where, edit)

    def _repeat_series(self, where: tuple[str, str]) -> bool:
        def edit(event: JsonObject) -> None:
            count = event.get("series", {"count": 1})["count"] + 1
            seen = micro_stamp(self.timeline.now())
            event["series"] = {"count": count, "lastObservedTime": seen}

        return self._changed(where, edit)

    def _changed(self, where: tuple[str, str], edit: Any) -> bool:
        try:
            self.store.change(EVENTS, *where, edit, manager="kube-controller-manager")
        except StatusError:
            return False
        return True

    def _write(
        self, about: JsonObject, reason: str, message: str, *, source: Source, kind: str
    ) -> JsonObject:
        now = stamp(self.timeline.now())
        event = self._new(about, reason, message, kind=kind)
        event |= {
            "source": source.as_json(),
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
            "eventTime": None,
            "reportingComponent": source.component,
            "reportingInstance": source.host,
        }
        return self._create(event)

    def _new(self, about: JsonObject, reason: str, message: str, *, kind: str) -> JsonObject:
        namespace = about.get("namespace") or "default"
        self._written += 1
        ticks = f"{self.timeline.now().timestamp():.6f}/{about['uid']}/{self._written}"
        name = f"{about['name']}.{hashlib.sha256(ticks.encode()).hexdigest()[:16]}"
        return {
            "kind": "Event",
            "apiVersion": "v1",
            "metadata": {"name": name, "namespace": namespace},
            "involvedObject": about,
            "reason": reason,
            "message": message[:1024],
            "type": kind,
        }

    def _create(self, event: JsonObject) -> JsonObject:
        written = self.store.create(EVENTS, event, manager="kube-controller-manager")
        where = (written["metadata"]["namespace"], written["metadata"]["name"])
        self.timeline.after_real(EVENT_TTL_S, lambda: self._expire(where))
        return written

    def _expire(self, where: tuple[str, str]) -> None:
        """The TTL counts from the last write, as a lease on the key does."""
        event = self.store.get(EVENTS, *where)
        if event is None:
            return
        last = _last_written(event)
        left = EVENT_TTL_S - (self.timeline.now() - last).total_seconds()
        if left > 1:
            self.timeline.after_real(left, lambda: self._expire(where))
            return
        self.store.delete(EVENTS, *where)


def _last_written(event: Mapping[str, Any]) -> datetime:
    series = event.get("series") or {}
    text = series.get("lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime")
    return datetime.fromisoformat(str(text or event["metadata"]["creationTimestamp"]))


def _reference(obj: Mapping[str, Any], field_path: str) -> JsonObject:
    meta = obj["metadata"]
    about: JsonObject = {
        "kind": obj["kind"],
        "namespace": meta.get("namespace", ""),
        "name": meta["name"],
        "uid": meta["uid"],
        "apiVersion": obj["apiVersion"],
        "resourceVersion": meta.get("resourceVersion", ""),
    }
    if field_path:
        about["fieldPath"] = field_path
    return about
