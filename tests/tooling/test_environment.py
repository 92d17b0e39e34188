"""Settings: typed, from the environment or a file, and wrong ones stop the start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from dashboard import settings_table as given
from dashboard.environment import Setting


@pytest.mark.parametrize(
    ("setting", "text", "value"),
    [
        pytest.param(given.HTTPS, "Yes", True, id="a flag in any case"),
        pytest.param(given.HTTPS, "0", False, id="a flag that is off"),
        pytest.param(given.CONTEXTS, "a, b,,c ", ("a", "b", "c"), id="words lose blanks"),
        pytest.param(given.CONTEXTS, "", (), id="no words"),
        pytest.param(given.UNKNOWN_AFTER_S, "2.5", 2.5, id="seconds may be broken"),
        pytest.param(given.SIGN_IN_ATTEMPTS, "3", 3, id="a count"),
        pytest.param(given.FAILING_SHARE, "1", 1.0, id="a share"),
        pytest.param(given.LOG_LEVEL, "DEBUG", "DEBUG", id="a level"),
        pytest.param(given.DATABASE_URL, "postgres://h/d", "postgres://h/d", id="PostgreSQL"),
    ],
)
def test_a_given_value_is_typed(setting: Setting[Any], text: str, value: object) -> None:
    assert setting.read({setting.name: text}) == value


@pytest.mark.parametrize(
    ("setting", "text", "expected"),
    [
        pytest.param(given.HTTPS, "maybe", "one of 1, true", id="not a flag"),
        pytest.param(given.UNKNOWN_AFTER_S, "0", "above 0", id="zero seconds"),
        pytest.param(given.UNKNOWN_AFTER_S, "nan", "above 0", id="no number of seconds"),
        pytest.param(given.SIGN_IN_ATTEMPTS, "1.5", "a whole number", id="a broken count"),
        pytest.param(given.FAILING_SHARE, "50", "a share above 0", id="per cent"),
        pytest.param(given.LOG_LEVEL, "debug", "one of DEBUG", id="a level in small letters"),
    ],
)
def test_a_wrong_value_stops_the_start_and_says_what_was_expected(
    setting: Setting[Any], text: str, expected: str
) -> None:
    with pytest.raises(ImproperlyConfigured) as caught:
        setting.read({setting.name: text})
    assert f"{setting.name}={text!r}" in str(caught.value)
    assert expected in str(caught.value)


@pytest.mark.parametrize("setting", [given.DATABASE_URL, given.REDIS_URL], ids=lambda s: s.name)
def test_a_wrong_secret_is_named_but_not_shown(setting: Setting[Any]) -> None:
    with pytest.raises(ImproperlyConfigured) as caught:
        setting.read({setting.name: "hunter2://pw"})
    assert setting.name in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_a_value_may_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("from-a-file\n")
    environ = {"PILOTLIGHT_READER_KEY_FILE": str(tmp_path / "key")}
    assert given.READER_KEY.read(environ) == "from-a-file"


def test_a_short_key_to_sign_with_stops_the_start() -> None:
    with pytest.raises(ImproperlyConfigured, match="at least 50 characters") as caught:
        given.SECRET_KEY.read({"PILOTLIGHT_SECRET_KEY": "hunter2"})
    assert "hunter2" not in str(caught.value)


def test_a_missing_file_stops_the_start(tmp_path: Path) -> None:
    environ = {"PILOTLIGHT_SECRET_KEY_FILE": str(tmp_path / "absent")}
    with pytest.raises(ImproperlyConfigured, match="PILOTLIGHT_SECRET_KEY_FILE"):
        given.SECRET_KEY.read(environ)


@pytest.mark.parametrize("setting", given.SETTINGS, ids=lambda s: s.name)
def test_every_default_is_a_right_value(setting: Setting[Any]) -> None:
    setting.read({})


def test_every_setting_is_in_the_table_once_and_is_read() -> None:
    declared = [value for value in vars(given).values() if isinstance(value, Setting)]
    assert sorted(s.name for s in declared) == sorted(s.name for s in given.SETTINGS)
    text = Path("dashboard/settings.py").read_text()
    names = [name for name, value in vars(given).items() if isinstance(value, Setting)]
    assert [name for name in names if f"given.{name}.read()" not in text] == []
