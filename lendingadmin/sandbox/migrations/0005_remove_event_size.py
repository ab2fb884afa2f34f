from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("sandbox", "0004_event_last")]

    operations = [migrations.RemoveField(model_name="event", name="size")]
