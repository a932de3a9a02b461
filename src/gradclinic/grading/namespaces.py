"""bubblewrap around the process that makes children: the second choice, where the kernel lacks landlock or seccomp.

In there are the libraries, this package without the course in it, and the folder of the answers; no network, no other
process. It is the weaker choice: the children see each other's folders and the process that started them.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_LIBRARIES = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache", sys.base_prefix, sys.prefix)
_APART = ("bwrap", "--unshare-all", "--die-with-parent")


def refusal() -> str | None:
    """Why there are none on this machine, in words; None where they work."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    tried = subprocess.run([*_APART, "--ro-bind", "/", "/", "true"], capture_output=True, text=True, check=False)
    said = tried.stderr.strip().splitlines()
    return f"bubblewrap is refused ({said[-1] if said else tried.returncode})" if tried.returncode else None


def wrapped(command: Sequence[str], root: Path) -> list[str]:
    """The command in namespaces of its own, where nothing but `root` can be written."""
    places = [word for path in dict.fromkeys(_LIBRARIES) for word in ("--ro-bind-try", path, path)]
    places += ["--ro-bind", str(_PACKAGE), str(_PACKAGE)]
    if (_PACKAGE / "course_files").exists():
        places += ["--tmpfs", str(_PACKAGE / "course_files")]
    places += ["--bind", str(root), str(root), "--proc", "/proc", "--dev", "/dev", "--chdir", str(root)]
    return [*_APART, *places, *command]
