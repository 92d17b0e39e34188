"""Why a model fails: rules over typed evidence, from evidence to findings, best first.

Entry points: `reading.bundle.evidence_from_bundle(mapping) -> Evidence` for raw JSON of any origin,
`diagnose.diagnose(evidence) -> tuple[Finding, ...]` for the answer, never empty: nothing wrong is
one finding `none`, nothing decided is `insufficient-evidence`. Both are pure, take their time from
the evidence and never raise for what they are given.
"""
