"""AES-GCM with a ring of keys: the first seals, all of them open.

A sealed secret is: format (1 byte), key id (8 bytes), nonce (12 bytes), ciphertext with its tag.
What it belongs to is associated data, so a ciphertext that was moved to another row does not open.
"""

import hashlib
import os
from collections.abc import Mapping

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from fleet.errors import FleetError

FORMAT = b"\x01"
ID_BYTES = 8
NONCE_BYTES = 12
KEY_BYTES = 32


class WrongKey(FleetError):
    """The secret was sealed with a key that this process does not hold, for something else, or was
    altered."""


class KeyRing:
    """Keys of one trust zone, from the text of a setting: `key` or `newest,older,…`."""

    def __init__(self, text: str, *, zone: str) -> None:
        """zone: "reader" or "actor"; the same text gives other keys in another zone."""
        words = [word.strip() for word in text.split(",") if word.strip()]
        self._zone = zone
        self._keys: Mapping[bytes, AESGCM] = dict(_key(word, zone) for word in words)

    def __bool__(self) -> bool:
        """Whether there is any key at all."""
        return bool(self._keys)

    def seal(self, secret: str, *, about: str) -> bytes:
        """Seal with the newest key. about: what it belongs to, as "cluster/demo-a/token"."""
        if not self._keys:
            raise WrongKey(f"there is no {self._zone} key in this process")
        key_id, key = next(iter(self._keys.items()))
        nonce = os.urandom(NONCE_BYTES)
        sealed = key.encrypt(nonce, secret.encode(), self._bound(about))
        return FORMAT + key_id + nonce + sealed

    def open(self, sealed: bytes, *, about: str) -> str:
        """The secret; WrongKey when it is not ours to read or not what it claims to be."""
        body = bytes(sealed)
        key = self._keys.get(body[1 : 1 + ID_BYTES])
        if body[:1] != FORMAT or key is None:
            raise WrongKey(f"the {self._zone} secret of {about} was sealed with another key")
        start = 1 + ID_BYTES
        nonce, text = body[start : start + NONCE_BYTES], body[start + NONCE_BYTES :]
        try:
            return key.decrypt(nonce, text, self._bound(about)).decode()
        except InvalidTag:
            raise WrongKey(f"the {self._zone} secret of {about} does not belong there") from None

    def reseal(self, sealed: bytes, *, about: str) -> bytes:
        """The same secret sealed with the newest key; unchanged if it is already. WrongKey as
        opening."""
        secret = self.open(sealed, about=about)
        if bytes(sealed)[1 : 1 + ID_BYTES] == next(iter(self._keys)):
            return bytes(sealed)
        return self.seal(secret, about=about)

    def _bound(self, about: str) -> bytes:
        return f"pilot-light/{self._zone}/{about}".encode()


def _key(text: str, zone: str) -> tuple[bytes, AESGCM]:
    derived = HKDF(
        algorithm=SHA256(), length=KEY_BYTES, salt=None, info=f"pilot-light/{zone}".encode()
    ).derive(text.encode())
    key_id = hashlib.sha256(b"id" + derived).digest()[:ID_BYTES]
    return key_id, AESGCM(derived)
