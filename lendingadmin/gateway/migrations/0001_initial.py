from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies: list[tuple[str, str]] = []

    operations = [
        migrations.CreateModel(
            name="ServiceToken",
            fields=[
                ("key", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("sealed", models.TextField(blank=True)),
                ("serial", models.CharField(blank=True, max_length=32)),
                ("lease_holder", models.CharField(blank=True, max_length=32)),
                ("lease_until", models.FloatField(default=0)),
                ("refusal", models.TextField(blank=True)),
            ],
            options={"default_permissions": ()},
        ),
    ]
