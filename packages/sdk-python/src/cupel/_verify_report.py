# type: ignore
# Made from packages/evidence/python/verify_report.py by `npm run generate`.
"""Checks offline that a report is one of a Cupel installation, and what people decided about it: by a proof, or by an archive of its log.

    python3 verify_report.py REPORT.json REPORT.tlog-proof --key KEYS.txt
    python3 verify_report.py REPORT.json REPORT.tlog-proof --key KEYS.txt --witness VKEY VKEY VKEY --witnesses-needed 2
    python3 verify_report.py REPORT.json CASE.tlog-proof --key KEYS.txt
    python3 verify_report.py REPORT.json --archive FOLDER --key KEYS.txt
    python3 verify_report.py AUDIT.pdf AUDIT.pdf.sig --key KEYS.txt

REPORT.json is the report, byte for byte as the API answered it. The proof is what GET /v1/reports/{report_id}/proof
answered: it shows that the report is in the transparency log. CASE.tlog-proof is what GET /v1/reports/{report_id}/case/proof
answered: it shows also who decided what about the report, and when. FOLDER is what `cupel archive create` made: the report is
found in it, with the signature of the batch in which it was decided. KEYS.txt holds the public keys of the installation,
one on each line, which the operator gave to you himself. VKEY is the public key of a witness, which the witness publishes:
its cosignature says that it was shown no other history of the transparency log. AUDIT.pdf is what `cupel audit recompute --pdf`
wrote: its signature shows who made it and that no byte was changed, and not that what it says is right.

This one file needs Python 3.9 or later and nothing else: no package, no network, no installation. It follows RFC 6962
(hash trees), RFC 8032 (Ed25519), C2SP (signed-note, tlog-checkpoint, tlog-cosignature, tlog-proof) and Avro 1.11 (object container files).
It ends with 0 if the report is proven, with 1 if it is not, and with 2 where a file cannot be used.
"""

import argparse
import base64
import binascii
import datetime
import hashlib
import json
import os
import re
import sys
import unicodedata
import zlib


class NotProven(Exception):
    """The message is a sentence that says why."""


# --- Text that has one spelling ---------------------------------------------------------------------------------------


def bytes_of_base64(text, length=None):
    """The bytes, or None if the text is not exactly what an encoder writes."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        return None
    if base64.b64encode(data).decode("ascii") != text:
        return None
    return data if length is None or len(data) == length else None


def number_of(text):
    """The number, or None if the text has leading zeros or is more than 2^53 - 1."""
    if re.fullmatch(r"0|[1-9][0-9]{0,15}", text, re.ASCII) is None:
        return None
    return int(text) if int(text) < 2**53 else None


# --- Ed25519 (RFC 8032, section 5.1.7) --------------------------------------------------------------------------------

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


def point_of(data):
    """The point of 32 bytes as (X, Y, Z, T), or None if they are not a point."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P != 0 or (x == 0 and sign == 1):
        return None
    if x & 1 != sign:
        x = P - x
    return (x, y, 1, x * y % P)


def add(one, other):
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(factor, point):
    result = (0, 1, 1, 0)
    while factor > 0:
        if factor & 1:
            result = add(result, point)
        point = add(point, point)
        factor >>= 1
    return result


BASE = point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def is_signed(public_key, message, signature):
    """True if the owner of the public key signed the message."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    key, r = point_of(public_key), point_of(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if key is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public_key + message).digest(), "little") % L
    one, other = times(s, BASE), add(r, times(h, key))
    return (one[0] * other[2] - other[0] * one[2]) % P == 0 and (one[1] * other[2] - other[1] * one[2]) % P == 0


# --- Public keys (C2SP signed-note) -----------------------------------------------------------------------------------


ED25519, COSIGNATURE_V1 = 1, 4


def id_of(name, kind, key):
    return hashlib.sha256(name.encode("utf-8") + b"\n" + bytes([kind]) + key).hexdigest()[:8]


def key_of(line, kind=ED25519):
    """(name, id, 32 bytes) of a line `name+id+base64`, or None if it is not such a line, or is of another kind."""
    found = re.fullmatch(r"([!-*,-~]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})", line, re.ASCII)
    data = None if found is None else bytes_of_base64(found[3], 33)
    if data is None or data[0] != kind:
        return None
    if id_of(found[1], kind, data[1:]) != found[2]:
        return None
    return (found[1], found[2], data[1:])


def read_keys(text):
    """The keys of a file by name and id. Lines that begin with # are comments."""
    keys = {}
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if line == "" or line.startswith("#"):
            continue
        key = key_of(line)
        if key is None:
            raise ValueError(f"Line {number} of the keys is not a public key.")
        keys[key[0], key[1]] = key[2]
    return keys


# --- Signed notes and checkpoints (C2SP signed-note, tlog-checkpoint) -------------------------------------------------

MAX_SIGNATURES = 100


def parse_note(note, what="checkpoint"):
    """(text, [(key name, key id, signature)]) of a note, of which nothing is checked yet."""
    if any(unicodedata.category(character) == "Cc" for character in note if character != "\n"):
        raise NotProven(f"The {what} holds a control character.")
    end = note.rfind("\n\n")
    lines = note[end + 2 :].split("\n")
    if end < 0 or lines.pop() != "" or len(lines) > MAX_SIGNATURES:
        raise NotProven(f"The {what} is not a signed note.")
    signatures = []
    for line in lines:
        found = re.fullmatch(r"\u2014 ([^\s+\ufeff]+) ([A-Za-z0-9+/]+={0,2})", line)
        data = None if found is None else bytes_of_base64(found[2])
        if data is None or len(data) <= 4:
            raise NotProven("A line of the signatures is not well-formed.")
        signatures.append((found[1], data[:4].hex(), data[4:]))
    return note[: end + 1], signatures


def open_note(note, keys, what="checkpoint"):
    """(text, key name, key id) of a note that a known key signed."""
    text, signatures = parse_note(note, what)
    signed = None
    for name, key_id, signature in signatures:
        if (name, key_id) not in keys:
            continue
        if not is_signed(keys[name, key_id], text.encode("utf-8"), signature):
            raise NotProven(f"The signature of the key {key_id} is wrong.")
        signed = signed or (text, name, key_id)
    if signed is None:
        raise NotProven(f"None of the given keys signed the {what}.")
    return signed


def open_checkpoint(note, keys):
    """(origin, size, root, key id)."""
    origin = note.partition("\n")[0]
    # The key of a log is a key of the installation under the name of the log.
    own = {
        (origin, id_of(origin, ED25519, key)): (key_id, key)
        for (name, key_id), key in keys.items()
        if origin.startswith(f"{name}/transparency/")
    }
    text, _, log_key_id = open_note(note, {named: key for named, (_, key) in own.items()})
    key_id = own[origin, log_key_id][0]
    lines = text.split("\n")
    if len(lines) != 4 or lines[3] != "" or re.fullmatch(r"[!-*,-~]+", lines[0], re.ASCII) is None:
        raise NotProven("The signed text is not a checkpoint.")
    size, root = number_of(lines[1]), bytes_of_base64(lines[2], 32)
    if size is None or root is None:
        raise NotProven("The signed text is not a checkpoint.")
    return (lines[0], size, root, key_id)


# --- Audits -----------------------------------------------------------------------------------------------------------

HASHED = r"(0|[1-9][0-9]*) ([0-9a-f]{64})"


def verify_audit(pdf, signature, keys):
    """A sentence on the PDF of an audit."""
    try:
        text, name, key_id = open_note(signature.decode("utf-8"), keys, "signature")
    except UnicodeDecodeError:
        raise NotProven("The signature is not text.")
    found = re.fullmatch(rf"([^\n]+)\npdf {HASHED}\ndata {HASHED}\ntime ([0-9TZ:.-]+)\n", text, re.ASCII)
    if found is None or not found[1].startswith(f"{name}/audits/"):
        raise NotProven("The signed text is not a PDF of an audit.")
    if number_of(found[2]) != len(pdf) or found[3] != hashlib.sha256(pdf).hexdigest():
        raise NotProven("The PDF was changed, or the signature is of another one.")
    log = found[1][len(f"{name}/audits/") :]
    return f"Signed: the PDF is as the key {key_id} of {name} signed it, made on {found[6]} for the log {log}."


# --- Witnesses (C2SP tlog-cosignature) --------------------------------------------------------------------------------

# The last second of the year 9999: no witness is right about a later one.
MAX_TIME = 253402300799


def read_witnesses(lines, needed=None):
    """([(name, id, 32 bytes)], how many are needed). Raises ValueError where no checkpoint can be held against them."""
    witnesses = []
    for line in lines:
        witness = key_of(line, COSIGNATURE_V1)
        if witness is None or len(witness[0]) > 255:
            raise ValueError(f"{line} is not a public key of a witness.")
        witnesses.append(witness)
    # Two names of one key would count one witness twice: what is signed does not hold the name.
    if len({name for name, _, _ in witnesses}) < len(witnesses) or len({key for _, _, key in witnesses}) < len(witnesses):
        raise ValueError("Two of the witnesses have one name or one key.")
    needed = len(witnesses) if needed is None else needed
    if not min(1, len(witnesses)) <= needed <= len(witnesses):
        raise ValueError(f"Of {len(witnesses)} witnesses, {needed} cannot be needed.")
    return witnesses, needed


def cosignatures_of(note, witnesses):
    """[(name, seconds since 1970)] of the given witnesses that cosigned the checkpoint. Lines of others are passed over."""
    text, signatures = parse_note(note)
    cosignatures = []
    for name, key_id, key in witnesses:
        times_of_witness = []
        for line_name, line_id, data in signatures:
            if (line_name, line_id) != (name, key_id):
                continue
            time = int.from_bytes(data[:8], "big")
            message = f"cosignature/v1\ntime {time}\n{text}".encode("utf-8")
            if len(data) != 72 or time > MAX_TIME or not is_signed(key, message, data[8:]):
                raise NotProven(f"The cosignature of the witness {name} is wrong.")
            times_of_witness.append(time)
        cosignatures += [(name, time) for time in times_of_witness[:1]]
    return cosignatures


def require_witnesses(note, witnesses, needed):
    """The cosignatures of the given witnesses, where as many as needed cosigned."""
    cosignatures = cosignatures_of(note, witnesses)
    if len(cosignatures) >= needed:
        return cosignatures
    known = {name for name, _ in cosignatures}
    missing = ", ".join(name for name, _, _ in witnesses if name not in known)
    raise NotProven(
        f"The checkpoint lacks cosignatures: {needed} of {len(witnesses)} witnesses must have cosigned it, "
        f"and {len(cosignatures)} did. Missing: {missing}."
    )


def time_text(seconds):
    """Seconds since 1970 as people read them, in UTC."""
    return (datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)).isoformat() + "Z"


# --- Hash trees (RFC 6962, section 2.1; RFC 9162, section 2.1.3.2) ----------------------------------------------------


def node_hash(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of_path(leaf, index, size, path):
    """The root to which the path leads, or None if no tree of the size has such a path."""
    if index >= size:
        return None
    last, node = size - 1, leaf
    for sibling in path:
        if last == 0:
            return None
        if index & 1 or index == last:
            node = node_hash(sibling, node)
            while not index & 1 and index != 0:
                index, last = index >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        index, last = index >> 1, last >> 1
    return node if last == 0 else None


# --- Proofs (C2SP tlog-proof) and leaves ------------------------------------------------------------------------------

MAX_PROOF_CHARS = 16777216
MAX_PATH = 63
HASH = r'"([A-Za-z0-9+/]{43}=)"'
LEAF = r'\["cupel-leaf-1",' + HASH + "," + HASH + ",(?:" + HASH + r"|null)\]"


def parse_proof(data):
    """(salt, leaf, sealed reference with its salt or None, entries of the case, index, path, checkpoint note)."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise NotProven("The proof is not UTF-8.") from None
    head, separator, note = text.partition("\n\n")
    lines = head.split("\n")
    # Characters are counted as JavaScript does, so that both verifiers have one limit.
    if len(text.encode("utf-16-le")) > 2 * MAX_PROOF_CHARS or separator == "" or len(lines) < 3:
        raise NotProven("The proof is not well-formed.")
    if lines[0] != "c2sp.org/tlog-proof@v1" or not lines[1].startswith("extra ") or not lines[2].startswith("index "):
        raise NotProven("The proof is not well-formed.")
    extra, index = bytes_of_base64(lines[1][6:]), number_of(lines[2][6:])
    path = [bytes_of_base64(line, 32) for line in lines[3:]]
    if extra is None or len(extra) <= 32 or index is None or None in path or len(path) > MAX_PATH:
        raise NotProven("The proof is not well-formed.")
    entry, *more = extra[32:].split(b"\n")
    at = next((at for at, line in enumerate(more) if line.startswith(b"[")), len(more))
    entries = [parse_entry(line) for line in more[at:]]
    return (extra[:32], entry, parse_reference(more[:at]), entries, index, path, note)


# --- The customer reference -------------------------------------------------------------------------------------------
#
# The log has the reference sealed, so that it can be erased there; the leaf has the hash of that report. The customer has the
# report with the plain one. The proof holds the sealed one, and the salt that shows that both are the same.

SEALED = r"sealed1\.[0-9a-f]{16}\.([A-Za-z0-9_-]{64,2048})"
MEMBER = '"customer_reference":'
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def commitment_of(sealed):
    """The first 32 bytes of what is sealed, or None if the text is not a sealed one."""
    found = re.fullmatch(SEALED, sealed, re.ASCII)
    if found is None:
        return None
    data = base64.urlsafe_b64decode(found[1] + "=" * (-len(found[1]) % 4))
    return data[:32] if base64.urlsafe_b64encode(data).decode("ascii").rstrip("=") == found[1] else None


def parse_reference(lines):
    """(sealed reference, salt or None), or None if the log has the reference as the report shows it."""
    if not lines:
        return None
    sealed, *rest = lines[0].decode("latin-1").split(" ")
    salt = bytes_of_base64(rest[0], 32) if rest else None
    if len(lines) > 1 or len(rest) > 1 or (rest and salt is None) or commitment_of(sealed) is None:
        raise NotProven("The proof is not well-formed.")
    return (sealed, salt)


def shown_reference(report):
    """(text of the report, start and end of the literal of its reference, the reference), or None if it shows none."""
    try:
        text = report.decode("utf-8")
    except UnicodeDecodeError:
        return None
    found = text.find(MEMBER)
    start = found + len(MEMBER)
    while found >= 0 and text[start : start + 1] in (" ", "\t", "\r", "\n"):
        start += 1
    literal = STRING.match(text, start) if found >= 0 else None
    if literal is None:
        return None
    try:
        plain = json.loads(literal[0], strict=True)
    except ValueError:
        return None
    # A text has one spelling.
    if json.dumps(plain, ensure_ascii=False) != literal[0]:
        return None
    return (text, literal.start(), literal.end(), plain)


def as_recorded(report, reference):
    """(the report as the log has it, what the proof shows of its reference)."""
    if reference is None:
        return (report, "recorded")
    sealed, salt = reference
    shown = shown_reference(report)
    if shown is None:
        raise NotProven("The customer reference of the report is not the one of the proof.")
    text, start, end, plain = shown
    if plain == sealed:
        state = "sealed"
    elif salt is None and plain == "erased":
        state = "erased"
    elif salt is not None and hashlib.sha256(salt + plain.encode("utf-8", "surrogatepass")).digest() == commitment_of(sealed):
        state = "proven"
    else:
        raise NotProven("The customer reference of the report is not the one of the proof.")
    return ((text[:start] + '"' + sealed + '"' + text[end:]).encode("utf-8"), state)


def parse_leaf(entry):
    """The hash of the report, or of an entry of a case."""
    found = re.fullmatch(LEAF, entry.decode("latin-1"), re.ASCII)
    if found is None:
        raise NotProven("The proof holds no leaf.")
    record, time, document = (None if text is None else bytes_of_base64(text, 32) for text in found.groups())
    if record is None or time is None or (found[3] is not None and document is None):
        raise NotProven("The proof holds no leaf.")
    if document is None:
        raise NotProven("The leaf is not one of a report.")
    return document


# --- The case of the report -------------------------------------------------------------------------------------------
#
# Behind the leaf of the report, the proof may hold a line for each entry of its case: the leaf of the entry with its path in the same
# tree, and the text of the entry as the log has it. Texts of people are sealed there; the proof holds the plain ones that may be shown.

ENTRY = '["cupel-case-entry-1",{'
SEALED_TEXT = r"sealed1\.[0-9a-f]{16}\.([A-Za-z0-9_-]{64,16384})"


def exact_json(text):
    """The value of JSON in its shortest spelling, or None."""
    try:
        value = json.loads(text)
        return value if json.dumps(value, ensure_ascii=False, separators=(",", ":")) == text else None
    except (ValueError, RecursionError):
        return None


def is_hash(value):
    return isinstance(value, str) and bytes_of_base64(value, 32) is not None


def parse_entry(line):
    """[salt, leaf, index, path, text, [[sealed, plain, salt]]] of a line."""
    try:
        parts = exact_json(line.decode("utf-8"))
    except UnicodeDecodeError:
        parts = None
    if not isinstance(parts, list) or len(parts) != 6:
        raise NotProven("The proof is not well-formed.")
    salt, leaf, index, path, text, openings = parts
    is_place = type(index) is int and 0 <= index < 2**53
    is_path = isinstance(path, list) and len(path) <= MAX_PATH and all(map(is_hash, path))
    are_openings = isinstance(openings, list) and all(
        isinstance(each, list) and len(each) == 3 and isinstance(each[0], str) and isinstance(each[1], str) and is_hash(each[2])
        for each in openings
    )
    if not (is_hash(salt) and isinstance(leaf, str) and is_place and is_path and isinstance(text, str) and are_openings):
        raise NotProven("The proof is not well-formed.")
    return parts


def commits_to(sealed, plain, salt):
    """True if the sealed text is this one."""
    found = re.fullmatch(SEALED_TEXT, sealed, re.ASCII)
    data = b"" if found is None else base64.urlsafe_b64decode(found[1] + "=" * (-len(found[1]) % 4))
    return data[:32] == hashlib.sha256(base64.b64decode(salt) + plain.encode("utf-8")).digest()


def proven_entries(entries, report_id, size, root):
    """[(entry, plain texts by their sealed ones, index of its leaf)] of the case of this report, with none between left out."""
    proven, last = [], -1
    for version, (salt, leaf, index, path, text, openings) in enumerate(entries, 1):
        which = f"The entry {version} of the case"
        data = leaf.encode("utf-8")
        hashes = [base64.b64decode(each) for each in path]
        if root_of_path(hashlib.sha256(b"\x00" + data).digest(), index, size, hashes) != root:
            raise NotProven(f"{which} does not lead to the root of the checkpoint.")
        if hashlib.sha256(base64.b64decode(salt) + text.encode("utf-8")).digest() != parse_leaf(data):
            raise NotProven(f"{which} is not the one of its leaf.")
        value = exact_json(text) if text.startswith(ENTRY) else None
        if value is None or value[1].get("report_id") != report_id:
            raise NotProven(f"{which} is not one of this report.")
        entry = value[1]
        if type(entry["version"]) is not int or entry["version"] != version:
            raise NotProven(f"{which} is missing.")
        if index <= last:
            raise NotProven(f"{which} has a leaf before that of the entry before.")
        opened = {}
        for sealed, plain, own_salt in openings:
            is_shown = sealed in [value for name, value in entry.items() if name != "subject"] and sealed not in opened
            if not is_shown or not commits_to(sealed, plain, own_salt):
                raise NotProven(f"{which} has a text that is not the sealed one.")
            opened[sealed] = plain
        proven.append((entry, opened, index))
        last = index
    return proven


def printable(text):
    """The text in quotation marks, or another value of JSON, with an escape for each character that a terminal would obey."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(f"\\u{ord(each):04x}" if unicodedata.category(each) in ("Cc", "Cf", "Zl", "Zp") else each for each in quoted)


COMMON = ("report_id", "version", "kind", "at", "key_id", "person", "subject", "text", "disposition", "previous_disposition", "proposal_version")


def shown_value(value, opened):
    """The value of a member of an entry as it may be shown, or None if it is a text that was erased."""
    if not isinstance(value, str):
        return value
    return opened.get(value, None if re.fullmatch(SEALED_TEXT, value, re.ASCII) else value)


def details_of(entry, opened):
    """The members that only some entries have, such as the name of a file and its hash."""
    return {name: shown_value(value, opened) for name, value in entry.items() if name not in COMMON}


def case_text(proven):
    """The texts and decisions of people, one line for each entry."""
    lines = []
    for entry, opened, _ in proven:
        shown = [shown_value(entry[name], opened) for name in ("person", "text")]
        person, text = ("[erased]" if each is None else printable(each) for each in shown)
        details = "".join(
            f" {name}={'[erased]' if value is None and entry[name] is not None else printable(value)}"
            for name, value in details_of(entry, opened).items()
        )
        what = " ".join(str(each) for each in (entry["kind"], entry["disposition"], entry["proposal_version"] and f"of entry {entry['proposal_version']}") if each)
        by = f"key {entry['key_id']}" + ("" if entry["person"] == "" else f", {person}")
        lines.append(f"\n  {entry['version']}  {entry['at']}  {what}, by {by}: {text}{details}")
    if not lines:
        return ""
    return (
        f"\nThe case of the report has these {len(lines)} entries. None between is left out; the proof does not show that none came later."
        + "".join(lines)
    )


def examine(report, proof, keys, witnesses=(), needed=0):
    """(name of the log, index, size, hash of the leaf, key id, cosignatures, what is shown of the reference, entries). Raises NotProven."""
    salt, entry, reference, entries, index, path, note = parse_proof(proof)
    origin, size, root, key_id = open_checkpoint(note, keys)
    cosignatures = require_witnesses(note, witnesses, needed)
    document = parse_leaf(entry)
    leaf = hashlib.sha256(b"\x00" + entry).digest()
    if root_of_path(leaf, index, size, path) != root:
        raise NotProven("The path does not lead from the leaf to the root of the checkpoint.")
    recorded, state = as_recorded(report, reference)
    if hashlib.sha256(salt + recorded).digest() != document:
        raise NotProven("The report is not the one of the leaf: not one byte of it may differ.")
    # The leaf of an entry of a case is of a text that begins with a bracket.
    if not report.startswith(b"{"):
        raise NotProven("The file is not a report.")
    report_id = json.loads(report)["report_id"] if entries else None
    return origin, index, size, leaf.hex(), key_id, cosignatures, state, proven_entries(entries, report_id, size, root)


OF_REFERENCE = {"sealed": "\nIts customer reference is sealed.", "erased": "\nIts customer reference was erased."}


def verify(report, proof, keys, witnesses=(), needed=0):
    """The proven statement, as a sentence. Raises NotProven."""
    origin, index, size, leaf, key_id, cosignatures, state, entries = examine(report, proof, keys, witnesses, needed)
    return (
        f"Proven: the report is leaf {index} of {size} in {origin}, signed by the key {key_id}.\n"
        f"The hash of the leaf is {leaf}."
        + "".join(f"\nCosigned by {name} at {time_text(time)}." for name, time in cosignatures)
        + OF_REFERENCE.get(state, "")
        + case_text(entries)
    )


# --- Archives (docs/archive.md): manifests ----------------------------------------------------------------------------

TOPIC = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)


def read_file(folder, name):
    with open(os.path.join(folder, *name.split("/")), "rb") as file:
        return file.read()


def read_manifests(folder, keys):
    """The manifests in their order: each signed, and each of a tree that is not shorter than the one before. With each the id of its key."""
    names = sorted(name for name in os.listdir(os.path.join(folder, "manifests")) if re.fullmatch(r"[0-9]{8}\.json", name))
    if not names:
        raise NotProven("The folder holds no manifest of an archive.")
    manifests, leaves = [], 0
    for number, name in enumerate(names, 1):
        if int(name[:8]) != number:
            raise NotProven(f"The manifest {number} of the archive is missing.")
        data = read_file(folder, f"manifests/{name}")
        try:
            manifest, key_id = open_manifest(data, keys)
        except (ValueError, KeyError, TypeError):
            raise NotProven(f"{name} is not a manifest of an archive.") from None
        size = 0 if manifest["tree"] is None else manifest["tree"]["size"]
        if manifest["number"] != number or size < leaves:
            raise NotProven(f"{name} is not the manifest that follows the one before.")
        if manifest["log"] != (manifests or [(manifest, key_id)])[0][0]["log"]:
            raise NotProven(f"{name} is a manifest of another log.")
        manifests.append((manifest, key_id))
        leaves = size
    return manifests


def open_manifest(data, keys):
    """(manifest, key id). The note is over the text of the manifest as it stands in the file."""
    text, start, middle = data.decode("utf-8"), '{"manifest":', ',"note":'
    manifest, end = json.JSONDecoder().raw_decode(text, len(start))
    if not text.startswith(start) or not text.startswith(middle, end):
        raise ValueError
    note, last = json.JSONDecoder().raw_decode(text, end + len(middle))
    if text[last:] != "}\n" or manifest["format"] != "cupel-archive-1":
        raise ValueError
    signed, name, key_id = open_note(note, keys, "manifest")
    digest = base64.b64encode(hashlib.sha256(text[len(start) : end].encode("utf-8")).digest()).decode("ascii")
    if signed != f"{name}/archive/{manifest['log']}\n{manifest['number']}\n{digest}\n":
        raise NotProven("The signature is of another manifest.")
    return manifest, key_id


# --- Archives: segments (Avro 1.11, object container files) -----------------------------------------------------------

MAX_BLOCK_BYTES = 8 * 1024 * 1024
MARKER_BYTES = 16


class Avro:
    """Reads the values of Avro's binary encoding one after another. Raises ValueError at the end of the bytes."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, count):
        if count < 0 or self.at + count > len(self.data):
            raise ValueError
        self.at += count
        return self.data[self.at - count : self.at]

    def long(self):
        value, shift = 0, 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return (value >> 1) ^ -(value & 1)
            shift += 7
            if shift > 63:
                raise ValueError

    def bytes(self):
        return self.take(self.long())

    def text(self):
        return self.bytes().decode("utf-8")

    def blocks(self, read):
        """The items of an array or a map."""
        items = []
        while True:
            count = self.long()
            if count == 0:
                return items
            if count < 0:
                count, _ = -count, self.long()
            for _ in range(count):
                items.append(read())


def read_blocks(data):
    """The uncompressed blocks of a file, each with its number of records."""
    avro = Avro(data)
    if avro.take(4) != b"Obj\x01":
        raise ValueError
    header = dict(avro.blocks(lambda: (avro.text(), avro.bytes())))
    if header.get("avro.codec") != b"deflate":
        raise ValueError
    marker = avro.take(MARKER_BYTES)
    while avro.at < len(data):
        count, block = avro.long(), avro.bytes()
        inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        plain = inflate.decompress(block, MAX_BLOCK_BYTES)
        if not inflate.eof or avro.take(MARKER_BYTES) != marker:
            raise ValueError
        yield count, plain


def read_records(count, block):
    """The records of a block: (topic, partition, offset, key, headers, value)."""
    avro = Avro(block)
    for _ in range(count):
        topic, partition, offset = avro.text(), avro.long(), avro.long()
        if avro.long() == 1:  # the second branch of the union: a time
            avro.long()
        key = avro.text()
        headers = avro.blocks(lambda: (avro.text(), avro.text()))
        yield topic, partition, offset, key, headers, avro.bytes()


def read_segment(folder, segment):
    """The bytes of a file that a manifest names."""
    topic, partition, first = segment["topic"], segment["partition"], segment["first"]
    name = f"segments/{topic}/{partition:d}/{first:016d}.avro"
    if TOPIC.fullmatch(topic) is None or segment["file"] != name:
        raise NotProven("A manifest names an invalid segment.")
    try:
        data = read_file(folder, name)
    except FileNotFoundError:
        raise NotProven(f"{name} is missing in the archive.") from None
    if hashlib.sha256(data).hexdigest() != segment["sha256"]:
        raise NotProven(f"{name} does not have the bytes that were signed.")
    return data


# --- Reports of a log, signed in batches (RFC 6962; header cupel_signature) -------------------------------------------

SIGNATURE = "cupel_signature"
BESIDE = (SIGNATURE, "cupel_mac")
REPORT_NAME = ("cupel.screening", "ReportGenerated")


def is_report_schema(definition):
    """True if events of this schema begin with the id and the text of a report."""
    schema = json.loads(definition)
    first = [(field["name"], field["type"]) for field in schema.get("fields", [])[:2]]
    is_named = (schema.get("namespace"), schema.get("name")) == REPORT_NAME
    return is_named and first == [("reportId", "string"), ("report", "string")]


def of_base64url(text):
    data = bytes_of_base64(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4))
    return None if re.fullmatch(r"[\w-]*", text, re.ASCII) is None else data


def signer_of(record, keys, log):
    """The id of the key that signed the batch of the record. Raises NotProven."""
    topic, _, _, key, headers, value = record
    found = re.fullmatch(
        r"([0-9a-f]{8})\.([1-9][0-9]{0,4})\.(0|[1-9][0-9]{0,4})\.([\w-]*)\.([\w-]+)",
        dict(headers).get(SIGNATURE, ""),
        re.ASCII,
    )
    path, signature = (None, None) if found is None else (of_base64url(found[4]), of_base64url(found[5]))
    if path is None or signature is None or len(path) % 32 != 0:
        raise NotProven("The record of the report carries no signature of the installation.")
    key_id, size, index = found[1], int(found[2]), int(found[3])
    covered = sorted([name, text] for name, text in dict(headers).items() if name not in BESIDE)
    entry = ["cupel-record-1", topic, key, covered, hashlib.sha256(value).hexdigest()]
    leaf = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    hashes = [path[at : at + 32] for at in range(0, len(path), 32)]
    root = root_of_path(hashlib.sha256(b"\x00" + leaf).digest(), index, size, hashes)
    known = [(name, data) for (name, other), data in keys.items() if other == key_id]
    if not known:
        raise NotProven(f"The report is signed by the key {key_id}, which is not among the given ones.")
    for name, data in known:
        batch = f"{name}/batches/{log}\n{size}\n{base64.b64encode(root or b'').decode('ascii')}\n"
        if root is not None and is_signed(data, batch.encode("utf-8"), signature):
            return key_id
    raise NotProven(f"The record of the report is not what the key {key_id} signed.")


def find_reports(folder, manifests, report_id):
    """The records of the log with this id that are reports, in the order of the archive: (record, text of the report)."""
    report_schemas = {
        schema["id"]
        for manifest, _ in manifests
        for schema in manifest["schemas"]
        if is_report_schema(schema["definition"])
    }
    for segment in (segment for manifest, _ in manifests for segment in manifest["segments"]):
        if report_schemas.isdisjoint(segment["schemaIds"]):
            continue
        data = read_segment(folder, segment)
        try:
            for count, block in read_blocks(data):
                for record in read_records(count, block) if report_id.encode("utf-8") in block else ():
                    value = record[5]
                    if value[:1] != b"\x00" or int.from_bytes(value[1:5], "big") not in report_schemas:
                        continue
                    event = Avro(value, 5)
                    if event.text() == report_id:
                        yield record, event.bytes()
        except (ValueError, zlib.error):
            raise NotProven(f"{segment['file']} cannot be read.") from None


def differs_in_reference(recorded, report):
    """True if the log has the customer reference sealed, and everything else as the report shows it."""
    sealed, shown = shown_reference(recorded), shown_reference(report)
    if sealed is None or shown is None or commitment_of(sealed[3]) is None:
        return False
    return shown[0][: shown[1]] + sealed[0][sealed[1] : sealed[2]] + shown[0][shown[2] :] == sealed[0]


def verify_in_archive(report, folder, keys, logs):
    """The proven statement, as a sentence. Raises NotProven."""
    try:
        report_id = json.loads(report.decode("utf-8"))["report_id"]
    except (ValueError, KeyError, TypeError):
        report_id = None
    if not isinstance(report_id, str):
        raise NotProven("The report is not JSON with a report_id.")
    manifests = read_manifests(folder, keys)
    last, key_id = manifests[-1]
    refusals = []
    for record, text in find_reports(folder, manifests, report_id):
        for log in [last["log"], *logs]:
            try:
                signer = signer_of(record, keys, log)
            except NotProven as refusal:
                refusals.append(refusal)
                continue
            # The first record that the installation signed is the report; what comes after it is a repeat.
            sentence = ""
            if text != report:
                if not differs_in_reference(text, report):
                    raise NotProven("The log has another report with this id: not one byte of it may differ.")
                sentence = "\nThe archive has its customer reference sealed: it was not compared. The proof of the report shows it."
            return (
                f"Proven: the report is the record {record[0]}/{record[1]} at {record[2]} of the log {log}, signed by the key {signer}.\n"
                f"The archive has {len(manifests)} manifests, the last of {last['time']}, signed by the key {key_id}." + sentence
            )
    raise refusals[0] if refusals else NotProven("The archive holds no report with this id.")


def main():
    parser = argparse.ArgumentParser(description="Checks that a report is one of an installation.")
    parser.add_argument("report", help="the report, or the PDF of an audit")
    parser.add_argument("proof", nargs="?", help="what GET /v1/reports/{report_id}/proof answered, or the signature of the PDF")
    parser.add_argument("--archive", help="folder of an archive, instead of a proof")
    parser.add_argument("--log", action="append", default=[], help="identity that the log of the archive had before; may be repeated")
    parser.add_argument("--key", required=True, help="file with the public keys, one on each line")
    parser.add_argument("--witness", action="extend", nargs="+", default=[], help="public key of a witness; may be repeated")
    parser.add_argument("--witnesses-needed", type=int, help="how many of them must have cosigned; by default all")
    arguments = parser.parse_args()
    if (arguments.proof is None) == (arguments.archive is None):
        parser.error("name a proof, or an archive with --archive")
    if arguments.archive is not None and (arguments.witness or arguments.witnesses_needed is not None):
        parser.error("witnesses cosign the checkpoint of a proof, and an archive has none")
    try:
        witnesses, needed = read_witnesses(arguments.witness, arguments.witnesses_needed)
        with open(arguments.key, encoding="utf-8") as file:
            keys = read_keys(file.read())
        with open(arguments.report, "rb") as file:
            report = file.read()
        if arguments.archive is not None:
            print(verify_in_archive(report, arguments.archive, keys, arguments.log))
            return 0
        with open(arguments.proof, "rb") as file:
            proof = file.read()
        if report.startswith(b"%PDF-") or arguments.proof.endswith(".sig"):
            if witnesses:
                parser.error("no witness cosigns the PDF of an audit")
            print(verify_audit(report, proof, keys))
            return 0
        print(verify(report, proof, keys, witnesses, needed))
    except (OSError, ValueError) as error:
        print(f"A file or a key cannot be used: {error}", file=sys.stderr)
        return 2
    except NotProven as error:
        print(f"Not proven: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
