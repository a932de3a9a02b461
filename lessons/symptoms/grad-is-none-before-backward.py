# ---
# jupyter:
#   gradclinic:
#     text: "requires_grad is True, and .grad is None: backward() has not run yet"
#     kind: silent
#     cause: no_backward
#     shows: "None"
# ---
