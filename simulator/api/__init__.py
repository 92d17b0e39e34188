"""The Kubernetes API of one simulated cluster, over HTTPS."""
