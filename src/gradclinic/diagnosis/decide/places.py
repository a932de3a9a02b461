"""From what the trace or a traceback holds to a location that is shown."""

from __future__ import annotations

import types

from ..diagnosis import Location
from ..record.site import HIDDEN, USER, Places, Site, resolve


def location(site: Site | None) -> Location | None:
    """None where nothing is known of the place."""
    if site is None or not site.file:
        return None
    return Location(
        site.file,
        site.line,
        site.column,
        site.end_column,
        site.source,
        site.function,
        site.module_path,
        location(site.called_from),
    )


def of_exception(error: BaseException) -> Location | None:
    """The innermost frame of the traceback that is not torch's or Python's own, with the user's line behind it."""
    return location(innermost(frames(error)))


def frames(error: BaseException) -> list[types.TracebackType]:
    """The steps of its traceback, the outermost first."""
    found: list[types.TracebackType] = []
    step = error.__traceback__
    while step is not None:
        found.append(step)
        step = step.tb_next
    return found


def innermost(steps: list[types.TracebackType]) -> Site | None:
    places = Places()
    shown = [step for step in steps if places.kind(step.tb_frame.f_code) != HIDDEN]
    if not shown:
        return None
    last = shown[-1]
    user = next((step for step in reversed(shown) if places.kind(step.tb_frame.f_code) == USER), None)
    caller = resolve(user.tb_frame.f_code, user.tb_lasti) if user is not None and user is not last else None
    return resolve(last.tb_frame.f_code, last.tb_lasti, "", caller)
