"""Whose each loan is, of which product, and what is due next. A count made before knows none."""

from django.db import migrations, models

import lendingadmin.portfolio.amounts


class Migration(migrations.Migration):
    """Adds the ids, the next instalment, and an index of the open loans of a borrower."""

    dependencies = [
        ('portfolio', '0002_open_loans'),
    ]

    operations = [
        migrations.AddField(
            model_name='snapshot',
            name='without_borrower',
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AlterField(
            model_name='snapshot',
            name='without_borrower',
            field=models.PositiveIntegerField(default=0, null=True),
        ),
        migrations.AddField(
            model_name='snapshotloan',
            name='borrower_id',
            field=models.CharField(blank=True, max_length=255),
        ),
        migrations.AddField(
            model_name='snapshotloan',
            name='product_id',
            field=models.CharField(blank=True, max_length=255),
        ),
        migrations.AddField(
            model_name='snapshotloan',
            name='next_due_day',
            field=models.DateField(null=True),
        ),
        migrations.AddField(
            model_name='snapshotloan',
            name='next_due_amount',
            field=lendingadmin.portfolio.amounts.AmountField(blank=True, max_length=100, null=True),
        ),
        migrations.AddIndex(
            model_name='snapshotloan',
            index=models.Index(condition=models.Q(('is_open', True)), fields=['snapshot', 'borrower_id'], name='portfolio_open_by_borrower'),
        ),
    ]
