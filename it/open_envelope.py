"""Opens Keyfleet's golden envelopes without Keyfleet's code: an independent implementation of the format.

Usage: open_envelope.py FILE. Exits with 1 at the first envelope whose result is not the expected one.
"""
import hmac
import struct
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

SUITE = b"\x01"
PRODUCT = b"keyfleet-envelope-1"


class Refused(Exception):
    pass


def items(*parts):
    """Each part, preceded by its length in four bytes."""
    return b"".join(struct.pack(">I", len(part)) + part for part in parts)


def open_sealed(derive, aad, blob):
    """salt (32) | commitment (32) | ciphertext and tag"""
    if len(blob) < 80:
        raise Refused
    salt, commitment, sealed = blob[:32], blob[32:64], blob[64:]
    derived = derive(salt)
    if not hmac.compare_digest(derived[32:], commitment):
        raise Refused
    try:
        return AESGCM(derived[:32]).decrypt(bytes(12), sealed, aad)
    except InvalidTag:
        raise Refused


def suite_1(key, purpose):
    return lambda salt: HKDF(SHA512(), 64, salt, b"keyfleet" + SUITE + purpose).derive(key)


def unwrap(kek, aad, wrapped):
    """Unwraps a DEK of form 1 (sealed with suite 1) or of form 2 (begins with the byte 02)."""
    if len(wrapped) == 112:
        return open_sealed(suite_1(kek, b"wrap"), aad, wrapped)
    if len(wrapped) != 113 or wrapped[0] != 2:
        raise Refused
    extracted = hmac.digest(b"keyfleet-wrap-2", kek, "sha512")
    return open_sealed(lambda salt: HKDFExpand(SHA512(), 64, salt).derive(extracted), aad, wrapped[1:])


def open_envelope(envelope, keks, keyring, location):
    magic, form, suite, version, wrapped = struct.unpack(">4sBBIH", envelope[:12])
    if (magic, form, suite) != (b"\xebKFE", 1, SUITE[0]):
        raise Refused
    if version not in keks:
        raise KeyError(version)
    dek, data = envelope[12 : 12 + wrapped], envelope[12 + wrapped :]
    wrap_aad = items(PRODUCT, SUITE, keyring, struct.pack(">I", version), *location)
    data_aad = items(PRODUCT, SUITE, keyring, *location)
    return open_sealed(suite_1(unwrap(keks[version], wrap_aad, dek), b"data"), data_aad, data)


def outcome(values):
    keks = {int(name[4:]): value for name, value in values.items() if name.startswith("kek.")}
    location = values["collection"], values["id"], values["field"]
    try:
        return "opened", open_envelope(values["envelope"], keks, values["keyring"], location)
    except KeyError:
        return "no-such-version", b""
    except Refused:
        return "refused", b""


def main(path):
    count = 0
    for line in open(path, encoding="utf-8"):
        if line.startswith("#"):
            continue
        _, number, expected, *pairs = line.split()
        values = {name: bytes.fromhex(value) for name, _, value in (p.partition("=") for p in pairs)}
        if outcome(values) != (expected, values["plaintext"]):
            sys.exit(f"envelope {number}: expected {expected}, got {outcome(values)[0]}")
        count += 1
    if count == 0:
        sys.exit(f"{path} holds no envelope")
    print(f"{count} envelopes have the expected results")


if __name__ == "__main__":
    main(sys.argv[1])
