"""The service's own words are encrypted: they may quote what a person typed."""

from django.db import migrations

from lendingadmin.encryption import Ciphertext, EncryptedTextField, Undecryptable, bind

_AT_ONCE = 500


def list_rows(Repayment):
    """The rows that have such words, by primary key, a slice at a time."""
    last = 0
    rows = Repayment.objects.exclude(error_description='').order_by('pk')
    rows = rows.only('idempotency_key', 'error_description')
    while found := list(rows.filter(pk__gt=last)[:_AT_ONCE]):
        yield from found
        last = found[-1].pk


def encrypt_all(apps, schema_editor):
    Repayment = apps.get_model('repayments', 'Repayment')
    for row in list_rows(Repayment):
        # What stands in the column is not encrypted yet.
        changes = bind(row, error_description=str(row.__dict__['error_description']))
        Repayment.objects.filter(pk=row.pk).update(**changes)


def decrypt_all(apps, schema_editor):
    Repayment = apps.get_model('repayments', 'Repayment')
    for row in list_rows(Repayment):
        if not isinstance(row.error_description, Undecryptable):
            # Stored as it is, as if it were encrypted.
            clear = Ciphertext(row.error_description)
            Repayment.objects.filter(pk=row.pk).update(error_description=clear)


class Migration(migrations.Migration):

    dependencies = [
        ('repayments', '0005_bound_texts'),
    ]

    operations = [
        # The column stays text, so the database has nothing to do.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name='repayment',
                    name='error_description',
                    field=EncryptedTextField(blank=True, bound_to=('idempotency_key',)),
                ),
            ],
        ),
        migrations.RunPython(encrypt_all, decrypt_all),
    ]
