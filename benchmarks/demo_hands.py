"""Somebody busy with a running demo: wakes sleeping models by calls through the gateway, and
changes the size of those that do not sleep, as kubectl would.

Everything goes over HTTP, with the demo's own kubeconfig.
"""

from __future__ import annotations

import base64
import json
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import yaml

from benchmarks.running_demo import Demo

LOOK_EVERY_S = 5.0
# A call waits for its model as long as the gateway lets it.
CALL_S = 280.0
CALLS_AT_ONCE = 48
# Between two touches of the same model: a wake, its quiet window, and the way down.
WAKE_AGAIN_S, SIZE_AGAIN_S = 120.0, 80.0
ANSWER_S = 15.0
PATHS = {
    "InferenceService": "/apis/serving.kserve.io/v1beta1/namespaces/{}/inferenceservices/{}",
    "LLMInferenceService": "/apis/serving.kserve.io/v1alpha2/namespaces/{}/llminferenceservices/{}",
}


@dataclass(frozen=True, slots=True)
class Api:
    """One cluster's API server and gateway, as its admin."""

    server: str
    token: str
    trust: ssl.SSLContext
    gateway: str

    def patch(self, path: str, change: Mapping[str, Any]) -> None:
        """A merge patch, by the name that kubectl writes under."""
        request = urllib.request.Request(
            f"{self.server}{path}?fieldManager=kubectl-edit",
            data=json.dumps(change).encode(),
            method="PATCH",
            headers={
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/merge-patch+json",
            },
        )
        with urllib.request.urlopen(request, timeout=ANSWER_S, context=self.trust):
            pass


def apis(state: Path) -> dict[str, Api]:
    """By the cluster's name."""
    clusters = state / "demo" / "clusters"
    described = json.loads((clusters / "simulated.json").read_text())
    config = yaml.safe_load((clusters / "kubeconfig").read_text())
    return {each["name"]: _api(each, config) for each in described["clusters"]}


def _api(described: Mapping[str, Any], config: Mapping[str, Any]) -> Api:
    name = described["contexts"]["admin"]
    context = next(each["context"] for each in config["contexts"] if each["name"] == name)
    cluster = _named(config["clusters"], context["cluster"])["cluster"]
    user = _named(config["users"], context["user"])["user"]
    ca = base64.b64decode(cluster["certificate-authority-data"]).decode()
    trust = ssl.create_default_context(cadata=ca)
    return Api(cluster["server"], user["token"], trust, described["gateway"])


def _named(items: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(each for each in items if each["name"] == name)


@dataclass
class DemoHands:
    """Busy while the context lasts. touched: models by how often they were. missed: looks and
    changes that were not answered, or refused."""

    demo: Demo
    touched: dict[str, int] = field(default_factory=dict)
    missed: int = 0
    _lows: dict[str, int] = field(default_factory=dict)
    _last: dict[str, float] = field(default_factory=dict)
    _over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        self._apis = apis(self.demo.state)
        self._pool = ThreadPoolExecutor(CALLS_AT_ONCE)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join(timeout=2 * ANSWER_S)
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _run(self) -> None:
        while not self._over.wait(LOOK_EVERY_S):
            try:
                due = list(self._due())
            except OSError:
                # The demo is busy, or on its way out: the next look tells.
                self.missed += 1
                continue
            for row in due:
                try:
                    self._touch(row)
                except OSError:
                    self.missed += 1

    def _due(self) -> Iterator[Mapping[str, Any]]:
        """Models that nothing happens to just now, and that were left alone long enough."""
        now = time.monotonic()
        for row in self.demo.every("/api/v1/models"):
            sleeps = row["mode"] == "Knative"
            again_s = WAKE_AGAIN_S if sleeps else SIZE_AGAIN_S
            calm = row["state"] == "Cold" if sleeps else row["state"] in ("Cold", "Warm")
            if calm and now - self._last.get(row["key"], -again_s) >= again_s:
                yield row

    def _touch(self, row: Mapping[str, Any]) -> None:
        key = row["key"]
        self._last[key] = time.monotonic()
        self.touched[key] = self.touched.get(key, 0) + 1
        api = self._apis[row["cluster"]]
        if row["mode"] == "Knative":
            self._pool.submit(_call, api, row)
        else:
            self._resize(api, row, up=bool(self.touched[key] % 2))

    def _resize(self, api: Api, row: Mapping[str, Any], *, up: bool) -> None:
        """One more than the model keeps, then back."""
        low = self._low(row)
        path = PATHS[row["kind"]].format(row["namespace"], row["name"])
        size = low + 1 if up else low
        llm = row["kind"] == "LLMInferenceService"
        spec = {"replicas": size} if llm else {"predictor": {"minReplicas": size}}
        api.patch(path, {"spec": spec})

    def _low(self, row: Mapping[str, Any]) -> int:
        """What it kept when it was first touched."""
        return self._lows.setdefault(row["key"], int(row["replicas"]["min"] or 0))


def _call(api: Api, row: Mapping[str, Any]) -> None:
    """One completion, by the host that the model is known under."""
    base = "/openai/v1" if "huggingface" in str(row.get("runtime", "")) else "/v1"
    body = {"model": row["name"], "prompt": "hello", "max_tokens": 8}
    request = urllib.request.Request(
        f"{api.gateway}{base}/completions",
        data=json.dumps(body).encode(),
        headers={"Host": str(urlsplit(row["url"]).hostname), "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=CALL_S) as answer:
            answer.read()
    except (OSError, urllib.error.HTTPError):
        # A model that cannot start answers so; its start counts all the same.
        return
