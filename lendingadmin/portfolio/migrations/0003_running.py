from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("portfolio", "0002_initial")]

    operations = [
        migrations.RemoveConstraint("snapshot", "portfolio_one_counting_per_app"),
        migrations.RunSQL(
            "UPDATE portfolio_snapshot SET state = 'running' WHERE state = 'counting'",
            "UPDATE portfolio_snapshot SET state = 'counting' WHERE state = 'running'",
        ),
        migrations.AlterField(
            "snapshot",
            "state",
            models.CharField(
                choices=[
                    ("running", "running"),
                    ("done", "complete"),
                    ("stopped", "stopped"),
                    ("failed", "failed"),
                ],
                default="running",
                max_length=8,
            ),
        ),
        migrations.AddConstraint(
            "snapshot",
            models.UniqueConstraint(
                condition=Q(state="running"),
                fields=("app_id",),
                name="portfolio_one_running_per_app",
            ),
        ),
    ]
