"""What a fleet row says of 5xx."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from dashboard.views.row_errors import NO_BREAK, Kind, row_errors
from fleet.models import ServedModel
from tests.dashboard.views.test_fleet import names, page
from tests.factories import HOSTILE, make_cluster, make_model, told_errors

UNTOLD = {"ingress": None, "endpoint-picker": None}


@pytest.mark.parametrize(
    ("errors", "kind", "figure", "made_by", "tone"),
    [
        pytest.param(None, Kind.UNMEASURED, "", "", "", id="not measured"),
        pytest.param(told_errors(requests=0), Kind.QUIET, "", "", "", id="no traffic is no share"),
        pytest.param(
            told_errors(requests=0, in_flight=2.0),
            *(Kind.WAITING, "2 held", "", ""),
            id="nothing answered yet is not no traffic",
        ),
        pytest.param(told_errors(), Kind.CLEAN, "0 %", "", "", id="none of a thousand"),
        pytest.param(
            told_errors({"activator": 14}, requests=1400),
            *(Kind.ERRORS, "1.0 %", "activator 14", "warn"),
            id="one hop made all",
        ),
        pytest.param(
            told_errors({"activator": 12, "container": 2}, requests=280),
            *(Kind.ERRORS, "5.0 %", "activator 12 of 14", "warn"),
            id="the hop that made most",
        ),
        pytest.param(
            told_errors({"queue-proxy": 2}),
            *(Kind.ERRORS, "0.2 %", "queue-proxy 2", ""),
            id="two of a thousand is not yet degraded",
        ),
        pytest.param(
            told_errors({"activator": 9, "container": 1, **UNTOLD}, requests=14)
            | {"at_least": ["activator"]},
            *(Kind.ERRORS, "≥ 71 %", "activator ≥ 9 of ≥ 10", "bad"),
            id="a lower bound says so",
        ),
        pytest.param(
            told_errors({"container": 2}, requests=None),
            *(Kind.ERRORS, "2", "container 2", ""),
            id="a count where requests are not counted",
        ),
        pytest.param(
            told_errors({"container": 4}, requests=10, requests_at_least=True),
            *(Kind.ERRORS, "4", "container 4", "warn"),
            id="no share of requests that might be more",
        ),
        pytest.param(
            told_errors({"ingress": 12}, requests=3),
            *(Kind.ERRORS, "100 %", "ingress 12", "bad"),
            id="never more than all",
        ),
    ],
)
def test_what_a_row_says(
    errors: dict[str, Any] | None, kind: Kind, figure: str, made_by: str, tone: str
) -> None:
    said = row_errors(ServedModel(errors=errors))
    by = said.made_by.replace(NO_BREAK, " ")
    assert (said.kind, said.figure, by, said.tone) == (kind, figure, made_by, tone)


def test_the_details_tell_all_that_is_known() -> None:
    told = told_errors({"activator": 9, "container": 1, **UNTOLD}, requests=14, client_gone=2)
    said = row_errors(ServedModel(errors=told | {"at_least": ["activator"]})).details
    assert said == (
        "10 5xx of 14 requests in 5 minutes. activator ≥ 9, model container 1. 2 callers left first"
    )


def test_what_a_ready_model_has_not_answered_yet_is_under_way() -> None:
    waiting = ServedModel(ready=1, errors=told_errors(requests=0, in_flight=10.5))
    assert row_errors(waiting).figure == "11 under way"


@pytest.mark.django_db
def test_the_row_shows_share_hop_and_sparkline(admin: Client, now: object) -> None:
    make_cluster(now=now)
    told = told_errors({"activator": 12, "container": 2}, requests=280)
    make_model(errors=told, errors_spark=[[60, 0]] * 29 + [[56, 14]])
    html = page(admin)
    assert '<b class="warn">5.0 %</b>' in html
    assert ">activator 12 of 14</span>" in html.replace(NO_BREAK, " ")
    assert 'd="M0 17' in html
    assert "highest share of a minute in 30: 25 %" in html


@pytest.mark.django_db
def test_not_measured_and_no_traffic_are_told_apart(admin: Client, now: object) -> None:
    make_cluster(now=now)
    make_model("dark")
    make_model("quiet", errors=told_errors(requests=0), errors_spark=[[0, 0]] * 30)
    html = page(admin)
    assert html.count(">not measured<") == 1
    assert html.count(">no traffic<") == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "shown"),
    [
        pytest.param("/?errors=5xx", ["few", "most", "some"], id="with errors"),
        pytest.param("/?errors=5xx&state=Cold", [], id="with errors, and asleep"),
        pytest.param("/?sort=errors", ["most", "some", "few", "quiet", "dark"], id="by share"),
        pytest.param("/?errors=no", ["dark", "few", "most", "quiet", "some"], id="not understood"),
    ],
)
def test_filter_and_order(admin: Client, now: object, address: str, shown: list[str]) -> None:
    make_cluster(now=now)
    make_model("dark", rank=1)
    make_model("few", errors=told_errors({"ingress": 3}, share_5xx=None, requests=None), rank=2)
    make_model("most", errors=told_errors({"ingress": 500}), rank=3)
    make_model("quiet", errors=told_errors(requests=0, share_5xx=None), rank=4)
    make_model("some", errors=told_errors({"container": 5}), rank=5)
    found = names(page(admin, address))
    assert (found if "sort" in address else sorted(found)) == shown


@pytest.mark.django_db
def test_the_filter_stands_in_the_address_of_what_is_linked(admin: Client, now: object) -> None:
    make_cluster(now=now)
    make_model("some", errors=told_errors({"container": 5}))
    html = page(admin, "/?errors=5xx")
    assert re.search(r'<option value="5xx" selected>', html)
    assert "/?state=Warm&amp;errors=5xx" in html
    assert ">1 model on 1 cluster<" in html


@pytest.mark.django_db
def test_a_hop_that_is_no_hop_is_text(admin: Client, now: object) -> None:
    make_cluster(now=now)
    make_model(errors=told_errors({HOSTILE: 5}, at_least=[HOSTILE]))
    html = page(admin)
    assert "<img" not in html
    assert "&lt;img src=x" in html
