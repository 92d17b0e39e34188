"""Forms for users, tokens and one-time links."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.utils.translation import gettext_lazy as _

from dashboard.access.rules import ORDER
from fleet.history.access import Reach

ROLE_CHOICES = [(role.value, role.value) for role in ORDER]
LASTS = {7: _("7 days"), 30: _("30 days"), 90: _("90 days"), 365: _("a year")}


class ReachForm(forms.Form):
    """A role and where it holds; an empty field means everywhere."""

    role = forms.ChoiceField(choices=ROLE_CHOICES, initial="viewer", label=_("Role"))
    clusters = forms.CharField(
        required=False,
        max_length=2000,
        label=_("Only these clusters"),
        help_text=_("Names with commas between; empty = all."),
    )
    namespaces = forms.CharField(
        required=False,
        max_length=2000,
        label=_("Only these namespaces"),
        help_text=_("Names with commas between; empty = all."),
    )

    def reach(self) -> Reach:
        return Reach(
            role=self.cleaned_data["role"],
            clusters=_names(self.cleaned_data["clusters"]),
            namespaces=_names(self.cleaned_data["namespaces"]),
        )


class UserForm(ReachForm):
    """A new user."""

    username = forms.CharField(
        max_length=150, validators=[UnicodeUsernameValidator()], label=_("Name")
    )
    field_order = ("username", "role", "clusters", "namespaces")


class TokenForm(ReachForm):
    """A new token of the person who asks."""

    name = forms.CharField(max_length=80, label=_("What it is for"))
    days = forms.TypedChoiceField(
        choices=list(LASTS.items()), coerce=int, initial=90, label=_("Works for")
    )
    field_order = ("name", "days", "role", "clusters", "namespaces")

    def lasts(self) -> timedelta:
        return timedelta(days=self.cleaned_data["days"])


class PasswordForm(forms.Form):
    """A password, typed twice, by the rules of the settings."""

    password = forms.CharField(
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        strip=False,
        max_length=200,
        label=_("Password"),
        help_text=_("At least 12 characters."),
    )
    again = forms.CharField(
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        strip=False,
        max_length=200,
        label=_("The same again"),
    )

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        validate_password(password)
        return password

    def clean(self) -> dict[str, Any]:
        typed = super().clean() or {}
        if typed.get("password") and typed["password"] != typed.get("again"):
            self.add_error("again", _("The two passwords differ."))
        return typed


class FirstAdminForm(PasswordForm):
    """The first admin: a name and a password."""

    username = forms.CharField(
        max_length=150, validators=[UnicodeUsernameValidator()], label=_("Name"), initial="admin"
    )
    field_order = ("username", "password", "again")

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=name).exists():
            raise forms.ValidationError(_("This name is taken."))
        return name


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
