"""A bundle, pasted or as a file."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from dashboard.bundle_text import LARGEST_BYTES, Bundle, bundle_of
from fleet.errors import BadInput


class BundleForm(forms.Form):
    """One of both; nothing of it is kept."""

    text = forms.CharField(
        required=False,
        strip=False,
        label=_("Paste"),
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false"}),
        help_text=_("A bundle, or what kubectl get … -o json prints; up to 2 MB."),
    )
    file = forms.FileField(
        required=False,
        allow_empty_file=True,
        label=_("Or a file"),
        help_text=_("The same, up to 5 MB."),
    )

    model = forms.CharField(
        required=False,
        max_length=300,
        label=_("Which model"),
        help_text=_("Its name, where kubectl printed several."),
    )

    def clean(self) -> dict[str, Any]:
        """With `bundle`."""
        given = super().clean() or {}
        try:
            return {**given, "bundle": self._bundle(given)}
        except BadInput as error:
            raise forms.ValidationError(str(error)) from error

    def _bundle(self, given: dict[str, Any]) -> Bundle:
        file = given.get("file")
        if file is None:
            if not (given.get("text") or "").strip():
                raise forms.ValidationError(_("Paste something, or choose a file."))
            return bundle_of(given["text"], model=given.get("model", ""))
        if file.size > LARGEST_BYTES:
            raise forms.ValidationError(_("The file is larger than 5 MB."))
        try:
            return bundle_of(file.read().decode("utf-8-sig"), model=given.get("model", ""))
        except UnicodeDecodeError as error:
            raise forms.ValidationError(_("The file is no text in UTF-8.")) from error
