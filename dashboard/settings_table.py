"""The settings table: what `dashboard.settings` reads, and what README's table is made of."""

from __future__ import annotations

from typing import Any

from dashboard.environment import (
    COUNT,
    DATABASE,
    FLAG,
    LEVEL,
    PATH,
    REDIS,
    SECONDS,
    SHARE,
    SIGNING_KEY,
    TEXT,
    WORDS,
    Setting,
)

DEBUG = Setting(
    name="PILOTLIGHT_DEBUG",
    kind=FLAG,
    default="off",
    says="Error pages with details. Never on where others can reach the page.",
)
STATE_DIR = Setting(
    name="PILOTLIGHT_STATE_DIR",
    kind=PATH,
    default="var",
    says="Folder for the SQLite file, generated keys and `demo.json`.",
)
SECRET_KEY = Setting(
    name="PILOTLIGHT_SECRET_KEY",
    kind=SIGNING_KEY,
    default="",
    says="Signs sessions, at least 50 characters. Empty: made once, kept in the state folder.",
    secret=True,
)
READER_KEY = Setting(
    name="PILOTLIGHT_READER_KEY",
    kind=TEXT,
    default="",
    says="Encrypts the credentials that read clusters. Empty: kept in the state folder.",
    secret=True,
)
ACTOR_KEY = Setting(
    name="PILOTLIGHT_ACTOR_KEY",
    kind=TEXT,
    default="",
    says="Decrypts the credentials that change clusters. Given to the `act` worker alone.",
    secret=True,
)
ALLOWED_HOSTS = Setting(
    name="PILOTLIGHT_ALLOWED_HOSTS",
    kind=WORDS,
    default="localhost,127.0.0.1,[::1]",
    says="Host names under which the page may be asked for.",
)
TRUSTED_ORIGINS = Setting(
    name="PILOTLIGHT_TRUSTED_ORIGINS",
    kind=WORDS,
    default="",
    says="Further origins (`https://name`) whose forms are accepted.",
)
HTTPS = Setting(
    name="PILOTLIGHT_HTTPS",
    kind=FLAG,
    default="off",
    says="The page is served over HTTPS: secure cookies, redirect, HSTS.",
)
BEHIND_PROXY = Setting(
    name="PILOTLIGHT_BEHIND_PROXY",
    kind=FLAG,
    default="off",
    says="A proxy in front sets `X-Forwarded-Proto` and is the only way in.",
)
LOG_LEVEL = Setting(
    name="PILOTLIGHT_LOG_LEVEL",
    kind=LEVEL,
    default="INFO",
    says="How much is logged, to standard error.",
)
SIGN_IN_ATTEMPTS = Setting(
    name="PILOTLIGHT_SIGN_IN_ATTEMPTS",
    kind=COUNT,
    default="10",
    says="Wrong passwords before a name and address are locked out for 15 minutes.",
)
KUBECONFIG = Setting(
    name="PILOTLIGHT_KUBECONFIG",
    kind=TEXT,
    default="",
    says="The kubeconfig to read. Empty: `KUBECONFIG`, else `~/.kube/config`.",
)
ACTOR_KUBECONFIG = Setting(
    name="PILOTLIGHT_ACTOR_KUBECONFIG",
    kind=TEXT,
    default="",
    says="The `act` worker's kubeconfig: the same contexts, other users. Empty: the one above.",
)
CONTEXTS = Setting(
    name="PILOTLIGHT_CONTEXTS",
    kind=WORDS,
    default="",
    says="Contexts of the kubeconfig to follow. Empty: the in-cluster account, where there is one.",
)
TEAM_LABEL = Setting(
    name="PILOTLIGHT_TEAM_LABEL",
    kind=TEXT,
    default="team",
    says="Label that names a model's team, on the object, else on its namespace.",
)
ENVIRONMENT_LABEL = Setting(
    name="PILOTLIGHT_ENVIRONMENT_LABEL",
    kind=TEXT,
    default="environment",
    says="Label that names a model's environment, on the object, else on its namespace.",
)
PROFILE_LABEL = Setting(
    name="PILOTLIGHT_PROFILE_LABEL",
    kind=TEXT,
    default="pilotlight.dev/profile",
    says="Label that names what a team wants of a model (`docs/lint.md`), on it or its namespace.",
)
UNKNOWN_AFTER_S = Setting(
    name="PILOTLIGHT_UNKNOWN_AFTER_S",
    kind=SECONDS,
    default="60",
    says="A model whose data is older than this is shown as Unknown.",
)
METRICS_LAG_S = Setting(
    name="PILOTLIGHT_METRICS_LAG_S",
    kind=SECONDS,
    default="45",
    says="How long after its end 30 s of requests are read from Prometheus: scrapes come late.",
)
DEGRADED_SHARE = Setting(
    name="PILOTLIGHT_DEGRADED_SHARE",
    kind=SHARE,
    default="0.01",
    says="A ready model is Degraded from this share of 5xx in five minutes …",
)
DEGRADED_ERRORS = Setting(
    name="PILOTLIGHT_DEGRADED_ERRORS",
    kind=COUNT,
    default="3",
    says="… if there were at least so many 5xx.",
)
FAILING_SHARE = Setting(
    name="PILOTLIGHT_FAILING_SHARE",
    kind=SHARE,
    default="0.5",
    says="A model is Failing from this share of 5xx in five minutes …",
)
FAILING_REQUESTS = Setting(
    name="PILOTLIGHT_FAILING_REQUESTS",
    kind=COUNT,
    default="10",
    says="… if there were at least so many requests.",
)
INCIDENT_QUIET_ERRORS = Setting(
    name="PILOTLIGHT_INCIDENT_QUIET_ERRORS",
    kind=COUNT,
    default="2",
    says="5xx in five minutes that begin an incident of a model with under 20 requests in them.",
)
INCIDENT_GAP_S = Setting(
    name="PILOTLIGHT_INCIDENT_GAP_S",
    kind=SECONDS,
    default="300",
    says="An incident is over after so long without errors; what comes sooner belongs to it.",
)
INCIDENT_DAYS = Setting(
    name="PILOTLIGHT_INCIDENT_DAYS",
    kind=COUNT,
    default="1096",
    says="How long incidents are kept.",
)
REQUEST_WINDOWS_DAYS = Setting(
    name="PILOTLIGHT_REQUEST_WINDOWS_DAYS",
    kind=COUNT,
    default="14",
    says="Days for which requests are kept in 30 s steps; their hourly sums stay two years.",
)
DATABASE_URL = Setting(
    name="DATABASE_URL",
    kind=DATABASE,
    default="",
    says="PostgreSQL, or SQLite for one host. Empty: SQLite in the state folder.",
    secret=True,
)
REDIS_URL = Setting(
    name="REDIS_URL",
    kind=REDIS,
    default="",
    says="Redis 7 or Valkey. Empty: `make demo` and `make run` start an embedded one.",
    secret=True,
)

SETTINGS: tuple[Setting[Any], ...] = (
    CONTEXTS,
    KUBECONFIG,
    ACTOR_KUBECONFIG,
    ALLOWED_HOSTS,
    HTTPS,
    BEHIND_PROXY,
    TRUSTED_ORIGINS,
    DATABASE_URL,
    REDIS_URL,
    STATE_DIR,
    SECRET_KEY,
    READER_KEY,
    ACTOR_KEY,
    TEAM_LABEL,
    ENVIRONMENT_LABEL,
    PROFILE_LABEL,
    UNKNOWN_AFTER_S,
    METRICS_LAG_S,
    DEGRADED_SHARE,
    DEGRADED_ERRORS,
    FAILING_SHARE,
    FAILING_REQUESTS,
    INCIDENT_QUIET_ERRORS,
    INCIDENT_GAP_S,
    INCIDENT_DAYS,
    REQUEST_WINDOWS_DAYS,
    SIGN_IN_ATTEMPTS,
    LOG_LEVEL,
    DEBUG,
)


def as_markdown() -> str:
    """README's table of settings."""
    lines = ["| variable | default | what it is |", "|---|---|---|"]
    for setting in SETTINGS:
        default = f"`{setting.default}`" if setting.default else ""
        lines.append(f"| `{setting.name}` | {default} | {setting.says} |")
    return "\n".join(lines)
