"""kubectl itself on a replayed recording: what people will type on the demo clusters."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import Queue

import pytest

from simulator.api.hosted import HostedApi
from simulator.api.replay import Replay
from simulator.api.sources import LogLines
from simulator.store.resources import NODES, PODS
from tests.simulator.api.exchanges import FIXTURES

STREAM = FIXTURES / "streams" / "wake-from-zero.jsonl.gz"
NAMESPACE = "chat"
REVISION = "llama-predictor-00001"
TIMEOUT_S = 30.0
pytestmark = pytest.mark.kubectl


class ThreeLines:
    """A log of three lines, a second apart."""

    def lines(self, pod_uid: str, container: str, previous: bool) -> LogLines | None:
        start = datetime(2026, 11, 30, 9, 30, tzinfo=UTC)
        return [(start + timedelta(seconds=n), f"{container} line {n}") for n in range(3)]


@dataclass(frozen=True)
class Kubectl:
    """Runs kubectl on the replayed cluster. user: whose token."""

    program: Path
    kubeconfig: Path
    api: HostedApi

    def command(self, *arguments: str, user: str = "admin") -> list[str]:
        context = self.api.name if user == "admin" else f"{self.api.name}-{user}"
        cache = str(self.kubeconfig.parent / "cache")
        where = ["--kubeconfig", str(self.kubeconfig), "--cache-dir", cache]
        return [str(self.program), *where, "--context", context, *arguments]

    def __call__(self, *arguments: str, user: str = "admin") -> subprocess.CompletedProcess[str]:
        command = self.command(*arguments, user=user)
        return subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )

    def says(self, *arguments: str, user: str = "admin") -> str:
        """Its output; fails when it fails."""
        done = self(*arguments, user=user)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def cluster() -> Iterator[HostedApi]:
    with HostedApi(logs=ThreeLines()) as api:

        def load() -> None:
            replay = Replay(api.store, STREAM)
            replay.load()
            for message in replay.follows:
                replay.feed(message)

        api.call(load)
        yield api


@pytest.fixture(scope="module")
def run(kubectl: Path, cluster: HostedApi, tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    path = tmp_path_factory.mktemp("kubectl") / "config"
    cluster.kubeconfig(path, users=("admin", "operator", "viewer"))
    return Kubectl(kubectl, path, cluster)


@pytest.fixture(scope="module")
def pod(cluster: HostedApi) -> str:
    return str(cluster.call(lambda: cluster.store.list(PODS))[0]["metadata"]["name"])


def test_it_gets_what_an_sre_looks_at(run: Kubectl, pod: str) -> None:
    said = run.says("get", "isvc,revisions,podautoscalers,pods,events", "-A")
    assert "inferenceservice.serving.kserve.io/llama" in said
    assert f"revision.serving.knative.dev/{REVISION}" in said
    assert f"podautoscaler.autoscaling.internal.knative.dev/{REVISION}" in said
    assert f"pod/{pod}" in said
    assert "Successfully assigned chat/" in said


@pytest.mark.parametrize(
    ("resource", "header"),
    [
        ("isvc", "NAME URL READY PREV LATEST PREVROLLEDOUTREVISION LATESTREADYREVISION AGE"),
        ("rev", "NAME CONFIG NAME GENERATION READY REASON ACTUAL REPLICAS DESIRED REPLICAS"),
        ("kpa", "NAME DESIREDSCALE ACTUALSCALE READY REASON"),
        ("ksvc", "NAME URL LATESTCREATED LATESTREADY READY REASON"),
        ("pods", "NAME READY STATUS RESTARTS AGE"),
        ("deploy", "NAME READY UP-TO-DATE AVAILABLE AGE"),
        ("rs", "NAME DESIRED CURRENT READY AGE"),
        ("nodes", "NAME STATUS ROLES AGE VERSION"),
        ("ev", "LAST SEEN TYPE REASON OBJECT MESSAGE"),
    ],
)
def test_short_names_and_columns(run: Kubectl, resource: str, header: str) -> None:
    first = run.says("get", resource, "-n", NAMESPACE).splitlines()[0]
    assert " ".join(first.split()) == header


def test_it_shows_ready_pods_and_no_raw_json(run: Kubectl, pod: str) -> None:
    row = run.says("get", "pods", "-n", NAMESPACE, "--no-headers").split()
    assert row[:4] == [pod, "2/2", "Running", "0"]


def test_selectors(run: Kubectl, pod: str) -> None:
    by_label = ("-l", "serving.kserve.io/inferenceservice=llama")
    assert pod in run.says("get", "pods", "-A", *by_label)
    by_field = ("--field-selector", f"involvedObject.name={pod},reason=Scheduled")
    events = run.says("get", "events", "-A", "--no-headers", *by_field)
    assert len(events.splitlines()) == 1


def test_it_watches(run: Kubectl, cluster: HostedApi) -> None:
    """A change shows in `get -w` while it runs."""
    command = run.command("get", "nodes", "-w", "--no-headers", "-o", "name")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watching:
        lines: Queue[str] = Queue()
        assert watching.stdout
        feed = threading.Thread(target=_feed, args=(watching.stdout.readline, lines), daemon=True)
        feed.start()
        listed = cluster.call(lambda: len(cluster.store.list(NODES)))
        for _ in range(listed):
            lines.get(timeout=TIMEOUT_S)
        cluster.call(
            lambda: cluster.store.create(NODES, {"metadata": {"name": "fresh"}}, manager="test")
        )
        assert lines.get(timeout=TIMEOUT_S).strip() == "node/fresh"
        watching.terminate()
        feed.join(TIMEOUT_S)


def _feed(readline: Callable[[], str], lines: Queue[str]) -> None:
    for line in iter(readline, ""):
        lines.put(line)


def test_it_describes_a_pod_with_its_events(run: Kubectl, pod: str) -> None:
    said = run.says("describe", "pod", pod, "-n", NAMESPACE)
    assert "Init Containers:" in said
    assert "storage-initializer" in said
    assert "Successfully assigned" in said


def test_it_describes_an_inferenceservice(run: Kubectl) -> None:
    said = run.says("describe", "isvc", "llama", "-n", NAMESPACE)
    assert "Latest Ready Revision:" in said
    assert "bed.test" not in said


def test_logs_with_timestamps(run: Kubectl, pod: str) -> None:
    said = run.says("logs", pod, "-n", NAMESPACE, "--timestamps", "--tail=1")
    assert said == "2026-11-30T09:30:02.000000000Z kserve-container line 2\n"


def test_a_patch_on_trial_changes_nothing(run: Kubectl) -> None:
    patch = '{"metadata":{"annotations":{"autoscaling.knative.dev/min-scale":"1"}}}'
    asked = ("patch", "revision", REVISION, "-n", NAMESPACE, "--type=merge", "-p", patch)
    path = r"jsonpath={.metadata.annotations.autoscaling\.knative\.dev/min-scale}"
    assert run.says(*asked, "--dry-run=server", "-o", path, user="operator") == "1"
    assert run.says("get", "revision", REVISION, "-n", NAMESPACE, "-o", path) == "0"


def test_a_patch_on_trial_meets_the_webhooks(run: Kubectl) -> None:
    patch = '{"spec":{"predictor":{"minReplicas":9}}}'
    asked = ("patch", "isvc", "llama", "-n", NAMESPACE, "--type=merge", "-p", patch)
    done = run(*asked, "--dry-run=server", user="operator")
    assert done.returncode == 1
    assert "'MinReplicas' cannot be greater than MaxReplicas" in done.stderr


@pytest.mark.parametrize(
    ("user", "verb", "resource", "answer"),
    [
        ("operator", "patch", "revisions.serving.knative.dev", "yes"),
        ("viewer", "patch", "revisions.serving.knative.dev", "no"),
        ("viewer", "list", "pods", "yes"),
        ("viewer", "get", "secrets", "no"),
        ("admin", "delete", "secrets", "yes"),
    ],
)
def test_who_can(run: Kubectl, user: str, verb: str, resource: str, answer: str) -> None:
    done = run("auth", "can-i", verb, resource, "-n", NAMESPACE, user=user)
    assert done.stdout.strip() == answer


def test_who_am_i(run: Kubectl) -> None:
    said = run.says("auth", "whoami", user="viewer")
    assert "system:serviceaccount:default:fleet-viewer" in said


def test_applying_twice_changes_once(run: Kubectl, tmp_path: Path) -> None:
    manifest = tmp_path / "new.yaml"
    manifest.write_text(
        "apiVersion: serving.kserve.io/v1beta1\n"
        "kind: InferenceService\n"
        "metadata: {name: new, namespace: chat}\n"
        "spec: {predictor: {minReplicas: 0, model: {modelFormat: {name: vLLM}}}}\n"
    )
    on_trial = run.says("apply", "-f", str(manifest), "--dry-run=server")
    assert on_trial.strip().endswith("new created (server dry run)")
    assert run.says("apply", "-f", str(manifest)).strip().endswith("new created")
    assert run.says("apply", "-f", str(manifest)).strip().endswith("new unchanged")
    assert (
        run.says("apply", "-f", str(manifest), "--server-side")
        .strip()
        .endswith("new serverside-applied")
    )
    assert "deleted" in run.says("delete", "isvc", "new", "-n", NAMESPACE)


def test_paging_gives_every_row(run: Kubectl) -> None:
    whole = run.says("get", "events", "-A", "-o", "name", "--chunk-size=0")
    paged = run.says("get", "events", "-A", "-o", "name", "--chunk-size=7")
    assert whole.splitlines() == paged.splitlines()
    assert len(whole.splitlines()) > 14


def test_a_limited_user_is_told_so_in_the_real_words(run: Kubectl) -> None:
    done = run("get", "secrets", "-n", NAMESPACE, user="viewer")
    assert done.returncode == 1
    assert (
        'User "system:serviceaccount:default:fleet-viewer" cannot list resource "secrets" '
        'in API group "" in the namespace "chat"'
    ) in done.stderr
