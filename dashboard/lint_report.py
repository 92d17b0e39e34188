"""What lint found in files, for people, programs and a code host's annotations."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import ngettext

from dashboard.lint_words import SEVERITY_LABELS, lint_words
from dashboard.profile_words import PROFILE_LABELS, verdict_words
from fleet.domain.lint.profiles import Profile, Verdict
from fleet.domain.lint.records import LintFinding, Severity
from fleet.domain.lint.settings import Settings

# What a code host calls them. Source: docs.github.com, workflow commands.
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "notice"}


@dataclass(frozen=True, slots=True)
class Linted:
    """One model: where it stands, and what was found."""

    settings: Settings
    file: str
    line: int
    findings: Sequence[LintFinding]
    profile: Profile | None = None
    verdicts: Sequence[Verdict] = ()


def finding_json(finding: LintFinding) -> dict[str, Any]:
    """One finding as programs read it; the shape of docs/lint.md."""
    said = lint_words(finding)
    return {
        "code": finding.code,
        "slug": finding.slug,
        "severity": finding.severity.value,
        "object": finding.object_ref,
        "field": finding.field,
        "title": said.title,
        "why": said.why,
        "params": dict(finding.params),
        "measured": dict(finding.measured),
        "patch": finding.patch,
        "effect": finding.effect.value,
        "extra_gpus": finding.extra_gpus,
        "docs": said.page,
    }


def profile_json(profile: Profile | None, verdicts: Sequence[Verdict]) -> dict[str, Any] | None:
    """A profile and its verdicts as programs read them; None without a profile."""
    if profile is None:
        return None
    told = [
        {
            "expectation": verdict.expectation.value,
            "met": verdict.met.value,
            "params": dict(verdict.params),
            "asks": said.asks,
            "found": said.found,
            "truth": said.truth,
        }
        for verdict in verdicts
        for said in [verdict_words(verdict)]
    ]
    return {"name": profile.value, "verdicts": told}


def as_json(linted: Sequence[Linted]) -> Iterator[str]:
    models = [
        {
            "model": str(each.settings.ref),
            "mode": each.settings.mode.value,
            "mode_stated": each.settings.mode_stated,
            "file": each.file,
            "line": each.line,
            "findings": [finding_json(finding) for finding in each.findings],
            "profile": profile_json(each.profile, each.verdicts),
        }
        for each in linted
    ]
    yield json.dumps({"models": models, "counts": counts(linted)}, indent=2)


def counts(linted: Sequence[Linted]) -> dict[str, int]:
    """How many of each severity, those without any too."""
    found = Counter(finding.severity for each in linted for finding in each.findings)
    return {severity.value: found[severity] for severity in Severity}


def as_text(linted: Sequence[Linted]) -> Iterator[str]:
    for each in linted:
        mode = each.settings.mode.value + ("" if each.settings.mode_stated else ", not stated")
        clean = "" if each.findings else ": nothing to say"
        yield f"{each.file}:{each.line}: {each.settings.ref} ({mode}){clean}"
        for finding in each.findings:
            yield from _lines(finding)
        if each.profile is not None:
            yield from _profile_lines(each.profile, each.verdicts)
    summed = ", ".join(f"{count} {name}" for name, count in counts(linted).items())
    models = ngettext("%(n)d model", "%(n)d models", len(linted)) % {"n": len(linted)}
    yield f"{models}: {summed}"


def _lines(finding: LintFinding) -> Iterator[str]:
    said = lint_words(finding)
    yield f"  {finding.code} {SEVERITY_LABELS[finding.severity]}: {said.title}"
    yield f"    {said.why}"
    if said.rests_on:
        yield f"    Measured: {said.rests_on}."
    if finding.patch:
        yield f"    {said.does}"
        yield from (f"      | {line}" for line in finding.patch.splitlines())
    yield f"    {said.page}"


def _profile_lines(profile: Profile, verdicts: Sequence[Verdict]) -> Iterator[str]:
    yield f"  profile: {PROFILE_LABELS[profile]}"
    for verdict in verdicts:
        said = verdict_words(verdict)
        yield f"    {said.met}: {said.asks}. {said.found}"
        yield f"      {said.truth}"


def as_github(linted: Sequence[Linted]) -> Iterator[str]:
    """Workflow commands: one line each."""
    for each in linted:
        for finding in each.findings:
            said = lint_words(finding)
            where = f"file={_property(each.file)},line={each.line}"
            title = _property(f"{finding.code} {said.title}")
            message = _message(f"{finding.object_ref}: {said.why} {said.page}")
            yield f"::{LEVELS[finding.severity]} {where},title={title}::{message}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


FORMATS: Mapping[str, Callable[[Sequence[Linted]], Iterator[str]]] = {
    "text": as_text,
    "json": as_json,
    "github": as_github,
}
