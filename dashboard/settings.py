"""Django's settings. What the environment may change is in `dashboard.settings_table`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import environ
from csp.constants import NONE, SELF

from dashboard import settings_table as given
from dashboard.kept_secret import kept_secret

BASE_DIR = Path(__file__).resolve().parent.parent
STATE_DIR = BASE_DIR / given.STATE_DIR.read()

DEBUG = given.DEBUG.read()
SECRET_KEY = given.SECRET_KEY.read() or kept_secret(STATE_DIR / "secret_key")
ALLOWED_HOSTS = list(given.ALLOWED_HOSTS.read())
CSRF_TRUSTED_ORIGINS = list(given.TRUSTED_ORIGINS.read())

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "django_htmx",
    "axes",
    "csp",
    "fleet",
    "workers",
    "dashboard",
    "simulator",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "dashboard.api.middleware.ProblemMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "dashboard.middleware.refuse_nul",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "dashboard.middleware.SignInRequired",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
    "dashboard.one_thread.on_one_thread",
]
ROOT_URLCONF = "dashboard.urls"
ASGI_APPLICATION = "dashboard.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "dashboard.context.viewer",
            ]
        },
    }
]

# History. SQLite takes the write lock when a transaction begins: one that reads first and
# writes later would else fail with "database is locked" whatever the timeout.
SQLITE_OPTIONS: dict[str, Any] = {
    "timeout": 20,
    "transaction_mode": "IMMEDIATE",
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
}


def _database() -> dict[str, Any]:
    url = given.DATABASE_URL.read() or f"sqlite:///{STATE_DIR / 'pilotlight.sqlite3'}"
    config: dict[str, Any] = environ.Env.db_url_config(url)
    if config["ENGINE"].endswith("sqlite3"):
        return config | {"OPTIONS": SQLITE_OPTIONS}
    return config | {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}


DATABASES = {"default": _database()}

# The bell (`dashboard.live.bell`) and the broker. Empty (one-off commands, tests): nothing leaves
# the process.
REDIS_URL = given.REDIS_URL.read()

# Sign-in.
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"
SESSION_COOKIE_AGE = 12 * 60 * 60
SESSION_COOKIE_NAME = "pilotlight_session"
CSRF_COOKIE_NAME = "pilotlight_csrf"
CSRF_COOKIE_HTTPONLY = True
AXES_FAILURE_LIMIT = given.SIGN_IN_ATTEMPTS.read()
AXES_COOLOFF_TIME = 0.25
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False
AXES_LOCKOUT_CALLABLE = "dashboard.views.sign_in.locked_out"

# What a browser may do with our pages.
CONTENT_SECURITY_POLICY: dict[str, Any] = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
HTTPS = given.HTTPS.read()
SECURE_SSL_REDIRECT = HTTPS
# Probes come over plain HTTP, from beside the process.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if given.BEHIND_PROXY.read() else None

# Words and time. Pages make times local in the browser.
LANGUAGE_CODE = "en"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
LOCALE_PATHS = [BASE_DIR / "locale"]

# Static files are found in the apps and in installed packages, and served by the process.
STATIC_URL = "/static/"
STATIC_ROOT = STATE_DIR / "static"
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "dashboard.charts.plotly_files.PlotlyFinder",
]
SERVESTATIC_USE_FINDERS = True
SERVESTATIC_AUTOREFRESH = DEBUG

QUIET = (
    "axes",
    "celery.app.trace",
    "celery.beat",
    "celery.worker.strategy",
    "httpcore",
    "httpx",
    "kubernetes",
)
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"},
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": given.LOG_LEVEL.read()},
    # Their INFO lines name every request, message and task.
    "loggers": {name: {"level": "WARNING"} for name in QUIET},
}

# Ours. Credentials: `READER_KEY` opens what reads clusters, `ACTOR_KEY` what changes them.
# Empty `ACTOR_KEY`: this process cannot change a cluster.
READER_KEY = given.READER_KEY.read() or kept_secret(STATE_DIR / "reader_key")
ACTOR_KEY = given.ACTOR_KEY.read()
KUBECONFIG = given.KUBECONFIG.read()
ACTOR_KUBECONFIG = given.ACTOR_KUBECONFIG.read()
CONTEXTS = given.CONTEXTS.read()
TEAM_LABEL = given.TEAM_LABEL.read()
ENVIRONMENT_LABEL = given.ENVIRONMENT_LABEL.read()
PROFILE_LABEL = given.PROFILE_LABEL.read()
UNKNOWN_AFTER_S = given.UNKNOWN_AFTER_S.read()
METRICS_LAG_S = given.METRICS_LAG_S.read()
DEGRADED_SHARE = given.DEGRADED_SHARE.read()
DEGRADED_ERRORS = given.DEGRADED_ERRORS.read()
FAILING_SHARE = given.FAILING_SHARE.read()
FAILING_REQUESTS = given.FAILING_REQUESTS.read()
INCIDENT_QUIET_ERRORS = given.INCIDENT_QUIET_ERRORS.read()
INCIDENT_GAP_S = given.INCIDENT_GAP_S.read()
INCIDENT_DAYS = given.INCIDENT_DAYS.read()
REQUEST_WINDOWS_DAYS = given.REQUEST_WINDOWS_DAYS.read()
