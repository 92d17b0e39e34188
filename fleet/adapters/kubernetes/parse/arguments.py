"""Command lines and addresses as they are kept: bounded, without the secrets that people put there.

vLLM takes its API keys by `--api-key`, and shells set tokens in front of a command. Nothing of them
is needed to tell what runs.
"""

import re
import sys
from collections.abc import Sequence
from functools import lru_cache

ARGUMENT_LENGTH = 512
ARGUMENTS_AT_MOST = 64
ADDRESS_LENGTH = 1024
HIDDEN = "…"
_NAME = r"(?:[\w-]{0,60}[_-])?(?:key|token|secret|password)"
# The word before a secret; vLLM's own flag takes several.
_FLAG = re.compile(rf"--?{_NAME}", re.IGNORECASE)
# name=value, "name": "value", --name value, ://user:password@
_INSIDE = re.compile(
    rf"((?<![A-Za-z]){_NAME}[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"']?|--{_NAME}\s{{1,3}}[\"']?|://)"
    r"(?:(?<=://)[^/\s@]{1,400}(?=@)|(?<!://)[^\s\"',}]{1,512})",
    re.IGNORECASE,
)


def arguments_of(line: Sequence[str]) -> tuple[str, ...]:
    """At most ARGUMENTS_AT_MOST words; a secret reads HIDDEN."""
    kept: list[str] = []
    secret = False
    for word in line[:ARGUMENTS_AT_MOST]:
        if secret and not word.startswith("-"):
            kept.append(HIDDEN)
            continue
        shown, secret = _word(word[:ARGUMENT_LENGTH])
        kept.append(shown)
    return tuple(kept)


@lru_cache(maxsize=4096)
def _word(text: str) -> tuple[str, bool]:
    """The word as it is kept, and whether a secret follows. Pods of one model repeat their words:
    each is looked at once and kept once."""
    return sys.intern(without_secrets(text)), _FLAG.fullmatch(text) is not None


def without_secrets(text: str) -> str:
    """The text with every secret in it HIDDEN."""
    return _INSIDE.sub(rf"\1{HIDDEN}", text)


def address_of(text: str | None) -> str:
    """Where weights lie, "" for null: without its query, which signs the address for whoever holds
    it, and without a password."""
    return without_secrets((text or "")[:ADDRESS_LENGTH].partition("?")[0])
