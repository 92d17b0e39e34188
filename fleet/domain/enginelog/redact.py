"""A line of a log made fit to be kept: no credentials, no prompts, not long."""

import re

KEPT_AT_MOST = 400
# What is looked at of a line.
RAW_AT_MOST = 4 * KEPT_AT_MOST
_GONE = "…"
# How a terminal is told to colour what follows.
COLOUR = re.compile(r"\x1b\[[0-9;]{0,16}m")
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    # Prompts and answers: what follows such a word is somebody's text.
    (
        re.compile(
            r"(?i)\b(prompts?|prompt_token_ids|messages|content|inputs?|input_(?:ids|value)|query"
            r"|text|output_text)(['\"]?\s{0,9}[:=]\s{0,9}['\"\[{(]).{0,16384}"
        ),
        r"\1\2" + _GONE,
    ),
    (re.compile(r"(?i)\b(prompts?\s{0,9}[:=]\s{0,9})[^\s'\"\[{(].{0,16384}"), r"\1" + _GONE),
    (
        re.compile(r"(?i)\b(authorization|(?:set-)?cookie)(['\"]?\s{0,9}[:=]).{1,16384}"),
        r"\1\2 " + _GONE,
    ),
    (re.compile(r"(://)(?:[^/\s@]{1,400}|[^/\s@:]{0,200}:[^\s@]{1,400})@"), r"\1" + _GONE + "@"),
    (re.compile(r"(\w{1,20}://[^\s?#'\"]{1,400})[?#][^\s'\"]{1,4000}"), r"\1?" + _GONE),
    (
        re.compile(r"(?i)\b(bearer|basic)(\s{0,3}[:=]|\s)\s{0,3}[\w.~+/=-]{6,4000}"),
        r"\1\2" + _GONE,
    ),
    # A list or a quoted value goes whole: vLLM's own arguments say api_key=['…'].
    (
        re.compile(
            r"(?i)([\w-]{0,40}(?:token|secret|passw(?:or)?d|pwd|passphrase|api[ _-]?key"
            r"|(?:access|account|auth|private|secret)[_-]?key(?:[_-]?id)?|credential|signature)"
            r"s?['\"]?\s{0,9}[:=]\s{0,9})"
            r"(?:([\[({])[^\])}]{1,4000}|(')[^']{1,4000}|(\")[^\"]{1,4000}|[^\s'\",;})]{3,4000})"
        ),
        r"\1\2\3\4" + _GONE,
    ),
    (
        re.compile(r"(?i)(--[\w-]{0,40}(?:token|key|secret|password)[\s=]{1,3})\S{1,4000}"),
        r"\1" + _GONE,
    ),
    (re.compile(r"(-----BEGIN [A-Z ]{0,40}KEY).{0,16384}"), r"\1 " + _GONE),
    (re.compile(r"\b(?:hf|sk|ghp|gho|glpat|xox[abp]|nvapi)[_-][\w-]{6,400}"), _GONE),
    (re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{12,20}\b"), _GONE),
    (re.compile(r"\beyJ[\w-]{8,4000}(?:\.[\w-]{1,4000}){0,2}"), _GONE),
    (re.compile(r"\b(?=\w{0,400}\d)[A-Za-z0-9+_]{32,4000}={0,2}"), _GONE),
)


def redacted(text: str) -> str:
    """What may be kept of a line: bounded, without secrets and without anybody's words."""
    if not text:
        return ""
    kept = text[:RAW_AT_MOST]
    # Before the rules: what nobody sees must not part a word from what follows it.
    if not kept.isprintable():
        kept = COLOUR.sub("", kept)
        kept = "".join(each if each.isprintable() else " " for each in kept)
    for pattern, instead in _RULES:
        kept = pattern.sub(instead, kept)
    kept = kept.strip()
    return kept if len(kept) <= KEPT_AT_MOST else kept[: KEPT_AT_MOST - 1] + _GONE
