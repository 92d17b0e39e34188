"""Where the models of a cluster are reached."""

from urllib.parse import urlsplit

from fleet.errors import BadInput
from fleet.models import Cluster


def name_gateway(cluster: str, url: str) -> None:
    """Requests to models of the cluster go to `url`; its host becomes an allowed one.

    Raises BadInput for an address that is none, or when there is no such cluster.
    """
    host = _host(url)
    if not host:
        raise BadInput(
            f"gateway {url[:80]!r}: expected an address like https://gateway.example.com"
        )
    row = Cluster.objects.present().filter(name=cluster).first()
    if row is None:
        raise BadInput(f"there is no cluster {cluster[:80]!r}")
    row.gateway_url = url
    row.allowed_hosts = sorted({*row.allowed_hosts, host})
    row.save(update_fields=["gateway_url", "allowed_hosts"])


def _host(url: str) -> str:
    """The host of an http(s) address without credentials in it; "" for anything else."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.username is None and parts.port != 0
    except ValueError:
        return ""
    return parts.hostname or "" if usable else ""
