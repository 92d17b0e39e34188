"""Filters in the address."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from dashboard.views.fleet_query import FleetQuery, Sort
from fleet.domain.ledger.delta import State


@pytest.mark.parametrize(
    ("address", "again"),
    [
        pytest.param("", "", id="nothing asked, nothing said"),
        pytest.param("state=Failing", "state=Failing", id="a filter comes back"),
        pytest.param("state=failing", "state=Failing", id="letters' case aside"),
        pytest.param("state=Bogus&mode=x&sort=y", "", id="unknown values count as not said"),
        pytest.param("page=0", "", id="no page before the first"),
        pytest.param("page=-5", "", id="no page below it"),
        pytest.param("page=99999999999999999999", "", id="no absurd page"),
        pytest.param("page=٣", "", id="no foreign digits"),
        pytest.param("page=3&sort=worst", "page=3", id="the default order is left out"),
        pytest.param("q=%00a%20", "q=a", id="a text without zero bytes"),
        pytest.param("q=a%26b%3D%22", "q=a%26b%3D%22", id="a text with signs of addresses"),
        pytest.param("cluster=a&cluster=b", "cluster=b", id="the last of two"),
    ],
)
def test_an_address_read_and_written_again(address: str, again: str) -> None:
    assert FleetQuery.read(QueryDict(address)).address() == again


def test_a_change_keeps_the_other_filters() -> None:
    query = FleetQuery(cluster="a", state=State.WARM, sort=Sort.NAME, page=2)
    assert query.address(state=None, page=1) == "cluster=a&sort=name"
    assert query.filtered


def test_order_and_page_are_no_filters() -> None:
    assert not FleetQuery(sort=Sort.NAME, page=2).filtered
