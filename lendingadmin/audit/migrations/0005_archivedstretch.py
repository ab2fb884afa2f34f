"""Entries that are archived may be removed, and no others."""

import django.utils.timezone
from django.db import migrations, models

from lendingadmin.audit import triggers


def replace(apps, schema_editor):
    triggers.drop_triggers(schema_editor.connection)
    triggers.create_triggers(schema_editor.connection)


class Migration(migrations.Migration):

    dependencies = [
        ('audit', '0004_chain'),
    ]

    operations = [
        migrations.CreateModel(
            name='ArchivedStretch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('first_id', models.BigIntegerField(editable=False, unique=True)),
                ('last_id', models.BigIntegerField(editable=False, unique=True)),
                ('count', models.PositiveIntegerField(editable=False)),
                ('previous_mac', models.CharField(blank=True, editable=False, max_length=64)),
                ('last_mac', models.CharField(blank=True, editable=False, max_length=64)),
                ('last_at', models.DateTimeField(editable=False)),
                ('digest', models.CharField(editable=False, max_length=64)),
                ('at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('mac', models.CharField(editable=False, max_length=64)),
            ],
            options={
                'ordering': ['pk'],
                'default_permissions': (),
            },
        ),
        migrations.RunPython(replace, migrations.RunPython.noop, elidable=False),
    ]
