"""Selectors from matchers, whatever the labels of a cluster hold."""

import pytest

from fleet.adapters.prometheus.promql import any_of, selector_of


@pytest.mark.parametrize(
    ("matchers", "wanted"),
    [
        pytest.param({}, "calls", id="none"),
        pytest.param({"job": "a"}, 'calls{job="a"}', id="a value"),
        pytest.param({"job": "~a|b"}, 'calls{job=~"a|b"}', id="a pattern"),
        pytest.param({"job": "!a"}, 'calls{job!="a"}', id="what it must not be"),
        pytest.param({"b": "2", "a": "1"}, 'calls{a="1",b="2"}', id="always in the same order"),
        pytest.param({"tag": ""}, 'calls{tag=""}', id="without the label"),
    ],
)
def test_selector(matchers: dict[str, str], wanted: str) -> None:
    assert selector_of("calls", matchers) == wanted


@pytest.mark.parametrize(
    ("values", "pattern"),
    [
        pytest.param(["a", "b"], "a|b", id="either"),
        pytest.param(["a.b/c"], r"a\\.b/c", id="signs of patterns are plain, twice quoted"),
        pytest.param(['x"} or up{a="'], r"x\"\\} or up\\{a=\"", id="no way out of the quotes"),
    ],
)
def test_any_of(values: list[str], pattern: str) -> None:
    assert any_of(values) == pattern
