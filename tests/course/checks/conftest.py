pytest_plugins = ["gradclinic.grading.plugin"]
