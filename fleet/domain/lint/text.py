"""Values as YAML, so that a patch can be read before it is applied."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

# What YAML takes for a text without quotes; words that it takes for something else are quoted.
_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9._/-]*")
_OTHER = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def yaml_of(value: object) -> str:
    """Mappings, lists and scalars, keys in the order given. Ends with a newline."""
    return "\n".join(_lines(value)) + "\n"


def _lines(value: object) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _entry(f"{_scalar(str(key))}:", item)
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        for item in value:
            yield from _item(item)
    else:
        yield _scalar(value)


def _entry(head: str, item: object) -> Iterator[str]:
    nested = isinstance(item, Mapping | list | tuple) and bool(item)
    if not nested:
        yield f"{head} {_scalar(item)}"
        return
    yield head
    indent = "" if isinstance(item, list | tuple) else "  "
    yield from (indent + line for line in _lines(item))


def _item(item: object) -> Iterator[str]:
    for at, line in enumerate(_lines(item)):
        yield ("  " if at else "- ") + line


def _scalar(value: object) -> str:
    plain = isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _OTHER
    if isinstance(value, str):
        return value if plain else f'"{"".join(map(_escaped, value))}"'
    return json.dumps(value)


def _escaped(sign: str) -> str:
    """As a double-quoted text of YAML has it: what is not ASCII by number."""
    code = ord(sign)
    if sign in '"\\':
        return f"\\{sign}"
    if 0x20 <= code < 0x7F:
        return sign
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
