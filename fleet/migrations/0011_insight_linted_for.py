from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0010_requests_incidents_insights"),
    ]

    operations = [
        migrations.AddField(
            model_name="modelinsight",
            name="linted_for",
            field=models.CharField(blank=True, default="", max_length=64),
        ),
    ]
