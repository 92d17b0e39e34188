"""What really became of the requests, in windows of half a minute. Nobody who watches reads it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from simulator.world.calling import Callers
from simulator.world.passages import Fate, Passage
from simulator.world.profiles import Runtime

# Windows are aligned to the epoch.
WINDOW_S = 30
INGRESS, PICKER = "ingress", "endpoint-picker"
ACTIVATOR, QUEUE, CONTAINER = "activator", "queue-proxy", "container"
_MAKERS = {
    Fate.NO_ROUTE: INGRESS,
    Fate.NO_ENDPOINT: INGRESS,
    Fate.NO_CONNECTION: INGRESS,
    Fate.INGRESS_TIMEOUT: INGRESS,
    Fate.SHED: PICKER,
    Fate.NO_REVISION: ACTIVATOR,
    Fate.HELD_TOO_LONG: ACTIVATOR,
    Fate.UNREACHABLE: ACTIVATOR,
    Fate.QUEUE_FULL: QUEUE,
    Fate.REFUSED: QUEUE,
}


def maker(passage: Passage) -> str:
    """Who made the answer that the caller got."""
    if passage.fate is Fate.TOO_SLOW:
        return ACTIVATOR if passage.proxied else QUEUE
    return _MAKERS.get(passage.fate, CONTAINER)


@dataclass(slots=True)
class Window:
    """requests: all that ended in it. fates: of those that were not simply answered."""

    requests: int = 0
    client_gone: int = 0
    errors: Counter[tuple[str, int]] = field(default_factory=Counter)
    fates: Counter[str] = field(default_factory=Counter)

    def add(self, passage: Passage) -> None:
        self.requests += passage.times
        if passage.status is None:
            self.client_gone += passage.times
        elif passage.status >= 500:
            self.errors[maker(passage), passage.status] += passage.times
        if passage.fate is not Fate.ANSWERED:
            self.fates[passage.fate.name] += passage.times


# kind, namespace, name, revision ("" without Knative), start of the window.
Place = tuple[str, str, str, str, int]
Keep = Callable[[dict[str, Any]], None]


class RequestTruth:
    """keep: given each window once, some seconds after its end. since: what ended before is left
    out."""

    def __init__(self, callers: Callers, keep: Keep, since: datetime | None = None) -> None:
        self.world, self.keep, self.since = callers.world, keep, since
        self.windows: dict[Place, Window] = {}
        callers.at_ingress.append(self._ended)
        self._again()

    def _ended(self, passage: Passage) -> None:
        if passage.model is None or (self.since is not None and passage.at < self.since):
            return
        profile = self.world.behaviours.profiles.get(passage.model)
        is_llm = profile is not None and profile.runtime is Runtime.LLMISVC
        kind = "LLMInferenceService" if is_llm else "InferenceService"
        revision = passage.revision[1] if passage.revision else ""
        start = int(passage.at.timestamp()) // WINDOW_S * WINDOW_S
        place = (kind, *passage.model, revision, start)
        self.windows.setdefault(place, Window()).add(passage)

    def _again(self) -> None:
        self.flush(before=self.world.timeline.now().timestamp() - WINDOW_S)
        self.world.timeline.after_real(WINDOW_S / 3, self._again)

    def flush(self, *, before: float) -> None:
        """Keeps the windows that began before a moment."""
        for place in [each for each in self.windows if each[-1] < before]:
            self.keep(self._as_json(place, self.windows.pop(place)))

    def _as_json(self, place: Place, window: Window) -> dict[str, Any]:
        kind, namespace, name, revision, start = place
        at = datetime.fromtimestamp(start, UTC)
        by: dict[str, dict[str, int]] = {}
        for (hop, code), count in sorted(window.errors.items()):
            by.setdefault(hop, {})[str(code)] = count
        return {
            "cluster": self.world.plan.settings.name,
            "kind": kind,
            "namespace": namespace,
            "model": name,
            "revision": revision,
            "at": f"{at:%Y-%m-%dT%H:%M:%SZ}",
            "requests": window.requests,
            "errors": by,
            "client_gone": window.client_gone,
            "fates": dict(window.fates),
        }


def line(window: dict[str, Any]) -> str:
    return json.dumps(window, separators=(",", ":"))
