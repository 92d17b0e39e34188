"""Reaching an API server: ways to authenticate, what is sent, what errors become."""

import os
import stat
import threading
import time
from pathlib import Path

import pytest
import yaml

from fleet.adapters.kubernetes.answers import Details, Status, error_of, status_of
from fleet.adapters.kubernetes.client import Access, Client
from fleet.errors import (
    AdmissionRefused,
    ClusterRefused,
    ClusterUnreachable,
    Conflict,
    CredentialsExpired,
    FleetError,
    Forbidden,
    NotThere,
    TooOld,
)
from simulator.api.hosted import HostedApi

LLAMA = "/apis/serving.kserve.io/v1beta1/namespaces/vllm/inferenceservices/llama"
REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
PLUGIN = """#!/bin/sh
echo run >> {runs}
echo '{{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
"status": {{"token": "{token}", "expirationTimestamp": "2020-01-01T00:00:00Z"}}}}'
"""


def test_a_server_with_ca_and_token(api: HostedApi) -> None:
    given = [api.token("viewer")]
    access = Access(server=api.url, ca_pem=api.server.ca.decode(), token=lambda: given[0])
    client = Client(access)
    assert b"gitVersion" in client.get("/version")
    client.close()
    given[0] = "another"
    with pytest.raises(CredentialsExpired):
        client.get("/version")


def test_a_server_whose_authority_is_not_ours_is_not_spoken_to(api: HostedApi) -> None:
    client = Client(Access(server=api.url, token=lambda: api.token("viewer")))
    with pytest.raises(ClusterUnreachable, match="CERTIFICATE_VERIFY_FAILED"):
        client.get("/version")


def test_a_body_beyond_the_bound_is_refused_and_the_next_call_goes_on(
    api: HostedApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    access = Access(server=api.url, ca_pem=api.server.ca.decode(), token=lambda: api.token("admin"))
    client = Client(access)
    whole = client.get("/version")
    monkeypatch.setattr("fleet.adapters.kubernetes.client.BODY_BYTES", len(whole) - 1)
    with pytest.raises(ClusterRefused, match="Follow single namespaces") as refused:
        client.get("/version")
    assert (refused.value.status, refused.value.retry) == (200, False)
    with pytest.raises(ClusterRefused, match=rf"^POST {REVIEWS} answered more than"):
        client.post(REVIEWS, {"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}})
    with pytest.raises(ClusterUnreachable, match="answered more than"):
        client.patch(LLAMA, {"metadata": {"labels": {"a": "b"}}}, query={})
    monkeypatch.setattr("fleet.adapters.kubernetes.client.BODY_BYTES", len(whole))
    assert client.get("/version") == whole
    client.close()


def exec_config(kubeconfig: Path, plugin: Path) -> Path:
    """The kubeconfig, its user replaced by a plugin."""
    whole = yaml.safe_load(kubeconfig.read_text())
    command = {"command": str(plugin), "apiVersion": "client.authentication.k8s.io/v1"}
    for user in whole["users"]:
        user["user"] = {"exec": command | {"interactiveMode": "Never"}}
    kubeconfig.write_text(yaml.safe_dump(whole))
    return kubeconfig


def executable(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_a_plugin_is_run_and_its_token_renewed_when_it_expires(
    api: HostedApi, kubeconfig: Path, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    text = PLUGIN.format(runs=runs, token=api.token("viewer"))
    plugin = executable(tmp_path / "plugin", text)
    client = Client(Access(context="hosted", kubeconfig=str(exec_config(kubeconfig, plugin))))
    client.get("/version")
    first = len(runs.read_text().split())
    client.get("/version")
    client.close()
    assert len(runs.read_text().split()) > first


def test_a_plugin_that_hangs_does_not_hold_up_the_end(kubeconfig: Path, tmp_path: Path) -> None:
    plugin = executable(
        tmp_path / "plugin", f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 60\n"
    )
    client = Client(Access(context="hosted", kubeconfig=str(exec_config(kubeconfig, plugin))))
    calling = threading.Thread(target=lambda: _quietly(client), daemon=True)
    calling.start()
    deadline = time.monotonic() + 30
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    client.close()
    assert calling.is_alive(), "the end waited for the plugin"
    os.kill(int((tmp_path / "pid").read_text()), 9)
    calling.join(30)
    assert not calling.is_alive()


def _quietly(client: Client) -> None:
    with pytest.raises(FleetError):
        client.get("/version")


@pytest.mark.parametrize(
    ("context", "says"),
    [
        pytest.param("nobody", "nobody", id="a context that is not there"),
        pytest.param("", "Service host/port is not set", id="not in a cluster"),
    ],
)
def test_configurations_that_cannot_be_read(kubeconfig: Path, context: str, says: str) -> None:
    client = Client(Access(context=context, kubeconfig=str(kubeconfig)))
    with pytest.raises(ClusterUnreachable, match=says):
        client.get("/version")


@pytest.mark.parametrize(
    ("http_status", "message", "kind"),
    [
        pytest.param(401, "Unauthorized", CredentialsExpired, id="401"),
        pytest.param(403, "pods is forbidden", Forbidden, id="403 of RBAC"),
        pytest.param(403, 'admission webhook "x" denied', AdmissionRefused, id="403 of a webhook"),
        pytest.param(400, 'admission webhook "x" denied', AdmissionRefused, id="400 of a webhook"),
        pytest.param(404, "404 page not found", NotThere, id="404"),
        pytest.param(409, "modified", Conflict, id="409"),
        pytest.param(410, "Expired", TooOld, id="410"),
        pytest.param(422, "Invalid", AdmissionRefused, id="422 of the schema"),
        pytest.param(415, "media type", ClusterRefused, id="another 4xx"),
        pytest.param(302, "", ClusterRefused, id="a redirect is not followed"),
        pytest.param(429, "slow down", ClusterUnreachable, id="429"),
        pytest.param(503, "", ClusterUnreachable, id="503"),
    ],
)
def test_what_answers_mean(http_status: int, message: str, kind: type[FleetError]) -> None:
    error = error_of("GET /x", http_status=http_status, status=Status(message=message))
    assert type(error) is kind
    assert str(http_status) in str(error)


@pytest.mark.parametrize(
    ("header", "details", "after_s"),
    [
        pytest.param("7", None, 7.0, id="Retry-After"),
        pytest.param(None, Details(retryAfterSeconds=3), 3.0, id="retryAfterSeconds"),
        pytest.param("soon", Details(retryAfterSeconds=3), 3.0, id="a header that is no number"),
        pytest.param("9999", None, 60.0, id="bounded"),
        pytest.param(None, None, None, id="nothing said"),
    ],
)
def test_how_long_to_wait(header: str | None, details: Details | None, after_s: object) -> None:
    status = Status(details=details)
    error = error_of("GET /x", http_status=429, status=status, retry_after=header)
    assert isinstance(error, ClusterUnreachable)
    assert error.after_s == after_s


@pytest.mark.parametrize(
    "body",
    [b"404 page not found\n", b"", b"\xff\xfe", b'{"code": "x"', b"x" * 10_000],
    ids=["text", "nothing", "no UTF-8", "half", "long"],
)
def test_bodies_that_are_no_status_are_bounded_text(body: bytes) -> None:
    assert len(status_of(body).message) <= 500
