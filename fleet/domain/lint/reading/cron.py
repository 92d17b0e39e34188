"""CronJobs that keep a model warm: which model they ask, and how often."""

import re
from collections.abc import Iterable

from fleet.domain.lint.given import Given, Origin
from fleet.domain.lint.reading.raw import Raw, listed, text, truth, under, words
from fleet.domain.lint.reading.world import name_of, namespace_of
from fleet.domain.lint.settings import Ref, WarmUps

MINUTES_A_DAY = 24 * 60
_URL = re.compile(r"://([\w.-]{1,253})(?::\d{1,5})?(/[\w./-]{0,512})?")
_FIELD = re.compile(r"(\*|\d{1,2})(?:-(\d{1,2}))?(?:/(\d{1,2}))?")


def warm_ups_of(ref: Ref, jobs: Iterable[Raw]) -> WarmUps:
    """The most frequent of those that ask the model."""
    found = [each for job in jobs if (each := _warm_up(ref, job)) is not None]
    return min(found, key=lambda each: each.every_s.value or 0.0, default=WarmUps())


def _warm_up(ref: Ref, job: Raw) -> WarmUps | None:
    spec = under(job, "spec")
    every_s = pause_s(text(spec.get("schedule")))
    if truth(spec.get("suspend")) or every_s is None or not _asks(ref, job):
        return None
    at = f"CronJob/{namespace_of(job)}/{name_of(job)}"
    return WarmUps(
        every_s=Given(every_s, Origin.OBJECT, at), namespace=namespace_of(job), name=name_of(job)
    )


def _asks(ref: Ref, job: Raw) -> bool:
    """Whether its command names a URL of the model: one of its hosts, or its gateway's path."""
    spec = under(job, "spec", "jobTemplate", "spec", "template", "spec")
    said = [
        word
        for container in listed(spec.get("containers"))
        for word in (*words(container.get("command")), *words(container.get("args")))
    ]
    urls = [found for word in said for found in _URL.findall(word)]
    return any(_is_of(ref, host, path, near=namespace_of(job)) for host, path in urls)


def _is_of(ref: Ref, host: str, path: str, *, near: str) -> bool:
    """Hosts are NAME, NAME-predictor, both also with -NAMESPACE or .NAMESPACE behind."""
    first, _, rest = host.partition(".")
    names = {ref.name, f"{ref.name}-predictor"}
    if first in {f"{name}-{ref.namespace}" for name in names}:
        return True
    namespace = rest.partition(".")[0] or near
    of_host = first in names and namespace in (ref.namespace, "svc")
    return of_host or path.startswith(f"/{ref.namespace}/{ref.name}/")


def pause_s(schedule: str) -> float | None:
    """The pause between two runs in the middle, so that nights off do not count; None for what is
    no schedule of five fields."""
    fields = schedule.split()
    if len(fields) != 5:
        return None
    minutes, hours = _values(fields[0], 60), _values(fields[1], 24)
    runs = [60 * hour + minute for hour in hours for minute in minutes]
    if not runs:
        return None
    pauses = sorted(
        (after - run) % MINUTES_A_DAY or MINUTES_A_DAY
        for run, after in zip(runs, [*runs[1:], runs[0]], strict=True)
    )
    return 60.0 * pauses[len(pauses) // 2]


def _values(field: str, end: int) -> list[int]:
    """The values below `end` that a field of a schedule stands for, ascending; [] if unreadable."""
    found: set[int] = set()
    for part in field[:200].split(","):
        match = _FIELD.fullmatch(part)
        if match is None:
            return []
        first = 0 if match[1] == "*" else int(match[1])
        last = end - 1 if match[1] == "*" or (match[3] and not match[2]) else int(match[1])
        last = int(match[2]) if match[2] else last
        found.update(range(first, min(last, end - 1) + 1, int(match[3] or 1) or 1))
    return sorted(found)
