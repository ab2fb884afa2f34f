"""Page of a set-up link, on which a person chooses a password."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.views import INTERNAL_RESET_SESSION_TOKEN, PasswordResetConfirmView
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy

from lendingadmin.core.staff import services
from lendingadmin.core.staff.forms import OwnPasswordForm
from lendingadmin.core.staff.setup_links import setup_tokens
from lendingadmin.web.access import public

PASSWORD_SET = gettext_lazy("Your password is saved. Sign in with this password.")


class SetupView(PasswordResetConfirmView):
    """View of Django for reset links.

    The token is removed from the address before the form is shown. The view does not sign the
    person in. A person with two-step sign-in also needs the second factor at the next sign-in.
    """

    form_class = OwnPasswordForm
    token_generator = setup_tokens
    template_name = "account/set_up.html"

    def form_valid(self, form: Any) -> HttpResponse:
        """Set the password. If the link is no longer valid, show the page for an expired link."""
        token = self.request.session.pop(INTERNAL_RESET_SESSION_TOKEN, "")
        password = form.cleaned_data["new_password1"]
        if not services.set_password_by_link(self.request, form.user.pk, token, password):
            self.validlink = False
            return self.render_to_response(self.get_context_data())
        messages.success(self.request, PASSWORD_SET)
        return redirect("account_login")

    def render_to_response(self, context: dict[str, Any], **options: Any) -> HttpResponse:
        """Return a 410 for an expired link, and for a link that never existed."""
        status = 200 if self.validlink else 410
        return super().render_to_response(context, status=status, **options)


set_up = public(methods=("GET", "POST"))(SetupView.as_view())
