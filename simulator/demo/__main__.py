"""The demo's own process: small, since it stays. Started by `manage.py demo`."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from simulator.demo import children
from simulator.demo.record import AlreadyRunning, only_demo, write
from simulator.past.length import length

ROOT = Path(__file__).resolve().parents[2]
MANAGE = (sys.executable, str(ROOT / "manage.py"))
# Generous: a busy machine takes many times the usual few seconds, and a dead child ends the wait.
CLUSTERS_WITHIN_S = 300.0
READY_WITHIN_S = 300.0
# The clusters' Prometheus scrapes every ten seconds, and all of it is on this host.
METRICS_LAG_S = "15"
# More for each day that they live through before.
DAY_WITHIN_S = 120.0


class Ended(Exception):
    """The demo cannot go on; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was asked for on the command line."""

    port: int
    seed: int
    clusters: int
    models: int
    history: str
    world: str
    state: Path

    @property
    def home(self) -> Path:
        """The demo's own files, made anew at every start."""
        return self.state / "demo"

    @property
    def kubeconfig(self) -> Path:
        """Written by the simulated clusters."""
        return self.home / "clusters" / "kubeconfig"


def main() -> int:
    """Run until Ctrl-C, SIGTERM, or the end of a child."""
    options, stop = _options(), threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    started: list[subprocess.Popen[bytes]] = []
    try:
        with only_demo(options.state) as record:
            try:
                _run(options, record, started=started, stop=stop)
            finally:
                record.unlink(missing_ok=True)
                children.end(started)
    except (AlreadyRunning, Ended) as reason:
        _say(str(reason))
        return 1
    return 0


def _run(
    options: Options,
    record: Path,
    *,
    started: list[subprocess.Popen[bytes]],
    stop: threading.Event,
) -> None:
    port = _port(options.port)
    url = f"http://127.0.0.1:{port}"
    shutil.rmtree(options.home, ignore_errors=True)
    aged = "" if options.history == "0h" else f" and living through {options.history} of past"
    _say(f"Starting the simulated clusters{aged} …")
    started.append(_start_clusters(options))
    described = options.home / "clusters" / "simulated.json"
    within_s = CLUSTERS_WITHIN_S + DAY_WITHIN_S * length(options.history).total_seconds() / 86400
    if not _until(described.exists, within_s, started=started, stop=stop, what="clusters"):
        return
    _say("Starting Pilot Light …")
    started.append(_start_product(options, port))
    ready = _until(
        lambda: _answers(f"{url}/readyz"), READY_WITHIN_S, started=started, stop=stop, what="page"
    )
    if not ready:
        return
    accounts = json.loads((options.home / "accounts.json").read_text())
    write(record, {"url": url, "kubeconfig": str(options.kubeconfig), **accounts})
    _say(_welcome(url, options, accounts))
    past = _start_past(options)
    started += [past] if past else []
    while not stop.wait(0.5):
        past = _watch_past(past, started)
        _all_run(started)


def _start_clusters(options: Options) -> subprocess.Popen[bytes]:
    asked = ("--clusters", str(options.clusters), "--models", str(options.models))
    where = ("--seed", str(options.seed), "--dir", str(options.kubeconfig.parent))
    past = ("--history", options.history, "--world", options.world)
    log = options.home / "logs" / "clusters.log"
    return children.start((*MANAGE, "simulate", *asked, *where, *past), environ=os.environ, log=log)


def _start_past(options: Options) -> subprocess.Popen[bytes] | None:
    """Read the clusters' pasts, if they have any, beside everything else and behind it."""
    pasts = [cluster["past"] for cluster in _described(options) if cluster["past"]]
    if not pasts:
        return None
    _say("Reading the past of the clusters in the background …")
    argv = ("nice", "-n", "5", *MANAGE, "import-past", *pasts)
    log = options.home / "logs" / "past.log"
    return children.start(argv, environ=_environ(options), log=log)


def _watch_past(
    past: subprocess.Popen[bytes] | None, started: list[subprocess.Popen[bytes]]
) -> subprocess.Popen[bytes] | None:
    """Unlike every other child this one may end: the rest goes on without it."""
    if past is None or past.poll() is None:
        return past
    started.remove(past)
    _say("The past is there." if past.returncode == 0 else "The past is not whole: see past.log")
    return None


def _environ(options: Options) -> dict[str, str]:
    """The product's, on these clusters."""
    return {
        **os.environ,
        "PILOTLIGHT_STATE_DIR": str(options.home),
        "PILOTLIGHT_KUBECONFIG": str(options.kubeconfig),
        "PILOTLIGHT_CONTEXTS": ",".join(each["context"] for each in _described(options)),
        "PILOTLIGHT_METRICS_LAG_S": METRICS_LAG_S,
    }


def _start_product(options: Options, port: int) -> subprocess.Popen[bytes]:
    clusters, environ = _described(options), _environ(options)
    logs, accounts = options.home / "logs", options.home / "accounts.json"
    asked = ["--port", str(port), "--logs", str(logs), "--accounts", str(accounts)]
    for cluster in clusters:
        asked += ["--gateway", f"{cluster['name']}={cluster['gateway']}"]
        asked += ["--metrics", f"{cluster['name']}={cluster['prometheus']}"]
    return children.start((*MANAGE, "run", *asked), environ=environ, log=logs / "run.log")


def _described(options: Options) -> list[dict[str, str]]:
    """The simulated clusters, one a context of the product's own account."""
    path = options.home / "clusters" / "simulated.json"
    clusters: list[dict[str, str]] = json.loads(path.read_text())["clusters"]
    return clusters


def _until(
    holds: Callable[[], bool],
    within_s: float,
    *,
    started: list[subprocess.Popen[bytes]],
    stop: threading.Event,
    what: str,
) -> bool:
    """Wait for `holds()`. False when asked to stop; Ended when it takes too long."""
    deadline = time.monotonic() + within_s
    while not holds():
        if stop.wait(0.1):
            return False
        _all_run(started)
        if time.monotonic() > deadline:
            raise Ended(f"the {what} did not answer within {within_s:.0f} s: see var/demo/logs")
    return True


def _all_run(started: list[subprocess.Popen[bytes]]) -> None:
    for child in started:
        if child.poll() is not None:
            raise Ended(f"{child.args!r} ended with code {child.returncode}: see var/demo/logs")


def _answers(url: str) -> bool:
    with suppress(OSError), urllib.request.urlopen(url, timeout=2) as page:
        return bool(page.status == 200)
    return False


def _port(wanted: int) -> int:
    """The wanted port if it is free (0 = any); Ended when somebody else listens there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted))
        except OSError as error:
            raise Ended(f"port {wanted}: {error.strerror}; choose one: make demo PORT=…") from None
        port: int = probe.getsockname()[1]
    return port


def _welcome(url: str, options: Options, accounts: dict[str, dict[str, str]]) -> str:
    lines = ["", f"Pilot Light: {url}/"]
    for role in ("operator", "viewer"):
        account = accounts[role]
        lines.append(f"  {role}: {account['username']} / {account['password']}")
    lines += [f"  kubectl: KUBECONFIG={options.kubeconfig}", "  Ctrl-C ends everything.", ""]
    return "\n".join(lines)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="manage.py demo")
    for name in ("port", "seed", "clusters", "models"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--history", default="0h")
    parser.add_argument("--world", default="demo")
    parser.add_argument("--state", type=Path, required=True)
    return Options(**vars(parser.parse_args()))


if __name__ == "__main__":
    raise SystemExit(main())
