"""Writes a kubeconfig that kubectl and the official clients accept."""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One context: a name, a server, its authority (PEM), and a user's token."""

    name: str
    cluster: str
    server: str
    ca: bytes
    user: str
    token: str
    namespace: str = "default"


def kubeconfig(contexts: Sequence[Context], *, current: str | None = None) -> dict[str, Any]:
    """The document. current: the current context, else the first."""
    clusters = {context.cluster: context for context in contexts}
    users = {context.user: context for context in contexts}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "preferences": {},
        "clusters": [
            {
                "name": name,
                "cluster": {
                    "server": context.server,
                    "certificate-authority-data": base64.b64encode(context.ca).decode(),
                },
            }
            for name, context in clusters.items()
        ],
        "users": [
            {"name": name, "user": {"token": context.token}} for name, context in users.items()
        ],
        "contexts": [
            {
                "name": context.name,
                "context": {
                    "cluster": context.cluster,
                    "user": context.user,
                    "namespace": context.namespace,
                },
            }
            for context in contexts
        ],
        "current-context": current or contexts[0].name,
    }


def write_kubeconfig(
    path: Path, contexts: Sequence[Context], *, current: str | None = None
) -> None:
    """Write it by rename, readable by its owner only."""
    text = yaml.safe_dump(kubeconfig(contexts, current=current), sort_keys=False)
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    draft.rename(path)
