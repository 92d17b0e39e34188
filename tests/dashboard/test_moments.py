"""A moment in a page: local time is the browser's work, UTC stands there already."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from dashboard.templatetags.pilotlight import moment, table_rows

AT = datetime(2026, 11, 30, 12, 0, 9, 120000, UTC)
WHOLE = '<time datetime="2026-11-30T12:00:09.120Z" data-form="{}" title="2026-11-30 12:00:09 UTC">'


@pytest.mark.parametrize(
    ("at", "form", "shown"),
    [
        pytest.param(AT, "short", "2026-11-30 12:00", id="short"),
        pytest.param(AT, "long", "2026-11-30 12:00", id="long: the browser adds the seconds"),
        pytest.param(AT, "clock", "12:00:09", id="clock"),
        pytest.param(AT.isoformat(), "short", "2026-11-30 12:00", id="the API's text"),
        pytest.param(
            AT.astimezone(timezone(timedelta(hours=9))),
            "short",
            "2026-11-30 12:00",
            id="a far zone",
        ),
    ],
)
def test_moment(at: datetime | str, form: str, shown: str) -> None:
    assert moment(at, form) == f"{WHOLE.format(form)}{shown} UTC</time>"


def test_a_form_that_there_is_not_is_the_short_one() -> None:
    assert 'data-form="short"' in moment(AT, '"><script>')


def test_what_is_not_known_is_a_dash() -> None:
    assert moment(None) == "–"


def test_rows_of_a_charts_table_are_escaped_and_have_a_head() -> None:
    hostile = '<img src=x onerror="a">'
    told = table_rows([(hostile, 3, None), (AT, "", "b & c")])
    assert told.startswith(
        '<tr><th scope="row">&lt;img src=x onerror=&quot;a&quot;&gt;</th>'
        '<td class="num right">3</td><td class="num right">–</td></tr><tr><th scope="row"><time '
    )
    assert told.endswith('<td class="num right">–</td><td class="num right">b &amp; c</td></tr>')
