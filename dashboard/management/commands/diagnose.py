"""diagnose: why a model fails, from a file. Needs no cluster and no database.

A file that is no bundle ends it with exit code 2. With --jsonl a line that cannot be read is
answered by an object with `error`, in its place; the other lines are answered all the same.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.bundle_text import bundle_of
from dashboard.finding_words import summary_of
from dashboard.remedy_words import REMEDY_LABELS
from fleet.domain.diagnosis.diagnose import diagnose
from fleet.domain.diagnosis.reading.bundle import evidence_from_bundle
from fleet.domain.diagnosis.records import Finding
from fleet.errors import BadInput
from fleet.history.fitting import plain

LINE_AT_MOST = 64 * 1024 * 1024
BAD_INPUT = 2


class Command(BaseCommand):
    """Prints findings, best first, each with its evidence and remedies."""

    help = "Diagnose a model from a bundle of its objects, events, logs and metrics"
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """A bundle, or bundles one a line."""
        parser.add_argument(
            "bundle", nargs="?", type=Path, help="BUNDLE.json: one model's evidence"
        )
        parser.add_argument("--model", default="", help="which one, where kubectl printed several")
        parser.add_argument("--json", action="store_true", help="one JSON object")
        parser.add_argument("--jsonl", type=Path, help="FILE with a bundle a line")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, diagnose, print."""
        if (options["bundle"] is None) == (options["jsonl"] is None):
            raise CommandError("give BUNDLE.json, or --jsonl FILE", returncode=BAD_INPUT)
        if options["jsonl"] is not None:
            self._answer_lines(options["jsonl"])
            return
        answer = answer_to(_bundle(options["bundle"], model=options["model"]))
        for line in [json.dumps(answer)] if options["json"] else said(answer):
            self.stdout.write(line)

    def _answer_lines(self, path: Path) -> None:
        unread = 0
        for number, line in _lines(path):
            try:
                answer = answer_to(_object(line, number))
            except BadInput as error:
                answer = {"id": None, "line": number, "error": str(error)}
                unread += 1
            self.stdout.write(json.dumps(answer))
        if unread:
            self.stderr.write(f"{path}: {unread} lines could not be read, see `error`")


def answer_to(bundle: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of the contract, as plain JSON values."""
    called = bundle.get("id")
    findings = diagnose(evidence_from_bundle(bundle))
    return {
        "id": called if isinstance(called, str | int) else None,
        "findings": [finding_json(each) for each in findings],
    }


def finding_json(finding: Finding) -> dict[str, Any]:
    """One finding with its sentence."""
    return {
        "cause": finding.cause.value,
        "confidence": finding.confidence,
        "phase": finding.phase.value,
        "summary": summary_of(finding),
        "rule": finding.rule,
        "evidence": [
            {"kind": each.kind, "ref": each.ref, "says": each.says} for each in finding.evidence
        ],
        "remedies": [each.value for each in finding.remedies],
    }


def said(answer: Mapping[str, Any]) -> Iterator[str]:
    """An answer for people."""
    labels = {remedy.value: label for remedy, label in REMEDY_LABELS.items()}
    for each in answer["findings"]:
        yield f"{each['cause']} ({each['confidence']:.2g}, {each['phase']}): {each['summary']}"
        for piece in each["evidence"]:
            yield f"    {piece['kind']:<7}{piece['ref']}: {piece['says']}"
        for remedy in each["remedies"]:
            yield f"    - {remedy}: {labels[remedy]}"


def _bundle(path: Path, *, model: str) -> Mapping[str, Any]:
    """One bundle, or what kubectl printed."""
    try:
        text = _text(path)
        found = _plain(text)
        return bundle_of(text, model=model) if found is None else found
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}", returncode=BAD_INPUT) from error
    except BadInput as error:
        raise CommandError(f"{path}: {error}", returncode=BAD_INPUT) from error


def _text(path: Path) -> str:
    """Raises BadInput for what has no end, or is larger than any bundle."""
    with path.open(encoding="utf-8", errors="replace") as file:
        text = file.read(LINE_AT_MOST + 1)
    if len(text) > LINE_AT_MOST:
        raise BadInput(f"larger than {LINE_AT_MOST // 1024**2} MiB")
    return text


def _plain(text: str) -> Mapping[str, Any] | None:
    """The object of a file that holds one which is not of Kubernetes; None for anything else."""
    try:
        found = plain(json.loads(text))
    except (ValueError, RecursionError):
        return None
    kubernetes = isinstance(found, dict) and ("kind" in found or "items" in found)
    return found if isinstance(found, dict) and not kubernetes else None


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines that are not empty, with their numbers."""
    try:
        with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
            number = 0
            while line := file.readline(LINE_AT_MOST):
                number += 1
                if line.strip():
                    yield number, line
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}", returncode=BAD_INPUT) from error


def _object(line: str, number: int) -> Mapping[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"line {number} is not JSON: {error}"[:300]) from error
    if not isinstance(found, dict):
        raise BadInput(f"line {number} is not a JSON object")
    return found
