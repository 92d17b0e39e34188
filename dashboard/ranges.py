"""The time range of a page: `range=7d` up to now, or `since`/`until`; always in its address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from dashboard.words import Words

SPANS: Mapping[str, timedelta] = {
    "1h": timedelta(hours=1),
    "6h": timedelta(hours=6),
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
    "90d": timedelta(days=90),
}
RANGE_LABELS: Mapping[str, Words] = {
    "1h": _("last hour"),
    "6h": _("last 6 hours"),
    "24h": _("last 24 hours"),
    "7d": _("last 7 days"),
    "30d": _("last 30 days"),
    "90d": _("last 90 days"),
}
# "2026-11-30T12:00:00.000000+00:00" and some room.
LONGEST_TEXT = 40
FIRST_YEAR, LAST_YEAR = 1970, 2200
NAMES = ("range", "since", "until")


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRange:
    """since <= t < until.

    name: one of SPANS when the range ends now and moves on with the clock; "" when its moments
    are named. said: what the address says of it, {} for the page's default. fault: what could not
    be understood, in words; "" = nothing.
    """

    since: datetime
    until: datetime
    name: str = ""
    said: Mapping[str, str]
    fault: Words = ""

    @property
    def label(self) -> Words:
        """Like "last 7 days"; "" for named moments: the page shows them as times."""
        return RANGE_LABELS[self.name] if self.name else ""

    @property
    def file_part(self) -> str:
        """For the name of a file: "20261123T0900Z-20261130T0900Z"."""
        return f"{self.since:%Y%m%dT%H%MZ}-{self.until:%Y%m%dT%H%MZ}"

    @property
    def seconds(self) -> float:
        return (self.until - self.since).total_seconds()


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeLink:
    """One choice. address: the query string that chooses it, other filters kept; "" = none."""

    name: str
    label: Words
    address: str
    chosen: bool


def read_range(
    asked: QueryDict, *, now: datetime, choices: Sequence[str] = tuple(SPANS), default: str = "7d"
) -> TimeRange:
    """What the address asks for. `since` and `until` (RFC 3339; without a zone UTC) win over
    `range`; one of them alone reaches to now, or as far back as the default does."""
    since, since_fault = _moment(asked.get("since", ""))
    until, until_fault = _moment(asked.get("until", ""))
    fault: Words = since_fault or until_fault
    if since and (until or now) <= since:
        since, until = None, None
        fault = _("The range ends before it begins; the usual range is shown.")
    if since or until:
        return _between(since, until, now=now, span=SPANS[default], fault=fault)
    name = asked.get("range", "")
    chosen = name if name in choices else default
    if name and name != chosen and not fault:
        fault = _("There is no such range here; the usual one is shown.")
    said = {} if chosen == default else {"range": chosen}
    return TimeRange(since=now - SPANS[chosen], until=now, name=chosen, said=said, fault=fault)


def range_links(
    current: TimeRange,
    *,
    choices: Sequence[str] = tuple(SPANS),
    default: str = "7d",
    rest: Mapping[str, str] | None = None,
) -> list[RangeLink]:
    """The choices of a page. rest: its other filters, as its address names them."""
    return [
        RangeLink(
            name=name,
            label=RANGE_LABELS[name],
            address=urlencode({**(rest or {}), **({} if name == default else {"range": name})}),
            chosen=name == current.name,
        )
        for name in choices
    ]


def moment_text(moment: datetime) -> str:
    """As an address carries it: "2026-11-30T12:00:00Z"; parts of a second where there are any."""
    utc = moment.astimezone(UTC)
    form = "milliseconds" if utc.microsecond else "seconds"
    return utc.isoformat(timespec=form).replace("+00:00", "Z")


def _between(
    since: datetime | None, until: datetime | None, *, now: datetime, span: timedelta, fault: Words
) -> TimeRange:
    said = {
        name: moment_text(moment)
        for name, moment in (("since", since), ("until", until))
        if moment is not None
    }
    end = until or now
    return TimeRange(since=since or end - span, until=end, said=said, fault=fault)


def _moment(text: str) -> tuple[datetime | None, Words]:
    """The moment, None where none is named; and what is wrong with the text."""
    # A plus that was not quoted in an address arrives as a space.
    plain = text.strip().replace(" ", "+")
    if not plain:
        return None, ""
    try:
        moment = datetime.fromisoformat(plain if len(plain) <= LONGEST_TEXT else "")
    except ValueError:
        return None, _("A moment of the range could not be read; the usual range is shown.")
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        return None, _("A moment of the range lies out of bounds; the usual range is shown.")
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC), ""
