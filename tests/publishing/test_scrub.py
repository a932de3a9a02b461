"""Outputs are the same on every machine and in every run."""

from __future__ import annotations

import pytest

from gradclinic.publishing.scrub import Frame, innermost_frame, scrub, short_traceback


@pytest.mark.parametrize(
    ("raw", "scrubbed"),
    [
        ("/tmp/ipykernel_4711/2051331.py:5: UserWarning: hm", "cell:5: UserWarning: hm"),
        ("C:\\Temp\\ipykernel_4711\\2051331.py:5: UserWarning", "cell:5: UserWarning"),
        ("<ipython-input-3-0a1b2c3d4e5f>:1: UserWarning", "cell:1: UserWarning"),
        ("/home/x/.venv/lib/python3.11/site-packages/torch/nn/m.py:9: hm", ".../torch/nn/m.py:9: hm"),
        ("<torch._C.Generator at 0x7f3feadbad40>", "<torch._C.Generator at 0x...>"),
        ("tensor. (Triggered internally at /__w/pytorch/TensorBody.h:493.)\n  y.grad", "tensor.\n  y.grad"),
        ("\x1b[31mRuntimeError\x1b[39m: no", "RuntimeError: no"),
        ("tensor([0.6667, 2.0000]) at 0.5", "tensor([0.6667, 2.0000]) at 0.5"),
    ],
)
def test_what_differs_between_runs_goes_and_the_rest_stays(raw: str, scrubbed: str) -> None:
    assert scrub(raw) == scrubbed


def test_the_learners_line_is_the_innermost_one_of_a_cell() -> None:
    traceback = (
        "\x1b[36mCell\x1b[39m\x1b[36m \x1b[39m\x1b[32mIn[7]\x1b[39m\x1b[32m, line 2\x1b[39m\n      2 f()\n"
        "\x1b[36mCell\x1b[39m\x1b[36m \x1b[39m\x1b[32mIn[3]\x1b[39m\x1b[32m, line 5\x1b[39m, in f()\n"
        "File /x/site-packages/torch/_tensor.py:581, in Tensor.backward(self)\n"
    )
    assert innermost_frame(traceback) == Frame(count=3, line=5)
    assert innermost_frame("File /x/torch/_tensor.py:581, in backward") is None


def test_of_a_traceback_the_line_and_the_message_remain() -> None:
    shown = short_traceback("RuntimeError", "grad was lost (Triggered internally at a.cpp:1.)\n", "    y.backward()", 4)
    assert shown == "line 4: y.backward()\nRuntimeError: grad was lost"
