# ---
# jupyter:
#   gradclinic:
#     text: "backward() has not run yet, and .grad is None"
#     kind: silent
#     cause: no_backward
#     shows: "None"
#     also:
#       - "requires_grad is True, and .grad is None: backward() has not run yet"
# ---
