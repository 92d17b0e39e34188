"""Reads a log line by line, in the order written; can be asked at any time what it knows."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from fleet.domain.enginelog.catalogue import (
    ACCESS,
    BEGINNING,
    BEGINNINGS,
    SERVING,
    SHUTDOWN,
    STARTING,
    STARTUP_COMPLETE,
    SUMMED,
    Row,
)
from fleet.domain.enginelog.facts import STATED, Facts
from fleet.domain.enginelog.failures import QUOTES, RANK, WRAPPERS, failure_in
from fleet.domain.enginelog.lines import (
    HEAD_AT_MOST,
    Line,
    clock_s,
    line_of,
    lines_in,
    stamp_s,
    words_of,
)
from fleet.domain.enginelog.redact import RAW_AT_MOST, redacted
from fleet.domain.enginelog.witness import Witness

PROCESSES_AT_MOST = 1024
# Complaints of these levels are of no weight; INFO may quote a request.
_CALM = frozenset({"INFO", "DEBUG"})
# A crash after the server was up says one of these; others are a request's own trouble.
_FATAL = WRAPPERS | {"cuda_fault", "cuda_oom", "nccl_error", "killed_by_sigterm", "shm_too_small"}

_ENGINES = ("EngineCore", "Worker", "VllmWorker", "RayWorker")


def _by_word(rows: Iterable[Row]) -> dict[bytes, tuple[Row, ...]]:
    words: dict[bytes, tuple[Row, ...]] = {}
    for row in rows:
        words[row.word] = (*words.get(row.word, ()), row)
    return words


_STARTING, _SERVING = _by_word(STARTING), _by_word(SERVING)
_STARTING_WORDS, _SERVING_WORDS = frozenset(_STARTING), frozenset(_SERVING)


class EngineLog:
    """One run of one container.

    started_at: when its container started, seconds since the epoch, None if not known; it dates
    vLLM's own clock, which has no year.
    """

    def __init__(self, *, started_at: float | None = None) -> None:
        self.started_at = started_at
        self.facts = Facts()
        self._near = started_at
        self._at: dict[str, tuple[Line, Line]] = {}
        self._first: Line | None = None
        self._last: Line | None = None
        self._tail = ""
        self._milestone = ""
        self._printed: dict[str, dict[str, float]] = {}
        self._summed: set[tuple[str, str, str]] = set()
        self._rank = len(RANK)
        self._failure = ""
        self._line = ""
        self._suspected: tuple[str, str] | None = None
        self._complete = self._serves = self._answered = False
        self._died = self._shut_down = self._is_json = False
        self._probes = {"ok": 0, "unauthorised": 0}

    def feed(self, raw: str) -> None:
        """One physical line, with the kubelet's stamp before it or without."""
        if self._complete and self._is_idle(raw):
            self._tail = raw
        elif "\r" in raw:
            for line in lines_in(raw):
                self._take(line)
        else:
            self._take(line_of(raw))

    def feed_all(self, lines: Iterable[str]) -> None:
        """Many lines, in order."""
        for raw in lines:
            self.feed(raw)

    def _is_idle(self, raw: str) -> bool:
        """What a server says most of its life, and what nothing is learned from."""
        if '" 200 OK' in raw:
            return self._probes["ok"] > 0 or '"GET ' not in raw
        return " throughput: " in raw and "] Engine 0" in raw

    def _take(self, line: Line) -> None:
        if line.stamp or line.clock:
            self._last, self._tail = line, ""
        if not line.level and line.text.startswith("INFO: "):
            self._uvicorn(line)
            return
        if line.level and self._first is None:
            self._first = line
        if not self._complete:
            likely = BEGINNINGS.get(line.text[:BEGINNING])
            if likely is not None and self._match(likely, line):
                return
        self._words(line)

    def _words(self, line: Line) -> None:
        """The slow way: by the words of the line."""
        is_calm = line.level in _CALM
        if not is_calm and line.text.startswith(QUOTES):
            return
        words = words_of(line.text[:HEAD_AT_MOST] if is_calm else line.text)
        by_word, known = (
            (_SERVING, _SERVING_WORDS) if self._complete else (_STARTING, _STARTING_WORDS)
        )
        found = known.intersection(words)
        for word in found if len(found) < 2 else sorted(found, key=words.index):
            self._match(by_word[word], line)
        if not is_calm:
            self._complaint(line, words)
        elif line.text.startswith(SHUTDOWN):
            self._shut_down = True

    def _match(self, rows: tuple[Row, ...], line: Line) -> bool:
        """Whether one of the rows fits."""
        fits, text = False, line.text[:HEAD_AT_MOST]
        for row in rows:
            match = row.pattern.search(text)
            if match is not None:
                self._note(row, match, line)
                fits = True
        return fits

    def _note(self, row: Row, match: re.Match[str], line: Line) -> None:
        name = row.name
        if name in STATED:
            self.facts.take(name, match, process=line.process)
        if not self._complete:
            self._mark(name, line)
        if row.prints and match["s"] and not (name in SUMMED and self._is_copy(line)):
            self._print(name, match, line.process)

    def _mark(self, name: str, line: Line) -> None:
        self._milestone = name
        known = self._at.get(name)
        self._at[name] = (line if known is None else known[0], line)
        if name == "server_start":
            self._serves = True

    def _is_copy(self, line: Line) -> bool:
        """Ray passes lines of its workers on, so that some come twice: what is summed must not."""
        said = (line.process, line.clock, line.text)
        known = bool(line.clock) and said in self._summed
        if len(self._summed) < PROCESSES_AT_MOST:
            self._summed.add(said)
        return known

    def _print(self, name: str, said: re.Match[str], process: str) -> None:
        is_ms = name == "api_warmup" and said["unit"] == "ms"
        seconds = float(said["s"]) / (1000.0 if is_ms else 1.0)
        of = self._printed.setdefault(name, {})
        if process not in of and len(of) >= PROCESSES_AT_MOST:
            return
        known = of.get(process, 0.0)
        of[process] = known + seconds if name in SUMMED else max(known, seconds)

    def _uvicorn(self, line: Line) -> None:
        """Lines of the web server: they have neither process nor clock of their own."""
        if STARTUP_COMPLETE in line.text:
            self._up(line)
            return
        access = ACCESS.match(line.text)
        if access is None:
            self._shut_down = self._shut_down or line.text.endswith(" Shutting down")
            return
        self._serves = self._answered = True
        if access["method"] == "GET":
            self._probed(int(access["status"]))

    def _up(self, line: Line) -> None:
        """By its own word. KServe's server words the line its own way, with uvicorn's name."""
        if not self._complete:
            self._mark("startup_complete", line)
        self._complete = self._serves = True

    def _probed(self, status: int) -> None:
        if status < 400:
            self._probes["ok"] += 1
        elif status == 401:
            self._probes["unauthorised"] += 1

    def _complaint(self, line: Line, words: Sequence[bytes]) -> None:
        """The weightiest class wins, and of its lines the first."""
        if line.text.startswith('{"') and self._is_calm_json(line.text):
            return
        if STARTUP_COMPLETE in line.text and "uvicorn" in line.text:
            self._up(line)
        class_ = failure_in(line.text, words)
        if class_ is None:
            return
        answers = self._complete or self._answered
        if answers and class_ not in _FATAL:
            self._suspect(class_, line)
            return
        if (answers or (self._serves and class_ in WRAPPERS)) and not self._died:
            self._died, self._rank = True, len(RANK)
        if RANK[class_] < self._rank:
            self._rank, self._failure = RANK[class_], class_
            self._line = line.text[:RAW_AT_MOST]

    def _suspect(self, class_: str, line: Line) -> None:
        """The engine's own trouble counts once the engine is dead; a request's never does."""
        if line.process.startswith(_ENGINES) and self._suspected is None:
            self._suspected = (class_, line.text[:RAW_AT_MOST])

    def _cause(self) -> tuple[str, str]:
        """Class and line of the weightiest complaint."""
        suspected = self._suspected
        if self._died and suspected is not None and RANK[suspected[0]] < self._rank:
            return suspected
        return self._failure, self._line

    def _is_calm_json(self, text: str) -> bool:
        """A log that somebody reshaped; whether the line is of no weight."""
        self._is_json = True
        self._serves = self._serves or STARTUP_COMPLETE in text
        return '"INFO"' in text[:HEAD_AT_MOST]

    def witness(self) -> Witness:
        """What the lines so far say."""
        if self._tail:
            self._last, self._tail = line_of(self._tail), ""
        clock, at = self._clock(), self._at
        firsts = (at[name][0] for name in ("banner", "banner_logo", "args") if name in at)
        banners = (self._seconds(line, clock) for line in firsts)
        return Witness(
            clock=clock,
            first_at=self._seconds(self._first, clock),
            banner_at=min((each for each in banners if each is not None), default=None),
            engine_at=self._first_at("engine_start", clock),
            load_at=self._first_at("load_start", clock),
            init_at=self._init_at(clock),
            server_at=self._first_at("server_start", clock),
            complete_at=self._first_at("startup_complete", clock),
            last_at=self._seconds(self._last, clock),
            milestone=self._milestone,
            milestone_at=self._last_at(self._milestone, clock),
            printed={name: max(of.values()) for name, of in self._printed.items()},
            facts=self.facts.plain(),
            **self._state(),
        )

    def _state(self) -> dict[str, Any]:
        calm = (self._complete or self._answered) and not self._died
        failure, line = ("", "") if calm else self._cause()
        denied = self._probes["unauthorised"] > 0 and self._probes["ok"] == 0
        return {
            "serves": self._serves,
            "complete": self._complete,
            "failure": failure,
            "line": redacted(line),
            "died": self._died,
            "unauthorised": denied,
            "shut_down": self._shut_down,
            "is_json": self._is_json and self._first is None,
        }

    def _clock(self) -> str:
        """One clock for all: the two are never mixed within a span."""
        if self._last is None:
            return ""
        return "kubelet" if self._last.stamp else "inline"

    def _seconds(self, line: Line | None, clock: str) -> float | None:
        if line is None:
            return None
        if clock == "kubelet":
            return stamp_s(line.stamp) if line.stamp else None
        return clock_s(line.clock, near=self._near) if line.clock else None

    def _first_at(self, name: str, clock: str) -> float | None:
        return self._seconds(self._at[name][0], clock) if name in self._at else None

    def _last_at(self, name: str, clock: str) -> float | None:
        return self._seconds(self._at[name][1], clock) if name in self._at else None

    def _init_at(self, clock: str) -> float | None:
        """The last engine to be ready holds the server up; one after the server began does not."""
        last, server = self._last_at("engine_init", clock), self._first_at("server_start", clock)
        late = last is not None and server is not None and last > server
        return self._first_at("engine_init", clock) if late else last
