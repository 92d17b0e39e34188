"""Secrets that are made once and kept in the state folder."""

from __future__ import annotations

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path


def kept_secret(path: Path) -> str:
    """The secret in `path`, made on the first call; mode 600; two first calls agree."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        _make(path)
    return path.read_text().strip()


def _make(path: Path) -> None:
    descriptor, draft = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(64))
    # A link either makes the whole file or fails: nobody ever reads half a secret.
    with suppress(FileExistsError):
        os.link(draft, path)
    os.unlink(draft)
