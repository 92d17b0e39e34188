"""Simulated clusters in containers: reached by a name that their certificates hold."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from cryptography import x509

SHOW = """
import sys
from simulator.access.address import LISTEN
from simulator.access.certificates import made_certificates
sys.stdout.write(LISTEN + "\\n" + made_certificates(cluster="demo-a").server.decode())
"""


@pytest.mark.parametrize(
    ("environ", "listen", "names"),
    [
        pytest.param({}, "127.0.0.1", {"localhost"}, id="on one host: loopback"),
        pytest.param(
            {"SIMULATED_LISTEN": "0.0.0.0", "SIMULATED_NAME": "simulated"},
            "0.0.0.0",
            {"localhost", "simulated"},
            id="in a container: its name",
        ),
    ],
)
def test_where_it_listens_and_what_it_is_called(
    environ: dict[str, str], listen: str, names: set[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SHOW],
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=True,
    )
    shown, _, pem = done.stdout.partition("\n")
    certificate = x509.load_pem_x509_certificate(pem.encode())
    hosts = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert shown == listen
    assert set(hosts.get_values_for_type(x509.DNSName)) == names
