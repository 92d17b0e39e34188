"""Comparisons on the model page."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dashboard.views.model_compare import Comparison, SideBySide, comparable, model_comparison
from dashboard.views.model_query import model_query
from dashboard.views.next_step_card import gain, next_step_card
from fleet.domain.coldstart.start import Phase
from fleet.domain.compare.next_step import NextSteps
from fleet.domain.compare.remedies import NextStep, StepCode
from fleet.models import ServedModel
from tests.factories import HOSTILE, make_cluster, make_model, make_start, make_user

pytestmark = pytest.mark.django_db
ADDRESS = "/models/demo-a/InferenceService/chat/llama-3-8b/"
# All of the page; the socket and the chart ask for themselves.
MOST_QUERIES = 25


@pytest.fixture
def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def admin(client: Client, now: datetime) -> Client:
    make_cluster(now=now)
    client.force_login(make_user(role="admin"))
    return client


def start(model: ServedModel, now: datetime, n: int, *, revision: int = 1, **fields: Any) -> None:
    """The n-th newest one, some 50 s, or 90 s of the second revision."""
    lengths = [("decide", 1.0), ("load-engine", 45.0 + n % 5 + 40.0 * (revision - 1))]
    make_start(
        model,
        [*lengths, ("become-ready", 4.0)],
        started_at=now - timedelta(minutes=2 * n + 2),
        revision=f"llama-3-8b-predictor-{revision:05d}",
        revision_uid=f"revision-{revision}",
        **fields,
    )


def two_of_them(model: ServedModel, now: datetime) -> None:
    for n in range(30):
        start(model, now, n, revision=2 if n < 10 else 1)


def asked(model: ServedModel, now: datetime, address: str = "") -> Comparison | None:
    query = model_query(QueryDict(address), model.key, now=now)
    return model_comparison(comparable(model.key, query), query)


def compared(model: ServedModel, now: datetime, address: str = "") -> Comparison:
    found = asked(model, now, address)
    assert found is not None
    return found


def beside(model: ServedModel, now: datetime, address: str = "") -> SideBySide:
    found = compared(model, now, address).side_by_side
    assert found is not None
    return found


def test_a_slower_revision_is_told_with_the_phase_that_grew(admin: Client, now: datetime) -> None:
    two_of_them(make_model(), now)
    html = admin.get(ADDRESS).content.decode()
    assert "Revision 00002 starts 40 s slower than 00001 (n 10/20): load engine +40 s" in html
    for name in ("over-time", "by-revision", "by-node"):
        assert f'data-chart="drawing-{name}"' in html
        assert f'<script id="drawing-{name}" type="application/json">' in html


def test_one_start_mode_at_a_time_the_commonest_first(now: datetime) -> None:
    model = make_model()
    for n in range(6):
        start(model, now, n)
    start(model, now, 7, start_mode="cold")
    page = compared(model, now)
    assert [(m.mode, m.n, m.chosen) for m in page.modes] == [
        ("cached-image", 6, True),
        ("cold", 1, False),
    ]
    cold = compared(model, now, page.modes[1].address)
    assert (cold.mode, cold.n) == ("cold", 1)
    assert page.n == 6


def test_only_starts_of_the_range_count(now: datetime) -> None:
    model = make_model()
    start(model, now, 2)
    start(model, now, 100)
    assert compared(model, now, "range=1h").n == 1
    assert asked(model, now, "until=2026-01-01") is None


def test_two_revisions_are_those_that_differ_unless_others_are_picked(now: datetime) -> None:
    model = make_model()
    two_of_them(model, now)
    start(model, now, 0, revision=3)
    side = beside(model, now)
    assert (side.before[-5:], side.after[-5:]) == ("00001", "00002")
    picked = "before=llama-3-8b-predictor-00002&after=llama-3-8b-predictor-00003"
    two = beside(model, now, picked).two
    assert two is not None
    assert two.total.after.n == 1
    assert beside(model, now, "before=nothing-like-it").two is None


def test_names_of_an_address_stay_text(admin: Client, now: datetime) -> None:
    two_of_them(make_model(), now)
    html = admin.get(ADDRESS, {"before": HOSTILE, "mode": HOSTILE}).content.decode()
    assert "<img" not in html


def test_without_a_ready_start_it_says_so(admin: Client, now: datetime) -> None:
    make_start(make_model(), started_at=now - timedelta(minutes=3), outcome="failed")
    assert "there is nothing to compare" in admin.get(ADDRESS).content.decode()


def test_the_comparisons_alone_keep_to_the_scope(client: Client, now: datetime) -> None:
    make_cluster(now=now)
    two_of_them(make_model(), now)
    client.force_login(make_user(role="viewer", namespaces=["chat"]))
    assert "starts 40 s slower" in client.get(f"{ADDRESS}compared/").content.decode()
    client.force_login(make_user(role="viewer", namespaces=["rag"]))
    assert client.get(f"{ADDRESS}compared/").status_code == 404


def test_queries_do_not_grow_with_starts(admin: Client, now: datetime) -> None:
    model = make_model()
    counts = []
    for number in range(2):
        for n in range(20 * number, 20 * number + 20):
            start(model, now, n, start_mode="cold" if n % 3 else "cached-image")
        with CaptureQueriesContext(connection) as asked:
            assert admin.get(f"{ADDRESS}?range=90d").status_code == 200
        counts.append(len(asked))
    assert counts[0] == counts[1] <= MOST_QUERIES


STEP = NextStep(code=StepCode.PREPULL_IMAGE, phase=Phase.PULL_IMAGE, spends_s=92.0, n=14)


@pytest.mark.parametrize(
    ("step", "says"),
    [
        pytest.param(
            NextStep(
                code=StepCode.PREPULL_IMAGE,
                phase=Phase.PULL_IMAGE,
                spends_s=92.0,
                n=14,
                saves_s=88.0,
                n_with=22,
            ),
            "saves about 1:28 a start: 22 own starts have it, 14 do not",
            id="told by its own starts",
        ),
        pytest.param(
            STEP,
            "saves at most 1:32 a start, the median of 14; "
            "too few own starts have it to tell how much",
            id="not told by its own starts",
        ),
        pytest.param(
            NextStep(code=StepCode.KEEP_WARM, phase=Phase.DECIDE, spends_s=70.0, n=20, avoids=True),
            "avoids a wait of 1:10, the median of 20 starts",
            id="it avoids starts",
        ),
    ],
)
def test_what_a_step_gains(step: NextStep, says: str) -> None:
    assert gain(step) == says


@pytest.mark.parametrize(
    ("found", "too_few", "best"),
    [
        pytest.param(NextSteps(mode="cold", n=4), True, False, id="too few starts"),
        pytest.param(NextSteps(mode="cold", n=9, worst=Phase.DECIDE), False, False, id="no remedy"),
        pytest.param(NextSteps(mode="cold", n=9, steps=(STEP, STEP)), False, True, id="two steps"),
    ],
)
def test_the_card(found: NextSteps, *, too_few: bool, best: bool) -> None:
    card = next_step_card(found)
    assert (card.too_few, card.best is not None) == (too_few, best)
    assert len(card.others) == max(0, len(found.steps) - 1)
