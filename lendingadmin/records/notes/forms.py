"""The form of a note: a new one, or a new version of one."""

from django import forms
from django.utils.translation import gettext_lazy as _

LONGEST_TEXT = 4_000


class NoteForm(forms.Form):
    """What is written; kept encrypted. A new version keeps its pin as it is."""

    text = forms.CharField(
        label=_("Note"),
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 6, "autofocus": True}),
        help_text=_("@ and a user name, such as @wanjiru, puts it on that colleague's home page."),
    )
    is_pinned = forms.BooleanField(
        label=_("Pin it: it stands on the record, and beside the review of a repayment"),
        required=False,
    )
    token = forms.CharField(widget=forms.HiddenInput, required=False)


class RevisionForm(NoteForm):
    """A new version of a note."""

    is_pinned = None  # type: ignore[assignment]
