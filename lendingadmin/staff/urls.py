"""Signing in and out, one's profile; password and second factors are allauth's pages.

No sign-up, no mail, no password reset by mail: managers enter people and set a new password in the
admin.
"""

from allauth.account import views as allauth
from django.urls import include, path

from lendingadmin.staff import views

urlpatterns = [
    path("login/", allauth.login, name="account_login"),
    path("logout/", allauth.logout, name="account_logout"),
    path("inactive/", allauth.account_inactive, name="account_inactive"),
    # allauth's sign-in page asks for this address; the adapter keeps the page behind it closed.
    path("signup/", allauth.signup, name="account_signup"),
    path("reauthenticate/", allauth.reauthenticate, name="account_reauthenticate"),
    path("profile/", views.profile, name="profile"),
    path("password/change/", allauth.password_change, name="account_change_password"),
    path("2fa/", include("allauth.mfa.urls")),
]
