"""Pieces of PromQL.

Every count is exact for its window, first samples included (docs/metrics.md, "What is exact"):
`rate` and `increase` miss the first burst of every series and extrapolate.
"""

from collections.abc import Mapping, Sequence

from fleet.domain.requests.records import WINDOW_S

WINDOW = f"{WINDOW_S}s"
# How far back a counter's last value is looked for: the look-back of Prometheus itself.
BACK = "5m"
REGEX_SIGNS = frozenset(".+*?()[]{}|^$\\")


def exact(selector: str, targets: str, *, window: str = WINDOW) -> str:
    """How often each series moved in the window that ends now.

    A series that vanished in it still counts; one that fell began anew; one that appeared counts
    whole, unless its target is new here and its process is not: then nobody knows when it did.
    """
    now = f"last_over_time({selector}[{window}])"
    before = f"last_over_time({selector}[{BACK}] offset {window})"
    known = f"up{targets} offset {window} == 1"
    young = f"process_start_time_seconds{targets} > time() - 300"
    appeared = f"({now} and on (job, instance) ({known} or {young}))"
    return f"(({now} - {before} >= 0) or ({now} and {before}) or {appeared})"


def selector_of(metric: str, matchers: Mapping[str, str]) -> str:
    """A value that begins with "~" is a pattern, with "!" what it must not be."""
    parts = []
    for label, value in sorted(matchers.items()):
        sign = {"~": "=~", "!": "!="}.get(value[:1], "=")
        parts.append(f'{label}{sign}"{value[1:] if sign != "=" else value}"')
    return f"{metric}{{{','.join(parts)}}}" if parts else metric


def any_of(values: Sequence[str]) -> str:
    """A pattern for exactly these values."""
    return "|".join(_literal(value) for value in values)


def _literal(value: str) -> str:
    """Backslashes are doubled: the pattern stands in a quoted string."""
    escaped = "".join(f"\\\\{sign}" if sign in REGEX_SIGNS else sign for sign in value)
    return escaped.replace('"', '\\"').replace("\n", "\\n")
