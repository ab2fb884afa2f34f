"""A reversal is found by the payment that it takes back, in whatever statement that is."""

import json

from django.db import migrations, models

from lendingadmin.encryption import Undecryptable
from lendingadmin.repayments.models import LONGEST_ID, normalise_external_id


def fill_in(apps, schema_editor):
    """Take it from what stands encrypted beside the reversals that are kept; there are few."""
    StatementLine = apps.get_model('statements', 'StatementLine')
    rows = StatementLine.objects.filter(kind='reversal').exclude(about='').order_by('pk')
    for row in rows.only('file_id', 'position', 'about').iterator(chunk_size=500):
        if not isinstance(row.about, Undecryptable):
            reverses = json.loads(row.about)[-1]
            key = normalise_external_id(reverses) if len(reverses) <= LONGEST_ID else ''
            StatementLine.objects.filter(pk=row.pk).update(reverses_key=key)


class Migration(migrations.Migration):

    dependencies = [
        ('statements', '0006_money_that_left'),
    ]

    operations = [
        migrations.AddField(
            model_name='statementline',
            name='reverses_key',
            field=models.CharField(blank=True, db_default='', max_length=255),
        ),
        migrations.AlterField(
            model_name='allocation',
            name='finding',
            field=models.CharField(choices=[('fine', 'fine'), ('proposed', 'may be this loan'), ('several', 'may be several loans'), ('no-loan', 'no loan'), ('closed', 'loan closed'), ('overpaid', 'above what is owed'), ('alike', 'looks like another'), ('may-double', 'may be recorded already'), ('currency', 'another currency'), ('recorded', 'recorded here before'), ('waiting', 'not decided here yet'), ('taken-back', 'taken back'), ('put', 'returned, or elsewhere'), ('twice', 'twice in the file'), ('damaged', 'damaged id'), ('unusable', 'no date, or too large'), ('unread', 'loan not read')], max_length=12),
        ),
        migrations.RunPython(fill_in, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name='statementline',
            index=models.Index(condition=models.Q(('reverses_key', ''), _negated=True), fields=['reverses_key'], name='statement_line_reverses'),
        ),
    ]
