"""Entries are chained, and say from where they came."""

from django.db import migrations, models

from lendingadmin.audit import triggers


def create(apps, schema_editor):
    # SQLite copies the table to add or remove a column, and a copy has no triggers.
    triggers.create_triggers(schema_editor.connection)


class Migration(migrations.Migration):

    dependencies = [
        ('audit', '0003_triggers'),
    ]

    operations = [
        migrations.RunPython(migrations.RunPython.noop, create, elidable=False),
        migrations.AddField(
            model_name='entry',
            name='address',
            field=models.CharField(blank=True, default='', editable=False, max_length=45),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='entry',
            name='browser',
            field=models.CharField(blank=True, default='', editable=False, max_length=200),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='entry',
            name='mac',
            field=models.CharField(blank=True, default='', editable=False, max_length=64),
            preserve_default=False,
        ),
        migrations.RunPython(create, migrations.RunPython.noop, elidable=False),
    ]
