"""A Prometheus of one simulated cluster: it scrapes, keeps an hour, and answers queries."""
