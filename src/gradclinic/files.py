"""Files that a person may have replaced by anything, and files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def regular(file: Path) -> Path:
    """The same path. Raises OSError if a pipe, a device or a folder is there: reading it may never end."""
    if file.exists() and not file.is_file():
        raise OSError(errno.EINVAL, "it is no regular file", str(file))
    return file


def write_whole(file: Path, content: str | bytes) -> None:
    """Replaces the file in one step: whoever reads it meanwhile, or stops this, leaves the old one or the new one."""
    draft = file.with_name(f".{file.name}.new")
    draft.write_bytes(content.encode() if isinstance(content, str) else content)
    os.replace(draft, file)
