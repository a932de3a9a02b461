# ---
# jupyter:
#   gradclinic:
#     text: "backward() ran without an error, and one input's .grad is None"
#     kind: silent
#     cause: requires_grad_false
#     shows: "None"
#     also:
#       - "grad is None after backward"
# ---
