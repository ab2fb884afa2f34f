"""Pages of the service's lists. Filters, order, page size and page are in the URL.

Spec: Shared list behaviour. Filters and order are offered only if the spec lists them. The page
size is sent to every list. A list also works if the service ignores or refuses the size.
"""

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lendingadmin.lending.errors import BadRequest, InvalidId
from lendingadmin.lending.ids import check_id
from lendingadmin.lending.operations import Operation
from lendingadmin.lending.pages import Page, is_same_page, refuses_token
from lendingadmin.lending.values import text

from .display.templatetags.times import day_text
from .masking import list_rights, mask_item
from .requests import address_with

DEFAULT_PAGE_SIZE = 50
# The orders by creation, for lists that have an order in the spec (Spec: Shared list behaviour).
NEWEST_FIRST: Final = "desc"
_ORDERS = (
    (NEWEST_FIRST, gettext_lazy("newest first")),
    ("asc", gettext_lazy("oldest first")),
)
NO_PAGE_SIZE = gettext_lazy("You can't choose a page size for this list.")
NO_SUCH_PAGE = gettext_lazy("The page that you asked for no longer exists. You see the first page.")
PAGE_SIZES = (25, 50, 100, 250, 1000)
# The parameters of an address that name a page of a list.
_POSITIONS = ("pageToken", "from", "page", "before", "after")
# The choice of a person who wants to filter by a value without a word. The choice then becomes a
# text field. No filter value equals this text, because filter values have no spaces.
ANOTHER = "another one"


class FilterField(forms.CharField):
    """The value of one filter clause, without spaces, because spaces separate clauses."""

    def clean(self, value: Any) -> str:
        text = str(super().clean(value))
        if any(character.isspace() for character in text):
            words = _("A value must not contain a space.")
            raise forms.ValidationError(words, code="space")
        return text


class AnotherField(FilterField):
    """A filter field to type a value that is not among the choices."""

    def clean(self, value: Any) -> str:
        """Raise ValidationError, because no value was typed."""
        raise forms.ValidationError(_("Enter the value to search for."), code="unwritten")

    def bound_data(self, data: Any, initial: Any) -> str:
        """Return an empty text, because the choice is not a value that a person typed."""
        return ""


class ListForm(forms.Form):
    """The form of one list, made from the parameters that the spec allows.

    `words` has the words for the values of filter fields. A field with words is a choice. If the
    address has no order and the list can be ordered, the newest items come first.
    """

    def __init__(
        self,
        data: QueryDict,
        operation: Operation,
        words: dict[str, dict[str, str]] | None = None,
    ) -> None:
        defaults = {"pageSize": str(DEFAULT_PAGE_SIZE), "order": NEWEST_FIRST}
        given = {name: value for name, value in data.items() if value}
        # No visible field shows the size. A person can't correct a wrong size, so it is left out.
        if whole_number(str(given.get("pageSize"))) not in PAGE_SIZES:
            given.pop("pageSize", None)
        super().__init__(defaults | given)
        self.operation = operation
        names = operation.filters or ()
        for name in names:
            self.fields[name] = _filter_field(data.get(name, ""), (words or {}).get(name))
            # An API field's name in words: `appVersionId` is “App version id”.
            label = re.sub(r"(?<!^)([A-Z])", lambda letter: f" {letter[0].lower()}", name)
            self.fields[name].label = label.capitalize()
        if "order" in (operation.list_parameters or ()):
            self.fields["order"] = forms.ChoiceField(
                choices=_ORDERS, label=_("Order"), initial=NEWEST_FIRST
            )
        self.fields["pageSize"] = forms.TypedChoiceField(
            choices=[(size, size) for size in PAGE_SIZES], coerce=int, widget=forms.HiddenInput
        )

    def filters(self) -> dict[str, str]:
        """Return the clauses with a value, by the API's field names."""
        names = self.operation.filters or ()
        return {name: self.cleaned_data[name] for name in names if self.cleaned_data.get(name)}

    def asked(self) -> dict[str, Any]:
        """Return the arguments of the client's `list` and `pages`: filters and order."""
        given = {"filters": self.filters(), "order": self.cleaned_data.get("order")}
        return {name: value for name, value in given.items() if value}


class Chip(NamedTuple):
    """A filter with a value: its label, its value in words, and the query that removes it."""

    label: str
    words: str
    query: str


def build_chips(form: forms.Form) -> list[Chip]:
    """Return a chip for each filter in the address, except for refused and default values.

    The query of a chip leads to the first page, without refused values.
    """
    return [
        Chip(
            str(field.label),
            _write_value(field),
            _write_query(form.data, {field.name, *form.errors, *_POSITIONS}),
        )
        for field in form.visible_fields()
        if field.value() and not field.errors and field.value() != str(field.initial)
    ]


def _write_value(field: forms.BoundField) -> str:
    value = field.form.cleaned_data[field.name]
    if isinstance(value, date):
        return day_text(value)
    words = {str(key): label for key, label in getattr(field.field, "choices", ())}
    return str(words.get(str(field.value()), value))


def _write_query(data: Mapping[str, Any], without: Set[str]) -> str:
    return urlencode({name: value for name, value in data.items() if value and name not in without})


def _filter_field(value: str, words: dict[str, str] | None) -> forms.Field:
    if not words:
        return FilterField(required=False, max_length=255)
    if value == ANOTHER:
        return AnotherField(required=False, max_length=255)
    choices = [("", _("any")), *words.items(), (ANOTHER, _("other …"))]
    if value and value not in words:
        # A shared address may have a value without a word. The filter accepts this value too.
        choices.append((value, value))
    return forms.ChoiceField(choices=choices, required=False)


@dataclass(frozen=True)
class ListPage:
    """One page of a list: items, time of reading, address of the next page, and notes.

    `leads_back` is True if the service's next page would be this page again.
    """

    form: forms.Form
    items: Sequence[Any] = ()
    read_at: datetime | None = None
    next_url: str = ""
    first_url: str = ""
    size: int = 0
    notes: tuple[str, ...] = field(default=())
    leads_back: bool = False

    @property
    def ended(self) -> bool:
        """True if this is the last page of the list and not the first."""
        return bool(self.first_url) and not self.next_url

    @property
    def pager(self) -> dict[str, object]:
        """Content of `_pager.html`."""
        note = ""
        if self.leads_back and not self.next_url:
            note = _("the service sent this page again, so later pages can't be read")
        return {
            "next_url": self.next_url,
            "first_url": self.first_url,
            "count": len(self.items),
            "size": self.size,
            "sizes": PAGE_SIZES if self.size else (),
            "note": note,
        }


def read_page(
    request: HttpRequest,
    operation: Operation,
    call: Callable[..., Page[Any]],
    words: dict[str, dict[str, str]] | None = None,
) -> ListPage:
    """Read the page in the address, and mask it. `call` is the client's `list` of this operation.

    If a filter can't be sent, its field shows an error and nothing is sent. If the service refuses
    a filter, the page shows the service's words above the fields. For any other failed read, raise
    its LendingError.
    """
    form = ListForm(request.GET, operation, words)
    if not form.is_valid():
        return ListPage(form=form)
    size = form.cleaned_data["pageSize"]
    token = request.GET.get("pageToken") or None
    skip = whole_number(request.GET.get("from"))
    asked = {"page_size": size, "page_token": token} | form.asked()
    try:
        page, notes, restarted = _read(operation, call, asked)
    except BadRequest as error:
        if not form.filters():
            raise
        why = error.error_description or _(error.message)
        form.add_error(None, _("The service refused this filter: %(why)s") % {"why": why})
        return ListPage(form=form)
    if restarted:
        token, skip = None, 0
    if page.page_size and page.page_size < size:
        notes.append(
            _("%(size)s rows are too large for one page, so this page has fewer rows.")
            % {"size": size}
        )
    # Some callers read only the ids of a list, and have no person.
    person = getattr(request, "user", None)
    held = list_rights(person) if person else ()
    return ListPage(
        form=form,
        items=[mask_item(item, held) for item in page.items[skip : skip + size]],
        read_at=page.read_at,
        next_url=_next(request, page, token, skip, size),
        first_url=_at(request) if token or skip else "",
        size=size,
        notes=tuple(notes),
        leads_back=bool(token) and is_same_page(page.next_page_token, token),
    )


def _read(
    operation: Operation, call: Callable[..., Page[Any]], asked: dict[str, Any]
) -> tuple[Page[Any], list[str], bool]:
    """Return a page, its notes, and True if the first page replaces the page of the token.

    If the service refuses the page token, read the first page. If the service refuses a list whose
    spec has no page size, read the page without a size. Raise BadRequest for any other refusal, and
    for a refusal that names a filter of the request.
    """
    try:
        return call(**asked), [], False
    except BadRequest as error:
        if asked["page_token"] and refuses_token(error):
            return call(**asked | {"page_token": None}), [str(NO_SUCH_PAGE)], True
        why = (error.error_description or "").lower()
        is_filter = any(name.lower() in why for name in asked.get("filters", ()))
        if is_filter or "pageSize" in (operation.list_parameters or ()):
            raise
        return call(**asked | {"page_size": None}), [str(NO_PAGE_SIZE)], False


def _next(request: HttpRequest, page: Page[Any], token: str | None, skip: int, size: int) -> str:
    """Return the address of the next items; empty after the last.

    The next items are the rest of this answer, if it was larger than requested, or the next page.
    """
    if len(page.items) > skip + size:
        return _at(request, token or "", skip + size)
    if page.next_page_token and not is_same_page(page.next_page_token, token):
        return _at(request, page.next_page_token)
    return ""


def _at(request: HttpRequest, token: str = "", skip: int = 0) -> str:
    """Return this list's address for another place, with the same filters, order and size."""
    return address_with(request, {"pageToken": token, "from": str(skip or "")})


def whole_number(text: str | None) -> int:
    """Return an integer of at most 8 digits from an address or a field; 0 for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else 0


def as_id(value: object) -> str:
    """Return the value if it can be an id, else an empty text."""
    try:
        return check_id(text(value) or "")
    except InvalidId:
        return ""


def record_key(record: Any) -> str:
    """Return the id for requests about a record: its own id, else its uid, else empty."""
    return as_id(getattr(record, str(record.id_field))) or as_id(record.uid)
