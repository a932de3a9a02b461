"""What holds for every diagnosis, whatever it was asked about."""

from __future__ import annotations

import json
import linecache
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

from gradclinic.diagnosis.diagnosis import Diagnosis

TRACE = {"complete", "dropped"}
STATES = {"none", "zero", "nonfinite", "present", "error", "unmoved"}
FIELDS = {
    *("schema", "torch", "target", "state", "ok", "summary", "cause", "title", "certainty", "candidates", "location"),
    *("findings", "fix", "lesson", "path", "notes", "trace"),
}


def told(said: Diagnosis) -> dict[str, Any]:
    """The diagnosis as it is published, with the rules that it breaks."""
    return said.as_dict() | {"breaches": breaches(said)}


def breaches(said: Diagnosis) -> list[str]:
    found = json.loads(said.json(), parse_constant=_refuse)
    return [*_of_the_verdict(said), *_of_the_fields(found), *_of_the_text(said), *_of_the_places(found)]


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _of_the_verdict(said: Diagnosis) -> list[str]:
    causes = [cause.id for cause in said.candidates]
    claimed = {one.cause for one in said.findings if one.certainty != "open" and one.role == "root"}
    rules = {
        "a cause that is proved is the only candidate": said.certainty != "proved" or said.candidates == (said.cause,),
        "a likely cause is the first candidate": said.certainty != "likely" or said.candidates[:1] == (said.cause,),
        "an open answer has no cause": (said.certainty == "open") == (said.cause is None),
        "there are candidates": bool(causes),
        "each candidate once": len(set(causes)) == len(causes),
        "what is ok has no cause and no finding": not said.ok or not (said.cause or said.findings),
        "a cause stands in a finding": said.cause is None or any(one.cause is said.cause for one in said.findings),
        "fix and lesson are those of the cause": (said.fix is None) == (said.cause is None),
        "what is claimed fits": said.certainty != "likely" or claimed <= set(said.candidates),
        "only a gradient that is there can be ok, or none that anybody asked for": not said.ok
        or said.state == "present"
        or (said.state == "none" and said.target.startswith("module ")),
    }
    return [rule for rule, holds in rules.items() if not holds]


def _of_the_fields(found: dict[str, Any]) -> list[str]:
    rules = {
        "the fields of schema 1": set(found) == FIELDS and found["schema"] == 1,
        "a known state": found["state"] in STATES,
        "the version of torch": bool(found["torch"]),
        "the trace says whether it is complete": not found["trace"] or set(found["trace"]) == TRACE,
    }
    return [rule for rule, holds in rules.items() if not holds]


def _of_the_text(said: Diagnosis) -> list[str]:
    lines = said.text().splitlines()
    wide = [line for line in lines if sum(2 if east_asian_width(sign) in "WF" else 1 for sign in line) > 80]
    paragraphs = [block for block in said.text().split("\n\n") if block]
    rules = {
        "no line over 80 columns": not wide,
        "no blank at the end of a line": all(line == line.rstrip() for line in lines),
        "the state comes first": " ".join(paragraphs[0].split()).startswith(said.summary.partition(". ")[0][:60]),
        "no paragraph twice": len(set(paragraphs)) == len(paragraphs),
        "the fix is printed": said.fix is None or " ".join(said.fix.split()) in " ".join(said.text().split()),
        "html": said._repr_html_().startswith('<div class="gradclinic-diagnosis"><p><strong>'),
    }
    return [rule for rule, holds in rules.items() if not holds]


def _of_the_places(found: dict[str, Any]) -> list[str]:
    places = [place for one in found["findings"] for place in (one["location"], *one["also"]) if place]
    places += [place["called_from"] for place in places if place["called_from"]]
    wrong = []
    for place in places:
        if place["line"] is None or not Path(place["file"]).is_file():
            continue
        if linecache.getline(place["file"], place["line"]).rstrip("\n") != place["source"]:
            wrong.append(f"the source of {place['file']}:{place['line']} is the line itself")
        columns = (place["column"], place["end_column"])
        if None not in columns and not 0 <= columns[0] < columns[1] <= len(place["source"]):
            wrong.append(f"the columns {columns} lie in the line {place['line']}")
    if found["location"] and found["location"] not in [one["location"] for one in found["findings"]]:
        wrong.append("the location is that of a finding")
    return wrong
