"""A process that starts the server of its confined children first, and then becomes what it was started for.

Started as `python -m gradclinic.grading.worker PARENT ROOT MODULE WORDS...`. The server is forked from it as soon as
torch is here, which saves the server's own import, and before MODULE is: nothing of that is in a child's memory. In the
end `MODULE.work(server, ROOT, WORDS)` is called.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from gradclinic.grading import limits, servers


def main() -> None:
    parent, root, module, *words = sys.argv[1:]
    limits.die_with_parent(int(parent))
    sys.argv[1:] = []
    server = servers.start(Path(root))
    import_module(module).work(server, Path(root), words)


if __name__ == "__main__":
    main()
