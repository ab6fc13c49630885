"""Checks offline whether a report, and what people decided about it, is in the transparency log of an installation: `verify_proof`. It needs `pip install cupel[records]`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from . import _verify_report
from ._evidence import keys_in
from .errors import ProofVerificationError

__all__ = ["ProvenEntry", "ProvenReport", "verify_proof"]

CustomerReference = Literal["recorded", "proven", "erased", "sealed"]

_auditors: Any = _verify_report
"""The file with which auditors check proofs: both say the same of every proof."""


@dataclass(frozen=True)
class ProvenEntry:
    """A note or a decision about a report, which is proven."""

    version: int
    """The place in the case, from 1: none before the last one of the proof is left out."""
    kind: str
    """`note`, `disposition_changed`, `disposition_proposed`, `proposal_declined`, `assigned` or `file_attached`."""
    at: str
    key_id: str
    """The API key of the call."""
    person: str | None
    """None if no person was signed in, or if the name was erased."""
    subject: str
    """Sealed: two entries of one person have the same one. Empty if no person was signed in."""
    text: str | None
    """None if it was erased."""
    disposition: str | None
    previous_disposition: str | None
    proposal_version: int | None
    """The entry that this one confirms or declines."""
    details: dict[str, Any]
    """
    The further members of its kind, as the proof names them: `key_name`, `assignee_person`, `due_on`, `file_name`, `file_sha256` and so on.
    The value of a text that was erased is None.
    """
    index: int
    """The place of its leaf."""


@dataclass(frozen=True)
class ProvenReport:
    """The statement of a proof."""

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


def verify_proof(report: bytes, proof: bytes | str, *, public_keys: str) -> ProvenReport:
    """
    `report` and `proof` are the bytes of `reports.document` and of `reports.proof` or `cases.proof`, unchanged; `public_keys` is the text of the file with
    public keys that the operator gave you. Raises a ProofVerificationError if the proof does not prove the report. It needs no network
    and checks no cosignatures of witnesses.
    """
    keys = {(key.name, key.id): key.typed[1:] for key in keys_in(public_keys)}
    data = proof if isinstance(proof, bytes) else proof.encode("utf-8", "surrogatepass")
    try:
        log, index, size, leaf_hash, key_id, _, reference, entries = _auditors.examine(report, data, keys)
    except _auditors.NotProven as refusal:
        raise ProofVerificationError(str(refusal)) from None
    return ProvenReport(log, index, size, leaf_hash, key_id, reference, [_proven_entry(*each) for each in entries])


_RECORDED = ("version", "kind", "at", "key_id", "subject", "disposition", "previous_disposition", "proposal_version")


def _proven_entry(entry: dict[str, Any], opened: dict[str, str], index: int) -> ProvenEntry:
    recorded = {name: entry[name] for name in _RECORDED}
    person, text = (_auditors.shown_value(entry[name], opened) for name in ("person", "text"))
    return ProvenEntry(**recorded, person=person or None, text=text, details=_auditors.details_of(entry, opened), index=index)
