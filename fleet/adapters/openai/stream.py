"""Server-sent events of a streamed completion: when did the first token come?"""

from collections.abc import Iterable

import msgspec

LINE_BYTES = 64 * 1024


class Delta(msgspec.Struct):
    """What a chat chunk adds; any of it counts as a token."""

    content: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[msgspec.Raw] | None = None


class Choice(msgspec.Struct):
    """One choice of a chunk: `text` in completions, `delta` in chat."""

    text: str | None = None
    delta: Delta | None = None
    finish_reason: str | None = None


class Usage(msgspec.Struct):
    """Counted by the server, in the last chunk."""

    completion_tokens: int | None = None


class Chunk(msgspec.Struct):
    """What one `data:` line holds; an error may come after a 200."""

    choices: list[Choice] = []
    usage: Usage | None = None
    error: msgspec.Raw | None = None


_chunk = msgspec.json.Decoder(Chunk)


def chunk_of(line: str) -> Chunk | None:
    """The chunk of a line; None for other lines, the end mark, and what is no chunk."""
    if not line.startswith("data:") or len(line) > LINE_BYTES:
        return None
    try:
        return _chunk.decode(line[5:].strip())
    except msgspec.MsgspecError:
        return None


def has_token(chunk: Chunk) -> bool:
    """Whether something was generated: an empty role-only chunk is none, a finished answer or a
    counted token is one even if its text is empty."""
    if chunk.usage is not None and chunk.usage.completion_tokens:
        return True
    return any(_generated(choice) for choice in chunk.choices)


def _generated(choice: Choice) -> bool:
    delta = choice.delta
    parts: Iterable[object] = (choice.text,)
    if delta is not None:
        parts = (delta.content, delta.reasoning, delta.reasoning_content, delta.tool_calls)
    return any(parts) or choice.finish_reason in ("length", "stop")
