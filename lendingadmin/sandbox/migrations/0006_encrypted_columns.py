from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("sandbox", "0005_remove_event_size")]
    operations = [
        migrations.RenameField(model, "sealed", "encrypted")
        for model in ("Borrower", "Repayment", "EventData", "Assessment", "OfferOperation")
    ]
