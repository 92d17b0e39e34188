"""An `Evidence` as rules ask of it: each answer is worked out once, when first asked for."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, TypeVar

from fleet.domain.diagnosis.calls import Call, call_of
from fleet.domain.diagnosis.claims import piece
from fleet.domain.diagnosis.clues import Clue
from fleet.domain.diagnosis.evidence import NO_TIME, Container, Evidence, Pod, Sample
from fleet.domain.diagnosis.limits import Limit, limits_of
from fleet.domain.diagnosis.places import LOGS, Where
from fleet.domain.diagnosis.podview import (
    is_models_own,
    is_over,
    is_ready,
    model_container,
    ready_at,
)
from fleet.domain.diagnosis.records import Piece
from fleet.domain.diagnosis.series import Series, failing
from fleet.domain.diagnosis.texts import Text, texts_of
from fleet.domain.enginelog.failures import failure_in
from fleet.domain.enginelog.lines import words_of

T = TypeVar("T")
# Times of conditions and events are whole seconds of several clocks.
_CLOCKS = timedelta(seconds=2)
_ENGINES_OWN = frozenset({Where.ENGINE, Where.STATE, Where.CONDITION})
_LINE_AT_MOST = 2_000
_SERVES = ("application startup complete", "uvicorn running on", "starting vllm api server")


class Case:
    """One evidence; `now` is its own moment."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.now: datetime = evidence.observed_at
        self.series = Series(evidence.samples)
        self.answers: dict[Callable[[Case], Any], Any] = {}
        self._found: dict[Clue, tuple[Text, ...]] = {}

    @cached_property
    def pods(self) -> tuple[Pod, ...]:
        """The model's own."""
        return tuple(each for each in self.evidence.pods if is_models_own(each))

    @cached_property
    def live(self) -> tuple[Pod, ...]:
        """Those that are neither ended nor going."""
        return tuple(each for each in self.pods if not is_over(each))

    @cached_property
    def ready(self) -> tuple[Pod, ...]:
        """Those that serve as far as the kubelet knows."""
        return tuple(each for each in self.live if is_ready(each))

    @cached_property
    def starting(self) -> tuple[Pod, ...]:
        """Those that are there and not ready."""
        return tuple(each for each in self.live if not is_ready(each))

    @cached_property
    def begun(self) -> tuple[Pod, ...]:
        """Those that start; without any live pod also those that were ended at it."""
        if self.live:
            return self.starting
        return tuple(each for each in self.pods if each.phase not in ("Failed", "Succeeded"))

    @cached_property
    def healthy_since(self) -> datetime | None:
        """Since when every live pod is ready; None if one is not, or none is there."""
        times = [ready_at(each) for each in self.live]
        known = [each for each in times if each is not None]
        return max(known) if known and len(known) == len(times) else None

    @cached_property
    def models(self) -> tuple[tuple[Pod, Container], ...]:
        """Model containers with their pods."""
        pairs = ((pod, model_container(pod)) for pod in self.pods)
        return tuple((pod, container) for pod, container in pairs if container is not None)

    @cached_property
    def limits(self) -> tuple[Limit, ...]:
        """Limits in the path, the shortest first."""
        return limits_of(self.evidence)

    @cached_property
    def all_texts(self) -> tuple[Text, ...]:
        """Everything said, also of what is over."""
        return tuple(texts_of(self.evidence, self.pods))

    @cached_property
    def texts(self) -> tuple[Text, ...]:
        """What is said and not outlived: older than everybody's readiness is over."""
        return tuple(each for each in self.all_texts if not self._outlived(each))

    def _outlived(self, text: Text) -> bool:
        if text.where in (Where.EDGE, Where.PICKER, Where.ACTIVATOR, Where.CONTROL):
            return False
        since = self._healthy_since(text)
        if since is None:
            return False
        if text.where in LOGS:
            return self._line_outlived(text, since)
        if text.where is Where.CONDITION:
            return bool(text.pod)
        return text.at is None or text.at <= since + _CLOCKS

    def _healthy_since(self, text: Text) -> datetime | None:
        """Since when what a text is about is well; of a pod that is over, since others are."""
        if text.pod:
            own = next((each for each in self.pods if each.name == text.pod), None)
            if own is not None and not self.is_past(own):
                return ready_at(own)
        return self.healthy_since

    def is_past(self, pod: Pod) -> bool:
        """Over, others took its place, and nobody is known to suffer."""
        return is_over(pod) and self.healthy_since is not None and not self.users_suffer

    def _line_outlived(self, text: Text, since: datetime) -> bool:
        if text.at is not None:
            return text.at <= since + _CLOCKS
        return text.previous or text.number < self._served_from.get(text.container, 0)

    @cached_property
    def _served_from(self) -> dict[str, int]:
        """By log: the line that says that the server listens."""
        found: dict[str, int] = {}
        for each in self.all_texts:
            if each.where is Where.ENGINE and any(sign in each.low for sign in _SERVES):
                found[each.container] = each.number
        return found

    @cached_property
    def _all_words(self) -> str:
        """Everything said, in one piece: what is not in it is in no text."""
        return "\n".join(dict.fromkeys(each.low for each in self.all_texts))

    def _signs(self, clue: Clue) -> tuple[str, ...]:
        """Those of a clue that somebody says."""
        words = self._all_words
        return tuple(sign for sign in clue.signs if sign in words)

    def find(self, clue: Clue) -> tuple[Text, ...]:
        """Texts that give a clue and are not outlived."""
        if clue not in self._found:
            signs = self._signs(clue)
            texts = self.texts if signs else ()
            self._found[clue] = tuple(each for each in texts if clue.fits(each, signs))
        return self._found[clue]

    def find_all(self, clue: Clue) -> tuple[Text, ...]:
        """The same, whatever has happened since."""
        signs = self._signs(clue)
        texts = self.all_texts if signs else ()
        return tuple(each for each in texts if clue.fits(each, signs))

    @cached_property
    def complaints(self) -> dict[str, list[Text]]:
        """What engines complain of, by class; never of an init container, nothing outlived."""
        found: dict[str, list[Text]] = {}
        for each in self.texts:
            if each.where in _ENGINES_OWN and not each.init:
                class_ = failure_in(each.text, words_of(each.text[:_LINE_AT_MOST]))
                if class_ is not None:
                    found.setdefault(class_, []).append(each)
        return found

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """Requests that lines tell of, failed or not."""
        told = (call_of(each) for each in self.all_texts if each.kind == "log")
        return tuple(each for each in told if each is not None)

    @cached_property
    def failed_calls(self) -> tuple[Call, ...]:
        """Those that users felt."""
        return tuple(each for each in self.calls if each.failed)

    @cached_property
    def failing_samples(self) -> tuple[Sample, ...]:
        """Series that count failed requests."""
        return failing(self.evidence.samples)

    @property
    def users_suffer(self) -> bool:
        """Whether requests failed, as far as one can see."""
        return bool(self.failed_calls or self.failing_samples)

    @property
    def only_lines_tell(self) -> bool:
        """Whether no object tells for how long a start has been going on."""
        if not self.pods:
            return True
        return bool(self.starting) and not self.evidence.moment_told

    def age_s(self, at: datetime | None) -> float | None:
        """How long ago, None if not told or if there is no clock."""
        if at is None or self.now == NO_TIME:
            return None
        return max((self.now - at).total_seconds(), 0.0)


def once(answer: Callable[[Case], T]) -> Callable[[Case], T]:
    """The same, worked out once for each case and gone with it."""

    def asked(case: Case) -> T:
        if answer not in case.answers:
            case.answers[answer] = answer(case)
        found: T = case.answers[answer]
        return found

    return asked


def quoted(texts: Iterable[Text], *, at_most: int = 3) -> tuple[Piece, ...]:
    """Texts as evidence, each wording once."""
    kept: dict[str, Text] = {}
    for each in texts:
        kept.setdefault(each.low[:200], each)
        if len(kept) == at_most:
            break
    return tuple(piece(each.kind, each.ref, _said(each), each.at) for each in kept.values())


def _said(text: Text) -> str:
    times = f" ({text.count} times)" if text.count > 1 else ""
    reason = f"{text.reason}: " if text.where in (Where.EVENT, Where.CONDITION) else ""
    return f"{reason}{text.text}{times}" if reason.strip(": ") else f"{text.text}{times}"


def measured(samples: Iterable[Sample], *, at_most: int = 3) -> tuple[Piece, ...]:
    """Samples as evidence."""
    return tuple(
        piece("metric", each.ref, f"{each.value:g}", each.at) for each in list(samples)[:at_most]
    )


def configured(key: str, value: object) -> Piece:
    """A fact of the configuration as evidence."""
    return piece("config", f"config/{key}", f"{key} = {value}")
