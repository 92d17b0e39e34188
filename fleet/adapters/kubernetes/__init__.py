"""Kubernetes API servers: reading through raw bytes and typed structs, authentication by the
official client."""
