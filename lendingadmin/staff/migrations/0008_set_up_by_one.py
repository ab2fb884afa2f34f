from typing import Any

from django.db import migrations, models


def mark_existing(apps: Any, schema_editor: Any) -> None:
    """Mark the accounts whose password a link of one manager may have set.

    Until now one manager made the link of everybody who manages nobody.
    """
    people = apps.get_model("staff", "User").objects.using(schema_editor.connection.alias)
    rights = {
        "app_roles__role__permissions__codename": "people.manage",
        "app_roles__role__permissions__content_type__app_label": "dashboard",
    }
    managers = people.filter(**rights).values("pk")
    with_password = people.filter(is_superuser=False).exclude(password__startswith="!")
    with_password.exclude(pk__in=managers).update(is_set_up_by_one=True)


class Migration(migrations.Migration):
    dependencies = [("staff", "0007_person_change")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="is_set_up_by_one",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.RunPython(mark_existing, migrations.RunPython.noop),
    ]
