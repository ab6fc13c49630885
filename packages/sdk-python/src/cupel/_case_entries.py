"""The entries of a case in the proof of its report: each has a leaf of its own in the same tree."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from ._evidence import exact_bytes, exact_url_bytes, root_of_path
from .errors import ProofVerificationError


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


class EntryLine(NamedTuple):
    salt: str
    leaf: str
    leaf_index: int
    path: list[str]
    text: str
    openings: list[tuple[str, str, str]]
    """[sealed, plain, salt] of each text that is shown."""


_RECORDED = ("version", "kind", "at", "key_id", "subject", "disposition", "previous_disposition", "proposal_version")
_MAX_PATH = 63
_START = '["cupel-case-entry-1",{'
_SEALED = re.compile(r"sealed1\.[0-9a-f]{16}\.([\w-]{64,16384})", re.ASCII)


def _exact_json(text: str) -> Any:
    """None if the text has another spelling than the shortest one."""
    try:
        value = json.loads(text)
        return value if json.dumps(value, ensure_ascii=False, separators=(",", ":")) == text else None
    except (ValueError, RecursionError):
        return None


def _is_hash(value: object) -> bool:
    data = exact_bytes(value) if isinstance(value, str) and value.isascii() else None
    return data is not None and len(data) == 32


def entry_line(line: bytes) -> EntryLine | None:
    """None if the line has another form."""
    try:
        value = _exact_json(line.decode())
    except UnicodeDecodeError:
        return None
    if not _is_list(value) or len(value) != 6:
        return None
    salt, leaf, index, path, text, openings = value
    if not _is_hash(salt) or not isinstance(leaf, str) or type(index) is not int or not 0 <= index < 2**53:
        return None
    if not _is_list(path) or len(path) > _MAX_PATH or not all(map(_is_hash, path)) or not isinstance(text, str):
        return None
    if not _is_list(openings) or not all(map(_is_opening, openings)):
        return None
    return EntryLine(salt, leaf, index, path, text, openings)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _is_opening(value: Any) -> bool:
    return _is_list(value) and len(value) == 3 and all(isinstance(each, str) for each in value) and _is_hash(value[2])


def proven_entries(
    lines: list[EntryLine], report_id: str, *, size: int, root: bytes, document_hash_in: Callable[[bytes], bytes]
) -> list[ProvenEntry]:
    """Raises a ProofVerificationError unless these are the entries of the case of this report, from the first one on."""
    proven: list[ProvenEntry] = []
    for version, line in enumerate(lines, 1):
        which = f"The entry {version} of the case"
        leaf, path = line.leaf.encode(), [_bytes_of(each) for each in line.path]
        if root_of_path(sha256(b"\x00" + leaf).digest(), line.leaf_index, size, path) != root:
            raise ProofVerificationError(f"{which} does not lead to the root of the checkpoint.")
        if sha256(_bytes_of(line.salt) + line.text.encode()).digest() != document_hash_in(leaf):
            raise ProofVerificationError(f"{which} is not the one of its leaf.")
        value = _exact_json(line.text) if line.text.startswith(_START) else None
        if value is None or value[1]["report_id"] != report_id:
            raise ProofVerificationError(f"{which} is not one of this report.")
        if type(value[1]["version"]) is not int or value[1]["version"] != version:
            raise ProofVerificationError(f"{which} is missing.")
        if proven and line.leaf_index <= proven[-1].index:
            raise ProofVerificationError(f"{which} has a leaf before that of the entry before.")
        opened = _opened_texts(value[1], line.openings)
        if opened is None:
            raise ProofVerificationError(f"{which} has a text that is not the sealed one.")
        proven.append(_proven_entry(value[1], opened, line.leaf_index))
    return proven


def _opened_texts(entry: dict[str, Any], openings: list[tuple[str, str, str]]) -> dict[str, str] | None:
    """The plain texts by their sealed ones. None if one is wrong, is given twice, or is of no text of the entry that is shown."""
    opened: dict[str, str] = {}
    for sealed, plain, salt in openings:
        found = _SEALED.fullmatch(sealed)
        data = None if found is None else exact_url_bytes(found[1])
        if data is None or data[:32] != sha256(_bytes_of(salt) + plain.encode()).digest():
            return None
        if sealed in opened or sealed not in [value for name, value in entry.items() if name != "subject"]:
            return None
        opened[sealed] = plain
    return opened


def _proven_entry(entry: dict[str, Any], opened: dict[str, str], leaf_index: int) -> ProvenEntry:
    def shown(text: str) -> str | None:
        return opened.get(text, None if _SEALED.fullmatch(text) else text)

    recorded = {name: entry[name] for name in _RECORDED}
    further = {name: value for name, value in entry.items() if name not in (*_RECORDED, "report_id", "person", "text")}
    details = {name: shown(value) if isinstance(value, str) else value for name, value in further.items()}
    person = None if entry["person"] == "" else shown(entry["person"])
    return ProvenEntry(**recorded, person=person, text=shown(entry["text"]), details=details, index=leaf_index)


def _bytes_of(base64: str) -> bytes:
    return exact_bytes(base64) or b""
