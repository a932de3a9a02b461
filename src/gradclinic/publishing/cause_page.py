"""The page of one cause: the program that shows it, what the diagnosis says, and the program repaired."""

from __future__ import annotations

from collections.abc import Sequence

from gradclinic.causes import CAUSES, Cause
from gradclinic.course import Course
from gradclinic.diagnosis.graph import Facts
from gradclinic.diagnosis.tell.picture import figure
from gradclinic.publishing.cause_programs import CauseFile, ExecutedCause
from gradclinic.publishing.markdown import code, front_matter, output
from gradclinic.publishing.outputs import Piece
from gradclinic.publishing.pages import OUTCOMES, lesson_link


def cause_page(course: Course, executed: ExecutedCause, way: str = "") -> str:
    """`way` tells which questions lead here; empty where the course has none."""
    cause = CAUSES[executed.program.id]
    parts = [
        front_matter(cause.title, f"{cause.title}: a program that shows it, what diagnose prints, and the fix."),
        _head(executed, cause),
        cause.explanation + "\n",
        "## A program that shows it\n",
        code(executed.program.broken.source),
        output(executed.broken),
        _picture(executed.said.graph, "after the program above"),
        "## What the diagnosis says\n",
        code(question(executed.program)),
        output([Piece("prints", executed.said.text)]),
        _symptom(executed),
        way,
        "## What helps\n",
        cause.fix + "\n",
        code(executed.program.fixed.source),
        output(executed.fixed),
        "" if executed.said.graph else _picture(executed.said_of_fixed.graph, "after the repaired program"),
        f"Asked again, `{executed.program.ask.source.strip()}` finds nothing to repair. It begins:\n",
        output([Piece("prints", executed.said_of_fixed.summary)]),
    ]
    taught = next((lesson for lesson in course.lessons if lesson.id == cause.lesson), None)
    if taught is not None:
        parts.append(f"Lesson: {lesson_link(taught, '../lessons/')}\n")
    return "\n".join(part for part in parts if part)


def _head(executed: ExecutedCause, cause: Cause) -> str:
    facts = [
        f"`{cause.id}`",
        OUTCOMES[cause.outcome],
        f"run with torch {executed.torch.partition('+')[0]} on {executed.date}",
        "[all causes](../causes.md)",
    ]
    return f"# {cause.title}\n\n{' · '.join(facts)}\n{{ .gc-facts }}\n"


def question(program: CauseFile) -> str:
    """What to write around the program to get the answer that the build got."""
    asked = program.ask.source.strip()
    opened = "with trace(values=True):" if program.values else "with trace():"
    if program.raises:
        lines = [
            "from gradclinic import explain, trace\n",
            opened,
            "    try:",
            "        ...  # the program above",
            "    except Exception as error:",
            "        print(explain(error))",
        ]
    else:
        lines = [
            "from gradclinic import diagnose, trace\n",
            opened,
            "    ...  # the program above",
            f"    print({asked})",
        ]
    return "\n".join(lines)


def home_picture(causes: Sequence[ExecutedCause]) -> str:
    """What the first page shows, as a piece of HTML: the graph of a program that cuts, where there is one."""
    shown = next((one for one in causes if one.program.id == "detached"), None)
    picture = _picture(shown.said.graph, "of a model whose features were detached") if shown else ""
    return picture.replace("<section ", '<section class="gc-home" ', 1)


def _picture(graph: Facts | None, after: str) -> str:
    """Not searched, which the search takes to end with the next tag of the same name: a picture holds no section."""
    return f"<section data-search-exclude>{figure(graph, 'graph', after)}</section>\n" if graph else ""


def _symptom(executed: ExecutedCause) -> str:
    if executed.said.cause == executed.program.id:
        return ""
    return "This is a symptom: repair what is named after it.\n" if executed.said.cause else ""
