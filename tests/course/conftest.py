"""The fixture course is graded by the tests in `tests/grading`; pytest itself collects nothing here."""

collect_ignore_glob = ["*"]
