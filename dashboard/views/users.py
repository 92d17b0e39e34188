"""Users: roles and scopes. Admins over everything only."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from dashboard.access.requests import require
from dashboard.access.rules import Role
from dashboard.forms.access import ReachForm, UserForm
from dashboard.views.deeds import deed_of
from fleet.errors import BadInput
from fleet.history.access import Deed, add_user, password_link, set_active, set_reach


def users(request: HttpRequest) -> HttpResponse:
    """All users; a new one is given a link to set a password."""
    require(request, Role.ADMIN)
    return _page(request, UserForm())


@require_POST
def user_add(request: HttpRequest) -> HttpResponse:
    """A user with a role; the page shows the link to hand over, once."""
    require(request, Role.ADMIN)
    form = UserForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    try:
        user = add_user(form.cleaned_data["username"], form.reach(), deed_of(request))
    except BadInput as error:
        form.add_error(None, str(error))
        return _page(request, form, status=422)
    return _page(request, UserForm(), link=_link(request, user), user=user)


@require_POST
def user_change(request: HttpRequest, pk: int) -> HttpResponse:
    """Another role or scope, let in, keep out, or a new link: the button's value says which."""
    require(request, Role.ADMIN)
    user = get_object_or_404(User, pk=pk)
    if request.POST.get("do") == "link":
        return _page(request, UserForm(), link=_link(request, user), user=user)
    try:
        _change(request, user)
    except BadInput as error:
        messages.error(request, str(error))
    return redirect("users")


def _change(request: HttpRequest, user: User) -> None:
    do = SWITCHES.get(request.POST.get("do", ""))
    if do is not None:
        do(user, deed_of(request))
        return
    form = ReachForm(request.POST)
    if not form.is_valid():
        raise BadInput(_("This is no role: nothing was changed."))
    set_reach(user, form.reach(), deed_of(request))


SWITCHES: dict[str, Callable[[User, Deed], None]] = {
    "activate": lambda user, deed: set_active(user, deed, active=True),
    "deactivate": lambda user, deed: set_active(user, deed, active=False),
}


def _link(request: HttpRequest, user: User) -> str:
    secret = password_link(user, deed_of(request))
    return request.build_absolute_uri(reverse("setup", args=(secret,)))


def _page(
    request: HttpRequest,
    form: UserForm,
    *,
    link: str = "",
    user: User | None = None,
    status: int = 200,
) -> HttpResponse:
    everybody = User.objects.select_related("membership").order_by("username")
    context = {
        "users": everybody,
        "form": form,
        "roles": [role.value for role in Role],
        "link": link,
        "link_for": user,
        "here": "users",
    }
    response = render(request, "pages/users.html", context, status=status)
    response["Cache-Control"] = "no-store"
    return response
