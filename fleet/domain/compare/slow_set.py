"""The slow set against the rest: what do slow starts have in common?"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from fleet.domain.coldstart.remaining import percentile
from fleet.domain.compare.ranks import fisher_p, holm
from fleet.domain.compare.records import Attribute, Compared, finished, reader_of

# docs/comparing.md, "The slow set".
SLOWEST = 0.75
ENOUGH_OF_A_KIND = 8
ENOUGH_SLOW = 5
ENOUGH_HITS = 3
SURE = 0.01
LIFT = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """How often a value occurs among the slow starts and among the rest.

    lift: share among the slow over share among the rest, None where none of the rest has it.
    chance: of so many slow ones without a cause, corrected for all values looked at. tells: it is
    sure enough, and large enough, to be said.
    """

    attribute: Attribute
    value: str
    slow: int
    rest: int
    share_slow: float
    share_rest: float
    lift: float | None
    chance: float
    tells: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowSet:
    """n_slow, n_rest: starts that were judged. common: what tells comes first, surest first; empty
    under five slow ones."""

    n_slow: int
    n_rest: int
    common: tuple[Common, ...]

    @property
    def telling(self) -> tuple[Common, ...]:
        """What may be said in a sentence."""
        return tuple(one for one in self.common if one.tells)


def slow_set(
    starts: Iterable[Compared], attributes: Sequence[Attribute] = tuple(Attribute)
) -> SlowSet:
    """starts: of any models. A start is slow among its own kind: the slowest quarter of its
    model and start mode, so that neither a large model nor a full pull makes it so. For the
    attribute start mode the kind is the model alone. Kinds of under eight starts are left out."""
    ready = finished(starts)
    by_mode = _halves(ready, with_mode=True)
    by_model = _halves(ready, with_mode=False)
    if len(by_mode[0]) < ENOUGH_SLOW:
        return SlowSet(n_slow=len(by_mode[0]), n_rest=len(by_mode[1]), common=())
    found = [
        one
        for attribute in attributes
        for one in _common(attribute, by_model if attribute is Attribute.START_MODE else by_mode)
    ]
    return SlowSet(n_slow=len(by_mode[0]), n_rest=len(by_mode[1]), common=tuple(_judged(found)))


Halves = tuple[list[Compared], list[Compared]]


def _halves(ready: Iterable[Compared], *, with_mode: bool) -> Halves:
    """Slow ones, and the rest."""
    kinds: dict[tuple[str, str], list[Compared]] = {}
    for start in ready:
        mode = start.start_mode if with_mode else ""
        kinds.setdefault((start.model_uid, mode), []).append(start)
    slow: list[Compared] = []
    rest: list[Compared] = []
    for kind in kinds.values():
        if len(kind) < ENOUGH_OF_A_KIND:
            continue
        limit = percentile(sorted(start.total_s or 0.0 for start in kind), SLOWEST)
        for start in kind:
            (slow if (start.total_s or 0.0) > limit else rest).append(start)
    return slow, rest


def _common(attribute: Attribute, halves: Halves) -> list[Common]:
    """Of values that are known; nothing if all starts have the same."""
    value_of = reader_of(attribute)
    known_slow, known_rest = (Counter(filter(None, map(value_of, half))) for half in halves)
    values = known_slow | known_rest
    if len(values) < 2 or not known_slow:
        return []
    n_slow, n_rest = known_slow.total(), known_rest.total()
    return [
        _one(attribute, value, (known_slow[value], n_slow), (known_rest[value], n_rest))
        for value in values
        if known_slow[value]
    ]


def _one(
    attribute: Attribute, value: str, among_slow: tuple[int, int], among_rest: tuple[int, int]
) -> Common:
    """(those with the value, all) of each side."""
    (slow, n_slow), (rest, n_rest) = among_slow, among_rest
    share_slow = slow / n_slow
    share_rest = rest / n_rest if n_rest else 0.0
    return Common(
        attribute=attribute,
        value=value,
        slow=slow,
        rest=rest,
        share_slow=share_slow,
        share_rest=share_rest,
        lift=share_slow / share_rest if share_rest else None,
        chance=fisher_p(slow, n_slow, marked=slow + rest, total=n_slow + n_rest),
    )


def _judged(found: list[Common]) -> list[Common]:
    chances = holm([one.chance for one in found])
    judged = [
        replace(one, chance=chance, tells=_tells(one, chance))
        for one, chance in zip(found, chances, strict=True)
    ]
    return sorted(judged, key=lambda one: (not one.tells, one.chance, -one.share_slow, one.value))


def _tells(one: Common, chance: float) -> bool:
    large = one.lift is None or one.lift >= LIFT
    return chance <= SURE and large and one.slow >= ENOUGH_HITS
