"""A cluster added by page: server URL, CA and token only."""

from __future__ import annotations

from urllib.parse import urlsplit

from django import forms
from django.utils.translation import gettext_lazy as _

from fleet.errors import BadInput
from fleet.history.clusters import LONGEST, checked_name
from fleet.models import Cluster


class ClusterForm(forms.Form):
    """What is asked of a new cluster. Nothing else is taken: no exec plugin, no path, no proxy."""

    name = forms.CharField(max_length=LONGEST, label=_("Name"), help_text=_("a to z, 0 to 9 and -"))
    server = forms.CharField(
        max_length=500, label=_("Server URL"), help_text=_("https://host:6443")
    )
    namespaces = forms.CharField(
        required=False,
        max_length=2000,
        label=_("Only these namespaces"),
        help_text=_("Names with commas between; empty = all."),
    )
    ca_pem = forms.CharField(
        required=False,
        max_length=60_000,
        label=_("CA certificate (PEM)"),
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
        help_text=_("Empty: the CAs that this server trusts."),
    )
    token = forms.CharField(
        max_length=8000,
        label=_("Token of the reader's service account"),
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=_("Kept encrypted; never shown again."),
    )

    def clean_name(self) -> str:
        try:
            name = checked_name(self.cleaned_data["name"].strip())
        except BadInput as error:
            raise forms.ValidationError(str(error)) from error
        if Cluster.objects.present().filter(name=name).exists():
            raise forms.ValidationError(_("This name is taken."))
        return name

    def clean_server(self) -> str:
        text: str = self.cleaned_data["server"].strip().rstrip("/")
        if not _is_server(text):
            raise forms.ValidationError(_("Expected https:// with a host, and no name in it."))
        return text

    def clean_ca_pem(self) -> str:
        text: str = self.cleaned_data["ca_pem"].strip()
        if text and "-----BEGIN CERTIFICATE-----" not in text:
            raise forms.ValidationError(_("Expected a certificate in PEM."))
        return f"{text}\n" if text else ""

    def namespace_names(self) -> list[str]:
        return [n.strip() for n in self.cleaned_data["namespaces"].split(",") if n.strip()]


def _is_server(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        # Brackets that hold no address.
        return False
    named = parts.username or parts.password
    return bool(parts.scheme == "https" and parts.hostname and not named and not parts.query)
