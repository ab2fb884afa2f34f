from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('staff', '0009_uses_keys'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='user',
            name='locale',
        ),
    ]
