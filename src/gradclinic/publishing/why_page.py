"""The page "Why is it None?": one nested list of questions, and the way to each cause for the page of that cause."""

from __future__ import annotations

from collections.abc import Iterator

from gradclinic.causes import CAUSES
from gradclinic.publishing.cause_programs import ExecutedCause
from gradclinic.publishing.markdown import code, front_matter, unsearched, verbatim
from gradclinic.publishing.why import Choice, Question, Tree
from gradclinic.publishing.why_walks import Walked

# Run by a test, in the session that a program leaves behind.
SETUP = """\
import re, sys, torch

x = w  # the tensor that you ask about, by its own name
error = getattr(sys, "last_value", None)  # what stopped the program
source = open("program.py").read()  # in a notebook: "\\n".join(In)
"""
_SHORT = 76  # characters of what a line showed


def why_page(why: Walked, executed: list[ExecutedCause]) -> str:
    """The questions as a nested list, which `assets/why.js` shows one at a time."""
    torch = executed[0].torch.partition("+")[0] if executed else ""
    description = "Find the cause of a gradient that is None, zero or wrong: one question, one line of code at a time."
    return (
        front_matter("Why is it None?", description)
        + "# Why is it None?\n\n"
        + "Or zero, or wrong, or right while the weight does not move. Answer one question after the other: each is "
        + "a line of code for you to run, and each way ends at one cause, with its fix. This build asked every "
        + f"question of a program for each of the {len(executed)} causes, and each way led to its own cause "
        + f"(torch {torch}).\n\n"
        + _before()
        + unsearched("## The questions")
        + '\n<div class="why" markdown>\n\n'
        + "\n".join(_Listed(why, executed).lines())
        + "\n\n</div>\n\nNot sure at one of them? [`diagnose(x, loss)`](diagnose.md) under `trace()` looks for itself "
        + "and names the line.\n"
    )


def how_to_tell(why: Walked, cause: str) -> str:
    """The questions that lead to this cause, with what each line shows in the cause's own program."""
    rows = [
        f"1. [{why.tree.questions[step.question].ask}](../why.md#step-{step.question})<br>"
        f"{verbatim(why.tree.questions[step.question].line)} shows {verbatim(_short(step.shown))}"
        for step in why.walks[cause].steps
    ]
    way = "\n".join(rows)
    return f"{unsearched('## How to tell')}\nAsked of this program, [these lines](../why.md) show:\n\n{way}\n"


def _before() -> str:
    return (
        "Run your program with `python -i program.py`, or in a notebook, so that its names stay. Write "
        + "`loss.backward(retain_graph=True)` while you ask, because the questions walk through the graph again. "
        + "Then give the names that they use:\n\n"
        + code(SETUP)
        + "\n`loss` is what `backward()` is called on, `model` the module that `x` belongs to, and the loss compares "
        + "`prediction` with `target`. Where there is none, write `optimizer = None` or `target = None`.\n\n"
    )


class _Listed:
    """Writes the questions as a list in which each stands once; where else it is led to is a link."""

    def __init__(self, why: Walked, executed: list[ExecutedCause]) -> None:
        self._tree: Tree = why.tree
        self._walks = why.walks
        self._stops = {one.program.id: one for one in executed if one.program.raises}
        self._parents = why.tree.parents
        self._ended: set[str] = set()

    def lines(self) -> Iterator[str]:
        start = self._tree.questions[self._tree.start]
        yield f"- {self._step(start)}"
        yield from self._choices(start, "    ")

    def _choices(self, question: Question, indent: str) -> Iterator[str]:
        for choice in question.choices:
            following = self._tree.questions.get(choice.to)
            if following is None:
                yield f"{indent}- {_label(choice, 'end')} {self._end(choice.to)}"
            elif self._parents[choice.to] == question.id and not choice.link:
                yield f"{indent}- {_label(choice, 'step')} {self._step(following)}"
                yield from self._choices(following, indent + "    ")
            else:
                link = f"[{following.ask}](#step-{following.id})"
                yield f'{indent}- {_label(choice, "step")} <span class="why-go">go on at {link}</span>'

    def _step(self, question: Question) -> str:
        note = f' <span class="why-note">{question.note}</span>' if question.note else ""
        return (
            f'<span class="why-step" id="step-{question.id}"><span class="why-ask">{question.ask}</span> '
            f'<span class="why-line">{_python(question.line)}</span>{note}</span>'
        )

    def _end(self, id: str) -> str:
        title, address, text = self._told(id)
        link = f"[{title}]({address})" if address else title
        if id in self._ended:
            return f'<span class="why-go">{link}</span>'
        self._ended.add(id)
        name = f'<span class="why-name">{link}</span>'
        return f'<span class="why-step" id="end-{id}">{name} <span class="why-note">{text}</span></span>'

    def _told(self, id: str) -> tuple[str, str, str]:
        """Title, address, and what the program of this end showed."""
        if id in self._tree.ends:
            return self._tree.ends[id].title, "", self._tree.ends[id].text
        if id in self._stops:
            said = next(piece.text for piece in self._stops[id].broken if piece.kind == "raises")
            where, _, _ = said.partition("\n")
            text = f"Its program stops in {verbatim(where.partition(': ')[2])}."
        else:
            text = f"In its program `x.grad` shows {verbatim(_short(self._walks[id].grad))}."
        return CAUSES[id].title, f"causes/{id}.md", text


def _label(choice: Choice, kind: str) -> str:
    pieces = " or ".join(verbatim(piece) for piece in choice.holds)
    shown = verbatim(choice.shows) if choice.shows is not None else pieces or "something else"
    says = (", " if choice.says.startswith("or ") else ": ") + choice.says if choice.says else ""
    return f'<span class="why-said" data-to="{kind}-{choice.to}">{shown}{says}</span>'


def _python(line: str) -> str:
    return verbatim(f"#!python {line}")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHORT else line[: _SHORT - 1] + "…"
