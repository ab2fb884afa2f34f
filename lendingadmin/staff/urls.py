"""Signing in and out, one's profile; password and second factors are allauth's pages.

No sign-up, no mail, no password reset by mail: managers enter people and set a new password in the
admin.
"""

from allauth.account import views
from django.urls import include, path

from lendingadmin.staff.profile import profile

urlpatterns = [
    path("login/", views.login, name="account_login"),
    path("logout/", views.logout, name="account_logout"),
    path("inactive/", views.account_inactive, name="account_inactive"),
    # allauth's sign-in page asks for this address; the adapter keeps the page behind it closed.
    path("signup/", views.signup, name="account_signup"),
    path("reauthenticate/", views.reauthenticate, name="account_reauthenticate"),
    path("profile/", profile, name="profile"),
    path("password/change/", views.password_change, name="account_change_password"),
    path("2fa/", include("allauth.mfa.urls")),
]
