"""Is what diagnose says right? Runs the bank of broken programs and the healthy ones, with and without a trace.

Prints how often the cause and the line are right, where it cannot tell, and every statement that does not hold. Each
program runs in a child forked from this process, which has imported torch and run nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib.util
import json
import os
import re
import select
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"

import torch
import torch._dynamo  # the first optimizer would import it in every child

ROOT = Path(__file__).parents[1]
CASES, HEALTHY = ROOT / "tests" / "cases", ROOT / "tests" / "healthy"
sys.path[:0] = [str(ROOT / "src"), str(CASES)]

import bank  # noqa: E402
import judge  # noqa: E402
import partial  # noqa: E402
from adapters import ADAPTERS  # noqa: E402
from expected import (  # noqa: E402
    EXPECTED,
    OUTSIDE,
    Want,
)
from expected import HEALTHY as FINE  # noqa: E402

import gradclinic.diagnosis.ask  # noqa: E402  (imported here once, for all children)
import gradclinic.diagnosis.errors  # noqa: E402, F401

DEADLINE = 60.0
OWN = CASES / "own.py"
BLIND = ("accumulated", "edited_through_data", "broadcast_target")  # the gradient is there: no trace, nothing to notice


def in_child(work: Callable[[], Any]) -> Any:
    """What `work` returns in a forked child, as plain data; {"failed": why} when the child raised, died or hung."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        try:
            result = work()
        except BaseException:
            result = {"failed": " | ".join(line.strip() for line in traceback.format_exc().splitlines()[-3:])}
        with os.fdopen(writer, "w") as stream:
            json.dump(result, stream)
        os._exit(0)
    os.close(writer)
    parts, end = [], time.monotonic() + DEADLINE
    with os.fdopen(reader, "rb", buffering=0) as stream:
        while (left := end - time.monotonic()) > 0:
            if select.select([stream], [], [], left)[0]:
                part = stream.read(1 << 16)
                if not part:
                    break
                parts.append(part)
        else:
            os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    try:
        return json.loads(b"".join(parts))
    except ValueError:
        return {"failed": f"no answer after {DEADLINE:.0f} s" if left <= 0 else f"the child died, status {status}"}


def judged(case: str, traced: bool) -> dict[str, Any]:
    """One row of the table: what was said of each question, and how right it is."""
    wants = EXPECTED[case]
    values = any(want.values for want in wants.values())
    answers = in_child(lambda: bank.run_case(case, ADAPTERS[case], traced=traced, values=values))
    if "failed" in answers:
        answers = dict.fromkeys(wants, answers)
    missing: dict[str, Any] = {"failed": "the moment of the question never came"}
    file = str(CASES / f"{case}.py")
    rows = {key: judge.judge(answers.get(key, missing), want, file, traced) for key, want in wants.items()}
    main = rows["main"]
    return {
        "case": case,
        "cause": main.cause,
        "line": main.line,
        "false": [f"{key}: {what}" for key, row in rows.items() for what in row.false],
        "weak": [f"{key}: {row.cause}, line {row.line}" for key, row in rows.items() if _weak(row)],
        "wanted": {key: {"root": want.root, "lines": list(want.lines)} for key, want in wants.items()},
        "said": {key: row.said for key, row in rows.items()},
    }


def _weak(row: judge.Verdict) -> bool:
    return row.cause in ("open", "wrong") or row.line in ("open", "wrong")


def healthy(name: str, traced: bool) -> dict[str, Any]:
    """The alarms raised about one healthy program."""
    answers = in_child(lambda: _ask_healthy(name, traced))
    if "failed" in answers:
        return {"program": name, "alarms": [answers["failed"]], "asked": 0, "gradients": []}
    alarms = [
        f"{one['target']}: {one['state']}, cause {one['cause']}, candidates {one['candidates']}, "
        f"findings {[found['cause'] for found in one['findings']]}: {one['summary']}"
        for one in answers["said"]
        if not one["ok"] or one["cause"] or any(found["certainty"] != "open" for found in one["findings"])
    ]
    return {"program": name, "alarms": alarms, "asked": len(answers["said"]), "gradients": answers["gradients"]}


def _ask_healthy(name: str, traced: bool) -> dict[str, Any]:
    from gradclinic import diagnose, trace

    warnings.simplefilter("ignore")
    spec = importlib.util.spec_from_file_location(name, HEALTHY / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    if traced:
        with trace():
            targets, loss, *more = module.run()
    else:
        targets, loss, *more = module.run()
    answers = []
    for target in targets:
        kinds = [(loss, None)]
        if isinstance(target, torch.nn.Module) and more:
            kinds.append((loss, more[0]))
        if traced and not isinstance(loss, list):
            kinds.append((None, None))
        answers += [diagnose(target, root, optimizer=optimizer).as_dict() for root, optimizer in kinds]
    return {"said": answers, "gradients": [_gradient_sum(target) for target in targets]}


def _gradient_sum(target: Any) -> str:
    """One number for all gradients of a target, to the last digit."""
    tensors = list(target.parameters()) if isinstance(target, torch.nn.Module) else [target]
    grads = [tensor.grad.to_dense() for tensor in tensors if tensor.grad is not None]
    return repr([grad.abs().double().sum().item() for grad in grads])


MARK = re.compile(r"#\s<-\s(?P<cause>\w+)(?:\sin\s(?P<name>\w+))?(?P<no_line>,\sno\sline)?(?P<open>,\sopen)?$")


def own_cases() -> dict[str, Want]:
    """What the comments of `own.py` promise, by function."""
    wants: dict[str, Want] = {}
    function = ""
    for number, line in enumerate(OWN.read_text().splitlines(), 1):
        if line.startswith("def "):
            function = line[4:].partition("(")[0]
        if found := MARK.search(line):
            name = found["name"] or function
            before = wants[name].lines if name in wants else ()
            lines = () if found["no_line"] else (*before, number)
            symptoms = ("loss_has_no_graph", "loss_patched")
            wants[name] = Want(found["cause"], lines, symptoms, blind=found["cause"] in BLIND, scored=not found["open"])
    return wants


def judged_own(name: str, want: Want, traced: bool) -> dict[str, Any]:
    answer = in_child(lambda: _ask_own(name, traced))
    row = judge.judge(answer, want, str(OWN), traced)
    weak = [f"main: {row.cause}, line {row.line}"] if want.scored and _weak(row) else []
    wanted = {"main": {"root": want.root, "lines": list(want.lines)}}
    right = {"cause": row.cause if want.scored else None, "line": row.line if want.scored else None}
    false = [f"main: {what}" for what in row.false]
    return {"case": f"own/{name}", **right, "false": false, "weak": weak, "wanted": wanted, "said": {"main": row.said}}


def partly_traced(name: str, want: Want) -> list[str]:
    """What is false of one of our own programs when the trace begins or ends before each of its lines in turn."""
    false = []
    for cut in ("begins", "ends"):
        answers = in_child(lambda cut=cut: _ask_partly(name, cut))
        if isinstance(answers, dict):
            answers = [answers]
        for step, answer in enumerate(answers, 1):
            row = judge.judge(answer, want, str(OWN), traced=False)
            false += [f"own/{name}, the trace {cut} before line {step}: {what}; {row.said}" for what in row.false]
    return false


def _ask_partly(name: str, cut: Any) -> list[dict[str, Any]]:
    answers: list[dict[str, Any]] = []
    while answer := _ask_own(name, False, (cut, len(answers) + 1)):
        answers.append(answer)
    return answers


def _ask_own(name: str, traced: bool, part: tuple[Any, int] | None = None) -> dict[str, Any]:
    from gradclinic import diagnose, explain, trace

    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    spec = importlib.util.spec_from_file_location("own", OWN)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, name)
    cover = partial.PartOfTheRun(function.__code__, *part) if part else None
    try:
        with cover or (trace() if traced else contextlib.nullcontext()):
            target, loss, *more = function()
    except Exception as error:
        return {} if cover and not cover.reached else explain(error).as_dict()
    if cover and not cover.reached:
        return {}
    return diagnose(target, loss, optimizer=more[0] if more else None).as_dict()


def names_of_healthy() -> list[str]:
    return sorted(path.stem for path in HEALTHY.glob("*.py"))


def summary(rows: list[dict[str, Any]]) -> dict[str, int]:
    inside = [row for row in rows if row["case"] not in FINE | OUTSIDE]
    lined = [row for row in inside if row["line"]]
    return {
        "cases": len(rows),
        "in scope": len(inside),
        "cause right": sum(row["cause"] == "right" for row in inside),
        "with a line": len(lined),
        "line right": sum(row["line"] == "right" for row in lined),
        "cannot tell": sum(row["cause"] == "open" for row in inside),
        "cases with a wrong statement": sum(bool(row["false"]) for row in rows),
    }


def report(result: dict[str, Any], verbose: bool) -> None:
    for kind in [kind for kind in ("traced", "untraced") if kind in result]:
        part = result[kind]
        print(f"\n{kind}")
        for name, count in part["summary"].items():
            print(f"  {name:30} {count}")
        print("  of our own bank:", ", ".join(f"{name} {count}" for name, count in part["own summary"].items()))
        for row in (*part["cases"], *part["own"]):
            if row["false"] or row["weak"]:
                print(f"  {'WRONG' if row['false'] else 'weak '}  {row['case']}")
                for what in (*row["false"], *(row["weak"] if kind == "traced" or verbose else ())):
                    key = what.partition(":")[0]
                    wanted = row["wanted"][key]
                    print(f"         {what}\n           wanted {wanted['root']} {wanted['lines']}; {row['said'][key]}")
        alarms = [row for row in part["healthy"] if row["alarms"]]
        print(f"  {'healthy programs':30} {len(part['healthy'])}")
        print(f"  {'of them with a false alarm':30} {len(alarms)}")
        for row in alarms:
            print(f"  ALARM  {row['program']}")
            for alarm in row["alarms"]:
                print(f"         {alarm}")

    if "partial" in result:
        print(f"\npartly traced\n  {'false statements':30} {len(result['partial'])}")
        print("".join(f"  WRONG  {what}\n" for what in result["partial"]), end="")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases and programs whose name contains this")
    parser.add_argument("--what", choices=["cases", "healthy", "partial", "all"], default="all")
    parser.add_argument("--mode", choices=["traced", "untraced", "both"], default="both")
    parser.add_argument("--verbose", action="store_true", help="without a trace, too, name what was left open")
    options = parser.parse_args()
    cases = [case for case in ADAPTERS if options.only in case and options.what in ("cases", "all")]
    own = {name: want for name, want in own_cases().items() if options.only in name}
    programs = [name for name in names_of_healthy() if options.only in name and options.what in ("healthy", "all")]
    gc.freeze()  # a collection in a child then copies no page of this process
    result: dict[str, Any] = {"torch": torch.__version__}
    kinds = [kind for kind in ("traced", "untraced") if options.mode in (kind, "both")]
    for kind in kinds:
        traced = kind == "traced"
        rows = [judged(case, traced) for case in cases]
        rows_of_own = [judged_own(name, want, traced) for name, want in own.items() if options.what in ("cases", "all")]
        result[kind] = {
            "summary": summary(rows),
            "cases": rows,
            "own summary": summary(rows_of_own),
            "own": rows_of_own,
            "healthy": [healthy(name, traced) for name in programs],
        }
    if options.what in ("partial", "all"):
        result["partial"] = [what for name, want in own.items() for what in partly_traced(name, want)]
    if len(kinds) == 2:
        for with_trace, without in zip(result["traced"]["healthy"], result["untraced"]["healthy"], strict=True):
            if with_trace["gradients"] != without["gradients"]:
                with_trace["alarms"].append("the gradients differ from those of the run without a trace")
    if options.json:
        print(json.dumps(result, indent=1))
    else:
        report(result, options.verbose)
    wrong = any(row["false"] for kind in kinds for part in ("cases", "own") for row in result[kind][part])
    wrong = wrong or bool(result.get("partial"))
    alarms = any(row["alarms"] for kind in kinds for row in result[kind]["healthy"])
    return int(wrong or alarms)


if __name__ == "__main__":
    sys.exit(main())
