"""Checks whether a record of a public topic was written by the installation: `RecordVerifier`. It needs `pip install cupel[records]`."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, Protocol, Union, cast

from .errors import ConfigurationError, RecordVerificationError

__all__ = ["RecordHeaders", "RecordVerifier"]

RecordHeaders = Union[Mapping[str, Any], Iterable[tuple[str, Any]], None]
"""Headers as clients of Kafka have them: a mapping, or pairs of names and values, in text or bytes."""

_ED25519 = 1
_OF_RECORDS = "/reports"
"""Keys with this end of the name sign records. Others sign checkpoints: neither counts for the other."""
_SIGNATURE = "cupel_signature"
_BESIDE = (_SIGNATURE, "cupel_mac")
_FORM = re.compile(r"([0-9a-f]{8})\.([1-9][0-9]{0,4})\.(0|[1-9][0-9]{0,4})\.([\w-]*)\.([\w-]{86})", re.ASCII)
_HASH_BYTES = 32
_MAX_SIZE = 65_536
"""Maximum number of leaves of a tree that is read."""
_MAX_REMEMBERED = 4_096
"""Number of batches whose signatures are remembered: the records of one are near each other."""


class _PublicKey(Protocol):
    def verify(self, signature: bytes, data: bytes, /) -> None: ...


class _Key(NamedTuple):
    name: str
    id: str
    key: _PublicKey


class RecordVerifier:
    """
    Every record of a public topic carries the signature of its batch, and its path in the tree of the batch. The signature binds topic,
    key, value, headers and log. It does not bind partition and offset: the transparency log shows order and completeness.

    `public_keys` is the text of the file with public keys that the operator gave you: one key on each line. `logs` is the identity of
    the log, and those that it had before it was adopted. `topic_prefix` is the installation's prefix of topics, if it has one.
    """

    def __init__(self, *, public_keys: str, logs: str | Sequence[str], topic_prefix: str = "") -> None:
        self._logs = [logs] if isinstance(logs, str) else list(logs)
        if not self._logs or "" in self._logs:
            raise ConfigurationError("There is no identity of the log.")
        self._topic_prefix = topic_prefix
        self._keys = _record_keys(public_keys)
        self._remembered: dict[tuple[str, bytes, str], bool] = {}

    def verify(self, *, topic: str, key: str | bytes | None, value: bytes | None, headers: RecordHeaders) -> str:
        """
        Returns the id of the key that signed the record, as clients of Kafka give it, not decoded. Raises a RecordVerificationError if
        none of the keys did: stop at such a record, or leave it out.
        """
        texts = _header_texts(headers)
        key_id, size, index, path, signature = _signature_in(texts)
        known = [each for each in self._keys if each.id == key_id]
        if not known:
            raise RecordVerificationError(
                "unknown_key", f"The record is signed by the key {key_id}, which is not among the given ones."
            )
        root = _root_of_path(sha256(b"\x00" + self._entry(topic, key, value, texts)).digest(), index, size, path)
        if root is not None:
            end = f"\n{size}\n{base64.b64encode(root).decode()}\n"
            for each in known:
                if any(self._is_signed(each, signature, f"{each.name}/batches/{log}{end}") for log in self._logs):
                    return key_id
        raise RecordVerificationError("wrong_signature", f"The record is not what the key {key_id} signed.")

    def _entry(self, topic: str, key: str | bytes | None, value: bytes | None, texts: Mapping[str, str]) -> bytes:
        if not topic.startswith(self._topic_prefix):
            raise RecordVerificationError(
                "wrong_signature", f"The topic {topic} does not begin with the prefix of the installation."
            )
        entry = [
            "cupel-record-1",
            topic[len(self._topic_prefix) :],
            "" if key is None else _text(key),
            sorted([name, text] for name, text in texts.items() if name not in _BESIDE),
            sha256(value or b"").hexdigest(),
        ]
        try:
            return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode()
        except UnicodeEncodeError:
            raise _malformed("The key or a header is not text in UTF-8.") from None

    def _is_signed(self, key: _Key, signature: bytes, text: str) -> bool:
        from cryptography.exceptions import InvalidSignature

        batch = (key.id, signature, text)
        if batch not in self._remembered:
            if len(self._remembered) >= _MAX_REMEMBERED:
                self._remembered.clear()
            try:
                key.key.verify(signature, text.encode())
                self._remembered[batch] = True
            except InvalidSignature:
                self._remembered[batch] = False
        return self._remembered[batch]


def _record_keys(text: str) -> list[_Key]:
    """The keys that sign records. Empty lines and lines that begin with # do not count."""
    keys: list[_Key] = []
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if line == "" or line.startswith("#"):
            continue
        key = _key_of(line)
        if key is None:
            raise ConfigurationError(f"Line {number} of the public keys is not a public key.")
        if key.name.endswith(_OF_RECORDS):
            keys.append(key)
    if not keys:
        raise ConfigurationError("None of the public keys signs records.")
    return keys


def _key_of(line: str) -> _Key | None:
    found = re.fullmatch(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})", line)
    data = None if found is None else _exact_bytes(found[3])
    if found is None or data is None or len(data) != 33 or data[0] != _ED25519:
        return None
    if sha256(found[1].encode() + b"\n" + data).hexdigest()[:8] != found[2]:
        return None
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise ConfigurationError("Signatures are checked with the package cryptography: pip install cupel[records]") from error
    return _Key(found[1], found[2], Ed25519PublicKey.from_public_bytes(data[1:]))


def _signature_in(texts: Mapping[str, str]) -> tuple[str, int, int, list[bytes], bytes]:
    header = texts.get(_SIGNATURE)
    if header is None:
        raise RecordVerificationError("no_signature", "The record carries no signature.")
    found = _FORM.fullmatch(header)
    hashes, signature = (None, None) if found is None else (_exact_url_bytes(found[4]), _exact_url_bytes(found[5]))
    if found is None or hashes is None or signature is None or len(hashes) % _HASH_BYTES != 0:
        raise _malformed("The signature is malformed.")
    size, index = int(found[2]), int(found[3])
    if size > _MAX_SIZE or index >= size:
        raise _malformed("The signature is malformed.")
    path = [hashes[at : at + _HASH_BYTES] for at in range(0, len(hashes), _HASH_BYTES)]
    return found[1], size, index, path, signature


def _root_of_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
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


def _header_texts(headers: RecordHeaders) -> dict[str, str]:
    """A record with two headers of a name is one that the installation does not write: each reader could take another one."""
    pairs: Iterable[tuple[str, Any]] = (
        cast("Mapping[str, Any]", headers).items() if isinstance(headers, Mapping) else headers or ()
    )
    texts: dict[str, str] = {}
    for name, value in pairs:
        if name in texts or not isinstance(value, (str, bytes)):
            raise _malformed(f"The header {name} has not exactly one value.")
        texts[name] = _text(value)
    return texts


def _text(given: str | bytes) -> str:
    if isinstance(given, str):
        return given
    try:
        return given.decode()
    except UnicodeDecodeError:
        raise _malformed("The key or a header is not text in UTF-8.") from None


def _malformed(message: str) -> RecordVerificationError:
    return RecordVerificationError("malformed", message)


def _exact_bytes(text: str) -> bytes | None:
    """The bytes of base64 in the one spelling that an encoder writes; None if the text has another one."""
    try:
        data = base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return None
    return data if base64.b64encode(data).decode() == text else None


def _exact_url_bytes(text: str) -> bytes | None:
    return _exact_bytes(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4))
