"""What records and proofs are checked with: public keys of C2SP signed-note, hash trees of RFC 6962, texts with one spelling."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple, Protocol

from .errors import ConfigurationError

_ED25519 = 1


class _Ed25519Key(Protocol):
    def verify(self, signature: bytes, data: bytes, /) -> None: ...


class PublicKey(NamedTuple):
    name: str
    id: str
    key: _Ed25519Key
    typed: bytes

    def has_signed(self, data: bytes, signature: bytes) -> bool:
        from cryptography.exceptions import InvalidSignature

        try:
            self.key.verify(signature, data)
            return True
        except InvalidSignature:
            return False


def id_of(name: str, typed: bytes) -> str:
    return sha256(name.encode() + b"\n" + typed).hexdigest()[:8]


def keys_in(text: str) -> list[PublicKey]:
    """Empty lines and lines that begin with # do not count."""
    keys: list[PublicKey] = []
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if line == "" or line.startswith("#"):
            continue
        key = _key_of(line)
        if key is None:
            raise ConfigurationError(f"Line {number} of the public keys is not a public key.")
        keys.append(key)
    if not keys:
        raise ConfigurationError("The file has no public key.")
    return keys


def _key_of(line: str) -> PublicKey | None:
    found = re.fullmatch(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})", line)
    data = None if found is None else exact_bytes(found[3])
    if found is None or data is None or len(data) != 33 or data[0] != _ED25519:
        return None
    if id_of(found[1], data) != found[2]:
        return None
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise ConfigurationError("Signatures are checked with the package cryptography: pip install cupel[records]") from error
    return PublicKey(found[1], found[2], Ed25519PublicKey.from_public_bytes(data[1:]), data)


def root_of_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root that the path leads to (RFC 9162, section 2.1.3.2); None if no tree of this size has such a path."""
    if index >= size:
        return None
    last, node = size - 1, leaf
    for sibling in path:
        if last == 0:
            return None
        if index & 1 or index == last:
            node = sha256(b"\x01" + sibling + node).digest()
            while not index & 1 and index != 0:
                index, last = index >> 1, last >> 1
        else:
            node = sha256(b"\x01" + node + sibling).digest()
        index, last = index >> 1, last >> 1
    return node if last == 0 else None


def exact_bytes(text: str) -> bytes | None:
    """The bytes of base64 in the one spelling that an encoder writes; None if the text has another one."""
    try:
        data = base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return None
    return data if base64.b64encode(data).decode() == text else None


def exact_url_bytes(text: str) -> bytes | None:
    return exact_bytes(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4))
