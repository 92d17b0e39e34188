"""What the starts of a list say together, from rows."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest
from django.test import Client

from dashboard.views import starts_summary
from fleet.history.start_counts import count_starts
from tests.factories import make_cluster, make_model, make_start, make_user

pytestmark = pytest.mark.django_db


def summary(client: Client, asked: str = "") -> str:
    response = client.get(f"/cold-starts/summary/?{asked}")
    assert response.status_code == 200
    return response.content.decode()


def test_together_they_say_outcomes_and_lengths_of_each_mode_apart(
    admin: Client, now: datetime
) -> None:
    make_cluster(now=now)
    model = make_model()
    for n in range(20):
        at = now - timedelta(hours=n + 1)
        make_start(model, [("load-engine", 60.0 + n)], started_at=at)
    for n in range(4):
        at = now - timedelta(hours=n + 1)
        make_start(model, [("pull-image", 300.0)], start_mode="cold", started_at=at)
    make_start(model, outcome="failed", started_at=now - timedelta(hours=2))
    html = summary(admin)
    rows = re.findall(r'<th scope="row"><a href="[^"]*">([^<]+)</a></th>(.*?)</tr>', html)
    figures = {mode: re.sub(r"<[^>]+>", " ", cells).split() for mode, cells in rows}
    assert figures["cached image"] == ["20", "1:10", "1:18"]
    assert figures["nothing cached"] == ["4", "–", "–"]
    assert "25 starts" in html
    assert re.search(r'href="\?outcome=failed"[^>]*><b class="num">.*?1</b><span>failed', html)


def test_together_they_say_what_slow_ones_share(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    model = make_model()
    for n in range(60):
        slow = n % 4 == 0
        make_start(
            model,
            [("load-engine", 200.0 + n if slow else 60.0)],
            node="gpu-<9>" if slow else f"gpu-{n % 3}",
            started_at=now - timedelta(hours=n + 1),
        )
    html = summary(admin)
    said = html[html.index("What slow starts have in common") :]
    assert 'node <a href="?node=gpu-%3C9%3E"><b>gpu-&lt;9&gt;</b></a>: 100% of the slow' in said


@pytest.mark.parametrize(
    ("count", "says"),
    [
        pytest.param(3, "Too few ready starts to tell", id="thin data"),
        pytest.param(40, "Nothing that the data can show", id="nothing in common"),
    ],
)
def test_nothing_is_said_that_the_data_cannot_show(
    admin: Client, now: datetime, count: int, says: str
) -> None:
    make_cluster(now=now)
    model = make_model()
    for n in range(count):
        at = now - timedelta(hours=n + 1)
        make_start(model, [("load-engine", 60.0 + n)], node=f"gpu-{n % 2}", started_at=at)
    assert says in summary(admin)


def test_together_means_in_scope_and_of_the_filters(client: Client, now: datetime) -> None:
    client.force_login(make_user(role="viewer", namespaces=["chat"]))
    make_cluster(now=now)
    at = now - timedelta(hours=1)
    for node in ("gpu-1", "gpu-9"):
        make_start(make_model(), node=node, started_at=at)
    make_start(make_model(cluster="demo-b", namespace="rag"), started_at=at)
    assert "2 starts" in summary(client)
    assert "1 start<" in summary(client, "node=gpu-9")
    assert "demo-b" not in summary(client, "range=30d")


def test_of_too_many_the_newest_are_taken_and_it_is_said(
    admin: Client, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starts_summary, "OF_A_FLEET", 3)
    make_cluster(now=now)
    model = make_model()
    for n in range(4):
        make_start(model, started_at=now - timedelta(hours=n + 1))
    assert "The newest 3 starts" in summary(admin)


def test_nothing_together_of_no_start(admin: Client) -> None:
    assert "panel" not in summary(admin)


def test_two_revisions_once_one_model_is_asked_for(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    model = make_model()
    for n in range(20):
        new = n < 10
        make_start(
            model,
            [("load-engine", (90.0 if new else 50.0) + n % 3)],
            revision=f"llama-{2 if new else 1:05d}",
            revision_uid=f"uid-{2 if new else 1}",
            started_at=now - timedelta(hours=n + 1),
        )
    html = summary(admin, f"model={model.key}&node=gpu-1")
    assert "Revision 00002 starts 40 s slower than 00001 (n 10/10): load engine +40 s" in html
    assert f'<input type="hidden" name="model" value="{model.key}">' in html
    assert '<input type="hidden" name="node" value="gpu-1">' in html
    assert "<option selected>llama-00001</option>" in html
    swapped = summary(admin, f"model={model.key}&before=llama-00002&after=llama-00001")
    assert "Revision 00001 starts 40 s faster than 00002" in swapped
    assert "Two revisions" not in summary(admin)


def test_a_list_too_long_to_read_is_told_from_the_sums_of_its_days(
    admin: Client, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starts_summary, "OF_A_FLEET", 30)
    make_cluster(now=now)
    model = make_model(now=now)
    for n in range(48):
        at = now - timedelta(hours=2 * n + 1)
        make_start(model, [("load-engine", 60.0 + n)], started_at=at)
    assert "The newest 30 starts" in summary(admin)
    while count_starts(now=now):
        pass
    html = summary(admin)
    assert "48 starts that are over" in html
    rows = re.findall(r'<th scope="row"><a href="[^"]*">([^<]+)</a></th>(.*?)</tr>', html)
    told = {mode: re.sub(r"<[^>]+>", " ", cells).split() for mode, cells in rows}
    assert told["cached image"][0] == "48"
    assert "of the newest 30" in html
    assert "The newest 30 starts" in summary(admin, "node=gpu-1")
    assert "The newest 30 starts" in summary(admin, f"since={(now - timedelta(days=4)):%FT%TZ}")
    assert "48 starts that are over" in summary(admin, "namespace=chat&team=search")
    assert "48 starts that are over" not in summary(admin, "namespace=other")


def test_a_range_that_ends_at_midnight_lacks_the_day_that_begins_then(
    admin: Client, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starts_summary, "OF_A_FLEET", 5)
    make_cluster(now=now)
    model = make_model(now=now)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=1)
    for n in range(12):
        make_start(model, started_at=midnight + timedelta(hours=n - 8))
    count_starts(now=now)
    since = midnight - timedelta(days=6)
    assert "8 starts that are over" in summary(
        admin, f"since={since:%FT%TZ}&until={midnight:%FT%TZ}"
    )


def test_a_viewers_sums_are_of_their_namespaces(
    client: Client, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starts_summary, "OF_A_FLEET", 5)
    client.force_login(make_user(role="viewer", namespaces=["chat"]))
    mine, theirs = make_model(now=now), make_model("b", namespace="vision", now=now)
    for model in (mine, mine, theirs):
        for n in range(8):
            make_start(model, started_at=now - timedelta(hours=n + 1))
    count_starts(now=now)
    assert "16 starts that are over" in summary(client)
