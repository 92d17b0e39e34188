"""Values as YAML, so that a patch can be read before it is applied."""

import json
import re
from functools import lru_cache

# What YAML takes for a text without quotes; words that it takes for something else are quoted.
_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9._/-]*")
_OTHER = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def yaml_of(value: object) -> str:
    """Dicts, lists and scalars, keys in the order given. Ends with a newline."""
    lines: list[str] = []
    _write(value, lines, indent="", head="")
    return "\n".join(lines) + "\n"


def _write(value: object, lines: list[str], *, indent: str, head: str) -> None:
    """head: what stands before the first line instead of its indent, such as "- "."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            _entry(f"{head or indent}{_key(key)}:", item, lines, indent)
            head = ""
    elif isinstance(value, list) and value:
        for item in value:
            _write(item, lines, indent=f"{indent}  ", head=f"{head or indent}- ")
            head = ""
    else:
        lines.append(f"{head or indent}{_scalar(value)}")


def _entry(start: str, item: object, lines: list[str], indent: str) -> None:
    """Lists stand as deep as their key."""
    if isinstance(item, dict | list) and item:
        lines.append(start)
        deeper = indent if isinstance(item, list) else f"{indent}  "
        _write(item, lines, indent=deeper, head="")
    else:
        lines.append(f"{start} {_scalar(item)}")


@lru_cache(maxsize=512)
def _key(key: str) -> str:
    """Patches of all models have the same ones."""
    return _scalar(key)


def _scalar(value: object) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    if _PLAIN.fullmatch(value) and value.lower() not in _OTHER:
        return value
    if value.isascii() and value.isprintable():
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return f'"{"".join(map(_escaped, value))}"'


def _escaped(sign: str) -> str:
    """As a double-quoted text of YAML has it: what is not ASCII by number."""
    code = ord(sign)
    if sign in '"\\':
        return f"\\{sign}"
    if 0x20 <= code < 0x7F:
        return sign
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
