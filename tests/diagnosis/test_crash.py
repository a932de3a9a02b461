"""Long graphs under a trace, with the stacks that a user may have: the process must live."""

from __future__ import annotations

import subprocess
import sys
from itertools import product

import pytest

PROGRAM = """
import gc, resource, sys, threading, torch
from gradclinic import diagnose, trace
when, where, stack = sys.argv[1], sys.argv[2], int(sys.argv[3]) * 1024

def work():
    leaf = loss = torch.ones(1, requires_grad=True)
    for i in range(200_000 if stack == 512 * 1024 else 1000):  # which no trace sees
        loss = loss + 1
    x = torch.ones(1, requires_grad=True)
    with trace() as seen:
        y = x
        for i in range(200_000):
            y = y + 1
            if i % 1000 == 0:
                y.requires_grad, y.is_leaf
        if when == "after":
            y.backward()
        last = seen.maker(y)
    ways = diagnose(x, y).path, diagnose(leaf, loss).path
    print([[node.kind for node in way.nodes] for way in ways])
    print(last.name, sum(1 for _ in seen.ancestors(last)) >= 100_000, seen.failures)
    del y, last, loss
    gc.collect()

if where == "worker":
    threading.stack_size(stack)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
else:
    work()
print("alive")
"""


@pytest.mark.parametrize(("when", "where"), list(product(("before", "after"), ("main", "worker"))))
@pytest.mark.parametrize("kilobytes", [8192, 1024, 512])
def test_a_chain_of_200_000_nodes(when: str, where: str, kilobytes: int) -> None:
    command = [sys.executable, "-c", PROGRAM, when, where, str(kilobytes)]
    if where == "main":  # the limit holds for the main thread of the next program
        command = ["sh", "-c", f'ulimit -s {kilobytes}; exec "$@"', "sh", *command]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = ["[['loss', 'fold', 'leaf'], ['loss', 'fold', 'leaf']]", "add True []", "alive"]
    assert (done.returncode, done.stdout.splitlines()) == (0, told), done.stderr[-500:]
