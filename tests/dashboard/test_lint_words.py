"""Every rule and every profile has its words and its page; no page is left over."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from dashboard.lint_says.sentence import Sentence
from dashboard.lint_words import (
    EFFECT_LABELS,
    SENTENCES,
    SEVERITY_LABELS,
    length_text,
    lint_words,
)
from dashboard.profile_words import ASKED, FOUND, MET_LABELS, PROFILE_LABELS, verdict_words
from fleet.domain.lint.measured import Measured
from fleet.domain.lint.profiles import Expectation, Met, Profile, Verdict
from fleet.domain.lint.records import Effect, Severity
from fleet.domain.lint.rules.rule import Rule
from fleet.domain.lint.table import RULES
from tests.fleet.domain.lint.objects import Raw, config, cron_job, isvc, linted, llm, took
from tests.fleet.domain.lint.test_patches import CASES
from tests.fleet.domain.lint.test_sleeping import OFFICE
from tests.tooling.tree import ROOT

PAGES = ROOT / "docs" / "rules"
CODES = [rule.code for rule in RULES]
QUICK = {"httpGet": {"path": "/"}, "periodSeconds": 1}
HUGE = Measured(total=took(700))
# Variants of sentences that no patch goes with.
MORE: list[tuple[str, list[Raw], Measured]] = [
    ("PL017", [isvc(minReplicas=0)], Measured(by_hour=OFFICE, from_zero=1)),
    ("PL018", [isvc(minReplicas=0), cron_job("0 6 * * *")], Measured()),
    ("PL025", [isvc({"image": "vllm/vllm-openai"})], Measured()),
    ("PL001", [isvc(mode="Standard")], HUGE),
    ("PL001", [llm()], HUGE),
    ("PL007", [isvc({"startupProbe": QUICK | {"failureThreshold": 900}})], Measured()),
    ("PL012", [isvc({"args": ["--max-num-seqs", "8"]})], Measured()),
    ("PL016", [isvc(mode="Standard")], Measured(free_gpus=0)),
    (
        "PL021",
        [
            isvc(),
            config(
                "config-observability",
                request_metrics_protocol="prometheus",
                metrics_protocol="none",
            ),
        ],
        Measured(),
    ),
    ("PL026", [isvc({"readinessProbe": QUICK})], Measured()),
]


@pytest.mark.parametrize(
    ("code", "objects", "measured"),
    [pytest.param(*case, id=f"{case[0]}-{at}") for at, case in enumerate([*CASES, *MORE])],
)
def test_a_finding_reads_as_a_sentence(
    code: str, objects: Sequence[Raw], measured: Measured
) -> None:
    said = lint_words(linted(objects, measured)[code])
    for text in (said.title, said.why, said.does):
        assert text
        assert not re.search(r"%\(|None|\[|\{", text)
    assert said.why.endswith(".")
    assert said.does.endswith(".")
    assert (ROOT / said.page).is_file()


def test_every_sentence_of_every_rule_is_read_above() -> None:
    read = {
        lint_words(linted(objects, measured)[code]).why[:40]
        for code, objects, measured in [*CASES, *MORE]
    }
    written = {str(each.why).split("%")[0][:40] for each in _sentences()}
    assert {start for start in written if not any(each.startswith(start) for each in read)} == set()


def _sentences() -> list[Sentence]:
    return [sentence for variants in SENTENCES.values() for sentence in variants]


def test_rules_words_and_pages_are_the_same() -> None:
    pages = {path.stem for path in PAGES.glob("PL*.md")}
    assert set(SENTENCES) == set(CODES) == pages


def test_codes_and_slugs_are_given_once() -> None:
    assert [f"PL{number:03d}" for number in range(1, len(RULES) + 1)] == CODES
    assert len({rule.slug for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_page_of_a_rule(rule: Rule) -> None:
    code, slug = rule.code, rule.slug
    page = (PAGES / f"{code}.md").read_text()
    assert page.startswith(f"# {code} ")
    assert f"`{slug}`" in page
    headings = re.findall(r"^## (.+)$", page, re.MULTILINE)
    assert headings == [
        "What",
        "Why",
        "How it is measured",
        "What to do",
        "What that does to what runs",
        "When to ignore it",
    ]
    assert f"[{code}]({code}.md) `{slug}`" in (PAGES / "README.md").read_text()


def test_closed_sets_have_words() -> None:
    assert set(SEVERITY_LABELS) == set(Severity)
    assert set(EFFECT_LABELS) == set(Effect)
    assert set(PROFILE_LABELS) == set(Profile)
    assert set(MET_LABELS) == set(Met)
    assert set(ASKED) == set(Expectation)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        pytest.param(4.25, "4.2 s", id="a fraction"),
        pytest.param(90, "90 s", id="under two minutes"),
        pytest.param(600, "10 min", id="whole minutes"),
        pytest.param(700.4, "11 min 40 s", id="minutes and seconds"),
    ],
)
def test_lengths_have_units(seconds: float, text: str) -> None:
    assert length_text(seconds) == text


def test_what_a_finding_rests_on_is_said() -> None:
    assert lint_words(linted([isvc()], HUGE)["PL001"]).rests_on == "p95 11 min 40 s, of 24 starts"
    stopped = isvc(notes={"serving.kserve.io/stop": "false"})
    assert lint_words(linted([stopped])["PL020"]).rests_on == ""


def test_gpus_that_it_takes_besides_are_said() -> None:
    assert "GPUs needed besides: 1." in lint_words(linted([isvc()], HUGE)["PL001"]).does


PARAMS = {
    "min": 1,
    "max": 3,
    "budget_s": 600.0,
    "start_s": 200.0,
    "limit_s": 300.0,
    "every_s": 60.0,
    "until_s": 90.0,
    "layer": "response-start",
    "source": "pvc",
    "share_percent": None,
    "aimed": 7.0,
    "capacity": 64,
}


@pytest.mark.parametrize("expectation", Expectation)
@pytest.mark.parametrize("met", Met)
def test_a_verdict_reads_as_a_sentence(expectation: Expectation, met: Met) -> None:
    variants = {because for asked, held, because in FOUND if (asked, held) == (expectation, met)}
    for because in variants or {""}:
        params = PARAMS | {"because": because}
        said = verdict_words(Verdict(expectation=expectation, met=met, params=params))
        assert said.found.endswith(".")
        assert said.truth.endswith(".")
        assert not re.search(r"%\(|None", said.found)


def test_a_verdict_that_is_not_known_says_so() -> None:
    said = verdict_words(Verdict(expectation=Expectation.MIN_ONE, met=Met.UNKNOWN))
    assert (said.met, said.found) == ("not known", "What was read does not tell.")
