"""Recorded exchanges: reading them, asking them again, and telling answers apart."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from simulator.api.hosted import HostedApi

FIXTURES = Path(__file__).parents[2] / "fixtures" / "http"
TIMEOUT_S = 30.0
# What differs from one server, or one run, to the next.
VOLATILE = frozenset({"resourceVersion", "time", "continue", "remainingItemCount", "__trimmed"})
COMPARED_HEADERS = (
    "Content-Type",
    "Cache-Control",
    "Content-Encoding",
    "X-Content-Type-Options",
    "Retry-After",
    "Vary",
    "Warning",
)
_NUMBERS = (
    (re.compile(r"current: \d+"), "current: N"),
    (re.compile(r"too old resource version: (\d+) \(\d+\)"), r"too old resource version: \1 (N)"),
    (re.compile(r'Invalid value: "\{.*\}": ', re.DOTALL), "Invalid value: OBJECT: "),
    (re.compile(r"(continue key is not valid).*"), r"\1"),
    (re.compile(r"\.(\d{6})\d{3}Z "), r".\1Z "),
)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One recorded request with its answer."""

    name: str
    identity: str
    request: dict[str, Any]
    response: dict[str, Any]

    @property
    def body(self) -> Any:
        """The recorded body: JSON, or text."""
        return self.response.get("body", self.response.get("body_text", ""))

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The recorded lines of a watch."""
        return [each["line"] for each in self.response.get("body_lines", []) if "line" in each]


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def body(self) -> Any:
        """JSON where it is JSON, else the text."""
        if "json" not in self.headers.get("Content-Type", ""):
            return self.text
        return json.loads(self.text)

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]


def names() -> list[str]:
    return sorted(path.stem for path in FIXTURES.glob("*.json"))


def exchange(name: str) -> Exchange:
    raw = json.loads((FIXTURES / f"{name}.json").read_text())
    return Exchange(name, raw["identity"], raw["request"], raw["response"])


def client_of(api: HostedApi) -> httpx.Client:
    """A client that trusts the cluster's own authority and adds no header of its own."""
    context = ssl.create_default_context(cadata=api.server.ca.decode())
    plain = {"User-Agent": "", "Accept-Encoding": "identity"}
    return httpx.Client(base_url=api.url, verify=context, timeout=TIMEOUT_S, headers=plain)


def ask(
    api: HostedApi, client: httpx.Client, recorded: Exchange, *, timeout_s: int | None = None
) -> Answer:
    """Send the recorded request as the identity that sent it. timeout_s: for watches."""
    headers = dict(recorded.request.get("headers", {}))
    if recorded.identity != "none":
        headers["Authorization"] = f"Bearer {api.token(recorded.identity)}"
    body = recorded.request.get("body", recorded.request.get("body_text"))
    content = body if isinstance(body, str) or body is None else json.dumps(body)
    path = recorded.request["path"]
    if timeout_s is not None:
        path = re.sub(r"timeoutSeconds=\d+", f"timeoutSeconds={timeout_s}", path)
    answer = client.request(recorded.request["method"], path, headers=headers, content=content)
    return Answer(answer.status_code, answer.headers, answer.text)


def header_differences(recorded: Exchange, answer: Answer) -> list[str]:
    """Headers that say something else. The recorder's JSON has no charset to compare."""
    found = []
    for name in COMPARED_HEADERS:
        expected, got = recorded.response["headers"].get(name), answer.headers.get(name)
        if expected != got:
            found.append(f"{name}: {expected!r} was {got!r}")
    return found


def normal(text: str) -> str:
    """A text without the numbers that differ by run."""
    for pattern, replacement in _NUMBERS:
        text = pattern.sub(replacement, text)
    return text


def value_differences(expected: Any, got: Any, path: str = "") -> Iterator[str]:
    """Where two bodies differ in value, volatile keys left out."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in sorted((expected.keys() ^ got.keys()) - VOLATILE):
            yield f"{path}.{key} {'is missing' if key not in got else 'is new'}"
        for key in sorted((expected.keys() & got.keys()) - VOLATILE):
            yield from value_differences(expected[key], got[key], f"{path}.{key}")
    elif isinstance(expected, list) and isinstance(got, list):
        if len(expected) != len(got):
            yield f"{path} has {len(got)} items, not {len(expected)}"
        for index, (one, other) in enumerate(zip(expected, got, strict=False)):
            yield from value_differences(one, other, f"{path}[{index}]")
    elif _plain(expected) != _plain(got):
        yield f"{path}: {expected!r} was {got!r}"


def _plain(value: Any) -> Any:
    return normal(value) if isinstance(value, str) else value


def shape_differences(expected: Any, got: Any, path: str = "") -> Iterator[str]:
    """Where two bodies differ in keys or types; of lists the first items are compared."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in sorted((expected.keys() ^ got.keys()) - {"__trimmed"}):
            yield f"{path}.{key} {'is missing' if key not in got else 'is new'}"
        for key in sorted(expected.keys() & got.keys()):
            yield from shape_differences(expected[key], got[key], f"{path}.{key}")
    elif isinstance(expected, list) and isinstance(got, list):
        if bool(expected) != bool(got):
            yield f"{path} has {len(got)} items, not {len(expected)}"
        if expected and got:
            yield from shape_differences(expected[0], got[0], f"{path}[0]")
    elif type(expected) is not type(got):
        yield f"{path}: {type(expected).__name__} was {type(got).__name__}"


def by_manager(body: dict[str, Any]) -> dict[str, Any]:
    """The body with its managedFields by manager, operation and door, in no order."""
    entries = body["metadata"].get("managedFields", [])
    keyed = {
        f"{each['manager']} {each['operation']} {each.get('subresource', '')}": each["fieldsV1"]
        for each in entries
    }
    return body | {"metadata": body["metadata"] | {"managedFields": keyed}}
