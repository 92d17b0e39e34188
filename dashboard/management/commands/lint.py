"""lint: advice on the settings in manifests. Needs no cluster and no database."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.conf import settings as project
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import ngettext

from dashboard.lint_report import FORMATS, Linted
from dashboard.manifests import STDIN, Document, documents_of
from fleet.domain.lint.measured import Measured
from fleet.domain.lint.profiles import Profile, judge, profile_of
from fleet.domain.lint.reading.raw import text
from fleet.domain.lint.reading.settings_of import settings_from_objects
from fleet.domain.lint.reading.world import flat, name_of, namespace_of
from fleet.domain.lint.records import Severity
from fleet.domain.lint.settings import Settings
from fleet.domain.lint.table import WORST_FIRST, lint
from fleet.domain.lint.told import measured_by_model, measured_of
from fleet.domain.records.keys import Mode
from fleet.errors import BadInput

# Findings, and what could not be read.
FOUND, UNREADABLE = 1, 2


class Command(BaseCommand):
    """Ends with 0 where nothing reaches --fail-on, else 1; with 2 if a file cannot be read."""

    help = "Check the settings of models in Kubernetes manifests (YAML or JSON, - for stdin)"
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The files, what is known besides, and how to print."""
        parser.add_argument("files", nargs="+", metavar="FILE")
        parser.add_argument("--format", choices=tuple(FORMATS), default="text")
        parser.add_argument("--json", action="store_true", help="as --format json")
        severities = [severity.value for severity in Severity]
        parser.add_argument("--fail-on", choices=severities, default=Severity.WARNING.value)
        parser.add_argument(
            "--measured",
            action="append",
            default=[],
            metavar="FILE",
            help="answers of the API: a model, or its cold starts; may be repeated",
        )
        modes = [Mode.KNATIVE.value, Mode.STANDARD.value]
        parser.add_argument("--mode", choices=modes, default=modes[0], help="where none is said")
        parser.add_argument(
            "--ingress-timeout", type=float, metavar="S", help="idle limit of a load balancer"
        )
        profiles = [profile.value for profile in Profile]
        parser.add_argument("--profile", choices=profiles, help="else the one its label names")
        parser.add_argument(
            "--all", action="store_true", help="also what is not taken for vLLM by its manifest"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Read everything, then print; what cannot be read ends it before anything is printed."""
        try:
            documents = [each for file in options["files"] for each in documents_of(file)]
            linted = self._lint(documents, options)
        except BadInput as error:
            raise CommandError(str(error), returncode=UNREADABLE) from error
        form = "json" if options["json"] else options["format"]
        for line in FORMATS[form](linted):
            self.stdout.write(line)
        limit = WORST_FIRST.index(Severity(options["fail_on"]))
        over = [f for each in linted for f in each.findings if _rank(f.severity) <= limit]
        if over:
            found = ngettext("%(n)d finding", "%(n)d findings", len(over)) % {"n": len(over)}
            raise CommandError(f"{found} at or above {options['fail_on']}", returncode=FOUND)

    def _lint(self, documents: Sequence[Document], options: dict[str, Any]) -> list[Linted]:
        found = settings_from_objects(
            [document.value for document in documents],
            default_mode=Mode(options["mode"]),
            profile_label=project.PROFILE_LABEL,
            ingress_s=options["ingress_timeout"],
        )
        taken = [each for each in found if each.is_vllm or options["all"]]
        self._say_what_is_left(found, taken)
        measured = measured_by_model(
            document.value for file in options["measured"] for document in documents_of(file)
        )
        places = _places(documents)
        wanted = options["profile"]
        return [
            _linted(
                each,
                places.get(str(each.ref), (STDIN, 1)),
                measured_of(each.ref, measured),
                profile=profile_of(wanted or each.profile),
            )
            for each in taken
        ]

    def _say_what_is_left(self, found: Sequence[Settings], taken: Sequence[Settings]) -> None:
        if not found:
            self.stderr.write("no InferenceService or LLMInferenceService in what was given")
        for each in found:
            if each not in taken:
                self.stderr.write(f"left out {each.ref}: nothing says that it serves vLLM (--all)")


def _linted(
    settings: Settings, place: tuple[str, int], measured: Measured, *, profile: Profile | None
) -> Linted:
    verdicts = () if profile is None else judge(profile, settings, measured)
    return Linted(settings, *place, lint(settings, measured), profile, verdicts)


def _rank(severity: Severity) -> int:
    return WORST_FIRST.index(severity)


def _places(documents: Sequence[Document]) -> dict[str, tuple[str, int]]:
    """Where each model's document begins: the first, if it is given twice."""
    found: dict[str, tuple[str, int]] = {}
    for document in documents:
        for raw in flat([document.value]):
            named = f"{text(raw.get('kind'))}/{namespace_of(raw)}/{name_of(raw)}"
            found.setdefault(named, (document.file, document.line))
    return found
