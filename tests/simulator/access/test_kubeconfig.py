"""The kubeconfig and the certificates, used by the official client."""

from __future__ import annotations

import stat
from pathlib import Path

from kubernetes import client, config

from simulator.api.hosted import HostedApi


def test_the_official_client_gets_in(tmp_path: Path) -> None:
    with HostedApi(name="demo-a") as api:
        path = api.kubeconfig(tmp_path / "config", users=("admin", "viewer"))
        settings = client.Configuration()
        # The official client's loader has no types.
        config.load_kube_config(str(path), "demo-a-viewer", settings)  # type: ignore[no-untyped-call]
        with client.ApiClient(settings) as session:
            listed = client.CoreV1Api(session).list_namespace()
    assert [each.metadata.name for each in listed.items if each.metadata] == ["default", "web"]


def test_it_is_its_owners_alone_and_can_be_written_again(tmp_path: Path) -> None:
    with HostedApi() as api:
        for _ in range(2):
            path = api.kubeconfig(tmp_path / "config")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["config"]
