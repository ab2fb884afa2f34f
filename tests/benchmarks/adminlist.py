"""Django's own admin over the same fifty loans in SQLite: what the loans list is measured against.

`gunicorn tests.benchmarks.adminlist:application`; ADMIN_DATABASE is where its rows are.
"""

import os
from typing import Any

import django
from django.conf import settings

settings.configure(
    DEBUG=False,
    SECRET_KEY="benchmark",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.environ.get("ADMIN_DATABASE", ":memory:"),
        }
    },
    INSTALLED_APPS=[
        "django.contrib.admin",
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "django.contrib.messages",
        "django.contrib.staticfiles",
    ],
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ]
            },
        }
    ],
    STATIC_URL="/static/",
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
)
django.setup()

from django.contrib import admin  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import models  # noqa: E402
from django.urls import path  # noqa: E402
from django.utils.dateparse import parse_datetime  # noqa: E402


class Loan(models.Model):
    """A loan as a row: the nine columns of the loans list."""

    account_id = models.CharField(max_length=100)
    borrower_id = models.CharField(max_length=100)
    status = models.IntegerField()
    days_late = models.IntegerField()
    loan_type = models.CharField(max_length=20)
    loan_amount = models.DecimalField(max_digits=15, decimal_places=2)
    unpaid = models.DecimalField(max_digits=15, decimal_places=2)
    overdue = models.DecimalField(max_digits=15, decimal_places=2)
    maturity_date = models.DateTimeField()

    class Meta:
        app_label = "auth"

    def __str__(self) -> str:
        return self.account_id


@admin.register(Loan)
class LoanAdmin(admin.ModelAdmin):
    """Its change list: nine columns, fifty rows a page."""

    list_display = (
        *("account_id", "borrower_id", "status", "days_late", "loan_type"),
        *("loan_amount", "unpaid", "overdue", "maturity_date"),
    )
    list_per_page = 50


urlpatterns = [path("admin/", admin.site.urls)]


def prepare(loans: list[dict[str, Any]]) -> None:
    """Make the tables, the rows and somebody who may see them."""
    from django.contrib.auth.models import User
    from django.db import connection

    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        editor.create_model(Loan)
    User.objects.create_superuser("admin", password="admin")
    Loan.objects.bulk_create(
        Loan(
            account_id=loan["accountId"],
            borrower_id=loan["borrowerId"],
            status=loan["status"],
            days_late=loan["schedule"]["daysLate"],
            loan_type=loan["loanType"],
            loan_amount=loan["loanAmount"],
            unpaid=loan["balances"]["repayment"]["unpaid"],
            overdue=loan["balances"]["repayment"]["overdue"],
            maturity_date=parse_datetime(loan["maturityDate"]),
        )
        for loan in loans
    )


application = get_wsgi_application()

if __name__ == "__main__":
    from tests.benchmarks.canned import loan as canned_loan

    prepare([canned_loan(number) for number in range(50)])
