"""Floors, ceilings, targets, and models that sleep."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from dashboard.lint_says.sentence import Sentence, param, without

SENTENCES: Mapping[str, tuple[Sentence, ...]] = {
    "PL008": (
        Sentence(
            _("A scaling annotation that nothing reads"),
            _(
                "%(key)s does nothing here: %(instead)s counts, and it is %(have)s. The annotation "
                "says %(wanted)s; the patch writes that where it counts."
            ),
        ),
    ),
    "PL009": (
        Sentence(
            _("A minimum of 0 that is 1"),
            _(
                "In Standard mode with an HPA KServe makes 1 of a minimum of 0 and says nothing: "
                "the model never sleeps, and holds its GPU."
            ),
        ),
    ),
    "PL010": (
        Sentence(
            _("Asleep, with nobody to wake it"),
            _(
                "In Standard mode no activator stands in front: at zero replicas a request fails "
                "at once with 503 and wakes nothing, unless an HTTP add-on of KEDA stands in its "
                "way."
            ),
        ),
    ),
    "PL011": (
        Sentence(
            _("The server gets fewer requests at once than it can batch"),
            _(
                "containerConcurrency is %(limit)s: the server batches many more at once. Further "
                "requests wait in front of it, and beyond %(waiting)s waiting they get 503 "
                "(pending request queue full)."
            ),
        ),
    ),
    "PL012": (
        Sentence(
            _("Replicas are added when the server has long been full"),
            _(
                "Another replica comes at %(aimed)s requests in flight; the server works on "
                "%(capacity)s at once (--max-num-seqs). Until then requests wait inside it."
            ),
            param("by", "max-num-seqs"),
        ),
        Sentence(
            _("Replicas are added when the KV cache may long be full"),
            _(
                "Another replica comes at %(aimed)s requests in flight; the KV cache holds "
                "%(capacity)s of full length. Shorter requests fit in greater number."
            ),
        ),
    ),
    "PL017": (
        Sentence(
            _("It sleeps in working hours"),
            _(
                "%(share_percent)s %% of its requests come on workdays between %(from_hour)s:00 "
                "and %(to_hour)s:00 UTC, and %(starts)s starts were waited for. Keep it awake in "
                "these hours: the patch asks it each minute."
            ),
        ),
    ),
    "PL018": (
        Sentence(
            _("It falls asleep between two warm-ups"),
            _(
                "%(job)s asks it every %(every_s)s, and it sleeps %(until_s)s after its last "
                "request: each warm-up pays for a whole start, and callers between two of them do "
                "so too. Ask each minute; a pause this long cannot be bridged."
            ),
            without("retention_min"),
        ),
        Sentence(
            _("It falls asleep between two warm-ups"),
            _(
                "%(job)s asks it every %(every_s)s, and it sleeps %(until_s)s after its last "
                "request: each warm-up pays for a whole start, and callers between two of them do "
                "so too. Ask more often, or keep the last replica for %(retention_min)s min."
            ),
        ),
    ),
    "PL019": (
        Sentence(
            _("Knative refuses these scales"),
            _(
                "%(by)s is %(value)s, which does not go with the minimum and maximum (%(max)s): "
                "Knative refuses the change, and no new revision is made."
            ),
            lambda finding: finding.severity == "error",
        ),
        Sentence(
            _("A higher minimum will be refused"),
            _(
                "%(by)s is %(value)s: raising the minimum to %(to)s is refused unless it is raised "
                "with it, which in an incident costs time."
            ),
        ),
    ),
    "PL029": (
        Sentence(
            _("Scaling is asked for and cannot happen"),
            _(
                "With a maximum of %(max)s an HPA stays at its minimum, %(min)s: in Standard mode "
                "0 does not mean without limit."
            ),
        ),
    ),
}
