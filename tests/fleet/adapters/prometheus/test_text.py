"""The text format, as tolerant as a reader has to be."""

import pytest

from fleet.adapters.prometheus.text import Sample, samples


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        pytest.param("a 1", Sample("a", {}, 1.0), id="no labels"),
        pytest.param('a{x="1"} 2', Sample("a", {"x": "1"}, 2.0), id="a label"),
        pytest.param('a{x="1",y=""} 2', Sample("a", {"x": "1"}, 2.0), id="an empty one is none"),
        pytest.param('a{x="1",} 2', Sample("a", {"x": "1"}, 2.0), id="a comma too many"),
        pytest.param('a{x="1"} 2e3 1796033000000', Sample("a", {"x": "1"}, 2000.0), id="a time"),
        pytest.param(r'a{x="b\"}\\\n"} 3', Sample("a", {"x": 'b"}\\\n'}, 3.0), id="escapes"),
        pytest.param('a{x="{y} z"} 3', Sample("a", {"x": "{y} z"}, 3.0), id="braces inside"),
        pytest.param("a +Inf", Sample("a", {}, float("inf")), id="infinity"),
        pytest.param("a{} 5", Sample("a", {}, 5.0), id="empty braces"),
    ],
)
def test_a_line(line: str, wanted: Sample) -> None:
    assert list(samples(f"# TYPE a counter\n{line}\nb 7\n", wanted={"a"})) == [wanted]


@pytest.mark.parametrize("line", ["a", "a x", 'a{x="1"}', 'a{x="1" 2', "# a 3", ""])
def test_a_line_that_cannot_be_read_is_left_out(line: str) -> None:
    assert list(samples(f"{line}\nb 1", wanted={"a", "b"}))[-1] == Sample("b", {}, 1.0)
