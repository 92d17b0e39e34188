"""From evidence to findings: all rules are asked, what others explain goes, roots come first."""

from fleet.domain.diagnosis.case import Case
from fleet.domain.diagnosis.claims import PIECES_AT_MOST, Claim
from fleet.domain.diagnosis.evidence import Evidence
from fleet.domain.diagnosis.order import in_order
from fleet.domain.diagnosis.records import Finding, Remedy
from fleet.domain.diagnosis.table import RULES
from fleet.domain.diagnosis.verdict import nothing_found
from fleet.domain.enginelog.redact import redacted

FINDINGS_AT_MOST = 5
PARAM_AT_MOST = 160


def diagnose(evidence: Evidence) -> tuple[Finding, ...]:
    """Why it fails, best first, never empty; the moment is `evidence.observed_at`."""
    case = Case(evidence)
    claims = [
        Claim(rule=rule, seen=seen) for rule in RULES if (seen := rule.sees(case)) is not None
    ]
    kept = in_order(claims)
    if not kept:
        return (nothing_found(case),)
    return tuple(_finding(claim) for claim in kept[:FINDINGS_AT_MOST])


def _finding(claim: Claim) -> Finding:
    rule, seen = claim.rule, claim.seen
    remedies: tuple[Remedy, ...] = tuple(dict.fromkeys((*seen.remedies, *rule.remedies)))
    return Finding(
        cause=rule.cause,
        confidence=round(min(max(seen.confidence, 0.0), 1.0), 2),
        phase=seen.phase or rule.phase,
        rule=rule.code,
        evidence=tuple(dict.fromkeys(seen.pieces))[:PIECES_AT_MOST],
        remedies=remedies,
        params={key: _bounded(value) for key, value in seen.params.items()},
    )


def _bounded(value: object) -> object:
    """Words of a cluster are hostile; figures are not."""
    return redacted(value)[:PARAM_AT_MOST] if isinstance(value, str) else value
