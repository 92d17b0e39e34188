"""How far a recorded past of a cluster was read."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("fleet", "0006_reports")]

    operations = [
        migrations.AddField(
            model_name="cluster",
            name="past",
            field=models.JSONField(blank=True, default=dict),
        ),
    ]
