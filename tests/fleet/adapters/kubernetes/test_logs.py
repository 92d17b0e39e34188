"""Logs of containers from a real server over HTTPS."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from fleet.adapters.kubernetes.client import Access
from fleet.adapters.kubernetes.logs import KubernetesLogs
from fleet.domain.enginelog.parser import EngineLog
from fleet.errors import ClusterRefused, Forbidden, NotThere
from simulator.api.hosted import HostedApi
from simulator.api.sources import LogLines
from tests.hosted.loading import load, snapshot

AT = datetime(2026, 11, 30, 9, 0, 0, 250_000, tzinfo=UTC)
TEXTS = ("vLLM API server version 0.11.0", "Loading weights took 6.41 seconds", "ünïcödé")


class ThreeLines:
    """A line a second; the run before wrote one."""

    def lines(self, pod_uid: str, container: str, previous: bool) -> LogLines | None:
        if previous:
            return [(AT, "KeyboardInterrupt: terminated")]
        return [(AT + timedelta(seconds=n), text) for n, text in enumerate(TEXTS)]


@pytest.fixture
def hosted() -> Iterator[HostedApi]:
    with HostedApi(logs=ThreeLines()) as api:
        load(api, "loading")
        yield api


@pytest.fixture
def logs(hosted: HostedApi, tmp_path: Path) -> Iterator[KubernetesLogs]:
    kubeconfig = hosted.kubeconfig(tmp_path / "kubeconfig", users=("viewer", "admin"))
    made = KubernetesLogs(Access(context="hosted-admin", kubeconfig=str(kubeconfig)))
    yield made
    made.close()


@pytest.fixture
def place() -> dict[str, str]:
    """Namespace, pod and container of the recorded replica."""
    pods = next(objects for path, objects in snapshot("loading").items() if path.endswith("/pods"))
    meta, spec = pods[0]["metadata"], pods[0]["spec"]
    return {
        "namespace": meta["namespace"],
        "pod": meta["name"],
        "container": spec["containers"][0]["name"],
    }


def stamped(second: int, text: str) -> str:
    return f"2026-11-30T09:00:{second:02d}.250000000Z {text}"


WHOLE = [stamped(second, text) for second, text in enumerate(TEXTS)]


@pytest.mark.parametrize(
    ("since", "at_most", "lines"),
    [
        pytest.param(None, 10_000, WHOLE, id="from the container's start"),
        pytest.param(1.999, 10_000, WHOLE[1:], id="the second asked for comes again, whole"),
        pytest.param(9.0, 10_000, [], id="nothing new"),
        pytest.param(None, len(WHOLE[0]) + 20, WHOLE[:1], id="a line that was cut is left out"),
        pytest.param(None, 10, [], id="not even one line"),
    ],
)
def test_whole_lines_with_stamps(
    logs: KubernetesLogs,
    place: dict[str, str],
    *,
    since: float | None,
    at_most: int,
    lines: list[str],
) -> None:
    start = AT.replace(microsecond=0).timestamp()
    since = None if since is None else start + since
    assert logs.lines(**place, since=since, previous=False, at_most=at_most) == lines


def test_the_run_before(logs: KubernetesLogs, place: dict[str, str]) -> None:
    (line,) = logs.lines(**place, since=None, previous=True, at_most=1000)
    assert line == stamped(0, "KeyboardInterrupt: terminated")


def test_the_parser_reads_what_comes(logs: KubernetesLogs, place: dict[str, str]) -> None:
    log = EngineLog()
    log.feed_all(logs.lines(**place, since=None, previous=False, at_most=1000))
    witness = log.witness()
    assert (witness.clock, witness.printed) == ("kubelet", {"weights_load": 6.41})


@pytest.mark.parametrize(
    ("context", "change", "error"),
    [
        pytest.param("hosted-admin", {"pod": "nobody"}, NotThere, id="no such pod"),
        pytest.param("hosted-admin", {"container": "none"}, ClusterRefused, id="no such container"),
        pytest.param("hosted", {}, Forbidden, id="the right is missing"),
    ],
)
def test_refusals(
    hosted: HostedApi,
    tmp_path: Path,
    place: dict[str, str],
    *,
    context: str,
    change: dict[str, str],
    error: type[ClusterRefused],
) -> None:
    kubeconfig = hosted.kubeconfig(tmp_path / "config", users=("viewer", "admin"))
    logs = KubernetesLogs(Access(context=context, kubeconfig=str(kubeconfig)))
    with pytest.raises(error):
        logs.lines(**(place | change), since=None, previous=False, at_most=1000)
    logs.close()
