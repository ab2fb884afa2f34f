"""Transaction ids are compared by their normalised form: rows that are there get theirs."""

from typing import Any

from django.db import migrations, models

from lendingadmin.repayments.models import normalise_external_id

_HOLDS = ("pending", "sent", "unknown", "inferred", "recorded")
_CONDITION = models.Q(duplicate=False) & (
    models.Q(state__in=_HOLDS) | models.Q(state="settled", settled_as="recorded")
)


def fill_keys(apps: Any, schema_editor: Any) -> None:
    """Fill the column; of two that hold the same id of a loan by now, the later is a duplicate."""
    rows = apps.get_model("repayments", "Repayment").objects
    held: set[tuple[str, str, str]] = set()
    holders = set(rows.filter(_CONDITION).values_list("pk", flat=True))
    wanted = rows.order_by("pk").values_list("pk", "app_id", "account_id", "external_id")
    for pk, app_id, account_id, external_id in wanted.iterator(chunk_size=2000):
        key = normalise_external_id(external_id)
        fields: dict[str, Any] = {"external_id_key": key}
        place = (app_id, account_id, key)
        if pk in holders:
            if place in held:
                fields["duplicate"] = True
            held.add(place)
        rows.filter(pk=pk).update(**fields)


class Migration(migrations.Migration):
    dependencies = [("repayments", "0004_mistake")]

    operations = [
        migrations.AddField(
            "repayment",
            "external_id_key",
            models.CharField(default="", editable=False, max_length=255),
            preserve_default=False,
        ),
        migrations.RemoveConstraint("repayment", "repayment_external_id_once_per_loan"),
        migrations.RunPython(fill_keys, migrations.RunPython.noop),
        migrations.RemoveIndex("repayment", "repayment_by_external_id"),
        migrations.AddIndex(
            "repayment",
            models.Index(fields=["external_id_key"], name="repayment_by_external_id"),
        ),
        migrations.AddConstraint(
            "repayment",
            models.UniqueConstraint(
                condition=_CONDITION,
                fields=["app_id", "account_id", "external_id_key"],
                name="repayment_external_id_once_per_loan",
            ),
        ),
    ]
