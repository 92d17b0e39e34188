"""Weights, caches, updates and stops."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from dashboard.lint_says.sentence import Sentence

SENTENCES: Mapping[str, tuple[Sentence, ...]] = {
    "PL013": (
        Sentence(
            _("The weights are fetched for each start"),
            _(
                "Fetching takes %(fetch_s)s in the middle, %(share_percent)s %% of a start, and "
                "each new pod fetches again. The patch fills a volume once and serves from it."
            ),
        ),
    ),
    "PL014": (
        Sentence(
            _("Compiled graphs are thrown away"),
            _(
                "Compiling takes %(compile_s)s in the middle at each start that finds no compiled "
                "graphs, and no volume keeps them."
            ),
        ),
    ),
    "PL015": (
        Sentence(
            _("The server downloads the model itself"),
            _(
                "%(model)s is asked of the hub by the server at each start: no cache of the "
                "cluster is used, the hub's limits and outages are yours, and the log shows no "
                "progress."
            ),
        ),
    ),
    "PL016": (
        Sentence(
            _("An update needs a spare GPU, and none is free"),
            _(
                "The new pod starts before an old one stops: %(gpus)s more are needed, %(free)s "
                "are free. The update waits, the old pods serve on. The patch stops one first: "
                "with %(replicas)s of them, that one is missing while the new one loads."
            ),
            lambda finding: finding.params.get("free") is not None,
        ),
        Sentence(
            _("An update needs a spare GPU"),
            _(
                "The new pod starts before an old one stops: %(gpus)s more are needed. Where none "
                "is free the update waits for ever. The patch stops one first: with %(replicas)s "
                "of them, that one is missing while the new one loads."
            ),
        ),
    ),
    "PL020": (
        Sentence(
            _("The stop annotation was set back, not removed"),
            _(
                "serving.kserve.io/stop is %(value)s. The model runs, but the annotation is part "
                "of its pods: whoever changes it again makes an update of it. Remove it."
            ),
        ),
    ),
    "PL024": (
        Sentence(
            _("Too little shared memory for several GPUs"),
            _(
                "%(tensor_parallel)s GPUs speak through /dev/shm, which has 64 MiB unless a memory "
                "volume is mounted there: NCCL fails or is slow."
            ),
        ),
    ),
    "PL025": (
        Sentence(
            _("An image without a version"),
            _(
                "%(image)s names no version: the next pod or revision may run another vLLM than "
                "this one, and what was measured no longer holds."
            ),
        ),
    ),
    "PL030": (
        Sentence(
            _("Changes of this object do nothing"),
            _(
                "disable-auto-update is set: while the model is ready, a change is accepted and "
                "nothing happens, a higher minimum among them."
            ),
        ),
    ),
    "PL031": (
        Sentence(
            _("Pods go away in the middle of an answer"),
            _(
                "No preStop pause is set: a pod that is scaled away or replaced gets requests "
                "until the routes have heard of it, and ends those it has."
            ),
        ),
    ),
}
