"""Functions that give the wrong kind of thing, raise, crash, leave, or take too much."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from gradclinic.grading import feedback

if TYPE_CHECKING:
    from .conftest import Grader

pytestmark = pytest.mark.usefixtures("nothing_left")
linux = pytest.mark.skipif(sys.platform != "linux", reason="memory limits and signals are asserted as on Linux")
HEAD = "import ctypes, os, signal, sys, threading, time\nimport torch\n"  # two lines: the function begins on the third

RETURNS = [
    ("'text'", "the result should be a tensor of shape (3,), and is str 'text'"),
    ("list(x) + [0]", "the result should be a tensor of shape (3,), and is a list of 4"),
    ("torch.nn.Linear(1, 1)", "it returned a value of type torch.nn.modules.linear.Linear"),
    ("lambda: x", "it returned a value of type function"),
    ("(2 * x).numpy()", "it returned a value of type numpy.ndarray"),
    ("(2 * x).to_sparse()", "it returned a tensor of layout torch.sparse_coo"),
    ("x.to('meta')", "it returned a tensor on the device meta"),
    ("torch.zeros(5_000_000)", "it returned a tensor of 5000000 numbers"),
    ("torch.zeros(1).expand(10**9)", "it returned a tensor of 1000000000 numbers"),
    ("eval('[' * 50 + ']' * 50)", "it returned a value nested too deep or with too many parts"),
    ("list(range(10**6))", "it returned a value nested too deep or with too many parts"),
]


@pytest.mark.parametrize(("value", "said"), RETURNS, ids=[value for value, _ in RETURNS])
def test_a_value_of_the_wrong_type(grade: Grader, value: str, said: str) -> None:
    verdict = grade(f"{HEAD}def double(x):\n    return {value}\n", "double")
    assert verdict.cause == "wrong_type"
    assert said in verdict.checks[0].message
    assert [row.state for row in verdict.checks] == ["failed"] * 3
    assert verdict.location is not None
    assert verdict.location.line == 3


def test_a_value_of_the_wrong_shape(grade: Grader) -> None:
    verdict = grade("def double(x):\n    return (2 * x)[None]\n", "double")
    assert verdict.cause == "wrong_shape"
    assert [row.message for row in verdict.checks[:2]] == [
        "the result has the shape (1, 3), expected (3,)",
        "the result has the shape (1, 4, 2), expected (4, 2)",
    ]


def test_nan(grade: Grader) -> None:
    verdict = grade("def double(x):\n    return x * float('nan')\n", "double")
    assert (verdict.cause, verdict.checks[0].message) == ("wrong_value", "the result holds nan or inf")


BODIES = [
    ("raises", "return x[5, 6, 7]", "exception", "double raised IndexError: too many indices", (4, 12)),
    ("sys.exit", "sys.exit('enough')", "exited", "double left the program: sys.exit(enough)", (4, None)),
    ("sys.exit(0)", "sys.exit(0)", "exited", "double left the program: sys.exit(0)", (4, None)),
    ("KeyboardInterrupt", "raise KeyboardInterrupt", "exited", "double raised KeyboardInterrupt", (4, None)),
    ("GeneratorExit", "raise GeneratorExit", "exception", "double raised GeneratorExit", (4, 5)),
    ("recursion", "return double(x)", "exception", "double raised RecursionError: maximum recursion depth", (4, 12)),
    ("reads stdin", "return float(input())", "exception", "double raised EOFError: EOF when reading a line", (4, 18)),
    ("os._exit", "os._exit(0)", "exited", "double ended the whole program: exit status 0", (3, None)),
    ("exit in a thread", "threading.Thread(target=os._exit, args=(3,)).start(); time.sleep(30)", "exited",
     "double ended the whole program: exit status 3", (3, None)),
    ("closes every file", "[os.close(fd) for fd in map(int, os.listdir('/proc/self/fd')[:-1])]", "exited",
     "double ended the whole program: exit status 70", (3, None)),
]  # fmt: skip


@linux
@pytest.mark.parametrize(("body", "cause", "said", "place"), [b[1:] for b in BODIES], ids=[b[0] for b in BODIES])
def test_a_function_that_raises_or_leaves(
    grade: Grader, body: str, cause: str, said: str, place: tuple[int, int | None]
) -> None:
    """After it the other checks go on, each for itself."""
    verdict = grade(f"{HEAD}def double(x):\n    {body}\n", "double")
    assert verdict.cause == cause
    assert said in verdict.checks[0].message
    assert verdict.location is not None
    assert (verdict.location.line, verdict.location.column) == place
    assert [row.state for row in verdict.checks] == ["failed"] * 3


CRASHES = [
    ("ctypes.string_at(0)", "signal 11, SIGSEGV", 4),
    ("os.abort()", "signal 6, SIGABRT", 4),
    ("signal.raise_signal(signal.SIGTERM)", "signal 15, SIGTERM", 3),  # nobody notes a line: the function's
    ("os.kill(0, 9)", "signal 9, SIGKILL", 3),
]


@linux
@pytest.mark.parametrize(("body", "said", "line"), CRASHES, ids=[row[0] for row in CRASHES])
def test_a_function_that_crashes(grade: Grader, body: str, said: str, line: int) -> None:
    text = f"""\
        {HEAD.splitlines()[0]}
        {HEAD.splitlines()[1]}
        def double(x):
            if x.ndim == 2: {body}
            return 2 * x
        """
    verdict = grade(text, "double")
    assert [row.state for row in verdict.checks] == ["passed", "failed", "passed"]
    assert verdict.cause == "crashed"
    assert said in verdict.checks[1].message
    assert verdict.location is not None
    assert verdict.location.line == line


@linux
def test_garbage_in_every_open_file(grade: Grader) -> None:
    text = """\
        import contextlib, os
        def double(x):
            for fd in range(64):
                with contextlib.suppress(OSError):
                    os.write(fd, b"garbage!" * 9)
            return 2 * x
        """
    verdict = grade(text, "double")
    assert (verdict.cause, verdict.location and verdict.location.line) == ("crashed", 2)
    assert verdict.checks[0].message == (
        "the program around double sent something unreadable: something that is no message"
    )


ODD_EXCEPTIONS = [
    ("def __str__(self): raise ValueError", "double raised Odd: <its text cannot be shown: ValueError>"),
    ("def __str__(self): raise SystemExit", "double raised Odd: <its text cannot be shown: SystemExit>"),
    ("def __str__(self): return 'a' * 10**6", "double raised Odd: " + "a" * 160 + "..."),
    ("def __str__(self): return ''", "double raised Odd"),
    ("def __str__(self): return 5", "double raised Odd: <its text cannot be shown: TypeError>"),
]


@pytest.mark.parametrize(("method", "message"), ODD_EXCEPTIONS, ids=[row[0] for row in ODD_EXCEPTIONS])
def test_exceptions_with_an_odd_text(grade: Grader, method: str, message: str) -> None:
    verdict = grade(f"class Odd(Exception):\n    {method}\ndef double(x):\n    raise Odd\n", "double")
    assert (verdict.cause, verdict.checks[0].message) == ("exception", message)


@linux
@pytest.mark.parametrize("value", ["torch.zeros(10 * 2**30 // 4)", "bytearray(10 * 2**30)", "[0] * 10**10"])
def test_ten_gigabytes(grade: Grader, value: str) -> None:
    verdict = grade(f"{HEAD}def double(x):\n    y = {value}\n    return 2 * x\n", "double")
    assert verdict.cause == "out_of_memory"
    assert verdict.location is not None
    assert verdict.location.line == 4


def test_two_hundred_megabytes_of_output_are_capped_and_the_grading_goes_on(grade: Grader) -> None:
    text = """\
        import sys
        def double(x):
            for _ in range(200 if x.ndim == 1 else 0):
                sys.stdout.write("x" * 2**20)
            return 2 * x
        """
    verdict = grade(text, "double")
    assert [row.state for row in verdict.checks] == ["passed"] * 3
    assert verdict.checks[0].prints == "x" * 65536 + f"\n[{200 * 2**20 - 65536} more bytes of output were dropped]\n"


def test_output_without_a_line_end_and_bytes_that_are_no_text(grade: Grader) -> None:
    text = """\
        import os, sys
        def double(x):
            print("to stdout", end="", flush=True)
            print(" to stderr", end="", file=sys.stderr, flush=True)
            os.write(1, b" \\xff\\x1b[31m")
            return 2 * x
        """
    verdict = grade(text, "double")
    assert verdict.passed
    assert verdict.checks[0].prints == "to stdout to stderr \N{REPLACEMENT CHARACTER} [31m"


def test_stdin_is_at_its_end(grade: Grader) -> None:
    body = "print(repr(sys.stdin.read()), os.read(0, 9))"
    verdict = grade(f"{HEAD}def double(x):\n    {body}\n    return 2 * x\n", "double")
    assert verdict.passed
    assert verdict.checks[0].prints == "'' b''\n"


def test_no_feedback_on_any_of_these_holds_a_traceback_of_the_grader(grade: Grader) -> None:
    for _, body, *_ in BODIES:
        shown = "\n".join(line.text for line in feedback.render(grade(f"{HEAD}def double(x):\n    {body}\n", "double")))
        assert "Traceback" not in shown
        assert "gradclinic/grading" not in shown


def test_a_forgotten_return_is_a_matter_of_type(grade: Grader) -> None:
    text = """\
        def slope(w, x):
            w = w.clone().requires_grad_()
            ((w * x) ** 2).sum().backward()
            slope = w.grad
        """
    verdict = grade(text)
    assert (verdict.cause, verdict.checks[0].message) == ("wrong_type", "the slope is None")
