"""Recorded cases as the store of a real Prometheus: each case's pages as if scraped every 15 s,
before and after, with a time of its own and targets of its own."""

import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.fleet.adapters.prometheus.cases import Page, names, pages
from tests.lanes.tools import tool

SCRAPE_S = 15
EACH_S = 600
# The pages change here, in the middle of a window's first half.
CHANGES_AT_S = 300
SEEN_AT_S = 307
OLD_S = 86_400
NAMED = "kn_revision_name"
SOME = ("mixed-incident", "mixed-paths-500")


def epoch(now: datetime) -> int:
    """When the first case begins: aligned, and long past."""
    return int((now - timedelta(hours=12)).timestamp()) // EACH_S * EACH_S


def span_of(name: str, first: int) -> tuple[datetime, datetime]:
    """From when until when a case lasts."""
    since = first + names().index(name) * EACH_S
    return datetime.fromtimestamp(since, UTC), datetime.fromtimestamp(since + EACH_S, UTC)


def filled(folder: Path, first: int, *, identity: str = "relabelled") -> Path:
    """A folder of data for Prometheus. identity: how queue-proxy's series name their revision."""
    text = folder / "samples.txt"
    with text.open("w") as file:
        for name in names() if identity == "relabelled" else SOME:
            since = int(span_of(name, first)[0].timestamp())
            file.writelines(f"{line}\n" for line in _lines(name, since, identity))
        file.write("# EOF\n")
    data = folder / "data"
    program = tool("prometheus")
    assert program is not None
    # Comes with the server.
    promtool = str(program.with_name("promtool"))
    command = (promtool, "tsdb", "create-blocks-from", "openmetrics", str(text), str(data))
    subprocess.run(command, check=True, capture_output=True)
    return data


def _lines(name: str, since: int, identity: str) -> Iterator[str]:
    before, after = list(pages(name, "before")), list(pages(name, "after"))
    known = {page.identity for page in before}
    for second in range(0, CHANGES_AT_S, SCRAPE_S):
        for page in before:
            yield from _scraped(page, _labels(page, name, identity), since + second, since - OLD_S)
    for second in range(SEEN_AT_S, EACH_S, SCRAPE_S):
        for page in after:
            is_old = page.identity in known
            started = since - OLD_S if is_old else since + CHANGES_AT_S
            yield from _scraped(page, _labels(page, name, identity), since + second, started)


def _scraped(page: Page, labels: str, at: int, started: int) -> Iterator[str]:
    """What a scrape of the page adds to the store."""
    yield f"up{{{labels}}} 1 {at}"
    yield f"process_start_time_seconds{{{labels}}} {started} {at}"
    for line in page.text.splitlines():
        if line.startswith("#") or not line:
            continue
        series, _, value = line.rpartition(" ")
        metric, _, own = series.partition("{")
        if metric == "target_info" and NAMED in labels:
            continue
        own = own.rstrip("}")
        both = f"{own},{labels}" if own else labels
        yield f"{metric}{{{both}}} {value} {at}"


def _labels(page: Page, name: str, identity: str) -> str:
    """What the scrape sets."""
    labels = {"job": page.labels["job"]}
    labels["instance"] = f"{page.labels.get('instance', page.labels['pod'])}-{name}"
    if "revision" in page.labels and identity == "relabelled":
        labels["k8s_namespace_name"] = page.labels["namespace"]
        labels[NAMED] = page.labels["revision"]
    if identity != "target-info":
        labels["pod"] = page.labels["pod"]
        labels["namespace"] = page.labels.get("namespace", "knative-serving")
    return ",".join(f'{label}="{value}"' for label, value in labels.items())
