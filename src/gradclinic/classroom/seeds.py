"""Inputs that are fresh for each learner and yet repeatable: seeds derived from a secret that stays in RESULTS."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

_BYTES = 32


def read_secret(file: Path) -> bytes:
    """The secret of this class, made when it is asked for the first time; nobody else may read the file."""
    if not file.exists():
        draft = file.with_suffix(".new")
        draft.unlink(missing_ok=True)
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as made:
            made.write(secrets.token_bytes(_BYTES))
        draft.replace(file)  # so that a grader killed just here leaves no half of a secret
    return file.read_bytes()


def seed(secret: bytes, *parts: str) -> int:
    """A number of 256 bits that tells nothing of the secret, nor of the seed for other parts."""
    whole = [part.encode(errors="surrogatepass") for part in parts]
    text = b"".join(len(part).to_bytes(4, "big") + part for part in whole)
    return int.from_bytes(hmac.digest(secret, text, hashlib.sha256), "big")
