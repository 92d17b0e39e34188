"""`make docs`: write the parts of the documents that are made from code."""

from __future__ import annotations

from dashboard.settings_table import as_markdown
from tests.tooling.test_docs import END, START
from tests.tooling.tree import ROOT


def main() -> None:
    """Put the table of settings into README."""
    readme = ROOT / "README.md"
    text = readme.read_text()
    before, rest = text.split(START)
    after = rest.split(END, 1)[1] if END in rest else rest.split(END.strip("\n"), 1)[1]
    readme.write_text(f"{before}{START}{as_markdown()}{END}{after}")


if __name__ == "__main__":
    main()
