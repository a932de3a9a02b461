"""Many submissions -> rows, gradebooks and a report. Verdicts are made by `grading`, code runs in its children only."""
