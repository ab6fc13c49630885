#!/usr/bin/env python3
"""Checks offline that a report is in the transparency log of a Cupel installation.

    python3 verify_report.py REPORT.json REPORT.tlog-proof --key KEYS.txt

REPORT.json is the report, byte for byte as the API answered it. The proof is what GET /v1/reports/{report_id}/proof
answered. KEYS.txt holds the public keys of the installation, one on each line, which the operator gave to you himself.

This one file needs Python 3.9 or later and nothing else: no package, no network, no installation. It follows RFC 6962
(hash trees), RFC 8032 (Ed25519) and C2SP (signed-note, tlog-checkpoint, tlog-proof). It ends with 0 where the report is
proven, with 1 where it is not, and with 2 where a file cannot be used.
"""

import argparse
import base64
import binascii
import hashlib
import re
import sys
import unicodedata


class NotProven(Exception):
    """The message is a sentence that says why."""


# --- Text that has one spelling ---------------------------------------------------------------------------------------


def bytes_of_base64(text, length=None):
    """The bytes, or None where the text is not exactly what an encoder writes."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        return None
    if base64.b64encode(data).decode("ascii") != text:
        return None
    return data if length is None or len(data) == length else None


def number_of(text):
    """The number, or None where the text has leading zeros or is more than 2^53 - 1."""
    if re.fullmatch(r"0|[1-9][0-9]{0,15}", text, re.ASCII) is None:
        return None
    return int(text) if int(text) < 2**53 else None


# --- Ed25519 (RFC 8032, section 5.1.7) --------------------------------------------------------------------------------

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


def point_of(data):
    """The point of 32 bytes as (X, Y, Z, T), or None where they are no point."""
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
    """Whether the owner of the public key signed the message."""
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


def key_of(line):
    """(name, id, 32 bytes) of a line `name+id+base64`, or None where it is none."""
    found = re.fullmatch(r"([!-*,-~]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})", line, re.ASCII)
    data = None if found is None else bytes_of_base64(found[3], 33)
    if data is None or data[0] != 1:
        return None
    if hashlib.sha256(found[1].encode("ascii") + b"\n" + data).hexdigest()[:8] != found[2]:
        return None
    return (found[1], found[2], data[1:])


def read_keys(text):
    """The keys of a file by name and id. Empty lines and lines that begin with # are passed over."""
    keys = {}
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if line == "" or line.startswith("#"):
            continue
        key = key_of(line)
        if key is None:
            raise ValueError(f"Line {number} of the keys is no public key.")
        # A key of report batches never counts for a checkpoint.
        if not key[0].endswith("/reports"):
            keys[key[0], key[1]] = key[2]
    return keys


# --- Signed notes and checkpoints (C2SP signed-note, tlog-checkpoint) -------------------------------------------------

MAX_SIGNATURES = 100


def open_note(note, keys):
    """(text, key name, key id) of a note that a known key signed."""
    if any(unicodedata.category(character) == "Cc" for character in note if character != "\n"):
        raise NotProven("The checkpoint holds a control character.")
    end = note.rfind("\n\n")
    lines = note[end + 2 :].split("\n")
    if end < 0 or lines.pop() != "" or len(lines) > MAX_SIGNATURES:
        raise NotProven("The checkpoint is no signed note.")
    text = note[: end + 1]
    signed = None
    for line in lines:
        found = re.fullmatch(r"\u2014 ([^\s+\ufeff]+) ([A-Za-z0-9+/]+={0,2})", line)
        data = None if found is None else bytes_of_base64(found[2])
        if data is None or len(data) <= 4:
            raise NotProven("A line of the signatures is not well-formed.")
        name, key_id = found[1], data[:4].hex()
        if (name, key_id) not in keys:
            continue
        if not is_signed(keys[name, key_id], text.encode("utf-8"), data[4:]):
            raise NotProven(f"The signature of the key {key_id} is wrong.")
        signed = signed or (text, name, key_id)
    if signed is None:
        raise NotProven("None of the given keys signed the checkpoint.")
    return signed


def open_checkpoint(note, keys):
    """(origin, size, root, key id)."""
    text, name, key_id = open_note(note, keys)
    lines = text.split("\n")
    if len(lines) != 4 or lines[3] != "" or re.fullmatch(r"[!-*,-~]+", lines[0], re.ASCII) is None:
        raise NotProven("What is signed is no checkpoint.")
    size, root = number_of(lines[1]), bytes_of_base64(lines[2], 32)
    if size is None or root is None or not lines[0].startswith(f"{name}/transparency/"):
        raise NotProven("What is signed is no checkpoint of a transparency log of this key.")
    return (lines[0], size, root, key_id)


# --- Hash trees (RFC 6962, section 2.1; RFC 9162, section 2.1.3.2) ----------------------------------------------------


def node_hash(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of_path(leaf, index, size, path):
    """The root to which the path leads, or None where no tree of the size has such a path."""
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

MAX_PROOF_CHARS = 65536
MAX_PATH = 63
LEAF = (
    r'\["cupel-leaf-1","([A-Za-z0-9._-]{1,250})",([0-9]+),([0-9]+),"([ !#-\[\]-~]{0,200})",'
    r'"([A-Za-z0-9+/]{43}=)",(?:"([A-Za-z0-9+/]{43}=)"|null)\]'
)


def parse_proof(data):
    """(salt, leaf, index, path, checkpoint note)."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise NotProven("The proof is no UTF-8.") from None
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
    return (extra[:32], extra[32:], index, path, note)


def parse_leaf(entry):
    """(topic, partition, offset, event id, hash of the report)."""
    found = re.fullmatch(LEAF, entry.decode("latin-1"), re.ASCII)
    if found is None:
        raise NotProven("The proof holds no leaf.")
    partition, offset = number_of(found[2]), number_of(found[3])
    value = bytes_of_base64(found[5], 32)
    if partition is None or offset is None or value is None:
        raise NotProven("The proof holds no leaf.")
    document = None if found[6] is None else bytes_of_base64(found[6], 32)
    if document is None:
        raise NotProven("The leaf is not one of a report.")
    return (found[1], partition, offset, found[4], document)


def verify(report, proof, keys):
    """What is proven, as a sentence. Raises NotProven."""
    salt, entry, index, path, note = parse_proof(proof)
    origin, size, root, key_id = open_checkpoint(note, keys)
    topic, partition, offset, event_id, document = parse_leaf(entry)
    leaf = hashlib.sha256(b"\x00" + entry).digest()
    if root_of_path(leaf, index, size, path) != root:
        raise NotProven("The path does not lead from the leaf to the root of the checkpoint.")
    if hashlib.sha256(salt + report).digest() != document:
        raise NotProven("The report is not the one of the leaf: not one byte of it may differ.")
    return (
        f"Proven: the report is leaf {index} of {size} in {origin}, signed by the key {key_id}.\n"
        f"It is the record {topic}/{partition} at {offset}, event {event_id}."
    )


def main():
    parser = argparse.ArgumentParser(description="Checks that a report is in a transparency log.")
    parser.add_argument("report")
    parser.add_argument("proof")
    parser.add_argument("--key", required=True, help="file with the public keys, one on each line")
    arguments = parser.parse_args()
    try:
        with open(arguments.key, encoding="utf-8") as file:
            keys = read_keys(file.read())
        with open(arguments.report, "rb") as file:
            report = file.read()
        with open(arguments.proof, "rb") as file:
            proof = file.read()
    except (OSError, ValueError) as error:
        print(f"A file cannot be used: {error}", file=sys.stderr)
        return 2
    try:
        print(verify(report, proof, keys))
    except NotProven as error:
        print(f"Not proven: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
