"""The questions of "Why is it None?", asked of real programs: each way leads to the cause that the program has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gradclinic.course import Course, CourseError, shipped_root
from gradclinic.publishing.cause_programs import read_causes
from gradclinic.publishing.forked import forked_results
from gradclinic.publishing.forks import answers
from gradclinic.publishing.why import Tree, read_tree
from gradclinic.publishing.why_page import SETUP
from gradclinic.publishing.why_walks import Walk, call_for, visits, walks_judged

CAUSES = [
    "no_backward",
    "not_a_leaf",
    "shadowed_leaf",
    "retained_late",
    "off_the_path",
    "unused",
    "detached",
    "left_torch",
    "rewrapped",
    "grad_mode_off",
    "not_differentiable",
    "requires_grad_false",
    "frozen",
    "flag_on_module",
    "flag_too_late",
    "grad_cleared",
    "functional_grad",
    "backward_returned_none",
    "modified_after_use",
    "loss_patched",
    "checkpoint_cut",
    "inplace_on_leaf",
    "inplace_on_saved",
    "inplace_on_view",
    "graph_freed",
    "non_scalar_loss",
    "inference_tensor",
    "integer_dtype",
    "no_create_graph",
    "loss_has_no_graph",
    "zero_derivative",
    "materialized_zero",
    "unregistered_parameter",
    "stale_optimizer",
    "accumulated",
    "edited_through_data",
    "broadcast_target",
    "nonfinite_derivative",
]

TINY = """\
start: none
questions:
  none:
    ask: Is it None?
    line: x.grad is None
    answers:
      - {shows: "False", to: fine}
      - {shows: "True", to: detached}
ends:
  fine: {title: Fine, text: Nothing is lost.}
"""
BROKEN = """
import torch

w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
loss = w.detach() * b
loss.backward()
print(w.grad)
"""


@pytest.fixture(scope="module")
def tree() -> Tree:
    return read_tree(shipped_root() / "lessons" / "why.yaml", CAUSES)


@pytest.fixture(scope="module")
def walks(tree: Tree) -> dict[str, Walk]:
    """Each program is asked in a process of its own."""
    asked = visits(tree, read_causes(Course(shipped_root())))
    walks, problems = walks_judged(tree, asked, answers([call_for(tree, one) for one in asked]))
    assert [str(problem) for problem in problems] == []
    return walks


def shown(walk: Walk) -> list[tuple[str, str]]:
    return [(step.question, step.shown) for step in walk.steps]


def test_the_programs_of_all_causes_are_asked(walks: dict[str, Walk]) -> None:
    assert len(CAUSES) == 38
    assert {file.stem for file in (shipped_root() / "lessons" / "causes").glob("*.py")} == set(CAUSES)
    assert set(walks) == {*CAUSES, *(f"{id}, repaired" for id in CAUSES), "another_error"}


@pytest.mark.parametrize("id", CAUSES)
def test_the_questions_lead_a_program_to_its_cause_and_the_repaired_one_to_nothing(
    walks: dict[str, Walk], id: str
) -> None:
    assert walks[id].end == id
    assert walks[f"{id}, repaired"].end == "nothing_lost"


def test_each_step_is_what_a_reader_would_see(walks: dict[str, Walk]) -> None:
    assert shown(walks["retained_late"]) == [
        ("error", "None"),
        ("none", "True"),
        ("leaf", "False"),
        ("retained", "True"),
        ("path_of_result", "(tensor([1., 1.]),)"),
    ]
    assert shown(walks["flag_on_module"]) == [
        ("error", "None"),
        ("none", "True"),
        ("leaf", "True"),
        ("requires", "False"),
        ("parameter", "True"),
        ("plain_attribute", "True"),
    ]
    assert shown(walks["materialized_zero"]) == [
        ("error", "None"),
        ("none", "False"),
        ("finite", "True"),
        ("zeros", "True"),
        ("piece", "<SelectBackward0>"),
    ]
    assert shown(walks["non_scalar_loss"]) == [("error", "grad can be implicitly created only for scalar outputs")]
    assert shown(walks["detached"])[-2:] == [("patched", "<MeanBackward0>"), ("values", "['.detach']")]
    assert shown(walks["loss_patched"])[-1] == ("patched", "None")
    assert shown(walks["accumulated"])[-1] == ("sum", "False")
    assert shown(walks["stale_optimizer"])[-2:] == [("held", "False"), ("registered", "True")]


def test_the_gradient_is_told_as_it_was_before_the_first_question(walks: dict[str, Walk]) -> None:
    """`torch.autograd.grad` fills the `.grad` of a tensor that retains it."""
    assert walks["retained_late"].grad == "None"
    assert walks["accumulated"].grad == "tensor(-18.)"
    assert walks["nonfinite_derivative"].grad == "tensor([   nan, 0.2500])"
    assert walks["integer_dtype"].grad == ""


def test_answers_that_no_program_takes_lead_where_another_program_has_been(tree: Tree, walks: dict[str, Walk]) -> None:
    taken = {(step.question, step.to) for walk in walks.values() for step in walk.steps}
    left = {(q.id, c.to) for q in tree.questions.values() for c in q.choices} - taken
    assert left == {("asked_for", "values"), ("cleared", "no_backward")}
    assert left <= {(question, to) for question, _ in left for _, to in taken}


@pytest.mark.parametrize(
    ("program", "asked", "printed"),
    [
        (BROKEN, "x.is_leaf", "True"),
        (BROKEN, "str(error)", "'None'"),
        (BROKEN, r're.findall(r"\.(?:detach|data)\b", source)', "['.detach']"),
        (BROKEN.replace("* b", "* b * torch.ones(2)"), "str(error)", "only for scalar outputs"),
    ],
)
def test_the_names_at_the_top_of_the_page_serve_in_an_interactive_session(
    tmp_path: Path, program: str, asked: str, printed: str
) -> None:
    (tmp_path / "program.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "-i", "program.py"],
        input=f"{SETUP}{asked}\n",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=300,
        check=True,
    )
    assert printed in done.stdout.splitlines()[-1]


def read(tmp_path: Path, text: str, causes: tuple[str, ...] = ("detached",)) -> Tree:
    file = tmp_path / "why.yaml"
    file.write_text(text)
    return read_tree(file, causes)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("to: detached", "to: fine", ":2: no answer leads to the cause detached, which has a program"),
        ("to: detached", "to: lost", ":3: an answer to the question none leads to lost, which is no question"),
        ("to: detached", "to: rewrapped", ":3: an answer to the question none leads to rewrapped, which is no"),
        ("to: fine", "to: detached", ":10: no answer leads to the end fine."),
        ("    line: x.grad is None\n", "", ":3: the question none needs one line of code that can be run"),
        ("x.grad is None", "x.grad is", ":3: the question none needs one line of code that can be run"),
        ("x.grad is None", '"(x.grad\\nis None)"', ":3: the question none needs one line of code, and has several."),
        ("start: none", "start: here", ":1: the path starts with here, which is no question."),
        ("ends:\n", "", "this is no path of questions: KeyError('answers')"),
        ("shows:", "show:", "this is no path of questions: TypeError"),
    ],
)
def test_a_faulty_path_is_refused_with_its_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert read(tmp_path, TINY).start == "none"
    with pytest.raises(CourseError) as refused:
        read(tmp_path, TINY.replace(old, new))
    assert said in str(refused.value)


def test_a_question_with_the_name_of_a_cause_is_refused(tmp_path: Path) -> None:
    renamed = TINY.replace("  none:", "  unused:").replace("start: none", "start: unused")
    with pytest.raises(CourseError, match=r":3: the question unused has the name of a cause: give it another"):
        read(tmp_path, renamed)


def test_a_question_that_no_answer_leads_to_and_a_loop_are_refused(tmp_path: Path) -> None:
    lonely = TINY.replace("ends:", '  alone: {ask: "And?", line: x, answers: [{to: fine}]}\nends:')
    with pytest.raises(CourseError, match=r":9: no answer leads to the question alone"):
        read(tmp_path, lonely)
    loop = lonely.replace('"False", to: fine', '"False", to: alone').replace("[{to: fine}]", "[{to: fine}, {to: none}]")
    with pytest.raises(CourseError, match="the answers lead from the question none back to it"):
        read(tmp_path, loop)


def workshop_with(workshop: Any, tree: str, broken: str = BROKEN) -> Course:
    causes = Path(workshop.root, "lessons", "causes")
    causes.mkdir(exist_ok=True)
    fixed = broken.replace(".detach()", "")
    ask = '# %% tags=["ask"]\ndiagnose(w, loss)\n'
    (causes / "detached.py").write_text(f'# %% tags=["broken"]{broken}\n{ask}\n# %% tags=["fixed"]{fixed}')
    Path(workshop.root, "lessons", "why.yaml").write_text(tree)
    return Course(workshop.root)


def test_a_course_without_questions_has_no_such_page_and_one_with_questions_has(workshop: Any) -> None:
    course = workshop_with(workshop, TINY)
    why = forked_results(course, lambda line: None).why
    assert why is not None
    assert {name: walk.end for name, walk in why.walks.items()} == {
        "detached": "detached",
        "detached, repaired": "fine",
    }
    Path(workshop.root, "lessons", "why.yaml").unlink()
    assert forked_results(course, lambda line: None).why is None


def test_walks_are_kept_until_a_question_or_a_program_changes(workshop: Any) -> None:
    told: list[str] = []
    for tree in (TINY, TINY, TINY.replace("Is it", "Is x")):
        forked_results(workshop_with(workshop, tree), told.append)
    assert [line for line in told if "paths" in line] == [
        "2 paths of questions  walked",
        "2 paths of questions  unchanged",
        "2 paths of questions  walked",
    ]


def test_a_way_that_leads_to_another_end_is_refused_with_what_each_line_showed(workshop: Any) -> None:
    swapped = TINY.replace('"False"', '"Yes"').replace('"True"', '"False"').replace('"Yes"', '"True"')
    first, second = map(str, forked_results(workshop_with(workshop, swapped), lambda line: None).problems)
    assert "the questions lead the program of detached to fine, and not to detached:" in first
    assert "x.grad is None  ->  True" in first
    assert "the program of detached, repaired to detached, and not to an end without cause:" in second


def test_an_answer_that_nobody_foresaw_is_refused(workshop: Any) -> None:
    course = workshop_with(workshop, TINY.replace("x.grad is None", "x.no_such_name"))
    first, _ = map(str, forked_results(course, lambda line: None).problems)
    assert "the program of detached to no answer that fits" in first
    assert "x.no_such_name  ->  AttributeError: 'Tensor' object has no attribute 'no_such_name'" in first


def test_an_end_that_its_own_program_does_not_reach_is_refused(workshop: Any) -> None:
    other = '  other: {title: Other, text: Other., program: "x = w = loss = None"}\n'
    tree = TINY.replace("answers:\n", 'answers:\n      - {shows: "never", to: other}\n') + other
    (said,) = map(str, forked_results(workshop_with(workshop, tree), lambda line: None).problems)
    assert "the questions lead the program of other to no answer that fits, and not to other" in said
