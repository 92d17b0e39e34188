"""Reads a log line by line, in the order written; can be asked at any time what it knows."""

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
    Row,
)
from fleet.domain.enginelog.complaints import DECISIVE_LENGTH, Complaints
from fleet.domain.enginelog.failures import QUOTES, failure_in
from fleet.domain.enginelog.lines import (
    HEAD_AT_MOST,
    LINE_AT_MOST,
    USUAL,
    line_of,
    pieces_of,
    words_of,
)
from fleet.domain.enginelog.milestones import Milestones
from fleet.domain.enginelog.unwrap import plain_lines
from fleet.domain.enginelog.witness import Witness

# Complaints of these levels are of no weight; INFO may quote a request.
_CALM = frozenset({"INFO", "DEBUG"})
# A record of compiling may have one, such as [backbone].
_TAG_AT_MOST = 60
# A whole bar: nothing else is written after it.
_BAR_ENDS = ("it/s]", "s/it]")
_BANNERS = ("banner", "banner_logo", "args")


def _by_word(rows: Iterable[Row]) -> dict[bytes, tuple[Row, ...]]:
    words: dict[bytes, tuple[Row, ...]] = {}
    for row in rows:
        words[row.word] = (*words.get(row.word, ()), row)
    return words


_STARTING, _SERVING = _by_word(STARTING), _by_word(SERVING)


class EngineLog:
    """One run of one container.

    started_at: when its container started, seconds since the epoch, None if not known; it dates
    vLLM's own clock, which has no year.
    """

    def __init__(self, *, started_at: float | None = None) -> None:
        self.started_at = started_at
        self._passed = Milestones(near=started_at)
        self._complaints = Complaints()
        self._tail = ""
        self._complete = self._answered = self._says_up = False
        self._shut_down = self._is_json = self._is_plain = False
        self._probes = {"ok": 0, "unauthorised": 0}

    def feed(self, raw: str) -> None:
        """One physical line, with the kubelet's stamp before it or without."""
        if self._complete and self._is_idle(raw):
            self._tail = raw
            return
        head = USUAL.match(raw) if "\r" not in raw else None
        if head is not None and len(raw) <= LINE_AT_MOST:
            stamp, process, level, _ = head.groups("")
            text = raw[head.end() :]
            if "\x1b" not in text and (not process or "pid=" in process):
                if level:
                    self._record(raw, text, process=process, level=level)
                    return
                if ".py:" not in text:
                    self._bare(raw, text, process=process, stamp=stamp)
                    return
        for piece in pieces_of(raw):
            stamp, process, level, _, text = line_of(piece)
            if level:
                self._record(piece, text, process=process, level=level)
            else:
                self._bare(piece, text, process=process, stamp=stamp)

    def feed_all(self, lines: Iterable[str]) -> None:
        """Many lines, in order."""
        for raw in lines:
            self.feed(raw)

    def _is_idle(self, raw: str) -> bool:
        """What a server says most of its life, and what nothing is learned from."""
        if '" 200 OK' in raw:
            return self._probes["ok"] > 0 or '"GET ' not in raw
        return " throughput: " in raw and "] Engine 0" in raw

    def _bare(self, raw: str, text: str, *, process: str, stamp: str) -> None:
        """A line that is no record: a bar, a traceback, the web server's, one that was reshaped."""
        if stamp:
            self._passed.last, self._tail = raw, ""
        if text.startswith("INFO: "):
            self._uvicorn(raw, text)
        elif not text.startswith("{") or not self._reshaped(raw):
            self._words(raw, text, process=process, level="")

    def _record(self, raw: str, text: str, *, process: str, level: str) -> None:
        """A record of vLLM's logger. Most begin as a milestone does: nothing else is asked then."""
        passed = self._passed
        passed.last, self._tail, self._is_plain = raw, "", True
        if passed.first is None:
            passed.first = raw
        likely = BEGINNINGS.get(text[:BEGINNING])
        if likely is None or level not in _CALM or self._complete:
            self._words(raw, text, process=process, level=level)
            return
        fits = False
        for row in likely:
            match = row.pattern.search(text, 0, HEAD_AT_MOST)
            if match is not None:
                fits = True
                passed.take(row, match, raw, process=process)
        if not fits:
            self._words(raw, text, process=process, level=level)

    def _words(self, raw: str, text: str, *, process: str, level: str) -> None:
        """By how the line begins, else by its words."""
        fits = False
        if not self._complete:
            begin = text.find("] ", 1, _TAG_AT_MOST) + 2 if text[:1] == "[" else 0
            likely = BEGINNINGS.get(text[begin : begin + BEGINNING])
            fits = likely is not None and self._match(likely, raw, text, process=process)
        if level in _CALM:
            if not fits:
                self._by_words(raw, text, words_of(text[:HEAD_AT_MOST]), process=process)
                self._shut_down = self._shut_down or text.startswith(SHUTDOWN)
            return
        if text.startswith(QUOTES) or (fits and text.endswith(_BAR_ENDS)):
            return
        words = words_of(text)
        if not fits:
            self._by_words(raw, text, words, process=process)
        self._complaint(raw, text, words, process=process)

    def _by_words(self, raw: str, text: str, words: Sequence[bytes], *, process: str) -> None:
        """The slow way to a milestone."""
        by_word = _SERVING if self._complete else _STARTING
        found = by_word.keys() & words
        for word in found if len(found) < 2 else sorted(found, key=words.index):
            self._match(by_word[word], raw, text, process=process)

    def _match(self, rows: tuple[Row, ...], raw: str, text: str, *, process: str) -> bool:
        """Whether one of the rows fits."""
        fits = False
        for row in rows:
            match = row.pattern.search(text, 0, HEAD_AT_MOST)
            if match is not None:
                fits = True
                self._passed.take(row, match, raw, process=process)
        return fits

    def _uvicorn(self, raw: str, text: str) -> None:
        """Lines of the web server: they have neither process nor clock of their own."""
        if STARTUP_COMPLETE in text:
            self._up(raw)
            return
        access = ACCESS.match(text)
        if access is None:
            self._shut_down = self._shut_down or text.endswith(" Shutting down")
            return
        self._answered = True
        if access["method"] == "GET":
            self._probed(int(access["status"]))

    def _up(self, raw: str) -> None:
        """By its own word. KServe's server words the line its own way, with uvicorn's name."""
        if not self._complete:
            self._passed.mark("startup_complete", raw)
        self._complete = True

    def _probed(self, status: int) -> None:
        if status < 400:
            self._probes["ok"] += 1
        elif status == 401:
            self._probes["unauthorised"] += 1

    def _reshaped(self, raw: str) -> bool:
        """Whether it was a record in JSON. Its words count as a plain one's, but that the server is
        up is not its own word any more: others' lines may hold the same."""
        pieces = plain_lines(line_of(raw))
        was_plain = self._is_plain
        for piece in pieces:
            _, process, level, _, text = line_of(piece)
            access = f"INFO:     {text}"
            if level in _CALM and STARTUP_COMPLETE in text:
                self._passed.last = piece
                self._passed.mark("startup_complete", piece)
                self._answered = True
            elif level in _CALM and ACCESS.match(access):
                self._uvicorn(piece, access)
            elif level:
                self._record(piece, text, process=process, level=level)
            else:
                self._words(piece, text, process=process, level="")
        self._is_plain = was_plain
        self._is_json = self._is_json or bool(pieces)
        return bool(pieces)

    def _complaint(self, raw: str, text: str, words: Sequence[bytes], *, process: str) -> None:
        """Of those that tell of a failure."""
        if text.startswith('{"') and self._is_calm_json(text):
            return
        if STARTUP_COMPLETE in text and "uvicorn" in text:
            self._up(raw)
        class_ = failure_in(text, words)
        if class_ is not None:
            self._complaints.take(
                class_,
                text,
                process=process,
                answers=self._complete or self._answered,
                serves=self._serves,
            )

    def _is_calm_json(self, text: str) -> bool:
        """A log that somebody reshaped; whether the line is of no weight."""
        self._is_json = True
        self._says_up = self._says_up or STARTUP_COMPLETE in text
        return '"INFO"' in text[:HEAD_AT_MOST]

    def witness(self) -> Witness:
        """What the lines so far say."""
        passed = self._passed
        if self._tail:
            passed.last, self._tail = self._tail, ""
        clock = passed.clock()
        banners = (passed.first_at(name, clock) for name in _BANNERS)
        return Witness(
            clock=clock,
            first_at=passed.seconds(passed.first, clock),
            banner_at=min((each for each in banners if each is not None), default=None),
            nccl_at=passed.first_at("nccl_start", clock),
            engine_at=passed.first_at("engine_start", clock),
            load_at=passed.first_at("load_start", clock),
            init_at=self._init_at(clock),
            server_at=passed.first_at("server_start", clock),
            complete_at=passed.first_at("startup_complete", clock),
            last_at=passed.seconds(passed.last, clock),
            milestone=passed.latest,
            milestone_at=passed.last_at(passed.latest, clock),
            printed=passed.printed(),
            facts=passed.facts.plain(),
            **self._state(),
        )

    def _state(self) -> dict[str, Any]:
        died = self._complaints.died
        calm = (self._complete or self._answered) and not died
        complaints = [] if calm else self._complaints.by_weight()
        failure, line = complaints[0] if complaints else ("", "")
        denied = self._probes["unauthorised"] > 0 and self._probes["ok"] == 0
        return {
            "serves": self._serves,
            "complete": self._complete,
            "failure": failure,
            "line": line,
            "decisive": [each[:DECISIVE_LENGTH] for _, each in complaints],
            "died": died,
            "unauthorised": denied,
            "shut_down": self._shut_down,
            "is_json": self._is_json and not self._is_plain,
        }

    @property
    def _serves(self) -> bool:
        """It listens, as far as one can tell."""
        seen = self._complete or self._answered or self._says_up
        return seen or self._passed.has("server_start")

    def _init_at(self, clock: str) -> float | None:
        """The last engine to be ready holds the server up; one after the server began does not."""
        passed = self._passed
        last, server = passed.last_at("engine_init", clock), passed.first_at("server_start", clock)
        late = last is not None and server is not None and last > server
        return passed.first_at("engine_init", clock) if late else last
