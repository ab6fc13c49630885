"""Tools that check records and proofs: public keys of C2SP signed-note, hash trees of RFC 6962, texts with one spelling."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, cast

from . import _verify_report
from .errors import ConfigurationError

_auditors: Any = _verify_report
"""The file with which auditors check proofs: both read keys, hashes and paths alike."""


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
    data: bytes | None = None if found is None else _auditors.bytes_of_base64(found[3], 33)
    if found is None or data is None or data[0] != _auditors.ED25519:
        return None
    if _auditors.id_of(found[1], data[0], data[1:]) != found[2]:
        return None
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise ConfigurationError("Signatures are checked with the package cryptography: pip install cupel[records]") from error
    return PublicKey(found[1], found[2], Ed25519PublicKey.from_public_bytes(data[1:]), data)


def root_of_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root that the path leads to (RFC 9162, section 2.1.3.2); None if no tree of this size has such a path."""
    return cast("bytes | None", _auditors.root_of_path(leaf, index, size, path))


def exact_url_bytes(text: str) -> bytes | None:
    """The bytes of base64url in the one spelling that an encoder writes; None if the text has another one."""
    return cast("bytes | None", _auditors.of_base64url(text))
