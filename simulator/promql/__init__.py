"""Prometheus's query language, as much of it as dashboards of this kind ask with."""
