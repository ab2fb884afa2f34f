"""Forms of sign-in, and of people: a manager enters all data of a person except the password."""

from typing import TYPE_CHECKING, Any

from allauth.account.forms import LoginForm as AllauthLoginForm
from django import forms
from django.conf import settings
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.models import Group
from django.contrib.auth.password_validation import password_validators_help_texts
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.staff import reach, second_manager, services
from lendingadmin.core.staff.models import AppRole, User
from lendingadmin.core.staff.roles import describe_group
from lendingadmin.core.staff.usernames import validate_distinct

if TYPE_CHECKING:
    _PersonForm = forms.ModelForm[User]
    _SetPasswordForm = SetPasswordForm[User]
else:
    # Django's own classes take no type arguments; only their type stubs do.
    _PersonForm, _SetPasswordForm = forms.ModelForm, SetPasswordForm

_STATES = (("", _("all")), ("active", _("active")), ("inactive", _("deactivated")))
_TWO_STEP = (("", _("all")), ("with", _("set up")), ("without", _("not set up")))


class LoginForm(AllauthLoginForm):  # type: ignore[misc]
    """Form of allauth for the sign-in, with the cursor in the first field."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        login = self.fields["login"]
        login.label = login.widget.attrs["placeholder"] = _("User name")
        login.widget.attrs["autofocus"] = True


class PersonForm(_PersonForm):
    """Form for a manager who changes a person.

    `by` is the manager; the roles that may be given depend on the manager.
    """

    class Meta:
        model = User
        fields = ("first_name", "last_name", "email")

    def __init__(self, *args: Any, by: User, **options: Any) -> None:
        super().__init__(*args, **options)
        self.by = by
        self.fields["email"].label = _("E-mail")
        if self.instance.pk and reach.is_provided(self.instance):
            return
        self.fields["roles"] = roles = _RolesField(by)
        if self.instance.pk:
            roles.initial = [roles.write(x) for x in reach.list_given(self.instance, by)]

    def clean_roles(self) -> list[reach.RoleInApp]:
        """Return the chosen roles.

        Raise ValidationError if the manager would lose the right to manage people, or if no second
        manager could approve the roles.
        """
        chosen: list[reach.RoleInApp] = self.cleaned_data["roles"]
        if reach.gives_up_managing(self.by, self.instance, chosen):
            raise forms.ValidationError(services.ANOTHER_MUST_TAKE_ROLE)
        known = self.instance if self.instance.pk else None
        moves = reach.list_moves(known, self.by, chosen)
        waiting = second_manager.list_waiting(moves, known)
        if waiting and (words := second_manager.find_obstacle(self.by, known, waiting)):
            raise forms.ValidationError(words)
        return chosen


def clean_new_username(name: str) -> str:
    """Return the user name.

    Raise ValidationError if another person has this name or a name that looks the same.
    """
    if User.objects.filter(username__iexact=name).exists():
        raise forms.ValidationError(_("A person with that user name already exists."))
    validate_distinct(name, User.objects.values_list("username", flat=True))
    return name


class NewPersonForm(PersonForm):
    """Form for a new person; the user name cannot be changed later."""

    class Meta:
        model = User
        fields = ("username", *PersonForm.Meta.fields)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["username"].label = _("User name")
        self.fields["username"].help_text = _(
            "The person signs in with this name. The user name can't be changed later."
        )
        self.fields["username"].widget.attrs["autofocus"] = True

    def clean_username(self) -> str:
        """Return the user name. Raise ValidationError as `clean_new_username` does."""
        return clean_new_username(str(self.cleaned_data["username"]))


class PeopleFilterForm(forms.Form):
    """Form for the filters of the list of people."""

    name = forms.CharField(required=False, max_length=150, label=_("Name or e-mail"))
    state = forms.ChoiceField(required=False, choices=_STATES, label=_("Account"))
    two_step = forms.ChoiceField(required=False, choices=_TWO_STEP, label=_("Two-step sign-in"))


class OwnPasswordForm(_SetPasswordForm):
    """Form for the password that a person chooses on their set-up link, entered twice."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        first, second = self.fields["new_password1"], self.fields["new_password2"]
        first.label, second.label = _("Password"), _("Repeat password")
        first.help_text = " ".join(password_validators_help_texts())
        second.help_text = ""
        first.widget.attrs["autofocus"] = True

    def validate_password_for_user(self, user: User, password_field_name: str = "") -> None:
        """Show the faults of the password next to its field."""
        super().validate_password_for_user(user, "new_password1")


class _RolesField(forms.MultipleChoiceField):
    """Field for roles in apps, each with its purpose.

    If there are several apps, it groups the roles. Its value is a list of `reach.RoleInApp`.
    """

    def __init__(self, by: User) -> None:
        super().__init__(
            required=False, label=_("Roles"), widget=forms.CheckboxSelectMultiple(), initial=[]
        )
        roles = list(reach.list_groups(by).prefetch_related("permissions__content_type"))
        several = len(settings.LENDING_APPS) > 1
        self.offered: dict[str, reach.RoleInApp] = {}
        choices: list[Any] = []
        for app_id in (app.app_id for app in reach.list_apps(by)):
            here = {self.write(x): x for x in (reach.RoleInApp(app_id, role) for role in roles)}
            self.offered |= here
            place = app_id if several else ""
            labels = [(key, _describe_role(one.role, place)) for key, one in here.items()]
            choices += [(app_id, labels)] if several else labels
        self.choices = choices

    @staticmethod
    def write(one: reach.RoleInApp | AppRole) -> str:
        """Return the form's value for a role in an app."""
        return f"{one.app_id}:{one.role.pk}"

    def clean(self, value: Any) -> list[reach.RoleInApp]:
        """Return the chosen roles. Raise ValidationError for a role that is not offered."""
        return [self.offered[key] for key in super().clean(value)]


def _describe_role(role: Group, app_id: str) -> str:
    """Return the role's name, its app (for users of a screen reader), and its purpose."""
    words = describe_group(role.name, map(services.name_item, role.permissions.all()))
    name = f"{role.name[:1].upper()}{role.name[1:]}"
    place = gettext("in %(app)s") % {"app": app_id} if app_id else ""
    return format_html(
        '<span>{} <span class="heard">{}</span> <small>{}</small></span>', name, place, words
    )
