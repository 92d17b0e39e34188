"""Where a cluster's metrics are read, as admins say it, with its audit entry in the same
transaction."""

import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.db import transaction

from fleet.errors import BadInput
from fleet.history.access import Deed, note
from fleet.history.clusters import found
from fleet.models import Cluster

HEADER_NAME = re.compile(r"[A-Za-z0-9-]{1,80}")
HEADER_VALUE = re.compile(r"[\x20-\x7e]{1,500}")
MOST_HEADERS = 20
# Those that the client sets itself, or that carry secrets: these are kept encrypted, not here.
NOT_PLAIN = frozenset(
    {
        *("host", "authorization", "proxy-authorization", "cookie", "connection"),
        *("content-length", "content-type", "transfer-encoding", "user-agent"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsPlace:
    """url: of a Prometheus-compatible API, a path in front of /api/v1 included; "" = none. pages:
    without one, read metrics pages through the API server. headers: plain ones, such as the tenant
    of a store for many."""

    url: str = ""
    ca_pem: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    pages: bool = False


@transaction.atomic
def set_metrics(name: str, place: MetricsPlace, sealed: bytes | None, deed: Deed) -> None:
    """Metrics of the cluster are read there from now on; the host becomes an allowed one.

    sealed: the secret, b"" = none, None = the one that is kept: only while the server stays the
    same, another one must not be sent it. Raises BadInput for no such cluster, and for what
    `checked_place` refuses.
    """
    row = Cluster.objects.select_for_update().get(pk=found(name).pk)
    before = _told(row)
    apply_place(row, place, sealed)
    row.save(update_fields=_COLUMNS)
    note(deed, "cluster-metrics", name, before=before, after=_told(row))


def apply_place(row: Cluster, place: MetricsPlace, sealed: bytes | None) -> None:
    """Set the row's columns, without writing it: to try them first. As `set_metrics` otherwise."""
    place = checked_place(place)
    kept = bytes(row.metrics_secret) if _server(row.metrics_url) == _server(place.url) else b""
    row.metrics_url, row.metrics_ca_pem = place.url, place.ca_pem
    row.metrics_headers, row.metrics_pages = dict(place.headers), place.pages
    row.metrics_secret = kept if sealed is None else sealed
    row.metrics, row.metrics_trouble, row.metric_era = {}, {}, ""
    row.metrics_claimed_until = None
    if place.url:
        row.allowed_hosts = sorted({*row.allowed_hosts, urlsplit(place.url).hostname or ""})


_COLUMNS = (
    *("metrics_url", "metrics_ca_pem", "metrics_headers", "metrics_pages", "metrics_secret"),
    *("metrics", "metrics_trouble", "metric_era", "metrics_claimed_until", "allowed_hosts"),
)


def checked_place(place: MetricsPlace) -> MetricsPlace:
    """The place, its URL without a last slash; raises BadInput that says what would do."""
    url = place.url.strip().rstrip("/")
    if url and not _is_address(url):
        raise BadInput(
            f"metrics URL {url[:80]!r}: expected an address like https://prometheus.example.com,"
            " without a name, a query or /api/v1 in it"
        )
    if place.ca_pem and not _is_certificate(place.ca_pem):
        raise BadInput("CA of the metrics: expected a certificate in PEM")
    if len(place.headers) > MOST_HEADERS:
        raise BadInput(f"more than {MOST_HEADERS} headers")
    for name, value in place.headers.items():
        _check_header(name, value)
    return MetricsPlace(url=url, ca_pem=place.ca_pem, headers=place.headers, pages=place.pages)


def _is_certificate(pem: str) -> bool:
    try:
        ssl.create_default_context(cadata=pem)
    except (ssl.SSLError, ValueError):
        return False
    return "-----BEGIN CERTIFICATE-----" in pem


def _check_header(name: str, value: str) -> None:
    if not HEADER_NAME.fullmatch(name) or not HEADER_VALUE.fullmatch(value):
        raise BadInput(f"header {name[:80]!r}: expected letters, digits and -, and a plain value")
    if name.lower() in NOT_PLAIN:
        raise BadInput(
            f"header {name[:80]!r} cannot be set here: a token or a password is kept encrypted"
        )


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.username is None and parts.port != 0
    except ValueError:
        return False
    plain = not parts.query and not parts.fragment and not parts.path.endswith("/api/v1")
    return bool(parts.hostname) and usable and plain and len(url) <= 500


def _server(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()


def _told(row: Cluster) -> dict[str, object]:
    """For the audit trail: never the secret, only that there is one."""
    return {
        "url": row.metrics_url,
        "pages": row.metrics_pages,
        "headers": sorted(row.metrics_headers),
        "secret": bool(row.metrics_secret),
    }
