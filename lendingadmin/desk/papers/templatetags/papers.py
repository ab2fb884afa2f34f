"""Tags of papers on pages of lists and of offers."""

from collections.abc import Mapping

from django import template
from django.template import Context
from django.urls import reverse

from lendingadmin.core.policies.lender import read_lender
from lendingadmin.desk.papers.bulk import RIGHTS
from lendingadmin.desk.papers.forms import LanguageForm
from lendingadmin.desk.papers.services import find_other_facts
from lendingadmin.desk.papers.suggestions import write_purpose
from lendingadmin.money.writes import idempotency
from lendingadmin.records.offers import drafts

register = template.Library()


@register.simple_tag(takes_context=True)
def may_make_bulk_papers(context: Context) -> bool:
    """Return True if the person may make papers for the borrowers of a list."""
    person = context["request"].user
    return all(person.has_perm(name) for name in RIGHTS)


@register.inclusion_tag("papers/_key_facts_of_draft.html", takes_context=True)
def key_facts_of_draft(context: Context) -> Mapping[str, object]:
    """Show a form for the key facts of the contract on the page of a new loan.

    Show a warning if the newest key facts of the offer have other figures.
    """
    app, names = context["app"], ("borrower_id", "request_id", "product_id")
    source = drafts.Source(app.app_id, *(context[name] for name in names))
    url = reverse("key-facts", args=source[:3])
    return {
        "other": find_other_facts(app, source, context["contract"]),
        "may_paper": context["navigation"].keys.may_paper,
        "url": f"{url}?{context['query']}",
        "asked": context["request"].GET,
        "product_id": source.product_id,
        "draft": context["token"],
        "token": idempotency.issue_key(context["request"], write_purpose(url)),
        "csrf_token": context["csrf_token"],
        "form": LanguageForm(initial={"language": read_lender(app.app_id).language}),
    }
