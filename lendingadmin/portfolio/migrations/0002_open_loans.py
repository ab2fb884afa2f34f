"""Which loans were open. A count made before keeps version 1: its figures are of other loans."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds what makes a loan open, the version of the figures, and indexes of open loans."""

    dependencies = [
        ('portfolio', '0001_initial'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='snapshotloan',
            name='portfolio_by_outstanding',
        ),
        migrations.RemoveIndex(
            model_name='snapshotloan',
            name='portfolio_by_overdue',
        ),
        migrations.RemoveIndex(
            model_name='snapshotloan',
            name='portfolio_by_days_late',
        ),
        migrations.RemoveIndex(
            model_name='snapshotloan',
            name='portfolio_by_performance',
        ),
        migrations.AddField(
            model_name='snapshot',
            name='figures_version',
            field=models.PositiveSmallIntegerField(default=1),
        ),
        migrations.AlterField(
            model_name='snapshot',
            name='figures_version',
            field=models.PositiveSmallIntegerField(default=2),
        ),
        migrations.AddField(
            model_name='snapshotloan',
            name='has_status_word',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='snapshotloan',
            name='is_open',
            field=models.BooleanField(default=False),
        ),
        migrations.AddIndex(
            model_name='snapshotloan',
            index=models.Index(condition=models.Q(('is_open', True), ('outstanding_rank__isnull', False)), fields=['snapshot', '-outstanding_rank', 'id'], name='portfolio_by_outstanding'),
        ),
        migrations.AddIndex(
            model_name='snapshotloan',
            index=models.Index(condition=models.Q(('is_open', True), ('overdue_rank__isnull', False)), fields=['snapshot', '-overdue_rank', 'id'], name='portfolio_by_overdue'),
        ),
        migrations.AddIndex(
            model_name='snapshotloan',
            index=models.Index(condition=models.Q(('is_open', True)), fields=['snapshot', 'days_late'], name='portfolio_by_days_late'),
        ),
        migrations.AddIndex(
            model_name='snapshotloan',
            index=models.Index(condition=models.Q(('is_open', True)), fields=['snapshot', 'performance'], name='portfolio_by_performance'),
        ),
    ]
