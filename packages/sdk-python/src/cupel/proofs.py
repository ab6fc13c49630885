"""Checks offline whether a report, and what people decided about it, is in the transparency log of an installation: `verify_proof`. It needs `pip install cupel[records]`."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, NamedTuple

from ._case_entries import EntryLine, ProvenEntry, entry_line, proven_entries
from ._evidence import PublicKey, exact_bytes, exact_url_bytes, keys_in, root_of_path
from .errors import ProofVerificationError

__all__ = ["ProvenEntry", "ProvenReport", "verify_proof"]

CustomerReference = Literal["recorded", "proven", "erased", "sealed"]


@dataclass(frozen=True)
class ProvenReport:
    """What a proof shows."""

    log: str
    """Name of the transparency log."""
    index: int
    """The place of the leaf."""
    size: int
    """Number of leaves in the log when the proof was made."""
    leaf_hash: str
    """RFC 6962 hash of the leaf, 64 hex digits: the PDF of the report prints it."""
    key_id: str
    """The key that signed the checkpoint."""
    customer_reference: CustomerReference
    """`recorded`: the log has it as the report shows it. `erased`: its key was destroyed. `sealed`: the report shows the sealed text."""
    entries: list[ProvenEntry]
    """The case of the report if the proof is one of a case: its entries from the first one on, without a gap."""


_FIRST_LINE = "c2sp.org/tlog-proof@v1"
_MAX_PATH = 63
_MAX_PROOF_CHARS = 16_777_216
_MAX_SIGNATURES = 100
_LAST_NUMBER = 2**53 - 1
_BASE64 = r'"([A-Za-z0-9+/]{43}=)"'
_LEAF = re.compile(rf'\["cupel-leaf-1",{_BASE64},{_BASE64},(?:{_BASE64}|null)\]', re.ASCII)
_SEALED = re.compile(r"sealed1\.[0-9a-f]{16}\.([\w-]{64,2048})", re.ASCII)
_MEMBER = '"customer_reference":'
"""No text within a JSON string can look like this, because its quotes have a backslash before them."""
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_LINE = re.compile("\u2014 ([^\\s+\ufeff]+) ([A-Za-z0-9+/]+={0,2})")
_OTHER_REFERENCE = "The customer reference of the report is not the one of the proof."


class _Reference(NamedTuple):
    sealed: str
    commitment: bytes
    salt: bytes | None


class _Proof(NamedTuple):
    salt: bytes
    entry: bytes
    reference: _Reference | None
    entries: list[EntryLine]
    leaf_index: int
    path: list[bytes]
    note: str


class _Checkpoint(NamedTuple):
    origin: str
    size: int
    root: bytes
    key_id: str


def verify_proof(report: bytes, proof: bytes | str, *, public_keys: str) -> ProvenReport:
    """
    `report` and `proof` are the bytes of `reports.document` and of `reports.proof` or `cases.proof`, unchanged; `public_keys` is the text of the file with
    public keys that the operator gave you. Raises a ProofVerificationError if the proof does not prove the report. It needs no network
    and checks no cosignatures of witnesses.
    """
    salt, entry, reference, lines, index, path, note = _parse_proof(proof)
    origin, size, root, key_id = _open_checkpoint(note, keys_in(public_keys))
    document = _document_hash_in(entry)
    leaf = sha256(b"\x00" + entry).digest()
    if root_of_path(leaf, index, size, path) != root:
        raise ProofVerificationError("The path does not lead from the leaf to the root of the checkpoint.")
    recorded, state = _as_recorded(report, reference)
    if sha256(salt + recorded).digest() != document:
        raise ProofVerificationError("The report is not the one of the leaf: not one byte of it may differ.")
    # The leaf of an entry of a case is of a text that begins with a bracket.
    if not report.startswith(b"{"):
        raise ProofVerificationError("The file is not a report.")
    report_id: str = json.loads(report)["report_id"] if lines else ""
    entries = proven_entries(lines, report_id, size=size, root=root, document_hash_in=_document_hash_in)
    return ProvenReport(origin, index, size, leaf.hex(), key_id, state, entries)


def _parse_proof(proof: bytes | str) -> _Proof:
    """A proof has one spelling, and any other one is refused."""
    try:
        text = proof if isinstance(proof, str) else proof.decode()
    except UnicodeDecodeError:
        raise _malformed() from None
    head, separator, note = text.partition("\n\n")
    lines = head.split("\n")
    if separator == "" or len(text) > _MAX_PROOF_CHARS or len(lines) < 3 or lines[0] != _FIRST_LINE:
        raise _malformed()
    if not lines[1].startswith("extra ") or not lines[2].startswith("index "):
        raise _malformed()
    extra, index = exact_bytes(lines[1][6:]), _number_of(lines[2][6:])
    path = [_hash_of(line) for line in lines[3:]]
    if extra is None or len(extra) <= 32 or index is None or len(path) > _MAX_PATH:
        raise _malformed()
    entry, *more = extra[32:].split(b"\n")
    at = next((at for at, line in enumerate(more) if line.startswith(b"[")), len(more))
    entries = [entry_line(line) for line in more[at:]]
    known = [line for line in entries if line is not None]
    if len(known) < len(entries):
        raise _malformed()
    return _Proof(extra[:32], entry, _reference_in(more[:at]), known, index, path, note)


def _reference_in(lines: list[bytes]) -> _Reference | None:
    if not lines:
        return None
    sealed, *rest = lines[0].decode("latin-1").split(" ")
    found = _SEALED.fullmatch(sealed)
    data = None if found is None else exact_url_bytes(found[1])
    if len(lines) > 1 or len(rest) > 1 or data is None:
        raise _malformed()
    return _Reference(sealed, data[:32], _hash_of(rest[0]) if rest else None)


def _document_hash_in(entry: bytes) -> bytes:
    found = _LEAF.fullmatch(entry.decode("latin-1"))
    hashes = [] if found is None else [None if text is None else exact_bytes(text) for text in found.groups()]
    if found is None or None in hashes[:2] or (found[3] is not None and hashes[2] is None):
        raise ProofVerificationError("The proof holds no leaf.")
    document = hashes[2]
    if document is None:
        raise ProofVerificationError("The leaf is not one of a report.")
    return document


def _as_recorded(report: bytes, reference: _Reference | None) -> tuple[bytes, CustomerReference]:
    """The report as the log has it: with the sealed reference."""
    if reference is None:
        return report, "recorded"
    try:
        text = report.decode()
    except UnicodeDecodeError:
        raise ProofVerificationError(_OTHER_REFERENCE) from None
    found = text.find(_MEMBER)
    start = found + len(_MEMBER)
    while found >= 0 and text[start : start + 1] in (" ", "\t", "\r", "\n"):
        start += 1
    literal = _STRING.match(text, start) if found >= 0 else None
    if literal is None:
        raise ProofVerificationError(_OTHER_REFERENCE)
    state = _state_of(literal[0], reference)
    return f'{text[:start]}"{reference.sealed}"{text[literal.end() :]}'.encode(), state


def _state_of(literal: str, reference: _Reference) -> CustomerReference:
    try:
        plain = json.loads(literal)
    except ValueError:
        raise ProofVerificationError(_OTHER_REFERENCE) from None
    # A text has one spelling.
    if json.dumps(plain, ensure_ascii=False) == literal:
        if plain == reference.sealed:
            return "sealed"
        if reference.salt is None and plain == "erased":
            return "erased"
        if reference.salt is not None:
            if sha256(reference.salt + plain.encode("utf-8", "replace")).digest() == reference.commitment:
                return "proven"
    raise ProofVerificationError(_OTHER_REFERENCE)


def _open_checkpoint(note: str, keys: list[PublicKey]) -> _Checkpoint:
    end = note.rfind("\n\n")
    lines = note[end + 2 :].split("\n")
    has_control = any(unicodedata.category(character) == "Cc" for character in note if character != "\n")
    if end < 0 or lines.pop() != "" or len(lines) > _MAX_SIGNATURES or has_control:
        raise ProofVerificationError("The checkpoint is not a signed note.")
    text = note[: end + 1]
    origin = note.partition("\n")[0]
    # The key of a log is a key of the installation under the name of the log.
    own = [(key, key.id_as(origin)) for key in keys if origin.startswith(f"{key.name}/transparency/")]
    signed: PublicKey | None = None
    for name, key_id, signature in map(_signature_in, lines):
        for key, own_id in own:
            if (origin, own_id) != (name, key_id):
                continue
            if not key.has_signed(text.encode(), signature):
                raise ProofVerificationError(f"The signature of the key {key_id} is wrong.")
            signed = signed or key
    if signed is None:
        raise ProofVerificationError("None of the given keys signed the checkpoint.")
    return _checkpoint_in(text, signed)


def _signature_in(line: str) -> tuple[str, str, bytes]:
    found = _LINE.fullmatch(line)
    data = None if found is None else exact_bytes(found[2])
    if found is None or data is None or len(data) <= 4:
        raise ProofVerificationError("A line of the signatures is not well-formed.")
    return found[1], data[:4].hex(), data[4:]


def _checkpoint_in(text: str, key: PublicKey) -> _Checkpoint:
    lines = text.split("\n")
    if len(lines) == 4 and lines[3] == "" and re.fullmatch(r"[!-*,-~]+", lines[0], re.ASCII):
        size, root = _number_of(lines[1]), exact_bytes(lines[2])
        if size is not None and root is not None and len(root) == 32:
            return _Checkpoint(lines[0], size, root, key.id)
    raise ProofVerificationError("The signed text is not a checkpoint.")


def _number_of(text: str) -> int | None:
    """None if the text has leading zeros, or is more than 2^53 - 1."""
    if re.fullmatch(r"0|[1-9][0-9]{0,15}", text, re.ASCII) is None:
        return None
    return int(text) if int(text) <= _LAST_NUMBER else None


def _hash_of(text: str) -> bytes:
    data = exact_bytes(text)
    if data is None or len(data) != 32:
        raise _malformed()
    return data


def _malformed() -> ProofVerificationError:
    return ProofVerificationError("The proof is not well-formed.")
