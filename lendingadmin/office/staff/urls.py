"""Addresses of sign-in, sign-out, the profile, and the pages on which managers manage people.

allauth has the pages for the password and for second factors. The lender's identity provider uses
the addresses below `provider/`. There is no sign-up, and a stranger can't request a new password.
Managers add people and give them set-up links, which work once.
"""

from allauth.account import views as allauth
from django.urls import include, path

from lendingadmin.office.staff.views import deciding, people, profile, provider, setup
from lendingadmin.office.staff.views.provider import local_only, own_password_only

change_password = local_only(own_password_only(allauth.password_change))

urlpatterns = [
    path("login/", provider.sign_in, name="account_login"),
    path("provider/", provider.sign_in_by_provider, name="provider-sign-in"),
    path("provider/callback", provider.callback, name="provider-callback"),
    path("provider/confirm", provider.confirm, name="provider-confirm"),
    path("logout/", allauth.logout, name="account_logout"),
    path("inactive/", allauth.account_inactive, name="account_inactive"),
    # The sign-in page of allauth needs this address. The adapter closes the sign-up page.
    path("signup/", allauth.signup, name="account_signup"),
    path("reauthenticate/", allauth.reauthenticate, name="account_reauthenticate"),
    path("profile/", profile.profile, name="profile"),
    path("session", profile.session, name="session"),
    path("profile/sessions/end", profile.sessions_end, name="profile-sessions-end"),
    path("set-up/<uidb64>/<token>/", local_only(setup.set_up), name="account_setup"),
    path("password/change/", change_password, name="account_change_password"),
    path("2fa/", include("allauth.mfa.urls")),
]

people_patterns = [
    path("", people.people, name="people"),
    path("roles/", people.roles, name="roles"),
    path("new", local_only(people.new), name="person-new"),
    path("<int:number>/", people.person, name="person"),
    path("<int:number>/set-up-link", local_only(people.setup_link), name="person-setup-link"),
    path(
        "<int:number>/password/require",
        local_only(people.password_require),
        name="person-password-require",
    ),
    path("<int:number>/sessions/end", people.sessions_end, name="person-sessions-end"),
    path("<int:number>/two-step/remove", people.two_step_remove, name="person-two-step-remove"),
    path(
        "<int:number>/changes/<int:change>/approve",
        deciding.change_approve,
        name="person-change-approve",
    ),
    path(
        "<int:number>/changes/<int:change>/decline",
        deciding.change_decline,
        name="person-change-decline",
    ),
    path("<int:number>/deactivate", people.deactivate, name="person-deactivate"),
    path("<int:number>/reactivate", people.reactivate, name="person-reactivate"),
]
