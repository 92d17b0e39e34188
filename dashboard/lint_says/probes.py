"""Probes."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from dashboard.lint_says.sentence import Sentence, param, without

SENTENCES: Mapping[str, tuple[Sentence, ...]] = {
    "PL002": (
        Sentence(
            _("The startup probe ends before the model is loaded"),
            _(
                "Loading may take %(start_s)s; the startup probe waits %(budget_s)s, then the "
                "kubelet kills the server, and the next one has no longer."
            ),
        ),
    ),
    "PL004": (
        Sentence(
            _("A liveness probe without a startup probe"),
            _(
                "The liveness probe counts from the container's start and kills after "
                "%(budget_s)s, whether or not the model is still loading. How long loading takes "
                "is not measured."
            ),
            without("start_s"),
        ),
        Sentence(
            _("A liveness probe without a startup probe"),
            _(
                "The liveness probe counts from the container's start and kills after "
                "%(budget_s)s; loading may take %(start_s)s."
            ),
        ),
    ),
    "PL005": (
        Sentence(
            _("Ready is judged by an open port"),
            _(
                "The readiness probe only opens a connection. The port stays open when the engine "
                "behind it is dead or hangs: the pod stays in rotation and answers 5xx. %(path)s "
                "asks the server."
            ),
            param("declared", True),
        ),
        Sentence(
            _("Ready is judged by an open port"),
            _(
                "No readiness probe is declared, so that an open port counts as ready. It stays "
                "open when the engine behind it is dead or hangs: the pod stays in rotation and "
                "answers 5xx. %(path)s asks the server."
            ),
        ),
    ),
    "PL006": (
        Sentence(
            _("The probe has no API key"),
            _(
                "%(path)s asks for the server's API key, and the kubelet sends none: it gets 401 "
                "and takes that for a failure (%(probes)s), so that the pod never becomes ready or "
                "is killed. /health asks for none and answers from the same moment on."
            ),
        ),
    ),
    "PL022": (
        Sentence(
            _("The server is up before anybody looks"),
            _(
                "The startup probe asks first after %(delay_s)s and then every %(period_s)s; "
                "%(lag_s)s of a start go by in the middle until the pod counts as ready. Asking "
                "every %(wanted_s)s costs nothing."
            ),
        ),
    ),
    "PL026": (
        Sentence(
            _("The liveness probe kills a server that only stalls"),
            _(
                "It waits %(timeout_s)s for an answer and kills within %(within_s)s of silence. "
                "One long prefill or compilation while serving takes longer, and a restart costs a "
                "whole load."
            ),
            param("probe", "livenessProbe"),
        ),
        Sentence(
            _("The readiness probe drops a server that only stalls"),
            _(
                "It waits %(timeout_s)s for an answer and takes the pod out of rotation within "
                "%(within_s)s of silence: a burst of long prompts empties the pool."
            ),
        ),
    ),
}
