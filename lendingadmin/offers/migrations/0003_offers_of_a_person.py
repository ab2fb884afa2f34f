"""What a person asked for lately, for the home page."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """An index by person, app and time in place of the one by person alone."""

    dependencies = [
        ('offers', '0002_offer_loan'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='offerrequest',
            name='asked_by',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddIndex(
            model_name='offerrequest',
            index=models.Index(fields=['asked_by', 'app_id', 'last_asked_at'], name='offer_of_person'),
        ),
    ]
