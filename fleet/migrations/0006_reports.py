"""Weekly reports as they were made."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0005_start_counts"),
    ]

    operations = [
        migrations.CreateModel(
            name="Report",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("week", models.CharField(max_length=8)),
                ("revision", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField()),
                ("why", models.CharField(blank=True, max_length=500)),
                ("facts", models.TextField()),
            ],
            options={
                "indexes": [models.Index(fields=["-created_at", "-id"], name="reports_newest")],
                "constraints": [
                    models.UniqueConstraint(fields=("week", "revision"), name="one_row_per_report")
                ],
            },
        ),
    ]
