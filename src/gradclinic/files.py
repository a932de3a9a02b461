"""Files that a person may have replaced by anything."""

from __future__ import annotations

import errno
from pathlib import Path


def regular(file: Path) -> Path:
    """The same path. Raises OSError if a pipe, a device or a folder is there: reading it may never end."""
    if file.exists() and not file.is_file():
        raise OSError(errno.EINVAL, "it is no regular file", str(file))
    return file
