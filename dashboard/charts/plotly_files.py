"""Plotly's browser library and its style sheet, served out of the installed package.

Under a policy without inline styles Plotly's own style element is refused and charts fall apart.
Its rules are therefore read out of the library once and served as a file; a link with the id that
Plotly looks for keeps it from making the element (plotly.js src/lib/dom.js, addStyleRule).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

SCRIPT = "plotly.min.js"
STYLES = "plotly.css"
FOLDER = "plotly"
# The script adds a style element for its maps, unless one of this id is there: we have no maps, and
# the policy would refuse it. Source: plotly.js 4.1.1, its bundled copy of maplibre-gl.css.
MAP_STYLE_ID = "9f215cf04c5486422605d13261cb87401f4e7763b6296af81e98efbc0130da53"
# The table of rules as the bundler leaves it: selectors with X and Y standing for class names.
RULES = re.compile(r'\{"X,X div":.*?\};')
RULE = re.compile(r"""("[^"]*"|'[^']*'):("[^"]*"|'[^']*')""")


@cache
def package_data() -> Path:
    """Where the package keeps its files; found without importing it (an import costs 20 MB)."""
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("the package plotly is not installed")
    return Path(spec.origin).parent / "package_data"


def style_rules(script: str) -> str:
    """Plotly's style sheet, out of its own script. ValueError when the table is not there."""
    table = RULES.search(script)
    if table is None:
        raise ValueError("the plotly script holds no table of style rules as known")
    return "\n".join(
        f"{_selector(selector[1:-1])} {{{body[1:-1]}}}"
        for selector, body in RULE.findall(table.group())
    )


def _selector(short: str) -> str:
    return short.replace("X", ".js-plotly-plot .plotly").replace("Y", ".plotly-notifier")


def generated_folder() -> Path:
    """The state folder's copy of the style sheet, made again when the package is newer."""
    folder = Path(settings.STATE_DIR) / "generated" / FOLDER
    script, styles = package_data() / SCRIPT, folder / STYLES
    if not styles.exists() or styles.stat().st_mtime < script.stat().st_mtime:
        folder.mkdir(parents=True, exist_ok=True)
        styles.write_text(style_rules(script.read_text(encoding="utf-8")))
    return folder


class PlotlyFinder(BaseFinder):
    """Two static files: the script of the package and the style sheet made from it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.places = {SCRIPT: package_data(), STYLES: generated_folder()}
        super().__init__(*args, **kwargs)

    def check(self, **kwargs: Any) -> list[Any]:
        return []

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:
        folder, _, name = path.rpartition("/")
        found = str(self.places[name] / name) if folder == FOLDER and name in self.places else None
        if find_all or kwargs.get("all"):
            return [found] if found else []
        return found or []

    def list(self, ignore_patterns: Any) -> Iterator[tuple[str, FileSystemStorage]]:
        for name, folder in self.places.items():
            storage = FileSystemStorage(location=folder)
            # Django puts it before the name when it lists or collects.
            storage.prefix = FOLDER  # type: ignore[attr-defined]
            yield name, storage
