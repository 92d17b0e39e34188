"""Time limits and metrics."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from dashboard.lint_says.sentence import Sentence, param, without
from fleet.domain.lint.records import LintFinding


def _not_knative(finding: LintFinding) -> bool:
    return finding.params.get("mode") != "Knative"


SENTENCES: Mapping[str, tuple[Sentence, ...]] = {
    "PL001": (
        Sentence(
            _("The progress deadline is shorter than a start"),
            _(
                "A start may take %(start_s)s; after %(limit_s)s without progress the update is "
                "marked as failed, though its pods go on loading. It cannot be set in this mode: "
                "shorten the start, and do not trust the mark."
            ),
            _not_knative,
        ),
        Sentence(
            _("The progress deadline is shorter than a start"),
            _(
                "A start may take %(start_s)s; after %(limit_s)s Knative declares a new revision "
                "failed and takes it to zero, in the middle of loading. No startup probe and no "
                "timeout changes that."
            ),
        ),
    ),
    "PL003": (
        Sentence(
            _("Whoever wakes the model is cut off before it is up"),
            _(
                "It sleeps when idle, and a start may take %(start_s)s; the first to give up is "
                "%(layer)s, after %(limit_s)s. A longer timeout elsewhere does not help. Retries "
                "of clients may find it up."
            ),
        ),
    ),
    "PL007": (
        Sentence(
            _("The startup probe waits longer than the progress deadline"),
            _(
                "The startup probe allows %(budget_s)s, the progress deadline %(limit_s)s: between "
                "the two a first rollout is declared failed while the probe still waits. How long "
                "starts take is not measured."
            ),
            without("start_s"),
        ),
        Sentence(
            _("Starts take more than half of a deadline that nobody chose"),
            _(
                "A start may take %(start_s)s, and the progress deadline stands at its default of "
                "%(limit_s)s: a full pull on a busy day passes it."
            ),
        ),
    ),
    "PL021": (
        Sentence(
            _("Request metrics are off"),
            _(
                "%(keys)s: off. Nobody can tell which hop answered a 5xx. Switching request "
                "metrics on replaces the pods of every model of the cluster: do it in a quiet hour."
            ),
            param("rolls", True),
        ),
        Sentence(
            _("Metrics of the activator and the autoscaler are off"),
            _(
                "%(keys)s: off. What the activator answers while a model wakes is not seen. The "
                "activator and the autoscaler read it at their start: restart them after the "
                "change."
            ),
        ),
    ),
    "PL023": (
        Sentence(
            _("The server closes connections that queue-proxy still uses"),
            _(
                "%(broken)s answers were broken off at queue-proxy (502). vLLM closes an idle "
                "connection after 5 s by default, sooner than the pool in front of it."
            ),
        ),
    ),
    "PL027": (
        Sentence(
            _("A timeout that Knative refuses"),
            _(
                "The timeout asked for is %(asked_s)s, the cluster accepts %(most_s)s at most: the "
                "change is refused, and no new revision is made."
            ),
        ),
    ),
    "PL028": (
        Sentence(
            _("Answers are cut off after a minute"),
            _(
                "No timeout is set, so that the gateway's route ends each answer after "
                "%(limit_s)s, streamed ones too."
            ),
        ),
    ),
}
