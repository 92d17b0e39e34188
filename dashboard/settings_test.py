"""Settings of the fast test lane: SQLite in memory, no Redis, nothing kept in a folder."""

from __future__ import annotations

import os

os.environ["PILOTLIGHT_STATE_DIR"] = "var/test"
os.environ["PILOTLIGHT_SECRET_KEY"] = "for-tests-only-" * 4
os.environ["PILOTLIGHT_READER_KEY"] = "for-tests-only-" * 4
os.environ.setdefault("DATABASE_URL", "sqlite://:memory:")

from dashboard.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
SERVESTATIC_USE_FINDERS = False
SERVESTATIC_USE_STATIC_ROOT = False
# A test's transaction lives in its connection, however long the test takes.
DATABASES["default"] |= {"CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": False}  # noqa: F405
