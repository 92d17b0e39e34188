"""Plotly out of its package: the script, and a style sheet made from it."""

from __future__ import annotations

import pytest
from django.contrib.staticfiles import finders

from dashboard.charts.plotly_files import MAP_STYLE_ID, SCRIPT, package_data, style_rules


def test_the_style_sheet_holds_the_rules_of_the_installed_script() -> None:
    sheet = style_rules((package_data() / SCRIPT).read_text(encoding="utf-8"))
    assert sheet.count("{") > 40
    assert ".js-plotly-plot .plotly .main-svg {" in sheet
    assert "X " not in sheet
    assert ".plotly-notifier" in sheet


def test_the_style_of_maps_is_the_only_one_that_the_script_adds_by_itself() -> None:
    script = (package_data() / SCRIPT).read_text(encoding="utf-8")
    assert f'if(!document.getElementById("{MAP_STYLE_ID}"))' in script
    assert script.count('document.createElement("style")') == 2


def test_a_script_without_the_table_is_said_to_be_unknown() -> None:
    with pytest.raises(ValueError, match="no table of style rules"):
        style_rules("var x = 1;")


@pytest.mark.parametrize("name", ["plotly/plotly.min.js", "plotly/plotly.css"])
def test_both_files_are_found(name: str) -> None:
    assert finders.find(name)


@pytest.mark.parametrize("name", ["plotly/widgetbundle.js", "plotly/../plotly.min.js"])
def test_nothing_else_of_the_package_is(name: str) -> None:
    assert not finders.find(name)
