"""The form for a new note or for a new version of a note."""

from django import forms
from django.utils.translation import gettext_lazy as _

LONGEST_TEXT = 4_000


class NoteForm(forms.Form):
    """Form of a new note: the text, which is saved encrypted, and the pin."""

    text = forms.CharField(
        label=_("Note"),
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 6, "autofocus": True}),
        help_text=_(
            "Enter @ and a user name, such as @wanjiru, to show the note on that person's "
            "home page."
        ),
    )
    is_pinned = forms.BooleanField(
        label=_(
            "Pin this note, so that it is shown on the record and in the review of a repayment"
        ),
        required=False,
    )
    token = forms.CharField(widget=forms.HiddenInput, required=False)


class RevisionForm(NoteForm):
    """Form of a new version of a note; it does not change the pin."""

    is_pinned = None  # type: ignore[assignment]
