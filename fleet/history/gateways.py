"""Where the models of a cluster are reached."""

from urllib.parse import urlsplit

from fleet.errors import BadInput
from fleet.models import Cluster


def name_gateway(cluster: str, url: str) -> None:
    """Requests to models of the cluster go to `url`; its host becomes an allowed one.

    Raises BadInput for an address that is none, or when there is no such cluster.
    """
    host = urlsplit(url).hostname
    if host is None or urlsplit(url).scheme not in ("http", "https"):
        raise BadInput(
            f"gateway {url[:80]!r}: expected an address like https://gateway.example.com"
        )
    row = Cluster.objects.present().filter(name=cluster).first()
    if row is None:
        raise BadInput(f"there is no cluster {cluster[:80]!r}")
    row.gateway_url = url
    row.allowed_hosts = sorted({*row.allowed_hosts, host})
    row.save(update_fields=["gateway_url", "allowed_hosts"])
