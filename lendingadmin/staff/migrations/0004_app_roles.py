"""Moves roles into apps: each person holds what they held in each app of LENDING_APPS."""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def give_in_each_app(apps: Any, schema_editor: Any) -> None:
    """What was given to a person alone, beside roles, is no longer theirs."""
    held = apps.get_model("staff", "User").groups.through.objects.all()
    apps.get_model("staff", "AppRole").objects.bulk_create(
        apps.get_model("staff", "AppRole")(
            person_id=one.user_id, role_id=one.group_id, app_id=app.app_id
        )
        for one in held.iterator()
        for app in settings.LENDING_APPS
    )


def give_everywhere(apps: Any, schema_editor: Any) -> None:
    """Back: what is held in any app."""
    held = apps.get_model("staff", "AppRole").objects.values_list("person_id", "role_id")
    through = apps.get_model("staff", "User").groups.through
    through.objects.bulk_create(
        through(user_id=person, group_id=role) for person, role in held.distinct()
    )


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("staff", "0003_usernames"),
    ]

    operations = [
        migrations.CreateModel(
            name="AppRole",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("app_id", models.CharField(max_length=100)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="app_roles",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "role",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="app_roles",
                        to="auth.group",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=["person", "app_id", "role"], name="staff_approle_once"
                    )
                ],
            },
        ),
        migrations.RunPython(give_in_each_app, give_everywhere),
        migrations.RemoveField(model_name="user", name="groups"),
        migrations.RemoveField(model_name="user", name="user_permissions"),
    ]
