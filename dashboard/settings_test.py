"""Settings of the fast test lane: SQLite in memory, no Redis, a state folder thrown away."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

_STATE = tempfile.TemporaryDirectory(prefix="pilotlight-test-")
os.environ["PILOTLIGHT_STATE_DIR"] = _STATE.name
# The static files' middleware warns of a folder that is missing.
(Path(_STATE.name) / "static").mkdir()
os.environ.setdefault("DATABASE_URL", "sqlite://:memory:")

from dashboard.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
SERVESTATIC_USE_FINDERS = False
