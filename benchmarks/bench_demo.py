"""A whole demo of 24 models: memory at rest; then from a change in a simulated cluster to the row
in a real browser, with `kubectl get -w` beside it."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from kubernetes import client, config
from playwright.sync_api import Page, sync_playwright

from benchmarks.common import ENOUGH, load_now, report, report_absent
from benchmarks.memory import command_line, descendants, pss_bytes, sum_mb
from benchmarks.running_demo import Demo, running_demo
from tests.browser.shots import FLAGS, sign_in

SETTLE_S = 60
SAMPLES = 60
# A sleeping model's Revision: its upper bound shows in the row by itself, with no controller in
# between, and changes nothing that runs.
CLUSTER, NAMESPACE, NAME = "demo-a", "chat", "pilot-predictor-00001"
REVISION = ("serving.knative.dev", "v1", NAMESPACE, "revisions", NAME)
MAX_SCALE = "autoscaling.knative.dev/max-scale"
MERGE_PATCH = "application/merge-patch+json"
FIRST_MAX = 1000
SEEN_WITHIN_S = 10.0
PAUSE_S = (0.5, 1.2)
# Notes when a row first reads "(1-1017)": the wall clock, at the change of the document.
WATCH_ROW = """() => {
  window.seenAt = {};
  const look = () => {
    for (const cell of document.querySelectorAll("tr.row .c-replicas")) {
      const found = /\\u2013(1\\d{3})\\)/.exec(cell.textContent);
      if (found && !(found[1] in window.seenAt)) window.seenAt[found[1]] = Date.now();
    }
  };
  new MutationObserver(look).observe(document.body, {subtree: true, childList: true});
}"""


def memory_at_rest(demo: Demo) -> bool:
    """MB of all of the product's processes, sampled for a minute while nobody looks."""
    time.sleep(SETTLE_S)
    all_pids = descendants(demo.process.pid)
    simulator = [pid for pid in all_pids if " simulate " in f"{command_line(pid)} "]
    ours = [pid for pid in all_pids if pid not in simulator]
    values = []
    for _ in range(SAMPLES):
        values.append(sum_mb(ours))
        time.sleep(1)
    each = ", ".join(f"{_short(pid)} {pss_bytes(pid) / 1e6:.0f}" for pid in ours)
    return report(
        "whole demo at rest, without the simulator (PSS)",
        values,
        unit="MB",
        budget={"max": 450},
        note=f"{each}; the simulator {sum_mb(simulator):.0f}",
    )


def _short(pid: int) -> str:
    line = command_line(pid)
    names = ("uvicorn", "-n follow", "-n act", "valkey", "dashboard.processes", "simulator.demo")
    return next((name.removeprefix("-n ") for name in names if name in line), line[:40])


@dataclass(slots=True)
class Kubectl:
    """`kubectl get -w` of the model: when its output first named each bound."""

    seen_at: dict[int, float] = field(default_factory=dict)

    def read(self, lines: Iterator[str]) -> None:
        """Until the output ends."""
        for line in lines:
            at = time.time()
            if line.strip().isdecimal():
                self.seen_at.setdefault(int(line), at)


@contextmanager
def kubectl_watching(kubeconfig: str) -> Iterator[Kubectl | None]:
    """None where there is no kubectl."""
    found = shutil.which("kubectl")
    if found is None:
        yield None
        return
    where = ("--kubeconfig", kubeconfig, "--context", CLUSTER, "-n", NAMESPACE)
    shown = "jsonpath={.metadata.annotations.autoscaling\\.knative\\.dev/max-scale}{'\\n'}"
    child = subprocess.Popen(
        [found, *where, "get", "revision", NAME, "-w", "-o", shown],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    watched = Kubectl()
    reader = threading.Thread(target=watched.read, args=(iter(child.stdout),), daemon=True)
    reader.start()
    try:
        yield watched
    finally:
        child.terminate()
        child.wait()
        reader.join(5)


@contextmanager
def browser_page(demo: Demo, chromium: str) -> Iterator[Page]:
    """The fleet page, signed in as the viewer."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        page = browser.new_page()
        viewer = demo.record["viewer"]
        sign_in(page, demo.record["url"], viewer["username"], viewer["password"])
        page.goto(f"{demo.record['url']}/")
        page.wait_for_selector("tr.row")
        page.evaluate(WATCH_ROW)
        yield page
        browser.close()


def changed_at(demo: Demo, page: Page, *, count: int) -> dict[int, float]:
    """Change the bound `count` times; when each request was sent (wall clock, s)."""
    kubeconfig = demo.record["kubeconfig"]
    connection: Any = config.new_client_from_config  # its types are not declared
    api = client.CustomObjectsApi(connection(kubeconfig, context=CLUSTER))
    pauses, sent = random.Random(1), {}
    for bound in range(FIRST_MAX, FIRST_MAX + count):
        page.wait_for_timeout(pauses.uniform(*PAUSE_S) * 1000)
        sent[bound] = time.time()
        body = {"metadata": {"annotations": {MAX_SCALE: str(bound)}}}
        api.patch_namespaced_custom_object(*REVISION, body, _content_type=MERGE_PATCH)
        page.wait_for_function(
            "bound => bound in window.seenAt", arg=str(bound), timeout=SEEN_WITHIN_S * 1000
        )
    return sent


def change_to_row(demo: Demo) -> bool:
    """Milliseconds from sending the change to the row, and to kubectl's line."""
    chromium = shutil.which("chromium")
    if chromium is None:
        report_absent("cluster change to row in a browser", because="no chromium")
        return True
    watching = kubectl_watching(demo.record["kubeconfig"])
    with watching as kubectl, browser_page(demo, chromium) as page:
        sent = changed_at(demo, page, count=ENOUGH)
        in_row = page.evaluate("window.seenAt")
        load = load_now()
    taken = [in_row[str(bound)] - at * 1000 for bound, at in sent.items()]
    ok = report(
        "cluster change to row in a browser",
        taken,
        unit="ms",
        budget={"median": 250, "p95": 750, "max": 2000},
        note="24 models; from sending the patch to the changed document",
        load=load,
    )
    if kubectl is None:
        report_absent("the same change to `kubectl get -w`", because="no kubectl")
        return ok
    lines = [(kubectl.seen_at[bound] - at) * 1000 for bound, at in sent.items()]
    report("the same change to `kubectl get -w`", lines, unit="ms", budget={}, load=load)
    return ok


def main() -> bool:
    """All figures; whether they keep to their budgets."""
    with running_demo() as demo:
        return all([memory_at_rest(demo), change_to_row(demo)])


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
