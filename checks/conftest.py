"""Grades the learner's files, or those of `--answers PATH`: see `pytest checks --help`, group "gradclinic"."""

pytest_plugins = ["gradclinic.grading.plugin"]
