"""A child in an interpreter of its own: `python -m gradclinic.grading.fresh JOB`, where fork does not serve.

Requests come on stdin and replies go to what was stdout; the learner's output is sent to stderr.
"""

from __future__ import annotations

import json
import os
import sys


def main() -> None:
    requests, replies = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    from gradclinic.grading import child

    with open(requests, "rb") as reader, open(replies, "wb") as writer:
        child.serve(json.loads(sys.argv[1]), reader, writer)


if __name__ == "__main__":
    main()
