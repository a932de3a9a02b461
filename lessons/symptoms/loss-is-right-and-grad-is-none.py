# ---
# jupyter:
#   gradclinic:
#     text: "The loss has the right value, and .grad is None after item() or NumPy"
#     kind: silent
#     cause: left_torch
#     shows: "None"
# ---
