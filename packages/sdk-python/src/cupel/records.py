"""Checks whether a record of a public topic was written by the installation: `RecordVerifier`. It needs `pip install cupel[records]`."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Union, cast

from ._evidence import PublicKey, exact_url_bytes, keys_in, root_of_path
from .errors import ConfigurationError, RecordVerificationError

__all__ = ["RecordHeaders", "RecordVerifier"]

RecordHeaders = Union[Mapping[str, Any], Iterable[tuple[str, Any]], None]
"""Headers as clients of Kafka have them: a mapping, or pairs of names and values, in text or bytes."""

_SIGNATURE = "cupel_signature"
_BESIDE = (_SIGNATURE, "cupel_mac")
_FORM = re.compile(r"([0-9a-f]{8})\.([1-9][0-9]{0,4})\.(0|[1-9][0-9]{0,4})\.([\w-]*)\.([\w-]{86})", re.ASCII)
_HASH_BYTES = 32
_MAX_SIZE = 65_536
"""Maximum number of leaves of a tree that is read."""
_MAX_REMEMBERED = 4_096
"""Number of batches whose signatures are remembered: the records of one are near each other."""


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
            raise ConfigurationError("The identity of the log is missing.")
        self._topic_prefix = topic_prefix
        self._keys = keys_in(public_keys)
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
        root = root_of_path(sha256(b"\x00" + self._entry(topic, key, value, texts)).digest(), index, size, path)
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

    def _is_signed(self, key: PublicKey, signature: bytes, text: str) -> bool:
        batch = (key.id, signature, text)
        if batch not in self._remembered:
            if len(self._remembered) >= _MAX_REMEMBERED:
                self._remembered.clear()
            self._remembered[batch] = key.has_signed(text.encode(), signature)
        return self._remembered[batch]


def _signature_in(texts: Mapping[str, str]) -> tuple[str, int, int, list[bytes], bytes]:
    header = texts.get(_SIGNATURE)
    if header is None:
        raise RecordVerificationError("no_signature", "The record carries no signature.")
    found = _FORM.fullmatch(header)
    hashes, signature = (None, None) if found is None else (exact_url_bytes(found[4]), exact_url_bytes(found[5]))
    if found is None or hashes is None or signature is None or len(hashes) % _HASH_BYTES != 0:
        raise _malformed("The signature is malformed.")
    size, index = int(found[2]), int(found[3])
    if size > _MAX_SIZE or index >= size:
        raise _malformed("The signature is malformed.")
    path = [hashes[at : at + _HASH_BYTES] for at in range(0, len(hashes), _HASH_BYTES)]
    return found[1], size, index, path, signature


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
