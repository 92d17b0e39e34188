"""The list of incidents, from rows."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape

from dashboard.views import incidents_page as pages
from fleet.models import Incident, ServedModel
from tests.factories import HOSTILE, make_cluster, make_incident, make_model, make_user

pytestmark = pytest.mark.django_db
PATH = "/incidents/"


def page(client: Client, address: str = PATH) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def shown(html: str) -> list[int]:
    """Ids of the incidents on the page, in order."""
    return [int(pk) for pk in re.findall(r'<tr id="incident-(\d+)"', html)]


def following(html: str) -> str:
    found = re.search(r'rel="next" href="([^"]+)"', html)
    return found.group(1).replace("&amp;", "&") if found else ""


def at(model: ServedModel, moment: datetime, **fields: Any) -> Incident:
    """An incident of two minutes."""
    ended = moment + timedelta(minutes=2)
    given = {"last_error_at": ended, "ended_at": ended, **fields}
    return make_incident(model, started_at=moment, **given)


def test_nobody_sees_it_without_signing_in(client: Client) -> None:
    assert client.get(PATH)["Location"] == f"/sign-in/?next={PATH}"


def test_those_that_go_on_come_first_then_the_newest(admin: Client, now: datetime) -> None:
    make_cluster(now=now, metrics_url="http://prometheus")
    one, two = make_model("one"), make_model("two")
    old = at(one, now - timedelta(hours=3))
    open_ = at(two, now - timedelta(hours=2), ended_at=None)
    new = at(one, now - timedelta(hours=1))
    html = page(admin)
    assert shown(html) == [open_.pk, new.pk, old.pk]
    assert f'href="/incidents/{new.pk}/"' in html
    assert 'href="/models/demo-a/InferenceService/chat/two/"' in html
    assert html.count("data-elapsed=") == 1


def test_a_row_says_what_was_lost_where_and_why(admin: Client, now: datetime) -> None:
    make_cluster(now=now, metrics_url="http://prometheus")
    finding = {"cause": "gpu-oom", "confidence": 0.7}
    at(
        make_model(),
        now - timedelta(hours=1),
        requests=300,
        at_least=True,
        by_hop={"ingress": 3, "activator": 38, "container": None},
        around={"at_least": ["activator"]},
        cause="gpu-oom",
        confidence=0.7,
        findings=[finding, finding],
    )
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page(admin)))
    assert "≥ 41" in text
    assert "≥ 13 %" in text
    assert "ingress 3" in text
    assert "activator ≥ 38" in text
    assert "GPU out of memory likely · 1 more finding" in text


def labelled(now: datetime) -> dict[str, int]:
    """Incidents that differ in one thing each."""
    make_cluster(now=now, metrics_url="http://prometheus")
    make_cluster("demo-b", now=now, metrics_url="http://prometheus")
    plain = make_model("llama")
    other = make_model("qwen", cluster="demo-b", namespace="rag", team="ads")
    when = now - timedelta(hours=1)
    made = {
        "plain": at(plain, when),
        "ingress": at(plain, when, by_hop={"ingress": 2, "activator": 0, "container": None}),
        "oom": at(plain, when, cause="gpu-oom"),
        "old": at(plain, now - timedelta(days=20)),
        "long": at(plain, now - timedelta(days=20), ended_at=None),
        "other": at(other, when),
    }
    return {name: row.pk for name, row in made.items()}


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        pytest.param("", ["long", "plain", "ingress", "oom", "other"], id="seven days"),
        pytest.param(
            "range=30d", ["long", "plain", "ingress", "oom", "other", "old"], id="30 days"
        ),
        pytest.param("cluster=demo-b", ["other"], id="one cluster"),
        pytest.param("namespace=rag", ["other"], id="one namespace"),
        pytest.param("team=ads", ["other"], id="one team"),
        pytest.param("q=qwe", ["other"], id="a text in the name"),
        pytest.param("hop=ingress", ["ingress"], id="one hop"),
        pytest.param("hop=container", [], id="a hop that cannot be told made none"),
        pytest.param("cause=gpu-oom", ["oom"], id="one cause"),
        pytest.param(
            "cause=nonsense&hop=x", ["long", "plain", "ingress", "oom", "other"], id="odd"
        ),
        pytest.param("model=demo-b/InferenceService/rag/qwen", ["other"], id="one model"),
        pytest.param("until=2020-01-01T00:00:00Z&since=2019-01-01T00:00:00Z", [], id="no moment"),
    ],
)
def test_filters_stand_in_the_address(
    admin: Client, now: datetime, asked: str, names: list[str]
) -> None:
    made = labelled(now)
    html = page(admin, f"{PATH}?{asked}")
    found = {pk: name for name, pk in made.items()}
    assert {found[pk] for pk in shown(html)} == set(names)


def test_pages_give_each_incident_once(
    admin: Client, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "PAGE_SIZE", 2)
    make_cluster(now=now, metrics_url="http://prometheus")
    model = make_model()
    open_ = at(model, now - timedelta(hours=9), ended_at=None)
    over = [at(model, now - timedelta(hours=1)).pk for _ in range(5)]
    seen: list[int] = []
    address = PATH
    while address:
        html = page(admin, address)
        seen += shown(html)
        address = following(html)
    assert seen == [open_.pk, *over[::-1]]


@pytest.mark.parametrize(
    ("scope", "name"),
    [
        pytest.param({"clusters": ["demo-b"]}, "other", id="by cluster"),
        pytest.param({"namespaces": ["rag"]}, "other", id="by namespace"),
    ],
)
def test_what_is_out_of_scope_is_not_listed(
    client: Client, now: datetime, scope: dict[str, list[str]], name: str
) -> None:
    made = labelled(now)
    client.force_login(make_user(role="viewer", **scope))  # type: ignore[arg-type]
    assert shown(page(client)) == [made[name]]
    for form in ("csv", "json"):
        answer = client.get(f"/tables/incidents.{form}")
        text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
        assert "qwen" in text
        assert "llama" not in text


@pytest.mark.parametrize(
    ("clusters", "incidents", "asked", "says"),
    [
        pytest.param([], 0, "", "No cluster yet", id="no cluster"),
        pytest.param([{}], 0, "", "Requests are not measured yet", id="no metrics connected"),
        pytest.param([{"metrics_pages": True}], 0, "", "No incident seen", id="none since"),
        pytest.param([{"metrics_url": "u"}], 1, "?cause=gpu-oom", "matches these", id="filtered"),
        pytest.param(
            [{"metrics_url": "u"}],
            1,
            "?since=2020-01-01&until=2020-01-02",
            "No incident in this time",
            id="none in this time",
        ),
        pytest.param([{"metrics_url": "u"}], 1, "?cursor=x&cause=overload", "No older", id="end"),
    ],
)
def test_an_empty_list_says_what_to_do(
    admin: Client,
    now: datetime,
    clusters: list[dict[str, Any]],
    incidents: int,
    asked: str,
    says: str,
) -> None:
    for columns in clusters:
        make_cluster(now=now, **columns)
    for _ in range(incidents):
        at(make_model(), now - timedelta(hours=1))
    assert says in page(admin, PATH + asked)


def test_clusters_that_count_no_requests_are_named(admin: Client, now: datetime) -> None:
    make_cluster(now=now, metrics_url="http://prometheus")
    make_cluster("blind", now=now)
    at(make_model(), now - timedelta(hours=1))
    html = page(admin)
    assert "Requests are not measured" in html
    assert 'href="/clusters/#blind"' in html


def test_hostile_names_stay_text(admin: Client, now: datetime) -> None:
    make_cluster(now=now, metrics_url="http://prometheus")
    model = make_model(HOSTILE, team=HOSTILE)
    at(model, now - timedelta(hours=1), cause=HOSTILE[:40], by_hop={HOSTILE: 3})
    html = page(admin)
    assert HOSTILE not in html
    assert escape(HOSTILE) in html


@pytest.mark.parametrize("address", ["/", "/models/demo-a/InferenceService/chat/llama-3-8b/"])
def test_the_models_row_and_page_link_what_goes_on(
    admin: Client, now: datetime, address: str
) -> None:
    make_cluster(now=now)
    model = make_model()
    over = at(model, now - timedelta(hours=1))
    assert "incident-chip" not in page(admin, address)
    open_ = at(model, now - timedelta(minutes=4), ended_at=None)
    html = page(admin, address)
    assert re.findall(r'class="incident-chip" href="([^"]+)"', html) == [f"/incidents/{open_.pk}/"]
    if address != "/":
        listed = html.split('id="model-incidents"')[1].split("</section>")[0]
        assert re.findall(r"/incidents/(\d+)/", listed) == [str(open_.pk), str(over.pk)]
