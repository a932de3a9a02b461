"""The file for Jenkins and the like, held against the rules of its schema.

The rules are those of junit-10.xsd in Jenkins's xunit plugin (GitHub jenkinsci/xunit-plugin,
src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd): which elements and attributes there are,
which of them must be there, and the pattern of times. The schema of Ant's output (GitHub windyroad/JUnit-Schema,
JUnit.xsd) asks for the time of the run and the name of the host besides, which this file leaves out: equal results give
equal bytes.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st

from gradclinic.classroom.junit import junit
from gradclinic.classroom.results import Learner

from .small_class import HOSTILE, NEVER, check, results, right, row

# element: attributes that must be there, others that may be, elements that may lie in it
RULES = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, set(), set()),
    "testcase": ({"name"}, {"time", "classname", "group"}, {"skipped", "error", "failure", "system-out", "system-err"}),
    "failure": (set(), {"type", "message"}, set()),
    "error": (set(), {"type", "message"}, set()),
    "skipped": (set(), {"type", "message"}, set()),
}
TIME = re.compile(r"[0-9]{1,3}(,[0-9]{3})*\.[0-9]*")


def read(content: bytes) -> ET.Element:
    """The parsed file, after every rule has been held against every element."""
    root = ET.fromstring(content)
    for element in root.iter():
        needed, allowed, inside = RULES[element.tag]
        assert needed <= set(element.attrib) <= needed | allowed
        assert {one.tag for one in element} <= inside
        assert TIME.fullmatch(element.get("time", "0.0"))
    for suite in root:
        cases = suite.findall("testcase")
        assert suite.get("tests") == str(len(cases))
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert suite.get(attribute) == str(len(suite.findall(f"testcase/{tag}")))
        assert {len(case) for case in cases} <= {0, 1}
    return root


def test_a_class_of_three_is_told_literally() -> None:
    broken = check("test_a_row", False, state="broken", message="the check itself is wrong")
    made = results(
        right("ada"),
        row("ada", "slope", NEVER),
        row("ben", "double", broken, check("test_a_table", False, state="not_reached", message="not reached")),
        learners=(Learner("ada"), Learner("ben"), Learner("cem")),
    )
    assert junit(made).decode() == (
        """\
<?xml version="1.0" encoding="utf-8"?>
<testsuites>
  <testsuite name="ada" tests="3" failures="1" errors="0" skipped="0" id="0" time="0.500">
    <properties>
      <property name="points" value="2" />
      <property name="most" value="5" />
      <property name="course" value="Gradient Clinic" />
      <property name="torch" value="2.13.0" />
    </properties>
    <testcase classname="double" name="test_a_row" time="0.250" />
    <testcase classname="double" name="test_a_table" time="0.000" />
    <testcase classname="slope" name="test_the_slope" time="0.250">
      <failure type="no_backward" message="the slope is None">line 4: return w.grad
got None, expected 1.5, 2</failure>
    </testcase>
  </testsuite>
  <testsuite name="ben" tests="3" failures="1" errors="1" skipped="1" id="1" time="0.250">
    <properties>
      <property name="points" value="0" />
      <property name="most" value="5" />
      <property name="course" value="Gradient Clinic" />
      <property name="torch" value="2.13.0" />
    </properties>
    <testcase classname="double" name="test_a_row" time="0.250">
      <error type="broken" message="the check itself is wrong" />
    </testcase>
    <testcase classname="double" name="test_a_table" time="0.000">
      <failure type="not_reached" message="not reached" />
    </testcase>
    <testcase classname="slope" name="handed_in" time="0.000">
      <skipped message="nothing was handed in" />
    </testcase>
  </testsuite>
  <testsuite name="cem" tests="2" failures="0" errors="0" skipped="2" id="2" time="0.000">
    <properties>
      <property name="points" value="0" />
      <property name="most" value="5" />
      <property name="course" value="Gradient Clinic" />
      <property name="torch" value="2.13.0" />
    </properties>
    <testcase classname="double" name="handed_in" time="0.000">
      <skipped message="nothing was handed in" />
    </testcase>
    <testcase classname="slope" name="handed_in" time="0.000">
      <skipped message="nothing was handed in" />
    </testcase>
  </testsuite>
</testsuites>
"""
    )
    assert [suite.get("name") for suite in read(junit(made))] == ["ada", "ben", "cem"]


def test_hostile_text_stays_text() -> None:
    failed = check("test_x", False, message=HOSTILE, got=HOSTILE, cause="wrong_value")
    (suite,) = read(junit(results(row(HOSTILE, "double", failed), learners=(Learner(HOSTILE),))))
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert failure.attrib["message"].startswith("=1+1 ``` ~~~ </pre><script>alert(1)</script> ]]> [31m")
    assert "<script>" in suite.attrib["name"]


@settings(deadline=None)
@given(st.text(alphabet=st.characters()))
def test_any_text_gives_a_valid_file(text: str) -> None:
    failed = check(text, False, message=text, got=text, cause="wrong_value")
    read(junit(results(row(text, "double", failed), learners=(Learner(text),))))
