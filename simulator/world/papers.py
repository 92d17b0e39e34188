"""What is asked of simulated clusters, and the papers that say where they are."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from simulator.access.identities import ADMIN
from simulator.access.kubeconfig import Context, write_kubeconfig
from simulator.access.manifests import account_with_roles, documents
from simulator.access.rules import Identity

RBAC = Path(__file__).resolve().parents[2] / "deploy" / "rbac"
ACCOUNT = ("pilot-light", "pilot-light")
# What each user of the kubeconfig may do; None: everything. The first one's context has the
# cluster's own name.
USERS: dict[str, tuple[str, ...] | None] = {
    "operator": (
        "pilot-light-reader",
        "pilot-light-logs",
        "pilot-light-metrics-by-proxy",
        "pilot-light-actor",
    ),
    "reader": ("pilot-light-reader",),
    "actor": ("pilot-light-actor",),
    "admin": None,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """port_base: 0 takes any free ports. history: a past that is written down; none by itself.
    world: a key of simulator.world.kinds.WORLDS."""

    directory: Path
    world: str = "demo"
    clusters: int = 3
    models: int = 24
    seed: int = 1
    speed: float = 1.0
    port_base: int = 0
    history: timedelta = timedelta(0)

    @property
    def pasts(self) -> Path:
        """Where the pasts of the clusters are written."""
        return self.directory / "past"

    @property
    def request_truth(self) -> Path:
        """What became of the requests, in windows; begun anew by every run."""
        return self.directory / "requests.jsonl"

    @property
    def fault_truth(self) -> Path:
        """Faults that were seeded: a line when one is first felt, and one when it ends."""
        return self.directory / "faults.jsonl"

    def begin_truths(self) -> None:
        for path in (self.request_truth, self.fault_truth):
            path.write_text("")


@dataclass(frozen=True, slots=True)
class Papers:
    """Of one cluster: contexts of its users, their tokens, its part of simulated.json."""

    name: str
    contexts: list[Context]
    tokens: dict[str, str]
    described: dict[str, Any]


def context_name(cluster: str, user: str) -> str:
    return cluster if user == "operator" else f"{cluster}-{user}"


def identity(user: str) -> Identity:
    """Who holds a user's token: the roles of deploy/rbac, or everything."""
    roles = USERS[user]
    if roles is None:
        return ADMIN
    objects = documents(path.read_text() for path in sorted(RBAC.glob("*.yaml")))
    return account_with_roles(objects, namespace=ACCOUNT[0], name=ACCOUNT[1], roles=roles)


def write_papers(options: Options, papers: Sequence[Papers]) -> None:
    """kubeconfig, tokens and simulated.json, which says that all is up; then the same in words."""
    contexts = [context for each in papers for context in each.contexts]
    write_kubeconfig(options.directory / "kubeconfig", contexts)
    _write(options.directory / "tokens.json", {each.name: each.tokens for each in papers})
    described = {
        "seed": options.seed,
        "speed": options.speed,
        "kubeconfig": str(options.directory / "kubeconfig"),
        "tokens": str(options.directory / "tokens.json"),
        "truth": str(options.directory / "truth.jsonl"),
        "requests": str(options.request_truth),
        "faults": str(options.fault_truth),
        "clusters": [each.described for each in papers],
    }
    _write(options.directory / "simulated.json", described)
    _say(options, papers)


def _write(path: Path, content: Any) -> None:
    """By rename, readable by the owner only."""
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(content, file, indent=1)
    draft.rename(path)


def _say(options: Options, papers: Sequence[Papers]) -> None:
    for each in papers:
        api, gateway = each.described["api"], each.described["gateway"]
        sys.stdout.write(f"{each.name}: api {api} gateway {gateway}\n")
    sys.stdout.write(f"KUBECONFIG={options.directory / 'kubeconfig'}\n")
    sys.stdout.flush()
