"""The database refuses to change or remove entries of the trail."""

from django.db import migrations

from lendingadmin.audit import triggers


def create(apps, schema_editor):
    triggers.create_triggers(schema_editor.connection)


def drop(apps, schema_editor):
    triggers.drop_triggers(schema_editor.connection)


class Migration(migrations.Migration):

    dependencies = [
        ('audit', '0002_record_history'),
    ]

    operations = [
        migrations.RunPython(create, drop, elidable=False),
    ]
