"""Metrics of a cluster: a Prometheus-compatible API, or metrics pages one by one."""
