"""Every setting that the environment may give: one table, typed readers.

A wrong value stops the start with the name, the value and what was expected. Each setting
is also read from the file that `NAME_FILE` names (for secrets mounted as files).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from django.core.exceptions import ImproperlyConfigured

T = TypeVar("T")
TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
# What Django's own deploy check asks for.
SHORTEST_KEY = 50
FALSE_WORDS = frozenset({"0", "false", "no", "off"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[T]):
    """How the text of one setting becomes a value; `expects` ends the error's sentence."""

    parse: Callable[[str], T]
    expects: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Generic[T]):
    """One row of the settings table. `default` is text, parsed like a given value."""

    name: str
    kind: Kind[T]
    default: str
    says: str
    secret: bool = False

    def read(self, environ: Mapping[str, str] = os.environ) -> T:
        """The typed value; ImproperlyConfigured when the text does not fit."""
        text = _given(self.name, environ)
        try:
            return self.kind.parse(self.default if text is None else text)
        except ValueError:
            shown = "(not shown)" if self.secret else repr(text)
            raise ImproperlyConfigured(
                f"{self.name}={shown}: expected {self.kind.expects}"
            ) from None


def _given(name: str, environ: Mapping[str, str]) -> str | None:
    """The text of `name`, else of the file `name_FILE` names; None when neither is set."""
    if name in environ:
        return environ[name]
    path = environ.get(f"{name}_FILE")
    if path is None:
        return None
    try:
        return Path(path).read_text().strip()
    except OSError as error:
        raise ImproperlyConfigured(
            f"{name}_FILE={path!r}: expected a readable file ({error.strerror})"
        ) from None


def _flag(text: str) -> bool:
    word = text.strip().lower()
    if word in TRUE_WORDS:
        return True
    if word in FALSE_WORDS:
        return False
    raise ValueError(text)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _above_zero(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise ValueError(text)
    return number


def _share(text: str) -> float:
    number = float(text)
    if not 0 < number <= 1:
        raise ValueError(text)
    return number


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _level(text: str) -> str:
    if text not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
        raise ValueError(text)
    return text


def _database(text: str) -> str:
    if text and not text.startswith(("sqlite:", "postgres:", "postgresql:")):
        raise ValueError(text)
    return text


def _redis(text: str) -> str:
    if text and not text.startswith(("redis://", "rediss://")):
        raise ValueError(text)
    return text


def _signing_key(text: str) -> str:
    if text and len(text) < SHORTEST_KEY:
        raise ValueError(text)
    return text


FLAG = Kind(parse=_flag, expects="one of 1, true, yes, on, 0, false, no, off")
TEXT = Kind(parse=str, expects="text")
SIGNING_KEY = Kind(parse=_signing_key, expects=f"at least {SHORTEST_KEY} characters")
WORDS = Kind(parse=_words, expects="words with commas between")
PATH = Kind(parse=Path, expects="a path")
SECONDS = Kind(parse=_above_zero, expects="a number of seconds above 0")
SHARE = Kind(parse=_share, expects="a share above 0, at most 1")
COUNT = Kind(parse=_count, expects="a whole number, at least 1")
LEVEL = Kind(parse=_level, expects="one of DEBUG, INFO, WARNING, ERROR")
DATABASE = Kind(parse=_database, expects="a URL like sqlite:///path or postgres://user:pw@host/db")
REDIS = Kind(parse=_redis, expects="a URL like redis://:pw@host:6379/0 or rediss://…")
