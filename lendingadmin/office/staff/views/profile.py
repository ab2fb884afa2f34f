"""Page of one's own profile: language, time zone, sessions and passkeys."""

from typing import TYPE_CHECKING

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, override

from lendingadmin.core.audit import record
from lendingadmin.core.staff import preferences, services, sessions
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.sessions import describe_ended, hash_session_key
from lendingadmin.web.access import public, signed_in, to_sign_in
from lendingadmin.web.quotas import PROFILE
from lendingadmin.web.requests import PersonRequest

if TYPE_CHECKING:
    _Form = forms.ModelForm[User]
else:
    # Django's own class takes no type arguments; only its type stubs do.
    _Form = forms.ModelForm


#: This message is shown in the language that the person has just chosen.
SAVED = gettext_noop("Your profile is saved.")


class ProfileForm(_Form):
    """Form for the preferences of a person. Without a zone, times are in the lender's zone."""

    class Meta:
        model = User
        fields = ("language", "zone", "uses_keys")
        labels = {"uses_keys": gettext_lazy("Single-key shortcuts")}
        help_texts = {"uses_keys": gettext_lazy("Turn the shortcuts off if you use speech input.")}

    def __init__(self, *args: object, **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]
        self.fields["language"] = forms.ChoiceField(
            label=_("Language"), required=False, choices=preferences.list_languages
        )
        self.fields["zone"] = forms.ChoiceField(
            label=_("Time zone"),
            required=False,
            choices=_list_zones,
            help_text=_(
                "Times on screens are in this time zone. Due dates, the end of day and dates "
                "in forms are in the lender's time zone."
            ),
        )


@signed_in(methods=("GET", "POST"), quota=PROFILE)
def profile(request: PersonRequest) -> HttpResponse:
    """Show the form and an example of a time; a POST saves the form and redirects to this page."""
    person = User.objects.get(pk=request.user.pk)
    form = ProfileForm(request.POST if request.method == "POST" else None, instance=person)
    if form.is_bound and form.is_valid():
        if form.changed_data:
            # Other fields are not saved, because a manager may change them at the same time.
            person.save(update_fields=form.Meta.fields)
            names = ", ".join(form.changed_data)
            record(
                request, "people.profile", subject=person.username, outcome="saved", detail=names
            )
        with override(person.language or settings.LANGUAGE_CODE):
            messages.success(request, _(SAVED))
        return redirect("profile")
    context = {
        "form": form,
        "now": timezone.now(),
        "sessions": sessions.list_sessions(person),
        "here": hash_session_key(request.session.session_key),
        "zone": settings.LENDING_APPS[0].zone,
    }
    return render(request, "account/profile.html", context)


@signed_in(methods=("POST",), confirmed=("POST",))
def sessions_end(request: PersonRequest) -> HttpResponse:
    """End the person's other sessions; redirect to the profile."""
    ended = services.end_other_sessions(request, request.user)
    messages.success(request, describe_ended(ended))
    return redirect("profile")


@public()
def session(request: PersonRequest) -> HttpResponse:
    """Return 204 if the session of an open page still exists, else a redirect to the sign-in."""
    return HttpResponse(status=204) if request.user.is_authenticated else to_sign_in(request)


def _list_zones() -> list[tuple[str, object]]:
    """Return the choices: no zone, the lenders' zones, then all other zones by region."""
    lenders = dict.fromkeys(str(app.zone) for app in settings.LENDING_APPS)
    first = [(key, preferences.describe_zone(key)) for key in lenders]
    # A zone that is listed twice would be selected twice.
    others = [
        (_(region), [(key, words) for key, words in each if key not in lenders])
        for region, each in preferences.list_zones()
    ]
    return [("", _("the lender's time zone")), (_("Lenders' time zones"), first), *others]
