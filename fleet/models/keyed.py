"""Columns shared by everything that belongs to one model. The key is for reading; model_uid is
the identity."""

from django.db import models

from fleet.domain.records.keys import ModelKey


def of_key(key: ModelKey) -> models.Q:
    """Rows of the model of this name, whichever object bore it."""
    return models.Q(cluster=key.cluster, kind=key.kind, namespace=key.namespace, name=key.name)


class Keyed(models.Model):
    """cluster is the cluster's name, kept when the cluster is removed, so that history stays."""

    cluster = models.CharField(max_length=40)
    kind = models.CharField(max_length=40)
    namespace = models.CharField(max_length=253)
    name = models.CharField(max_length=253)
    model_uid = models.CharField(max_length=80)

    class Meta:
        abstract = True

    @property
    def key(self) -> ModelKey:
        return ModelKey(self.cluster, self.kind, self.namespace, self.name)
