"""Raw JSON of the Kubernetes API to records. Only what we read is decoded."""

from fleet.adapters.kubernetes.parse.objects import parse_list, parse_object

__all__ = ["parse_list", "parse_object"]
