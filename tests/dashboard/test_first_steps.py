"""What `manage.py run` prepares before anything listens."""

from __future__ import annotations

import json
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.contrib.auth import authenticate
from django.test import RequestFactory
from pytest_django import Settings

from dashboard.first_steps import (
    admin_link,
    check_contexts,
    make_accounts,
    name_gateways,
    name_metrics,
)
from fleet.errors import BadInput
from fleet.history.access import Deed, Reach, add_user, digest, open_link
from fleet.models import ApiToken, AuditEntry, Cluster, Membership

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
pytestmark = pytest.mark.django_db


def test_the_first_start_gives_a_link_that_makes_an_admin() -> None:
    path = admin_link(now=NOW)
    assert path is not None
    assert open_link(path.removeprefix("/setup/").removesuffix("/"), now=NOW) is not None


def test_with_an_admin_there_is_no_link() -> None:
    add_user("root", Reach(role="admin"), Deed(by="test", now=NOW), password="x")
    assert admin_link(now=NOW) is None


def test_the_accounts_work_and_their_file_is_private(tmp_path: Path) -> None:
    make_accounts(tmp_path / "accounts.json", now=NOW)
    assert stat.S_IMODE((tmp_path / "accounts.json").stat().st_mode) == 0o600
    for role, account in json.loads((tmp_path / "accounts.json").read_text()).items():
        request = RequestFactory().post("/")
        signed_in = authenticate(
            request, username=account["username"], password=account["password"]
        )
        assert signed_in is not None
        assert Membership.objects.get(user__username=account["username"]).role == role
        assert ApiToken.objects.usable(now=NOW).get(digest=digest(account["token"])).role == role
    assert AuditEntry.objects.filter(what="user-added").count() == 2


def test_the_gateway_of_a_named_context_is_kept_and_its_host_allowed(
    settings: Settings,
) -> None:
    settings.CONTEXTS = ("demo-a", "demo-b")
    name_gateways(["demo-a=http://127.0.0.1:4711"], now=NOW)
    rows = {row.name: row for row in Cluster.objects.all()}
    assert rows["demo-a"].gateway_url == "http://127.0.0.1:4711"
    assert rows["demo-a"].allowed_hosts == ["127.0.0.1"]
    assert rows["demo-b"].gateway_url == ""
    assert rows["demo-b"].allowed_hosts == []


def test_the_prometheus_of_a_named_context_is_kept(settings: Settings) -> None:
    settings.CONTEXTS = ("demo-a",)
    name_metrics(["demo-a=http://127.0.0.1:9090"], now=NOW)
    row = Cluster.objects.get(name="demo-a")
    assert (row.metrics_url, row.allowed_hosts) == ("http://127.0.0.1:9090", ["127.0.0.1"])


@pytest.mark.parametrize(
    ("pair", "says"),
    [
        pytest.param("nowhere=http://h", "there is no cluster", id="a cluster that is not there"),
        pytest.param("demo-a=ftp://h", "expected an address", id="another protocol"),
        pytest.param("demo-a", "expected an address", id="no address"),
    ],
)
def test_a_wrong_gateway_stops_the_start(pair: str, says: str, settings: Settings) -> None:
    settings.CONTEXTS = ("demo-a",)
    with pytest.raises(BadInput, match=says):
        name_gateways([pair], now=NOW)


KUBECONFIG = "contexts: [{name: prod-eu}, {name: prod-us}]"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(KUBECONFIG, "there: prod-eu, prod-us", id="another name"),
        pytest.param("contexts: 7", "there: none", id="a file that is no kubeconfig"),
        pytest.param("{", "there: none", id="a file that is no YAML"),
        pytest.param(None, "there: none", id="no file"),
    ],
)
def test_a_context_that_is_not_there_stops_the_start(
    content: str | None, says: str, settings: Settings, tmp_path: Path
) -> None:
    settings.KUBECONFIG = str(tmp_path / "kubeconfig")
    settings.CONTEXTS = ("prod-as",)
    if content is not None:
        (tmp_path / "kubeconfig").write_text(content)
    with pytest.raises(BadInput, match="PILOTLIGHT_CONTEXTS='prod-as'") as caught:
        check_contexts()
    assert says in str(caught.value)


def test_contexts_may_stand_in_several_files(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "one").write_text(KUBECONFIG)
    (tmp_path / "two").write_text("contexts: [{name: lab}]")
    settings.KUBECONFIG = f"{tmp_path / 'one'}:{tmp_path / 'two'}"
    settings.CONTEXTS = ("prod-us", "lab")
    check_contexts()
