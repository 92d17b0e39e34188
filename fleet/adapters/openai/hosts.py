"""Which addresses may be called at all: hosts an admin allowed, never a cloud's own services."""

import ipaddress
import socket
from collections.abc import Collection
from urllib.parse import SplitResult, urlsplit

# Instance metadata outside the link-local range. Source: the clouds' own documentation.
METADATA = frozenset({"fd00:ec2::254", "100.100.100.200", "168.63.129.16"})
PORTS = {"http": 80, "https": 443}


class NotAllowed(Exception):
    """The address may not be called; the text says why, for people."""


def allowed_host(host: str, allowed: Collection[str]) -> bool:
    """Exact names, or everything below `*.example.com`."""
    wanted = host.lower().rstrip(".")
    return any(
        wanted == name.lower() or (name.startswith("*.") and wanted.endswith(name[1:].lower()))
        for name in allowed
    )


def checked(url: str) -> SplitResult:
    """The parts of an http(s) URL with a host and without credentials; NotAllowed otherwise."""
    parts = urlsplit(url)
    if parts.scheme not in PORTS or not parts.hostname or parts.username is not None:
        raise NotAllowed("not an http or https address")
    try:
        _ = parts.port
    except ValueError:
        raise NotAllowed("the port is no port") from None
    return parts


def resolved(host: str, port: int) -> str:
    """One IP address of the host. NotAllowed if any of its addresses must not be called: a name
    that points at both a gateway and metadata is an attack, not a gateway."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise NotAllowed(f"{host} cannot be resolved: {error.strerror}") from None
    addresses = [str(entry[4][0]) for entry in found]
    for address in addresses:
        refuse_address(address)
    return addresses[0]


def refuse_address(address: str) -> None:
    """NotAllowed for link-local, metadata, multicast and unspecified addresses."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(ip, "ipv4_mapped", None)
    ip = mapped or ip
    if ip.is_link_local or ip.is_multicast or ip.is_unspecified or str(ip) in METADATA:
        raise NotAllowed(f"{ip} is a link-local, metadata or multicast address")
