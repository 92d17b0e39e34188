"""Where a cluster's metrics are read, entered by an admin."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from fleet.errors import BadInput
from fleet.history.metrics_settings import MetricsPlace, checked_place
from fleet.models import Cluster

PROMETHEUS, PAGES, NONE = "prometheus", "pages", "none"


class MetricsForm(forms.Form):
    """Secrets go in and never come out: an empty field keeps what is kept."""

    source = forms.ChoiceField(
        label=_("Requests are counted from"),
        choices=(
            (PROMETHEUS, _("a Prometheus-compatible API")),
            (PAGES, _("metrics pages of pods")),
            (NONE, _("nothing")),
        ),
    )
    url = forms.CharField(
        required=False,
        max_length=500,
        label=_("URL"),
        help_text=_("As http://prometheus.monitoring:9090; without /api/v1."),
    )
    ca_pem = forms.CharField(
        required=False,
        max_length=60_000,
        label=_("CA certificate (PEM)"),
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=_("Empty: the CAs that this server trusts."),
    )
    headers = forms.CharField(
        required=False,
        max_length=4000,
        label=_("Headers"),
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text=_("One a line, as X-Scope-OrgID: team-a. No secrets: they are shown again."),
    )
    bearer = forms.CharField(
        required=False,
        max_length=8000,
        label=_("Token"),
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=_("Kept encrypted; never shown again."),
    )
    username = forms.CharField(required=False, max_length=200, label=_("or user name"))
    password = forms.CharField(
        required=False,
        max_length=2000,
        label=_("and password"),
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=_("Kept encrypted; never shown again."),
    )
    forget = forms.BooleanField(required=False, label=_("Forget the secret that is kept"))
    untried = forms.BooleanField(required=False, label=_("Keep it even if it does not answer now"))

    def clean(self) -> dict[str, Any]:
        """The whole is a place, and who we are there is one of the three."""
        asked: dict[str, Any] = super().clean() or self.cleaned_data
        if self.errors:
            return asked
        if asked["source"] == PROMETHEUS and not asked["url"].strip():
            raise forms.ValidationError(_("Say where it is."))
        if bool(asked["username"]) != bool(asked["password"]):
            raise forms.ValidationError(_("A user name and a password go together."))
        if asked["bearer"] and asked["username"]:
            raise forms.ValidationError(_("Either a token, or a user name and a password."))
        token = asked["bearer"].strip()
        if not token.isascii() or not token.isprintable():
            raise forms.ValidationError(_("The token has letters that no token has."))
        try:
            checked_place(self.place())
        except BadInput as error:
            raise forms.ValidationError(str(error)) from error
        return asked

    def place(self) -> MetricsPlace:
        """What was entered; raises BadInput for a line that is no header."""
        asked = self.cleaned_data
        if asked["source"] != PROMETHEUS:
            return MetricsPlace(pages=asked["source"] == PAGES)
        return MetricsPlace(
            url=asked["url"].strip(),
            ca_pem=asked["ca_pem"].strip(),
            headers=dict(_header(line) for line in asked["headers"].splitlines() if line.strip()),
        )

    def secret(self) -> dict[str, str] | None:
        """Who we are there; {} = nobody, None = as it is kept."""
        asked = self.cleaned_data
        if asked["bearer"]:
            return {"bearer": asked["bearer"].strip()}
        if asked["username"]:
            return {"username": asked["username"], "password": asked["password"]}
        return {} if asked["forget"] else None


def metrics_form(row: Cluster) -> MetricsForm:
    """The form as the cluster stands now."""
    source = PROMETHEUS if row.metrics_url or not row.metrics_pages else PAGES
    headers = "\n".join(f"{name}: {value}" for name, value in row.metrics_headers.items())
    kept = {
        "source": source,
        "url": row.metrics_url,
        "headers": headers,
        "ca_pem": row.metrics_ca_pem,
    }
    form = MetricsForm(initial=kept)
    if not row.metrics_secret:
        del form.fields["forget"]
    return form


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon:
        raise BadInput(f"header {line[:80]!r}: expected a name, a colon and a value")
    return name.strip(), value.strip()
