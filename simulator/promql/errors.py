"""What a query is refused with. The text is Prometheus's own where it has one."""

from __future__ import annotations


class QueryError(Exception):
    """kind: Prometheus's errorType."""

    kind = "execution"
    status = 422


class ParseError(QueryError):
    kind = "bad_data"
    status = 400

    def __init__(self, position: int, text: str) -> None:
        """position: of the first character concerned, from 0."""
        super().__init__(f'invalid parameter "query": 1:{position + 1}: parse error: {text}')
