"""Findings and advice as they are kept, and back: plain JSON, codes and parameters, no sentence."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from fleet.domain.diagnosis.records import Cause, FaultPhase, Finding, Piece, Remedy
from fleet.domain.lint.profiles import Expectation, Met, Verdict
from fleet.domain.lint.records import Effect, LintFinding, Severity
from fleet.history.fitting import plain

PIECES_AT_MOST = 20
SAYS_AT_MOST = 300
PATCH_AT_MOST = 20_000
LEVELS = 6
Json = dict[str, Any]
E = TypeVar("E", bound=StrEnum)


def finding_json(finding: Finding) -> Json:
    """One finding."""
    kept: Json = plain(
        {
            "cause": finding.cause.value,
            "confidence": finding.confidence,
            "phase": finding.phase.value,
            "rule": finding.rule,
            "params": as_json(finding.params),
            "evidence": [_piece_json(piece) for piece in finding.evidence[:PIECES_AT_MOST]],
            "remedies": [remedy.value for remedy in finding.remedies],
        }
    )
    return kept


def _piece_json(piece: Piece) -> Json:
    return {
        "kind": piece.kind,
        "ref": piece.ref[:SAYS_AT_MOST],
        "says": piece.says[:SAYS_AT_MOST],
        "at": piece.at.isoformat() if piece.at else None,
    }


def finding_of(kept: Mapping[str, Any]) -> Finding:
    """What `finding_json` made; of an older release's codes, what this one knows."""
    return Finding(
        cause=_member(Cause, kept.get("cause")) or Cause.INSUFFICIENT_EVIDENCE,
        confidence=float(kept.get("confidence") or 0.0),
        phase=_member(FaultPhase, kept.get("phase")) or FaultPhase.NONE,
        rule=str(kept.get("rule", "")),
        evidence=tuple(_piece(each) for each in kept.get("evidence") or ()),
        remedies=tuple(_members(Remedy, kept.get("remedies") or ())),
        params=kept.get("params") or {},
    )


def _piece(kept: Mapping[str, Any]) -> Piece:
    at = kept.get("at")
    return Piece(
        kind=str(kept.get("kind", "")),
        ref=str(kept.get("ref", "")),
        says=str(kept.get("says", "")),
        at=datetime.fromisoformat(at) if at else None,
    )


def top_json(findings: Iterable[Mapping[str, Any]]) -> Json | None:
    """Of kept findings what the fleet row shows: the first, and how many there are; None without
    any."""
    known = list(findings)
    if not known:
        return None
    first = known[0]
    return {
        **{name: first[name] for name in ("cause", "confidence", "phase", "rule", "params")},
        "remedies": first["remedies"],
        "evidence_count": len(first["evidence"]),
        "count": len(known),
    }


def lint_json(finding: LintFinding) -> Json:
    """One advice."""
    kept: Json = plain(
        {
            "code": finding.code,
            "slug": finding.slug,
            "severity": finding.severity.value,
            "object": finding.object_ref,
            "field": finding.field,
            "params": as_json(finding.params),
            "measured": as_json(finding.measured),
            "patch": finding.patch[:PATCH_AT_MOST],
            "effect": finding.effect.value,
            "extra_gpus": finding.extra_gpus,
        }
    )
    return kept


def lint_of(kept: Mapping[str, Any]) -> LintFinding:
    """What `lint_json` made."""
    return LintFinding(
        code=str(kept.get("code", "")),
        slug=str(kept.get("slug", "")),
        severity=_member(Severity, kept.get("severity")) or Severity.ADVICE,
        object_ref=str(kept.get("object", "")),
        field=str(kept.get("field", "")),
        params=kept.get("params") or {},
        measured=kept.get("measured") or {},
        patch=str(kept.get("patch", "")),
        effect=_member(Effect, kept.get("effect")) or Effect.NONE,
        extra_gpus=kept.get("extra_gpus"),
    )


def verdict_json(verdict: Verdict) -> Json:
    """What a profile's expectation finds."""
    kept: Json = plain(
        {
            "expectation": verdict.expectation.value,
            "met": verdict.met.value,
            "params": as_json(verdict.params),
        }
    )
    return kept


def verdict_of(kept: Mapping[str, Any]) -> Verdict | None:
    """What `verdict_json` made; None for an expectation that this release does not know."""
    expectation = _member(Expectation, kept.get("expectation"))
    if expectation is None:
        return None
    return Verdict(
        expectation=expectation,
        met=_member(Met, kept.get("met")) or Met.UNKNOWN,
        params=kept.get("params") or {},
    )


def as_json(value: Any, levels: int = LEVELS) -> Any:
    """A parameter as JSON; what is no JSON becomes its text."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, StrEnum):
        return value.value
    if levels and isinstance(value, Mapping):
        return {str(name): as_json(each, levels - 1) for name, each in value.items()}
    if levels and isinstance(value, list | tuple | set | frozenset):
        return [as_json(each, levels - 1) for each in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)[: 4 * SAYS_AT_MOST]


def _member(members: type[E], value: object) -> E | None:
    return next((member for member in members if member.value == value), None)


def _members(members: type[E], values: Iterable[object]) -> list[E]:
    found = (_member(members, value) for value in values)
    return [member for member in found if member is not None]
