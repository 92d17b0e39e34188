"""A certificate authority of its own for each simulated cluster, made anew at each start."""

from __future__ import annotations

import ipaddress
import ssl
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from simulator.access.address import NAME

VALID_FOR = timedelta(days=30)
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Certificates:
    """PEM texts: the authority's certificate, the server's certificate and its key."""

    ca: bytes
    server: bytes
    server_key: bytes

    def server_context(self) -> ssl.SSLContext:
        """A TLS context to serve with. The key touches the disk only while it is read."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.TemporaryDirectory() as folder:
            chain = Path(folder, "server.pem")
            chain.touch(mode=0o600)
            chain.write_bytes(self.server + self.server_key)
            context.load_cert_chain(chain)
        return context


def made_certificates(*, cluster: str) -> Certificates:
    """A new authority and a server certificate for loopback and the name given for others."""
    now = datetime.now(UTC)
    ca_key = ec.generate_private_key(ec.SECP256R1())
    server_key = ec.generate_private_key(ec.SECP256R1())
    authority = _name(f"{cluster}-ca")
    usage = x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=True,
        crl_sign=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
    ca = (
        _builder(authority, authority, ca_key, now=now)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .sign(ca_key, hashes.SHA256())
    )
    hosts = x509.SubjectAlternativeName(
        [
            x509.IPAddress(ipaddress.ip_address(LOOPBACK)),
            *(x509.DNSName(name) for name in sorted({"localhost", NAME} - {LOOPBACK})),
        ]
    )
    issuer_id = x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key())
    server = (
        _builder(_name("kube-apiserver"), authority, server_key, now=now)
        .add_extension(hosts, critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(issuer_id, critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    return Certificates(
        ca=ca.public_bytes(serialization.Encoding.PEM),
        server=server.public_bytes(serialization.Encoding.PEM),
        server_key=server_key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
    )


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, *, now: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + VALID_FOR)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
