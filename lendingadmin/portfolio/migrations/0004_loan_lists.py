"""What lists over a count need, lists under a name, and which counts keep their loans."""

import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds the columns, their indexes, and the table of saved lists."""

    dependencies = [
        ('portfolio', '0003_loan_borrowers'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='SavedList',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('app_id', models.CharField(max_length=64)),
                ('name', models.CharField(max_length=60)),
                ('query', models.TextField(blank=True)),
                ('is_shared', models.BooleanField(default=False, verbose_name='for everybody')),
            ],
        ),
        migrations.AddField(
            model_name='snapshot',
            name='has_loans',
            field=models.BooleanField(default=True),
        ),
        migrations.AddField(
            model_name='snapshotloan',
            name='is_first_missed',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='snapshotloan',
            name='settlement_day',
            field=models.DateField(null=True),
        ),
        migrations.AddIndex(
            model_name='snapshotloan',
            index=models.Index(condition=models.Q(('is_open', True), ('next_due_day__isnull', False)), fields=['snapshot', 'next_due_day', 'id'], name='portfolio_by_next_due_day'),
        ),
        migrations.AddIndex(
            model_name='snapshotloan',
            index=models.Index(condition=models.Q(('is_open', True)), fields=['snapshot', 'product_id', '-outstanding_rank', 'id'], name='portfolio_open_by_product'),
        ),
        migrations.AddIndex(
            model_name='snapshotloan',
            index=models.Index(condition=models.Q(('is_first_missed', True)), fields=['snapshot', '-overdue_rank', 'id'], name='portfolio_first_missed'),
        ),
        migrations.AddIndex(
            model_name='snapshotloan',
            index=models.Index(condition=models.Q(('is_open', False), ('settlement_day__isnull', False)), fields=['snapshot', '-settlement_day', 'id'], name='portfolio_by_settlement_day'),
        ),
        migrations.AddIndex(
            model_name='snapshotloan',
            index=models.Index(models.F('snapshot'), django.db.models.functions.text.Lower('account_id'), name='portfolio_loan_any_case'),
        ),
        migrations.AddField(
            model_name='savedlist',
            name='owner',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='savedlist',
            name='pinned_by',
            field=models.ManyToManyField(related_name='pinned_lists', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddIndex(
            model_name='savedlist',
            index=models.Index(condition=models.Q(('is_shared', True)), fields=['app_id'], name='portfolio_shared_lists'),
        ),
        migrations.AddConstraint(
            model_name='savedlist',
            constraint=models.UniqueConstraint(fields=('owner', 'app_id', 'name'), name='portfolio_saved_list_once'),
        ),
    ]
