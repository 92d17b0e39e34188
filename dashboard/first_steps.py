"""What `manage.py run` does between the migration and the start of the processes."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings
from django.db import transaction

from fleet.errors import BadInput
from fleet.history.access import Deed, Reach, add_token, add_user, first_admin_link
from fleet.history.clusters import register
from fleet.history.gateways import name_gateway
from fleet.history.metrics_settings import MetricsPlace, set_metrics

ACCOUNTS = ("operator", "viewer")
TOKEN_LASTS = timedelta(days=30)


def check_contexts() -> None:
    """BadInput when PILOTLIGHT_CONTEXTS names one that the kubeconfig does not have."""
    if not settings.CONTEXTS:
        return
    given = settings.KUBECONFIG or os.environ.get("KUBECONFIG", "~/.kube/config")
    there = {name for path in given.split(os.pathsep) for name in _contexts(Path(path))}
    for name in settings.CONTEXTS:
        if name not in there:
            known = ", ".join(sorted(there)) or "none"
            raise BadInput(
                f"PILOTLIGHT_CONTEXTS={name!r}: expected a context of {given} (there: {known})"
            )


def _contexts(path: Path) -> list[str]:
    """Names of the contexts in a kubeconfig; none when it cannot be read as one."""
    try:
        content = yaml.safe_load(path.expanduser().read_text())
        return [context["name"] for context in content["contexts"]]
    except (OSError, yaml.YAMLError, KeyError, TypeError):
        return []


def admin_link(*, now: datetime) -> str | None:
    """Path of a one-time link that makes the first admin; None when there is one."""
    try:
        return f"/setup/{first_admin_link(Deed(by='manage.py run', now=now))}/"
    except BadInput:
        return None


def make_accounts(path: Path, *, now: datetime) -> None:
    """An operator and a viewer for a demo; how to sign in goes to `path`, mode 600."""
    deed = Deed(by="manage.py run", now=now)
    with transaction.atomic():
        made = {role: _account(role, deed) for role in ACCOUNTS}
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(made, file)


def _account(role: str, deed: Deed) -> dict[str, Any]:
    password, reach = secrets.token_urlsafe(12), Reach(role=role)
    user = add_user(role, reach, deed, password=password)
    _, token = add_token(user, "demo", reach, deed, lasts=TOKEN_LASTS)
    return {"username": role, "password": password, "token": token}


def name_gateways(pairs: Sequence[str], *, now: datetime) -> None:
    """`cluster=url` for each cluster whose models are reached through a gateway."""
    register(settings.CONTEXTS, in_cluster=False, now=now)
    for pair in pairs:
        cluster, _, url = pair.partition("=")
        name_gateway(cluster, url)


def name_metrics(pairs: Sequence[str], *, now: datetime) -> None:
    """`cluster=url` for each cluster that has a Prometheus which asks for nothing."""
    register(settings.CONTEXTS, in_cluster=False, now=now)
    deed = Deed(by="manage.py run", now=now)
    for pair in pairs:
        cluster, _, url = pair.partition("=")
        set_metrics(cluster, MetricsPlace(url=url), b"", deed)
