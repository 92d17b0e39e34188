"""The index of a model's starts holds the whole order that lists ask for.

Without the id SQLite took the index of the namespace, and read all of its starts for one model.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0007_past"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="coldstart", name="cold_starts_of_model"),
        migrations.AddIndex(
            model_name="coldstart",
            index=models.Index(
                fields=["cluster", "kind", "namespace", "name", "-started_at", "-id"],
                name="cold_starts_of_model",
            ),
        ),
    ]
