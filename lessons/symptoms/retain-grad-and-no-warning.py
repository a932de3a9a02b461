# ---
# jupyter:
#   gradclinic:
#     text: "retain_grad() was called, .grad is None, and there is no error and no warning"
#     kind: silent
#     cause: retained_late
#     shows: "None"
# ---
