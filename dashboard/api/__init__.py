"""The HTTP API under `/api/v1/`, and the pages that machines ask: health and metrics."""
